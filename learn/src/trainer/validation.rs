//! Losses on validation positions, by kinds of positions.

use std::fmt;

use rayon::prelude::*;

use super::model::Model;
use crate::entry::Entry;
use crate::loss::{Target, sigmoid};

/// Positions of a unit of parallel work.
const PART: usize = 4096;

/// A class of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// All of them.
    All,
    /// Up to ply 40.
    Opening,
    /// Ply 41 to 80.
    Middle,
    /// From ply 81 on.
    Late,
    /// Scores within ±300.
    Even,
    /// Scores beyond ±1000.
    Decided,
    /// At least ten pieces in hand.
    FullHands,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 7] =
        [Self::All, Self::Opening, Self::Middle, Self::Late, Self::Even, Self::Decided, Self::FullHands];

    fn holds(self, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::Opening => entry.ply <= 40,
            Self::Middle => (41..=80).contains(&entry.ply),
            Self::Late => entry.ply > 80,
            Self::Even => entry.score.unsigned_abs() <= 300,
            Self::Decided => entry.score.unsigned_abs() > 1000,
            Self::FullHands => entry.held >= 10,
        }
    }

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Opening => "to ply 40",
            Self::Middle => "ply 41 to 80",
            Self::Late => "from ply 81",
            Self::Even => "score within 300",
            Self::Decided => "score beyond 1000",
            Self::FullHands => "10 or more in hand",
        }
    }
}

/// Sums over the positions of one class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    positions: u64,
    loss: f64,
    /// Loss against the result alone, of the network and of the scores.
    by_result: f64,
    score_by_result: f64,
    /// Positions of decisive games, and those where network and score favour the winner.
    decisive: u64,
    right: u64,
    score_right: u64,
}

impl Sums {
    fn add(&mut self, entry: &Entry, judged: f32, target: Target) {
        let square = |difference: f32| f64::from(difference * difference);
        let result = 0.5 + 0.5 * f32::from(entry.result);
        self.positions += 1;
        self.loss += square(judged - target.of(entry));
        self.by_result += square(judged - result);
        self.score_by_result += square(sigmoid(f32::from(entry.score) / target.scale) - result);
        if entry.result != 0 {
            self.decisive += 1;
            self.right += u64::from((judged > 0.5) == (entry.result > 0));
            self.score_right += u64::from((entry.score > 0) == (entry.result > 0));
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.loss += other.loss;
        self.by_result += other.by_result;
        self.score_by_result += other.score_by_result;
        self.decisive += other.decisive;
        self.right += other.right;
        self.score_right += other.score_right;
        self
    }
}

/// Losses by classes of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation([Sums; Class::ALL.len()]);

impl Validation {
    /// The mean loss on a class; 0 without positions.
    pub fn loss(&self, class: Class) -> f64 {
        let Sums { positions, loss, .. } = self.0[class as usize];
        loss / positions.max(1) as f64
    }
}

impl fmt::Display for Validation {
    /// A table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<20}{:>10}{:>9}{:>20}{:>20}", "positions", "number", "loss", "against result", "winner seen")?;
        for class in Class::ALL {
            let sums = self.0[class as usize];
            let mean = |sum: f64| sum / sums.positions.max(1) as f64;
            let percent = |count: u64| 100.0 * count as f64 / sums.decisive.max(1) as f64;
            let by_result = format!("{:.5} ({:.5})", mean(sums.by_result), mean(sums.score_by_result));
            let right = format!("{:.1} % ({:.1} %)", percent(sums.right), percent(sums.score_right));
            write!(
                f,
                "\n{:<20}{:>10}{:>9.5}{by_result:>20}{right:>20}",
                class.name(),
                sums.positions,
                mean(sums.loss)
            )?;
        }
        write!(f, "\n(in brackets: the scores of the search)")
    }
}

/// The sums over a part of the positions.
fn judge(model: &Model, entries: &[Entry], target: Target) -> [Sums; Class::ALL.len()] {
    let mut sums = [Sums::default(); Class::ALL.len()];
    let outputs = model.shape.architecture().outputs(&model.used, entries);
    for (entry, output) in entries.iter().zip(outputs) {
        let share = sigmoid(output);
        for (class, sums) in Class::ALL.iter().zip(&mut sums) {
            if class.holds(entry) {
                sums.add(entry, share, target);
            }
        }
    }
    sums
}

pub(super) fn validate(model: &Model, entries: &[Entry], target: Target) -> Validation {
    let parts: Vec<_> = entries.par_chunks(PART).map(|entries| judge(model, entries, target)).collect();
    // Added in order: the sums do not depend on the number of threads.
    let whole = parts.into_iter().fold([Sums::default(); Class::ALL.len()], |whole, part| {
        std::array::from_fn(|class| whole[class].join(part[class]))
    });
    Validation(whole)
}

/// The mean loss.
pub(super) fn loss(model: &Model, entries: &[Entry], target: Target) -> f64 {
    validate(model, entries, target).loss(Class::All)
}
