//! Tags: the seven of the roster, those for the rules of a game, and all others.

use enbu_language::Words;
use enbu_movegen::Setup;

use crate::error::Problem;
use crate::header::{HeaderKey, Headers};
use crate::kakinoki::handicap::setup_of_name;
use crate::lines::{is_number, one_line};
use crate::record::{Record, Rules, TimeControl};
use crate::terms::{ENTERING_KING_RULES, Naming};
use crate::{csa, fen};

#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    pub(super) list: Vec<(String, String)>,
}

impl Tags {
    /// The value of the first tag with this name.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.list.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// `\"` and `\\` of a value; other backslashes stay.
pub(super) fn unquote(value: &str) -> String {
    csa::unescape_with(value, |c| Some(c).filter(|c| ['"', '\\'].contains(c)))
}

pub(super) fn quote(value: &str) -> String {
    one_line(value).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns true if tags are those of PSN2, in which Black is sente.
fn is_psn2(tags: &Tags) -> bool {
    let has = |name| tags.value(name).is_some();
    ["Sfen", "BlackTimeSetting", "WhiteTimeSetting"].into_iter().any(has)
        && !["Event", "Result", "Variant", "FEN", "Sente"].into_iter().any(has)
}

/// Returns true if a name of a variant is that of another game, or of none that is known.
pub(super) fn check_variant(name: &str) -> Result<Option<Problem>, Problem> {
    const OTHERS: &str =
        "standard normal chess chess960 fischerandom crazyhouse xiangqi janggi makruk atomic antichess seirawan";
    let name = name.trim().to_ascii_lowercase();
    match name.as_str() {
        "shogi" | "" | "?" => Ok(None),
        other if other.contains("shogi") || OTHERS.split(' ').any(|known| known == other) => Err(Problem::OtherVariant),
        _ => Ok(Some(Problem::OtherVariant)),
    }
}

/// The start position, and its oddities.
pub(super) fn start_position(tags: &Tags) -> Result<(Setup, Option<Problem>), Problem> {
    if tags.value("FEN").or(tags.value("Sfen")).is_some_and(fen::is_other_board) {
        return Err(Problem::OtherVariant);
    }
    let of_fen = |text| if fen::is_fen(text) { fen::read(text) } else { text.parse() };
    let fen = tags.value("FEN").map(of_fen).transpose().map_err(Problem::Sfen)?;
    let sfen = tags.value("Sfen").map(|text| {
        // Some files have the board alone.
        let whole = if text.trim().contains(' ') { text.to_owned() } else { format!("{} b - 1", text.trim()) };
        whole.parse::<Setup>().map_err(Problem::Sfen)
    });
    let sfen = if fen.is_some() { sfen.and_then(Result::ok) } else { sfen.transpose()? };
    match (fen, sfen) {
        (None, None) => {
            let named = tags.value("Handicap").map(|name| handicap(name).ok_or(Problem::UnknownHandicap));
            Ok((named.unwrap_or(Ok(Setup::startpos()))?, None))
        }
        (Some(setup), None) | (None, Some(setup)) => Ok((setup, None)),
        (Some(fen), Some(sfen)) if (Setup { ply: sfen.ply, ..fen.clone() }) == sfen => Ok((sfen, None)),
        (Some(fen), Some(_)) => {
            Ok((fen, Some(Problem::HeaderValue { expected: Words("the position of FEN", " FEN の局面") })))
        }
    }
}

pub(super) fn read(tags: &Tags) -> (Headers, Rules) {
    let mut headers = Headers::default();
    let mut rules = Rules::default();
    let date = tags.value("Date").and_then(date_from_tag);
    let is_psn2 = is_psn2(tags);
    for (name, value) in &tags.list {
        let [black, white] = &mut rules.time;
        let known = match name.as_str() {
            "Result" | "Variant" | "SetUp" | "FEN" | "Sfen" | "End" => true,
            "Event" | "Site" | "Round" | "White" | "Black" => value == "?" || value.is_empty(),
            "Date" => value.trim_matches(['?', '.']).is_empty(),
            "Time" => date.is_some() && is_time(value),
            "Termination" => matches!(value.as_str(), "time forfeit" | "rules infraction" | "abandoned"),
            "TimeControl" => set(black, time_control(value)) && set(white, time_control(value)),
            "BlackTime" => set(black, csa::read_time(value)),
            "WhiteTime" => set(white, csa::read_time(value)),
            "BlackTimeSetting" => set(black, clock(value)),
            "WhiteTimeSetting" => set(white, clock(value)),
            "Sente" | "Gote" => value.is_empty(),
            "Handicap" => tags.value("FEN").is_none() && tags.value("Sfen").is_none(),
            "MaxMoves" => set(&mut rules.max_moves, value.parse().ok().filter(|&moves| moves > 0)),
            "EnteringKing" => {
                let mut known = ENTERING_KING_RULES.into_iter().map(|(rule, _)| rule);
                set(&mut rules.entering_king, known.find(|rule| format!("{rule:?}") == *value))
            }
            _ => false,
        };
        if known {
            continue;
        }
        let key = match (name.as_str(), is_psn2) {
            ("Sente", _) | ("Black", true) | ("White", false) => HeaderKey::BlackName,
            ("Gote", _) | ("White", true) | ("Black", false) => HeaderKey::WhiteName,
            ("Tournament", true) => HeaderKey::Event,
            (name, _) => HeaderKey::named(name, Naming::Pgn),
        };
        match (key, &date) {
            (HeaderKey::Note, _) => headers.push(HeaderKey::Note, csa::unescape(value)),
            (HeaderKey::Other(name), Some(date)) if name == "Date" => {
                let time = tags.value("Time").filter(|time| is_time(time));
                headers.push(HeaderKey::StartTime, time.map_or_else(|| date.clone(), |time| format!("{date} {time}")));
            }
            (HeaderKey::Other(name), _) => match value.split_once(": ").filter(|_| is_numbered_header(&name)) {
                Some((key, value)) => headers.push(HeaderKey::Other(key.to_owned()), value),
                None => headers.push(HeaderKey::Other(name), value),
            },
            (key, _) => headers.push(key, value),
        }
    }
    (headers, rules)
}

fn is_numbered_header(name: &str) -> bool {
    name.strip_prefix("Header").is_some_and(is_number)
}

/// `2026.11.20` as `2026/11/20`.
fn date_from_tag(value: &str) -> Option<String> {
    // As the European records of PSN have it.
    let is_short = value.len() == 8 && is_number(value);
    let dotted = if is_short {
        format!("{}.{}.{}", value.get(..4)?, value.get(4..6)?, value.get(6..)?)
    } else {
        value.to_owned()
    };
    are_digits(&dotted, '.', 4).then(|| dotted.replace('.', "/"))
}

fn is_time(value: &str) -> bool {
    are_digits(value, ':', 2)
}

/// Returns true for three numbers, of which the last two have two digits.
fn are_digits(value: &str, separator: char, first: usize) -> bool {
    let parts: Vec<&str> = value.split(separator).collect();
    parts.iter().map(|part| part.len()).eq([first, 2, 2]) && is_number(&parts.concat())
}

/// `300+10` or `300`: seconds for the game and for each move.
fn time_control(value: &str) -> Option<TimeControl> {
    let (main, increment) = value.split_once('+').unwrap_or((value, "0"));
    let ms = |text: &str| text.parse::<u64>().ok()?.checked_mul(1000);
    Some(TimeControl { main_ms: ms(main)?, byoyomi_ms: 0, increment_ms: ms(increment)? })
}

/// Sets a rule that was understood, and returns true for one.
fn set<T>(rule: &mut Option<T>, value: Option<T>) -> bool {
    let is_known = value.is_some();
    *rule = value.or(rule.take());
    is_known
}

/// The lines of the tags of a record, in the order of the export format. `extra`
/// are further tags that its end needs.
pub(super) fn lines(record: &Record, result: &str, extra: Vec<(String, String)>) -> Vec<String> {
    let headers = &record.headers;
    let start = headers.value(&HeaderKey::StartTime);
    let (date, time) = start.and_then(split_start).map_or((None, None), |(date, time)| (Some(date), time));
    let text = |key: &HeaderKey| headers.value(key).filter(|value| !value.is_empty()).unwrap_or("?").to_owned();
    let date_tag = || headers.value(&HeaderKey::Other("Date".to_owned())).unwrap_or("????.??.??").to_owned();
    let mut tags = vec![
        ("Event".to_owned(), text(&HeaderKey::Event)),
        ("Site".to_owned(), text(&HeaderKey::Site)),
        ("Date".to_owned(), date.clone().unwrap_or_else(date_tag)),
        ("Round".to_owned(), text(&HeaderKey::Other("Round".to_owned()))),
        ("White".to_owned(), text(&HeaderKey::BlackName)),
        ("Black".to_owned(), text(&HeaderKey::WhiteName)),
        ("Result".to_owned(), result.to_owned()),
        ("Variant".to_owned(), "Shogi".to_owned()),
    ];
    tags.extend(position_tags(record.setup()));
    let mut others = extra;
    let own: Vec<String> = others.iter().map(|(name, _)| name.clone()).collect();
    others.extend(time.map(|time| ("Time".to_owned(), time)));
    others.extend(start.filter(|_| date.is_none()).map(|start| ("StartTime".to_owned(), start.to_owned())));
    others.extend(other_tags(headers).into_iter().filter(|(name, _)| !own.contains(name)));
    others.extend(rule_tags(&record.rules, headers));
    others.sort_by(|a, b| a.0.cmp(&b.0));
    tags.append(&mut others);
    tags.into_iter().map(|(name, value)| format!("[{name} \"{}\"]", quote(&value))).collect()
}

/// `YYYY/MM/DD HH:MM:SS` as the values of Date and Time.
fn split_start(start: &str) -> Option<(String, Option<String>)> {
    let (date, time) = start.split_once(' ').map_or((start, None), |(date, time)| (date, Some(time)));
    let fits = are_digits(date, '/', 4) && time.is_none_or(is_time);
    fits.then(|| (date.replace('/', "."), time.map(str::to_owned)))
}

fn position_tags(setup: &Setup) -> Vec<(String, String)> {
    if *setup == Setup::startpos() {
        return Vec::new();
    }
    // The short tail that Fairy-Stockfish gives its start position.
    let text = fen::write(setup).replace(" - - ", " ");
    let exact = fen::read(&text).as_ref() == Ok(setup);
    let mut tags = vec![("SetUp".to_owned(), "1".to_owned()), ("FEN".to_owned(), text)];
    if !exact {
        tags.push(("Sfen".to_owned(), setup.to_string()));
    }
    tags
}

pub(super) fn other_tags(headers: &Headers) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    let mut numbered = 0;
    for (key, value) in headers.iter() {
        // The roster holds the first of each.
        let in_roster = matches!(
            key,
            HeaderKey::BlackName | HeaderKey::WhiteName | HeaderKey::Event | HeaderKey::Site | HeaderKey::StartTime
        ) || matches!(key, HeaderKey::Other(name) if matches!(name.as_str(), "Round" | "Date"));
        let Some(name) = key.name(Naming::Pgn).filter(|_| !in_roster) else { continue };
        if is_tag_name(name) {
            let value = if *key == HeaderKey::Note { csa::escape(value) } else { value.to_owned() };
            tags.push((name.to_owned(), value));
        } else {
            numbered += 1;
            tags.push((format!("Header{numbered}"), format!("{}: {value}", name.replace(": ", " "))));
        }
    }
    tags
}

/// Returns true if a header can be a tag of its own name without being taken for another.
fn is_tag_name(name: &str) -> bool {
    const TAKEN: &str = "Event Site White Black Result Variant SetUp FEN Sfen \
        End Time BlackTime WhiteTime MaxMoves EnteringKing StartTime TimeControl_";
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    letters && !name.is_empty() && !TAKEN.split(' ').any(|taken| taken == name) && !is_numbered_header(name)
}

pub(super) fn rule_tags(rules: &Rules, headers: &Headers) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    let taken = headers.value(&HeaderKey::Other("TimeControl".to_owned())).is_some();
    match rules.time {
        [Some(black), Some(white)]
            if black == white
                && black.byoyomi_ms == 0
                && [black.main_ms, black.increment_ms].iter().all(|ms| ms.is_multiple_of(1000))
                && !taken =>
        {
            let value = format!("{}+{}", black.main_ms / 1000, black.increment_ms / 1000);
            tags.push(("TimeControl".to_owned(), value));
        }
        [black, white] => {
            tags.extend(black.map(|time| ("BlackTime".to_owned(), csa::time_text(time))));
            tags.extend(white.map(|time| ("WhiteTime".to_owned(), csa::time_text(time))));
        }
    }
    tags.extend(rules.max_moves.map(|moves| ("MaxMoves".to_owned(), moves.to_string())));
    tags.extend(rules.entering_king.map(|rule| ("EnteringKing".to_owned(), format!("{rule:?}"))));
    tags
}

