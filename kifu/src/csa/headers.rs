//! Players, `$` headers, clocks, and their values.

use enbu_language::Words;

use super::*;
use crate::header::{HeaderKey, Headers};
use crate::lines::{is_number, thousandths};
use crate::reading::{Fault, Reporter, Step};
use crate::record::{Rules, TimeControl};
use crate::terms::{ENTERING_KING_RULES, Naming, value_of};

/// Reads a `$KEY:value` statement.
pub(super) fn read_header<'t>(
    statement: &'t str,
    version: Version,
    headers: &mut Headers,
    rules: &mut Rules,
    report: &mut Reporter<'t>,
) -> Step<'t> {
    let parts = statement.get(1..).and_then(|text| text.split_once(':'));
    let Some((key, value)) = parts.map(|(key, value)| (key.trim(), value.trim())).filter(|(key, _)| !key.is_empty())
    else {
        return report.warn(Fault::new(Problem::HeaderSyntax, statement));
    };
    if !belongs(key, version) {
        report.warn(Fault::new(Problem::WrongVersion, key))?;
    }
    let (is_exact, expected) = match key {
        "TIME" | "TIME+" | "TIMET+" | "TIME-" | "TIMET-" => {
            let time = read_time(value);
            let [black, white] = &mut rules.time;
            *black = time.filter(|_| !key.ends_with('-')).or(*black);
            *white = time.filter(|_| !key.ends_with('+')).or(*white);
            (is_exact(value), Words("seconds such as 900+0+5", "秒数（例：900+0+5）"))
        }
        "TIME_LIMIT" => {
            let time = read_time_limit(value);
            rules.time = if time.is_some() { [time; 2] } else { rules.time };
            (time.is_some() && value.contains('+'), Words("a time such as 00:25+30", "時間（例：00:25+30）"))
        }
        "MAX_MOVES" => {
            let moves = is_number(value).then(|| value.parse().unwrap_or(u32::MAX)).filter(|&moves| moves > 0);
            rules.max_moves = moves.or(rules.max_moves);
            (moves.is_some(), Words("a number of moves", "手数"))
        }
        "JISHOGI" => {
            let name = value.trim_end_matches("点法").trim_end().to_ascii_uppercase();
            let rule = value_of(&ENTERING_KING_RULES, Naming::Csa, &name);
            rules.entering_king = rule.copied().or(rules.entering_king);
            (rule.is_some(), Words("24 or 27", " 24 か 27 "))
        }
        _ => {
            let value = if key == "NOTE" { unescape(value) } else { value.to_owned() };
            headers.push(HeaderKey::named(key, Naming::Csa), value);
            (true, Words("", ""))
        }
    };
    if is_exact { Ok(()) } else { report.warn(Fault::new(Problem::HeaderValue { expected }, value)) }
}

/// The headers that are written from [`Rules`] and so never from [`Headers`].
pub(super) fn is_rule_key(key: &str) -> bool {
    matches!(key, "TIME" | "TIME+" | "TIME-" | "TIMET+" | "TIMET-" | "TIME_LIMIT" | "MAX_MOVES" | "JISHOGI")
}

/// Returns true if `key` belongs to the version. Keys that no version knows are free.
fn belongs(key: &str, version: Version) -> bool {
    match key {
        "EVENT" | "SITE" | "START_TIME" | "END_TIME" | "OPENING" => version >= Version::V2,
        "TIME_LIMIT" => (Version::V2..Version::V3).contains(&version),
        "NOTE" => version >= Version::V3,
        key => !is_rule_key(key) || version >= Version::V3,
    }
}

/// Returns true for three times in the form of the specification.
fn is_exact(value: &str) -> bool {
    let parts: Option<Vec<u64>> = value.split('+').map(|part| exact_seconds(part.trim())).collect();
    parts.is_some_and(|parts| parts.len() == 3)
}

