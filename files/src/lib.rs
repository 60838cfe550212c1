//! Files of long runs: atomic writing, checksums, and shards for several machines.
//!
//! A [`Draft`] is a temporary file in the folder of its target, renamed when complete: no
//! reader sees a partial file, and a failure leaves the old file unchanged. Symbolic links
//! are followed, and a replaced file keeps its permissions. Targets that are not regular
//! files (`/dev/null`, a pipe) are written directly: a rename would replace them by a file.
//!
//! | written by | after the process was killed | after a power cut |
//! |---|---|---|
//! | [`write()`], [`Draft::finish`] | the old file or the new one | the old file or the new one |
//! | [`write_unsynced`] | the old file or the new one | either, or the new one empty, cut or with zeros |
//!
//! The last column holds for file systems that keep their promises about `fsync`. A folder is
//! not synced: a power cut soon after the rename may undo it.

#![forbid(unsafe_code)]

mod digest;
mod shard;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

pub use digest::fnv1a;
pub use shard::{Shard, ShardError};

/// A file being written; dropped before [`finish`](Self::finish) it is removed.
#[derive(Debug)]
pub struct Draft {
    out: BufWriter<File>,
    /// Temporary path and target; `None` if the target is not a regular file.
    places: Option<(PathBuf, PathBuf)>,
}

impl Draft {
    /// Creates the temporary file for `path`. Its name contains the process id, so that two
    /// processes writing the same file do not collide.
    ///
    /// # Errors
    /// Those of the system: no such folder, no permission, `path` is a folder.
    pub fn create(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path).ok();
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(path)?;
            return Ok(Self { out: BufWriter::new(file), places: None });
        }
        let place = if found.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", process::id()));
        let beside = place.with_file_name(name);
        let file = File::create(&beside)?;
        let draft = Self { out: BufWriter::with_capacity(1 << 16, file), places: Some((beside, place)) };
        if let Some(found) = found {
            draft.out.get_ref().set_permissions(found.permissions())?;
        }
        Ok(draft)
    }

    /// Flushes and syncs the file, then renames it to its target.
    ///
    /// # Errors
    /// Those of the system; the old file is unchanged then.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        if self.places.is_some() {
            self.out.get_ref().sync_all()?;
        }
        self.rename()
    }

    /// Renames the flushed file to its target.
    fn rename(&mut self) -> io::Result<()> {
        if let Some((beside, place)) = &self.places {
            fs::rename(beside, place)?;
            self.places = None;
        }
        Ok(())
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

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.places {
            // The first error is the one to report; a failed removal is ignored.
            let _ = fs::remove_file(beside);
        }
    }
}

/// Writes a file atomically.
///
/// # Errors
/// Those of the system; an old file is unchanged then.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write_all(bytes.as_ref())?;
    draft.finish()
}

/// Writes a file atomically, without waiting for the disk: for contents that the reader
/// checks after a power cut and can make again, in numbers that make a sync of each too slow.
///
/// # Errors
/// Those of the system; an old file is unchanged then.
pub fn write_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::create(path)?;
    draft.write_all(bytes)?;
    draft.flush()?;
    draft.rename()
}

/// Fails if [`write()`] to `path` would fail now: no such folder, no permission, a folder.
/// An existing file stays untouched and a missing one stays missing.
///
/// # Errors
/// The error of the system.
pub fn check_writable(path: &Path) -> io::Result<()> {
    // A pipe would wait for its reader.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(());
    }
    Draft::create(path).map(drop)
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
        write(&path, "one").expect("written");
        assert!(would_replace(&path) && would_replace(folder.path()));
        let mut draft = Draft::create(&path).expect("created");
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
        Draft::create(&path).and_then(|mut draft| draft.write_all(b"half")).expect("written");
        assert!(names(folder.path()).is_empty() && !would_replace(&path));
        assert!(write(folder.path(), "a folder").is_err());
        assert!(write(&folder.path().join("none/a.txt"), "no folder").is_err());
        assert!(write_unsynced(folder.path(), b"a folder").is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_check_leaves_no_trace_and_fails_where_writing_would() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.txt");
        check_writable(&path).expect("writable");
        assert!(names(folder.path()).is_empty());
        write(&path, "one").expect("written");
        check_writable(&path).expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "one");
        assert!(check_writable(folder.path()).is_err());
        assert!(check_writable(&folder.path().join("none/a.txt")).is_err());
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        write(&path, "one").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        symlink("a.txt", &link).expect("linked");
        write(&link, "two").expect("written");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "two");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        use std::process::Command;
        use std::thread;
        // A named pipe in place of /dev/null, which a failure would destroy.
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            // The system has no named pipes.
            return;
        }
        assert!(!would_replace(&pipe));
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        write(&pipe, "through").expect("written");
        assert_eq!(reader.join().expect("no panic").expect("read"), "through");
        assert!(!fs::metadata(&pipe).expect("still there").is_file());
        assert_eq!(names(folder.path()), ["pipe"]);
    }
}
