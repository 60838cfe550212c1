//! Ratings of players by maximum likelihood over all games.
//!
//! With x = rating of Black - rating of White + advantage of the first move, Black wins with the probability
//! 1 / (1 + e^(d - x)), White with 1 / (1 + e^(d + x)), the rest are draws (P. V. Rao and L. L. Kupper, 1967).
//! Ratings, advantage and d are fitted together by Newton's method on the logarithm of the likelihood, which is
//! concave; intervals come from its curvature. Ratings exist where every player scores against the others by some
//! chain of games (L. R. Ford, 1957): players without such a chain are groups of their own.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::record::Points;
use crate::report::Tally;
use crate::sprt::{Estimate, Z_95, normal_cdf};

/// Elo of a unit of the logistic scale.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Standard deviation of the advantage before any game, in Elo: it settles the advantage where each player has
/// one colour alone, and weighs as little as a few games.
const ADVANTAGE_DEVIATION: f64 = 200.0;
/// The least and the most half width of draws, in Elo: one without draws, and one with nothing else.
const DRAWS: [f64; 2] = [0.0, 2000.0];
/// Newton's steps, which double the digits: more are never needed.
const STEPS: usize = 100;
/// The longest step, on the logistic scale.
const LONGEST: f64 = 3.0;

/// Points of Black in one pairing of colours: wins of Black, draws, wins of White.
type Counts = [f64; 3];

/// Games by players and colours.
#[derive(Clone, Debug, Default)]
pub struct Games {
    names: Vec<String>,
    indices: HashMap<String, usize>,
    /// By the indices of Black and White.
    counts: BTreeMap<(usize, usize), Counts>,
}

/// A player with its rating.
#[derive(Clone, Debug, Serialize)]
pub struct Rated {
    /// Its name.
    pub name: String,
    /// Its games.
    pub games: Tally,
    /// Its rating; `None` for a player alone in its group.
    pub rating: Option<Estimate>,
    /// Likelihood that it is stronger than the next of its group, 0 to 1.
    pub los: Option<f64>,
    /// Number of its group, from 1.
    pub group: usize,
}

/// All ratings: groups one after the other, the best player first.
#[derive(Clone, Debug, Serialize)]
pub struct Ratings {
    /// The players.
    pub players: Vec<Rated>,
    /// Advantage of the first move, in Elo.
    pub advantage: Estimate,
    /// Share of draws between equal players, 0 to 1.
    pub draws: f64,
}

impl Games {
    fn index(&mut self, name: &str) -> usize {
        if let Some(&known) = self.indices.get(name) {
            return known;
        }
        self.indices.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// Adds a game, with the points of Black.
    pub fn add(&mut self, black: &str, white: &str, points: Points) {
        let pair = (self.index(black), self.index(white));
        self.counts.entry(pair).or_default()[2 - usize::from(points.halves())] += 1.0;
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.counts.values().flatten().sum::<f64>() as u64
    }

    /// The ratings; the players of `anchors` have theirs, and in groups without one the mean is 0.
    ///
    /// ```
    /// use enbu_arena::ratings::Games;
    /// use enbu_arena::Points;
    /// let mut games = Games::default();
    /// for (black, white) in [("a", "b"), ("b", "a")] {
    ///     let won = if black == "a" { 25 } else { 5 };
    ///     (0..30).for_each(|game| games.add(black, white, if game < won { Points::Win } else { Points::Loss }));
    /// }
    /// let ratings = games.rate(&[("b".to_owned(), 1500.0)].into());
    /// let a = ratings.players[0].rating.unwrap();
    /// assert!((a.value - 1500.0 - 400.0 * 5f64.log10()).abs() < 0.01, "{a:?}");
    /// ```
    pub fn rate(&self, anchors: &BTreeMap<String, f64>) -> Ratings {
        let groups = self.groups();
        let anchors: Vec<Option<f64>> = self.names.iter().map(|name| anchors.get(name).map(|elo| elo / ELO)).collect();
        let fit = Fit::new(self, &groups, &anchors);
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| groups[a].cmp(&groups[b]).then(fit.values[b].total_cmp(&fit.values[a])));
        let players = order.iter().enumerate().map(|(rank, &player)| {
            let is_alone = groups.iter().filter(|&&group| group == groups[player]).count() == 1;
            let next = order.get(rank + 1).filter(|&&next| groups[next] == groups[player]);
            Rated {
                name: self.names[player].clone(),
                games: self.tally(player),
                rating: (!is_alone || anchors[player].is_some()).then(|| fit.estimate(player)),
                los: next.map(|&next| fit.los(player, next)),
                group: groups[player] + 1,
            }
        });
        let equal = sigmoid(-fit.draw());
        Ratings { players: players.collect(), advantage: fit.estimate(self.names.len()), draws: 1.0 - 2.0 * equal }
    }