/// `main+byoyomi+increment` in seconds with up to three decimals; what is missing is 0.
pub(crate) fn read_time(value: &str) -> Option<TimeControl> {
    let mut parts = value.split('+').map(|part| read_seconds(part.trim()));
    let main_ms = parts.next()??;
    let mut next = || parts.next().unwrap_or(Some(0));
    let (byoyomi_ms, increment_ms) = (next()?, next()?);
    parts.next().is_none().then_some(TimeControl { main_ms, byoyomi_ms, increment_ms })
}

/// `HH:MM+SS`: main time in hours and minutes, byoyomi in seconds.
fn read_time_limit(value: &str) -> Option<TimeControl> {
    let (main, byoyomi) = value.split_once('+').unwrap_or((value, "0"));
    let (hours, minutes) = main.split_once(':')?;
    let whole = |text: &str| exact_seconds(text.trim()).filter(|_| !text.contains('.'));
    let minutes_ms = whole(hours)?.saturating_mul(60).saturating_add(whole(minutes)?);
    Some(TimeControl { main_ms: minutes_ms.saturating_mul(60), byoyomi_ms: whole(byoyomi)?, increment_ms: 0 })
}

/// Seconds with decimals, in milliseconds. More than three decimals are cut and
/// numbers that do not fit saturate.
pub(super) fn read_seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !is_number(&[whole, fraction].concat()) {
        return None;
    }
    let seconds = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(u64::MAX) };
    Some(seconds.saturating_mul(1000).saturating_add(thousandths(fraction)))
}

/// Seconds with up to three decimals, in milliseconds.
///
/// ```
/// use enbu_kifu::csa::{exact_seconds, seconds_text};
/// assert_eq!((exact_seconds("12.05"), seconds_text(12_050)), (Some(12_050), "12.05".to_owned()));
/// assert_eq!((exact_seconds("1.2345"), exact_seconds("-1")), (None, None));
/// ```
pub fn exact_seconds(text: &str) -> Option<u64> {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    read_seconds(text).filter(|&ms| !text.starts_with('.') && decimals <= 3 && ms < u64::MAX)
}

/// Milliseconds as seconds, with decimals only where they are needed.
pub fn seconds_text(ms: u64) -> String {
    match ms % 1000 {
        0 => (ms / 1000).to_string(),
        rest => format!("{}.{rest:03}", ms / 1000).trim_end_matches('0').to_owned(),
    }
}

/// `\n` and `\\` of a note; other backslashes stay.
pub(crate) fn unescape(value: &str) -> String {
    unescape_with(value, |c| match c {
        'n' => Some('\n'),
        c => Some('\\').filter(|&backslash| c == backslash),
    })
}

/// Replaces the characters after backslashes that have a meaning, and drops these backslashes.
pub(crate) fn unescape_with(value: &str, meaning: impl Fn(char) -> Option<char>) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let replaced = chars.peek().filter(|_| c == '\\').and_then(|&next| meaning(next));
        if replaced.is_some() {
            chars.next();
        }
        text.push(replaced.unwrap_or(c));
    }
    text
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace("\r\n", "\n").replace(['\n', '\r'], "\\n")
}

