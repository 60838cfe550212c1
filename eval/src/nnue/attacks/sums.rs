//! The sums of the rows of attack inputs.
//!
//! The inputs of the last evaluations are kept with their sums. Positions that a search
//! evaluates one after the other differ by a few moves, wherever they are in the tree, and a
//! zone often by fewer squares from one of the last seven than from the last (4.8 and 9.1 on
//! the mean). Rows are in an order that does not depend on the view: both views change by the
//! same numbers.

use std::collections::TryReserveError;

use enbu_movegen::{Color, PieceType, Position};

use super::{Attacks, CLASSES, Change, LANES, NO_ZONES, OUTSIDE, Order, PIECES, ZONE, pair};
use crate::nnue::features::{FeatureSet, View};
use crate::nnue::memory::Block;
use crate::nnue::simd::{Kernels, Zones};

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
    /// The sums of pairs: Black's, then White's; and those before the update.
    pairs: [Block<i16>; 2],
    /// The zones of the last evaluations, and the mirroring of both views.
    zones: [(Zones, [usize; 2]); Self::KEPT],
    /// Their sums: Black's, then White's.
    zone_sums: Block<i16>,
    /// The evaluation among these that is replaced next.
    next: usize,
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
    pub(crate) fn new(rows: &AttackRows) -> Result<Self, TryReserveError> {
        let width = rows.width;
        Ok(Self {
            attacks: Attacks::NONE,
            pairs: [Block::zeroed(2 * width)?, Block::zeroed(2 * width)?],
            zones: [(NO_ZONES, [0; 2]); Self::KEPT],
            zone_sums: Block::zeroed(2 * width * Self::KEPT)?,
            next: 0,
            totals: Block::zeroed(2 * width)?,
            width,
            changes: Box::new(Changes::NONE),
        })
    }

    /// Evaluations whose zones are kept, and one that is being computed.
    const KEPT: usize = 8;

    /// Computes the totals of `position` from the sums of its pieces, Black's first.
    #[inline(always)]
    pub(crate) fn update<K: Kernels>(
        &mut self,
        kernels: K,
        rows: &AttackRows,
        position: &Position,
        pieces: [&[i16]; 2],
    ) {
        let changes = self.changes.list_pairs(kernels, &mut self.attacks, position);
        if !changes.is_empty() {
            self.pairs.swap(0, 1);
            let [new, old] = &mut self.pairs;
            kernels.exchange(&rows.pairs, old, new, changes);
        }
        let kings = Color::ALL.map(|color| position.king(color));
        let slots = Color::ALL.map(|color| View::new(FeatureSet::Mirrored, color, kings[color]).slot);
        self.update_zones(kernels, rows, self.attacks.zones(kernels, kings), slots);
        let zones = self.zone_sums[2 * self.width * self.next..].chunks_exact(self.width);
        self.next = (self.next + 1) % Self::KEPT;
        let sums = zones.zip(self.pairs[0].chunks_exact(self.width));
        for ((totals, pieces), (zones, pairs)) in self.totals.chunks_exact_mut(self.width).zip(pieces).zip(sums) {
            kernels.add_sums(pieces, zones, pairs, totals);
        }
    }

    /// Computes the sums of `zones` from those of the kept evaluation that differs least.
    #[inline(always)]
    fn update_zones<K: Kernels>(&mut self, kernels: K, rows: &AttackRows, zones: Zones, slots: [usize; 2]) {
        let nearest = self.nearest(kernels, &zones, slots);
        let changes = self.changes.list_zones(kernels, &self.zones[nearest].0, &zones);
        self.zones[self.next] = (zones, slots);
        let (width, size) = (self.width, 2 * self.width);
        let [from, to] = [nearest, self.next].map(|kept| size * kept..size * (kept + 1));
        let Ok([source, target]) = self.zone_sums.get_disjoint_mut([from, to]) else { return };
        let sides = source.chunks_exact(width).zip(target.chunks_exact_mut(width));
        for (color, (source, target)) in Color::ALL.into_iter().zip(sides) {
            kernels.exchange(&rows.zones[color][slots[color] & 1], source, target, changes);
        }
    }

    /// The kept evaluation, except the next to be replaced, whose zones differ least.
    #[inline(always)]
    fn nearest<K: Kernels>(&mut self, kernels: K, zones: &Zones, slots: [usize; 2]) -> usize {
        let mut nearest = (u32::MAX, (self.next + 1) % Self::KEPT);
        for (at, (kept, kept_slots)) in self.zones.iter().enumerate() {
            let distance = kernels.differences(kept, zones).count_ones();
            if distance < nearest.0 && *kept_slots == slots && at != self.next {
                nearest = (distance, at);
            }
        }
        let (distance, nearest) = nearest;
        if distance == u32::MAX {
            self.zones[nearest] = (NO_ZONES, slots);
            self.zone_sums[2 * self.width * nearest..][..2 * self.width].fill(0);
        }
        nearest
    }

    /// The totals that the last [`update`](Self::update) computed, `color`'s first.
    #[inline]
    pub(crate) fn totals(&self, color: Color) -> [&[i16]; 2] {
        [color, !color].map(|color| &self.totals[color as usize * self.width..][..self.width])
    }
}
