//! The formats of a match, and the rounds of Swiss and of a knock-out: their meetings, the ranking, the winner.
//!
//! Engines are numbered in the order of their list, which is their seeding.

use std::cmp::Reverse;
use std::fmt::Write as _;

use enbu_language::{columns, left, pick, text};
use serde::Serialize;

/// The pairings of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tournament {
    /// Everybody plays everybody.
    RoundRobin,
    /// The first engine plays each of the others.
    Gauntlet,
    /// Rounds in which engines with equal scores meet.
    Swiss,
    /// The loser of a meeting is out.
    Knockout,
}

/// Pairs that a tied meeting of a knock-out may play in addition, one by one.
pub(crate) const TIE_BREAKS: usize = 4;

impl Tournament {
    /// Returns true if the pairings depend on the results.
    pub const fn depends_on_results(self) -> bool {
        matches!(self, Self::Swiss | Self::Knockout)
    }

    /// Number of openings without a repetition between `engines` engines, with `pairs` pairs in each of the
    /// meetings and `rounds` rounds of Swiss.
    pub const fn openings(self, engines: usize, pairs: usize, rounds: usize) -> usize {
        match self {
            Self::RoundRobin | Self::Gauntlet => pairs,
            Self::Swiss => pairs.saturating_mul(rounds),
            Self::Knockout => (pairs + TIE_BREAKS).saturating_mul(Self::levels(engines)),
        }
    }

    /// Rounds of a knock-out, and of Swiss unless told otherwise.
    pub const fn levels(engines: usize) -> usize {
        engines.next_power_of_two().trailing_zeros() as usize
    }
}

/// A meeting of two engines, the upper one of the list first, or a bye of the first.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    pair: [usize; 2],
    is_bye: bool,
    /// Half points of both.
    halves: [u64; 2],
    /// All games are over, those that break ties included.
    pub(crate) is_over: bool,
}

pub(crate) type Round = Vec<Meeting>;

impl Meeting {
    /// A meeting before its games. A number beyond those of the `engines` is a bye, which counts as `bye` half points.
    pub(crate) fn new(pair: [usize; 2], engines: usize, bye: u64) -> Self {
        let is_bye = pair[1] >= engines;
        Self { pair, is_bye, halves: [if is_bye { bye } else { 0 }, 0], is_over: is_bye }
    }

    /// The two engines; `None` for a bye.
    pub(crate) fn engines(&self) -> Option<[usize; 2]> {
        (!self.is_bye).then_some(self.pair)
    }

    /// Adds a pair of games in which the first engine made `halves` half points.
    pub(crate) fn add(&mut self, halves: u64) {
        self.halves[0] += halves;
        self.halves[1] += 4 - halves;
    }

    /// Returns true if both have equal points.
    pub(crate) const fn is_tied(&self) -> bool {
        self.halves[0] == self.halves[1]
    }

    /// The engine with more points, or else the upper one of the list.
    const fn winner(&self) -> usize {
        self.pair[(self.halves[1] > self.halves[0]) as usize]
    }
}

/// The first round of a knock-out: the first engine of the list would meet the last one, the
/// second the last but one, the first two only in the end. Numbers beyond the last are byes.
pub(crate) fn bracket(engines: usize) -> Vec<[usize; 2]> {
    let mut order = vec![0];
    while order.len() < engines {
        let last = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|engine| [engine, last - engine]).collect();
    }
    order.chunks(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect()
}

/// The meeting of the winners of two meetings.
pub(crate) fn next(meetings: &[Meeting]) -> Option<[usize; 2]> {
    let [a, b] = meetings else { return None };
    Some([a.winner().min(b.winner()), a.winner().max(b.winner())])
}

/// Number of meetings of two engines; the number after the last engine is the bye.
pub(crate) fn meetings(rounds: &[Round], a: usize, b: usize) -> usize {
    rounds.iter().flatten().filter(|meeting| meeting.pair == [a.min(b), a.max(b)]).count()
}

/// The meetings of an engine, with its side in each.
fn of(rounds: &[Round], engine: usize) -> impl Iterator<Item = (&Meeting, usize)> {
    let side = move |meeting: &Meeting| meeting.pair.iter().position(|&one| one == engine);
    rounds.iter().flatten().filter_map(move |meeting| Some((meeting, side(meeting)?)))
}

/// Half points of an engine.
pub(crate) fn halves(rounds: &[Round], engine: usize) -> u64 {
    of(rounds, engine).map(|(meeting, side)| meeting.halves[side]).sum()
}

