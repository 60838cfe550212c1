//! Reports of the client: statistics on stdout, notices and the state on stderr, files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use enbu_csa::{Direction, GameReport, Listener, Tally};
use enbu_files::reason;
use enbu_language::text;
use indicatif::ProgressBar;

use crate::commands::failure::named;
use crate::commands::progress::bar;
use crate::terminal::{message, notice};

/// Receives the reports of the client.
pub(super) struct Console<'o, W> {
    out: &'o mut W,
    bar: ProgressBar,
    log: Option<File>,
    trace: Option<File>,
    /// First error of a file or of the output.
    error: Option<io::Error>,
}

impl<'o, W: Write> Console<'o, W> {
    /// Opens the files; lines are appended.
    pub(super) fn new(out: &'o mut W, log: Option<&Path>, trace: Option<&Path>) -> io::Result<Self> {
        let open = |path: &Path| enbu_files::append(path).map_err(|error| named(path, &error));
        let bar = bar(None, "{spinner} {msg}");
        Ok(Self { out, bar, log: log.map(open).transpose()?, trace: trace.map(open).transpose()?, error: None })
    }

    /// Removes the state, and returns the first error of a file.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.error.take().map_or(Ok(()), Err)
    }

    fn keep_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && self.error.is_none()
        {
            self.notice(&text!("output: {}", "出力：{}", reason(&error)).to_string());
            self.error = Some(error);
        }
    }
}

impl<W: Write> Listener for Console<'_, W> {
    fn notice(&mut self, text: &str) {
        if self.bar.is_hidden() {
            notice(text);
        } else {
            self.bar.println(message(text));
        }
    }

    fn status(&mut self, text: &str) {
        self.bar.set_message(message(text));
        self.bar.tick();
    }

    fn line(&mut self, direction: Direction, text: &str) {
        let Some(trace) = &mut self.trace else { return };
        let mark = match direction {
            Direction::Sent => '>',
            Direction::Received => '<',
        };
        let written = writeln!(trace, "{mark} {}", message(text));
        self.keep_error(written);
    }

    fn game(&mut self, report: &GameReport, tally: &Tally) {
        let line = report.line(tally);
        let out = &mut *self.out;
        let printed = self.bar.suspend(|| writeln!(out, "{line}").and_then(|()| out.flush()));
        self.keep_error(printed);
        if let Some(log) = &mut self.log {
            let json = serde_json::to_string(report).map_err(io::Error::other);
            let written = json.and_then(|json| writeln!(log, "{json}")).and_then(|()| log.sync_data());
            self.keep_error(written);
        }
    }
}
