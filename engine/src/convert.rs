//! `enbu convert`: records and positions from any format into any other.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use enbu_kifu::format::encode;
use enbu_kifu::{Encoding, Format, KifuError, Mode, Reading, Record, ScoreStyle, WriteOptions, read_any, usi};
use indicatif::{ProgressBar, ProgressStyle};

/// What is to be converted, and into what.
#[derive(Args)]
pub(crate) struct ConvertArgs {
    /// Files and folders; `-` or nothing is standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File or folder to write to; default: standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the input; default: told from its content
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Format of the output: kif, ki2, bod, csa, usi, sfen, fen, uci, pgn, jkf or svg; default: by OUT's extension
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Encoding of the output: utf-8, shift_jis, euc-jp, iso-2022-jp or iso-8859-1
    #[arg(long, value_name = "ENCODING", default_value = "utf-8", value_parser = encoding)]
    encoding: Encoding,
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
    /// With --to usi: tell how games ended, as `end=WORD winner=SIDE`
    #[arg(long)]
    ends: bool,
    /// Which position bod, svg, sfen and fen show: the one after N moves
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
  enbu convert game.csa -o game.kif --encoding shift_jis
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

fn encoding(label: &str) -> Result<Encoding, String> {
    Encoding::from_label(label)
        .filter(|encoding| encoding.encode("").is_some())
        .ok_or_else(|| "not an encoding that can be written".to_owned())
}

/// Warnings about one file that are shown; more are only counted.
const MOST_WARNINGS: usize = 20;

/// A file to read.
struct Input {
    path: PathBuf,
    /// The subfolder of a folder that was named, in which it stands.
    subfolder: PathBuf,
}

/// Where the text goes.
enum Target {
    Stdout,
    File(PathBuf),
    Folder(PathBuf),
}

struct Converter<'o, W: Write> {
    args: ConvertArgs,
    to: Format,
    target: Target,
    out: &'o mut W,
    progress: ProgressBar,
    failures: usize,
    /// Records for one file, where its format needs them together.
    together: Vec<Record>,
    /// What has been written for one file.
    text: String,
    /// The files of a folder that were written.
    written: HashSet<PathBuf>,
}

/// Converts what the arguments name.
///
/// # Errors
/// When a file could not be read or written, or the arguments contradict each other.
pub(crate) fn run(args: ConvertArgs, out: &mut impl Write) -> io::Result<()> {
    let target = match &args.output {
        None => Target::Stdout,
        Some(path) if path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']) => Target::Folder(path.clone()),
        Some(path) => Target::File(path.clone()),
    };
    let by_name = match &target {
        Target::File(path) => extension(path).and_then(Format::of_extension),
        _ => None,
    };
    let Some(to) = args.to.or(by_name) else {
        let usage = "error: the format of the output is not known: tell it with --to FORMAT\n";
        clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, usage).exit();
    };
    let inputs = inputs(&args.inputs)?;
    let progress = progress(inputs.len());
    let mut converter = Converter {
        args,
        to,
        target,
        out,
        progress,
        failures: 0,
        together: Vec::new(),
        text: String::new(),
        written: HashSet::new(),
    };
    converter.check_target()?;
    for input in &inputs {
        converter.input(input)?;
        converter.progress.inc(1);
    }
    converter.progress.finish_and_clear();
    converter.finish()?;
    match converter.failures {
        0 => Ok(()),
        failures => Err(io::Error::other(format!("{failures} of {} inputs had errors", inputs.len()))),
    }
}

fn extension(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// The files to read; folders stand for the files in them that a format has.
fn inputs(named: &[PathBuf]) -> io::Result<Vec<Input>> {
    let file = |path: &Path| Input { path: path.to_owned(), subfolder: PathBuf::new() };
    if named.is_empty() {
        return Ok(vec![file(Path::new("-"))]);
    }
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            collect(path, Path::new(""), &mut files)?;
        } else {
            files.push(file(path));
        }
    }
    Ok(files)
}

fn collect(folder: &Path, subfolder: &Path, files: &mut Vec<Input>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_cached_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links are followed, as they are when they are named.
        let kind = entry.file_type()?;
        if kind.is_dir() || (kind.is_symlink() && path.is_dir()) {
            collect(&path, &subfolder.join(entry.file_name()), files)?;
        } else if extension(&path).and_then(Format::of_extension).is_some_and(|format| format != Format::Svg) {
            files.push(Input { path, subfolder: subfolder.to_owned() });
        }
    }
    Ok(())
}

