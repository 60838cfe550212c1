//! The headers of the KIF family, which JKF has as well: `key：value`.

use enbu_movegen::Color;

use super::moves;
use super::words::{is_blank, number};
use crate::csa;
use crate::header::{HeaderKey, Headers};
use crate::lines::{self, thousandths};
use crate::record::{Record, Rules, TimeControl};
use crate::terms::{ENTERING_KING_RULES, Naming, value_of, word_of};

/// Keys that make a file a record.
const KNOWN: &str = "先手 下手 後手 上手 棋戦 場所 開始日時 終了日時 手合割 手合 戦型 備考 対局日 表題 持ち時間 秒読み \
    消費時間 掲載 先手省略名 後手省略名 記録係 作品番号 作品名 作者 発表誌 発表年月 出典 手数 完全性 分類 受賞 先手の持駒";

const TIME: &str = "持ち時間";
const BYOYOMI: &str = "秒読み";
const INCREMENT: &str = "加算";
const MAX_MOVES: &str = "最大手数";
const ENTERING_KING: &str = "入玉規定";

/// A header line: the key and the value, split at the first colon of either width.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(['：', ':'])?;
    Some((key.trim_matches(is_blank), value.trim_matches(is_blank)))
}

/// The number of files of a board from the digits above it: 9 for `９ ８ ７ ６ ５ ４ ３ ２ １`.
pub(crate) fn files(line: &str) -> Option<usize> {
    let mut digits = line.ends_with(['1', '１']).then(|| line.split(is_blank).filter(|word| !word.is_empty()))?;
    let (first, _) = number(digits.next()?).filter(|(_, rest)| rest.is_empty())?;
    let count = usize::try_from(first).ok().filter(|count| (3..=36).contains(count))?;
    let others = digits.map(|word| number(word).and_then(|(file, rest)| rest.is_empty().then_some(file)));
    others.eq((1..first).rev().map(Some)).then_some(count)
}

pub(crate) fn is_known(key: &str) -> bool {
    KNOWN.split(' ').any(|known| known == key)
}

/// Returns true if a record begins with this key, when it follows the moves of another.
pub(crate) fn begins_record(key: &str) -> bool {
    matches!(key, "開始日時" | "手合割" | "先手" | "下手" | "後手" | "上手" | "対局日" | "棋戦" | "作品番号")
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
        match self {
            Self::Even => color.select(["先手", "後手"]),
            Self::Handicap => color.select(["下手", "上手"]),
        }
    }
}

