//! Checks and their findings, in two languages, as a page and as JSON.

use std::fmt;

use clap::ValueEnum;
use enbu_language::Language;
use serde_json::{Value, json};

use crate::identity;

/// A text in English and Japanese.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text(pub(super) [String; 2]);

impl Text {
    fn of(&self, language: Language) -> &str {
        let [english, japanese] = &self.0;
        language.pick(english, japanese)
    }
}

/// A [`Text`] from two format strings; one serves both languages.
macro_rules! text {
    ($both:literal) => {
        text!($both, $both)
    };
    ($english:literal, $japanese:literal) => {
        $crate::commands::doctor::report::Text([format!($english), format!($japanese)])
    };
}
pub(super) use text;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    Fine,
    /// Worth knowing; the engine plays, perhaps more slowly than it could.
    Note,
    /// Wrong: exit code 1.
    Fault,
}

impl Status {
    /// The word in JSON, and the marks in the page.
    const fn words(self) -> (&'static str, [&'static str; 2]) {
        match self {
            Self::Fine => ("ok", ["ok", "ok"]),
            Self::Note => ("note", ["note", "注意"]),
            Self::Fault => ("fault", ["FAULT", "異常"]),
        }
    }
}

#[derive(Debug)]
struct Finding {
    status: Status,
    text: Text,
    /// Advice to the user.
    remedy: Option<Text>,
}

/// Subject of a check, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Topic {
    Processor,
    Threads,
    Hash,
    OptionsFile,
    Network,
    Book,
    Folders,
}

impl Topic {
    /// The name in JSON and for `--only`, and the labels in the page.
    const fn words(self) -> (&'static str, [&'static str; 2]) {
        match self {
            Self::Processor => ("processor", ["processor", "CPU"]),
            Self::Threads => ("threads", ["threads", "スレッド"]),
            Self::Hash => ("hash", ["hash", "置換表"]),
            Self::OptionsFile => ("options-file", ["options file", "設定ファイル"]),
            Self::Network => ("network", ["network", "評価関数"]),
            Self::Book => ("book", ["book", "定跡"]),
            Self::Folders => ("folders", ["folders", "フォルダ"]),
        }
    }
}

/// Findings about one subject.
#[derive(Debug)]
pub(super) struct Check {
    topic: Topic,
    findings: Vec<Finding>,
}

impl Check {
    pub(super) fn new(topic: Topic) -> Self {
        Self { topic, findings: Vec::new() }
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

    pub(super) fn status(&self) -> Status {
        self.findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Fine)
    }
}

pub(super) struct Report {
    pub(super) checks: Vec<Check>,
    pub(super) language: Language,
}

impl Report {
    /// Returns true if something is wrong.
    pub(super) fn has_faults(&self) -> bool {
        self.count(Status::Fault) > 0
    }

    fn count(&self, status: Status) -> usize {
        self.checks.iter().flat_map(|check| &check.findings).filter(|finding| finding.status == status).count()
    }

    pub(super) fn json(&self) -> Value {
        let finding = |finding: &Finding| {
            let remedy = finding.remedy.as_ref().map(|remedy| remedy.of(self.language));
            json!({ "status": finding.status.words().0, "text": finding.text.of(self.language), "remedy": remedy })
        };
        let check = |check: &Check| {
            let findings: Vec<Value> = check.findings.iter().map(finding).collect();
            json!({ "name": check.topic.words().0, "status": check.status().words().0, "findings": findings })
        };
        json!({
            "version": identity::VERSION, "commit": identity::COMMIT, "target": identity::TARGET,
            "healthy": !self.has_faults(), "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
        })
    }

    /// The last line of the page.
    fn verdict(&self) -> Text {
        match (self.count(Status::Fault), self.count(Status::Note)) {
            (0, 0) => text!("Nothing is wrong.", "異常はありません。"),
            (0, notes) => text!("Nothing is wrong; notes: {notes}.", "異常はありません（注意 {notes} 件）。"),
            (faults, notes) => text!(
                "Faults: {faults}, notes: {notes}. Each remedy follows an arrow (->).",
                "異常 {faults} 件、注意 {notes} 件。対処法は -> の行にあります。"
            ),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |[english, japanese]: [&'static str; 2]| self.language.pick(english, japanese);
        writeln!(f, "Enbu {} ({}; {})\n", identity::VERSION, identity::COMMIT, identity::TARGET)?;
        let indent = " ".repeat(MARK_COLUMNS + LABEL_COLUMNS);
        for check in &self.checks {
            let mut label = word(check.topic.words().1);
            for Finding { status, text, remedy } in &check.findings {
                let (mark, label) =
                    (padded(word(status.words().1), MARK_COLUMNS), padded(std::mem::take(&mut label), LABEL_COLUMNS));
                writeln!(f, "{mark}{label}{}", text.of(self.language))?;
                if let Some(remedy) = remedy {
                    writeln!(f, "{indent}-> {}", remedy.of(self.language))?;
                }
            }
        }
        writeln!(f, "\n{}", self.verdict().of(self.language))
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
        hash.fine(text!("a table", "置換表"));
        hash.fault(text!("too large", "大きすぎます"), text!("make it smaller", "小さくします"));
        let mut folders = Check::new(Topic::Folders);
        folders.fine(text!("none", "なし"));
        Report { checks: vec![hash, folders], language }
    }

    #[test]
    fn the_page_has_a_line_for_each_finding_and_a_verdict() {
        let page = report(Language::English).to_string();
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
        let page = report(Language::Japanese).to_string();
        assert!(page.contains("\n異常                  大きすぎます\n") && page.contains("異常 1 件"), "{page}");
    }

    #[test]
    fn json_holds_the_worst_status_of_each_check() {
        let value = report(Language::Japanese).json();
        assert_eq!(value["healthy"], false);
        assert_eq!(value["checks"][0]["status"], "fault");
        assert_eq!(value["checks"][0]["findings"][1]["remedy"], "小さくします");
        assert_eq!(value["checks"][1]["status"], "ok");
        for topic in Topic::value_variants() {
            let name = topic.to_possible_value().map(|value| value.get_name().to_owned());
            assert_eq!(name.as_deref(), Some(topic.words().0));
        }
    }

    #[test]
    fn notes_are_no_faults() {
        let mut check = Check::new(Topic::Hash);
        check.note(text!("slow", "遅い"), text!("wait", "待つ"));
        let report = Report { checks: vec![check], language: Language::English };
        assert!(!report.has_faults());
        assert!(report.to_string().ends_with("Nothing is wrong; notes: 1.\n"));
        let nothing = Report { checks: Vec::new(), language: Language::English };
        assert_eq!(nothing.verdict().of(Language::English), "Nothing is wrong.");
    }
}
