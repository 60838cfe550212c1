//! Where relative paths in options lead.

use std::path::{Path, PathBuf};

/// A relative path is looked for beside the executable first, then in the working
/// directory; one that exists in neither place is meant beside the executable.
pub(crate) fn resolve(text: &str) -> PathBuf {
    let path = Path::new(text);
    if path.is_absolute() {
        return path.to_path_buf();
    }
    let executable = std::env::current_exe().ok();
    let beside = executable.as_deref().and_then(Path::parent).map(|folder| folder.join(path));
    match beside {
        Some(beside) if beside.exists() || !path.exists() => beside,
        _ => path.to_path_buf(),
    }
}
