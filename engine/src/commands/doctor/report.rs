//! Checks and their findings, as a page and as JSON.

use std::fmt::{self, Display};

use clap::ValueEnum;
use enbu_language::{left, pick, text};
use serde_json::{Value, json};

use crate::identity;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    Fine,
    /// Worth knowing; the engine plays, perhaps more slowly than it could.
    Note,
    /// Wrong: exit code 1.
    Fault,
}

impl Status {
    /// The word in JSON, and the mark in the page.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Fine => ("ok", "ok"),
            Self::Note => ("note", pick("note", "注意")),
            Self::Fault => ("fault", pick("FAULT", "異常")),
        }
    }
}

#[derive(Debug)]
struct Finding {
    status: Status,
    text: String,
    /// Advice to the user.
    remedy: Option<String>,
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
    /// The label in the page.
    fn label(self) -> &'static str {
        match self {
            Self::Processor => pick("processor", "CPU"),
            Self::Threads => pick("threads", "スレッド"),
            Self::Hash => pick("hash", "置換表"),
            Self::OptionsFile => pick("options file", "設定ファイル"),
            Self::Network => pick("network", "評価関数"),
            Self::Book => pick("book", "定跡"),
            Self::Folders => pick("folders", "フォルダ"),
        }
    }

    /// The name in JSON and for `--only`.
    fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
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
    pub(super) fn fine(&mut self, text: impl Display) {
        self.findings.push(Finding { status: Status::Fine, text: text.to_string(), remedy: None });
    }

    /// Adds a finding that is worth knowing.
    pub(super) fn note(&mut self, text: impl Display, remedy: impl Display) {
        self.add(Status::Note, text, remedy);
    }

    /// Adds something that is wrong.
    pub(super) fn fault(&mut self, text: impl Display, remedy: impl Display) {
        self.add(Status::Fault, text, remedy);
    }

    fn add(&mut self, status: Status, text: impl Display, remedy: impl Display) {
        self.findings.push(Finding { status, text: text.to_string(), remedy: Some(remedy.to_string()) });
    }

    pub(super) fn status(&self) -> Status {
        self.findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Fine)
    }
}

pub(super) struct Report {
    pub(super) checks: Vec<Check>,
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
        let finding = |Finding { status, text, remedy }: &Finding| json!({ "status": status.words().0, "text": text, "remedy": remedy });
        let check = |check: &Check| {
            let findings: Vec<Value> = check.findings.iter().map(finding).collect();
            json!({ "name": check.topic.name(), "status": check.status().words().0, "findings": findings })
        };
        json!({
            "version": identity::VERSION, "commit": identity::COMMIT, "target": identity::TARGET,
            "healthy": !self.has_faults(), "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
        })
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Enbu {} ({}; {})\n", identity::VERSION, identity::COMMIT, identity::TARGET)?;
        let indent = " ".repeat(MARK_COLUMNS + LABEL_COLUMNS);
        for check in &self.checks {
            let mut label = check.topic.label();
            let mut remedies = check.findings.iter().skip(1).map(|finding| &finding.remedy);
            for Finding { status, text, remedy } in &check.findings {
                let mark = left(status.words().1, MARK_COLUMNS);
                writeln!(f, "{mark}{}{text}", left(std::mem::take(&mut label), LABEL_COLUMNS))?;
                // One that several findings share follows the last of them.
                let next = remedies.next();
                if let Some(text) = remedy.as_ref().filter(|_| next != Some(remedy)) {
                    writeln!(f, "{indent}-> {text}")?;
                }
            }
        }
        let verdict = match (self.count(Status::Fault), self.count(Status::Note)) {
            (0, 0) => text!("Nothing is wrong.", "異常はありません。").to_string(),
            (0, notes) => {
                text!("Nothing is wrong; notes: {notes}.", "異常はありません（注意 {notes} 件）。").to_string()
            }
            (faults, notes) => text!(
                "Faults: {faults}, notes: {notes}. Each remedy follows an arrow (->).",
                "異常 {faults} 件、注意 {notes} 件。対処法は -> の行にあります。"
            )
            .to_string(),
        };
        writeln!(f, "\n{verdict}")
    }
}

/// Columns of the marks and of the labels in the page.
const MARK_COLUMNS: usize = 7;
const LABEL_COLUMNS: usize = 15;

#[cfg(test)]
mod tests {
    use enbu_language::Language;

    use super::*;

    fn report() -> Report {
        let mut hash = Check::new(Topic::Hash);
        hash.fine(text!("a table", "置換表"));
        hash.fault(text!("too large", "大きすぎます"), text!("make it smaller", "小さくします"));
        let mut folders = Check::new(Topic::Folders);
        folders.fine(text!("none", "なし"));
        Report { checks: vec![hash, folders] }
    }

    #[test]
    fn the_page_has_a_line_for_each_finding_and_a_verdict() {
        let page = report().to_string();
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
        let page = Language::Japanese.render(fmt::from_fn(|f| report().fmt(f)));
        assert!(page.contains("\n異常                  大きすぎます\n") && page.contains("異常 1 件"), "{page}");
    }

    #[test]
    fn json_holds_the_worst_status_of_each_check() {
        let value = report().json();
        assert_eq!(value["healthy"], false);
        assert_eq!(value["checks"][0]["status"], "fault");
        assert_eq!(value["checks"][0]["findings"][1]["remedy"], "make it smaller");
        assert_eq!(value["checks"][1]["status"], "ok");
        assert_eq!(Topic::OptionsFile.name(), "options-file");
    }

    #[test]
    fn notes_are_no_faults() {
        let mut check = Check::new(Topic::Hash);
        check.note(text!("slow", "遅い"), text!("wait", "待つ"));
        let report = Report { checks: vec![check] };
        assert!(!report.has_faults());
        assert!(report.to_string().ends_with("Nothing is wrong; notes: 1.\n"));
        let mut check = Check::new(Topic::Hash);
        ["slow", "slower"].into_iter().for_each(|text| check.note(text, "wait"));
        check.note("slowest", "buy");
        let page = Report { checks: vec![check] }.to_string();
        let lines = page.lines().map(|line| line.rsplit("  ").next().unwrap_or_default()).skip(2);
        assert_eq!(lines.take(5).collect::<Vec<_>>(), ["slow", "slower", "-> wait", "slowest", "-> buy"]);
        assert!(Report { checks: Vec::new() }.to_string().ends_with("\nNothing is wrong.\n"));
    }
}
