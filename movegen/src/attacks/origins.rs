//! Attacks seen from their targets: the origins from which each kind of piece attacks them.

use super::{gold, king, knight, pawn, silver};
use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::PieceType;
use crate::rays::{bishop_cross, rook_cross};
use crate::sliders;
use crate::square::Square;

/// For each kind of piece, the squares from which it attacks given targets.
///
/// Kinds with equal attacks share one of ten sets. An array instead of a `match` on the kind,
/// which compiles to an indirect jump that is often mispredicted.
#[derive(Clone, Copy, Debug)]
pub struct Origins([Bitboard; 10]);

// The sets are in the order of the kinds.
const PAWN: usize = 0;
const LANCE: usize = 1;
const KNIGHT: usize = 2;
const SILVER: usize = 3;
const BISHOP: usize = 4;
const ROOK: usize = 5;
const GOLD: usize = 6;
const KING: usize = 7;
const HORSE: usize = 8;
const DRAGON: usize = 9;

/// Index of each kind of piece in [`Origins`]: promoted minor pieces are golds.
const INDICES: [u8; PieceType::COUNT] = [0, 1, 2, 3, 4, 5, 6, 7, 6, 6, 6, 6, 8, 9];

impl Origins {
    /// Without targets.
    pub const NONE: Self = Self([Bitboard::EMPTY; 10]);

    /// The squares from which pieces of `color` attack `target`.
    #[inline(always)]
    pub fn of(color: Color, target: Square, occupied: Bitboard) -> Self {
        let mut origins = Self::NONE;
        origins.add_target(color, target, occupied);
        origins.combined()
    }

    /// The squares from which pieces of `color` attack one of `targets`.
    #[inline(always)]
    pub fn of_any(color: Color, targets: Bitboard, occupied: Bitboard) -> Self {
        let mut origins = Self::NONE;
        for target in targets {
            origins.add_target(color, target, occupied);
        }
        origins.combined()
    }

    /// Adds a target for all kinds but horse and dragon.
    #[inline(always)]
    fn add_target(&mut self, color: Color, target: Square, occupied: Bitboard) {
        // A piece attacks a square from where one of the opponent's on that square attacks it.
        let (them, sets) = (!color, &mut self.0);
        sets[PAWN] |= pawn(them, target);
        sets[LANCE] |= sliders::lance(them, target, occupied);
        sets[KNIGHT] |= knight(them, target);
        sets[SILVER] |= silver(them, target);
        sets[GOLD] |= gold(them, target);
        sets[BISHOP] |= sliders::bishop(target, occupied);
        sets[ROOK] |= sliders::rook(target, occupied);
        sets[KING] |= king(target);
    }

    /// Horse and dragon from the others.
    #[inline(always)]
    fn combined(mut self) -> Self {
        self.0[HORSE] = self.0[BISHOP] | self.0[KING];
        self.0[DRAGON] = self.0[ROOK] | self.0[KING];
        self
    }

    /// Restricts the squares of one target to those that attack `neighbour` as well, a square next
    /// to it. Blockers on the way there are ignored: the result is a superset.
    #[inline(always)]
    #[must_use]
    pub fn and_neighbour(mut self, color: Color, neighbour: Square) -> Self {
        let (them, cross, diagonals) = (!color, rook_cross(neighbour), bishop_cross(neighbour));
        let sets = &mut self.0;
        // A pawn attacks one square, a knight two that are no neighbours.
        sets[PAWN] = Bitboard::EMPTY;
        sets[KNIGHT] = Bitboard::EMPTY;
        sets[LANCE] &= Bitboard::file_of(neighbour);
        sets[SILVER] &= silver(them, neighbour);
        sets[GOLD] &= gold(them, neighbour);
        sets[BISHOP] &= diagonals;
        sets[ROOK] &= cross;
        sets[KING] &= king(neighbour);
        sets[HORSE] &= diagonals | king(neighbour);
        sets[DRAGON] &= cross | king(neighbour);
        self
    }

    /// The squares from which a piece of `kind` attacks the targets.
    #[inline(always)]
    pub fn by(&self, kind: PieceType) -> Bitboard {
        self.0[usize::from(INDICES[kind])]
    }

    /// The squares from which any piece but a king attacks the targets.
    #[inline(always)]
    pub fn by_any(&self) -> Bitboard {
        // The steps of all others are a king's. A lance on the neighbour itself is no rook's square.
        let sets = &self.0;
        sets[HORSE] | sets[DRAGON] | sets[KNIGHT] | sets[LANCE]
    }
}
