//! The state of long work on stderr: live on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often plain lines are written at most.
const LINE_INTERVAL: Duration = Duration::from_secs(1);

/// Shows how far the work is.
pub(crate) struct Progress {
    bar: ProgressBar,
    shown: Shown,
}

/// How progress is shown.
enum Shown {
    /// By the bar.
    Live,
    /// By a line now and then.
    Lines { last: Option<Instant> },
    /// Not at all.
    Quiet,
}

impl Progress {
    /// For work of so many steps.
    pub(crate) fn new(steps: u64) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden(), shown: Shown::Lines { last: None } };
        }
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_bar} {elapsed} eta {eta}\n{msg}") {
            bar.set_style(style);
        }
        Self { bar, shown: Shown::Live }
    }

    /// Shows nothing but notices.
    pub(crate) fn quiet() -> Self {
        Self { bar: ProgressBar::hidden(), shown: Shown::Quiet }
    }

    /// Shows that `done` steps are done, and what `state` says of them.
    pub(crate) fn show(&mut self, done: u64, state: impl FnOnce() -> String) {
        match &mut self.shown {
            Shown::Live => {
                self.bar.set_position(done);
                self.bar.set_message(state());
            }
            Shown::Lines { last } if last.is_none_or(|last| last.elapsed() >= LINE_INTERVAL) => {
                *last = Some(Instant::now());
                line(&state());
            }
            Shown::Lines { .. } | Shown::Quiet => {}
        }
    }

    /// Tells something that matters whether or not progress is shown.
    pub(crate) fn notice(&self, text: &str) {
        match self.shown {
            Shown::Live => self.bar.println(text),
            Shown::Lines { .. } | Shown::Quiet => line(text),
        }
    }

    /// Removes the live part; only notices are shown from now on.
    pub(crate) fn finish(&mut self) {
        self.bar.finish_and_clear();
        self.shown = Shown::Quiet;
    }
}

fn line(text: &str) {
    // Nobody is left to tell if stderr is gone; the work goes on.
    let _ = writeln!(io::stderr(), "{text}");
}
