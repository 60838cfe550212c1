//! `enbu convert`: records and positions from any format into any other.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use enbu_kifu::csa::FileVersion;
use enbu_kifu::encoding::encode;
use enbu_kifu::format::UnknownFormat;
use enbu_kifu::{Encoding, Format, KifuError, Mode, Reading, Record, ScoreStyle, WriteOptions, read_any, usi};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::failure::usage;
use super::inputs::{Input, extension, inputs, shown};
use crate::terminal;

/// The arguments of `enbu convert`.
#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// Files and folders; `-` or nothing is standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write to; default: standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the input; default: detected from its content
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Format of the output: kif, kifu, ki2, ki2u, bod, csa, usi, sfen, fen, uci, pgn, jkf or svg; default: by OUT's extension
    #[arg(long, value_name = "FORMAT", value_parser = output_format)]
    to: Option<OutputFormat>,
    /// Encoding of the output: utf-8, shift_jis, euc-jp, iso-2022-jp or iso-8859-1; default: shift_jis for files named .kif and .ki2, else utf-8
    #[arg(long, value_name = "ENCODING", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// Version of CSA files
    #[arg(long, value_name = "VERSION", default_value = "3.0")]
    csa_version: CsaVersion,
    /// Line ends of the output; default: crlf for shift_jis, else lf
    #[arg(long, value_name = "LINE_END")]
    line_end: Option<LineEnd>,
    /// Take the first deviation from a format as an error
    #[arg(long)]
    strict: bool,
    /// Read as much as can be read (the default)
    #[arg(long, conflicts_with = "strict")]
    lenient: bool,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    /// With --to usi: add the ends of games, as `end=WORD winner=SIDE`
    #[arg(long)]
    ends: bool,
    /// Position of bod, svg, sfen and fen: the one after N moves
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Dialect of evaluations in comments of kif, ki2 and jkf
    #[arg(long, value_name = "DIALECT", default_value = "shogihome")]
    scores: Scores,
}

pub(crate) const EXAMPLES: &str = "Examples:
  enbu convert game.kif --to csa                 print a game as CSA
  enbu convert games/ -o all.pgn                 all games of a folder into one file
  enbu convert games/ -o out/ --to kif           one file for each, in the same subfolders
  enbu convert game.csa -o game.kif              Shift_JIS, as most programs expect of .kif
  enbu convert game.csa -o game.kifu             UTF-8
  enbu convert game.kif --to csa --csa-version 2.2
  enbu convert game.kif --to usi --ends          one line a game
  enbu convert game.kif --to svg --ply 20 -o diagram.svg";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LineEnd {
    Lf,
    Crlf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scores {
    Shogihome,
    Shogigui,
    Floodgate,
}

/// Version of CSA files, as named on the command line.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CsaVersion {
    #[value(name = "2.2")]
    V2_2,
    #[value(name = "3.0")]
    V3_0,
}

/// The format of the output, and the extension of its files: the name that was given.
#[derive(Clone)]
struct OutputFormat {
    format: Format,
    extension: String,
}

fn output_format(name: &str) -> Result<OutputFormat, UnknownFormat> {
    name.parse().map(|format| OutputFormat { format, extension: name.to_ascii_lowercase() })
}

/// The encoding that programs expect of files with this extension.
fn usual_encoding(format: Format, extension: &str) -> Encoding {
    let is_shift_jis = matches!(format, Format::Kif | Format::Ki2)
        && ["kif", "ki2"].iter().any(|kind| extension.eq_ignore_ascii_case(kind));
    if is_shift_jis { Encoding::ShiftJis } else { Encoding::Utf8 }
}

fn encoding(label: &str) -> Result<Encoding, String> {
    Encoding::from_label(label)
        .filter(|encoding| encoding.encode("").is_some())
        .ok_or_else(|| "not an encoding that can be written".to_owned())
}

/// Destination of the output.
enum Target {
    Stdout,
    File(PathBuf),
    Folder(PathBuf),
}

