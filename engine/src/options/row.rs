//! One option: its type, range, default and help, and how these are declared and printed.

use enbu_language::Language;
use enbu_usi::{OptionKind, OptionSpec};
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

/// One option.
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
        OptionSpec::new(
            self.name,
            match self.kind {
                Kind::Check(default) => OptionKind::Check { default },
                Kind::Spin(default, min, max) => OptionKind::Spin { default, min, max },
                Kind::Measured(default, _, min, max) => OptionKind::Spin { default: default(), min, max },
                Kind::Combo(default, choices) => OptionKind::Combo {
                    default: default.into(),
                    choices: choices.iter().map(|&choice| choice.into()).collect(),
                },
                Kind::Text(default) => OptionKind::Text { default: default.into() },
                Kind::File(default) => OptionKind::Filename { default: default.into() },
                Kind::Button => OptionKind::Button,
            },
        )
    }

    /// Japanese help, with the Japanese name before it unless it begins with that.
    fn japanese_help(&self) -> String {
        if self.japanese.starts_with(self.label) {
            return self.japanese.to_owned();
        }
        format!("{}：{}", self.label, self.japanese)
    }

    /// The row of the table in the user's pages.
    pub(super) fn markdown(&self, language: Language) -> String {
        let (also, to, empty, help) = match language {
            Language::English => ("also", " to ", "empty", self.english.to_owned()),
            Language::Japanese => ("別名", "～", "空", self.japanese_help()),
        };
        let (kind, default, range) = match self.kind {
            Kind::Check(default) => ("check", default.to_string(), String::new()),
            Kind::Spin(default, min, max) => ("spin", default.to_string(), format!("{min}{to}{max}")),
            Kind::Measured(_, [english, japanese], min, max) => {
                ("spin", language.pick(english, japanese).to_owned(), format!("{min}{to}{max}"))
            }
            Kind::Combo(default, choices) => ("combo", default.to_string(), choices.join(", ")),
            Kind::Button => ("button", String::new(), String::new()),
            Kind::Text("") => ("string", empty.into(), String::new()),
            Kind::Text(default) => ("string", default.into(), String::new()),
            Kind::File(default) => ("filename", default.into(), String::new()),
        };
        let alias = self.alias.map(|alias| format!(" ({also} `{alias}`)")).unwrap_or_default();
        format!("| `{}`{alias} | {kind} | {default} | {range} | {help} |", self.name)
    }

    pub(super) fn json(&self) -> Value {
        let (kind, default, range) = match self.spec().kind {
            OptionKind::Check { default } => ("check", json!(default), json!({})),
            OptionKind::Spin { default, min, max } => ("spin", json!(default), json!({ "min": min, "max": max })),
            OptionKind::Combo { default, choices } => ("combo", json!(default), json!({ "choices": choices })),
            OptionKind::Button => ("button", Value::Null, json!({})),
            OptionKind::Text { default } => ("string", json!(default), json!({})),
            OptionKind::Filename { default } => ("filename", json!(default), json!({})),
        };
        let mut option = json!({
            "name": self.name, "alias": self.alias, "type": kind, "default": default,
            "help": { "en": self.english, "ja": self.japanese },
        });
        if let (Value::Object(option), Value::Object(range)) = (&mut option, range) {
            option.extend(range);
        }
        option
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.alias.is_some_and(|alias| alias.eq_ignore_ascii_case(name))
    }
}