/// The clock in the name of a game on shogi-server, as in
/// `wdoor+floodgate-300-10F+black+white+20261120120000`: seconds, then byoyomi
/// or, with `F`, increment.
pub(super) fn time_of_game_name(event: &str) -> Option<TimeControl> {
    let mut fields = event.split('+').skip(1);
    let (name, stamp) = (fields.next()?, fields.skip(1).last()?);
    if stamp.len() != 14 || !is_number(stamp) {
        return None;
    }
    let mut parts = name.rsplit('-');
    let per_move = parts.next()?;
    let main_ms = exact_seconds(parts.next()?)?;
    parts.next()?;
    let fischer = per_move.strip_suffix('F');
    // A leading zero marks a clock that counts in minutes.
    let per_move_ms = exact_seconds(fischer.unwrap_or(per_move))?;
    if per_move.len() > 1 && per_move.starts_with('0') {
        return None;
    }
    let (byoyomi_ms, increment_ms) = if fischer.is_some() { (0, per_move_ms) } else { (per_move_ms, 0) };
    Some(TimeControl { main_ms, byoyomi_ms, increment_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(main_ms: u64, byoyomi_ms: u64, increment_ms: u64) -> TimeControl {
        TimeControl { main_ms, byoyomi_ms, increment_ms }
    }

    #[test]
    fn times_of_both_generations() {
        let exact = |main, byoyomi, increment| Some(control(main, byoyomi, increment));
        assert!(["1500+0+0", "10.5+0+5.5", "0+30+0"].into_iter().all(is_exact));
        assert!(!["900+30", "900+0+5+1", "900+0+5+x", "900.1234+0+0", ".5+0+0"].into_iter().any(is_exact));
        assert_eq!(read_time("1500+0+0"), exact(1_500_000, 0, 0));
        assert_eq!(read_time("10.5+0+5.5"), exact(10_500, 0, 5500));
        assert_eq!(read_time("0+30+0"), exact(0, 30_000, 0));
        assert_eq!(read_time("900+30"), exact(900_000, 30_000, 0));
        for bad in ["", "900+0+5+1", "-1+0+0", "x+0+0", "1e3+0+0", "++"] {
            assert_eq!(read_time(bad), None, "{bad}");
        }
        assert_eq!(read_time_limit("00:25+00"), exact(1_500_000, 0, 0));
        assert_eq!(read_time_limit("100:30+60"), exact(100 * 3_600_000 + 1_800_000, 60_000, 0));
        for bad in ["25+00", "00:25:00+00", "00:2.5+00", ":+"] {
            assert_eq!(read_time_limit(bad), None, "{bad}");
        }
    }

    #[test]
    fn seconds_keep_three_decimals() {
        for (text, value) in [
            ("12", Some((12_000, true))),
            ("6.123", Some((6123, true))),
            ("3.", Some((3000, true))),
            ("0.05", Some((50, true))),
            (".5", Some((500, false))),
            ("1.23456", Some((1234, false))),
            ("99999999999999999999", Some((u64::MAX, false))),
            ("", None),
            (".", None),
            ("-1", None),
            ("1.-5", None),
            ("１", None),
        ] {
            assert_eq!(read_seconds(text), value.map(|(ms, _)| ms), "{text}");
            assert_eq!(exact_seconds(text), value.filter(|&(_, is_exact)| is_exact).map(|(ms, _)| ms), "{text}");
        }
        for ms in [0, 1, 10, 120, 1000, 6123, 10_500, 60_000] {
            assert_eq!(read_seconds(&seconds_text(ms)), Some(ms));
            assert_eq!(exact_seconds(&seconds_text(ms)), Some(ms));
        }
        assert_eq!(seconds_text(10_500), "10.5");
    }

    #[test]
    fn notes_survive_their_escapes() {
        assert_eq!(unescape(r"a\nb\\"), "a\nb\\");
        assert_eq!(unescape(r"a\x\"), r"a\x\");
        for note in ["", "a\nb", r"\n", "\\\\\n\\", "path C:\\new"] {
            assert_eq!(unescape(&escape(note)), note);
        }
    }

    #[test]
    fn names_of_server_games_tell_the_clock() {
        let name = |game: &str| time_of_game_name(&format!("wdoor+{game}+A+B+20261120120000"));
        assert_eq!(name("floodgate-300-10F"), Some(control(300_000, 0, 10_000)));
        assert_eq!(name("test-900-60"), Some(control(900_000, 60_000, 0)));
        assert_eq!(name("buoy_x-y-1500-0"), Some(control(1_500_000, 0, 0)));
        assert_eq!(name("game-1500-060"), None);
        assert_eq!(name("300-10F"), None);
        assert_eq!(time_of_game_name("a-1-2"), None);
    }
}
