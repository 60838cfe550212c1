//! The files of a game, and the results of earlier runs.
//!
//! A game's files are written without a sync, which would take longer than short searches: a
//! power cut may leave them empty or cut. The JSON of a game therefore holds the checksums
//! of the others, and is itself no JSON where it is cut; a later run makes such files again.

use std::io;
use std::path::{Path, PathBuf};

use enbu_analysis::html::{self, IndexRow};
use enbu_analysis::{Annotation, GameReport, Source, annotate, summary};
use enbu_files::{FileKind, read, read_text};
use enbu_kifu::encoding::encode;
use enbu_kifu::{Encoding, Format, Record, WriteOptions, Written};
use enbu_language::{Language, pick, text};
use serde::{Deserialize, Serialize};

use super::units::Unit;
use super::{Job, Kind, make_folder_of};
use crate::commands::convert::usual_encoding;
use crate::commands::failure::named;
use crate::commands::inputs::Target;
use crate::terminal::message;

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

fn extension(kind: Kind) -> &'static str {
    if kind == Kind::Json { JSON } else { kind.name() }
}

/// The analysis of an earlier run with the same settings, if there is one; and true if the other
/// files are there, as this job writes them.
pub(super) fn known(job: &Job, folder: &Path, unit: &Unit, source: &Source) -> Option<(GameReport, bool)> {
    let text = read_text(&path_of(folder, &unit.base, JSON), FileKind::Record).ok()?;
    let report = GameReport::from_json(&text).ok()?;
    let is_same =
        report.source == *source && report.settings == job.settings.to_string() && report.engine == job.engine;
    is_same.then(|| (report, is_complete(job, folder, unit, &text)))
}

/// Returns true if the files besides the JSON `text` have the bytes that its run wrote, with
/// the options of this job.
fn is_complete(job: &Job, folder: &Path, unit: &Unit, text: &str) -> bool {
    let Ok(Mark { output }) = serde_json::from_str(text) else { return false };
    let is_whole = |(kind, expected): (Kind, &String)| {
        read(&path_of(folder, &unit.base, extension(kind)), FileKind::Record)
            .is_ok_and(|bytes| checksum(&bytes) == *expected)
    };
    output.options == job.output() && besides_json(job).zip(&output.checksums).all(is_whole)
}

/// The part of a game's JSON that is no analysis.
#[derive(Deserialize)]
struct Mark {
    output: Output,
}

/// The files besides a game's JSON.
#[derive(Serialize, Deserialize)]
struct Output {
    /// [`Job::output`].
    options: String,
    /// In the order of the formats.
    checksums: Vec<String>,
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", enbu_files::fnv1a(bytes))
}

/// The formats of files besides a game's JSON.
fn besides_json(job: &Job) -> impl Iterator<Item = Kind> {
    job.kinds.iter().copied().filter(|kind| *kind != Kind::Json)
}

/// Writes the files of a game into the folder; its JSON is the last, so that a game with
/// JSON is complete.
pub(super) fn write(job: &Job, folder: &Path, unit: &Unit, report: &GameReport) -> io::Result<Vec<String>> {
    let mut messages = Vec::new();
    let mut output = Output { options: job.output(), checksums: Vec::new() };
    for kind in besides_json(job) {
        let (bytes, warnings) = render(job, kind, &[(&unit.record, report)]);
        messages.extend(warnings);
        output.checksums.push(checksum(&bytes));
        write_unsynced(&path_of(folder, &unit.base, extension(kind)), &bytes)?;
    }
    let json = marked(&output, report)?;
    write_unsynced(&path_of(folder, &unit.base, JSON), json.as_bytes())?;
    Ok(messages)
}

fn write_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder_of(path)?;
    enbu_files::write_unsynced(path, bytes).map_err(|error| named(path, &error))
}

/// The JSON of a report with a [`Mark`].
fn marked(output: &Output, report: &GameReport) -> io::Result<String> {
    let json = report.to_json();
    let rest = json.strip_prefix('{').unwrap_or(&json);
    Ok(format!("{{\"output\":{},{rest}\n", serde_json::to_string(output)?))
}

/// Games in one format, and warnings.
pub(super) fn render(job: &Job, kind: Kind, games: &[(&Record, &GameReport)]) -> (Vec<u8>, Vec<String>) {
    let text: String = match kind {
        Kind::Json => games.iter().map(|(_, report)| report.to_json() + "\n").collect(),
        Kind::Text => {
            let texts = games.iter().map(|(_, report)| message(&summary(report, usize::MAX)));
            texts.collect::<Vec<_>>().join("\n")
        }
        Kind::Html => games.iter().map(|(record, report)| html::page(record, report, job.pages)).collect(),
        Kind::Record(format, extension) => return records(job, format, extension, games),
    };
    (text.into_bytes(), Vec::new())
}

/// Games as records in one format, and warnings.
fn records(job: &Job, format: Format, extension: &str, games: &[(&Record, &GameReport)]) -> (Vec<u8>, Vec<String>) {
    let annotation = Annotation { language: Language::current(), format, earlier: job.args.comments };
    let mut annotated: Vec<Record> = games.iter().map(|(record, _)| Record::clone(record)).collect();
    annotated.iter_mut().zip(games).for_each(|(record, (_, report))| annotate(record, report, annotation));
    let options = WriteOptions { scores: job.args.scores, ..WriteOptions::default() };
    let Written { text, losses } = format.write_counted(&annotated, options);
    let note =
        |loss| text!("warning: {format} cannot hold {loss}", "注意：{format} に書けないもの：{loss}").to_string();
    let mut notes: Vec<String> = losses.iter().map(note).collect();
    let usual = if matches!(job.target, Target::Stdout) { Encoding::Utf8 } else { usual_encoding(format, extension) };
    if usual == Encoding::ShiftJis {
        // Shift_JIS is expected of these names, but must not lose a character.
        let encoded = encode(&text, Encoding::ShiftJis, "\r\n");
        if encoded.warnings.count() == 0 {
            return (encoded.bytes, notes);
        }
        let japanese = "注意：Shift_JIS にない文字があるため UTF-8 で書き出しました";
        notes.push(pick("warning: written as UTF-8: not all of it fits into Shift_JIS", japanese).to_owned());
    }
    (text.into_bytes(), notes)
}

pub(super) fn row(base: &Path, report: &GameReport) -> IndexRow {
    IndexRow::new(report, path_of(Path::new(""), base, "html"))
}

/// The rows of every analysed game in a folder, for an index over several shards.
pub(super) fn rows(folder: &Path) -> Vec<IndexRow> {
    let files = enbu_files::below(folder).unwrap_or_default();
    files.iter().filter(|path| is_own(path)).filter_map(|path| row_of_file(folder, path)).collect()
}

fn row_of_file(folder: &Path, path: &Path) -> Option<IndexRow> {
    let report = GameReport::from_json(&read_text(path, FileKind::Record).ok()?).ok()?;
    // Without both parts of the extension.
    Some(row(&path.strip_prefix(folder).ok()?.with_extension("").with_extension(""), &report))
}
