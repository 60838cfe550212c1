//! The sums of the rows of attack inputs.
//!
//! The inputs of the last evaluation are kept with their sums. Positions that a search
//! evaluates one after the other differ by a few moves, wherever they are in the tree.
//! Rows are in an order that does not depend on the view: both views change by the same
//! numbers. The sums of zones are kept for both mirrorings of a view.

use std::collections::TryReserveError;

use enbu_movegen::{Color, PieceType, Position};

use super::{Attacks, CLASSES, Change, LANES, NO_ZONES, OUTSIDE, Order, PIECES, ZONE, pair};
use crate::nnue::features::{FeatureSet, View};
use crate::nnue::memory::Block;
use crate::nnue::simd::{Kernels, Zones};

/// The rows of the attack inputs.
#[derive(Debug)]
pub(crate) struct AttackRows {
    /// For each colour and mirroring of its view: for each square of [`Zones`] the rows of its
    /// classes, and one of zeros for squares outside the board.
    zones: [[Block<i8>; 2]; 2],
    /// For each attacker and victim by code the row in Black's view, then that in White's.
    pairs: Block<i8>,
    width: usize,
}

/// Codes of pieces, with gaps.
const CODES: usize = 32;

impl AttackRows {
    /// The rows in the order of a file, `width` weights each.
    ///
    /// # Errors
    /// When they cannot be allocated.
    pub(crate) fn new(rows: &[i8], width: usize) -> Result<Self, TryReserveError> {
        let mut pairs = Block::zeroed(CODES * CODES * 2 * width)?;
        for (index, target) in pairs.chunks_exact_mut(width).enumerate() {
            let (attacker, victim, color) = (index / 2 / CODES, index / 2 % CODES, index % 2);
            if attacker % 16 < 14 && victim % 16 < 14 {
                target.copy_from_slice(&rows[pair(color, attacker, victim) * width..][..width]);
            }
        }
        let zones = |color, slot| zone_rows(rows, width, Order::of(color, slot));
        let zones =
            [[zones(Color::Black, 0)?, zones(Color::Black, 1)?], [zones(Color::White, 0)?, zones(Color::White, 1)?]];
        Ok(Self { zones, pairs, width })
    }
}

/// The rows of zones in the order of [`row_of`].
fn zone_rows(rows: &[i8], width: usize, order: &Order) -> Result<Block<i8>, TryReserveError> {
    let mut zones = Block::zeroed((CLASSES + 1) * 2 * LANES * width)?;
    for square in (0..2 * LANES).filter(|square| square % LANES < ZONE) {
        for class in 0..OUTSIDE {
            let from = usize::from(order.zone(square, class)) * width;
            let to = row_of(square, class) as usize * width;
            zones[to..to + width].copy_from_slice(&rows[from..from + width]);
        }
    }
    Ok(zones)
}

/// The row of a square of [`Zones`] in a class.
#[inline(always)]
const fn row_of(square: usize, class: u8) -> u32 {
    (CLASSES as u32 + 1) * square as u32 + class as u32
}

/// The sums of the last evaluation, and memory to update them.
#[derive(Clone, Debug)]
pub(crate) struct AttackSums {
    attacks: Attacks,
    /// The sums of pairs: Black's, then White's.
    pairs: Block<i16>,
    /// For each side and mirroring the sums of zones.
    zone_sums: [[Block<i16>; 2]; 2],
    /// The zones of the last evaluation, and the mirroring of each side.
    zones: Zones,
    slots: [usize; 2],
    /// For each side the zones of the sums of the other mirroring.
    other_zones: [Zones; 2],
    /// Sums of pieces and attacks: Black's, then White's.
    totals: Block<i16>,
    width: usize,
    changes: Box<Changes>,
}

/// Rows to subtract and rows to add: of pairs, each at most once, or of the squares of zones.
#[derive(Clone, Debug)]
struct Changes {
    rows: [[u32; 2]; Self::ROOM],
    counts: [usize; 2],
}

impl Changes {
    const ROOM: usize = (PIECES * PIECES).next_power_of_two();
    const NONE: Self = Self { rows: [[0; 2]; Self::ROOM], counts: [0; 2] };

    #[inline(always)]
    fn push(&mut self, change: Change, row: u32) {
        let count = &mut self.counts[change as usize];
        self.rows[*count % Self::ROOM][change as usize] = row;
        *count += 1;
    }

