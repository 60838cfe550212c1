//! The order in which shards and their positions are trained on.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The order of a training: each epoch passes over all shards in a new order.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    seed: u64,
    epochs: u64,
    /// Positions of a batch.
    pub(super) size: usize,
    /// Batches of each shard; its last positions that fill none are left out.
    batches: Vec<u64>,
}

/// The shard and the part of it that a batch belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the pass over a shard, from 0.
    pub(super) pass: u64,
    pub(super) shard: usize,
    /// The number of the batch within the pass, from 0.
    pub(super) batch: u64,
    /// The first batch of the next pass.
    pub(super) end: u64,
}

impl Schedule {
    /// A schedule of batches of `size` positions, at least one for each shard of these `sizes`.
    pub(super) fn new(seed: u64, epochs: u64, size: usize, sizes: impl Iterator<Item = usize>) -> Self {
        let batches = sizes.map(|positions| (positions / size.max(1)).max(1) as u64).collect();
        Self { seed, epochs, size, batches }
    }

    fn per_epoch(&self) -> u64 {
        self.batches.iter().sum::<u64>().max(1)
    }

    pub(super) fn len(&self) -> u64 {
        self.epochs * self.per_epoch()
    }

    fn random(&self, number: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number))
    }

    /// The place of a batch; `None` after the last.
    pub(super) fn place(&self, batch: u64) -> Option<Place> {
        let (epoch, mut left) = (batch / self.per_epoch(), batch % self.per_epoch());
        let mut shards: Vec<usize> = (0..self.batches.len()).collect();
        // Numbers from the other end than those of the passes.
        shards.shuffle(&mut self.random(!epoch));
        let passes = (epoch * shards.len() as u64..).zip(shards);
        for (pass, shard) in passes.filter(|_| epoch < self.epochs) {
            let length = self.batches[shard];
            if left < length {
                return Some(Place { pass, shard, batch: left, end: batch - left + length });
            }
            left -= length;
        }
        None
    }

    /// The positions of a shard in the order of a pass.
    pub(super) fn order(&self, pass: u64, positions: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..positions as u32).collect();
        order.shuffle(&mut self.random(pass));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_passes_over_each_shard_in_a_new_order() {
        let schedule = Schedule::new(7, 6, 10, [59, 30, 7, 40].into_iter());
        assert_eq!((schedule.batches.as_slice(), schedule.len()), ([5, 3, 1, 4].as_slice(), 78));
        let mut orders = Vec::new();
        let mut batch = 0;
        for epoch in 0..6 {
            let mut order = Vec::new();
            for pass in 4 * epoch..4 * epoch + 4 {
                let place = schedule.place(batch).expect("a batch");
                let expected = Place { pass, batch: 0, end: batch + schedule.batches[place.shard], ..place };
                assert_eq!(place, expected);
                for later in batch..place.end {
                    assert_eq!(schedule.place(later), Some(Place { batch: later - batch, ..place }));
                }
                (batch, order) = (place.end, [order, vec![place.shard]].concat());
            }
            orders.push(order.clone());
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3]);
        }
        assert_eq!((batch, schedule.place(batch)), (78, None));
        orders.dedup();
        assert!(orders.len() > 1, "{orders:?}");
        let mut sorted = schedule.order(0, 50);
        assert_ne!(sorted, schedule.order(1, 50));
        assert_ne!(sorted, Schedule::new(8, 6, 10, [59, 30, 7, 40].into_iter()).order(0, 50));
        sorted.sort_unstable();
        assert!((0..50).eq(sorted));
    }
}
