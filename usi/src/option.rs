//! Options: their declarations and checked values.
//!
//! The table of an engine's options is the engine's own; this module defines one row,
//! its declaration to the GUI, and the check of its values.

use std::fmt;

use enbu_language::{messages, pick, text};
use enbu_movegen::EnteringKingRule;

use crate::token::{ascii, number, quote};

/// The literal that denotes an empty text in both directions.
pub(crate) const EMPTY: &str = "<empty>";

/// The choices of the option `EnteringKingRule` of YaneuraOu and this engine.
pub const ENTERING_KING_RULES: [(&str, EnteringKingRule); 6] = [
    ("NoEnteringKing", EnteringKingRule::NoEnteringKing),
    ("CSARule24", EnteringKingRule::Csa24),
    ("CSARule24H", EnteringKingRule::Csa24Handicap),
    ("CSARule27", EnteringKingRule::Csa27),
    ("CSARule27H", EnteringKingRule::Csa27Handicap),
    ("TryRule", EnteringKingRule::Try),
];

/// One declared option.
///
/// ```
/// use enbu_usi::{OptionKind, OptionSpec, OptionValue};
/// let threads = OptionSpec::new("Threads", OptionKind::Spin { min: 1, max: 512 }, OptionValue::Spin(1));
/// assert_eq!(threads.to_string(), "option name Threads type spin default 1 min 1 max 512");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The name. GUIs split at spaces, so it holds none.
    pub name: String,
    /// Type and range.
    pub kind: OptionKind,
    /// Value before any `setoption`, which this kind takes; GUIs cut a text at the first space.
    pub default: OptionValue,
}

/// Type and range of an option; as a text the word of the type.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum OptionKind {
    /// On or off.
    Check,
    /// A whole number.
    Spin {
        /// Smallest value taken.
        min: i64,
        /// Largest value taken.
        max: i64,
    },
    /// One of several words, which are without spaces and none of them `default` or `var`.
    Combo(Vec<String>),
    /// No value: setting it does something.
    Button,
    /// Any text.
    #[strum(serialize = "string")]
    Text,
    /// The path of a file.
    Filename,
}

/// A value that fits its option. In files of settings it is a truth value, a number or a text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// For [`OptionKind::Check`].
    Check(bool),
    /// For [`OptionKind::Spin`]: within its range.
    Spin(i64),
    /// For [`OptionKind::Text`], [`OptionKind::Filename`] and [`OptionKind::Combo`]: a choice as its row spells it.
    Text(String),
    /// For [`OptionKind::Button`].
    Button,
}

messages! {
/// Error of a `setoption`. The option keeps its old value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum OptionError {
    Unknown(name: String) => "unknown option {}", "{} というオプションはありません", quote(name);
    Missing(name: String, kind: OptionKind) =>
        "option {name}: value missing, {}", "{name}：値がありません（{}）", kind.expected();
    Value(name: String, value: String, kind: OptionKind) =>
        "option {name}: {} refused, {}", "{name}：{} は指定できません（{}）", quote(value), kind.expected();
}}

impl OptionSpec {
    /// The option `name` of this kind.
    pub fn new(name: impl Into<String>, kind: OptionKind, default: OptionValue) -> Self {
        Self { name: name.into(), kind, default }
    }

    /// Returns `true` if `name` is the name of this option, ignoring case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Checks the value of a `setoption` for this option.
    ///
    /// ```
    /// use enbu_usi::{OptionKind, OptionSpec, OptionValue};
    /// let threads = OptionSpec::new("Threads", OptionKind::Spin { min: 1, max: 512 }, OptionValue::Spin(1));
    /// assert_eq!(threads.parse(Some("8")), Ok(OptionValue::Spin(8)));
    /// let refused = threads.parse(Some("0")).unwrap_err();
    /// assert_eq!(refused.to_string(), "option Threads: `0` refused, a whole number from 1 to 512 is needed");
    /// ```
    pub fn parse(&self, value: Option<&str>) -> Result<OptionValue, OptionError> {
        self.kind.parse(value).ok_or_else(|| {
            let (name, kind) = (self.name.clone(), self.kind.clone());
            match value {
                Some(value) if !value.is_empty() => OptionError::Value(name, value.to_owned(), kind),
                _ => OptionError::Missing(name, kind),
            }
        })
    }
}

impl OptionKind {
    /// Returns the value that is given, if this kind takes it. Choices compare without case, a text
    /// may be empty, absent or `<empty>`, and a button ignores its value.
    fn parse(&self, value: Option<&str>) -> Option<OptionValue> {
        let word = value.unwrap_or_default().trim_ascii();
        match self {
            Self::Check => word.parse().ok().map(OptionValue::Check),
            // A number too large for i64 saturates, and may then be in range.
            Self::Spin { min, max } => {
                number(word).filter(|number| (min..=max).contains(&number)).map(OptionValue::Spin)
            }
            Self::Combo(choices) => {
                choices.iter().find(|choice| choice.eq_ignore_ascii_case(word)).cloned().map(OptionValue::Text)
            }
            Self::Button => Some(OptionValue::Button),
            Self::Text | Self::Filename => {
                Some(OptionValue::Text(if word == EMPTY { String::new() } else { word.to_owned() }))
            }
        }
    }

    /// The values that this kind takes, for a message.
    fn expected(&self) -> String {
        match self {
            Self::Check => pick("true or false is needed", "true か false").to_owned(),
            Self::Spin { min, max } => {
                text!("a whole number from {min} to {max} is needed", "{min}～{max} の整数").to_string()
            }
            Self::Combo(choices) => {
                text!("one of {} is needed", "{} のどれか", choices.join(pick(", ", "、"))).to_string()
            }
            Self::Button | Self::Text | Self::Filename => pick("any value is taken", "任意の値").to_owned(),
        }
    }
}

