//! Opening and reading of files that exist, appending to logs, listing of folders.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use enbu_language::text;

use crate::kind::{FileKind, Refusal, check_regular, reason};

/// Bytes that are read at a time.
const STEP_BYTES: u64 = 1 << 20;

/// Opens a regular file for reading.
pub fn open(path: &Path, kind: FileKind) -> io::Result<File> {
    let file = opened(File::options().read(true), path)?;
    check_length(file.metadata()?.len(), kind)?;
    Ok(file)
}

/// Reads a regular file.
pub fn read(path: &Path, kind: FileKind) -> io::Result<Vec<u8>> {
    read_if(path, kind, |_| true)
}

/// Reads a regular file, but only its beginning, up to 1 MiB, if that is not what `is_wanted`
/// accepts: the reader of the format will find the fault there.
pub fn read_if(path: &Path, kind: FileKind, is_wanted: impl FnOnce(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut file = open(path, kind)?;
    let mut bytes = Vec::new();
    (&mut file).take(STEP_BYTES).read_to_end(&mut bytes)?;
    if is_wanted(&bytes) {
        let rest = file.metadata()?.len().saturating_sub(STEP_BYTES);
        bytes.try_reserve_exact(usize::try_from(rest).unwrap_or(usize::MAX))?;
        read_on(file, kind, &mut bytes)?;
    }
    Ok(bytes)
}

/// Reads a regular file of UTF-8; other encodings are an error.
pub fn read_text(path: &Path, kind: FileKind) -> io::Result<String> {
    String::from_utf8(read(path, kind)?).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        io::Error::new(
            ErrorKind::InvalidData,
            text!("not UTF-8 after byte {place}", "{place} バイト目の後が UTF-8 ではありません").to_string(),
        )
    })
}

/// Reads standard input to its end.
pub fn read_stdin(kind: FileKind) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_on(io::stdin().lock(), kind, &mut bytes)?;
    Ok(bytes)
}

/// Reads the rest of `source`, whose first bytes are in `bytes`.
fn read_on(mut source: impl Read, kind: FileKind, bytes: &mut Vec<u8>) -> io::Result<()> {
    let (mut line, mut seen) = (0, 0);
    loop {
        let fresh = bytes.get(seen..).unwrap_or_default();
        line = fresh.iter().rposition(|&byte| byte == b'\n').map_or(line, |at| (seen + at + 1) as u64);
        seen = bytes.len();
        check_length(seen as u64, kind)?;
        if seen as u64 - line > kind.most_line_bytes() {
            return Err(Refusal::LongLine { offset: line, most: kind.most_line_bytes() }.into());
        }
        if source.by_ref().take(STEP_BYTES).read_to_end(bytes)? == 0 {
            return Ok(());
        }
    }
}

/// The result of reading a file that need not exist: `None` where there is none.
pub fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Opens a regular file for appending and makes it where there is none.
pub fn append(path: &Path) -> io::Result<File> {
    opened(File::options().create(true).append(true), path)
}

/// Opens an existing regular file for reading and writing.
pub fn edit(path: &Path) -> io::Result<File> {
    opened(File::options().read(true).write(true), path)
}

/// Makes a file that grows in place, such as a journal; fails if the name is taken.
pub fn create_new(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

/// Opens a regular file. The name is examined before, because opening acts on some devices,
/// and the open file after, because the name may have changed its meaning.
fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    if let Some(found) = if_found(fs::metadata(path))? {
        check_regular(&found)?;
    }
    let file = without_waiting(options).open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opening does not wait for the other end of a pipe.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(nix::fcntl::OFlag::O_NONBLOCK.bits());
    }
    options
}

fn check_length(bytes: u64, kind: FileKind) -> Result<(), Refusal> {
    let most = kind.most_bytes();
    if bytes <= most { Ok(()) } else { Err(Refusal::Long { bytes, most }) }
}

/// The folder of a file: that of its path, else the current one.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The entries of a folder by name.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The files in a folder and the folders below it, by name; an error has the folder's name. Links are followed; a folder
/// with several names is visited under the first of them.
pub fn below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    visit(folder, &mut BTreeSet::new(), &mut found)?;
    Ok(found)
}

