//! The file from which a tuning is continued: its values and their conditions.
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

use super::{Parameter, Plan, PlanError};
use crate::report::Tally;

/// Identification of the file.
const FORMAT: &str = "enbu tune";

/// The version of the format that is written, and the only one that is read.
const VERSION: u32 = 1;

/// Further conditions, by name, under which games count towards one tuning: the time
/// control, the rules.
pub type Conditions = BTreeMap<String, String>;

/// A tuning: its parameters and their values, and the conditions and games behind them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    format: String,
    version: u32,
    pub(super) conditions: Conditions,
    /// Length and step sizes.
    pub plan: Plan,
    /// Number of iterations done.
    pub done: u64,
    /// All games so far, seen from the side of [`Trial::plus`](super::Trial::plus).
    pub games: Tally,
    /// The numbers that are tuned.
    pub parameters: Vec<Parameter>,
    /// The present values, in the order of the parameters and within their ranges.
    pub values: Vec<f64>,
}

/// Faults of a file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum StateError {
    #[error("{path}: {1}", path = .0.display())]
    Io(PathBuf, io::Error),
    #[error("{} is not the state of a tuning", .0.display())]
    Other(PathBuf),
    #[error("{path} has version {1} of the format; only version {VERSION} is understood", path = .0.display())]
    Version(PathBuf, u32),
    #[error("{path} is damaged: {1}", path = .0.display())]
    Damaged(PathBuf, String),
}

/// A difference between a state and a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was begun with {0} {1}, not {2}")]
pub struct Misfit(String, String, String);

/// The fields of every version.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

impl State {
    /// A tuning that begins with the start values of the parameters.
    pub fn new(parameters: Vec<Parameter>, plan: Plan, conditions: Conditions) -> Result<Self, PlanError> {
        plan.check(&parameters)?;
        let values = parameters.iter().map(|parameter| parameter.start as f64).collect();
        let (format, version, games) = (FORMAT.to_owned(), VERSION, Tally::default());
        Ok(Self { format, version, conditions, plan, done: 0, games, parameters, values })
    }

    /// The present values as whole numbers.
    pub fn rounded(&self) -> impl Iterator<Item = i64> + '_ {
        self.values.iter().zip(&self.parameters).map(|(value, parameter)| parameter.clamp(value.round() as i64))
    }

    /// Checks that a command that would begin with `other` may continue from here.
    /// Fails at the first thing that differs.
    pub fn check_fit(&self, other: &Self) -> Result<(), Misfit> {
        let (theirs, ours) = (self.plan, other.plan);
        agree("iterations", theirs.iterations, ours.iterations)?;
        agree("pairs", theirs.pairs, ours.pairs)?;
        agree("seed", theirs.seed, ours.seed)?;
        agree("rate", theirs.rate, ours.rate)?;
        let names = |state: &Self| {
            let names: Vec<&str> = state.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            names.join(", ")
        };
        agree("the parameters", names(self), names(other))?;
        let text = |parameter: &Parameter| {
            let Parameter { start, min, max, step, .. } = parameter;
            format!("{start} in {min} to {max} by {step}")
        };
        for (theirs, ours) in self.parameters.iter().zip(&other.parameters) {
            agree(&theirs.name, text(theirs), text(ours))?;
        }
        for name in self.conditions.keys().chain(other.conditions.keys()) {
            let value = |state: &Self| state.conditions.get(name).map_or("nothing", String::as_str).to_owned();
            agree(name, value(self), value(other))?;
        }
        Ok(())
    }

    /// Writes the file anew, beside itself, and renames it. The old file is unchanged after an error.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        enbu_files::write(path, self.to_json()?, Existing::Replace)
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, StateError> {
        let text =
            enbu_files::read_text(path, FileKind::Results).map_err(|error| StateError::Io(path.to_owned(), error))?;
        Self::from_json(&text, path)
    }

    fn to_json(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    fn from_json(text: &str, path: &Path) -> Result<Self, StateError> {
        let path = || path.to_owned();
        let head: Head = serde_json::from_str(text).map_err(|_| StateError::Other(path()))?;
        if head.format != FORMAT {
            return Err(StateError::Other(path()));
        }
        if head.version != VERSION {
            return Err(StateError::Version(path(), head.version));
        }
        let damaged = |reason| StateError::Damaged(path(), reason);
        let state: Self = serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        state.check().map_err(damaged)?;
        Ok(state)
    }

    fn check(&self) -> Result<(), String> {
        let Self { plan, done, games, parameters, values, .. } = self;
        plan.check(parameters).map_err(|error| error.to_string())?;
        if values.len() != parameters.len() {
            return Err(format!("{} values for {} parameters", values.len(), parameters.len()));
        }
        if let Some((parameter, value)) =
            parameters.iter().zip(values).find(|(one, value)| one.limit(**value) != **value)
        {
            return Err(format!("{} has the value {value}", parameter.name));
        }
        let played = u128::from(games.won) + u128::from(games.drawn) + u128::from(games.lost);
        if *done > plan.iterations || played != u128::from(*done) * u128::from(plan.pairs) * 2 {
            return Err(format!("{played} games in {done} of {} iterations", plan.iterations));
        }
        Ok(())
    }
}

fn agree<T: PartialEq + Display>(what: &str, theirs: T, ours: T) -> Result<(), Misfit> {
    if theirs == ours {
        return Ok(());
    }
    Err(Misfit(what.to_owned(), theirs.to_string(), ours.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin() -> State {
        let parameter = |name: &str, start, max, step| Parameter { name: name.to_owned(), start, min: 0, max, step };
        let parameters = vec![parameter("a", 60, 200, 8.0), parameter("b", 90, 100, 5.0), parameter("c", 3, 12, 1.0)];
        let plan = Plan { iterations: 400, pairs: 2, seed: 11, rate: 0.004 };
        State::new(parameters, plan, Conditions::from([("tc".to_owned(), "10+0.1".to_owned())])).unwrap()
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
            ("it was begun with iterations 400, not 500", with(|state| state.plan.iterations = 500)),
            ("it was begun with pairs 2, not 1", with(|state| state.plan.pairs = 1)),
            ("it was begun with seed 11, not 1", with(|state| state.plan.seed = 1)),
            ("it was begun with rate 0.004, not 0.1", with(|state| state.plan.rate = 0.1)),
            ("it was begun with the parameters a, b, c, not a, b", with(|state| drop(state.parameters.pop()))),
            (
                "it was begun with b 90 in 0 to 100 by 5, not 90 in 0 to 101 by 5",
                with(|state| state.parameters[1].max = 101),
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
