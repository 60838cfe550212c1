//! Pairings and openings of all games, as the seed decides.
//!
//! A *round* is one opening, played by every pairing of engines; a *pair* is its two
//! games with colours swapped. Pairs are numbered through the rounds, so that any part
//! of a match (a shard, the rest of an interrupted one) follows from its number alone.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The pairings of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tournament {
    /// Everybody plays everybody.
    RoundRobin,
    /// The first engine plays each of the others.
    Gauntlet,
}

/// Order of the openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpeningOrder {
    /// Shuffled by the seed.
    Random,
    /// As in the file.
    Sequential,
}

/// One pair of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its number, from 0.
    pub number: usize,
    /// The two engines, by index; the first one moves first in the first game.
    pub engines: [usize; 2],
    /// The opening, by index.
    pub opening: usize,
}

/// The pairs of a match.
#[derive(Clone, Debug)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    openings: Vec<usize>,
    rounds: usize,
    part: (u64, u64),
}

impl Schedule {
    /// `rounds` rounds between `engines` engines on `openings` openings, which are
    /// taken again from the first when they run out. `part` holds the number of the first pair to
    /// play and the distance to the next: (0, 1) for the whole match.
    pub fn new(
        engines: usize,
        format: Tournament,
        rounds: usize,
        openings: usize,
        order: OpeningOrder,
        seed: u64,
        part: (u64, u64),
    ) -> Self {
        let all = (0..engines).flat_map(|first| (first + 1..engines).map(move |second| [first, second]));
        let pairings = all.filter(|pair| format == Tournament::RoundRobin || pair[0] == 0).collect();
        let mut openings: Vec<usize> = (0..openings).collect();
        if order == OpeningOrder::Random {
            openings.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        }
        Self { pairings, openings, rounds, part }
    }

    /// The pairs of this part, in the order they should be played.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        let count = if self.openings.is_empty() { 0 } else { self.rounds * self.pairings.len() };
        let [first, distance] = [self.part.0, self.part.1].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        (first..count).step_by(distance.max(1)).map(|number| {
            let round = number / self.pairings.len();
            let engines = self.pairings[number % self.pairings.len()];
            Pair { number, engines, opening: self.openings[round % self.openings.len()] }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const WHOLE: (u64, u64) = (0, 1);

    fn schedule(engines: usize, format: Tournament, seed: u64, part: (u64, u64)) -> Vec<Pair> {
        Schedule::new(engines, format, 6, 4, OpeningOrder::Random, seed, part).pairs().collect()
    }

    #[test]
    fn every_pairing_plays_every_round_on_the_same_opening() {
        let pairs = schedule(4, Tournament::RoundRobin, 1, WHOLE);
        assert_eq!(pairs.len(), 36);
        for (number, pair) in pairs.iter().enumerate() {
            assert_eq!(pair.number, number);
            assert!(pair.engines[0] < pair.engines[1]);
            assert_eq!(pair.opening, pairs[number / 6 * 6].opening);
        }
        let round: HashSet<_> = pairs[..6].iter().map(|pair| pair.engines).collect();
        assert_eq!(round.len(), 6);
        let openings: HashSet<_> = pairs[..24].iter().map(|pair| pair.opening).collect();
        assert_eq!(openings.len(), 4);
        assert_eq!(pairs[0].opening, pairs[24].opening);
    }

    #[test]
    fn in_a_gauntlet_only_the_first_meets_everybody() {
        let pairs = schedule(4, Tournament::Gauntlet, 1, WHOLE);
        assert_eq!(pairs.len(), 18);
        assert!(pairs.iter().all(|pair| pair.engines[0] == 0));
    }

    #[test]
    fn shards_are_disjoint_and_make_up_the_match() {
        let whole = schedule(3, Tournament::RoundRobin, 9, WHOLE);
        let parts = (0..4).map(|first| (first, 4));
        let mut shards: Vec<Pair> = parts.flat_map(|part| schedule(3, Tournament::RoundRobin, 9, part)).collect();
        shards.sort_by_key(|pair| pair.number);
        assert_eq!(shards, whole);
        assert_ne!(schedule(3, Tournament::RoundRobin, 10, WHOLE), whole);
    }

    #[test]
    fn openings_can_be_taken_in_order() {
        let order = OpeningOrder::Sequential;
        let pairs = Schedule::new(2, Tournament::RoundRobin, 5, 3, order, 1, WHOLE);
        assert_eq!(pairs.pairs().map(|pair| pair.opening).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
        let none = Schedule::new(2, Tournament::RoundRobin, 5, 0, order, 1, WHOLE);
        assert_eq!(none.pairs().count(), 0);
    }
}