impl fmt::Display for OptionSpec {
    /// The `option` line that declares it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind: &str = (&self.kind).into();
        write!(f, "option name {} type {kind}", ascii(&self.name))?;
        if self.default != OptionValue::Button {
            write!(f, " default {}", ascii(&self.default.to_string()))?;
        }
        match &self.kind {
            OptionKind::Spin { min, max } => write!(f, " min {min} max {max}"),
            OptionKind::Combo(choices) => choices.iter().try_for_each(|choice| write!(f, " var {}", ascii(choice))),
            _ => Ok(()),
        }
    }
}

impl OptionValue {
    /// The value as text; nothing for a button.
    pub fn text(&self) -> String {
        match self {
            Self::Check(value) => value.to_string(),
            Self::Spin(value) => value.to_string(),
            Self::Text(value) => value.clone(),
            Self::Button => String::new(),
        }
    }
}

impl fmt::Display for OptionValue {
    /// The value as `setoption` gives it; an empty text as `<empty>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        f.write_str(if text.is_empty() && *self != Self::Button { EMPTY } else { &text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_of_each() -> Vec<OptionSpec> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        vec![
            OptionSpec::new("USI_Ponder", OptionKind::Check, OptionValue::Check(true)),
            OptionSpec::new("NodesLimit", OptionKind::Spin { min: 0, max: i64::MAX }, OptionValue::Spin(0)),
            OptionSpec::new(
                "EnteringKingRule",
                OptionKind::Combo(words("NoEnteringKing CSARule27 TryRule")),
                OptionValue::Text("CSARule27".into()),
            ),
            OptionSpec::new("Clear_Hash", OptionKind::Button, OptionValue::Button),
            OptionSpec::new("EvalDir", OptionKind::Text, OptionValue::Text("eval".into())),
            OptionSpec::new("BookFile", OptionKind::Filename, OptionValue::Text(String::new())),
        ]
    }

    #[test]
    fn declarations_are_what_guis_split_at_single_spaces() {
        let lines: Vec<_> = one_of_each().iter().map(OptionSpec::to_string).collect();
        assert_eq!(
            lines,
            [
                "option name USI_Ponder type check default true",
                "option name NodesLimit type spin default 0 min 0 max 9223372036854775807",
                "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing var CSARule27 var TryRule",
                "option name Clear_Hash type button",
                "option name EvalDir type string default eval",
                "option name BookFile type filename default <empty>",
            ]
        );
    }

    #[test]
    fn a_default_is_a_value_its_option_takes() {
        for spec in one_of_each() {
            assert_eq!(spec.parse(Some(&spec.default.to_string())), Ok(spec.default.clone()), "{spec}");
        }
    }

    #[test]
    fn a_default_may_be_replaced() {
        let hash = OptionSpec::new("Hash", OptionKind::Spin { min: 1, max: 64 }, OptionValue::Spin(16));
        let default = hash.parse(Some("32")).unwrap();
        assert_eq!(OptionSpec { default, ..hash }.to_string(), "option name Hash type spin default 32 min 1 max 64");
    }

    #[test]
    fn bad_values_are_refused_and_the_message_says_what_is_taken() {
        let check = OptionSpec::new("Flag", OptionKind::Check, OptionValue::Check(true));
        for bad in [Some("TRUE"), Some("1"), Some("yes"), Some(""), Some("true false"), None] {
            let refused = check.parse(bad).unwrap_err().to_string();
            assert!(refused.contains("Flag") && refused.contains("true or false"), "{bad:?}: {refused}");
        }
        let spin = OptionSpec::new("Hash", OptionKind::Spin { min: 1, max: 1024 }, OptionValue::Spin(16));
        for bad in ["0", "-1", "1025", "16MB", "1e3", "0x10", "", "99999999999999999999"] {
            let refused = spin.parse(Some(bad)).unwrap_err().to_string();
            assert!(refused.contains("from 1 to 1024"), "{bad}: {refused}");
            assert!(bad.is_empty() || refused.contains(bad), "{bad}: {refused}");
        }
        let combo = OptionKind::Combo(vec!["a".into(), "b".into()]);
        assert_eq!(combo.expected(), "one of a, b is needed");
        assert!(combo.parse(Some("c")).is_none() && combo.parse(None).is_none());
    }

    #[test]
    fn names_and_choices_compare_without_case() {
        let [_, _, rule, ..] = <[OptionSpec; 6]>::try_from(one_of_each()).unwrap();
        assert!(rule.is_named("enteringkingrule") && !rule.is_named("EnteringKing"));
        assert_eq!(rule.parse(Some("tryrule")), Ok(OptionValue::Text("TryRule".into())));
    }

    #[test]
    fn empty_texts_come_in_three_spellings() {
        let text = OptionKind::Text;
        for empty in [None, Some(""), Some(" "), Some("<empty>")] {
            assert_eq!(text.parse(empty), Some(OptionValue::Text(String::new())), "{empty:?}");
        }
        assert_eq!(text.parse(Some("C:/my books/a b.db")), Some(OptionValue::Text("C:/my books/a b.db".into())));
    }

    #[test]
    fn a_spin_holds_any_64_bit_limit() {
        let spin = OptionKind::Spin { min: 0, max: i64::MAX };
        assert_eq!(spin.parse(Some("99999999999999999999")), Some(OptionValue::Spin(i64::MAX)));
    }
}
