//! Relative paths in options, and how paths are shown.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Resolves a relative path: beside the executable if it exists there, else in the working
/// directory if it exists there, else beside the executable.
pub(crate) fn resolve(text: &str) -> PathBuf {
    let path = Path::new(text);
    if path.is_absolute() {
        return path.to_path_buf();
    }
    match beside_executable(path) {
        Some(beside) if beside.exists() || !path.exists() => beside,
        _ => path.to_path_buf(),
    }
}

/// `path` in the folder of the executable, where the system names that.
pub(crate) fn beside_executable(path: impl AsRef<Path>) -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.join(path))
}

/// The user's folder of documents, or else a folder where files may be left.
pub(crate) fn documents() -> PathBuf {
    let home = std::env::home_dir().filter(|home| home.is_dir());
    let Some(home) = home else { return std::env::temp_dir() };
    let documents = home.join("Documents");
    if documents.is_dir() { documents } else { home }
}

/// Length of a file and time of its last change, by which another content is noticed.
pub(crate) type Stamp = (u64, Option<SystemTime>);

/// The stamp of a file; `None` if there is none.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// The path as a user would write it: from the folder of the executable on.
pub(crate) fn shown(path: &Path) -> String {
    let folder = beside_executable("");
    let inside = folder.and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_path_buf));
    inside.as_deref().unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_the_executable_is_shown_from_there() {
        let beside = resolve("no such folder/nn.bin");
        assert!(beside.is_absolute());
        assert_eq!(Path::new(&shown(&beside)), Path::new("no such folder/nn.bin"));
        let elsewhere = std::env::temp_dir().join("nn.bin");
        assert_eq!(shown(&elsewhere), elsewhere.display().to_string());
    }
}
