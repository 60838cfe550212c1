//! The headers of the KIF family, which JKF has as well: `key：value`.

use enbu_movegen::{Color, EnteringKingRule};

use super::moves;
use super::words::{digit, is_blank, number};
use crate::header::{HeaderKey, Headers};
use crate::record::{Record, Rules, TimeControl};

/// Keys that several formats share.
const KEYS: [(&str, HeaderKey); 8] = [
    ("先手", HeaderKey::BlackName),
    ("下手", HeaderKey::BlackName),
    ("後手", HeaderKey::WhiteName),
    ("上手", HeaderKey::WhiteName),
    ("棋戦", HeaderKey::Event),
    ("場所", HeaderKey::Site),
    ("開始日時", HeaderKey::StartTime),
    ("終了日時", HeaderKey::EndTime),
];

/// Keys that make a file a record, beside those above.
const OTHER_KNOWN: [&str; 24] = [
    "手合割",
    "手合",
    "戦型",
    "備考",
    "対局日",
    "表題",
    "持ち時間",
    "秒読み",
    "消費時間",
    "掲載",
    "先手省略名",
    "後手省略名",
    "記録係",
    "作品番号",
    "作品名",
    "作者",
    "発表誌",
    "発表年月",
    "出典",
    "手数",
    "完全性",
    "分類",
    "受賞",
    "先手の持駒",
];

const TIME: &str = "持ち時間";
const BYOYOMI: &str = "秒読み";
const INCREMENT: &str = "加算";
const MAX_MOVES: &str = "最大手数";
const ENTERING_KING: &str = "入玉規定";

/// A header line: the key and the value, split at the first colon of either width.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    let at = line.find(['：', ':'])?;
    let (key, rest) = line.split_at(at);
    let mut rest = rest.chars();
    rest.next();
    Some((key.trim_matches(is_blank), rest.as_str().trim_matches(is_blank)))
}

/// Returns true if a line is the digits above a board: `９ ８ ７ ６ ５ ４ ３ ２ １`.
pub(crate) fn is_files(line: &str) -> bool {
    line.starts_with(['９', '9']) && line.chars().all(|c| is_blank(c) || digit(c).is_some())
}

/// Returns true if a file with this key is a record.
pub(crate) fn is_known(key: &str) -> bool {
    OTHER_KNOWN.contains(&key) || KEYS.iter().any(|(known, _)| *known == key)
}

/// Returns true if a record begins with this key, when it follows the moves of another.
pub(crate) fn begins_record(key: &str) -> bool {
    matches!(key, "開始日時" | "手合割" | "先手" | "下手" | "後手" | "上手" | "対局日" | "棋戦" | "作品番号")
}

fn key_of_name(name: &str) -> HeaderKey {
    match name {
        "戦型" => HeaderKey::Opening,
        "備考" => HeaderKey::Note,
        _ => KEYS
            .into_iter()
            .find(|(known, _)| *known == name)
            .map_or_else(|| HeaderKey::Other(name.to_owned()), |(_, key)| key),
    }
}

/// Names of the sides in headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// 先手 and 後手.
    Even,
    /// 下手 and 上手.
    Handicap,
}

impl Sides {
    pub(crate) const fn name(self, color: Color) -> &'static str {
        match (self, color) {
            (Self::Even, Color::Black) => "先手",
            (Self::Even, Color::White) => "後手",
            (Self::Handicap, Color::Black) => "下手",
            (Self::Handicap, Color::White) => "上手",
        }
    }
}

fn name_of_key(key: &HeaderKey, sides: Sides) -> &str {
    match key {
        HeaderKey::BlackName => sides.name(Color::Black),
        HeaderKey::WhiteName => sides.name(Color::White),
        HeaderKey::Event => "棋戦",
        HeaderKey::Site => "場所",
        HeaderKey::StartTime => "開始日時",
        HeaderKey::EndTime => "終了日時",
        HeaderKey::Opening => "戦型",
        HeaderKey::Note => "備考",
        HeaderKey::Other(name) => name,
    }
}