/// The work for every input, on any thread.
struct Job {
    args: ConvertArgs,
    to: Format,
    /// Extension of the files in a folder.
    extension: String,
    encoding: Encoding,
    target: Target,
}

/// The result of one input.
#[derive(Default)]
struct Converted {
    /// Warnings and errors.
    messages: Vec<String>,
    failed: bool,
    product: Product,
}

/// The output of one input.
#[derive(Default)]
enum Product {
    /// Nothing: it could not be read.
    #[default]
    Nothing,
    /// Its games, which are written together with those of the others.
    Records(Vec<Record>),
    /// Its part of a file.
    Text(String),
    /// Its part of standard output.
    Bytes(Vec<u8>),
    /// Files of its own.
    Files(Vec<OwnFile>),
    /// More pictures than standard output or one file can take.
    Pictures,
}

/// One of the files that an input becomes.
struct OwnFile {
    path: PathBuf,
    bytes: Vec<u8>,
    messages: Vec<String>,
}

/// Collects the results of the inputs, in their order.
struct Sink<'o, W: Write> {
    job: Job,
    out: &'o mut W,
    progress: ProgressBar,
    failures: usize,
    /// Records for one file, where its format needs them together.
    together: Vec<Record>,
    /// The text for one file so far.
    text: String,
    /// The files of a folder that were written.
    written: HashSet<PathBuf>,
}

/// Converts the files that the arguments name.
///
/// # Errors
/// When a file could not be read or written, or the arguments contradict each other.
pub(crate) fn run(args: ConvertArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let target = match &args.output {
        None => Target::Stdout,
        Some(path) if path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']) => Target::Folder(path.clone()),
        Some(path) => Target::File(path.clone()),
    };
    let by_name = match &target {
        Target::File(path) => extension(path).and_then(|name| output_format(name).ok()),
        _ => None,
    };
    let inputs = inputs(&args.inputs)?;
    let Some(OutputFormat { format: to, extension: of_files }) = args.to.clone().or(by_name) else {
        inputs.iter().try_for_each(Input::check)?;
        let message = "the format of the output is not known: add --to FORMAT, or -o FILE with its extension";
        return Err(io::Error::other(usage::<ConvertArgs>("convert", message)));
    };
    if inputs.is_empty() {
        let folders: Vec<String> = args.inputs.iter().map(|path| path.display().to_string()).collect();
        return Err(io::Error::other(format!("no records found in {}", folders.join(", "))));
    }
    let progress = progress(inputs.len());
    let written = match &target {
        // Terminals and pipes take UTF-8 in whatever format.
        Target::Stdout => "",
        Target::File(path) => extension(path).unwrap_or_default(),
        Target::Folder(_) => &of_files,
    };
    let encoding = args.encoding.unwrap_or_else(|| usual_encoding(to, written));
    let job = Job { args, to, extension: of_files, encoding, target };
    job.check_target()?;
    let (together, written) = (Vec::new(), HashSet::new());
    let mut sink = Sink { job, out, progress, failures: 0, together, text: String::new(), written };
    for batch in batches(&inputs) {
        let job = &sink.job;
        let converted: Vec<Converted> = batch.par_iter().map(|input| job.convert(input)).collect();
        for (input, converted) in batch.iter().zip(converted) {
            sink.take(&input.name(), converted)?;
            sink.progress.inc(1);
        }
    }
    sink.progress.finish_and_clear();
    sink.finish()?;
    match sink.failures {
        0 => Ok(ExitCode::SUCCESS),
        failures => Err(io::Error::other(format!("{failures} of {} inputs had errors", inputs.len()))),
    }
}

