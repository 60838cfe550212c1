//! The file that a tuning goes on from: all that was learnt, and under which conditions.
//!
//! One JSON object, replaced as a whole after each iteration, so that it is never half
//! written. Numbers are read back as they were written, to the last bit: a tuning that
//! was interrupted ends with the values that it would have ended with anyway.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use enbu_files::{Existing, FileKind};
use serde::{Deserialize, Serialize};

use super::{Parameter, Plan, PlanError, Spsa};
use crate::report::Tally;

/// Identification of the file.
const FORMAT: &str = "enbu tune";

/// The version of the format that is written, and the only one that is read.
const VERSION: u32 = 1;

/// Further conditions, by name, under which games count towards one tuning: the time
/// control, the rules.
pub type Conditions = BTreeMap<String, String>;

/// A tuning with all that its file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    spsa: Spsa,
    conditions: Conditions,
    games: Tally,
}

/// Faults of a file.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// It is something else.
    #[error("{} is not the state of a tuning", .0.display())]
    Other(PathBuf),
    /// A version that is not known here.
    #[error("{} has version {version} of the format; only version {VERSION} is understood", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// It holds impossible values.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}

/// A difference between a state and a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was begun with {what} {theirs}, not {ours}")]
pub struct Misfit {
    /// The subject.
    pub what: String,
    /// The value in the state.
    pub theirs: String,
    /// The value in the command.
    pub ours: String,
}

/// The fields of every version.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// The fields of the present version.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    conditions: Conditions,
    plan: Plan,
    done: u64,
    games: Tally,
    parameters: Vec<Parameter>,
    values: Vec<f64>,
}

impl State {
    /// A tuning that has not begun.
    pub fn new(spsa: Spsa, conditions: Conditions) -> Self {
        Self { spsa, conditions, games: Tally::default() }
    }

    /// The tuning in progress: parameters, their values, iterations done.
    pub const fn spsa(&self) -> &Spsa {
        &self.spsa
    }

    /// All games so far, seen from the side of [`Trial::plus`](super::Trial::plus).
    pub const fn games(&self) -> Tally {
        self.games
    }

    /// Learns from the games of the last trial, seen from the side of
    /// [`Trial::plus`](super::Trial::plus).
    pub fn learn(&mut self, games: Tally) {
        self.spsa.learn(games.won.cast_signed() - games.lost.cast_signed());
        self.games += games;
    }

    /// Checks that a command that would begin with `other` may continue from here.
    ///
    /// # Errors
    /// [`Misfit`] with the first thing that differs.
    pub fn check_fit(&self, other: &Self) -> Result<(), Misfit> {
        let (theirs, ours) = (self.spsa.plan, other.spsa.plan);
        agree("iterations", theirs.iterations, ours.iterations)?;
        agree("pairs", theirs.pairs, ours.pairs)?;
        agree("seed", theirs.seed, ours.seed)?;
        agree("rate", theirs.rate, ours.rate)?;
        let names = |state: &Self| {
            let names: Vec<&str> = state.spsa.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            names.join(", ")
        };
        agree("the parameters", names(self), names(other))?;
        let text = |parameter: &Parameter| {
            let Parameter { start, min, max, step, .. } = parameter;
            format!("{start} in {min} to {max} by {step}")
        };
        for (theirs, ours) in self.spsa.parameters.iter().zip(&other.spsa.parameters) {
            agree(&theirs.name, text(theirs), text(ours))?;
        }
        for name in self.conditions.keys().chain(other.conditions.keys()) {
            let value = |state: &Self| state.conditions.get(name).map_or("nothing", String::as_str).to_owned();
            agree(name, value(self), value(other))?;
        }
        Ok(())
    }

    /// Writes the file anew, beside itself, and renames it.
    ///
    /// # Errors
    /// The error of the system; the old file is unchanged.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        enbu_files::write(path, self.to_json()?, Existing::Replace)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`StateError`] when it cannot be read or is not the state of a tuning.
    pub fn load(path: &Path) -> Result<Self, StateError> {
        let text = enbu_files::read_text(path, FileKind::Results)
            .map_err(|error| StateError::Io { path: path.to_owned(), error })?;
        Self::from_json(&text, path)
    }

    fn to_json(&self) -> io::Result<String> {
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            conditions: self.conditions.clone(),
            plan: self.spsa.plan,
            done: self.spsa.done,
            games: self.games,
            parameters: self.spsa.parameters.clone(),
            values: self.spsa.values.clone(),
        };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    fn from_json(text: &str, path: &Path) -> Result<Self, StateError> {
        let path = || path.to_owned();
        let head: Head = serde_json::from_str(text).map_err(|_| StateError::Other(path()))?;
        if head.format != FORMAT {
            return Err(StateError::Other(path()));
        }
        if head.version != VERSION {
            return Err(StateError::Version { path: path(), version: head.version });
        }
        let damaged = |reason| StateError::Damaged { path: path(), reason };
        let document: Document = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        document.into_state().map_err(damaged)
    }
}

