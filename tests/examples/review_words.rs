//! Counts the review words of the comments, crate by crate:
//! `cargo run -p enbu-tests --example review_words [FOLDER...]`, in the folder of the workspace.

#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "the counts are its output")]

use std::fs;
use std::path::Path;

use enbu_tests::words::Prose;

const FOLDERS: [&str; 14] = [
    "arena", "bench", "engine", "eval", "files", "isa", "kifu", "learn", "mate", "movegen", "search", "tests", "usi",
    "xtask",
];

fn prose_below(folder: &Path) -> Prose {
    let mut prose = Prose::default();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            prose += prose_below(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            prose += Prose::of(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
    prose
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let folders = if named.is_empty() { FOLDERS.map(str::to_owned).to_vec() } else { named };
    let mut total = Prose::default();
    for folder in folders {
        let prose = prose_below(Path::new(&folder));
        println!("{folder:8} {prose}");
        total += prose;
    }
    println!("{:8} {total}", "total");
}
