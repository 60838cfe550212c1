//! The tuned parameters: spin options of an engine.

use std::str::FromStr;

use enbu_usi::{OptionKind, OptionSpec, OptionValue};
use serde::{Deserialize, Serialize};

/// The smallest step. With less, the two sides of a trial may be given the same value,
/// and the games give no information about it.
pub const MIN_STEP: f64 = 0.5;

/// Whole numbers up to this are exact as `f64`, with room for fractions.
const MAX_BOUND: u64 = 1 << 40;

/// One number that is tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name of the option.
    pub name: String,
    /// The value that the tuning begins with.
    pub start: i64,
    /// The lowest value.
    pub min: i64,
    /// The highest value.
    pub max: i64,
    /// Perturbation of the value at the end of the tuning (`c_end`): as much
    /// as games may notice, at least [`MIN_STEP`].
    pub step: f64,
}

impl Parameter {
    /// Sees that it can be tuned.
    ///
    /// ```
    /// use enbu_arena::spsa::Parameter;
    /// let margin = Parameter { name: "margin".to_owned(), start: 120, min: 40, max: 300, step: 10.0 };
    /// assert!(margin.check().is_ok());
    /// let message = Parameter { start: 500, ..margin }.check().unwrap_err().to_string();
    /// assert_eq!(message, "margin: the value 500 is outside its range, 40 to 300");
    /// ```
    pub fn check(&self) -> Result<(), ParameterError> {
        let &Self { start, min, max, step, .. } = self;
        if min >= max || min.unsigned_abs() > MAX_BOUND || max.unsigned_abs() > MAX_BOUND {
            return Err(ParameterError::Range(self.clone()));
        }
        if !(min..=max).contains(&start) {
            return Err(ParameterError::Start(self.clone()));
        }
        if !(MIN_STEP..=(max - min) as f64).contains(&step) {
            return Err(ParameterError::Step(self.clone()));
        }
        Ok(())
    }

    /// The nearest value within the range.
    pub(super) fn limit(&self, value: f64) -> f64 {
        value.clamp(self.min as f64, self.max as f64)
    }

    /// The nearest whole number within the range.
    pub(super) fn clamp(&self, value: i64) -> i64 {
        value.clamp(self.min, self.max)
    }

    /// A step for those who gave none: an eighth of the way from the start to the
    /// nearer end of the range. Ends are often far out where nothing much happens, but
    /// seldom both; where the start is at an end, a twentieth of the range, as fishtest
    /// proposes.
    fn default_step(start: i64, min: i64, max: i64) -> f64 {
        let nearer = start.saturating_sub(min).min(max.saturating_sub(start));
        let step = if nearer > 0 { nearer as f64 / 8.0 } else { max.saturating_sub(min) as f64 / 20.0 };
        step.max(MIN_STEP)
    }
}

/// Selection of parameters on a command line: `all`, `NAME` or `NAME:STEP`.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Every spin option whose name is lower-case letters, digits and `_`: the
    /// parameters of a search, where the options for users have capitals.
    All,
    /// The option of this name, without regard to case, and its step, if it is not to be derived from the range.
    Named(String, Option<f64>),
}

/// Text that names no parameter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not all, NAME or NAME:STEP (such as lmr_base:100)")]
pub struct WantedError(String);

impl FromStr for Wanted {
    type Err = WantedError;

    /// Reads `all`, `NAME` or `NAME:STEP`.
    ///
    /// ```
    /// use enbu_arena::spsa::Wanted;
    /// assert_eq!("all".parse(), Ok(Wanted::All));
    /// assert_eq!("lmr_base:100".parse(), Ok(Wanted::Named("lmr_base".to_owned(), Some(100.0))));
    /// assert!("lmr_base:much".parse::<Wanted>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, WantedError> {
        if text == "all" {
            return Ok(Self::All);
        }
        let wrong = || WantedError(text.chars().take(40).collect());
        let (name, step) = text.split_once(':').map_or((text, None), |(name, step)| (name, Some(step)));
        let number = |step: &str| step.parse().ok().filter(|step: &f64| step.is_finite()).ok_or_else(wrong);
        let step = step.map(number).transpose()?;
        if name.is_empty() { Err(wrong()) } else { Ok(Self::Named(name.to_owned(), step)) }
    }
}

/// Reasons why a parameter cannot be tuned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ParameterError {
    #[error("no spin option is named `{0}`; there are {1}")]
    Unknown(String, String),
    #[error("no spin option has a name in lower case; there are {0}")]
    NoneInLowerCase(String),
    #[error("{0} is given twice")]
    Twice(String),
    #[error("{}: the range {} to {} cannot be tuned in", .0.name, .0.min, .0.max)]
    Range(Parameter),
    #[error("{}: the value {} is outside its range, {} to {}", .0.name, .0.start, .0.min, .0.max)]
    Start(Parameter),
    #[error("{}: the step {} is not from {MIN_STEP} to {}, the width of its range", .0.name, .0.step, .0.max - .0.min)]
    Step(Parameter),
}