/// Stores a header. One with exactly the text that [`lines_of`] would write for the rules
/// becomes a rule alone; other wordings are kept, and understood where possible.
pub(crate) fn take(key: &str, value: &str, headers: &mut Headers, rules: &mut Rules) {
    understand(key, value, rules);
    if rule_lines(rules).iter().any(|(name, text)| *name == key && text == value) {
        return;
    }
    let key = HeaderKey::named(key, Naming::Kif);
    if key == HeaderKey::Note {
        headers.push_line(key, value);
    } else {
        headers.push(key, value);
    }
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn understand(key: &str, value: &str, rules: &mut Rules) {
    match key {
        TIME | BYOYOMI | INCREMENT => {
            for (color, text) in Color::ALL.into_iter().zip(sides(value)) {
                let Some([main, byoyomi, increment]) = clock(text) else { continue };
                let control = rules.time[color].get_or_insert_default();
                match key {
                    TIME => {
                        control.main_ms = main.unwrap_or(0);
                        control.byoyomi_ms = byoyomi.unwrap_or(control.byoyomi_ms);
                        control.increment_ms = increment.unwrap_or(control.increment_ms);
                    }
                    BYOYOMI => control.byoyomi_ms = total([main, byoyomi]),
                    _ => control.increment_ms = total([main, byoyomi, increment]),
                }
            }
        }
        MAX_MOVES => {
            if let Some((moves, "" | "手")) = number(value) {
                rules.max_moves = u32::try_from(moves).ok().filter(|&moves| moves > 0);
            }
        }
        ENTERING_KING => {
            let rule = value_of(&ENTERING_KING_RULES, Naming::Kif, value);
            rules.entering_king = rule.copied().or(rules.entering_king);
        }
        _ => {}
    }
}

fn total<const N: usize>(times: [Option<u64>; N]) -> u64 {
    times.into_iter().flatten().fold(0, u64::saturating_add)
}

/// The texts for Black and White, which are mostly one.
fn sides(value: &str) -> [&str; 2] {
    let separate = value.strip_prefix("先手").and_then(|value| value.split_once("後手"));
    separate.map_or([value; 2], |(black, white)| [black, white])
}

/// Main time, byoyomi and increment in milliseconds, as far as a text gives them in the wordings of programs; `None`
/// if it says anything else.
///
/// | program | text |
/// |---|---|
/// | 81Dojo, Kifu for Windows, ShogiGUI | `10分+30秒`, `各10分 秒読み30秒` |
/// | ぴよ将棋 | `15分60秒`: seconds after minutes are byoyomi |
/// | newspapers | `各5時間`, `15分、切れたら1手30秒`, `30分切れ負け` |
/// | Fischer | `5分+10秒加算`, `10分（1手5秒加算）` |
fn clock(text: &str) -> Option<[Option<u64>; 3]> {
    /// Words before a time for each move.
    const EACH_MOVE: &str = "+ ＋ / 秒読み 切れたら 切れてから 使い切ったら 使い切ると 一手 1手 １手 以後";
    const FILLERS: &str =
        "、 , ， 。 （ ） ( ) 各 持ち時間 チェスクロック使用 切れ負け ずつ 以内 未満 加算 フィッシャー";
    let [mut main, mut byoyomi, mut increment] = [None; 3];
    let mut rest = text.trim_matches(is_blank);
    let mut each_move = false;
    while !rest.is_empty() {
        if let Some(tail) = EACH_MOVE.split(' ').find_map(|word| rest.strip_prefix(word)) {
            each_move = true;
            rest = tail;
        } else if let Some((ms, unit, tail)) = duration(rest) {
            // `加算` follows its time.
            let is_added = tail.trim_start_matches(is_blank).starts_with("加算");
            let slot = match unit {
                _ if is_added => &mut increment,
                SECOND if main.is_some() => &mut byoyomi,
                _ if each_move => &mut byoyomi,
                _ => &mut main,
            };
            *slot = Some(slot.unwrap_or(0u64).saturating_add(ms));
            rest = tail;
        } else {
            rest = FILLERS.split(' ').find_map(|word| rest.strip_prefix(word))?;
        }
        rest = rest.trim_start_matches(is_blank);
    }
    let clock = [main, byoyomi, increment];
    (clock != [None; 3]).then_some(clock)
}

const SECOND: u64 = 1000;

/// The time at the start of a text (`1時間`, `10分`, `0.5秒`, `30 sec`), its unit, both in
/// milliseconds, and the rest.
fn duration(text: &str) -> Option<(u64, u64, &str)> {
    const UNITS: [(&str, u64); 5] =
        [("時間", 3_600_000), ("分", 60_000), ("秒", SECOND), ("min", 60_000), ("sec", SECOND)];
    let (value, tail) = number(text)?;
    let after_dot = tail.strip_prefix('.').unwrap_or(tail);
    let tail = after_dot.trim_start_matches(|c: char| c.is_ascii_digit());
    let thousandths = thousandths(after_dot.strip_suffix(tail)?);
    let tail = tail.trim_start_matches(is_blank);
    let (unit, tail) = UNITS.into_iter().find_map(|(name, ms)| Some((ms, tail.strip_prefix(name)?)))?;
    let ms = value.saturating_mul(unit).saturating_add(thousandths.saturating_mul(unit) / 1000);
    Some((ms, unit, tail))
}

/// A time as `1時間30分` or, where it is no whole number of minutes, in seconds alone:
/// `1分30秒` is byoyomi of 30 seconds to some programs.
fn duration_text(ms: u64) -> String {
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    match (ms % 60_000, hours, minutes) {
        (0, 0, 1..) => format!("{minutes}分"),
        (0, 1.., 0) => format!("{hours}時間"),
        (0, 1.., _) => format!("{hours}時間{minutes}分"),
        _ => format!("{}秒", csa::seconds_text(ms)),
    }
}

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
    let rule = rules.entering_king.and_then(|rule| word_of(&ENTERING_KING_RULES, Naming::Kif, &rule));
    lines.extend(rule.map(|name| (ENTERING_KING, name.to_owned())));
    lines
}

/// Keys and values of a record, in order; no value has line ends, no key a colon.
pub(crate) fn lines_of(record: &Record, sides: Sides) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (key, value) in record.headers.iter() {
        let name = clean_key(match key {
            HeaderKey::BlackName => sides.name(Color::Black),
            HeaderKey::WhiteName => sides.name(Color::White),
            key => key.name(Naming::Kif).unwrap_or_default(),
        });
        lines.extend(value.split('\n').map(|line| (name.clone(), one_line(line))));
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
    lines::one_line(text).trim_matches(is_blank).to_owned()
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
            for (rule, _) in ENTERING_KING_RULES {
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
