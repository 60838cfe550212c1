//! Version 2 of archives, which is only read.
//!
//! The heads of all games, then the moves and scores of all games as one string of bits under a
//! binary arithmetic coder whose probabilities adapt (the carryless coder of Mahoney's lpaq). A
//! move is its place in the list of legal moves, the likeliest first by what was played before:
//! by piece, destination, captured piece and recapture. Differences of shares are those of
//! version 3.

use enbu_movegen::{Move, MoveList, Position};

use super::{Coder, code_game};
use crate::codec::{Cursor, decode_head};
use crate::error::GameFileError;
use crate::game::Game;

/// Numbers of places in the list of legal moves, and of differences of two shares: powers of two.
const PLACES: usize = 1 << 10;
const DIFFERENCES: usize = 1 << 11;

/// The arithmetic decoder: an interval, and the bytes in it.
struct Decoder<'a> {
    low: u32,
    high: u32,
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
        // The last number of the part that stands for a set bit.
        let middle = self.low + ((u64::from(self.high - self.low) * u64::from(probability)) >> 16) as u32;
        let bit = self.window <= middle;
        (self.low, self.high) = if bit { (self.low, middle) } else { (middle + 1, self.high) };
        // The first byte is shifted out once it is settled.
        while (self.low ^ self.high) >> 24 == 0 {
            self.low <<= 8;
            self.high = self.high << 8 | 0xff;
            self.take();
        }
        bit
    }

    /// The next number, the first bit first. Each node holds the probability that the next bit
    /// is set, by the bits before it after a leading 1.
    fn number(&mut self, nodes: &mut [u16]) -> usize {
        let mut node = 1;
        while node < nodes.len() {
            let probability = &mut nodes[node];
            // Both bits keep a part of the interval, however small it is.
            let bit = self.bit((*probability).clamp(64, 65_535 - 64));
            if bit {
                *probability += (65_535 - *probability) >> 6;
            } else {
                *probability -= *probability >> 6;
            }
            node = node << 1 | usize::from(bit);
        }
        node - nodes.len()
    }
}

/// Kinds of moves by the piece that moves: 14 on the board, 14 that promote, 7 drops.
const MOVERS: usize = 35;

/// The decoder, and all that it has learned from the games so far.
struct Model<'a> {
    decoder: Decoder<'a>,
    /// Frequencies with which legal moves are played, in 2^22nds: by mover and destination,
    /// and by mover, captured piece and recapture.
    habits: [Vec<u32>; 2],
    /// Probabilities of places in the list of legal moves by the kind of the move.
    places: [Vec<u16>; 3],
    /// Probabilities of differences of shares by the size of the one before.
    differences: [Vec<u16>; 4],
    moves: MoveList,
    /// Legal moves with their kinds, the likeliest first.
    ranked: Vec<(u64, Move, [usize; 2])>,
}

impl Model<'_> {
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
            let weight = u64::from(self.habits[0][kinds[0]]) * u64::from(self.habits[1][kinds[1]]);
            self.ranked.push((weight, mv, kinds));
        }
        self.ranked.sort_unstable_by_key(|&(weight, mv, _)| (std::cmp::Reverse(weight), mv.raw()));
    }
}

impl Coder for Model<'_> {
    fn mv(&mut self, position: &Position, kind: usize, _: Option<Move>) -> Option<Move> {
        self.rank(position);
        let place = self.decoder.number(&mut self.places[kind]);
        let &(_, played, _) = self.ranked.get(place)?;
        for (index, &(_, _, kinds)) in self.ranked.iter().enumerate() {
            for (habit, kind) in self.habits.iter_mut().zip(kinds) {
                let value = &mut habit[kind];
                *value = if index == place { *value + (((1 << 22) - *value) >> 6) } else { *value - (*value >> 6) };
            }
        }
        Some(played)
    }

    fn difference(&mut self, size: usize, _: u16) -> Option<u16> {
        Some(self.decoder.number(&mut self.differences[size]) as u16)
    }
}

/// Visits the games of the rest of a file, which holds this many.
pub(crate) fn decode(cursor: &mut Cursor<'_>, games: u64, mut visit: impl FnMut(Game)) -> Result<(), GameFileError> {
    let heads = (1..=games).map(|number| decode_head(cursor, number)).collect::<Result<Vec<_>, _>>()?;
    let mut decoder = Decoder { low: 0, high: u32::MAX, window: 0, bytes: &cursor.bytes[cursor.at..], taken: 0 };
    (0..4).for_each(|_| decoder.take());
    let mut model = Model {
        decoder,
        habits: [MOVERS * 81, MOVERS * 15 * 2].map(|kinds| vec![1 << 16; kinds]),
        places: [PLACES; 3].map(|places| vec![1 << 15; places]),
        differences: [DIFFERENCES; 4].map(|differences| vec![1 << 15; differences]),
        moves: MoveList::new(),
        ranked: Vec::new(),
    };
    for (number, (mut game, counts)) in (1..).zip(heads) {
        code_game(&mut model, &mut game, counts, number)?;
        if model.decoder.taken > model.decoder.bytes.len() {
            break;
        }
        visit(game);
    }
    cursor.take(model.decoder.taken, "the moves").map(drop)
}
