//! Checks and their findings, in two languages, as a page and as JSON.

use std::fmt;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use crate::identity;
use crate::options::Language;

/// A text in both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    english: String,
    japanese: String,
}

impl Text {
    pub(super) fn new(english: impl Into<String>, japanese: impl Into<String>) -> Self {
        Self { english: english.into(), japanese: japanese.into() }
    }

    /// This text with another one after it.
    #[must_use]
    pub(super) fn then(&self, other: &Self) -> Self {
        Self::new(self.english.clone() + &other.english, self.japanese.clone() + &other.japanese)
    }

    pub(super) fn of(&self, language: Language) -> &str {
        match language {
            Language::En => &self.english,
            Language::Ja => &self.japanese,
        }
    }
}

/// Weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// As it should be.
    Fine,
    /// Worth knowing; the engine plays, perhaps more slowly than it could.
    Note,
    /// Wrong: exit code 1.
    Fault,
}

impl Status {
    const fn key(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Note => "note",
            Self::Fault => "fault",
        }
    }

    const fn mark(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Fine, _) => "ok",
            (Self::Note, Language::En) => "note",
            (Self::Fault, Language::En) => "FAULT",
            (Self::Note, Language::Ja) => "注意",
            (Self::Fault, Language::Ja) => "異常",
        }
    }
}

/// One line of the page.
#[derive(Debug)]
struct Finding {
    status: Status,
    text: Text,
    /// Advice to the user.
    remedy: Option<Text>,
}

/// Subject of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Topic {
    Processor,
    Kernels,
    Threads,
    Hash,
    OptionsFile,
    Network,
    Book,
    Folders,
    SelfTest,
    Speed,
}

impl Topic {
    /// All, in the order of the page.
    pub(super) const ALL: [Self; 10] = [
        Self::Processor,
        Self::Kernels,
        Self::Threads,
        Self::Hash,
        Self::OptionsFile,
        Self::Network,
        Self::Book,
        Self::Folders,
        Self::SelfTest,
        Self::Speed,
    ];

    /// The name in JSON and for `--only`, and the labels in the page.
    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Processor => ("processor", "processor", "CPU"),
            Self::Kernels => ("kernels", "kernels", "カーネル"),
            Self::Threads => ("threads", "threads", "スレッド"),
            Self::Hash => ("hash", "hash", "置換表"),
            Self::OptionsFile => ("options-file", "options file", "設定ファイル"),
            Self::Network => ("network", "network", "評価関数"),
            Self::Book => ("book", "book", "定跡"),
            Self::Folders => ("folders", "folders", "フォルダ"),
            Self::SelfTest => ("self-test", "self-test", "自己診断"),
            Self::Speed => ("speed", "speed", "速度"),
        }
    }

    const fn label(self, language: Language) -> &'static str {
        match language {
            Language::En => self.names().1,
            Language::Ja => self.names().2,
        }
    }
}

/// Findings about one subject, and their numbers for programs.
#[derive(Debug)]
pub(super) struct Check {
    topic: Topic,
    findings: Vec<Finding>,
    values: Map<String, Value>,
}

impl Check {
    pub(super) fn new(topic: Topic) -> Self {
        Self { topic, findings: Vec::new(), values: Map::new() }
    }

    /// Adds a finding that is as it should be.
    pub(super) fn fine(&mut self, text: Text) {
        self.findings.push(Finding { status: Status::Fine, text, remedy: None });
    }

    /// Adds a finding that is worth knowing.
    pub(super) fn note(&mut self, text: Text, remedy: Text) {
        self.findings.push(Finding { status: Status::Note, text, remedy: Some(remedy) });
    }

    /// Adds something that is wrong.
    pub(super) fn fault(&mut self, text: Text, remedy: Text) {
        self.findings.push(Finding { status: Status::Fault, text, remedy: Some(remedy) });
    }

    /// Adds a value for programs.
    pub(super) fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.values.insert(key.to_owned(), value.into());
    }

    /// The weightiest of the findings.
    pub(super) fn status(&self) -> Status {
        self.findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Fine)
    }

    fn json(&self, language: Language) -> Value {
        let finding = |finding: &Finding| {
            let remedy = finding.remedy.as_ref().map(|remedy| remedy.of(language));
            json!({ "status": finding.status.key(), "text": finding.text.of(language), "remedy": remedy })
        };
        let findings: Vec<Value> = self.findings.iter().map(finding).collect();
        json!({
            "name": self.topic.names().0, "status": self.status().key(), "findings": findings, "values": self.values,
        })
    }
}

