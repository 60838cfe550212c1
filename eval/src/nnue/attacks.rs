//! Inputs from attacks: king zones, and pairs of attacker and victim.
//!
//! | set | an input for each |
//! |---|---|
//! | king zones | square of the 5 × 5 around a king × occupant (none, own, enemy) × own attacks on it (0, 1, more) × enemy attacks (0, 1, more) |
//! | pairs | kind of an attacker of either side × kind of a piece of either side that it attacks or protects |
//!
//! Both depend on the diagram alone and are computed when an evaluation is needed, by their
//! differences from the position that was evaluated last. [`Attacks::update`] computes the
//! attacked squares of the kinds of pieces that a difference affects, and their victims by one
//! test against the sets of all pieces; it adds up all kinds, for all squares at once, in two
//! planes a side: attacked, and attacked at least twice. A kernel reads both zones from them.
//! [`sums`] adds and subtracts the rows of inputs that differ.

pub(crate) mod sums;

use enbu_movegen::attacks::attacks;
use enbu_movegen::{Bitboard, Color, PieceType, Position, Square};

use super::features::{FeatureSet, View};
use super::simd::{CodeSets, Difference, Kernels, LANES, Simd, Task, Window, Words, Zones};

const ZONE: usize = 25;
/// Classes of a square: occupants × own attacks × enemy attacks.
const CLASSES: usize = 27;
/// The class of a square outside the board, which is no input.
const OUTSIDE: u8 = CLASSES as u8;
/// Inputs of both zones.
const ZONE_INPUTS: usize = 2 * ZONE * CLASSES;
/// Pieces of both sides.
const PIECES: usize = 2 * PieceType::COUNT;
/// Inputs of both sets: zones, then pairs.
pub(crate) const INPUTS: usize = ZONE_INPUTS + PIECES * PIECES;

/// The pieces on a board, and the squares of the kings.
pub trait Board {
    /// The squares with a piece of `color`.
    fn by_color(&self, color: Color) -> Bitboard;
    /// The squares with a piece of type `kind`, of either side.
    fn by_kind(&self, kind: PieceType) -> Bitboard;
    /// The square of `color`'s king, if there is one.
    fn king(&self, color: Color) -> Option<Square>;
}

impl Board for Position {
    #[inline(always)]
    fn by_color(&self, color: Color) -> Bitboard {
        (**self).by_color(color)
    }

    #[inline(always)]
    fn by_kind(&self, kind: PieceType) -> Bitboard {
        (**self).by_kind(kind)
    }

    #[inline(always)]
    fn king(&self, color: Color) -> Option<Square> {
        (**self).king(color)
    }
}

/// Zones without kings.
const NO_ZONES: Zones = [OUTSIDE; 2 * LANES];

/// The type of a piece with a code, as in [`CodeSets`].
#[inline(always)]
const fn kind_of(code: usize) -> PieceType {
    // Of length 16, so that the index needs no check.
    const KINDS: [PieceType; 16] = {
        let mut kinds = [PieceType::Dragon; 16];
        let mut kind = 0;
        while kind < PieceType::COUNT {
            kinds[kind] = PieceType::ALL[kind];
            kind += 1;
        }
        kinds
    };
    KINDS[code % 16]
}

/// The attacks on a board. `update` computes only those that differ from the
/// attacks on the last board, which need not be the parent position.
#[derive(Clone, Debug)]
pub struct Attacks {
    /// The squares of Black's pieces, then of White's.
    colors: [Words; 2],
    /// The squares of each piece, those that it attacks, and those that several of it attack.
    pieces: CodeSets,
    once: CodeSets,
    twice: CodeSets,
    pairs: Pairs,
}

/// Codes of the pieces whose attacks end at others.
const SLIDERS: u32 = {
    use PieceType::{Bishop, Dragon, Horse, Lance, Rook};
    let one_side = 1 << Lance as u32 | 1 << Bishop as u32 | 1 << Rook as u32 | 1 << Horse as u32 | 1 << Dragon as u32;
    one_side | one_side << 16
};

