//! Words of the formats for values, in tables that serve readers and writers.

use enbu_movegen::EnteringKingRule;

/// Formats by their columns in tables of [`Terms`].
#[derive(Clone, Copy)]
pub(crate) enum Naming {
    /// CSA: the players have statements of their own.
    Csa,
    /// The KIF family.
    Kif,
    /// PGN and PSN: the names of the players depend on the dialect.
    Pgn,
    /// Lines of USI.
    Usi,
    /// The words that only PSN2 has.
    Psn2,
    Usen,
}

/// Values with their words in the formats, divided by `|` in the order of [`Naming`]: of several, the first
/// is written.
pub(crate) type Terms<T> = [(T, &'static str)];

/// The word that a format writes for a value.
pub(crate) fn word_of<T: PartialEq>(names: &Terms<T>, naming: Naming, value: &T) -> Option<&'static str> {
    cell_of(names, value, naming as usize).split(' ').next().filter(|word| !word.is_empty())
}

/// The text in a column of the row of a value.
pub(crate) fn cell_of<T: PartialEq>(names: &Terms<T>, value: &T, column: usize) -> &'static str {
    names.iter().find(|(known, _)| known == value).and_then(|(_, row)| row.split('|').nth(column)).unwrap_or_default()
}

/// The value for a word of a format.
pub(crate) fn value_of<'n, T>(names: &'n Terms<T>, naming: Naming, word: &str) -> Option<&'n T> {
    let is_named = |row: &str| {
        // By bytes: a reader asks for every header and end.
        let cell = row.as_bytes().split(|&byte| byte == b'|').nth(naming as usize).unwrap_or_default();
        cell.len() >= word.len() && cell.split(|&byte| byte == b' ').any(|known| known == word.as_bytes())
    };
    names.iter().find(|(_, row)| !word.is_empty() && is_named(row)).map(|(value, _)| value)
}

/// The words of a row in a format.
pub(crate) fn words_in(row: &'static str, naming: Naming) -> impl Iterator<Item = &'static str> {
    row.split('|').nth(naming as usize).unwrap_or_default().split_whitespace()
}

/// The rules for entering kings. CSA specifies two, leaves the text free, and has no word for handicaps.
pub(crate) const ENTERING_KING_RULES: [(EnteringKingRule, &str); 6] = [
    (EnteringKingRule::Csa24, "24|24点法"),
    (EnteringKingRule::Csa27, "27|27点法"),
    (EnteringKingRule::Csa24Handicap, "24|24点法（駒落ち）"),
    (EnteringKingRule::Csa27Handicap, "27|27点法（駒落ち）"),
    (EnteringKingRule::Try, "TRY|トライルール"),
    (EnteringKingRule::NoEnteringKing, "NONE|なし"),
];