/// The state of a Swiss tournament or a knock-out.
#[derive(Clone, Debug, Serialize)]
pub struct Bracket {
    /// The meetings of each round; the pairs of games that are complete.
    pub rounds: Vec<Vec<Score>>,
    /// The engines of a Swiss tournament, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<Rank>,
    /// The winner of a knock-out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
}

/// A meeting in a [`Bracket`].
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// The two engines, or the one that has a bye.
    pub engines: Vec<String>,
    /// The points of each.
    pub points: Vec<f64>,
    /// The engine that goes on, in a knock-out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
}

/// An engine in the ranking of a Swiss tournament.
#[derive(Clone, Debug, Serialize)]
pub struct Rank {
    /// Its name.
    pub name: String,
    /// Its points, those of byes included.
    pub points: f64,
    /// The points of its opponents, which rank engines with equal points.
    pub buchholz: f64,
}

impl Bracket {
    /// A knock-out or a Swiss tournament of engines with these names.
    pub(crate) fn new(format: Tournament, rounds: &[Round], names: &[String]) -> Self {
        let is_knockout = format == Tournament::Knockout;
        let winner = |meeting: &Meeting| (is_knockout && meeting.is_over).then(|| names[meeting.winner()].clone());
        let score = |meeting: &Meeting| {
            let sides = 0..if meeting.is_bye { 1 } else { 2 };
            Score {
                engines: sides.clone().map(|side| names[meeting.pair[side]].clone()).collect(),
                points: sides.map(|side| meeting.halves[side] as f64 / 2.0).collect(),
                winner: winner(meeting),
            }
        };
        let last = rounds.last().filter(|last| last.len() == 1);
        Self {
            rounds: rounds.iter().map(|round| round.iter().map(score).collect()).collect(),
            ranking: if is_knockout { Vec::new() } else { ranking(rounds, names) },
            winner: last.and_then(|last| winner(&last[0])),
        }
    }

    /// The rounds, then the ranking or the winner, on several lines.
    pub fn text(&self) -> String {
        let width = self.rounds.iter().flatten().flat_map(|score| &score.engines).map(|name| columns(name)).max();
        let width = width.unwrap_or(0).max(8);
        let mut lines = String::new();
        // Writing to a String cannot fail.
        for (round, scores) in self.rounds.iter().enumerate() {
            let _ = writeln!(lines, "{}", text!("round {}", "{}回戦", round + 1));
            scores.iter().for_each(|score| _ = writeln!(lines, "  {}", score.line(width)));
        }
        if !self.ranking.is_empty() {
            let name = left(pick("engine", "エンジン"), width);
            let _ =
                writeln!(lines, "{}", text!("rank  {name}  points  Buchholz", "順位  {name}    得点  ブッフホルツ"));
        }
        for (index, Rank { name, points, buchholz }) in self.ranking.iter().enumerate() {
            let _ = writeln!(lines, "{:>4}  {}  {points:>6}  {buchholz:>8}", index + 1, left(name, width));
        }
        self.winner.iter().for_each(|winner| _ = writeln!(lines, "{}", text!("winner: {winner}", "優勝：{winner}")));
        lines.trim_end().to_owned()
    }
}

impl Score {
    fn line(&self, width: usize) -> String {
        let (Self { engines, points, winner }, name) = (self, |engine: &str| left(engine, width));
        match (engines.as_slice(), points.as_slice()) {
            ([first, second], [a, b]) => {
                let tied = winner.as_ref().filter(|_| a == b);
                let rule = tied
                    .map(|winner| text!("  ({winner}, higher in the list)", "（登録順により {winner}）").to_string());
                format!("{}  {a:>5} - {b:<5}  {}{}", name(first), second, rule.unwrap_or_default())
            }
            _ => format!("{}  {}", name(engines.first().map_or("", String::as_str)), pick("bye", "抜け番")),
        }
    }
}

/// The engines by points, then by the points of their opponents, then by their places in the list.
fn ranking(rounds: &[Round], names: &[String]) -> Vec<Rank> {
    let opponents = |engine| of(rounds, engine).filter_map(|(meeting, side)| Some(meeting.engines()?[1 - side]));
    let row = |engine| (halves(rounds, engine), opponents(engine).map(|other| halves(rounds, other)).sum::<u64>());
    let mut rows: Vec<((u64, u64), &String)> = names.iter().enumerate().map(|(at, name)| (row(at), name)).collect();
    rows.sort_by_key(|&(key, _)| Reverse(key));
    let rank = |((halves, others), name): ((u64, u64), &String)| Rank {
        name: name.clone(),
        points: halves as f64 / 2.0,
        buchholz: others as f64 / 2.0,
    };
    rows.into_iter().map(rank).collect()
}
