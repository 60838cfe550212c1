//! Version 2 of archives, which is only read.
//!
//! The heads of all games, then the moves and scores of all games as one string of bits under a
//! binary arithmetic coder whose probabilities adapt (the carryless coder of Mahoney's lpaq). A
//! move is its place in the list of legal moves, the likeliest first by what was played before:
//! by piece, destination, captured piece and recapture. Differences of shares are those of
//! version 3.

use enbu_movegen::{Move, MoveList, Position};

use super::{PARTS, score, size_class, start};
use crate::codec::{ArchiveError, Cursor, GameFileError, decode_head};
use crate::game::{Game, ScoredMove};

/// Bits of a place in the list of legal moves, which holds fewer than 1000.
const PLACE_BITS: u32 = 10;
/// Bits of a difference of two shares.
const DIFFERENCE_BITS: u32 = 11;

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

    /// The next bit, which is set with this probability in 65536ths.
    fn bit(&mut self, probability: u16) -> bool {
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

    fn decode(&mut self, coder: &mut Decoder<'_>) -> u32 {
        let mut node = 1;
        for _ in 0..self.bits {
            let probability = &mut self.nodes[node];
            // Both bits keep a part of the interval, however small it is.
            let bit = coder.bit((*probability).clamp(64, 65_535 - 64));
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

/// Frequencies with which legal moves of a kind are played, in 2^22nds.
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

    /// The next move; `None` if it is not one of the legal moves.
    fn mv(&mut self, coder: &mut Decoder<'_>, position: &Position, is_opening: bool) -> Option<Move> {
        self.rank(position);
        let numbers = match (is_opening, position.in_check()) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        let place = self.places[numbers].decode(coder) as usize;
        let &(_, played, _) = self.ranked.get(place)?;
        for (index, &(_, _, [destination, capture])) in self.ranked.iter().enumerate() {
            self.by_destination.update(destination, index == place);
            self.by_capture.update(capture, index == place);
        }
        Some(played)
    }

    /// Adds `counts` opening and scored moves to a game.
    fn game(
        &mut self,
        coder: &mut Decoder<'_>,
        game: &mut Game,
        counts: [usize; 2],
        number: usize,
    ) -> Result<(), ArchiveError> {
        let mut position = start(game, number)?;
        let illegal = |index: usize| ArchiveError::Illegal { game: number, number: index + 1 };
        for index in 0..counts[0] {
            let mv = self.mv(coder, &position, true).ok_or(illegal(index))?;
            position.do_move(mv);
            game.opening.push(mv);
        }
        let (mut before, mut size) = (PARTS / 2, 0);
        for index in 0..counts[1] {
            let code = self.differences[size].decode(coder) as i32;
            let difference = code >> 1 ^ -(code & 1);
            before = (PARTS - before + difference).clamp(0, PARTS);
            size = size_class(difference);
            let mv = self.mv(coder, &position, false).ok_or(illegal(counts[0] + index))?;
            position.do_move(mv);
            game.moves.push(ScoredMove { mv, score: score(before) });
        }
        Ok(())
    }
}

/// Visits the games of the rest of a file, which holds this many.
pub(crate) fn decode(cursor: &mut Cursor<'_>, games: u64, mut visit: impl FnMut(Game)) -> Result<(), GameFileError> {
    let heads = (1..=games).map(|number| decode_head(cursor, number)).collect::<Result<Vec<_>, _>>()?;
    let mut coder = Decoder { interval: Interval::WHOLE, window: 0, bytes: &cursor.bytes[cursor.at..], taken: 0 };
    (0..4).for_each(|_| coder.take());
    let mut model = Model::new();
    for (number, (mut game, counts)) in (1..).zip(heads) {
        model.game(&mut coder, &mut game, counts, number)?;
        if coder.taken > coder.bytes.len() {
            break;
        }
        visit(game);
    }
    cursor.take(coder.taken, "the moves").map(drop)
}
