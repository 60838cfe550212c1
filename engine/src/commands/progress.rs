//! The state of long work on stderr: live on a terminal, plain lines elsewhere.

use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use enbu_language::{pick, text};
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{message, notice};

/// Least interval between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// A bar of this form on a terminal, hidden elsewhere; a counter without a number of steps.
pub(crate) fn bar(steps: Option<u64>, form: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = steps.map_or_else(ProgressBar::no_length, ProgressBar::new);
    bar.with_style(ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The time left of work of which `done` steps have taken `elapsed`, to follow a count; empty before the first.
pub(crate) fn time_left(elapsed: Duration, done: u64, left: u64) -> String {
    if done == 0 {
        return String::new();
    }
    let seconds = (elapsed.as_secs_f64() * left as f64 / done as f64).min(1e9) as u64;
    let time = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    text!(", about {time} left", "、残り約 {time}").to_string()
}

/// Shows how far the work is.
pub(crate) struct Progress {
    bar: ProgressBar,
    shown: Shown,
}

enum Shown {
    Live,
    Lines { last: Option<Instant> },
    Quiet,
}

impl Progress {
    pub(crate) fn new(steps: u64) -> Self {
        let eta = pick("eta", "残り");
        let bar = bar(Some(steps), &format!("{{pos}}/{{len}} {{wide_bar}} {{elapsed}} {eta} {{eta}}\n{{msg}}"));
        let shown = if bar.is_hidden() { Shown::Lines { last: None } } else { Shown::Live };
        Self { bar, shown }
    }

    /// Shows nothing but notices.
    pub(crate) fn quiet() -> Self {
        Self { bar: ProgressBar::hidden(), shown: Shown::Quiet }
    }

    pub(crate) fn show(&mut self, done: u64, state: impl FnOnce() -> String) {
        match &mut self.shown {
            Shown::Live => {
                self.bar.set_position(done);
                self.bar.set_message(message(&state()));
            }
            Shown::Lines { last } if last.is_none_or(|last| last.elapsed() >= LINE_INTERVAL) => {
                *last = Some(Instant::now());
                notice(state());
            }
            Shown::Lines { .. } | Shown::Quiet => {}
        }
    }

    /// Returns true if a bar shows the steps done and the time left.
    pub(crate) const fn has_bar(&self) -> bool {
        matches!(self.shown, Shown::Live)
    }

    pub(crate) fn set_steps(&self, steps: u64) {
        self.bar.set_length(steps);
    }

    /// Prints a notice, also when no progress is shown.
    pub(crate) fn notice(&self, text: impl Display) {
        match self.shown {
            Shown::Live => self.bar.println(message(&text.to_string())),
            Shown::Lines { .. } | Shown::Quiet => notice(text),
        }
    }

    /// Removes the live part; only notices are shown from now on.
    pub(crate) fn finish(&mut self) {
        self.bar.finish_and_clear();
        self.shown = Shown::Quiet;
    }
}
