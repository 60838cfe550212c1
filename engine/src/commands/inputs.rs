//! The records that a command is given: files, folders, standard input.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use enbu_files::{Existing, FileKind};
use enbu_kifu::{Format, KifuError, Mode, Problems, usi};
use enbu_language::{pick, text};
use enbu_movegen::Position;

use super::failure::{check_writable, failed, named};

/// Warnings about one file that are shown; more are only counted.
pub(in crate::commands) const MOST_WARNINGS: usize = 20;

pub(in crate::commands) struct Input {
    pub(in crate::commands) path: PathBuf,
    /// Its subfolder in a folder of the command line.
    pub(in crate::commands) subfolder: PathBuf,
}

pub(in crate::commands) fn extension(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// The files to read; a folder gives the files in it with the extension of a format.
pub(in crate::commands) fn inputs(paths: &[PathBuf]) -> io::Result<Vec<Input>> {
    inputs_or(paths, |_| false)
}

/// The files to read; a folder gives those with the extension of a format, and all that `is_other` names.
pub(in crate::commands) fn inputs_or(paths: &[PathBuf], is_other: impl Fn(&Path) -> bool) -> io::Result<Vec<Input>> {
    let is_record = |format: Format| format != Format::Svg;
    let is_read =
        |file: &PathBuf| extension(file).and_then(Format::of_extension).is_some_and(is_record) || is_other(file);
    let file = |path: &Path| Input { path: path.to_owned(), subfolder: PathBuf::new() };
    if paths.is_empty() {
        return Ok(vec![file(Path::new("-"))]);
    }
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(enbu_files::below(path)?.into_iter().filter(is_read).map(|file| {
                let subfolder = file.strip_prefix(path).ok().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
                Input { path: file, subfolder }
            }));
        } else {
            files.push(file(path));
        }
    }
    Ok(files)
}

/// Paths as a list for a message.
pub(in crate::commands) fn listed(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(pick(", ", "、"))
}

/// The error that folders hold no records.
pub(in crate::commands) fn no_records(folders: &[PathBuf]) -> io::Error {
    let folders = listed(folders);
    failed(text!("no records found in {folders}", "{folders} に棋譜がありません"))
}

impl Input {
    pub(in crate::commands) fn name(&self) -> String {
        if self.is_stdin() {
            pick("standard input", "標準入力").to_owned()
        } else {
            self.path.display().to_string()
        }
    }

    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Fails if there is no such file.
    pub(in crate::commands) fn check(&self) -> io::Result<()> {
        let found = if self.is_stdin() { Ok(()) } else { fs::metadata(&self.path).map(drop) };
        found.map_err(|error| named(&self.path, &error))
    }

    pub(in crate::commands) fn bytes(&self) -> io::Result<Vec<u8>> {
        if self.is_stdin() {
            enbu_files::read_stdin(FileKind::Record)
        } else {
            enbu_files::read(&self.path, FileKind::Record)
        }
    }
}

/// The position that words of USI name: `startpos` or an SFEN, with moves or without.
pub(in crate::commands) fn position(text: &str) -> Result<Position, String> {
    let reading = usi::read(text, Mode::Strict).map_err(|error| error.to_string())?;
    let record = reading.records.first().ok_or(pick("no position", "局面がありません"))?;
    let mut position = Position::from_setup(record.setup()).map_err(|error| error.to_string())?;
    for mv in record.moves() {
        position.play(mv).map_err(|error| error.to_string())?;
    }
    Ok(position)
}

pub(in crate::commands) enum Target {
    Stdout,
    File(PathBuf),
    Folder(PathBuf),
}

impl Target {
    /// The destination of `-o OUT`: a folder if there is one, the path ends like one, or `is_file`
    /// denies it.
    pub(in crate::commands) fn of(output: Option<&PathBuf>, is_file: impl Fn(&Path) -> bool) -> Self {
        let Some(path) = output else { return Self::Stdout };
        let is_folder = path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']) || !is_file(path);
        if is_folder { Self::Folder(path.clone()) } else { Self::File(path.clone()) }
    }

    /// Fails now where nothing could be written after the work.
    pub(in crate::commands) fn prepare(&self, existing: Existing) -> io::Result<()> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(path) => check_writable(path, existing),
            Self::Folder(folder) => {
                fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
                check_writable(&folder.join("index.html"), Existing::Replace)
            }
        }
    }
}

/// Names for the files of inputs in an output folder; no two inputs have one.
#[derive(Default)]
pub(in crate::commands) struct Bases(HashSet<PathBuf>);

impl Bases {
    /// The path of an input's files below the folder, without an extension.
    pub(in crate::commands) fn of_input(&mut self, input: &Input) -> PathBuf {
        let name = |path: Option<&OsStr>| {
            input.subfolder.join(path.filter(|name| *name != "-").unwrap_or(OsStr::new("stdin")))
        };
        let base = name(input.path.file_stem());
        self.numbered(if self.0.contains(&base) { name(input.path.file_name()) } else { base })
    }

    /// This path, with a number after it where it is taken.
    pub(in crate::commands) fn numbered(&mut self, first: PathBuf) -> PathBuf {
        let mut base = first.clone();
        let mut number = 2;
        while !self.0.insert(base.clone()) {
            let mut path = first.as_os_str().to_owned();
            path.push(format!("_{number}"));
            base = path.into();
            number += 1;
        }
        base
    }
}

/// The first warnings of each kind with their number, and the number of the others.
pub(in crate::commands) fn shown(warnings: &Problems, of: &str) -> Vec<String> {
    let mut kinds: Vec<(&KifuError, usize)> = Vec::new();
    for warning in warnings.iter() {
        match kinds.iter_mut().find(|(first, _)| first.problem == warning.problem) {
            Some((_, count)) => *count += 1,
            None => kinds.push((warning, 1)),
        }
    }
    let shown = kinds.iter().take(MOST_WARNINGS).map(|(first, count)| match count {
        1 => text!("warning: {of}{first}", "注意：{of}{first}").to_string(),
        count => text!("warning: {of}{first} (the first of {count})", "注意：{of}{first}（同種 {count} 件の最初）")
            .to_string(),
    });
    let more = warnings.count() - kinds.iter().take(MOST_WARNINGS).map(|(_, count)| count).sum::<usize>();
    let more = (more > 0).then(|| text!("warning: {more} more warnings", "注意：ほかに {more} 件").to_string());
    shown.chain(more).collect()
}
