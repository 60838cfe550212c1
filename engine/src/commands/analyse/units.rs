//! The games of the inputs, one after the other.

use std::path::PathBuf;

use enbu_analysis::Source;
use enbu_files::reason;
use enbu_kifu::{Format, Mode, Record, WriteOptions, read_any};
use enbu_language::text;

use crate::commands::inputs::{Bases, Input, shown};

pub(super) struct Unit {
    /// Its number among the games of all inputs, from 0.
    pub(super) number: u64,
    pub(super) name: String,
    /// The path of its files below the output folder, without an extension.
    pub(super) base: PathBuf,
    /// Its origin, without a digest.
    source: Source,
    pub(super) record: Record,
}

impl Unit {
    /// The origin of the game, with a digest of its record.
    pub(super) fn source(&self) -> Source {
        Source { digest: digest(&self.record), ..self.source.clone() }
    }
}

/// The games of one input, and messages about it.
pub(super) struct ReadInput {
    pub(super) name: String,
    pub(super) messages: Vec<String>,
    pub(super) failed: bool,
    pub(super) units: Vec<Unit>,
}

/// Reads inputs and names their games.
#[derive(Default)]
pub(super) struct Reader {
    games: u64,
    /// The first move to judge.
    from: usize,
    bases: Bases,
}

impl Reader {
    pub(super) fn new(from: usize) -> Self {
        let mut bases = Bases::default();
        bases.numbered(PathBuf::from("index"));
        Self { games: 0, from, bases }
    }

    /// Reads a file up to its damage.
    pub(super) fn read(&mut self, input: &Input) -> ReadInput {
        let mut found = ReadInput { name: input.name(), messages: Vec::new(), failed: false, units: Vec::new() };
        let reading = input.bytes().map_err(|error| reason(&error).to_string());
        let reading = reading.and_then(|bytes| read_any(&bytes, Mode::Tolerant).map_err(|error| error.to_string()));
        let reading = match reading {
            Ok((_, reading)) => reading,
            Err(message) => return ReadInput { messages: vec![message], failed: true, ..found },
        };
        found.messages.extend(reading.errors.iter().map(ToString::to_string));
        found.messages.extend(shown(&reading.warnings, ""));
        found.failed = !reading.errors.is_empty();
        let base = self.bases.of_input(input);
        let count = reading.records.len();
        let digits = count.to_string().len();
        for (game, record) in (1..).zip(reading.records) {
            let (mut path, mut name) = (base.clone().into_os_string(), input.name());
            if count > 1 {
                path.push(format!("-{game:0digits$}"));
                name += &text!(" (game {game})", "（{game} 局目）").to_string();
            }
            let moves = record.moves().count();
            if moves < self.from && self.from > 1 {
                let from = self.from;
                let text = text!("--from {from}: {name} has {moves} moves", "--from {from}：{name} は {moves} 手です");
                found.messages.push(text.to_string());
                found.failed = true;
                continue;
            }
            let file = input.subfolder.join(input.path.file_name().unwrap_or_default());
            let file = file.to_string_lossy().replace('\\', "/");
            let source = Source { file, game, digest: String::new() };
            found.units.push(Unit { number: self.games, name, base: path.into(), source, record });
            self.games += 1;
        }
        found
    }
}

/// A digest of everything in a record (FNV-1a, 64 bits).
fn digest(record: &Record) -> String {
    let text = Format::Jkf.write(std::slice::from_ref(record), WriteOptions::default());
    format!("{:016x}", enbu_files::fnv1a(text.as_bytes()))
}