/// The inputs in groups that are converted at a time. Few enough that their output
/// fits into memory, and enough to keep all CPUs busy.
fn batches(inputs: &[Input]) -> impl Iterator<Item = &[Input]> {
    const MOST_FILES: usize = 1024;
    const MOST_BYTES: u64 = 16 << 20;
    let mut rest = inputs;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let size = |input: &Input| fs::metadata(&input.path).map_or(0, |file| file.len());
        let fits = rest.iter().take(MOST_FILES).take_while(|input| {
            let before = bytes;
            bytes += size(input);
            before == 0 || bytes <= MOST_BYTES
        });
        let (batch, after) = rest.split_at_checked(fits.count()).filter(|(batch, _)| !batch.is_empty())?;
        rest = after;
        Some(batch)
    })
}

/// A bar on a terminal, for more than one file.
fn progress(files: usize) -> ProgressBar {
    if files < 2 || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {eta}");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Job {
    fn check_target(&self) -> io::Result<()> {
        match &self.target {
            Target::Folder(folder) => fs::create_dir_all(folder),
            Target::File(path) if enbu_files::would_replace(path) && !self.args.force => Err(exists(path)),
            _ => Ok(()),
        }
    }

    fn mode(&self) -> Mode {
        if self.args.strict { Mode::Strict } else { Mode::Tolerant }
    }

    fn options(&self) -> WriteOptions {
        WriteOptions {
            scores: match self.args.scores {
                Scores::Shogihome => ScoreStyle::ShogiHome,
                Scores::Shogigui => ScoreStyle::ShogiGui,
                Scores::Floodgate => ScoreStyle::Floodgate,
            },
            csa: match self.args.csa_version {
                CsaVersion::V2_2 => FileVersion::V2_2,
                CsaVersion::V3_0 => FileVersion::V3_0,
            },
            ends: if self.args.ends { usi::Ends::Words } else { usi::Ends::Omit },
            ply: self.args.ply,
        }
    }

    fn convert(&self, input: &Input) -> Converted {
        let mut converted = Converted::default();
        match self.read(input, &mut converted.messages) {
            Ok(reading) => {
                self.report(&reading, &mut converted);
                converted.product = self.product(input, reading.records, &mut converted.messages);
            }
            Err(message) => {
                converted.messages.push(message);
                converted.failed = true;
            }
        }
        converted
    }

    fn read(&self, input: &Input, messages: &mut Vec<String>) -> Result<Reading, String> {
        let bytes = input.bytes().map_err(|error| error.to_string())?;
        let told = |error: KifuError| error.to_string();
        if let Some(format) = self.args.from {
            return format.read_bytes(&bytes, self.mode()).map_err(told);
        }
        let (found, reading) = read_any(&bytes, self.mode()).map_err(told)?;
        let named = extension(&input.path).and_then(Format::of_extension);
        if named.is_some_and(|named| !named.reads_as(found)) {
            messages.push(format!("warning: the file is of the format {found}"));
        }
        Ok(reading)
    }

    /// Adds the errors and warnings of a file.
    fn report(&self, reading: &Reading, converted: &mut Converted) {
        let messages = &mut converted.messages;
        messages.extend(reading.errors.iter().map(ToString::to_string));
        messages.extend(shown(&reading.warnings, ""));
        let holds_variations = matches!(self.to, Format::Kif | Format::Ki2 | Format::Pgn | Format::Jkf);
        if !holds_variations && reading.records.iter().any(Record::has_variations) {
            messages.push(format!("warning: {} has no variations; only the main line is written", self.to));
        }
        converted.failed = !reading.errors.is_empty();
    }

    fn product(&self, input: &Input, records: Vec<Record>, messages: &mut Vec<String>) -> Product {
        match &self.target {
            Target::Folder(folder) => Product::Files(self.own_files(folder, input, &records)),
            _ if self.to == Format::Svg && records.len() > 1 => Product::Pictures,
            // CSA has one head for all games of a file, and KI2 a separator between them.
            _ if matches!(self.to, Format::Csa | Format::Ki2) => Product::Records(records),
            Target::Stdout => Product::Bytes(self.encode(&self.to.write(&records, self.options()), messages)),
            Target::File(_) => Product::Text(self.to.write(&records, self.options())),
        }
    }

    /// The games of one input as files of their own.
    fn own_files(&self, folder: &Path, input: &Input, records: &[Record]) -> Vec<OwnFile> {
        let stem = input.path.file_stem().filter(|stem| *stem != "-").unwrap_or(OsStr::new("stdin"));
        let base = folder.join(&input.subfolder).join(stem);
        let single = self.to == Format::Svg && records.len() > 1;
        let groups: Vec<&[Record]> = if single { records.chunks(1).collect() } else { vec![records] };
        let file = |(number, group): (usize, &[Record])| {
            let mut path = base.as_os_str().to_owned();
            if single {
                path.push(format!("-{number}"));
            }
            path.push(format!(".{}", self.extension));
            let mut messages = Vec::new();
            let bytes = self.encode(&self.to.write(group, self.options()), &mut messages);
            OwnFile { path: PathBuf::from(path), bytes, messages }
        };
        (1..).zip(groups).map(file).collect()
    }

    fn encode(&self, text: &str, messages: &mut Vec<String>) -> Vec<u8> {
        let crlf = match self.args.line_end {
            Some(line_end) => line_end == LineEnd::Crlf,
            None => self.encoding == Encoding::ShiftJis,
        };
        let encoded = encode(text, self.encoding, if crlf { "\r\n" } else { "\n" });
        messages.extend(shown(&encoded.warnings, "output "));
        encoded.bytes
    }
}