/// For each attacker by its code the set of its victims' codes.
type Pairs = [u32; 32];

impl Attacks {
    /// An empty board.
    pub(crate) const NONE: Self = {
        let none = CodeSets::EMPTY;
        Self { colors: [[0; 2]; 2], pieces: none, once: none, twice: none, pairs: [0; 32] }
    };

    /// The attacks on `board`.
    #[inline]
    pub fn of(board: &impl Board) -> Self {
        Simd::best().run(Of(board))
    }

    /// Computes the attacks on `board`.
    #[inline(always)]
    fn update<K: Kernels>(&mut self, kernels: K, board: &impl Board) {
        let [black, white] = Color::ALL.map(|color| board.by_color(color));
        let colors = [black, white].map(|set| set.words().into());
        let mut kinds = [[0; 2]; 16];
        kinds.iter_mut().zip(PieceType::ALL).for_each(|(words, kind)| *words = board.by_kind(kind).words().into());
        let Difference { codes, squares } = kernels.place(&mut self.pieces, &kinds, colors);
        let [old_black, old_white] = std::mem::replace(&mut self.colors, colors);
        let [new_black, new_white] = colors;
        let filled = [0, 1].map(|word| (old_black[word] | old_white[word]) ^ (new_black[word] | new_white[word]));
        let stale = codes | kernels.touched(&self.once, filled) & SLIDERS;
        let touched = kernels.touched(&self.once, squares);
        for_each_bit(stale.into(), |code| self.count(board, code, black | white));
        for_each_bit((stale | touched).into(), |attacker| {
            self.pairs[attacker] = kernels.touched(&self.pieces, self.once.of(attacker));
        });
    }

    /// Counts the attacks of the pieces with `code`.
    #[inline(always)]
    fn count(&mut self, board: &impl Board, code: usize, occupied: Bitboard) {
        let (color, kind) = (Color::ALL[code / 16], kind_of(code));
        let pieces = board.by_kind(kind) & board.by_color(color);
        let (mut once, mut twice) = (Bitboard::EMPTY, Bitboard::EMPTY);
        if kind == PieceType::Pawn {
            once = pieces.forward(color);
        } else {
            for square in pieces {
                let set = attacks(kind, color, square, occupied);
                twice |= once & set;
                once |= set;
            }
        }
        self.once.set(code, once.words().into());
        self.twice.set(code, twice.words().into());
    }

    /// The classes of the squares around both kings.
    #[inline(always)]
    fn zones<K: Kernels>(&self, kernels: K, kings: [Option<Square>; 2]) -> Zones {
        let [once, twice] = kernels.join(&self.once, &self.twice);
        let [black, white] = self.colors;
        let planes = [black, white, [once[0], once[1]], [twice[0], twice[1]], [once[2], once[3]], [twice[2], twice[3]]];
        let mut zones = NO_ZONES;
        kernels.zones(&planes, kings.map(|king| &WINDOWS[king.map_or(81, Square::index)]), &mut zones);
        zones
    }

    /// Calls `input` with every active input of `board` from 0, for the views of both sides.
    #[inline]
    pub fn inputs(&self, board: &impl Board, mut input: impl FnMut(Color, u16)) {
        let kings = Color::ALL.map(|color| board.king(color));
        let zones = Simd::best().run(ZonesOf(self, kings));
        for color in Color::ALL {
            let order = Order::of(color, View::new(FeatureSet::Mirrored, color, kings[color]).slot);
            for (square, &class) in zones.iter().enumerate() {
                if class != OUTSIDE {
                    input(color, order.zone(square, class));
                }
            }
            for (attacker, &victims) in self.pairs.iter().enumerate() {
                for_each_bit(victims.into(), |victim| input(color, pair(color as usize, attacker, victim) as u16));
            }
        }
    }
}

/// The work of [`Attacks::of`].
struct Of<'b, B>(&'b B);

