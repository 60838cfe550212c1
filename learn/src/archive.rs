//! Archives: files of games at less than two bytes a position, with rounded scores.
//!
//! Version 2 of the files of games: the heads of all games, then the
//! moves and scores of all games as one string of bits under a binary arithmetic coder
//! whose probabilities adapt (the carryless coder of Mahoney's lpaq). The format is what
//! [`Model::game`] does; one function serves both directions.
//!
//! - A move is its place in the list of legal moves, the likeliest first by what was played
//!   before: by piece, destination, captured piece and recapture.
//! - A score is the share of points 1 / (1 + e^(-score / 1100)) in 512ths, as difference
//!   from the one that the score before it predicts. Scores beyond ±6860 become ±6860,
//!   mates become mates of unknown length. An archive of an archive is equal to it.

use enbu_movegen::{Move, MoveList, Position, PositionError};

use crate::game::{Game, MATE_SCORE, ScoredMove};

/// The reason why a game cannot be archived, or an archive cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// A start position cannot be played.
    #[error("game {game}: the start position cannot be played: {error}")]
    Unplayable {
        /// The number of the game, from 1.
        game: usize,
        /// The reason.
        error: PositionError,
    },
    /// A move is illegal.
    #[error("game {game}: move {number} is not one of the legal moves")]
    Illegal {
        /// The number of the game, from 1.
        game: usize,
        /// The number of the move, from 1.
        number: usize,
    },
}

/// Shares of points are counted in this many parts.
const PARTS: i32 = 512;
/// Centipawns: a score s means a share of 1 / (1 + e^(-s / SCALE)).
const SCALE: f64 = 1100.0;
/// Bits of a place in the list of legal moves, which holds fewer than 1000.
const PLACE_BITS: u32 = 10;
/// Bits of a difference of two shares.
const DIFFERENCE_BITS: u32 = 11;

/// The share of points of a score in parts; 0 and [`PARTS`] are mates.
fn share(score: i16) -> i32 {
    const MATED: i16 = -MATE_SCORE;
    match score {
        MATE_SCORE.. => PARTS,
        ..=MATED => 0,
        _ => {
            let share = f64::from(PARTS) / (1.0 + (-f64::from(score) / SCALE).exp());
            (share.round() as i32).clamp(1, PARTS - 1)
        }
    }
}

/// The score of a share, the inverse of [`share`].
fn score(share: i32) -> i16 {
    match share {
        PARTS.. => MATE_SCORE,
        ..=0 => -MATE_SCORE,
        _ => (SCALE * (f64::from(share) / f64::from(PARTS - share)).ln()).round() as i16,
    }
}

/// One direction of the arithmetic coder.
trait Coder {
    /// Codes one bit, which is set with this probability in 65536ths: an encoder takes
    /// `bit` and returns it, a decoder returns the bit of its input.
    fn bit(&mut self, probability: u16, bit: bool) -> bool;
}

/// The interval of an arithmetic coder.
struct Interval {
    low: u32,
    high: u32,
}

impl Interval {
    const WHOLE: Self = Self { low: 0, high: u32::MAX };

    /// The last number of the part that stands for a set bit.
    fn middle(&self, probability: u16) -> u32 {
        self.low + ((u64::from(self.high - self.low) * u64::from(probability)) >> 16) as u32
    }

    fn narrow(&mut self, middle: u32, bit: bool) {
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
    }

    /// Shifts out the first byte if it is settled.
    fn shift(&mut self) -> Option<u8> {
        let settled = (self.low ^ self.high) >> 24 == 0;
        settled.then(|| {
            let byte = (self.high >> 24) as u8;
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
            byte
        })
    }
}

struct Encoder<'a> {
    interval: Interval,
    bytes: &'a mut Vec<u8>,
}

impl Coder for Encoder<'_> {
    fn bit(&mut self, probability: u16, bit: bool) -> bool {
        self.interval.narrow(self.interval.middle(probability), bit);
        while let Some(byte) = self.interval.shift() {
            self.bytes.push(byte);
        }
        bit
    }
}

