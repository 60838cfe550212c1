//! The files of a game, and the results of earlier runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use enbu_analysis::html::{self, IndexRow};
use enbu_analysis::{GameReport, annotate};
use enbu_kifu::encoding::encode;
use enbu_kifu::{Encoding, Format, Record, WriteOptions};
use serde_json::Value;

use super::job::{Job, Target};
use super::units::Unit;
use super::{Kind, write_file};

/// Extension of the JSON of a game in a folder, which also marks it as done.
const JSON: &str = "analysis.json";

/// Returns true for the JSON of an analysis, which is no record.
pub(super) fn is_own(path: &Path) -> bool {
    path.to_string_lossy().ends_with(JSON)
}

/// The path of a game's file with this extension.
fn path_of(folder: &Path, base: &Path, extension: &str) -> PathBuf {
    let mut path = folder.join(base).into_os_string();
    path.push(format!(".{extension}"));
    path.into()
}

fn extension(kind: &Kind) -> String {
    if *kind == Kind::Json { JSON.to_owned() } else { kind.to_string() }
}

/// The analysis of an earlier run with the same settings, if there is one.
pub(super) fn known(job: &Job, folder: &Path, unit: &Unit) -> Option<GameReport> {
    let text = fs::read_to_string(path_of(folder, &unit.base, JSON)).ok()?;
    let mut value: Value = serde_json::from_str(&text).ok()?;
    value.as_object_mut()?.remove("output");
    let report = GameReport::from_json(&value.to_string()).ok()?;
    let is_same =
        report.source == unit.source && report.settings == job.settings.to_string() && report.engine == job.engine;
    is_same.then_some(report)
}

/// Returns true if the files of a known analysis are all there, as this job writes them.
pub(super) fn is_complete(job: &Job, folder: &Path, unit: &Unit) -> bool {
    let read = || -> Option<bool> {
        let text = fs::read_to_string(path_of(folder, &unit.base, JSON)).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        Some(value.get("output")?.as_str()? == job.output())
    };
    read().unwrap_or(false) && job.kinds.iter().all(|kind| path_of(folder, &unit.base, &extension(kind)).exists())
}

/// Writes the files of a game into the folder; its JSON is the last, so that a game with
/// JSON is complete.
pub(super) fn write(job: &Job, folder: &Path, unit: &Unit, report: &GameReport) -> io::Result<Vec<String>> {
    let mut messages = Vec::new();
    for kind in job.kinds.iter().filter(|kind| **kind != Kind::Json) {
        let (bytes, warnings) = render(job, kind, &[(&unit.record, report)]);
        messages.extend(warnings);
        write_file(&path_of(folder, &unit.base, &extension(kind)), &bytes)?;
    }
    write_file(&path_of(folder, &unit.base, JSON), marked(job, report).as_bytes())?;
    Ok(messages)
}

/// The JSON with the formats that were written besides it.
fn marked(job: &Job, report: &GameReport) -> String {
    let json = report.to_json();
    let rest = json.strip_prefix('{').unwrap_or(&json);
    format!("{{\"output\":{},{rest}\n", Value::from(job.output()))
}

/// Games in one format, and warnings.
pub(super) fn render(job: &Job, kind: &Kind, games: &[(&Record, &GameReport)]) -> (Vec<u8>, Vec<String>) {
    match kind {
        Kind::Json => {
            let lines: String = games.iter().map(|(_, report)| report.to_json() + "\n").collect();
            (lines.into_bytes(), Vec::new())
        }
        Kind::Html => {
            let pages: String = games.iter().map(|(record, report)| html::page(record, report, job.pages)).collect();
            (pages.into_bytes(), Vec::new())
        }
        Kind::Record { format, extension } => {
            let annotated: Vec<Record> = games
                .iter()
                .map(|(record, report)| {
                    let mut record = Record::clone(record);
                    annotate(&mut record, report, job.comments, *format);
                    record
                })
                .collect();
            let options = WriteOptions { scores: job.scores, ..WriteOptions::default() };
            let text = format.write(&annotated, options);
            let is_shift_jis = matches!(format, Format::Kif | Format::Ki2)
                && !matches!(job.target, Target::Stdout)
                && !extension.ends_with('u');
            // Shift_JIS is expected of these names, but must not lose a character.
            let shift_jis = is_shift_jis.then(|| encode(&text, Encoding::ShiftJis, "\r\n"));
            match shift_jis.filter(|encoded| encoded.warnings.count() == 0) {
                Some(encoded) => (encoded.bytes, Vec::new()),
                None => {
                    let note =
                        is_shift_jis.then(|| "warning: written as UTF-8: not all of it fits into Shift_JIS".to_owned());
                    (text.into_bytes(), note.into_iter().collect())
                }
            }
        }
    }
}

/// The row of a game in the index.
pub(super) fn row(base: &Path, report: &GameReport) -> IndexRow {
    let mut href = base.to_string_lossy().replace('\\', "/");
    href.push_str(".html");
    IndexRow::new(report, href)
}

/// The rows of every analysed game in a folder, for an index over several shards.
pub(super) fn rows(folder: &Path) -> Vec<IndexRow> {
    let mut rows = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        let Ok(entries) = fs::read_dir(&at) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if is_own(&path) {
                rows.extend(row_of_file(folder, &path));
            }
        }
    }
    rows
}

fn row_of_file(folder: &Path, path: &Path) -> Option<IndexRow> {
    let report = GameReport::from_json(&fs::read_to_string(path).ok()?).ok()?;
    let name = path.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
    let base = name.strip_suffix(&format!(".{JSON}"))?;
    Some(row(Path::new(base), &report))
}