/// Chooses parameters among the options that an engine declared, in the engine's order.
/// They begin with the values that it is `given`, or else with its defaults. A name goes
/// before `all`, so that single steps can be set.
pub fn select(
    wanted: &[Wanted],
    options: &[OptionSpec],
    given: &[(String, Option<String>)],
) -> Result<Vec<Parameter>, ParameterError> {
    let spins = options.iter().filter_map(|option| match (&option.kind, &option.default) {
        (&OptionKind::Spin { min, max }, &OptionValue::Spin(default)) => Some((option, default, min, max)),
        _ => None,
    });
    let spins: Vec<_> = spins.collect();
    let names = || match spins.iter().map(|(option, ..)| option.name.as_str()).collect::<Vec<_>>().join(", ") {
        names if names.is_empty() => "none".to_owned(),
        names => names,
    };
    for wanted in wanted {
        if let Wanted::Named(name, _) = wanted
            && !spins.iter().any(|(option, ..)| option.is_named(name))
        {
            return Err(ParameterError::Unknown(name.clone(), names()));
        }
    }
    let all = wanted.contains(&Wanted::All);
    let mut parameters = Vec::new();
    for &(option, default, min, max) in &spins {
        let mut steps = wanted.iter().filter_map(|wanted| match wanted {
            Wanted::Named(name, step) if option.is_named(name) => Some(*step),
            _ => None,
        });
        let named = steps.next();
        if steps.next().is_some() {
            return Err(ParameterError::Twice(option.name.clone()));
        }
        if named.is_none() && !(all && is_lower_case(&option.name)) {
            continue;
        }
        let start = given_value(option, given).unwrap_or(default);
        let step = named.flatten().unwrap_or_else(|| Parameter::default_step(start, min, max));
        let parameter = Parameter { name: option.name.clone(), start, min, max, step };
        parameter.check()?;
        parameters.push(parameter);
    }
    if all && parameters.is_empty() {
        return Err(ParameterError::NoneInLowerCase(names()));
    }
    Ok(parameters)
}

/// Returns true for a name `like_this`.
fn is_lower_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The value that the engine is given for an option, the last one if there are several.
fn given_value(option: &OptionSpec, given: &[(String, Option<String>)]) -> Option<i64> {
    let (_, value) = given.iter().rev().find(|(name, _)| option.is_named(name))?;
    let Ok(OptionValue::Spin(number)) = option.parse(value.as_deref()) else { return None };
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<OptionSpec> {
        let spin = |name: &str, default, min, max| {
            OptionSpec::new(name, OptionKind::Spin { min, max }, OptionValue::Spin(default))
        };
        vec![
            spin("USI_Hash", 256, 1, 1024),
            spin("lmr_base", 410, 0, 1536),
            OptionSpec::new("deep", OptionKind::Check, OptionValue::Check(true)),
            spin("depth_2", 2, 2, 42),
            spin("nodes", 0, 0, i64::MAX),
        ]
    }

    fn chosen(wanted: &[&str]) -> Result<Vec<Parameter>, String> {
        let wanted: Vec<Wanted> = wanted.iter().map(|text| text.parse().unwrap()).collect();
        select(&wanted, &options(), &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn names_are_found_in_the_order_of_the_engine() {
        let [lmr, depth] = <[Parameter; 2]>::try_from(chosen(&["DEPTH_2", "lmr_base:100"]).unwrap()).unwrap();
        assert_eq!(lmr, Parameter { name: "lmr_base".to_owned(), start: 410, min: 0, max: 1536, step: 100.0 });
        assert_eq!((depth.name.as_str(), depth.start, depth.step), ("depth_2", 2, 2.0));
        let hash = chosen(&["usi_hash"]).unwrap();
        assert_eq!((hash[0].name.as_str(), hash[0].step), ("USI_Hash", 255.0 / 8.0));
    }

    #[test]
    fn all_are_the_spins_in_lower_case_and_single_steps_can_be_set() {
        let mut small = options();
        small.pop();
        let wanted = [Wanted::Named("depth_2".to_owned(), Some(3.0)), Wanted::All];
        let parameters = select(&wanted, &small, &[]).unwrap();
        let names: Vec<_> = parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.step)).collect();
        assert_eq!(names, [("lmr_base", 410.0 / 8.0), ("depth_2", 3.0)]);
        let none = select(&[Wanted::All], &small[..1], &[]).unwrap_err().to_string();
        assert_eq!(none, "no spin option has a name in lower case; there are USI_Hash");
    }

    #[test]
    fn an_option_that_the_engine_is_given_is_where_it_begins() {
        let wanted = [Wanted::Named("lmr_base".to_owned(), None)];
        let given = ["100", "LMR", "800"].map(|value| ("LMR_base".to_owned(), Some(value.to_owned())));
        assert_eq!(select(&wanted, &options(), &given).unwrap()[0].start, 800);
        assert_eq!(select(&wanted, &options(), &given[..1]).unwrap()[0].start, 100);
        assert_eq!(select(&wanted, &options(), &[]).unwrap()[0].start, 410);
    }

    #[test]
    fn what_cannot_be_tuned_is_refused_with_the_reason() {
        for (wanted, message) in [
            (&["lmr"][..], "no spin option is named `lmr`; there are USI_Hash, lmr_base, depth_2, nodes"),
            (&["deep"], "no spin option is named `deep`; there are USI_Hash, lmr_base, depth_2, nodes"),
            (&["lmr_base", "LMR_BASE:3"], "lmr_base is given twice"),
            (&["all"], "nodes: the range 0 to 9223372036854775807 cannot be tuned in"),
            (&["lmr_base:0.4"], "lmr_base: the step 0.4 is not from 0.5 to 1536, the width of its range"),
            (&["lmr_base:-4"], "lmr_base: the step -4 is not from 0.5 to 1536, the width of its range"),
            (&["lmr_base:1537"], "lmr_base: the step 1537 is not from 0.5 to 1536, the width of its range"),
        ] {
            assert_eq!(chosen(wanted).unwrap_err(), message);
        }
        for text in ["", ":3", "a:", "a:b", "a:inf", "a:NaN", "a:1:2"] {
            assert!(text.parse::<Wanted>().is_err(), "{text}");
        }
    }
}
