//! Progress and totals.

use std::time::Instant;

use enbu_language::text;

use crate::commands::progress::{Progress, time_left};

/// Counts positions and shows them with the time left.
pub(super) struct Meter {
    progress: Progress,
    started: Instant,
    inputs: usize,
    read_inputs: usize,
    /// Positions of the games read so far, without those of earlier runs.
    read_positions: u64,
    positions: u64,
    pub(super) games: u64,
    pub(super) skipped: u64,
}

impl Meter {
    pub(super) fn new(inputs: usize) -> Self {
        Self {
            progress: Progress::new(0),
            started: Instant::now(),
            inputs,
            read_inputs: 0,
            read_positions: 0,
            positions: 0,
            games: 0,
            skipped: 0,
        }
    }

    pub(super) fn read(&mut self, positions: u64) {
        self.read_inputs += 1;
        self.read_positions += positions;
    }

    /// A game of so many positions needs no search.
    pub(super) fn skip(&mut self, positions: u64) {
        self.skipped += 1;
        self.read_positions = self.read_positions.saturating_sub(positions);
    }

    /// The expected number of positions: inputs not read yet count as the others.
    fn expected(&self) -> u64 {
        let unread = self.inputs.saturating_sub(self.read_inputs) as f64;
        let mean = self.read_positions as f64 / (self.read_inputs.max(1)) as f64;
        (self.read_positions as f64 + unread * mean).max(self.positions as f64) as u64
    }

    pub(super) fn show(&mut self, positions: u64) {
        self.positions = positions;
        let expected = self.expected();
        let left = time_left(self.started.elapsed(), positions, expected - positions);
        let line = format!("{}{left}", self.line());
        self.progress.set_steps(expected);
        if positions > 0 {
            self.progress.show(positions, || line);
        }
    }

    /// The totals and the speed of this run.
    pub(super) fn line(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let Self { games, positions, skipped, .. } = self;
        let skipped = match skipped {
            0 => String::new(),
            _ => text!(" ({skipped} of an earlier run)", "（うち前回の解析 {skipped} 局）").to_string(),
        };
        let s = if *games == 1 { "" } else { "s" };
        let speed = *positions as f64 / seconds;
        text!(
            "{games} game{s}{skipped}, {positions} positions, {speed:.1} positions/s",
            "{games}局{skipped}、{positions}局面、{speed:.1} 局面/秒"
        )
        .to_string()
    }

    /// Prints a message above the progress.
    pub(super) fn notice(&self, name: &str, message: &str) {
        self.progress.notice(format_args!("enbu: {name}: {message}"));
    }

    pub(super) fn finish(&mut self, positions: u64) {
        self.positions = positions;
        self.progress.finish();
    }
}