    fn tally(&self, player: usize) -> Tally {
        let mut tally = Tally::default();
        for (&(black, white), &[won, drawn, lost]) in &self.counts {
            for (side, won, lost) in [(black, won, lost), (white, lost, won)] {
                if side == player {
                    tally += Tally { won: won as u64, drawn: drawn as u64, lost: lost as u64 };
                }
            }
        }
        tally
    }

    /// The number of each player's group, the largest group first: players who score against each other by chains
    /// of games.
    fn groups(&self) -> Vec<usize> {
        let players = self.names.len();
        let (mut scores, mut yields) = (vec![Vec::new(); players], vec![Vec::new(); players]);
        for (&(black, white), &[won, drawn, lost]) in &self.counts {
            for (from, to, points) in [(black, white, won + drawn), (white, black, lost + drawn)] {
                if points > 0.0 {
                    scores[from].push(to);
                    yields[to].push(from);
                }
            }
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut is_placed = vec![false; players];
        for player in 0..players {
            if !is_placed[player] {
                let [up, down] = [&scores, &yields].map(|edges| reached(player, edges));
                let group: Vec<usize> = (0..players).filter(|&other| up[other] && down[other]).collect();
                group.iter().for_each(|&member| is_placed[member] = true);
                groups.push(group);
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        let mut numbers = vec![0; players];
        groups.iter().enumerate().for_each(|(number, group)| group.iter().for_each(|&player| numbers[player] = number));
        numbers
    }
}

/// The players that a chain of edges reaches.
fn reached(from: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut open = vec![from];
    while let Some(player) = open.pop() {
        if !std::mem::replace(&mut seen[player], true) {
            open.extend(&edges[player]);
        }
    }
    seen
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The most likely values, and their covariances.
struct Fit {
    /// Ratings, advantage, half width of draws, on the logistic scale.
    values: Vec<f64>,
    covariances: Vec<Vec<f64>>,
}

impl Fit {
    fn new(games: &Games, groups: &[usize], anchors: &[Option<f64>]) -> Self {
        let players = games.names.len();
        let inner: Vec<_> =
            games.counts.iter().filter(|((black, white), _)| groups[*black] == groups[*white]).collect();
        let is_anchored =
            |group: usize| groups.iter().zip(anchors).any(|(&other, anchor)| other == group && anchor.is_some());
        let has_draws = inner.iter().any(|(_, counts)| counts[1] > 0.0);
        let known: Vec<f64> = anchors.iter().flatten().copied().collect();
        let middle = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let mut values: Vec<f64> = anchors.iter().map(|anchor| anchor.unwrap_or(middle)).collect();
        values.extend([0.0, if has_draws { 0.1 } else { DRAWS[0] }]);
        let mut fixed: Vec<bool> = anchors.iter().map(Option::is_some).collect();
        fixed.extend([false, !has_draws]);
        let problem = Problem { inner, fixed, players };
        let mut likelihood = problem.likelihood(&values);
        let mut inverse = Vec::new();
        for _ in 0..STEPS {
            let (gradient, mut curvature) = problem.derivatives(&values);
            for (row, &group) in curvature.iter_mut().zip(groups).filter(|(_, group)| !is_anchored(**group)) {
                // Holds the mean of a group; the gradient has no part along it.
                row.iter_mut().zip(groups).filter(|(_, other)| **other == group).for_each(|(cell, _)| *cell += 1.0);
            }
            // Takes the values that are given out of the curvature.
            for at in (0..curvature.len()).filter(|&at| problem.fixed[at]) {
                curvature.iter_mut().for_each(|row| row[at] = 0.0);
                curvature[at].fill(0.0);
                // A variance of nearly nothing.
                curvature[at][at] = 1e18;
            }
            inverse = inverted(&curvature);
            let step: Vec<f64> =
                inverse.iter().map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum()).collect();
            // Far from the best values the curvature is nearly none: a step of LONGEST at most.
            let mut share = (LONGEST / step.iter().fold(0.0, |most: f64, step| most.max(step.abs()))).min(1.0);
            let next = loop {
                let next: Vec<f64> = values.iter().zip(&step).map(|(value, step)| value + share * step).collect();
                let reached = problem.likelihood(&next);
                if reached >= likelihood || share < 1e-9 {
                    likelihood = reached.max(likelihood);
                    break next;
                }
                share /= 2.0;
            };
            values = next;
            if step.iter().all(|step| step.abs() < 1e-9) {
                break;
            }
        }
        // The mean that was held has no variance of its own.
        let covariances = centred(&inverse, groups, &|group| !is_anchored(group));
        Self { values, covariances }
    }

    fn draw(&self) -> f64 {
        self.values.last().copied().unwrap_or_default()
    }

    fn estimate(&self, index: usize) -> Estimate {
        let variance = self.covariances[index][index].max(0.0);
        Estimate { value: ELO * self.values[index], half_width: Z_95 * ELO * variance.sqrt() }
    }

    fn los(&self, player: usize, other: usize) -> f64 {
        let own = |a: usize, b: usize| self.covariances[a][b];
        let variance = own(player, player) + own(other, other) - 2.0 * own(player, other);
        normal_cdf((self.values[player] - self.values[other]) / variance.max(1e-18).sqrt())
    }
}

/// Covariances of ratings less the means of their groups.
fn centred(inverse: &[Vec<f64>], groups: &[usize], floats: &dyn Fn(usize) -> bool) -> Vec<Vec<f64>> {
    let mut result = inverse.to_vec();
    for group in 0..groups.len() {
        let members: Vec<usize> = (0..groups.len()).filter(|&player| groups[player] == group).collect();
        if members.is_empty() || !floats(group) {
            continue;
        }
        let count = members.len() as f64;
        let mean = |row: &Vec<f64>| members.iter().map(|&member| row[member]).sum::<f64>() / count;
        for _ in 0..2 {
            // Rows, then columns: the matrix is symmetric.
            for row in &mut result {
                let mean = mean(row);
                members.iter().for_each(|&member| row[member] -= mean);
            }
            result = (0..result.len()).map(|at| result.iter().map(|row| row[at]).collect()).collect();
        }
    }
    result
}

/// The likelihood of the games inside groups.
struct Problem<'g> {
    inner: Vec<(&'g (usize, usize), &'g Counts)>,
    fixed: Vec<bool>,
    players: usize,
}

impl Problem<'_> {
    /// Logits of the chances of Black and of White, of each pairing.
    fn logits<'p>(&'p self, values: &'p [f64]) -> impl Iterator<Item = ((usize, usize), &'p Counts, [f64; 2])> {
        let (advantage, draw) = (values[self.players], values[self.players + 1]);
        self.inner.iter().map(move |&(&(black, white), counts)| {
            let x = values[black] - values[white] + advantage;
            ((black, white), counts, [x - draw, -x - draw])
        })
    }