impl<B: Board> Task for Of<'_, B> {
    type Output = Attacks;

    #[inline(always)]
    fn run<K: Kernels>(self, kernels: K) -> Attacks {
        let mut attacks = Attacks::NONE;
        attacks.update(kernels, self.0);
        attacks
    }
}

/// The zones of a board with these kings.
struct ZonesOf<'a>(&'a Attacks, [Option<Square>; 2]);

impl Task for ZonesOf<'_> {
    type Output = Zones;

    #[inline(always)]
    fn run<K: Kernels>(self, kernels: K) -> Zones {
        self.0.zones(kernels, self.1)
    }
}

/// The input of a pair of codes in a view.
const fn pair(color: usize, attacker: usize, victim: usize) -> usize {
    ZONE_INPUTS + PIECES * number(color, attacker) + number(color, victim)
}

/// The number of a piece in a view: own from 0, enemy from 14 on.
const fn number(color: usize, code: usize) -> usize {
    PieceType::COUNT * ((code / 16) ^ color) + code % 16
}

impl Window {
    /// The window of a king on the square with this index; for 81 one outside the board.
    const fn new(king: usize) -> Self {
        let mut window = Self { places: [128; LANES], bits: [1; LANES], bases: [OUTSIDE; LANES] };
        let mut at = 0;
        while at < ZONE {
            let (file, rank) = (king / 9 + at / 5, king % 9 + at % 5);
            if king < 81 && file >= 2 && file < 11 && rank >= 2 && rank < 11 {
                let square = 9 * (file - 2) + rank - 2;
                // The high word begins with square 63.
                let bit = if square < 63 { square } else { square + 1 };
                window.places[at] = (bit / 8) as u8;
                window.bits[at] = 1 << (bit % 8);
                window.bases[at] = 0;
            }
            at += 1;
        }
        window
    }
}

/// The windows of all king squares, and that of no king.
static WINDOWS: [Window; 82] = {
    let mut windows = [const { Window::new(81) }; 82];
    let mut king = 0;
    while king < 81 {
        windows[king] = Window::new(king);
        king += 1;
    }
    windows
};

