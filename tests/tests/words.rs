//! The language of comments: review words stay rare.
//!
//! `cargo run -p enbu-tests --example review_words` prints the counts of each crate.

use std::fs;
use std::path::Path;

use enbu_tests::binary::workspace_root;
use enbu_tests::words::Prose;

/// Occurrences of "what" in a thousand words; the goal is 2.
const WHAT: f64 = 2.0;

/// Occurrences of the other review words in a thousand words; the goal is 2.
const OTHERS: f64 = 2.0;

/// Percentage of doc blocks that open with a question word; the goal is 5.
const QUESTIONS: f64 = 5.0;

/// Folders without Rust files of ours.
const SKIPPED: [&str; 5] = [".git", "target", "data", "node_modules", "corpus"];

fn prose_below(folder: &Path) -> Prose {
    let mut prose = Prose::default();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() && !SKIPPED.contains(&name.as_str()) {
            prose += prose_below(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            prose += Prose::of(&fs::read_to_string(&path).unwrap());
        }
    }
    prose
}

#[test]
fn comments_use_few_review_words() {
    let prose = prose_below(&workspace_root());
    assert!(prose.words > 50_000, "{prose}");
    assert!(prose.what_rate() <= WHAT && prose.others_rate() <= OTHERS, "{prose}");
}

#[test]
fn doc_comments_do_not_open_with_a_question_word() {
    let prose = prose_below(&workspace_root());
    assert!(prose.question_rate() <= QUESTIONS, "{prose}");
}
