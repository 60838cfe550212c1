//! Parser for the lines of an engine.
//!
//! The inverse of [`Reply`]'s `Display`, as lenient as engines need: unknown words
//! of an `info` are skipped, options may have blanks in their names, a line of play
//! may end in a pseudo move.

use enbu_language::messages;

use crate::option::{EMPTY, OptionKind, OptionSpec, OptionValue};
use crate::reply::{BestMove, Bound, Checkmate, Info, LineEnd, Reply, Score};
use crate::token::{Words, number, quote, unsigned};

messages! {
/// Error in a line of an engine, with the offending text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ReplyError {
    Unknown(line: String) => "unknown reply {}", "{} という応答はありません", quote(line);
    BestMove(word: String) => "bestmove: {} is not a move", "bestmove：{} は指し手ではありません", quote(word);
    Ponder(word: String) => "bestmove: ponder {} is not a move", "bestmove：ponder {} は指し手ではありません", quote(word);
    Pv(word: String) => "info: {} in the line of play is not a move", "info：読み筋の {} は指し手ではありません", quote(word);
    Option(line: String) => "option without name or type: {}", "option に名前か型がありません：{}", quote(line);
}}

impl ReplyError {
    pub(crate) fn into_text(self) -> String {
        let (Self::Unknown(text) | Self::BestMove(text) | Self::Ponder(text) | Self::Pv(text) | Self::Option(text)) =
            self;
        text
    }
}

/// Result of parsing a line: the reply and the first error.
///
/// A blank line has neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The reply, without its malformed parts.
    pub reply: Option<Reply>,
    /// The first error.
    pub problem: Option<ReplyError>,
}

impl Heard {
    const fn whole(reply: Reply) -> Self {
        Self { reply: Some(reply), problem: None }
    }

    const fn refused(problem: ReplyError) -> Self {
        Self { reply: None, problem: Some(problem) }
    }
}

/// Reads one line of an engine.
///
/// ```
/// use enbu_usi::client::parse_reply;
/// let heard = parse_reply("bestmove 7g7f ponder 3c3d");
/// assert_eq!(heard.reply.unwrap().to_string(), "bestmove 7g7f ponder 3c3d");
/// assert_eq!(parse_reply("bestmove 0000").problem.unwrap().to_string(), "bestmove: `0000` is not a move");
/// ```
pub fn parse_reply(line: &str) -> Heard {
    let mut words = Words::new(line);
    match words.next() {
        None => Heard { reply: None, problem: None },
        Some("bestmove") => parse_best(&mut words),
        Some("info") => parse_info(&mut words),
        Some("readyok") => Heard::whole(Reply::ReadyOk),
        Some("usiok") => Heard::whole(Reply::UsiOk),
        Some("checkmate") => parse_checkmate(&mut words, line),
        Some("option") => parse_option(words.rest(), line),
        Some("id") => match words.next() {
            Some("name") => Heard::whole(Reply::IdName(words.rest().to_owned())),
            Some("author") => Heard::whole(Reply::IdAuthor(words.rest().to_owned())),
            _ => unknown(line),
        },
        Some(_) => unknown(line),
    }
}

fn unknown(line: &str) -> Heard {
    Heard::refused(ReplyError::Unknown(line.trim_ascii().to_owned()))
}

fn parse_best(words: &mut Words<'_>) -> Heard {
    let word = words.next().unwrap_or_default();
    let best = match word {
        "resign" => return Heard::whole(Reply::BestMove(BestMove::Resign)),
        "win" => return Heard::whole(Reply::BestMove(BestMove::Win)),
        word => word.parse(),
    };
    let Ok(best) = best else { return Heard::refused(ReplyError::BestMove(word.to_owned())) };
    let play = |ponder| Reply::BestMove(BestMove::Play { best, ponder });
    match (words.next(), words.next()) {
        (Some("ponder"), Some(word)) => match word.parse() {
            Ok(ponder) => Heard::whole(play(Some(ponder))),
            Err(_) => Heard { reply: Some(play(None)), problem: Some(ReplyError::Ponder(word.to_owned())) },
        },
        _ => Heard::whole(play(None)),
    }
}

