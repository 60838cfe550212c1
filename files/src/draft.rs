//! Files that appear when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::{Builder, NamedTempFile};

use crate::input::{folder, if_found, without_waiting};
use crate::kind::{DEVICE, Refusal, irregular};

/// Links that are followed to a missing file, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// Treatment of a file that exists at the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and writing fails with [`Refusal::Exists`].
    Keep,
    /// It is replaced.
    Replace,
}

/// A file being written; dropped before [`finish`](Self::finish) it is removed.
#[derive(Debug)]
pub struct Draft {
    out: BufWriter<Out>,
}

#[derive(Debug)]
enum Out {
    /// A temporary file and its target.
    Beside(NamedTempFile, PathBuf, Existing),
    Direct(File),
}

impl Draft {
    /// Creates the temporary file for `path`.
    pub fn create(path: &Path, existing: Existing) -> io::Result<Self> {
        let found = if_found(fs::metadata(path))?;
        match found.as_ref().and_then(irregular) {
            None => {}
            Some(DEVICE) => return Ok(Self::direct(File::options().write(true).open(path)?)),
            Some(Refusal::Pipe) => return Ok(Self::direct(open_pipe(path)?)),
            Some(refusal) => return Err(refusal.into()),
        }
        if existing == Existing::Keep && would_replace(path) {
            return Err(Refusal::Exists.into());
        }
        let place = if found.is_some() { fs::canonicalize(path)? } else { end_of_links(path) };
        let draft = beside(&place)?;
        if let Some(found) = found {
            draft.as_file().set_permissions(found.permissions())?;
        }
        let out = Out::Beside(draft, place, existing);
        Ok(Self { out: BufWriter::with_capacity(1 << 16, out) })
    }

    fn direct(file: File) -> Self {
        Self { out: BufWriter::new(Out::Direct(file)) }
    }

    /// Flushes and syncs the file, then renames it to its target. An error leaves the old file as it was.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Out::Beside(draft, ..) = self.out.get_ref() {
            draft.as_file().sync_all()?;
        }
        self.rename()
    }

    fn rename(self) -> io::Result<()> {
        match self.out.into_inner()? {
            Out::Direct(_) => Ok(()),
            Out::Beside(draft, place, Existing::Replace) => Ok(draft.persist(place).map(drop)?),
            Out::Beside(draft, place, Existing::Keep) => match draft.persist_noclobber(place) {
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(Refusal::Exists.into()),
                renamed => Ok(renamed.map(drop)?),
            },
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(draft, ..) => draft.as_file_mut().write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A new file of a short name in the folder of `place`.
fn beside(place: &Path) -> io::Result<NamedTempFile> {
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    Builder::new().prefix(".enbu-").suffix(".part").make_in(folder(place), create)
}

/// The missing file that `path` names, through links if it is one.
fn end_of_links(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(link);
    }
    place
}

/// Opens a pipe that a process reads or will read within a second.
fn open_pipe(path: &Path) -> io::Result<File> {
    for _ in 0..100 {
        // Without a reader this fails.
        if let Ok(file) = without_waiting(File::options().write(true)).open(path) {
            #[cfg(unix)]
            nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::empty()))?;
            return Ok(file);
        }
        thread::sleep(Duration::from_millis(10));
    }
    Err(Refusal::NoReader.into())
}

/// Writes a file atomically.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>, existing: Existing) -> io::Result<()> {
    let mut draft = Draft::create(path, existing)?;
    draft.write_all(bytes.as_ref())?;
    draft.finish()
}

/// Writes a file atomically, without waiting for the disk: for contents that the reader
/// checks after a power cut and can make again, in numbers that make a sync of each too slow.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::create(path, Existing::Replace)?;
    draft.write_all(bytes)?;
    draft.rename()
}

/// Fails if [`write()`] to `path` would fail now: no such folder, no permission, a folder, a
/// file that stays. An existing file is left untouched and a missing one missing.
pub fn check_writable(path: &Path, existing: Existing) -> io::Result<()> {
    // A pipe would wait for its reader.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(());
    }
    Draft::create(path, existing).map(drop)
}

