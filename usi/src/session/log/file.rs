//! Files of records: a new name for each, written whole.

use std::fs;
use std::io;
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use enbu_files::Existing;
use jiff::civil::DateTime;

/// Writes `text` into `dir`, which is made if needed, as a new file.
///
/// Its name is `time` and the number of the process, as in
/// `20261120-120000-4711.csa`, with a further number if that is taken.
pub(super) fn write_new(dir: &Path, time: DateTime, text: &str) -> io::Result<()> {
    /// Counts the files of this process, so that no name is used twice.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    fs::create_dir_all(dir)?;
    let stem = format!("{}-{}", time.strftime("%Y%m%d-%H%M%S"), process::id());
    loop {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let name = if number == 0 { format!("{stem}.csa") } else { format!("{stem}-{number}.csa") };
        match enbu_files::write(&dir.join(name), text, Existing::Keep) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            written => return written,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn every_file_is_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("new/folder");
        let time = jiff::civil::date(2026, 11, 20).at(12, 0, 5, 0);
        for text in ["a", "b", "c"] {
            write_new(&folder, time, text).unwrap();
        }
        let mut found: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort_by_key(|path| fs::read_to_string(path).unwrap());
        let texts: Vec<String> = found.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        assert_eq!(texts, ["a", "b", "c"]);
        let names = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap());
        assert!(names.clone().all(|name| name.starts_with("20261120-120005-") && name.ends_with(".csa")));
        // A file is where the folder should be.
        assert!(write_new(&found[0], time, "d").is_err());
    }
}