struct Decoder<'a> {
    interval: Interval,
    window: u32,
    bytes: &'a [u8],
    /// Bytes taken; more than there are after the end.
    taken: usize,
}

impl Decoder<'_> {
    fn take(&mut self) {
        self.window = self.window << 8 | u32::from(self.bytes.get(self.taken).copied().unwrap_or(0));
        self.taken += 1;
    }
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, probability: u16, _: bool) -> bool {
        let middle = self.interval.middle(probability);
        let bit = self.window <= middle;
        self.interval.narrow(middle, bit);
        while self.interval.shift().is_some() {
            self.take();
        }
        bit
    }
}

/// Adaptive probabilities of the bits of a number, the first bit first.
#[derive(Clone)]
struct Number {
    bits: u32,
    /// Probability that the next bit is set, by the bits before it behind a leading 1.
    nodes: Vec<u16>,
}

impl Number {
    fn new(bits: u32) -> Self {
        Self { bits, nodes: vec![1 << 15; 1 << bits] }
    }

    fn code(&mut self, coder: &mut impl Coder, value: u32) -> u32 {
        let mut node = 1;
        for place in (0..self.bits).rev() {
            let probability = &mut self.nodes[node];
            // Both bits keep a part of the interval, however small it is.
            let bit = coder.bit((*probability).clamp(64, 65_535 - 64), value >> place & 1 != 0);
            if bit {
                *probability += (65_535 - *probability) >> 6;
            } else {
                *probability -= *probability >> 6;
            }
            node = node << 1 | usize::from(bit);
        }
        node as u32 - (1 << self.bits)
    }
}

/// How often moves of a kind are played where they are legal, in 2^22nds.
struct Habit(Vec<u32>);

impl Habit {
    fn new(kinds: usize) -> Self {
        Self(vec![1 << 16; kinds])
    }

    fn update(&mut self, kind: usize, is_played: bool) {
        let value = &mut self.0[kind];
        if is_played {
            *value += ((1 << 22) - *value) >> 6;
        } else {
            *value -= *value >> 6;
        }
    }
}

/// Kinds of moves by the piece that moves: 14 on the board, 14 that promote, 7 drops.
const MOVERS: usize = 35;

/// All that has been learned from the games so far.
struct Model {
    by_destination: Habit,
    by_capture: Habit,
    /// Places in the list: of openings, out of check, others.
    places: [Number; 3],
    /// Differences of shares by the size of the one before.
    differences: [Number; 4],
    moves: MoveList,
    /// Legal moves with their kinds, the likeliest first.
    ranked: Vec<(u64, Move, [usize; 2])>,
}

impl Model {
    fn new() -> Self {
        Self {
            by_destination: Habit::new(MOVERS * 81),
            by_capture: Habit::new(MOVERS * 15 * 2),
            places: std::array::from_fn(|_| Number::new(PLACE_BITS)),
            differences: std::array::from_fn(|_| Number::new(DIFFERENCE_BITS)),
            moves: MoveList::new(),
            ranked: Vec::new(),
        }
    }

    /// Orders the legal moves.
    fn rank(&mut self, position: &Position) {
        let last = position.last_move().map(Move::to);
        self.moves.clear();
        position.legal_moves(&mut self.moves);
        self.ranked.clear();
        for mv in &self.moves {
            let to = mv.to();
            let mover = match (mv.dropped(), mv.from().and_then(|from| position.piece_at(from))) {
                (Some(piece), _) => 28 + piece as usize,
                (None, piece) => piece.map_or(0, |piece| piece.kind as usize) + if mv.is_promotion() { 14 } else { 0 },
            };
            let captured = position.piece_at(to).map_or(14, |piece| piece.kind as usize);
            let recaptures = usize::from(last == Some(to));
            let kinds = [mover * 81 + to.relative(position.turn()).index(), (mover * 15 + captured) * 2 + recaptures];
            let weight = u64::from(self.by_destination.0[kinds[0]]) * u64::from(self.by_capture.0[kinds[1]]);
            self.ranked.push((weight, mv, kinds));
        }
        self.ranked.sort_unstable_by_key(|&(weight, mv, _)| (std::cmp::Reverse(weight), mv.raw()));
    }