fn parse_checkmate(words: &mut Words<'_>, line: &str) -> Heard {
    let checkmate = match words.peek() {
        Some("nomate") => Checkmate::NoMate,
        Some("timeout") => Checkmate::Timeout,
        Some("notimplemented") => Checkmate::NotImplemented,
        Some(_) => match words.map(str::parse).collect() {
            Ok(moves) => Checkmate::Moves(moves),
            Err(_) => return unknown(line),
        },
        None => return unknown(line),
    };
    Heard::whole(Reply::Checkmate(checkmate))
}

fn parse_info(words: &mut Words<'_>) -> Heard {
    let mut info = Info::default();
    let mut problem = None;
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = small(words),
            "seldepth" => info.seldepth = small(words),
            "multipv" => info.multipv = small(words),
            "hashfull" => info.hashfull_permille = small(words),
            "nodes" => info.nodes = words.next_as(unsigned),
            "nps" => info.nps = words.next_as(unsigned),
            "time" => info.time_ms = words.next_as(unsigned),
            "score" => info.score = parse_score(words),
            "lowerbound" => info.bound = Bound::Lower,
            "upperbound" => info.bound = Bound::Upper,
            "string" if info == Info::default() => return Heard::whole(Reply::Text(words.rest().to_owned())),
            "string" => break,
            "currmove" => info.currmove = words.next_as(|word| word.parse().ok()),
            "pv" => problem = parse_pv(words, &mut info),
            _ => {}
        }
    }
    Heard { reply: Some(Reply::Info(info)), problem }
}

/// Reads moves up to the end of the line, or to the first word that is none.
fn parse_pv(words: &mut Words<'_>, info: &mut Info) -> Option<ReplyError> {
    for word in words.by_ref() {
        match (word.parse(), LineEnd::of(word)) {
            (Ok(mv), _) => info.pv.push(mv),
            (_, Some(end)) => info.pv_end = Some(end),
            _ => return Some(ReplyError::Pv(word.to_owned())),
        }
    }
    None
}

fn small(words: &mut Words<'_>) -> Option<u32> {
    words.next_as(unsigned).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}

fn parse_score(words: &mut Words<'_>) -> Option<Score> {
    match (words.next()?, words.next()?) {
        ("cp", word) => number(word).map(|value| Score::Cp(clamped(value))),
        ("mate", "+" | "+0" | "0") => Some(Score::Mates),
        ("mate", "-") => Some(Score::Mated),
        ("mate", "-0") => Some(Score::MatedIn(0)),
        ("mate", word) => number(word).map(|plies| {
            let length = u32::try_from(plies.unsigned_abs()).unwrap_or(u32::MAX);
            if plies > 0 { Score::MateIn(length) } else { Score::MatedIn(length) }
        }),
        _ => None,
    }
}

fn clamped(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}

/// Reads `name N type T ...`; `N` may hold blanks.
fn parse_option(text: &str, line: &str) -> Heard {
    let parts = text.strip_prefix("name ").and_then(|rest| rest.split_once(" type "));
    let Some((name, rest)) = parts else {
        return Heard::refused(ReplyError::Option(line.trim_ascii().to_owned()));
    };
    let mut words = Words::new(rest);
    let (kind, default) = match words.next().unwrap_or_default() {
        "check" => (OptionKind::Check, OptionValue::Check(after(&mut words, "default") == Some("true"))),
        "spin" => parse_spin(&words),
        "combo" => parse_combo(words),
        "button" => (OptionKind::Button, OptionValue::Button),
        "filename" => (OptionKind::Filename, text_after_default(words)),
        _ => (OptionKind::Text, text_after_default(words)),
    };
    Heard::whole(Reply::Option(OptionSpec::new(name.trim_ascii(), kind, default)))
}

fn after<'a>(words: &mut Words<'a>, keyword: &str) -> Option<&'a str> {
    words.find(|&word| word == keyword)?;
    words.next()
}

fn parse_spin(words: &Words<'_>) -> (OptionKind, OptionValue) {
    let value = |keyword| after(&mut words.clone(), keyword).and_then(number);
    let kind = OptionKind::Spin { min: value("min").unwrap_or(i64::MIN), max: value("max").unwrap_or(i64::MAX) };
    (kind, OptionValue::Spin(value("default").unwrap_or(0)))
}