/// The start position of a handicap: `2 piece`, `Rook + Lance`, or a Japanese name.
fn handicap(name: &str) -> Option<Setup> {
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

/// The clock of a time setting of PSN2.
fn clock(value: &str) -> Option<TimeControl> {
    let numbers: Option<Vec<u64>> = value.split(',').map(|part| part.trim().parse().ok()).collect();
    let &[hours, minutes, seconds, has_byoyomi, byoyomi, has_increment, increment, ..] = numbers?.as_slice() else {
        return None;
    };
    let ms = |seconds: u64| seconds.saturating_mul(1000);
    let main = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60)).saturating_add(seconds);
    let byoyomi_ms = if has_byoyomi > 0 { ms(byoyomi) } else { 0 };
    Some(TimeControl { main_ms: ms(main), byoyomi_ms, increment_ms: if has_increment > 0 { ms(increment) } else { 0 } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_their_quotes() {
        for value in ["", "a \"b\" \\ c", "\\\\\"", "名"] {
            assert_eq!(unquote(&quote(value)), value);
        }
        assert_eq!(unquote(r"a\b"), r"a\b");
    }

    #[test]
    fn variants() {
        for name in ["Shogi", "shogi", "SHOGI", ""] {
            assert_eq!(check_variant(name), Ok(None));
        }
        assert_eq!(check_variant("Foo"), Ok(Some(Problem::OtherVariant)));
        for name in ["Minishogi", "standard", "Crazyhouse"] {
            assert_eq!(check_variant(name), Err(Problem::OtherVariant));
        }
    }
}