/// Calls `each` with the number of every bit that is set.
#[inline(always)]
fn for_each_bit(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// One view's numbering of zones: roles, and the orientation of the board.
#[derive(Debug)]
struct Order {
    /// For each square of both zones its number.
    squares: [u8; 2 * LANES],
    /// For each class its number.
    classes: [u8; 32],
}

/// Orders by colour and mirroring.
static ORDERS: [[Order; 2]; 2] =
    [[Order::new(0, false), Order::new(0, true)], [Order::new(1, false), Order::new(1, true)]];

impl Order {
    /// The order of `color`'s view, mirrored in slot 1.
    #[inline(always)]
    fn of(color: Color, slot: usize) -> &'static Self {
        &ORDERS[color][slot & 1]
    }

    /// The input of a square of the zones, numbered as in [`Zones`], in a class.
    #[inline(always)]
    fn zone(&self, square: usize, class: u8) -> u16 {
        CLASSES as u16 * u16::from(self.squares[square % (2 * LANES)])
            + u16::from(self.classes[usize::from(class) % 32])
    }

    /// The row of a square of the zones in a class, or outside the board: see [`sums::AttackRows`].
    #[inline(always)]
    fn row(&self, square: usize, class: u8) -> u32 {
        (CLASSES as u32 + 1) * u32::from(self.squares[square % (2 * LANES)])
            + u32::from(self.classes[usize::from(class) % 32])
    }

    const fn new(color: usize, is_mirrored: bool) -> Self {
        let mut order = Self { squares: [0; 64], classes: [0; 32] };
        let mut king = 0;
        while king < 2 {
            let mut at = 0;
            while at < ZONE {
                let (mut file, mut rank) = (at / 5, at % 5);
                if color == 1 {
                    (file, rank) = (4 - file, 4 - rank);
                }
                if is_mirrored {
                    file = 4 - file;
                }
                let number = ZONE * (king ^ color) + 5 * file + rank;
                order.squares[LANES * king + at] = number as u8;
                at += 1;
            }
            king += 1;
        }
        order.classes[CLASSES] = OUTSIDE;
        let mut class = 0;
        while class < CLASSES {
            let (occupant, black, white) = (class / 9, class / 3 % 3, class % 3);
            order.classes[class] = if color == 0 { class } else { 9 * ((3 - occupant) % 3) + 3 * white + black } as u8;
            class += 1;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::simd::Scalar;
    use enbu_movegen::{MoveList, Piece};

    /// The inputs as the format describes them, square by square, sorted.
    fn plain_inputs(position: &Position, color: Color) -> Vec<u16> {
        let mut inputs = Vec::new();
        let is_mirrored = position.king(color).is_some_and(|king| king.relative(color).file() > 5);
        let seen = |square: Square| {
            let square = square.relative(color);
            if is_mirrored { square.mirrored() } else { square }
        };
        let side = |other: Color| usize::from(other != color);
        let occupied = position.occupied();
        for square in Square::ALL {
            let counts = [color, !color].map(|side| position.attackers(square, side, occupied).count().min(2) as usize);
            let occupant = position.piece_at(square).map_or(0, |piece| 1 + side(piece.color));
            let at = seen(square);
            for (zone, king) in [color, !color].into_iter().enumerate() {
                let Some(king) = position.king(king).map(seen) else { continue };
                let (file, rank) = (at.file() + 2 - king.file().min(at.file() + 2), at.rank() + 2);
                let (file, rank) = (usize::from(file), usize::from(rank.saturating_sub(king.rank())));
                let near = |a: u8, b: u8| a.abs_diff(b) <= 2;
                if near(at.file(), king.file()) && near(at.rank(), king.rank()) {
                    let class = 9 * occupant + 3 * counts[0] + counts[1];
                    inputs.push((27 * (25 * zone + 5 * file + rank) + class) as u16);
                }
            }
            if let Some(victim) = position.piece_at(square) {
                for attacker in
                    position.attackers(square, color, occupied) | position.attackers(square, !color, occupied)
                {
                    let attacker = position.piece_at(attacker).expect("a piece");
                    let number = |piece: Piece| 14 * side(piece.color) + piece.kind as usize;
                    inputs.push((1350 + 28 * number(attacker) + number(victim)) as u16);
                }
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    fn check(position: &Position, attacks: &mut Attacks) {
        attacks.update(Scalar, position);
        let fresh = Attacks::of(position);
        assert_eq!((attacks.pieces, attacks.once, attacks.twice), (fresh.pieces, fresh.once, fresh.twice));
        assert_eq!(attacks.pairs, fresh.pairs);
        let mut views = [Vec::new(), Vec::new()];
        attacks.inputs(position, |color, input| views[color].push(input));
        for (color, mut inputs) in Color::ALL.into_iter().zip(views) {
            inputs.sort_unstable();
            assert!(inputs.iter().all(|&input| usize::from(input) < INPUTS));
            assert_eq!(inputs, plain_inputs(position, color), "{position} {color:?}");
        }
    }

    #[test]
    fn inputs_are_those_of_the_format() {
        let mut attacks = Attacks::NONE;
        for sfen in [
            "9/9/9/9/9/9/9/9/9 b 31P 1",
            "4k4/9/9/9/9/9/9/9/9 b G2p 1",
            "k8/9/9/9/9/9/9/9/8K w - 1",
            "1+P1K5/2G1+P4/+PS1+N1+L3/9/9/4p4/3p1+n1+p1/1+s1g1k1+r1/4+b4 b RBG2SN2L7P2g4p 210",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        ] {
            check(&Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable"), &mut attacks);
        }
        let mut state = 88_172_645_463_325_252_u64;
        for _ in 0..20 {
            let mut position = Position::startpos();
            for _ in 0..120 {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                position.do_move(moves[state as usize % moves.len()]);
                if state >> 33 & 1 == 0 {
                    check(&position, &mut attacks);
                }
            }
        }
    }
}