/// The whole page.
pub(super) struct Report {
    checks: Vec<Check>,
    language: Language,
}

impl Report {
    pub(super) fn new(checks: Vec<Check>, language: Language) -> Self {
        Self { checks, language }
    }

    /// Returns true if something is wrong.
    pub(super) fn has_faults(&self) -> bool {
        self.count(Status::Fault) > 0
    }

    fn count(&self, status: Status) -> usize {
        self.checks.iter().flat_map(|check| &check.findings).filter(|finding| finding.status == status).count()
    }

    pub(super) fn json(&self) -> Value {
        let checks: Vec<Value> = self.checks.iter().map(|check| check.json(self.language)).collect();
        json!({
            "version": identity::VERSION, "commit": identity::COMMIT, "target": identity::TARGET,
            "healthy": !self.has_faults(), "checks": checks,
        })
    }

    /// The last line of the page.
    fn verdict(&self) -> Text {
        match (self.count(Status::Fault), self.count(Status::Note)) {
            (0, 0) => Text::new("Nothing is wrong.", "異常はありません。"),
            (0, notes) => Text::new(
                format!("Nothing is wrong; notes: {notes}."),
                format!("異常はありません（注意 {notes} 件）。"),
            ),
            (faults, notes) => Text::new(
                format!("Faults: {faults}, notes: {notes}. Each remedy follows an arrow (->)."),
                format!("異常 {faults} 件、注意 {notes} 件。対処法は -> の行にあります。"),
            ),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let language = self.language;
        writeln!(f, "Enbu {} ({}; {})\n", identity::VERSION, identity::COMMIT, identity::TARGET)?;
        let indent = " ".repeat(MARK_COLUMNS + LABEL_COLUMNS);
        for check in &self.checks {
            let mut label = check.topic.label(language);
            for finding in &check.findings {
                let mark = padded(finding.status.mark(language), MARK_COLUMNS);
                writeln!(f, "{mark}{}{}", padded(label, LABEL_COLUMNS), finding.text.of(language))?;
                label = "";
                if let Some(remedy) = &finding.remedy {
                    writeln!(f, "{indent}-> {}", remedy.of(language))?;
                }
            }
        }
        writeln!(f, "\n{}", self.verdict().of(language))
    }
}

/// Columns of the marks and of the labels in the page.
const MARK_COLUMNS: usize = 7;
const LABEL_COLUMNS: usize = 15;

/// `text` with blanks up to a number of columns; letters of Japanese take two columns.
fn padded(text: &str, columns: usize) -> String {
    let width: usize = text.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
    format!("{text}{}", " ".repeat(columns.saturating_sub(width)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(language: Language) -> Report {
        let mut hash = Check::new(Topic::Hash);
        hash.fine(Text::new("a table", "置換表"));
        hash.fault(Text::new("too large", "大きすぎます"), Text::new("make it smaller", "小さくします"));
        hash.set("hash_mb", 64);
        let mut folders = Check::new(Topic::Folders);
        folders.fine(Text::new("none", "なし"));
        Report::new(vec![hash, folders], language)
    }

    #[test]
    fn the_page_has_a_line_for_each_finding_and_a_verdict() {
        let page = report(Language::En).to_string();
        let lines: Vec<&str> = page.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "ok     hash           a table",
                "FAULT                 too large",
                "                      -> make it smaller",
                "ok     folders        none",
                "",
                "Faults: 1, notes: 0. Each remedy follows an arrow (->).",
            ]
        );
        let page = report(Language::Ja).to_string();
        assert!(page.contains("\n異常                  大きすぎます\n") && page.contains("異常 1 件"), "{page}");
    }

    #[test]
    fn json_holds_the_worst_status_of_each_check() {
        let value = report(Language::Ja).json();
        assert_eq!(value["healthy"], false);
        assert_eq!(value["checks"][0]["status"], "fault");
        assert_eq!(value["checks"][0]["values"]["hash_mb"], 64);
        assert_eq!(value["checks"][0]["findings"][1]["remedy"], "小さくします");
        assert_eq!(value["checks"][1]["status"], "ok");
    }

    #[test]
    fn notes_are_no_faults() {
        let mut check = Check::new(Topic::Speed);
        check.note(Text::new("slow", "遅い"), Text::new("wait", "待つ"));
        let report = Report::new(vec![check], Language::En);
        assert!(!report.has_faults());
        assert!(report.to_string().ends_with("Nothing is wrong; notes: 1.\n"));
        assert_eq!(Report::new(Vec::new(), Language::En).verdict().of(Language::En), "Nothing is wrong.");
    }
}