    /// The logarithm of the likelihood, less that of the advantage before any game.
    fn likelihood(&self, values: &[f64]) -> f64 {
        let (advantage, draw) = (values[self.players] * ELO / ADVANTAGE_DEVIATION, values[self.players + 1]);
        if !(DRAWS[0]..=DRAWS[1] / ELO).contains(&draw) {
            return f64::NEG_INFINITY;
        }
        let drawn = if draw > 0.0 { (2.0 * draw).exp_m1().ln() } else { 0.0 };
        let games = self.logits(values).map(|(_, [won, even, lost], [black, white])| {
            // The logarithm of a chance, finite for any logit.
            let [black, white] = [black, white].map(|logit| logit.min(0.0) - (-logit.abs()).exp().ln_1p());
            (won + even) * black + (lost + even) * white + even * drawn
        });
        games.sum::<f64>() - advantage * advantage / 2.0
    }

    /// Its gradient, and its curvature with the sign turned.
    fn derivatives(&self, values: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (at, draw) = (self.players, values[self.players + 1]);
        let precision = (ELO / ADVANTAGE_DEVIATION).powi(2);
        let mut gradient = vec![0.0; at + 2];
        let mut curvature = vec![vec![0.0; at + 2]; at + 2];
        gradient[at] = -precision * values[at];
        curvature[at][at] = precision;
        let growth = (2.0 * draw).exp();
        for ((black, white), [won, even, lost], logits) in self.logits(values) {
            let [u, v] = logits.map(sigmoid);
            let (for_black, for_white) = (won + even, lost + even);
            let slopes = [for_black * (1.0 - u), for_white * (1.0 - v)];
            let bends = [slopes[0] * u, slopes[1] * v];
            let parts = [(black, 1.0), (white, -1.0), (at, 1.0)];
            for (a, sign) in parts {
                gradient[a] += sign * (slopes[0] - slopes[1]);
                parts.iter().for_each(|&(b, other)| curvature[a][b] += sign * other * (bends[0] + bends[1]));
                curvature[a][at + 1] -= sign * (bends[0] - bends[1]);
                curvature[at + 1][a] -= sign * (bends[0] - bends[1]);
            }
            gradient[at + 1] -= slopes[0] + slopes[1];
            curvature[at + 1][at + 1] += bends[0] + bends[1];
            if *even > 0.0 {
                gradient[at + 1] += even * 2.0 * growth / (growth - 1.0);
                curvature[at + 1][at + 1] += even * 4.0 * growth / (growth - 1.0).powi(2);
            }
        }
        self.fixed.iter().zip(&mut gradient).filter(|(fixed, _)| **fixed).for_each(|(_, slope)| *slope = 0.0);
        (gradient, curvature)
    }
}

