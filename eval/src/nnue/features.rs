//! Sets of inputs, and the active inputs of a position.
//!
//! An input is a piece on a square or the k-th piece of a kind in hand, from one side's
//! perspective (its **view**: White turns the board, own and enemy pieces change roles).
//! Families differ in three ways: the own king square may be part of the input (HalfKP),
//! the board may be mirrored so that this king is on files 1 to 5, and kings may be inputs
//! themselves.
//!
//! In the families of `nn.bin`, input 0 is active once for each piece that is not in play
//! (handicap games).

use enbu_movegen::{Color, HandPiece, Piece, PieceType, Position, Square};

/// A family of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureSet {
    /// Own king square × piece, kings excluded; 125 388 inputs.
    HalfKp,
    /// [`HalfKp`](Self::HalfKp), mirrored; 69 660 inputs.
    HalfKpVm,
    /// Own king square × piece, both kings included; 138 510 inputs.
    HalfKa1,
    /// [`HalfKa1`](Self::HalfKa1), mirrored; 76 950 inputs.
    HalfKaHm1,
    /// [`HalfKa1`](Self::HalfKa1) with both kings in one plane; 131 949 inputs.
    HalfKa2,
    /// [`HalfKa2`](Self::HalfKa2), mirrored; 73 305 inputs.
    HalfKaHm2,
    /// Pieces and kings, not combined with anything; 1 710 inputs.
    Kp,
    /// Pieces and kings in one plane, and the kings once more; 1 791 inputs.
    Ka2,
    /// Enbu's own: 14 piece types × 81 squares and 38 in hand for each side,
    /// mirrored; 2 344 inputs.
    Mirrored,
}

/// Input numbers of the pieces in one family, without the own king square.
struct Numbering {
    /// First number of a piece type on the board, own and enemy; the square is
    /// added. `None` where kings are not inputs.
    board: [[Option<u16>; PieceType::COUNT]; 2],
    /// Number of the first piece of a kind in hand, own and enemy; the k-th adds k - 1.
    hand: [[u16; 7]; 2],
}

/// Pieces of a set besides the kings.
const SET: u32 = 38;

/// The first number of kings: after the hands and the other pieces.
const BONA_KINGS: u16 = 1548;
const SQUARES: u16 = 81;

const fn bona(own_king: Option<u16>, enemy_king: Option<u16>) -> Numbering {
    // The planes in order: pawn, lance, knight, silver, gold, bishop, horse, rook, dragon;
    // promoted small pieces are golds.
    const PLANE: [u16; 14] = [0, 1, 2, 3, 5, 7, 4, 0, 4, 4, 4, 4, 6, 8];
    const HANDS: u16 = 90;
    let mut board = [[None; 14]; 2];
    let mut kind = 0;
    while kind < 14 {
        board[0][kind] = Some(HANDS + 2 * SQUARES * PLANE[kind]);
        board[1][kind] = Some(HANDS + 2 * SQUARES * PLANE[kind] + SQUARES);
        kind += 1;
    }
    board[0][PieceType::King as usize] = own_king;
    board[1][PieceType::King as usize] = enemy_king;
    Numbering { board, hand: [[1, 39, 49, 59, 79, 85, 69], [20, 44, 54, 64, 82, 88, 74]] }
}

const fn own_numbering() -> Numbering {
    const SIDE: u16 = 14 * 81 + 38;
    const HANDS: [u16; 7] = [0, 18, 22, 26, 34, 36, 30];
    let mut numbering = Numbering { board: [[None; 14]; 2], hand: [[0; 7]; 2] };
    let mut side = 0;
    while side < 2 {
        let first = side as u16 * SIDE;
        let mut kind = 0;
        while kind < 14 {
            numbering.board[side][kind] = Some(first + kind as u16 * SQUARES);
            kind += 1;
        }
        let mut piece = 0;
        while piece < 7 {
            numbering.hand[side][piece] = first + 14 * SQUARES + HANDS[piece];
            piece += 1;
        }
        side += 1;
    }
    numbering
}

