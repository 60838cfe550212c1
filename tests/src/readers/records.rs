//! Game records in every format and encoding.

use std::path::Path;

use enbu_kifu::{Format, KifuError, Mode, Reading, Record, WriteOptions, read_any};

use super::check_message;
use crate::binary::workspace_root;
use crate::files;

/// The longest file that is a seed.
const SEED_BYTES: usize = 3_000;

pub(super) fn examine(bytes: &[u8]) {
    for mode in [Mode::Tolerant, Mode::Strict] {
        for format in Format::ALL {
            check(format.read_bytes(bytes, mode));
        }
        if let Some(reading) = check(read_any(bytes, mode).map(|(_, reading)| reading)) {
            write(&reading.records);
        }
    }
}

fn check(outcome: Result<Reading, KifuError>) -> Option<Reading> {
    match outcome {
        Ok(reading) => {
            assert!(!reading.records.is_empty());
            reading.errors.iter().chain(reading.warnings.iter()).for_each(check_message);
            Some(reading)
        }
        Err(error) => {
            check_message(error);
            None
        }
    }
}

/// Writes records in every format; asserts that those for whole games keep the moves of the main line.
fn write(records: &[Record]) {
    for format in Format::ALL {
        let text = format.write(records, WriteOptions::default());
        if !matches!(format, Format::Kif | Format::Csa | Format::Usi | Format::Jkf) {
            continue;
        }
        let again = format.read(&text, Mode::Tolerant).unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
        let moves = |records: &[Record]| records.iter().map(|record| record.moves().collect()).collect();
        let (before, after): (Vec<Vec<_>>, Vec<Vec<_>>) = (moves(records), moves(&again.records));
        assert_eq!(before, after, "{format}\n{text}");
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let folder = workspace_root().join(Path::new("tests/data/records"));
    let is_record = |path: &Path| {
        path.extension().and_then(|extension| extension.to_str()).and_then(Format::of_extension).is_some()
    };
    let files = files::below(&folder).into_iter();
    files.filter(|(path, bytes)| is_record(path) && bytes.len() <= SEED_BYTES).map(|(_, bytes)| bytes).collect()
}