fn parse_combo(mut words: Words<'_>) -> (OptionKind, OptionValue) {
    let (mut default, mut choices) = (String::new(), Vec::new());
    while let Some(word) = words.next() {
        match (word, words.next()) {
            ("default", Some(value)) => default = value.to_owned(),
            ("var", Some(value)) => choices.push(value.to_owned()),
            _ => {}
        }
    }
    (OptionKind::Combo(choices), OptionValue::Text(default))
}

fn text_after_default(mut words: Words<'_>) -> OptionValue {
    let found = words.find(|&word| word == "default");
    let text = if found.is_some() { words.rest() } else { "" };
    OptionValue::Text(if text == EMPTY { String::new() } else { text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_replies_are_read_as_they_print() {
        for line in [
            "id name Enbu 0.1",
            "id author the authors",
            "option name USI_Ponder type check default true",
            "option name Threads type spin default 1 min 1 max 512",
            "option name Rule type combo default B var A var B",
            "option name Clear type button",
            "option name Skill Level type spin default 20 min 0 max 20",
            "option name BookFile type string default no_book",
            "option name EvalFile type filename default <empty>",
            "usiok",
            "readyok",
            "bestmove 8h2b+ ponder P*5e",
            "bestmove resign",
            "bestmove win",
            "checkmate G*5b 5a4a",
            "checkmate nomate",
            "checkmate timeout",
            "checkmate notimplemented",
            "info string hello  there",
            "info depth 12 seldepth 20 multipv 2 score cp -35 lowerbound nodes 123 nps 1000 hashfull 17 time 5 pv 7g7f",
            "info score mate -4 pv 7g7f 3c3d",
            "info depth 0 seldepth 0 multipv 1 score mate -0 nodes 0 nps 0 hashfull 0 time 3 pv resign",
            "info depth 1 multipv 1 score mate 1 pv win",
            "info depth 9 score mate 3 pv 7g7f 3c3d win",
            "info nodes 5 nps 6 hashfull 7 time 8 currmove P*7f",
            "info depth 12 multipv 1 score cp -35 upperbound nodes 123 pv 7g7f",
            "info depth 1 score mate +",
        ] {
            let heard = parse_reply(&format!(" {line} \r"));
            assert_eq!(heard.problem, None, "{line}");
            assert_eq!(heard.reply.map(|reply| reply.to_string()).as_deref(), Some(line));
        }
        assert_eq!(parse_reply(" \r"), Heard { reply: None, problem: None });
    }

    #[test]
    fn what_is_wrong_is_told_and_the_rest_kept() {
        for (line, kept, problem) in [
            ("bestmove", None, "bestmove: `` is not a move"),
            ("bestmove 7g7g", None, "bestmove: `7g7g` is not a move"),
            ("bestmove 7g7f ponder (none)", Some("bestmove 7g7f"), "bestmove: ponder `(none)` is not a move"),
            (
                "info depth 3 pv 7g7f xyz 3c3d",
                Some("info depth 3 pv 7g7f"),
                "info: `xyz` in the line of play is not a move",
            ),
            ("No such option: X", None, "unknown reply `No such option: X`"),
            ("checkmate", None, "unknown reply `checkmate`"),
            ("checkmate none", None, "unknown reply `checkmate none`"),
            ("id", None, "unknown reply `id`"),
            ("option name X", None, "option without name or type: `option name X`"),
        ] {
            let heard = parse_reply(line);
            assert_eq!(heard.reply.map(|reply| reply.to_string()).as_deref(), kept, "{line}");
            assert_eq!(heard.problem.map(|problem| problem.to_string()).as_deref(), Some(problem));
        }
    }

    #[test]
    fn info_skips_what_it_does_not_know() {
        for (line, expected) in [
            ("info depth x nodes 5 tbhits 3 currmove x currmovenumber 2 time 2", "info nodes 5 time 2"),
            ("info score cp 30 string gikou style", "info score cp 30"),
            (
                "info score cp 99999999999 nodes 99999999999999999999",
                "info score cp 2147483647 nodes 9223372036854775807",
            ),
            ("info score banana 3 depth 2", "info depth 2"),
            ("info pv 7g7f rep_draw", "info pv 7g7f rep_draw"),
        ] {
            let heard = parse_reply(line);
            assert_eq!((heard.reply.map(|reply| reply.to_string()).as_deref(), heard.problem), (Some(expected), None));
        }
    }
}