const WITHOUT_KINGS: &Numbering = &bona(None, None);
const WITH_KINGS: &Numbering = &bona(Some(BONA_KINGS), Some(BONA_KINGS + SQUARES));
const FOLDED_KINGS: &Numbering = &bona(Some(BONA_KINGS), Some(BONA_KINGS));
const OWN: &Numbering = &own_numbering();

impl FeatureSet {
    /// The families of `nn.bin` files.
    pub const STANDARD: [Self; 8] = [
        Self::HalfKp,
        Self::HalfKpVm,
        Self::HalfKa1,
        Self::HalfKaHm1,
        Self::HalfKa2,
        Self::HalfKaHm2,
        Self::Kp,
        Self::Ka2,
    ];

    /// The name in names of shapes, the name in descriptions of files, the hash of files (`None` without
    /// standard ones), and the number of inputs.
    pub(crate) const fn row(self) -> (&'static str, &'static str, Option<u32>, usize) {
        match self {
            Self::HalfKp => ("halfkp", "HalfKP(Friend)", Some(0x5D69_D5B8), 81 * 1548),
            Self::HalfKpVm => ("halfkpvm", "HalfKP_vm(Friend)", Some(0x0B6B_1D9A), 45 * 1548),
            Self::HalfKa1 => ("halfka1", "HalfKA1(Friend)", Some(0x5F13_4CB8), 81 * 1710),
            Self::HalfKaHm1 => ("halfkahm1", "HalfKA_hm1(Friend)", Some(0x7F13_4CB8), 45 * 1710),
            Self::HalfKa2 => ("halfka2", "HalfKA2(Friend)", Some(0x5F23_4CB8), 81 * 1629),
            Self::HalfKaHm2 => ("halfkahm2", "HalfKA_hm2(Friend)", Some(0x7F23_4CB8), 45 * 1629),
            Self::Kp => ("kp", "K+P", Some(0x3F57_17FF), 1710),
            Self::Ka2 => ("ka2", "K+A2", Some(0x97D5_765E), 1629 + 162),
            Self::Mirrored => ("enbu", "Enbu", None, 2344),
        }
    }

    /// The number of inputs.
    pub const fn inputs(self) -> usize {
        self.row().3
    }

    /// Inputs per king square (`None` if the king square is not part of the input), true if mirrored, the
    /// numbering, and the number of [`View::slot`]s of each side.
    const fn scheme(self) -> (Option<u32>, bool, &'static Numbering, usize) {
        match self {
            Self::HalfKp => (Some(1548), false, WITHOUT_KINGS, 81),
            Self::HalfKpVm => (Some(1548), true, WITHOUT_KINGS, 81),
            Self::HalfKa1 => (Some(1710), false, WITH_KINGS, 81),
            Self::HalfKaHm1 => (Some(1710), true, WITH_KINGS, 81),
            Self::HalfKa2 => (Some(1629), false, FOLDED_KINGS, 81),
            Self::HalfKaHm2 => (Some(1629), true, FOLDED_KINGS, 81),
            Self::Kp => (None, false, WITH_KINGS, 1),
            Self::Ka2 => (None, false, FOLDED_KINGS, 1),
            Self::Mirrored => (None, true, OWN, 2),
        }
    }

    /// First number of a piece of `side` (0 own, 1 enemy) on the board; 0 if it is no input.
    pub(crate) const fn on_board(self, side: usize, kind: usize) -> u16 {
        match self.scheme().2.board[side][kind] {
            Some(first) => first,
            None => 0,
        }
    }

    /// Number of the first such piece in the hand of `side`.
    pub(crate) const fn in_hand(self, side: usize, piece: usize) -> u16 {
        self.scheme().2.hand[side][piece]
    }

