//! The sums of the rows of attack inputs.
//!
//! The inputs of the last evaluations are kept with their sums. Positions that a search
//! evaluates one after the other differ by a few moves, wherever they are in the tree, and a
//! zone often by fewer squares from one of the last seven than from the last (4.8 and 9.1 on
//! the mean). Time goes into reading rows: those of 256 columns miss the first-level cache, and a
//! copy for each view, although its numbers need no translation, missed the second.

use std::collections::TryReserveError;

use enbu_movegen::{Color, PieceType, Position};

use super::{Attacks, CLASSES, NO_ZONES, Order, PIECES, Pairs, ZONE, for_each_bit, pair};
use crate::nnue::features::{FeatureSet, View};
use crate::nnue::memory::Block;
use crate::nnue::simd::{Kernels, LANES, Simd, Zones};

/// The first layer's rows for attacks. For each square of both zones those of its classes and one of
/// zeros, for a square outside the board; then for each attacker and victim by code that in Black's
/// view. A byte is its weight plus 128.
#[derive(Debug)]
pub(crate) struct AttackRows {
    rows: Block<u8>,
    width: usize,
}

/// Rows of zones.
const ZONE_ROWS: usize = 2 * ZONE * (CLASSES + 1);
/// Codes of pieces, with gaps.
const CODES: usize = 32;
/// A row of zeros: no piece has the code of the victim.
const NO_PAIR: u32 = ZONE_ROWS as u32 + PieceType::COUNT as u32;

/// The rows of a pair in Black's view and in White's, where both codes change sides.
#[inline(always)]
fn pair_rows(attacker: usize, victim: usize) -> [u32; 2] {
    let code = CODES * attacker + victim;
    [code, code ^ (16 * CODES + 16)].map(|code| (ZONE_ROWS + code) as u32)
}

impl AttackRows {
    /// The rows in the order of a file, `width` weights each, their columns placed for these kernels.
    pub(crate) fn new(weights: &[i8], width: usize, simd: Simd) -> Result<Self, TryReserveError> {
        let mut rows = Block::zeroed((ZONE_ROWS + CODES * CODES) * width)?;
        let weights: &[u8] = bytemuck::cast_slice(weights);
        let (zones, pairs) = rows.split_at_mut(ZONE_ROWS * width);
        let squares = zones.chunks_exact_mut((CLASSES + 1) * width).zip(weights.chunks_exact(CLASSES * width));
        squares.for_each(|(square, weights)| square[..weights.len()].copy_from_slice(weights));
        for (code, target) in pairs.chunks_exact_mut(width).enumerate() {
            let (attacker, victim) = (code / CODES, code % CODES);
            if attacker % 16 < PieceType::COUNT && victim % 16 < PieceType::COUNT {
                target.copy_from_slice(&weights[pair(0, attacker, victim) * width..][..width]);
            }
        }
        rows.iter_mut().for_each(|weight| *weight ^= 128);
        let places: Vec<usize> = (0..width / 8).map(|eight| simd.place_of(width, eight)).collect();
        let mut row = vec![[0; 8]; places.len()];
        for eights in rows.as_chunks_mut().0.chunks_exact_mut(places.len()) {
            places.iter().zip(&*eights).for_each(|(&place, &eight)| row[place] = eight);
            eights.copy_from_slice(&row);
        }
        Ok(Self { rows, width })
    }
}

/// The attack inputs of an evaluation.
#[derive(Clone, Copy, Debug)]
struct Inputs {
    zones: Zones,
    /// The mirroring of both views.
    slots: [usize; 2],
    pairs: Pairs,
}

/// The sums of the last evaluations, and memory to update them.
#[derive(Clone, Debug)]
pub(crate) struct AttackSums {
    attacks: Attacks,
    /// The inputs of the last evaluations.
    inputs: [Inputs; Self::KEPT],
    /// The sums of their rows: Black's, then White's.
    sums: Block<i16>,
    /// The last evaluation among these; the one after it is replaced next.
    last: usize,
    /// Sums of pieces and attacks, if they were asked for.
    totals: Block<i16>,
    width: usize,
    changes: Box<Changes>,
}

/// For both views pairs of rows: one to subtract, one to add. Both have the same number of each, since
/// an input that only one view knows by another number is exchanged for itself in the other.
#[derive(Clone, Debug)]
struct Changes {
    rows: [[[u32; 2]; Self::ROOM]; 2],
}

impl Changes {
    /// Zones change in each square, and each pair at most once.
    const ROOM: usize = (2 * ZONE + PIECES * PIECES).next_power_of_two();