/// The inverse of a symmetric, positive matrix, by Cholesky's decomposition.
fn inverted(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut lower = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let products: f64 = (0..column).map(|at| lower[row][at] * lower[column][at]).sum();
            let rest = matrix[row][column] - products;
            lower[row][column] = if row == column { rest.max(1e-12).sqrt() } else { rest / lower[column][column] };
        }
    }
    let mut inverse = vec![vec![0.0; size]; size];
    for unit in 0..size {
        let mut solution = vec![0.0; size];
        for row in 0..size {
            let sum: f64 = (0..row).map(|at| lower[row][at] * solution[at]).sum();
            let target = if row == unit { 1.0 } else { 0.0 };
            solution[row] = (target - sum) / lower[row][row];
        }
        for row in (0..size).rev() {
            let sum: f64 = (row + 1..size).map(|at| lower[at][row] * solution[at]).sum();
            solution[row] = (solution[row] - sum) / lower[row][row];
        }
        inverse.iter_mut().zip(&solution).for_each(|(row, &value)| row[unit] = value);
    }
    inverse
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    const ADVANTAGE: f64 = 30.0;
    const DRAW: f64 = 40.0;

    /// Ratings of twenty players, 0 to 760, and games between them by chance.
    fn simulated(games: usize, seed: u64) -> (Vec<f64>, Games) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let elo: Vec<f64> = (0..20).map(|player| 40.0 * f64::from(player)).collect();
        let mut all = Games::default();
        for _ in 0..games {
            let black = random.random_range(0..20usize);
            let white = (black + random.random_range(1..20)) % 20;
            let x = (elo[black] - elo[white] + ADVANTAGE) / ELO;
            let (won, lost) = (sigmoid(x - DRAW / ELO), sigmoid(-x - DRAW / ELO));
            let points = match random.random::<f64>() {
                chance if chance < won => Points::Win,
                chance if chance < won + lost => Points::Loss,
                _ => Points::Draw,
            };
            all.add(&format!("p{black}"), &format!("p{white}"), points);
        }
        (elo, all)
    }

    /// Errors of all ratings with their half widths.
    fn errors(games: usize, seed: u64) -> Vec<(f64, f64)> {
        let (elo, all) = simulated(games, seed);
        let mean = elo.iter().sum::<f64>() / 20.0;
        let ratings = all.rate(&BTreeMap::new());
        let truth = |name: &str| elo[name[1..].parse::<usize>().expect("a number")] - mean;
        let error = |player: &Rated| {
            let rating = player.rating.expect("all are connected");
            (rating.value - truth(&player.name), rating.half_width)
        };
        let advantage = ratings.advantage;
        assert!((advantage.value - ADVANTAGE).abs() < 2.0 * advantage.half_width, "{advantage:?}");
        ratings.players.iter().map(error).collect()
    }

    #[test]
    #[expect(clippy::print_stdout, reason = "the figures of docs/matches.md")]
    fn ratings_of_simulated_games_are_as_exact_as_they_say() {
        let all: Vec<(f64, f64)> = (0..30).flat_map(|seed| errors(2000, seed)).collect();
        let inside = all.iter().filter(|(error, half_width)| error.abs() <= *half_width).count();
        let coverage = inside as f64 / all.len() as f64;
        assert!((0.93..0.97).contains(&coverage), "{coverage}");
        let few = errors(20_000, 7);
        let root = (few.iter().map(|(error, _)| error * error).sum::<f64>() / few.len() as f64).sqrt();
        assert!(root < 12.0, "{root}");
        println!("coverage {coverage:.3} of {} intervals; root mean square error of 20 000 games {root:.1}", all.len());
    }

    #[test]
    fn two_players_have_the_lead_of_their_score() {
        let mut games = Games::default();
        for (black, white, points, count) in [
            ("a", "b", Points::Win, 75),
            ("a", "b", Points::Loss, 25),
            ("b", "a", Points::Loss, 75),
            ("b", "a", Points::Win, 25),
        ] {
            (0..count).for_each(|_| games.add(black, white, points));
        }
        let ratings = games.rate(&[("b".to_owned(), 1000.0)].into());
        let [a, b] = [0, 1].map(|rank| ratings.players[rank].rating.expect("connected"));
        // 3 : 1 is 400 log10 3; the interval is that of 200 games.
        assert!((a.value - 1000.0 - 190.85).abs() < 0.01 && (a.half_width - 55.6).abs() < 0.2, "{a:?}");
        assert!(b.value == 1000.0 && b.half_width < 0.01, "{b:?}");
        assert!(ratings.players[0].los.expect("a next one") > 0.999 && ratings.draws.abs() < 1e-9);
        assert!(ratings.advantage.value.abs() < 0.01);
    }

    #[test]
    fn players_without_a_chain_of_points_are_groups_of_their_own() {
        let mut games = Games::default();
        for (black, white, points) in [
            ("a", "b", Points::Win),
            ("b", "a", Points::Win),
            ("best", "a", Points::Win),
            ("c", "d", Points::Draw),
            ("e", "e", Points::Win),
        ] {
            games.add(black, white, points);
        }
        let ratings = games.rate(&BTreeMap::new());
        let group = |name: &str| ratings.players.iter().find(|player| player.name == name).expect("a player");
        assert!(group("a").group == group("b").group && group("c").group == group("d").group);
        assert!(group("best").rating.is_none() && group("e").rating.is_none() && group("a").rating.is_some());
        assert_eq!(group("e").games, Tally { won: 1, drawn: 0, lost: 1 });
        assert_eq!(games.games(), 5);
    }

    #[test]
    fn extreme_sets_of_games_have_finite_ratings() {
        let mut draws = Games::default();
        (0..50).for_each(|_| draws.add("a", "b", Points::Draw));
        assert!(Games::default().rate(&BTreeMap::new()).players.is_empty());
        for games in [draws, simulated(60, 3).1] {
            for player in games.rate(&[("p3".to_owned(), 0.0)].into()).players {
                let finite =
                    player.rating.is_none_or(|rating| rating.value.is_finite() && rating.half_width.is_finite());
                assert!(finite, "{player:?}");
            }
        }
    }
}