/// Returns true if `path` is an existing file, folder or dangling link.
pub fn would_replace(path: &Path) -> bool {
    fs::metadata(path).map_or_else(|_| path.is_symlink(), |found| found.is_file() || found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        write(&path, "one", Existing::Replace).expect("written");
        assert!(would_replace(&path) && would_replace(folder.path()));
        let mut draft = Draft::create(&path, Existing::Replace).expect("created");
        draft.write_all(b"two").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "one");
        draft.finish().expect("renamed");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "two");
        write_unsynced(&path, b"three").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "three");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_draft_that_is_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        Draft::create(&path, Existing::Replace).and_then(|mut draft| draft.write_all(b"half")).expect("written");
        assert!(names(folder.path()).is_empty() && !would_replace(&path));
        assert!(write(folder.path(), "a folder", Existing::Replace).is_err());
        assert!(write(&folder.path().join("none/a.txt"), "no folder", Existing::Replace).is_err());
        assert!(write_unsynced(folder.path(), b"a folder").is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_check_leaves_no_trace_and_fails_where_writing_would() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        check_writable(&path, Existing::Replace).expect("writable");
        assert!(names(folder.path()).is_empty());
        write(&path, "one", Existing::Replace).expect("written");
        check_writable(&path, Existing::Replace).expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "one");
        assert!(check_writable(folder.path(), Existing::Replace).is_err());
        assert!(check_writable(&folder.path().join("none/a.txt"), Existing::Replace).is_err());
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        write(&path, "one", Existing::Replace).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        symlink("a.txt", &link).expect("linked");
        write(&link, "two", Existing::Replace).expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "two");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn of_two_writers_one_wins_and_the_other_gets_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        let drafts = ["one", "two"].map(|text| {
            let mut draft = Draft::create(&path, Existing::Keep).expect("created");
            draft.write_all(text.as_bytes()).expect("written");
            draft
        });
        let ends = drafts.map(|draft| draft.finish().map_err(|error| error.kind()));
        assert_eq!(ends, [Ok(()), Err(io::ErrorKind::AlreadyExists)]);
        assert_eq!(fs::read_to_string(&path).expect("a file"), "one");
        let refused = check_writable(&path, Existing::Keep).expect_err("it stays");
        assert_eq!(refused.get_ref().and_then(|error| error.downcast_ref()), Some(&Refusal::Exists));
        write(&path, "three", Existing::Replace).expect("replaced");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_name_of_255_bytes_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = "n".repeat(251) + ".txt";
        write(&folder.path().join(&name), "one", Existing::Keep).expect("written");
        assert_eq!(names(folder.path()), [name.as_str()]);
        assert!(write(&folder.path().join("n".repeat(256)), "one", Existing::Keep).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_missing_file_writes_that_file() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("sub/a.txt"), folder.path().join("link"));
        fs::create_dir(folder.path().join("sub")).expect("made");
        symlink("sub/b", &link).expect("linked");
        symlink("a.txt", folder.path().join("sub/b")).expect("linked");
        assert!(write(&link, "one", Existing::Keep).is_err() && !file.exists());
        write(&link, "two", Existing::Replace).expect("written");
        assert!(link.is_symlink() && fs::read_to_string(&file).expect("a file") == "two");
        // A circle of links leads nowhere.
        symlink("loop", folder.path().join("loop")).expect("linked");
        assert!(write(&folder.path().join("loop"), "three", Existing::Replace).is_err());
        assert_eq!(names(folder.path()), ["link", "loop", "sub"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        use nix::sys::stat::Mode;
        // A named pipe in place of /dev/null, which a failure would destroy.
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).expect("made");
        assert!(!would_replace(&pipe));
        let text = "through".repeat(20_000);
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        write(&pipe, &text, Existing::Keep).expect("written");
        assert_eq!(reader.join().expect("no panic").expect("read"), text);
        let refused = write(&pipe, "nobody reads", Existing::Replace).expect_err("no reader");
        assert_eq!(refused.to_string(), Refusal::NoReader.to_string());
        assert!(!fs::metadata(&pipe).expect("still there").is_file());
        assert_eq!(names(folder.path()), ["pipe"]);
    }
}