/// Stores a header. One with exactly the text that [`lines_of`] would write for the rules
/// becomes a rule alone; other wordings are kept, and understood where possible.
pub(crate) fn take(key: &str, value: &str, headers: &mut Headers, rules: &mut Rules) {
    let mut changed = rules.clone();
    understand(key, value, &mut changed);
    if changed != *rules {
        *rules = changed;
        if rule_lines(rules).iter().any(|(name, text)| *name == key && text == value) {
            return;
        }
    } else if rule_lines(rules).iter().any(|(name, text)| *name == key && text == value) {
        return;
    }
    let key = key_of_name(key);
    if key == HeaderKey::Note {
        headers.push_line(key, value);
    } else {
        headers.push(key, value);
    }
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn understand(key: &str, value: &str, rules: &mut Rules) {
    let mut each = |set: &mut dyn FnMut(&mut TimeControl, u64)| {
        let times = match value.split_once('、').or_else(|| value.split_once(' ')) {
            Some((black, white))
                if black.starts_with("先手") && white.trim_start_matches(is_blank).starts_with("後手") =>
            {
                let white = white.trim_start_matches(is_blank);
                [black.strip_prefix("先手"), white.strip_prefix("後手")]
            }
            _ => [Some(value.trim_start_matches('各')); 2],
        };
        let times = times.map(|text| text.and_then(duration_ms));
        for (color, time) in Color::ALL.into_iter().zip(times) {
            if let Some(ms) = time {
                set(rules.time[color].get_or_insert_default(), ms);
            }
        }
    };
    match key {
        TIME => each(&mut |control, ms| control.main_ms = ms),
        BYOYOMI => each(&mut |control, ms| control.byoyomi_ms = ms),
        INCREMENT => each(&mut |control, ms| control.increment_ms = ms),
        MAX_MOVES => {
            if let Some((moves, "" | "手")) = number(value) {
                rules.max_moves = u32::try_from(moves).ok().filter(|&moves| moves > 0);
            }
        }
        ENTERING_KING => rules.entering_king = rule_of_name(value).or(rules.entering_king),
        _ => {}
    }
}

/// `1時間30分`, `10分`, `60秒`, `0.5秒`, in milliseconds.
fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total = 0u64;
    while !rest.is_empty() {
        let (value, tail) = number(rest)?;
        let (thousandths, tail) = match tail.strip_prefix('.') {
            Some(tail) => {
                let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let (fraction, tail) = tail.split_at_checked(digits)?;
                let padded = fraction.bytes().chain(*b"000").take(3);
                (padded.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')), tail)
            }
            None => (0, tail),
        };
        let (unit_ms, tail) = [("時間", 3_600_000), ("分", 60_000), ("秒", 1000)]
            .into_iter()
            .find_map(|(unit, ms)| Some((ms, tail.strip_prefix(unit)?)))?;
        let ms = value.saturating_mul(unit_ms).saturating_add(thousandths.saturating_mul(unit_ms) / 1000);
        total = total.saturating_add(ms);
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

fn duration_text(ms: u64) -> String {
    let mut text = String::new();
    let (hours, minutes, rest) = (ms / 3_600_000, ms / 60_000 % 60, ms % 60_000);
    if hours > 0 {
        text.push_str(&format!("{hours}時間"));
    }
    if minutes > 0 {
        text.push_str(&format!("{minutes}分"));
    }
    if rest > 0 || text.is_empty() {
        let seconds = match rest % 1000 {
            0 => format!("{}秒", rest / 1000),
            thousandths => format!("{}秒", format!("{}.{thousandths:03}", rest / 1000).trim_end_matches('0')),
        };
        text.push_str(&seconds);
    }
    text
}

const RULE_NAMES: [(&str, EnteringKingRule); 6] = [
    ("24点法", EnteringKingRule::Csa24),
    ("27点法", EnteringKingRule::Csa27),
    ("24点法（駒落ち）", EnteringKingRule::Csa24Handicap),
    ("27点法（駒落ち）", EnteringKingRule::Csa27Handicap),
    ("トライルール", EnteringKingRule::Try),
    ("なし", EnteringKingRule::NoEnteringKing),
];

fn rule_of_name(name: &str) -> Option<EnteringKingRule> {
    RULE_NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, rule)| rule)
}

/// The rules as headers.
fn rule_lines(rules: &Rules) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (key, part) in [
        (TIME, (|time| time.main_ms) as fn(TimeControl) -> u64),
        (BYOYOMI, |time| time.byoyomi_ms),
        (INCREMENT, |time| time.increment_ms),
    ] {
        let value = match rules.time.map(|time| time.map(part)) {
            [Some(0) | None, Some(0) | None] if key != TIME => continue,
            [Some(black), Some(white)] if black == white => duration_text(black),
            [Some(black), Some(white)] => format!("先手{} 後手{}", duration_text(black), duration_text(white)),
            _ => continue,
        };
        lines.push((key, value));
    }
    lines.extend(rules.max_moves.map(|moves| (MAX_MOVES, format!("{moves}手"))));
    let rule = rules.entering_king.and_then(|rule| RULE_NAMES.into_iter().find(|&(_, known)| known == rule));
    lines.extend(rule.map(|(name, _)| (ENTERING_KING, name.to_owned())));
    lines
}

