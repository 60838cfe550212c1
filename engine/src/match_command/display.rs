//! What is seen of a match while it runs: a live table on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use enbu_arena::report::Report;
use enbu_arena::{Pentanomial, Sprt};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

/// How often plain lines are written at most.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows progress on stderr.
pub(super) struct Display {
    bar: ProgressBar,
    live: bool,
    quiet: bool,
    last_line: Option<Instant>,
}

impl Display {
    /// A display for a match of so many games.
    pub(super) fn new(games: u64, quiet: bool) -> Self {
        let live = !quiet && io::stderr().is_terminal();
        let bar = if live { ProgressBar::new(games) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_bar} {elapsed} eta {eta}\n{msg}") {
            bar.set_style(style);
        }
        Self { bar, live, quiet, last_line: None }
    }

    /// Shows the state of the match.
    pub(super) fn show(&mut self, report: &Report, sprt: Option<&Sprt>) {
        if self.live {
            self.bar.set_position(report.games());
            self.bar.set_message(state(report, sprt));
        } else if !self.quiet && self.last_line.is_none_or(|last| last.elapsed() >= LINE_INTERVAL) {
            self.last_line = Some(Instant::now());
            Self::line(&state(report, sprt));
        }
    }

    /// Tells something that matters whether or not the display is quiet.
    pub(super) fn notice(&mut self, text: &str) {
        if self.live { self.bar.println(text) } else { Self::line(text) }
    }

    /// Removes the live part.
    pub(super) fn finish(&mut self) {
        self.bar.finish_and_clear();
        self.live = false;
    }

    fn line(text: &str) {
        // Nobody is left to tell if stderr is gone; the match goes on.
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// One line for two engines, a table for more.
fn state(report: &Report, sprt: Option<&Sprt>) -> String {
    match report.pairings() {
        [one] => one.line(sprt),
        _ => report.table(),
    }
}

/// The pairings with their estimates, for other programs.
pub(super) fn machine(report: &Report, sprt: Option<&Sprt>) -> Value {
    let pairings = report.pairings().iter().map(|pairing| {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(pairing) else { return Value::Null };
        let pairs = &pairing.pairs;
        fields.insert("elo".to_owned(), json!(pairs.elo()));
        fields.insert("normalised_elo".to_owned(), json!(pairs.normalised_elo()));
        fields.insert("los".to_owned(), json!(pairs.los()));
        fields.extend(sprt.map(|sprt| ("sprt".to_owned(), machine_sprt(sprt, pairs))));
        Value::Object(fields)
    });
    pairings.collect()
}

fn machine_sprt(sprt: &Sprt, pairs: &Pentanomial) -> Value {
    let (lower, upper) = sprt.bounds();
    json!({
        "elo0": sprt.elo0, "elo1": sprt.elo1, "model": sprt.model, "llr": sprt.llr(pairs),
        "lower": lower, "upper": upper, "decision": sprt.decision(pairs),
    })
}
