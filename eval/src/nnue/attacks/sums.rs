//! The sums of the rows of attack inputs.
//!
//! The inputs of the last evaluation are kept with their sums. Positions that a search
//! evaluates one after the other differ by a few moves, wherever they are in the tree.
//! Pairs have no squares: both views change together. The sums of zones are kept for both
//! mirrorings of a view.

use std::collections::TryReserveError;

use enbu_movegen::{Color, Position};

use super::{Attacks, NO_ZONES, Order, PIECES, ZONE_INPUTS, pair};
use crate::nnue::features::{FeatureSet, View};
use crate::nnue::memory::Block;
use crate::nnue::simd::{Kernels, LANES, Zones};

/// The rows of the attack inputs.
#[derive(Debug)]
pub(crate) struct AttackRows {
    /// Rows of the zones' inputs, and one of zeros for squares outside the board.
    zones: Block<i16>,
    /// For each attacker and victim by code the row in Black's view, then that in White's.
    pairs: Block<i16>,
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
                let row = &rows[pair(color, attacker, victim) * width..][..width];
                target.iter_mut().zip(row).for_each(|(word, &weight)| *word = weight.into());
            }
        }
        let mut zones = Block::zeroed((ZONE_INPUTS + 1) * width)?;
        zones.iter_mut().zip(&rows[..ZONE_INPUTS * width]).for_each(|(word, &weight)| *word = weight.into());
        Ok(Self { zones, pairs, width })
    }
}

/// The sums of the last evaluation, and memory to update them.
#[derive(Clone, Debug)]
pub(crate) struct AttackSums {
    attacks: Attacks,
    /// The sums of pairs: Black's, then White's; and those before the update.
    pairs: [Block<i16>; 2],
    /// For each side and mirroring the zones of the last evaluation.
    zones: [[Zones; 2]; 2],
    /// Their sums.
    zone_sums: Block<i16>,
    /// Sums of pieces and attacks: Black's, then White's.
    totals: Block<i16>,
    width: usize,
    removed: Box<List>,
    added: Box<List>,
}

/// A list of pairs, each at most once.
#[derive(Clone, Debug)]
struct List {
    rows: [u32; Self::ROOM],
    len: usize,
}

impl List {
    const ROOM: usize = (PIECES * PIECES).next_power_of_two();
    const EMPTY: Self = Self { rows: [0; Self::ROOM], len: 0 };

    #[inline(always)]
    fn push(&mut self, row: u32) {
        self.rows[self.len % Self::ROOM] = row;
        self.len += 1;
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u32] {
        &self.rows[..self.len.min(Self::ROOM)]
    }
}

impl AttackSums {
    /// Sums of no attacks.
    ///
    /// # Errors
    /// When they cannot be allocated.
    pub(crate) fn new(rows: &AttackRows) -> Result<Self, TryReserveError> {
        let width = rows.width;
        Ok(Self {
            attacks: Attacks::NONE,
            pairs: [Block::zeroed(2 * width)?, Block::zeroed(2 * width)?],
            zones: [[NO_ZONES; 2]; 2],
            zone_sums: Block::zeroed(4 * width)?,
            totals: Block::zeroed(2 * width)?,
            width,
            removed: Box::new(List::EMPTY),
            added: Box::new(List::EMPTY),
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
        let Self { attacks, removed, added, pairs: [new, old], .. } = self;
        (removed.len, added.len) = (0, 0);
        attacks.update(kernels, position, |pair| removed.push(pair), |pair| added.push(pair));
        if removed.len + added.len > 0 {
            std::mem::swap(new, old);
            kernels.update(&rows.pairs, old, new, (removed.as_slice(), added.as_slice()));
        }
        let kings = Color::ALL.map(|color| position.king(color));
        let zones = attacks.zones(kernels, kings);
        let width = self.width;
        let (pairs, totals) = (self.pairs[0].chunks_exact(width), self.totals.chunks_exact_mut(width));
        let sides = Color::ALL.into_iter().zip(pieces).zip(pairs.zip(totals));
        let mut sums = self.zone_sums.chunks_exact_mut(width);
        for ((color, pieces), (pairs, totals)) in sides {
            let slot = View::new(FeatureSet::Mirrored, color, kings[color]).slot();
            let sums = match (sums.next(), sums.next()) {
                (Some(sums), _) if slot == 0 => sums,
                (_, Some(sums)) => sums,
                _ => return,
            };
            let old = &mut self.zones[color][slot];
            let differing = kernels.differences(old, &zones);
            if differing != 0 {
                let mut pairs = [[0; 2]; 2 * LANES];
                let count = list_changes(differing, Order::of(color, slot), [old, &zones], &mut pairs);
                kernels.exchange(&rows.zones, sums, &pairs[..count]);
                *old = zones;
            }
            kernels.add_sums(pieces, sums, pairs, totals);
        }
    }

    /// The totals that the last [`update`](Self::update) computed, `color`'s first.
    #[inline]
    pub(crate) fn totals(&self, color: Color) -> [&[i16]; 2] {
        [color, !color].map(|color| &self.totals[color as usize * self.width..][..self.width])
    }
}

/// Lists the old and the new input of each of the `differing` squares; returns their number.
#[inline(always)]
fn list_changes(mut differing: u64, order: &Order, zones: [&Zones; 2], pairs: &mut [[u32; 2]; 2 * LANES]) -> usize {
    for (count, pair) in pairs.iter_mut().enumerate() {
        if differing == 0 {
            return count;
        }
        let square = differing.trailing_zeros() as usize;
        differing &= differing - 1;
        *pair = order.zone(square, zones.map(|zones| zones[square]));
    }
    pairs.len()
}