    /// Codes a move; `None` if it is not one of the legal moves.
    fn mv(&mut self, coder: &mut impl Coder, position: &Position, is_opening: bool, mv: Option<Move>) -> Option<Move> {
        self.rank(position);
        let place = match mv {
            Some(mv) => self.ranked.iter().position(|&(_, other, _)| other == mv)?,
            None => 0,
        };
        let numbers = match (is_opening, position.in_check()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        let place = self.places[numbers].code(coder, place as u32) as usize;
        let &(_, played, _) = self.ranked.get(place)?;
        for (index, &(_, _, [destination, capture])) in self.ranked.iter().enumerate() {
            self.by_destination.update(destination, index == place);
            self.by_capture.update(capture, index == place);
        }
        Some(played)
    }

    /// Codes the moves and scores of a game with `counts` opening and scored moves. `game`
    /// holds them, or nothing but the start, and then receives them.
    fn game(
        &mut self,
        coder: &mut impl Coder,
        game: &mut Game,
        counts: [usize; 2],
        number: usize,
    ) -> Result<(), ArchiveError> {
        let mut position = match &game.start {
            None => Position::startpos(),
            Some(setup) => {
                Position::from_setup(setup).map_err(|error| ArchiveError::Unplayable { game: number, error })?
            }
        };
        let illegal = |index: usize| ArchiveError::Illegal { game: number, number: index + 1 };
        for index in 0..counts[0] {
            let given = game.opening.get(index).copied();
            let mv = self.mv(coder, &position, true, given).ok_or(illegal(index))?;
            position.do_move(mv);
            if given.is_none() {
                game.opening.push(mv);
            }
        }
        let (mut before, mut size) = (PARTS / 2, 0);
        for index in 0..counts[1] {
            let given = game.moves.get(index).copied();
            let expected = PARTS - before;
            let difference = given.map_or(0, |scored| share(scored.score) - expected);
            let code = (difference << 1 ^ difference >> 31) as u32;
            let code = self.differences[size].code(coder, code) as i32;
            let difference = code >> 1 ^ -(code & 1);
            before = (expected + difference).clamp(0, PARTS);
            size = match difference.abs() {
                0..=2 => 0,
                3..=8 => 1,
                9..=24 => 2,
                _ => 3,
            };
            let mv = self.mv(coder, &position, false, given.map(|scored| scored.mv));
            let mv = mv.ok_or(illegal(counts[0] + index))?;
            position.do_move(mv);
            if given.is_none() {
                game.moves.push(ScoredMove { mv, score: score(before) });
            }
        }
        Ok(())
    }
}

/// Appends the moves and scores of the games to `bytes`.
pub(crate) fn encode(games: &[Game], bytes: &mut Vec<u8>) -> Result<(), ArchiveError> {
    let mut coder = Encoder { interval: Interval::WHOLE, bytes };
    let mut model = Model::new();
    for (index, game) in games.iter().enumerate() {
        let counts = [game.opening.len(), game.moves.len()];
        model.game(&mut coder, &mut game.clone(), counts, index + 1)?;
    }
    let last = coder.interval.low;
    // Any number of the interval will do; the decoder looks four bytes ahead.
    coder.bytes.extend(last.to_be_bytes());
    Ok(())
}

/// Reads moves and scores of games with these counts of opening and scored moves, which
/// hold only their heads. Returns the number of bytes read, which is more than there are if
/// some are missing.
pub(crate) fn decode(bytes: &[u8], games: &mut [Game], counts: &[[usize; 2]]) -> Result<usize, ArchiveError> {
    let mut coder = Decoder { interval: Interval::WHOLE, window: 0, bytes, taken: 0 };
    (0..4).for_each(|_| coder.take());
    let mut model = Model::new();
    for (index, (game, &counts)) in games.iter_mut().zip(counts).enumerate() {
        model.game(&mut coder, game, counts, index + 1)?;
        if coder.taken > bytes.len() {
            break;
        }
    }
    Ok(coder.taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::GameFile;
    use crate::selfplay::{Player, Settings};

    fn games() -> GameFile {
        let settings = Settings { nodes: 20, hash_mb: 1, max_plies: 150, ..Settings::default() };
        let mut player = Player::new(settings, enbu_eval::Evaluation::PieceSquare).expect("memory");
        let mut games: Vec<_> = (0..60).map(|number| player.game(number)).collect();
        let start = "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 31".parse().expect("an SFEN");
        let mv = |text: &str| text.parse().expect("a move");
        let scored = [("5a5b", 32_000), ("5i5h", i16::MIN), ("5b5a", 7000), ("R*5c", 0)];
        games[7].start = Some(Box::new(start));
        games[7].opening.clear();
        games[7].moves = scored.iter().map(|&(text, score)| ScoredMove { mv: mv(text), score }).collect();
        GameFile { settings: "seed=1 演武".into(), games }
    }

    #[test]
    fn archives_keep_moves_and_round_scores_once() {
        let original = games();
        let bytes = original.encode_archive().expect("fits");
        let back = GameFile::decode(&bytes).expect("whole");
        assert_eq!(back.encode_archive().expect("fits"), bytes);
        assert_eq!((&back.settings, back.games.len()), (&original.settings, original.games.len()));
        for (game, from) in back.games.iter().zip(&original.games) {
            assert_eq!((&game.start, &game.opening), (&from.start, &from.opening));
            assert_eq!((game.result, game.ending), (from.result, from.ending));
            for (scored, from) in game.moves.iter().zip(&from.moves) {
                assert_eq!((scored.mv, share(scored.score)), (from.mv, share(from.score)));
                let error = scored.score.abs_diff(from.score);
                assert!(error < 10 || from.score.unsigned_abs() > 1500, "{} {}", scored.score, from.score);
            }
            assert_eq!(game.moves.len(), from.moves.len());
        }
        // Even so few games, from which little is learned, take under half of the plain file.
        let plain = original.encode().expect("fits").len();
        assert!(bytes.len() * 2 < plain, "{} of {plain}", bytes.len());
    }

    #[test]
    fn every_share_has_its_own_score() {
        for parts in 0..=PARTS {
            assert_eq!(share(score(parts)), parts);
            assert_eq!(score(PARTS - parts), -score(parts));
        }
    }

    #[test]
    fn damage_is_found_even_under_a_right_checksum() {
        let good = games().encode_archive().expect("fits");
        for offset in (0..good.len()).step_by(7) {
            let mut bytes = good.clone();
            bytes[offset] ^= 0x10;
            assert!(GameFile::decode(&bytes).is_err(), "{offset}");
            // Wrong games or an error, but no panic.
            let sum = crate::game_file::checksum(&bytes);
            bytes[32..40].copy_from_slice(&sum.to_le_bytes());
            let _ = GameFile::decode(&bytes);
        }
        for surplus in [-5, -1, 1] {
            let mut bytes = good.clone();
            bytes.resize(good.len().saturating_add_signed(surplus), 0);
            let sum = crate::game_file::checksum(&bytes);
            bytes[32..40].copy_from_slice(&sum.to_le_bytes());
            assert!(GameFile::decode(&bytes).is_err(), "{surplus}");
        }
    }

    #[test]
    fn illegal_moves_are_named() {
        let mut file = games();
        file.games[1].moves[2].mv = file.games[1].moves[1].mv;
        let error = file.encode_archive().expect_err("illegal").to_string();
        let number = file.games[1].opening.len() + 3;
        assert_eq!(error, format!("game 2: move {number} is not one of the legal moves"));
    }
}