    /// Lists the rows of the pairs that change on the way to `position`.
    #[inline(always)]
    fn list_pairs<K: Kernels>(&mut self, kernels: K, attacks: &mut Attacks, position: &Position) -> &[[u32; 2]] {
        self.counts = [0; 2];
        attacks.update(kernels, position, |change, pair| self.push(change, pair));
        let [removed, added] = self.counts;
        for count in removed..added {
            self.rows[count % Self::ROOM][0] = NO_PAIR;
        }
        for count in added..removed {
            self.rows[count % Self::ROOM][1] = NO_PAIR;
        }
        &self.rows[..removed.max(added).min(Self::ROOM)]
    }

    /// Lists the rows of the zones that differ.
    #[inline(always)]
    fn list_zones<K: Kernels>(&mut self, kernels: K, old: &Zones, new: &Zones) -> &[[u32; 2]] {
        let mut differing = kernels.differences(old, new);
        let mut count = 0;
        while differing != 0 {
            let square = differing.trailing_zeros() as usize;
            differing &= differing - 1;
            self.rows[count % Self::ROOM] = [row_of(square, old[square]), row_of(square, new[square])];
            count += 1;
        }
        &self.rows[..count.min(Self::ROOM)]
    }
}

/// A row of zeros: kinds have codes with gaps.
const NO_PAIR: u32 = PieceType::COUNT as u32;

impl AttackSums {
    /// Sums of no attacks.
    ///
    /// # Errors
    /// When they cannot be allocated.
    pub(crate) fn new(rows: &AttackRows) -> Result<Self, TryReserveError> {
        let width = rows.width;
        let sums = || Block::zeroed(width);
        Ok(Self {
            attacks: Attacks::NONE,
            pairs: Block::zeroed(2 * width)?,
            zone_sums: [[sums()?, sums()?], [sums()?, sums()?]],
            zones: NO_ZONES,
            slots: [0; 2],
            other_zones: [NO_ZONES; 2],
            totals: Block::zeroed(2 * width)?,
            width,
            changes: Box::new(Changes::NONE),
        })
    }

    /// Computes the totals of `position` from the sums of its pieces, Black's first.
    #[inline(always)]
    pub(crate) fn update<K: Kernels>(
        &mut self,
        kernels: K,
        rows: &AttackRows,
        position: &Position,
        pieces: [&[i16]; 2],
    ) {
        kernels.exchange(&rows.pairs, &mut self.pairs, self.changes.list_pairs(kernels, &mut self.attacks, position));
        let kings = Color::ALL.map(|color| position.king(color));
        let zones = self.attacks.zones(kernels, kings);
        let slots = Color::ALL.map(|color| View::new(FeatureSet::Mirrored, color, kings[color]).slot());
        for color in Color::ALL {
            if slots[color] != self.slots[color] {
                self.turn(kernels, rows, color);
            }
        }
        let changes = self.changes.list_zones(kernels, &self.zones, &zones);
        let totals = self.totals.chunks_exact_mut(self.width);
        let sides = Color::ALL.into_iter().zip(pieces).zip(self.pairs.chunks_exact(self.width).zip(totals));
        for ((color, pieces), (pairs, totals)) in sides {
            let sums = &mut self.zone_sums[color][slots[color] & 1];
            kernels.exchange(&rows.zones[color][slots[color] & 1], sums, changes);
            kernels.add_sums(pieces, sums, pairs, totals);
        }
        self.zones = zones;
    }

    /// Mirrors the view of `color`, and brings the sums of this mirroring to the zones of the
    /// last evaluation.
    #[cold]
    #[inline(always)]
    fn turn<K: Kernels>(&mut self, kernels: K, rows: &AttackRows, color: Color) {
        let slot = self.slots[color] ^ 1;
        let old = std::mem::replace(&mut self.other_zones[color], self.zones);
        let changes = self.changes.list_zones(kernels, &old, &self.zones);
        kernels.exchange(&rows.zones[color][slot & 1], &mut self.zone_sums[color][slot & 1], changes);
        self.slots[color] = slot;
    }

    /// The totals that the last [`update`](Self::update) computed, `color`'s first.
    #[inline]
    pub(crate) fn totals(&self, color: Color) -> [&[i16]; 2] {
        [color, !color].map(|color| &self.totals[color as usize * self.width..][..self.width])
    }
}
