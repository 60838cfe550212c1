//! Messages in the source text: each in English and Japanese, with the same values.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use enbu_tests::binary::workspace_root;
use proc_macro2::{TokenStream, TokenTree};

/// Crates whose errors a player meets. Those of the others are for developers, or go to a GUI.
const OF_PLAYERS: &[&str] =
    &["analysis", "arena", "book", "csa", "engine", "eval", "files", "kifu", "mate", "movegen", "usi"];

/// Modules for developers in these crates.
const OF_DEVELOPERS: &[&str] = &["spsa", "spsa.rs"];

/// Crates without messages in two languages.
const OTHERS: &[&str] = &["target", "tests", "xtask", "bench", "language"];

/// The texts of a file.
#[derive(Default)]
struct Texts {
    /// English and Japanese, side by side.
    pairs: Vec<[String; 2]>,
    /// Those of error types in one language.
    alone: Vec<String>,
}

impl Texts {
    fn add(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for at in 0..tokens.len() {
            match &tokens[at..] {
                [TokenTree::Ident(name), TokenTree::Punct(mark), TokenTree::Group(group), ..]
                    if name == "text" && mark.as_char() == '!' =>
                {
                    self.pairs.extend(pair(&group.stream().into_iter().collect::<Vec<_>>()));
                }
                [TokenTree::Ident(name), TokenTree::Group(group)] if name == "error" => {
                    let first = group.stream().into_iter().next().map(|token| token.to_string());
                    self.alone.extend(first.filter(|text| text.starts_with('"')));
                }
                tokens => {
                    let is_pair = |[english, japanese]: &[String; 2]| !is_japanese(english) && is_japanese(japanese);
                    self.pairs.extend(pair(tokens).filter(is_pair));
                }
            }
            if let TokenTree::Group(group) = &tokens[at] {
                self.add(group.stream());
            }
        }
    }
}

/// Two texts in a row.
fn pair(tokens: &[TokenTree]) -> Option<[String; 2]> {
    let [TokenTree::Literal(english), TokenTree::Punct(comma), TokenTree::Literal(japanese), ..] = tokens else {
        return None;
    };
    let texts = [english, japanese].map(ToString::to_string);
    (comma.as_char() == ',' && texts.iter().all(|text| text.starts_with('"'))).then_some(texts)
}

fn is_japanese(text: &str) -> bool {
    text.contains(|c| matches!(c, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff5e}'))
}

/// The words of a format string, and the names of its values; those of words are left out, and `{}` has none.
fn parts(text: &str) -> (String, BTreeSet<String>) {
    let (mut words, mut names) = (String::new(), BTreeSet::new());
    for (at, part) in text.replace("{{", "").split('{').enumerate() {
        let (value, rest) = if at == 0 { ("", part) } else { part.split_once('}').unwrap_or((part, "")) };
        names.extend(
            value.split(':').next().filter(|name| !["", "s", "english", "japanese"].contains(name)).map(str::to_owned),
        );
        words.push_str(rest);
    }
    (words, names)
}

fn add_below(folder: &Path, texts: &mut Texts) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if OF_DEVELOPERS.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            add_below(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.add(fs::read_to_string(&path).unwrap().parse().unwrap());
        }
    }
}

/// The texts of a crate.
fn texts_of(name: &str) -> Texts {
    let mut texts = Texts::default();
    add_below(&workspace_root().join(name).join("src"), &mut texts);
    texts
}

#[test]
fn both_texts_of_a_message_have_the_same_values() {
    let crates = fs::read_dir(workspace_root()).unwrap().map(|entry| entry.unwrap());
    let crates = crates.filter(|entry| entry.path().join("src").is_dir());
    let names = crates.map(|entry| entry.file_name().into_string().unwrap());
    let (mut count, mut faults) = (0, Vec::new());
    for name in names.filter(|name| !OTHERS.contains(&name.as_str())) {
        for [english, japanese] in texts_of(&name).pairs {
            let ((_, values), (words, same)) = (parts(&english), parts(&japanese));
            let is_translated = is_japanese(&japanese) || !words.contains(char::is_alphabetic);
            if is_japanese(&english) || !is_translated || values != same {
                faults.push(format!("{name}: {english} and {japanese}"));
            }
            count += 1;
        }
    }
    assert!(count > 100 && faults.is_empty(), "{count} messages: {faults:#?}");
}

#[test]
fn no_error_that_a_player_meets_is_in_one_language() {
    let is_alone = |text: &String| parts(text).0.contains(char::is_alphabetic);
    let found = OF_PLAYERS.iter().flat_map(|name| texts_of(name).alone);
    let alone: Vec<String> = found.filter(is_alone).collect();
    assert!(alone.is_empty(), "without a twin in `text!`: {alone:#?}");
}