/// Keys and values of a record, in order; no value has line ends, no key a colon.
pub(crate) fn lines_of(record: &Record, sides: Sides) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (key, value) in record.headers.iter() {
        let name = clean_key(name_of_key(key, sides));
        for line in value.split('\n') {
            lines.push((name.clone(), one_line(line)));
        }
    }
    for (key, value) in rule_lines(&record.rules) {
        // The file's own wording means the same.
        if !lines.iter().any(|(name, _)| name == key) {
            lines.push((key.to_owned(), value));
        }
    }
    lines
}

/// A key that a reader takes for nothing else.
fn clean_key(name: &str) -> String {
    let clean: String = name.chars().filter(|&c| !matches!(c, '：' | ':') && !c.is_control()).collect();
    let clean = clean.trim_matches(is_blank);
    let misread = clean.is_empty()
        || clean.starts_with(|c: char| "#*&|+'▲△▼▽☗☖０１２３４５６７８９まで変手盤".contains(c) || c.is_ascii_digit())
            && !is_known(clean)
        || moves::begins_move(clean)
        || ["持駒", "持ち駒"].iter().any(|hand| clean.ends_with(hand))
        || matches!(clean, "手合割" | "手合");
    if misread { format!("_{clean}") } else { clean.to_owned() }
}

/// Text on one line, without characters that a reader would drop.
pub(crate) fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.trim_matches(is_blank).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::Setup;

    fn taken(lines: &[(&str, &str)]) -> Record {
        let mut record = Record::new(Setup::startpos());
        for (key, value) in lines {
            take(key, value, &mut record.headers, &mut record.rules);
        }
        record
    }

    #[test]
    fn the_first_colon_splits() {
        assert_eq!(split("掲載：https://a:b"), Some(("掲載", "https://a:b")));
        assert_eq!(split("先手:甲：乙　"), Some(("先手", "甲：乙")));
        assert_eq!(split("先手"), None);
    }

    #[test]
    fn own_wordings_become_rules_alone() {
        let record = taken(&[("持ち時間", "1時間30分"), ("秒読み", "30秒"), ("最大手数", "256手")]);
        assert!(record.headers.is_empty());
        let control = TimeControl { main_ms: 5_400_000, byoyomi_ms: 30_000, increment_ms: 0 };
        assert_eq!((record.rules.time, record.rules.max_moves), ([Some(control); 2], Some(256)));
    }

    #[test]
    fn other_wordings_are_kept_and_understood() {
        let record = taken(&[("持ち時間", "各5時間")]);
        assert_eq!(record.rules.time[0].map(|time| time.main_ms), Some(18_000_000));
        assert_eq!(lines_of(&record, Sides::Even), [("持ち時間".to_owned(), "各5時間".to_owned())]);
        let record = taken(&[("持ち時間", "各10分、切れたら1手30秒：注意")]);
        assert_eq!(record.rules, Rules::default());
        assert!(!record.headers.is_empty());
    }

    #[test]
    fn rules_survive_their_lines() {
        let black = TimeControl { main_ms: 600_000, byoyomi_ms: 500, increment_ms: 0 };
        let white = TimeControl { main_ms: 0, byoyomi_ms: 10_000, increment_ms: 5250 };
        for time in [[None, None], [Some(black), Some(black)], [Some(black), Some(white)]] {
            for (_, rule) in RULE_NAMES {
                let mut record = Record::new(Setup::startpos());
                record.rules = Rules { time, max_moves: Some(512), entering_king: Some(rule) };
                let lines = lines_of(&record, Sides::Even);
                let lines: Vec<_> = lines.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
                assert_eq!(taken(&lines), record, "{lines:?}");
            }
        }
    }

    #[test]
    fn notes_of_several_lines_are_joined() {
        let record = taken(&[("備考", "一"), ("備考", "二")]);
        assert_eq!(record.headers.value(&HeaderKey::Note), Some("一\n二"));
    }
}
