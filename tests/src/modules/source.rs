//! The imports and paths in the text of one module.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::str::Chars;

/// One module: the modules declared in it, its imports, and the paths in its code.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// The modules declared as `mod name;`.
    pub(super) children: BTreeSet<String>,
    /// Each imported name with its path.
    pub(super) imports: BTreeMap<String, Vec<String>>,
    /// The paths whose names this module needs: those of imports that are not
    /// re-exports, and those in code.
    needed: BTreeSet<Vec<String>>,
}

impl Source {
    pub(super) fn parse(text: &str) -> Self {
        let mut source = Self::default();
        let tokens = without_tests(&tokens(text));
        let mut at = 0;
        let mut inline_modules = Vec::new();
        let mut depth = 0_usize;
        while at < tokens.len() {
            match (tokens[at].as_str(), tokens.get(at + 1).map(String::as_str)) {
                ("use", Some(next)) if next != "<" => {
                    let public = is_public(&tokens[..at]);
                    at = source.import(&tokens, at + 1, &[], public, inline_modules.len());
                }
                ("mod", Some(name)) if tokens.get(at + 2).is_some_and(|token| token == ";") => {
                    source.children.insert(name.to_owned());
                    at += 2;
                }
                ("mod", Some(_)) if tokens.get(at + 2).is_some_and(|token| token == "{") => {
                    inline_modules.push(depth);
                    at += 1;
                }
                ("{", _) => depth += 1,
                ("}", _) => {
                    depth = depth.saturating_sub(1);
                    inline_modules.pop_if(|opened| *opened == depth);
                }
                (token, _) if is_word(token) => at = source.path(&tokens, at, inline_modules.len()),
                _ => {}
            }
            at += 1;
        }
        source
    }

    /// The paths that this module needs, as they are written.
    pub(super) fn names(&self) -> impl Iterator<Item = &Vec<String>> {
        self.needed.iter()
    }

    /// Reads the path at `at`; returns the index of its last token.
    fn path(&mut self, tokens: &[String], at: usize, inline_modules: usize) -> usize {
        let mut end = at;
        let mut path = vec![tokens[at].clone()];
        while tokens.get(end + 1).is_some_and(|token| token == "::")
            && let Some(word) = tokens.get(end + 2).filter(|token| is_word(token))
        {
            path.push(word.clone());
            end += 2;
        }
        let before = at.checked_sub(1).map(|before| tokens[before].as_str());
        if !matches!(before, Some("." | "fn" | "::")) {
            self.needed.insert(outside(path, inline_modules));
        }
        end
    }

    /// Reads the use tree at `at` below `prefix`; returns the index of the token that ends it.
    fn import(
        &mut self,
        tokens: &[String],
        mut at: usize,
        prefix: &[String],
        public: bool,
        inline_modules: usize,
    ) -> usize {
        let mut path = prefix.to_vec();
        let mut name = None;
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "{" => {
                    while !matches!(tokens.get(at).map(String::as_str), None | Some("}")) {
                        at = self.import(tokens, at + 1, &path, public, inline_modules);
                    }
                    return at + 1;
                }
                "as" => {
                    name = tokens.get(at + 1).cloned();
                    at += 1;
                }
                "::" => {}
                word if is_word(word) || word == "*" => path.push(word.to_owned()),
                _ => break,
            }
            at += 1;
        }
        if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
            path.pop();
        }
        if let Some(last) = path.last().filter(|_| path.len() > prefix.len() || name.is_some() || !prefix.is_empty()) {
            let name = name.unwrap_or_else(|| last.clone());
            let path = outside(path, inline_modules);
            if !public {
                self.needed.insert(path.clone());
            }
            if name != "*" && name != "_" {
                self.imports.insert(name, path);
            }
        }
        at
    }
}

/// A path of an inline module as the module around it would write it.
fn outside(mut path: Vec<String>, inline_modules: usize) -> Vec<String> {
    for _ in 0..inline_modules {
        if path.first().is_some_and(|first| first == "super") {
            path[0] = "self".to_owned();
            if path.get(1).is_some_and(|second| second == "super") {
                path.remove(0);
            }
        }
    }
    path
}

