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

use enbu_movegen::{Color, Move, MoveParts, PieceType};

use super::tags;
use crate::board::Board;
use crate::end::{End, EndKind, GameResult};
use crate::header::HeaderKey;
use crate::kakinoki::Notation;
use crate::lines::clock_text;
use crate::record::{Record, TimeControl};
use crate::terms::{Naming, words_in};
use crate::western;

/// The end for a word in the place of a move, when `turn` is to move.
pub(super) fn end_of_word(word: &str, turn: Color) -> Option<End> {
    if word.eq_ignore_ascii_case("RepetitionWin") {
        // The opponent checked perpetually.
        return Some(End::new(EndKind::IllegalAction(!turn), turn));
    }
    if word.eq_ignore_ascii_case("TryRuleWin") {
        return Some(End { kind: EndKind::Other("トライ".to_owned()), result: Some(GameResult::win(!turn)) });
    }
    // Moves, which have digits, are many.
    let mut kinds = EndKind::NAMES.into_iter().take_while(|_| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let is_word = |known: &str| known.eq_ignore_ascii_case(word);
    let (kind, _) =
        kinds.find(|(_, row)| words_in(row, Naming::Pgn).chain(words_in(row, Naming::Psn2)).any(is_word))?;
    Some(End::new(kind, turn))
}

pub(crate) fn end_word(end: &End, turn: Color, form: Notation) -> &'static str {
    match (&end.kind, form) {
        (EndKind::IllegalAction(fouled), Notation::Psn2) if *fouled != turn => return "RepetitionWin",
        (EndKind::Other(word), Notation::Psn2) if word == "トライ" => return "TryRuleWin",
        _ => {}
    }
    let own = end.kind.name(Naming::Psn2).filter(|_| form == Notation::Psn2);
    own.or_else(|| end.kind.name(Naming::Pgn)).unwrap_or("Interrupt")
}

fn time_setting(name: &str, time: TimeControl) -> String {
    let [main, byoyomi, increment] = [time.main_ms, time.byoyomi_ms, time.increment_ms].map(|ms| ms / 1000);
    let (has_byoyomi, has_increment) = (u8::from(byoyomi > 0), u8::from(increment > 0));
    let clock = format!("{},{},{}", main / 3600, main / 60 % 60, main % 60);
    format!("[{name}TimeSetting \"{clock},{has_byoyomi},{byoyomi},{has_increment},{increment},0,0\"]")
}

/// The tags of a record, and the empty line after them.
pub(crate) fn head(record: &Record, form: Notation) -> Vec<String> {
    // `Event` would make PGN of PSN2.
    let [black, white, event] = match form {
        Notation::Psn2 => ["Black", "White", "Tournament"],
        _ => ["Sente", "Gote", "Event"],
    };
    let value = |key: &HeaderKey| record.headers.value(key).unwrap_or_default().to_owned();
    let line = |(name, value): (String, String)| format!("[{name} \"{}\"]", tags::quote(&value));
    let names = [(black, HeaderKey::BlackName), (white, HeaderKey::WhiteName)];
    let mut lines: Vec<String> = names.iter().map(|(name, key)| line(((*name).to_owned(), value(key)))).collect();
    let mut rules = record.rules.clone();
    if form == Notation::Psn2 {
        lines.extend(rules.time[0].take().map(|time| time_setting("Black", time)));
        lines.extend(rules.time[1].take().map(|time| time_setting("White", time)));
    }
    lines.push(line(("SFEN".to_owned(), record.setup().to_string())));
    let others = [(event, HeaderKey::Event), ("Site", HeaderKey::Site), ("StartTime", HeaderKey::StartTime)];
    let others = others.iter().map(|(name, key)| ((*name).to_owned(), value(key))).filter(|(_, text)| !text.is_empty());
    lines.extend(
        others.chain(tags::other_tags(&record.headers)).chain(tags::rule_tags(&rules, &record.headers)).map(line),
    );
    lines.push(String::new());
    lines
}

/// The line of a move or an end, with its times.
pub(crate) fn line(number: usize, text: &str, ms: u64, total_ms: u64, form: Notation) -> String {
    let seconds = ms / 1000;
    let minutes = || format!("{:02}:{:02}", seconds / 60, seconds % 60);
    let now = if form == Notation::Psn { minutes() } else { clock_text(seconds) };
    format!("{:<18}({now} / {})", format!("{number}.{text}"), clock_text(total_ms / 1000))
}

/// A move such as `P7g-7f`, `+B4dx3c` or `B*4e`; of PSN2 as in USI.
pub(crate) fn move_text(board: &Board, mv: Move, form: Notation) -> String {
    match mv.parts() {
        MoveParts::Board { from, to, promote } if form == Notation::Psn => {
            let piece = western::piece(board.piece_at(from).map_or(PieceType::Pawn, |piece| piece.kind));
            let capture = if board.piece_at(to).is_some() { 'x' } else { '-' };
            format!("{piece}{from}{capture}{to}{}", if promote { "+" } else { "" })
        }
        _ => mv.to_string(),
    }
}