impl Document {
    /// Its state, or the reason why it is impossible.
    fn into_state(self) -> Result<State, String> {
        let Self { conditions, plan, done, games, parameters, values, .. } = self;
        let mut spsa = Spsa::new(parameters, plan).map_err(|error: PlanError| error.to_string())?;
        if values.len() != spsa.parameters.len() {
            return Err(format!("{} values for {} parameters", values.len(), spsa.parameters.len()));
        }
        for (parameter, &value) in spsa.parameters.iter().zip(&values) {
            if parameter.limit(value) != value {
                return Err(format!("{} has the value {value}", parameter.name));
            }
        }
        let played = u128::from(games.won) + u128::from(games.drawn) + u128::from(games.lost);
        if done > plan.iterations || played != u128::from(done) * u128::from(plan.pairs) * 2 {
            return Err(format!("{played} games in {done} of {} iterations", plan.iterations));
        }
        spsa.values = values;
        spsa.done = done;
        Ok(State { spsa, conditions, games })
    }
}

fn agree<T: PartialEq + Display>(what: &str, theirs: T, ours: T) -> Result<(), Misfit> {
    if theirs == ours {
        return Ok(());
    }
    Err(Misfit { what: what.to_owned(), theirs: theirs.to_string(), ours: ours.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin() -> State {
        let parameter = |name: &str, start, max, step| Parameter { name: name.to_owned(), start, min: 0, max, step };
        let parameters = vec![parameter("a", 60, 200, 8.0), parameter("b", 90, 100, 5.0), parameter("c", 3, 12, 1.0)];
        let spsa = Spsa::new(parameters, Plan { iterations: 400, pairs: 2, seed: 11, rate: 0.004 }).unwrap();
        State::new(spsa, Conditions::from([("tc".to_owned(), "10+0.1".to_owned())]))
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let begun = begin();
        let with = |change: fn(&mut State)| {
            let mut other = begin();
            change(&mut other);
            begun.check_fit(&other).unwrap_err().to_string()
        };
        for (message, told) in [
            ("it was begun with iterations 400, not 500", with(|state| state.spsa.plan.iterations = 500)),
            ("it was begun with pairs 2, not 1", with(|state| state.spsa.plan.pairs = 1)),
            ("it was begun with seed 11, not 1", with(|state| state.spsa.plan.seed = 1)),
            ("it was begun with rate 0.004, not 0.1", with(|state| state.spsa.plan.rate = 0.1)),
            ("it was begun with the parameters a, b, c, not a, b", with(|state| drop(state.spsa.parameters.pop()))),
            (
                "it was begun with b 90 in 0 to 100 by 5, not 90 in 0 to 101 by 5",
                with(|state| state.spsa.parameters[1].max = 101),
            ),
            ("it was begun with tc 10+0.1, not nothing", with(|state| state.conditions.clear())),
            (
                "it was begun with rules nothing, not none",
                with(|state| drop(state.conditions.insert("rules".to_owned(), "none".to_owned()))),
            ),
        ] {
            assert_eq!(told, message);
        }
    }

    #[test]
    fn files_that_are_no_states_are_refused() {
        let text = begin().to_json().unwrap();
        let refused = |from: &str, to: &str| {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            State::from_json(&changed, Path::new("s")).unwrap_err().to_string()
        };
        for (from, to, message) in [
            ("enbu tune", "other", "s is not the state of a tuning"),
            ("{", "", "s is not the state of a tuning"),
            ("\"version\": 1", "\"version\": 2", "s has version 2 of the format; only version 1 is understood"),
            ("\"done\": 0", "\"done\": 1", "s is damaged: 0 games in 1 of 400 iterations"),
            (
                "\"won\": 0",
                "\"won\": 18446744073709551615",
                "s is damaged: 18446744073709551615 games in 0 of 400 iterations",
            ),
            ("\"pairs\": 2", "\"pairs\": 0", "s is damaged: at least one iteration of at least one pair is needed"),
            ("\"rate\": 0.004", "\"rate\": -1.0", "s is damaged: a rate above 0 and not above 1 is needed"),
            ("60.0,", "60.0, 60.0,", "s is damaged: 4 values for 3 parameters"),
            ("60.0,", "200.5,", "s is damaged: a has the value 200.5"),
            ("\"start\": 60", "\"start\": 201", "s is damaged: a: the value 201 is outside its range, 0 to 200"),
        ] {
            assert_eq!(refused(from, to), message);
        }
        assert!(refused("\"seed\"", "\"sead\"").starts_with("s is damaged: unknown field `sead`"));
        let missing = State::load(Path::new("no such file")).unwrap_err().to_string();
        assert!(missing.starts_with("no such file: "), "{missing}");
    }
}
