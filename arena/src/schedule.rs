//! Pairings and openings of all games, as the seed and the results decide.
//!
//! A *pair* is two games on one opening with colours swapped. In a round robin and a gauntlet
//! each pairing plays a pair on every opening. Pairs are numbered through the openings, so that
//! any part of such a match (a shard, the rest of an interrupted one) follows from its number alone.
//! The pairings of Swiss and knock-out follow from the results of the rounds before; an interrupted
//! one is replayed from its results.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::record::Points;
use crate::rounds::{self, Bracket, Meeting, Round, TIE_BREAKS, Tournament};
use crate::swiss;

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

impl Pair {
    /// The half points of engine 1, once both games are played.
    fn halves(&self, scores: &Scores) -> Option<u64> {
        let [first, second] = [0, 1].map(|half| scores.get(&(2 * self.number + half)));
        Some(u64::from(first?.halves() + second?.halves()))
    }
}

/// The pairs of a match.
#[derive(Clone, Debug)]
pub struct Schedule {
    format: Tournament,
    engines: usize,
    pairings: Vec<[usize; 2]>,
    openings: Vec<usize>,
    rounds: usize,
    part: (u64, u64),
    pub(crate) swiss_rounds: usize,
}

/// Points of engine 1 in the games played, by their numbers.
pub type Scores = HashMap<usize, Points>;

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
        Self { format, engines, pairings, openings, rounds, part, swiss_rounds: 0 }
    }

    /// Number of games in this part; those that break ties are not included.
    pub fn games(&self) -> usize {
        2 * match self.format {
            Tournament::RoundRobin | Tournament::Gauntlet => self.pairs().count(),
            Tournament::Swiss => self.swiss_rounds * (self.engines / 2) * self.rounds,
            Tournament::Knockout => (self.engines - 1) * self.rounds,
        }
    }

    /// The pairs to be played next: all that are not played, or those of the round in progress.
    pub fn due<'s>(&'s self, scores: &'s Scores) -> Box<dyn Iterator<Item = Pair> + Send + 's> {
        if self.format.depends_on_results() {
            return Box::new(self.replay(scores).1.into_iter());
        }
        Box::new(self.pairs().filter(|pair| pair.halves(scores).is_none()))
    }

    /// The state of a tournament whose pairings depend on the results, between engines of these names.
    pub(crate) fn bracket(&self, scores: &Scores, names: &[String]) -> Option<Bracket> {
        self.format.depends_on_results().then(|| Bracket::new(self.format, &self.replay(scores).0, names))
    }

    /// The rounds that have begun, and the pairs that the last one lacks.
    pub(crate) fn replay(&self, scores: &Scores) -> (Vec<Round>, Vec<Pair>) {
        let (mut rounds, mut due) = (Vec::new(), Vec::new());
        let (mut number, mut slot) = (0, 0);
        while due.is_empty()
            && let Some(mut round) = self.pairings_after(&rounds)
        {
            for stage in 0..=if self.format == Tournament::Knockout { TIE_BREAKS } else { 0 } {
                let pairs = if stage == 0 { self.rounds } else { 1 };
                for meeting in round.iter_mut().filter(|meeting| stage == 0 || meeting.is_tied()) {
                    let Some(engines) = meeting.engines() else { continue };
                    let before = due.len();
                    for slot in slot..slot + pairs {
                        let pair = Pair { number, engines, opening: self.openings[slot % self.openings.len()] };
                        number += 1;
                        match pair.halves(scores) {
                            Some(halves) => meeting.add(halves),
                            None => due.push(pair),
                        }
                    }
                    meeting.is_over = due.len() == before && !meeting.is_tied();
                }
                slot += pairs;
                if !due.is_empty() {
                    break;
                }
            }
            round.iter_mut().for_each(|meeting| meeting.is_over |= due.is_empty());
            rounds.push(round);
        }
        (rounds, due)
    }

    /// The meetings of the round after these; `None` when the last one is played.
    fn pairings_after(&self, rounds: &[Round]) -> Option<Round> {
        let pairings = match (self.format, rounds.last()) {
            (Tournament::Swiss, _) if rounds.len() < self.swiss_rounds => {
                let scores: Vec<u64> = (0..self.engines).map(|engine| rounds::halves(rounds, engine)).collect();
                swiss::pairings(&scores, |a, b| rounds::meetings(rounds, a, b))
            }
            (Tournament::Knockout, None) => rounds::bracket(self.engines),
            (Tournament::Knockout, Some(last)) if last.len() > 1 => last.chunks(2).filter_map(rounds::next).collect(),
            _ => return None,
        };
        // A bye counts as half of the points.
        let bye = 2 * self.rounds as u64;
        Some(pairings.into_iter().map(|[a, b]| Meeting::new([a, b], self.engines, bye)).collect())
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

    /// Plays a tournament in which `halves` gives the half points of engine 1 in a pair, and replays it from its
    /// results after every game.
    fn played(engines: usize, format: Tournament, pairs: usize, halves: impl Fn(&Pair) -> u8) -> (Vec<Pair>, Bracket) {
        let schedule = Schedule::new(engines, format, pairs, 100, OpeningOrder::Sequential, 1, WHOLE);
        let schedule = Schedule { swiss_rounds: Tournament::levels(engines), ..schedule };
        let (mut scores, mut all) = (Scores::new(), Vec::new());
        loop {
            let due: Vec<Pair> = schedule.due(&scores).collect();
            if due.is_empty() {
                break;
            }
            // Games at once end in any order; the rest of the round stays what it was.
            for (at, pair) in due.iter().enumerate().rev() {
                let points = [Points::Loss, Points::Draw, Points::Win];
                let first = halves(pair).min(2);
                for (half, halves) in [first, halves(pair) - first].into_iter().enumerate() {
                    assert_eq!(schedule.due(&scores).collect::<Vec<_>>(), due[..=at]);
                    scores.insert(2 * pair.number + half, points[usize::from(halves)]);
                }
            }
            all.extend(due);
        }
        let numbers: Vec<usize> = all.iter().map(|pair| pair.number).collect();
        assert_eq!(numbers, (0..all.len()).collect::<Vec<_>>());
        let names: Vec<String> = (0..engines).map(|engine| format!("e{engine}")).collect();
        (all, schedule.bracket(&scores, &names).unwrap())
    }

    #[test]
    fn the_stronger_one_wins_whatever_the_number_of_engines() {
        for engines in [2, 3, 4, 5, 7, 8, 11, 16] {
            // Of two engines the later one of the list wins.
            let (pairs, bracket) = played(engines, Tournament::Knockout, 2, |_| 0);
            assert_eq!(pairs.len(), 2 * (engines - 1), "{engines}: all but one are out");
            assert_eq!(bracket.winner, Some(format!("e{}", engines - 1)));
            assert_eq!(bracket.rounds.len(), Tournament::levels(engines));
            let byes = bracket.rounds[0].iter().filter(|score| score.engines.len() == 1);
            assert_eq!(byes.count(), engines.next_power_of_two() - engines);
            let (pairs, bracket) = played(engines, Tournament::Swiss, 2, |_| 0);
            assert_eq!(pairs.len(), Tournament::levels(engines) * (engines / 2) * 2);
            assert_eq!(bracket.ranking[0].name, format!("e{}", engines - 1));
            let points: f64 = bracket.ranking.iter().map(|rank| rank.points).sum();
            assert_eq!(points, (pairs.len() * 2 + Tournament::levels(engines) * (engines % 2) * 2) as f64);
        }
    }

    #[test]
    fn tied_meetings_play_on_and_then_the_upper_one_of_the_list_goes_on() {
        let (pairs, bracket) = played(4, Tournament::Knockout, 1, |pair| if pair.number == 3 { 4 } else { 2 });
        let engines: Vec<[usize; 2]> = pairs.iter().map(|pair| pair.engines).collect();
        let (left, right, last) = ([0, 3], [1, 2], [0, 1]);
        // The second pair of the right half decides; the left half is tied to the end, and so is the final.
        let expected = [left, right, left, right, left, left, left, last, last, last, last, last];
        assert_eq!(engines, expected);
        let openings: Vec<usize> = pairs.iter().map(|pair| pair.opening).collect();
        assert_eq!(openings, [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9], "both halves play on the same openings");
        assert_eq!(bracket.winner.as_deref(), Some("e0"));
        assert_eq!(bracket.rounds[0][1].points, [3.0, 1.0]);
        let text = "round 1\n  e0            5 - 5      e3  (e0, higher in the list)\n  e1            3 - 1      e2\n\
                    round 2\n  e0            5 - 5      e1  (e0, higher in the list)\nwinner: e0";
        assert_eq!(bracket.text(), text);
    }

    #[test]
    fn an_unfinished_round_names_only_winners_that_are_certain() {
        let schedule = Schedule::new(6, Tournament::Knockout, 1, 1, OpeningOrder::Sequential, 1, WHOLE);
        let names: Vec<String> = (0..6).map(|engine| format!("e{engine}")).collect();
        let (win, draw, loss) = (Points::Win, Points::Draw, Points::Loss);
        // Two byes, a meeting that is won, and one that is tied until its second pair.
        let games = [win, draw, win, loss, win, draw];
        for (played, expected) in
            [(1, "e0 - e1 -"), (2, "e0 e3 e1 -"), (4, "e0 e3 e1 -"), (5, "e0 e3 e1 -"), (6, "e0 e3 e1 e2")]
        {
            let scores = games.into_iter().enumerate().take(played).collect();
            let bracket = schedule.bracket(&scores, &names).unwrap();
            let winners = bracket.rounds[0].iter().map(|score| score.winner.as_deref().unwrap_or("-"));
            assert_eq!(winners.collect::<Vec<_>>().join(" "), expected, "after {played} games");
            assert_eq!((bracket.rounds.len(), bracket.winner), (if played < 6 { 1 } else { 2 }, None));
        }
    }

    #[test]
    fn a_bye_counts_as_half_and_the_opponents_rank_equals() {
        let (_, bracket) = played(3, Tournament::Swiss, 1, |pair| if pair.engines == [0, 2] { 2 } else { 4 });
        let text = "round 1\n  e0            2 - 0      e1\n  e2        bye\nround 2\n  e0            1 - 1      e2\n  \
                    e1        bye\nrank  engine    points  Buchholz\n   1  e0             3         3\n   \
                    2  e2             2         3\n   3  e1             1         3";
        assert_eq!(bracket.text(), text);
        let json = serde_json::to_value(&bracket).unwrap();
        assert_eq!(json["rounds"][1][1], serde_json::json!({ "engines": ["e1"], "points": [1.0] }));
        assert_eq!(json["ranking"][1], serde_json::json!({ "name": "e2", "points": 2.0, "buchholz": 3.0 }));
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
