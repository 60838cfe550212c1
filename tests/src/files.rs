//! Folders of files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files below a folder with their bytes, by their paths from it.
///
/// # Panics
/// When one cannot be read.
pub fn below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}
