//! Pairings of a Swiss round.
//!
//! From the top of the standings down, each engine meets the one with the nearest score;
//! among equals the one half of their group below, so that a first round pairs the upper half
//! of the list with the lower. A pairing is taken only if the rest can still be paired with
//! the least number of repeated meetings that all engines allow. An odd number has a bye,
//! which counts as the last of the standings.
//!
//! That number follows from the largest matching among the engines that have not met. Its
//! size is half the rank of the Tutte matrix, with random numbers for the variables (Lovász,
//! 1979): the rank is too small with a probability below 1e-7, and never too large.

use std::cmp::Reverse;

use rand::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Modulus of the matrix, a prime.
const MODULUS: u64 = (1 << 31) - 1;

/// Pairs engines with these scores; the bye has the number after the last engine. `met` counts the
/// meetings of two numbers so far.
pub(crate) fn pairings(scores: &[u64], met: impl Fn(usize, usize) -> usize) -> Vec<[usize; 2]> {
    let count = scores.len().next_multiple_of(2);
    // The bye is below an engine without points.
    let score = |engine: usize| scores.get(engine).map_or(0, |&score| score + 1);
    let mut left: Vec<usize> = (0..count).collect();
    left.sort_by_key(|&engine| (Reverse(score(engine)), engine));
    let fewest = (0..count).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| met(a, b)).min();
    let repeats = |a: usize, b: usize| usize::from(Some(met(a, b)) != fewest);
    let mut pairings = Vec::new();
    let mut allowed = least_repeats(&left, &repeats);
    while let Some((&first, rest)) = left.split_first() {
        let equals = left.iter().take_while(|&&engine| score(engine) == score(first)).count();
        let mut order: Vec<usize> = (0..rest.len()).collect();
        order.sort_by_key(|&at| (score(first) - score(rest[at]), (at + 1).abs_diff(equals / 2)));
        let without = |at: usize| [&rest[..at], &rest[at + 1..]].concat();
        let fits = |&at: &usize| repeats(first, rest[at]) + least_repeats(&without(at), &repeats) <= allowed;
        // Some pairing fits, but for the error of the rank.
        let at = order.iter().copied().find(fits).unwrap_or(order[0]);
        let second = rest[at];
        allowed = allowed.saturating_sub(repeats(first, second));
        pairings.push([first.min(second), first.max(second)]);
        left = without(at);
    }
    pairings
}

/// Least number of repeated meetings when all of `engines` are paired.
fn least_repeats(engines: &[usize], repeats: &impl Fn(usize, usize) -> usize) -> usize {
    let entry = |row: usize, column: usize| match [row.min(column), row.max(column)].map(|engine| engine as u64) {
        _ if row == column || repeats(row, column) > 0 => 0,
        [low, high] => {
            let value = 1 + Xoshiro256PlusPlus::seed_from_u64(low << 32 | high).next_u64() % (MODULUS - 1);
            if row < column { value } else { MODULUS - value }
        }
    };
    let row = |&row: &usize| engines.iter().map(|&column| entry(row, column)).collect();
    let mut matrix: Vec<Vec<u64>> = engines.iter().map(row).collect();
    let mut rank = 0;
    for column in 0..engines.len() {
        let Some(pivot) = (rank..engines.len()).find(|&row| matrix[row][column] != 0) else { continue };
        matrix.swap(rank, pivot);
        rank += 1;
        let (upper, lower) = matrix.split_at_mut(rank);
        let pivot = &upper[rank - 1];
        for row in lower {
            let factor = MODULUS - row[column];
            let cells = row.iter_mut().zip(pivot);
            cells.for_each(|(cell, above)| *cell = (*cell * pivot[column] + factor * above) % MODULUS);
        }
    }
    (engines.len() - rank) / 2
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;

    /// All ways to pair `left`.
    fn all(left: &[usize]) -> Vec<Vec<[usize; 2]>> {
        let Some((&first, rest)) = left.split_first() else { return vec![Vec::new()] };
        let with = |at: usize| {
            let others = all(&[&rest[..at], &rest[at + 1..]].concat());
            others.into_iter().map(move |pairs| [vec![[first, rest[at]]], pairs].concat())
        };
        (0..rest.len()).flat_map(with).collect()
    }

    #[test]
    fn no_meeting_is_repeated_while_avoidable_and_scores_differ_least_from_the_top() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        for trial in 0..40 {
            let engines = random.random_range(2..=8);
            let count: usize = usize::next_multiple_of(engines, 2);
            let mut met = vec![vec![0; count]; count];
            let mut scores = vec![0; engines];
            for round in 0..random.random_range(1..=2 * count) {
                let pairs = pairings(&scores, |a, b| met[a][b]);
                let standing: Vec<i64> = scores.iter().map(|&score| score as i64).chain([-1]).collect();
                let mut order: Vec<usize> = (0..count).collect();
                order.sort_by_key(|&engine| (-standing[engine], engine));
                let fewest = order.iter().flat_map(|&a| order.iter().filter(move |&&b| a != b).map(move |&b| (a, b)));
                let fewest = fewest.map(|(a, b)| met[a][b]).min().unwrap();
                // Repeated meetings, then the difference of the scores of the uppermost engine.
                let cost = |pairs: &[[usize; 2]]| {
                    let repeats = pairs.iter().filter(|&&[a, b]| met[a][b] != fewest).count();
                    let [a, b] = pairs[0];
                    (repeats, (standing[a] - standing[b]).abs())
                };
                let mut left = order;
                for at in 0..pairs.len() {
                    let least = all(&left).iter().map(|pairs| cost(pairs)).min().unwrap();
                    assert_eq!(cost(&pairs[at..]), least, "trial {trial}, round {round}: {pairs:?} of {scores:?}");
                    left.retain(|engine| !pairs[at].contains(engine));
                }
                assert_eq!(pairs.concat().iter().fold(0, |seen, &engine| seen | 1 << engine), (1 << count) - 1);
                for &[a, b] in &pairs {
                    (met[a][b], met[b][a]) = (met[a][b] + 1, met[b][a] + 1);
                    let halves = random.random_range(0..=4);
                    scores[a] += if b == engines { 2 } else { halves };
                    scores.iter_mut().skip(b).take(1).for_each(|score| *score += 4 - halves);
                }
            }
        }
    }

    #[test]
    fn a_first_round_pairs_the_upper_half_with_the_lower_and_everyone_meets_in_the_end() {
        assert_eq!(pairings(&[0; 6], |_, _| 0), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(pairings(&[0; 5], |_, _| 0), [[0, 2], [1, 3], [4, 5]], "the last one has a bye");
        assert_eq!(pairings(&[4, 2, 2, 0], |_, _| 0), [[0, 1], [2, 3]]);
        let large: Vec<u64> = (0..64).map(|engine| engine % 7).collect();
        assert_eq!(pairings(&large, |a, b| usize::from((a + b) % 5 == 0)).len(), 32);
    }
}