/// A bar on standard error, when somebody watches it and there is something to wait for.
fn progress(files: usize) -> ProgressBar {
    if files < 2 || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {eta}");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl<W: Write> Converter<'_, W> {
    fn check_target(&self) -> io::Result<()> {
        match &self.target {
            Target::Folder(folder) => fs::create_dir_all(folder),
            Target::File(path) if path.exists() && !self.args.force => Err(exists(path)),
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
            ends: if self.args.ends { usi::Ends::Words } else { usi::Ends::Omit },
            ply: self.args.ply,
        }
    }

    /// Says something about an input, beside the bar.
    fn say(&self, name: &str, what: &str) {
        self.progress.suspend(|| {
            // Nobody left to tell if even this fails.
            let _ = writeln!(io::stderr(), "enbu: {name}: {what}");
        });
    }

    fn input(&mut self, input: &Input) -> io::Result<()> {
        let path = input.path.as_path();
        let name = if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
        let reading = match self.read(path, &name) {
            Ok(reading) => reading,
            Err(message) => {
                self.say(&name, &message);
                self.failures += 1;
                return Ok(());
            }
        };
        self.report(&name, &reading);
        self.records(input, &name, reading.records)
    }

    fn read(&self, path: &Path, name: &str) -> Result<Reading, String> {
        let mut bytes = Vec::new();
        if path.as_os_str() == "-" {
            io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        } else {
            bytes = fs::read(path).map_err(|error| error.to_string())?;
        }
        let told = |error: KifuError| error.to_string();
        if let Some(format) = self.args.from {
            return format.read_bytes(&bytes, self.mode()).map_err(told);
        }
        let (found, reading) = read_any(&bytes, self.mode()).map_err(told)?;
        let named = extension(path).and_then(Format::of_extension);
        if named.is_some_and(|named| !named.reads_as(found)) {
            self.say(name, &format!("warning: the file is of the format {found}"));
        }
        Ok(reading)
    }

    /// Tells what was wrong with a file.
    fn report(&mut self, name: &str, reading: &Reading) {
        for error in &reading.errors {
            self.say(name, &error.to_string());
        }
        for warning in reading.warnings.iter().take(MOST_WARNINGS) {
            self.say(name, &format!("warning: {warning}"));
        }
        if let Some(more) = reading.warnings.count().checked_sub(MOST_WARNINGS).filter(|&more| more > 0) {
            self.say(name, &format!("warning: {more} more warnings"));
        }
        let holds_variations = matches!(self.to, Format::Kif | Format::Ki2 | Format::Pgn | Format::Jkf);
        if !holds_variations && reading.records.iter().any(Record::has_variations) {
            self.say(name, &format!("warning: {} has no variations; only the main line is written", self.to));
        }
        self.failures += usize::from(!reading.errors.is_empty());
    }

    fn records(&mut self, input: &Input, name: &str, records: Vec<Record>) -> io::Result<()> {
        if let Target::Folder(folder) = &self.target {
            let stem = input.path.file_stem().filter(|stem| *stem != "-").unwrap_or(OsStr::new("stdin"));
            let folder = folder.join(&input.subfolder);
            fs::create_dir_all(&folder)?;
            return self.write_into_folder(&folder.join(stem), name, &records);
        }
        if self.to == Format::Svg && (records.len() > 1 || !self.together.is_empty() || !self.text.is_empty()) {
            self.say(name, "several pictures need a folder to be written to");
            self.failures += 1;
            return Ok(());
        }
        // CSA has one head for all games of a file.
        if self.to == Format::Csa {
            self.together.extend(records);
            return Ok(());
        }
        let text = self.to.write(&records, self.options());
        if matches!(self.target, Target::Stdout) {
            let bytes = self.encode(&text, name);
            return self.out.write_all(&bytes);
        }
        self.text.push_str(&text);
        Ok(())
    }

    /// Writes the games of one input into files of their own.
    fn write_into_folder(&mut self, base: &Path, name: &str, records: &[Record]) -> io::Result<()> {
        let single = self.to == Format::Svg && records.len() > 1;
        let groups: Vec<&[Record]> = if single { records.chunks(1).collect() } else { vec![records] };
        for (number, group) in (1..).zip(groups) {
            let mut file = base.as_os_str().to_owned();
            if single {
                file.push(format!("-{number}"));
            }
            file.push(format!(".{}", self.to));
            let file = PathBuf::from(file);
            let refused = if self.written.contains(&file) {
                Some(format!("{} was written from another input", file.display()))
            } else {
                (file.exists() && !self.args.force).then(|| exists(&file).to_string())
            };
            if let Some(reason) = refused {
                self.say(name, &reason);
                self.failures += 1;
                continue;
            }
            let bytes = self.encode(&self.to.write(group, self.options()), name);
            write_file(&file, &bytes)?;
            self.written.insert(file);
        }
        Ok(())
    }

    fn encode(&self, text: &str, name: &str) -> Vec<u8> {
        let crlf = match self.args.line_end {
            Some(line_end) => line_end == LineEnd::Crlf,
            None => self.args.encoding == Encoding::ShiftJis,
        };
        let encoded = encode(text, self.args.encoding, if crlf { "\r\n" } else { "\n" });
        for warning in encoded.warnings.iter().take(MOST_WARNINGS) {
            self.say(name, &format!("warning: output {warning}"));
        }
        encoded.bytes
    }

    /// Writes what was kept for the end.
    fn finish(&mut self) -> io::Result<()> {
        if !self.together.is_empty() {
            self.text = self.to.write(&self.together, self.options());
        }
        if self.text.is_empty() {
            return Ok(());
        }
        let bytes = self.encode(&self.text, "output");
        match &self.target {
            Target::File(path) => write_file(path, &bytes),
            _ => self.out.write_all(&bytes),
        }
    }
}

fn exists(path: &Path) -> io::Error {
    io::Error::other(format!("{} exists; --force overwrites it", path.display()))
}

/// Writes beside the target and renames, so that nobody sees half a file.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let told = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    fs::write(&beside, bytes).map_err(told)?;
    fs::rename(&beside, path).map_err(|error| {
        let _ = fs::remove_file(&beside);
        told(error)
    })
}