impl<W: Write> Sink<'_, W> {
    /// Prints a message about an input, above the bar.
    fn say(&self, name: &str, what: &str) {
        self.progress.suspend(|| {
            // No stream is left if even this fails.
            let _ = writeln!(terminal::stderr(), "enbu: {name}: {what}");
        });
    }

    fn take(&mut self, name: &str, converted: Converted) -> io::Result<()> {
        for message in &converted.messages {
            self.say(name, message);
        }
        self.failures += usize::from(converted.failed);
        match converted.product {
            Product::Nothing => {}
            Product::Text(text) if self.job.to != Format::Svg || self.text.is_empty() => self.text.push_str(&text),
            Product::Text(_) | Product::Pictures => {
                self.say(name, "several pictures need a folder to be written to");
                self.failures += 1;
            }
            Product::Records(records) => self.together.extend(records),
            Product::Bytes(bytes) => self.out.write_all(&bytes)?,
            Product::Files(files) => {
                for file in files {
                    self.write_own_file(name, file)?;
                }
            }
        }
        Ok(())
    }

    fn write_own_file(&mut self, name: &str, file: OwnFile) -> io::Result<()> {
        let refused = if self.written.contains(&file.path) {
            Some(format!("{} was written from another input", file.path.display()))
        } else {
            (enbu_files::would_replace(&file.path) && !self.job.args.force).then(|| exists(&file.path).to_string())
        };
        if let Some(reason) = refused {
            self.say(name, &reason);
            self.failures += 1;
            return Ok(());
        }
        for message in &file.messages {
            self.say(name, message);
        }
        if let Some(folder) = file.path.parent() {
            fs::create_dir_all(folder)?;
        }
        write_file(&file.path, &file.bytes)?;
        self.written.insert(file.path);
        Ok(())
    }

    /// Writes the text that was kept for the end.
    fn finish(&mut self) -> io::Result<()> {
        if !self.together.is_empty() {
            self.text = self.job.to.write(&self.together, self.job.options());
        }
        if self.text.is_empty() {
            return Ok(());
        }
        let mut messages = Vec::new();
        let bytes = self.job.encode(&self.text, &mut messages);
        for message in &messages {
            self.say("output", message);
        }
        match &self.job.target {
            Target::File(path) => write_file(path, &bytes),
            _ => self.out.write_all(&bytes),
        }
    }
}

fn exists(path: &Path) -> io::Error {
    io::Error::other(format!("{} exists; --force overwrites it", path.display()))
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    enbu_files::write(path, bytes).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}