fn visit(folder: &Path, visited: &mut BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let named = |error: io::Error| {
        let (folder, reason) = (folder.display(), reason(&error));
        io::Error::new(error.kind(), text!("{folder}: {reason}", "{folder}：{reason}").to_string())
    };
    if !visited.insert(fs::canonicalize(folder).map_err(named)?) {
        return Ok(());
    }
    for path in entries(folder).map_err(named)? {
        if path.is_dir() {
            visit(&path, visited, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use enbu_language::Words;

    use super::*;

    fn reason<T: std::fmt::Debug>(result: io::Result<T>) -> Refusal {
        let error = result.expect_err("refused");
        *error.get_ref().and_then(|error| error.downcast_ref()).unwrap_or_else(|| panic!("{error}"))
    }

    /// A file of this length without content, which takes no room on a disk.
    fn sparse(folder: &Path, begin: &[u8], length: u64) -> PathBuf {
        let path = folder.join("sparse");
        let mut file = File::create(&path).expect("created");
        file.write_all(begin).expect("written");
        file.set_len(length).expect("set");
        path
    }

    #[test]
    fn a_file_over_the_limit_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for kind in [FileKind::Settings, FileKind::Record, FileKind::Network, FileKind::Games, FileKind::Checkpoint] {
            let most = kind.most_bytes();
            let path = sparse(folder.path(), b"", most + 1);
            assert_eq!(reason(read(&path, kind)), Refusal::Long { bytes: most + 1, most });
            assert_eq!(reason(open(&path, kind)), Refusal::Long { bytes: most + 1, most });
        }
        let path = sparse(folder.path(), b"", FileKind::Settings.most_bytes());
        assert_eq!(read_text(&path, FileKind::Settings).expect("read").len(), 1 << 20);
        // A source that has no length.
        let most = FileKind::Settings.most_bytes();
        let endless = read_on(io::repeat(b'x'), FileKind::Settings, &mut Vec::new());
        assert!(matches!(reason(endless), Refusal::Long { bytes, .. } if bytes <= 2 * most));
    }

    #[test]
    fn a_book_without_line_ends_is_given_up_early() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = sparse(folder.path(), b"#YANEURAOU-DB2016 1.00\n", FileKind::Book.most_bytes());
        // Reserved address space is no memory yet.
        let mut bytes = Vec::new();
        let refused = read_on(open(&path, FileKind::Book).expect("opened"), FileKind::Book, &mut bytes);
        assert_eq!(reason(refused), Refusal::LongLine { offset: 23, most: 16 << 20 });
        assert!(bytes.len() <= 18 << 20);
        let lines = "x".repeat(1000) + "\n";
        fs::write(&path, lines.repeat(20_000)).expect("written");
        assert_eq!(read(&path, FileKind::Book).expect("read").len(), 20_000 * 1001);
    }

    #[test]
    fn only_the_beginning_of_an_unwanted_file_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = sparse(folder.path(), b"ENBU", 3 << 20);
        let length =
            |magic: &[u8]| read_if(&path, FileKind::Games, |head| head.starts_with(magic)).expect("read").len();
        assert_eq!([length(b"ENBU"), length(b"OTHER")], [3 << 20, 1 << 20]);
        assert!(if_found(read(&folder.path().join("none"), FileKind::Record)).expect("no error").is_none());
        fs::write(&path, b"a\xff").expect("written");
        assert!(read_text(&path, FileKind::Record).expect_err("not UTF-8").to_string().ends_with("byte 1"));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        nix::unistd::mkfifo(&place("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("made");
        let _socket = std::os::unix::net::UnixListener::bind(place("socket")).expect("bound");
        symlink("/dev/zero", place("link")).expect("linked");
        let device = Refusal::Irregular(Words("a device", "デバイス"));
        for (path, expected) in [
            (place("pipe"), Refusal::Pipe),
            (place("socket"), Refusal::Irregular(Words("a socket", "ソケット"))),
            (place("link"), device),
            ("/dev/null".into(), device),
            (place(""), Refusal::Irregular(Words("a folder", "フォルダ"))),
        ] {
            assert_eq!(reason(open(&path, FileKind::Record)), expected, "{}", path.display());
            assert_eq!(reason(read(&path, FileKind::Stream)), expected, "{}", path.display());
            assert_eq!(reason(append(&path)), expected, "{}", path.display());
            assert_eq!(reason(edit(&path)), expected, "{}", path.display());
            assert!(create_new(&path).is_err(), "{}", path.display());
        }
        append(&place("new")).and_then(|mut file| file.write_all(b"one")).expect("appended");
        assert_eq!(read(&place("new"), FileKind::Record).expect("read"), b"one");
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_visited_once() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        fs::create_dir_all(place("b/c")).expect("made");
        for name in ["b/one", "b/c/two"] {
            fs::write(place(name), "").expect("written");
        }
        for (target, name) in [(".", "a"), ("..", "b/up"), ("/dev/null", "device"), ("c", "b/d"), ("e", "e")] {
            symlink(target, place(name)).expect("linked");
        }
        let found = below(folder.path()).expect("listed");
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(folder.path()).expect("below")).collect();
        assert_eq!(names, ["b/c/two", "b/one", "device", "e"].map(Path::new));
        assert!(below(&place("none")).expect_err("no folder").to_string().contains("none"));
    }
}