fn is_word(token: &str) -> bool {
    token.starts_with(|character: char| character.is_alphanumeric() || character == '_')
}

/// Returns true if the tokens before an item end with a visibility.
fn is_public(before: &[String]) -> bool {
    match before.last().map(String::as_str) {
        Some("pub") => true,
        Some(")") => {
            let opened = before.iter().rposition(|token| token == "(");
            opened.and_then(|opened| before[..opened].last()).is_some_and(|token| token == "pub")
        }
        _ => false,
    }
}

/// The tokens without the items that are compiled for tests only.
fn without_tests(tokens: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "#" {
            let end = closing(tokens, at + 1);
            let attribute = &tokens[at..=end];
            if attribute.get(2).is_some_and(|word| word == "cfg") && attribute.get(4).is_some_and(|word| word == "test")
            {
                at = item_end(tokens, end + 1);
            } else {
                at = end;
            }
        } else {
            kept.push(tokens[at].clone());
        }
        at += 1;
    }
    kept
}

/// The last token of the item at `at`: its `;`, or the bracket that closes its body.
fn item_end(tokens: &[String], mut at: usize) -> usize {
    while at < tokens.len() {
        match tokens[at].as_str() {
            ";" => return at,
            "{" => {
                at = closing(tokens, at);
                if tokens.get(at + 1).is_none_or(|next| next != ";") {
                    return at;
                }
            }
            "(" | "[" => at = closing(tokens, at),
            _ => {}
        }
        at += 1;
    }
    at
}

/// The bracket that closes the first one at or after `at`.
fn closing(tokens: &[String], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    tokens.len() - 1
}

/// Words, `::`, and single punctuation marks; no comments, no literals in quotes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|&next| next != '\n').is_some() {},
            '/' if rest.peek() == Some(&'*') => block_comment(&mut rest),
            '"' => quoted(&mut rest),
            '\'' => character_or_lifetime(&mut rest),
            ':' if rest.next_if_eq(&':').is_some() => tokens.push("::".to_owned()),
            _ if character.is_alphanumeric() || character == '_' => {
                let mut word = String::from(character);
                while let Some(next) = rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
                    word.push(next);
                }
                if !(matches!(word.as_str(), "r" | "br") && raw(&mut rest)) {
                    tokens.push(word);
                }
            }
            _ if character.is_whitespace() => {}
            _ => tokens.push(character.into()),
        }
    }
    tokens
}

fn block_comment(rest: &mut Peekable<Chars<'_>>) {
    let mut depth = 0_usize;
    let mut last = '/';
    for next in rest.by_ref() {
        match (last, next) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                last = next;
                continue;
            }
        }
        last = ' ';
        if depth == 0 {
            return;
        }
    }
}

fn quoted(rest: &mut Peekable<Chars<'_>>) {
    while let Some(next) = rest.next() {
        match next {
            '\\' => drop(rest.next()),
            '"' => return,
            _ => {}
        }
    }
}

/// Skips a raw literal after its `r`, if one begins here.
fn raw(rest: &mut Peekable<Chars<'_>>) -> bool {
    let mut ahead = rest.clone();
    let mut hashes = 0;
    while ahead.next_if_eq(&'#').is_some() {
        hashes += 1;
    }
    if ahead.next_if_eq(&'"').is_none() {
        return false;
    }
    let mut closing = None;
    for next in ahead.by_ref() {
        closing = match (next, closing) {
            ('"', _) => Some(0),
            ('#', Some(seen)) => Some(seen + 1),
            _ => None,
        };
        if closing == Some(hashes) {
            break;
        }
    }
    *rest = ahead;
    true
}

fn character_or_lifetime(rest: &mut Peekable<Chars<'_>>) {
    let mut ahead = rest.clone();
    match ahead.next() {
        Some('\\') => {
            ahead.next();
            while ahead.next().is_some_and(|next| next != '\'') {}
            *rest = ahead;
        }
        Some(_) if ahead.next() == Some('\'') => *rest = ahead,
        _ => while rest.next_if(|next| next.is_alphanumeric() || *next == '_').is_some() {},
    }
}
