//! Losses on validation positions, by kinds of positions.

use std::fmt;

use rayon::prelude::*;

use super::model::Model;
use crate::entry::Entry;
use crate::loss::{Target, sigmoid};

/// Positions of a unit of parallel work.
const PART: usize = 4096;

/// A class of positions: its name in reports, and its test.
type Class = (&'static str, fn(&Entry) -> bool);

const CLASSES: [Class; 7] = [
    ("all", |_| true),
    ("to ply 40", |entry| entry.ply <= 40),
    ("ply 41 to 80", |entry| (41..=80).contains(&entry.ply)),
    ("from ply 81", |entry| entry.ply > 80),
    ("score within 300", |entry| entry.score.unsigned_abs() <= 300),
    ("score beyond 1000", |entry| entry.score.unsigned_abs() > 1000),
    ("10 or more in hand", |entry| entry.held >= 10),
];

/// Sums over the positions of a class: their number and loss; the losses against the result
/// alone, of the network and of the scores; the number of those in decisive games, and of
/// those where the network and where the scores favour the winner.
type Sums = [f64; 7];

fn summands(entry: &Entry, judged: f32, target: Target) -> Sums {
    let square = |difference: f32| f64::from(difference * difference);
    let count = |condition: bool| f64::from(u8::from(condition));
    let result = 0.5 + 0.5 * f32::from(entry.result);
    let is_decisive = entry.result != 0;
    [
        1.0,
        square(judged - target.of(entry)),
        square(judged - result),
        square(sigmoid(f32::from(entry.score) / target.scale) - result),
        count(is_decisive),
        count(is_decisive && (judged > 0.5) == (entry.result > 0)),
        count(is_decisive && (entry.score > 0) == (entry.result > 0)),
    ]
}

fn add(sums: &mut Sums, more: Sums) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Losses by classes of positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validation([Sums; CLASSES.len()]);

impl Validation {
    /// The mean loss; 0 without positions.
    pub fn loss(&self) -> f64 {
        let [positions, loss, ..] = self.0[0];
        loss / positions.max(1.0)
    }
}

impl fmt::Display for Validation {
    /// A table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<20}{:>10}{:>9}{:>20}{:>20}", "positions", "number", "loss", "against result", "winner seen")?;
        for ((name, _), sums) in CLASSES.iter().zip(self.0) {
            let [positions, loss, by_result, score_by_result, decisive, right, score_right] = sums;
            let mean = |sum: f64| sum / positions.max(1.0);
            let percent = |count: f64| 100.0 * count / decisive.max(1.0);
            let by_result = format!("{:.5} ({:.5})", mean(by_result), mean(score_by_result));
            let right = format!("{:.1} % ({:.1} %)", percent(right), percent(score_right));
            write!(f, "\n{name:<20}{positions:>10}{:>9.5}{by_result:>20}{right:>20}", mean(loss))?;
        }
        write!(f, "\n(in brackets: the scores of the search)")
    }
}

/// The sums over a part of the positions.
fn judge(model: &Model, entries: &[Entry], target: Target) -> [Sums; CLASSES.len()] {
    let mut sums = [Sums::default(); CLASSES.len()];
    let outputs = model.shape.architecture().outputs(&model.used, entries);
    for (entry, output) in entries.iter().zip(outputs) {
        let summands = summands(entry, sigmoid(output), target);
        for ((_, holds), sums) in CLASSES.iter().zip(&mut sums) {
            if holds(entry) {
                add(sums, summands);
            }
        }
    }
    sums
}

pub(super) fn validate(model: &Model, entries: &[Entry], target: Target) -> Validation {
    let parts: Vec<_> = entries.par_chunks(PART).map(|entries| judge(model, entries, target)).collect();
    // Added in order: the sums do not depend on the number of threads.
    let mut whole = [Sums::default(); CLASSES.len()];
    for part in parts {
        whole.iter_mut().zip(part).for_each(|(sums, more)| add(sums, more));
    }
    Validation(whole)
}