    /// Lists the changes from `old` to `new`.
    #[inline(always)]
    fn list<K: Kernels>(&mut self, kernels: K, old: &Inputs, new: &Inputs) -> [&[[u32; 2]]; 2] {
        let differing = if old.slots == new.slots { kernels.differences(&old.zones, &new.zones) } else { SQUARES };
        let orders = Color::ALL.map(|color| [old, new].map(|inputs| Order::of(color, inputs.slots[color])));
        let mut zones = 0;
        for_each_bit(differing, |square| {
            for (rows, [before, after]) in self.rows.iter_mut().zip(orders) {
                rows[zones % Self::ROOM] =
                    [before.row(square, old.zones[square]), after.row(square, new.zones[square])];
            }
            zones += 1;
        });
        let mut counts = [zones; 2];
        let mut push = |counts: &mut [usize; 2], side: usize, [black, white]: [u32; 2]| {
            let at = counts[side] % Self::ROOM;
            (self.rows[0][at][side], self.rows[1][at][side]) = (black, white);
            counts[side] += 1;
        };
        let [old_halves, new_halves]: [[Zones; 2]; 2] = [old, new].map(|inputs| bytemuck::cast(inputs.pairs));
        for half in 0..2 {
            let mut differing = kernels.differences(&old_halves[half], &new_halves[half]);
            while differing != 0 {
                let place = differing.trailing_zeros() / 4;
                differing &= !(15 << (4 * place));
                let attacker = 16 * half + place as usize;
                let (old, new) = (old.pairs[attacker], new.pairs[attacker]);
                for (side, set) in [old & !new, new & !old].into_iter().enumerate() {
                    for_each_bit(set.into(), |victim| push(&mut counts, side, pair_rows(attacker, victim)));
                }
            }
        }
        let [removed, added] = counts;
        (removed..added).for_each(|_| push(&mut counts, 0, [NO_PAIR; 2]));
        (added..removed).for_each(|_| push(&mut counts, 1, [NO_PAIR; 2]));
        self.rows.each_ref().map(|rows| &rows[..counts[0].min(Self::ROOM)])
    }
}

/// The squares of both zones, as bits.
const SQUARES: u64 = {
    let zone = (1 << ZONE) - 1;
    zone | zone << LANES
};

impl AttackSums {
    /// Sums of no attacks.
    pub(crate) fn new(rows: &AttackRows) -> Result<Self, TryReserveError> {
        let width = rows.width;
        Ok(Self {
            attacks: Attacks::NONE,
            inputs: [Inputs { zones: NO_ZONES, slots: [0; 2], pairs: [0; 32] }; Self::KEPT],
            sums: Block::zeroed(2 * width * Self::KEPT)?,
            last: 0,
            totals: Block::zeroed(2 * width)?,
            width,
            changes: Box::new(Changes { rows: [[[0; 2]; Changes::ROOM]; 2] }),
        })
    }

    /// Evaluations that are kept, and one that is being computed.
    const KEPT: usize = 8;

    /// Computes the sums of `position`.
    #[inline(always)]
    pub(crate) fn update<K: Kernels>(&mut self, kernels: K, rows: &AttackRows, position: &Position) {
        self.attacks.update(kernels, position);
        let kings = Color::ALL.map(|color| position.king(color));
        let slots = Color::ALL.map(|color| View::new(FeatureSet::Mirrored, color, kings[color]).slot);
        let new = Inputs { zones: self.attacks.zones(kernels, kings), slots, pairs: self.attacks.pairs };
        let next = (self.last + 1) % Self::KEPT;
        let nearest = self.nearest(kernels, &new, next);
        let changes = self.changes.list(kernels, &self.inputs[nearest], &new);
        self.inputs[next] = new;
        let width = self.width;
        for (view, changes) in changes.into_iter().enumerate() {
            let [from, to] = [nearest, next].map(|kept| width * (2 * kept + view));
            let Ok([source, target]) = self.sums.get_disjoint_mut([from..from + width, to..to + width]) else { return };
            kernels.exchange(&rows.rows, source, target, changes);
        }
        self.last = next;
    }

    /// The kept evaluation, except number `next`, whose zones differ least.
    #[inline(always)]
    fn nearest<K: Kernels>(&self, kernels: K, new: &Inputs, next: usize) -> usize {
        let mut nearest = (u32::MAX, 0);
        for (at, kept) in self.inputs.iter().enumerate() {
            let mut distance = kernels.differences(&kept.zones, &new.zones).count_ones();
            if kept.slots != new.slots {
                distance += 2 * ZONE as u32;
            }
            if distance < nearest.0 && at != next {
                nearest = (distance, at);
            }
        }
        nearest.1
    }

    /// The sums that the last [`update`](Self::update) computed, `color`'s first.
    #[inline]
    pub(crate) fn sums(&self, color: Color) -> [&[i16]; 2] {
        // Not by `map`, which is compiled apart.
        let of = |color| &self.sums[self.width * (2 * self.last + color as usize)..][..self.width];
        [of(color), of(!color)]
    }

    /// These sums plus those of `pieces`, `color`'s first.
    #[inline(always)]
    pub(crate) fn totals<K: Kernels>(&mut self, kernels: K, color: Color, pieces: [&[i16]; 2]) -> [&[i16]; 2] {
        let Self { sums, totals, last, width, .. } = self;
        let (own, enemy) = totals.split_at_mut(*width);
        for ((total, pieces), color) in [&mut *own, &mut *enemy].into_iter().zip(pieces).zip([color, !color]) {
            kernels.add_sums(pieces, &sums[*width * (2 * *last + color as usize)..][..*width], total);
        }
        [own, enemy]
    }
}
