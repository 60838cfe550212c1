//! PSN, PGN's sister for shogi, and PSN2: the parts in which they differ from PGN.
//!
//! | | PSN (shogi-l 1997, Shogidokoro) | PSN2 (MyShogi) |
//! |---|---|---|
//! | players | `[Sente "..."]`, `[Gote "..."]` | `[Black "..."]` is sente, on the first line; `[White "..."]` |
//! | start | `[SFEN "..."]`, `[Handicap "2 piece"]`, `[FEN "..."]` | `[SFEN "..."]`, always |
//! | moves | `1.P7g-7f`, `2.B2bx8h+`, `5.B*4e`, `P'4e`, `15.+B4d-3c`, with or without numbers | as in USI: `1.7g7f` |
//! | times | `(00:03 / 00:01:03)`: minutes and seconds, then the total | `(00:00:03 / 00:01:03)` |
//! | ends | `Resigns`, `Interrupt`, `Mate`, `Sennichite`, `Jishogi`, `Timeup` | also `RepetitionDraw`, `RepetitionWin`, `MaxMovesDraw`, `DeclarationWin`, `TryRuleWin` |
//! | clocks | | `[BlackTimeSetting "h,m,s,has byoyomi,byoyomi,has increment,increment,ignored,unlimited"]` |
//! | variations | `Variation:6`, then move 6 and those after it | the same |
//!
//! A text is PSN2 if it has `SFEN` or a time setting and none of the tags that PGN demands. The
//! reader takes tags, ends and variations of both in any mixture, in any case. Comments are in braces.
//!
//! The writer writes a time for every move, because MyShogi skips moves without one (0 where
//! none is known), one comment a block, and `Interrupt` for ends without a word.

use enbu_movegen::{Color, Setup};

use crate::end::{End, EndKind, GameResult};
use crate::kakinoki::handicap::setup_of_name;
use crate::record::TimeControl;

/// The two forms of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Psn,
    Psn2,
}

/// Words for ends; the first of a kind that a form knows is written. All but the first six are of PSN2.
const ENDS: [(&str, EndKind); 10] = [
    ("Resigns", EndKind::Resign),
    ("Interrupt", EndKind::Abort),
    ("Mate", EndKind::Mate),
    ("Sennichite", EndKind::Repetition),
    ("Jishogi", EndKind::Impasse),
    ("Timeup", EndKind::TimeUp),
    ("RepetitionDraw", EndKind::Repetition),
    ("MaxMovesDraw", EndKind::MaxMoves),
    ("DeclarationWin", EndKind::DeclarationWin),
    ("Resign", EndKind::Resign),
];

/// The end for a word in the place of a move, when `turn` is to move.
pub(super) fn end_of_word(word: &str, turn: Color) -> Option<End> {
    if word.eq_ignore_ascii_case("RepetitionWin") {
        // The opponent checked perpetually.
        return Some(End::new(EndKind::IllegalAction(!turn), turn));
    }
    if word.eq_ignore_ascii_case("TryRuleWin") {
        return Some(End { kind: EndKind::Other("トライ".to_owned()), result: Some(GameResult::win(!turn)) });
    }
    ENDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, kind)| End::new(kind.clone(), turn))
}

pub(super) fn end_word(end: &End, turn: Color, form: Form) -> &'static str {
    match (&end.kind, form) {
        (EndKind::IllegalAction(fouled), Form::Psn2) if *fouled != turn => return "RepetitionWin",
        (EndKind::Other(word), Form::Psn2) if word == "トライ" => return "TryRuleWin",
        (EndKind::Repetition, Form::Psn2) => return "RepetitionDraw",
        _ => {}
    }
    let words = if form == Form::Psn { ENDS.iter().take(6) } else { ENDS.iter().take(9) };
    words.into_iter().find(|(_, kind)| *kind == end.kind).map_or("Interrupt", |(word, _)| word)
}

/// The start position of a handicap: `2 piece`, `Rook + Lance`, or a Japanese name.
pub(super) fn handicap(name: &str) -> Option<Setup> {
    const NAMES: [(&[&str], &str); 5] = [
        (&["rook", "lance"], "飛香落ち"),
        (&["rook"], "飛車落ち"),
        (&["bishop"], "角落ち"),
        (&["right", "lance"], "右香落ち"),
        (&["lance"], "香落ち"),
    ];
    let name = name.trim().to_ascii_lowercase();
    let digits = name.split(|c: char| !c.is_ascii_digit()).next().filter(|digits| !digits.is_empty());
    let words = || NAMES.iter().find(|(words, _)| words.iter().all(|word| name.contains(word))).map(|(_, name)| *name);
    match (digits, name.as_str()) {
        (Some(pieces), _) => setup_of_name(&format!("{pieces}枚落ち")),
        (None, "" | "none" | "even" | "no" | "-" | "?") => Some(Setup::startpos()),
        (None, other) => setup_of_name(words().unwrap_or(other)),
    }
}

/// The clock of a time setting.
pub(super) fn clock(value: &str) -> Option<TimeControl> {
    let numbers: Option<Vec<u64>> = value.split(',').map(|part| part.trim().parse().ok()).collect();
    let &[hours, minutes, seconds, has_byoyomi, byoyomi, has_increment, increment, ..] = numbers?.as_slice() else {
        return None;
    };
    let ms = |seconds: u64| seconds.saturating_mul(1000);
    let main = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60)).saturating_add(seconds);
    let byoyomi_ms = if has_byoyomi > 0 { ms(byoyomi) } else { 0 };
    Some(TimeControl { main_ms: ms(main), byoyomi_ms, increment_ms: if has_increment > 0 { ms(increment) } else { 0 } })
}

pub(super) fn time_setting(name: &str, time: TimeControl) -> String {
    let [main, byoyomi, increment] = [time.main_ms, time.byoyomi_ms, time.increment_ms].map(|ms| ms / 1000);
    let (has_byoyomi, has_increment) = (u8::from(byoyomi > 0), u8::from(increment > 0));
    let clock = format!("{},{},{}", main / 3600, main / 60 % 60, main % 60);
    format!("[{name}TimeSetting \"{clock},{has_byoyomi},{byoyomi},{has_increment},{increment},0,0\"]")
}