    /// The number of [`View::slot`]s of each side.
    pub(crate) const fn slots(self) -> usize {
        self.scheme().3
    }
}

/// Squares as a view numbers them, indexed by colour (White turns the board) and mirroring.
static ORIENTED: [[[u8; 81]; 2]; 2] = oriented();

const fn oriented() -> [[[u8; 81]; 2]; 2] {
    let mut tables = [[[0; 81]; 2]; 2];
    let mut index = 0;
    while index < 81 {
        let square = Square::ALL[index];
        tables[0][0][index] = square as u8;
        tables[0][1][index] = square.mirrored() as u8;
        tables[1][0][index] = square.rotated() as u8;
        tables[1][1][index] = square.rotated().mirrored() as u8;
        index += 1;
    }
    tables
}

/// The square of a missing king: its home square.
const ABSENT_KING: Square = Square::S59;

/// One side's numbering of pieces for a given square of its king.
#[derive(Clone, Copy)]
pub(crate) struct View {
    numbering: &'static Numbering,
    squares: &'static [u8; 81],
    color: Color,
    /// Added to every number.
    offset: u32,
    /// The index of the refresh cache, below [`FeatureSet::slots`]: views of one colour with equal
    /// slots number all pieces alike.
    pub(crate) slot: usize,
    /// The first of the kings' second numbers, if they have any.
    kings_again: Option<u32>,
}

impl View {
    #[inline]
    pub(crate) fn new(features: FeatureSet, color: Color, king: Option<Square>) -> Self {
        let seen = king.map_or(ABSENT_KING, |king| king.relative(color));
        // Files 6 to 9.
        let (block, is_mirrored, numbering, _) = features.scheme();
        let mirror = is_mirrored && seen.index() >= 45;
        let bucket = if mirror { seen.mirrored() } else { seen };
        let (offset, slot) =
            block.map_or((0, usize::from(mirror)), |block| (block * bucket.index() as u32, seen.index()));
        Self {
            numbering,
            squares: &ORIENTED[color][usize::from(mirror)],
            color,
            offset,
            slot,
            kings_again: (features == FeatureSet::Ka2).then_some(1629),
        }
    }

    #[inline]
    pub(crate) fn of(features: FeatureSet, color: Color, position: &Position) -> Self {
        Self::new(features, color, position.king(color))
    }

    #[inline]
    pub(crate) fn board(&self, piece: Piece, square: Square, mut input: impl FnMut(u32)) {
        let side = usize::from(piece.color != self.color);
        if let Some(first) = self.numbering.board[side][piece.kind] {
            let square = u32::from(self.squares[square]);
            input(self.offset + u32::from(first) + square);
            if let (PieceType::King, Some(again)) = (piece.kind, self.kings_again) {
                input(again + side as u32 * 81 + square);
            }
        }
    }

    /// The input of the `nth` (from 1) `piece` in the hand of `owner`. More pieces
    /// than a set has occur in composed diagrams only; the surplus has no inputs.
    #[inline]
    pub(crate) fn hand(&self, owner: Color, piece: HandPiece, nth: u8, mut input: impl FnMut(u32)) {
        if (1..=piece.set_count()).contains(&nth) {
            let first = self.numbering.hand[usize::from(owner != self.color)][piece];
            input(self.offset + u32::from(first) + u32::from(nth - 1));
        }
    }

    /// The input of a piece that is not in play.
    #[inline]
    pub(crate) fn missing(&self, mut input: impl FnMut(u32)) {
        input(self.offset);
    }
}

/// The number of the 38 pieces besides the kings that are not in play; 0 for families that
/// ignore them. Constant during a game.
#[inline(always)]
pub(crate) fn missing_pieces(features: FeatureSet, position: &Position) -> u32 {
    if features == FeatureSet::Mirrored {
        return 0;
    }
    let in_hand: u32 =
        Color::ALL.iter().flat_map(|&color| position.hand(color).iter()).map(|(_, count)| u32::from(count)).sum();
    let on_board = position.occupied().count() - position.by_kind(PieceType::King).count();
    SET.saturating_sub(on_board + in_hand)
}

