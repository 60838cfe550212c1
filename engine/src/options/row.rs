//! One option: its type, range, default and help, and how these are declared and printed.

use enbu_language::Language;
use enbu_usi::{OptionKind, OptionSpec, OptionValue};
use serde_json::{Value, json};

/// Type, range and default of a row.
pub(super) enum Kind {
    Check(bool),
    Spin(i64, i64, i64),
    /// A number whose default depends on the machine, and that default in English and Japanese.
    Measured(fn() -> i64, [&'static str; 2], i64, i64),
    Combo(&'static str, &'static [&'static str]),
    Text(&'static str),
    /// A text that names a file; GUIs offer a dialog.
    File(&'static str),
    Button,
}

pub(super) struct Row {
    pub(super) name: &'static str,
    /// Another name under which clients set it, if any.
    pub(super) alias: Option<&'static str>,
    /// Japanese name.
    pub(super) label: &'static str,
    pub(super) kind: Kind,
    pub(super) english: &'static str,
    pub(super) japanese: &'static str,
}

impl Row {
    pub(super) fn spec(&self) -> OptionSpec {
        let (kind, default) = match self.kind {
            Kind::Check(default) => (OptionKind::Check, OptionValue::Check(default)),
            Kind::Spin(default, min, max) => (OptionKind::Spin { min, max }, OptionValue::Spin(default)),
            Kind::Measured(default, _, min, max) => (OptionKind::Spin { min, max }, OptionValue::Spin(default())),
            Kind::Combo(default, choices) => {
                let choices = choices.iter().map(|&choice| choice.into()).collect();
                (OptionKind::Combo(choices), OptionValue::Text(default.into()))
            }
            Kind::Text(default) => (OptionKind::Text, OptionValue::Text(default.into())),
            Kind::File(default) => (OptionKind::Filename, OptionValue::Text(default.into())),
            Kind::Button => (OptionKind::Button, OptionValue::Button),
        };
        OptionSpec::new(self.name, kind, default)
    }

    /// The row of the table in the user's pages.
    pub(super) fn markdown(&self, language: Language) -> String {
        let (also, to, empty, help) = match language {
            Language::English => ("also", " to ", "empty", self.english.to_owned()),
            Language::Japanese if self.japanese.starts_with(self.label) => {
                ("別名", "～", "空", self.japanese.to_owned())
            }
            Language::Japanese => ("別名", "～", "空", format!("{}：{}", self.label, self.japanese)),
        };
        let OptionSpec { kind, default, .. } = self.spec();
        let default = match self.kind {
            Kind::Measured(_, [english, japanese], ..) => language.pick(english, japanese).into(),
            Kind::Text("") => empty.into(),
            _ => default.text(),
        };
        let range = match &kind {
            OptionKind::Spin { min, max } => format!("{min}{to}{max}"),
            OptionKind::Combo(choices) => choices.join(", "),
            _ => String::new(),
        };
        let kind: &str = (&kind).into();
        let alias = self.alias.map(|alias| format!(" ({also} `{alias}`)")).unwrap_or_default();
        format!("| `{}`{alias} | {kind} | {default} | {range} | {help} |", self.name)
    }

    pub(super) fn json(&self) -> Value {
        let OptionSpec { kind, default, .. } = self.spec();
        let mut option = json!({
            "name": self.name, "alias": self.alias, "type": <&str>::from(&kind), "default": default,
            "help": { "en": self.english, "ja": self.japanese },
        });
        let range = match kind {
            OptionKind::Spin { min, max } => json!({ "min": min, "max": max }),
            OptionKind::Combo(choices) => json!({ "choices": choices }),
            _ => json!({}),
        };
        if let (Value::Object(option), Value::Object(range)) = (&mut option, range) {
            option.extend(range);
        }
        option
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.alias.is_some_and(|alias| alias.eq_ignore_ascii_case(name))
    }
}
