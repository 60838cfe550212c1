//! Licence expressions of SPDX: `(MIT OR Apache-2.0) AND Unicode-3.0`.

/// Returns true if the permitted licences satisfy the expression. `/` is an old form of OR.
pub(crate) fn is_satisfied(expression: &str, is_permitted: impl Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let holds = alternatives(&mut words, &is_permitted);
    holds == Some(true) && words.next().is_none()
}

type Words<'t> = std::iter::Peekable<std::str::SplitWhitespace<'t>>;

/// Parts joined by OR; `None` if the text has another form.
fn alternatives(words: &mut Words<'_>, is_permitted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut holds = conditions(words, is_permitted)?;
    while words.next_if_eq(&"OR").is_some() {
        holds |= conditions(words, is_permitted)?;
    }
    Some(holds)
}

/// Parts joined by AND.
fn conditions(words: &mut Words<'_>, is_permitted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut holds = licence(words, is_permitted)?;
    while words.next_if_eq(&"AND").is_some() {
        holds &= licence(words, is_permitted)?;
    }
    Some(holds)
}

/// One licence, with its exception if it has one, or an expression in brackets.
fn licence(words: &mut Words<'_>, is_permitted: &dyn Fn(&str) -> bool) -> Option<bool> {
    let name = words.next().filter(|name| !["OR", "AND", "WITH", ")"].contains(name))?;
    if name == "(" {
        let holds = alternatives(words, is_permitted)?;
        return words.next_if_eq(&")").map(|_| holds);
    }
    if words.next_if_eq(&"WITH").is_some() {
        let exception = words.next()?;
        return Some(is_permitted(&format!("{name} WITH {exception}")));
    }
    Some(is_permitted(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_hold_when_the_permitted_licences_suffice() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("MIT OR GPL-3.0", true),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0", false),
            ("GPL-3.0 OR MIT AND Zlib", true),
            ("(MIT OR GPL-3.0) AND Zlib", true),
            ("MIT AND (GPL-3.0 OR LGPL-3.0)", false),
            ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
            ("Apache-2.0 WITH other", false),
            ("", false),
            ("MIT OR", false),
            ("(MIT", false),
            ("MIT)", false),
            ("MIT Zlib", false),
        ] {
            let permitted = ["MIT", "Zlib", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];
            assert_eq!(is_satisfied(expression, |name| permitted.contains(&name)), expected, "{expression}");
        }
    }
}