/// Calls `input` with every active input of `position` in the view of `color`, repeated
/// ones repeatedly.
pub(crate) fn active(features: FeatureSet, color: Color, position: &Position, mut input: impl FnMut(u32)) {
    let view = View::of(features, color, position);
    for square in position.occupied() {
        if let Some(piece) = position.piece_at(square) {
            view.board(piece, square, &mut input);
        }
    }
    for owner in Color::ALL {
        for (piece, count) in position.hand(owner).iter() {
            (1..=count).for_each(|nth| view.hand(owner, piece, nth, &mut input));
        }
    }
    (0..missing_pieces(features, position)).for_each(|_| view.missing(&mut input));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(features: FeatureSet, color: Color, sfen: &str) -> Vec<u32> {
        let setup = sfen.parse().expect("an SFEN");
        let position = Position::from_setup(&setup).expect("playable");
        let mut inputs = Vec::new();
        active(features, color, &position, |input| inputs.push(input));
        inputs.sort_unstable();
        inputs
    }

    const STARTPOS: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    #[test]
    fn every_input_exists_and_sets_are_complete() {
        for (features, active) in
            FeatureSet::STANDARD.into_iter().zip([38, 38, 40, 40, 40, 40, 40, 42]).chain([(FeatureSet::Mirrored, 40)])
        {
            for color in Color::ALL {
                for sfen in
                    [STARTPOS, "4k4/9/9/9/9/9/9/9/K8 b 2R2B4G4S4N4L18P 1", "8k/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p 1"]
                {
                    let inputs = inputs(features, color, sfen);
                    assert_eq!(inputs.len(), active, "{features:?} {sfen}");
                    assert!(
                        inputs.iter().all(|&input| (input as usize) < features.inputs()),
                        "{features:?} {inputs:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn both_sides_have_equal_inputs_at_the_start() {
        for features in FeatureSet::STANDARD.into_iter().chain([FeatureSet::Mirrored]) {
            assert_eq!(inputs(features, Color::Black, STARTPOS), inputs(features, Color::White, STARTPOS));
        }
    }

    #[test]
    fn mirrored_sets_have_equal_inputs_for_mirror_images() {
        let (one, other) = ("6k2/9/9/4r4/9/9/2P6/9/1K6L b Gp 1", "2k6/9/9/4r4/9/9/6P2/9/L6K1 b Gp 1");
        for features in FeatureSet::STANDARD.into_iter().chain([FeatureSet::Mirrored]) {
            for color in Color::ALL {
                assert_eq!(
                    inputs(features, color, one) == inputs(features, color, other),
                    features.scheme().1,
                    "{features:?}"
                );
            }
        }
    }

    #[test]
    fn pieces_that_are_not_in_play_activate_input_zero() {
        let handicap = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        assert_eq!(inputs(FeatureSet::Kp, Color::Black, handicap).iter().filter(|&&input| input == 0).count(), 2);
        assert_eq!(inputs(FeatureSet::Mirrored, Color::Black, handicap).len(), 38);
    }

    #[test]
    fn composed_diagrams_stay_within_the_inputs() {
        // More pawns than a set has, no kings, and only one king.
        for sfen in ["9/9/9/9/9/9/9/9/9 b 31P 1", "4k4/9/9/9/9/9/9/9/9 b 20P2r 1", "9/9/9/9/9/9/9/9/4K4 w 15l 1"] {
            for features in FeatureSet::STANDARD.into_iter().chain([FeatureSet::Mirrored]) {
                for color in Color::ALL {
                    let inputs = inputs(features, color, sfen);
                    assert!(inputs.iter().all(|&input| (input as usize) < features.inputs()));
                }
            }
        }
    }
}
