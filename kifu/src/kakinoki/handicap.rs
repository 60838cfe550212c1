//! Handicaps by name.

use enbu_movegen::Setup;

use super::words::{digit, rank_kanji};

/// The handicaps: names in Japanese, of which the first is written; the name in JKF; White's three ranks, side to
/// move and hands, in the words of SFEN. White gives the odds: the left lance is that on 1a.
const HANDICAPS: [(&str, &str, &str, &str); 33] = [
    ("平手", "HIRATE", "lnsgkgsnl/1r5b1/ppppppppp", "b -"),
    ("香落ち 左香落ち", "KY", "lnsgkgsn1/1r5b1/ppppppppp", "w -"),
    ("右香落ち", "KY_R", "1nsgkgsnl/1r5b1/ppppppppp", "w -"),
    ("角落ち", "KA", "lnsgkgsnl/1r7/ppppppppp", "w -"),
    ("飛車落ち 飛落ち", "HI", "lnsgkgsnl/7b1/ppppppppp", "w -"),
    ("飛香落ち 飛車香落ち", "HIKY", "lnsgkgsn1/7b1/ppppppppp", "w -"),
    ("二枚落ち 飛角落ち", "2", "lnsgkgsnl/9/ppppppppp", "w -"),
    ("三枚落ち", "3", "lnsgkgsn1/9/ppppppppp", "w -"),
    ("四枚落ち", "4", "1nsgkgsn1/9/ppppppppp", "w -"),
    ("五枚落ち 右五枚落ち", "5", "2sgkgsn1/9/ppppppppp", "w -"),
    ("左五枚落ち", "5_L", "1nsgkgs2/9/ppppppppp", "w -"),
    ("六枚落ち", "6", "2sgkgs2/9/ppppppppp", "w -"),
    ("右七枚落ち 七枚落ち", "7_R", "3gkgs2/9/ppppppppp", "w -"),
    ("左七枚落ち", "7_L", "2sgkg3/9/ppppppppp", "w -"),
    ("八枚落ち", "8", "3gkg3/9/ppppppppp", "w -"),
    ("十枚落ち", "10", "4k4/9/ppppppppp", "w -"),
    // Positions of lishogi, without names in JKF.
    ("両香落ち", "", "1nsgkgsn1/1r5b1/ppppppppp", "w -"),
    ("九枚落ち", "", "4kg3/9/ppppppppp", "w -"),
    ("裸玉", "", "4k4/9/9", "w -"),
    ("歩三兵", "", "4k4/9/9", "w 3p"),
    ("トンボ", "", "4k4/1r5b1/ppppppppp", "w -"),
    ("トンボ＋香", "", "l3k3l/1r5b1/ppppppppp", "w -"),
    ("トンボ＋桂香", "", "ln2k2nl/1r5b1/ppppppppp", "w -"),
    ("香得", "", "lnsgkgsn1/1r5b1/ppppppppp", "w L"),
    ("両香得", "", "1nsgkgsn1/1r5b1/ppppppppp", "w 2L"),
    ("角得", "", "lnsgkgsnl/1r7/ppppppppp", "w B"),
    ("飛車得", "", "lnsgkgsnl/7b1/ppppppppp", "w R"),
    ("飛香得", "", "lnsgkgsn1/7b1/ppppppppp", "w RL"),
    ("二枚得", "", "lnsgkgsnl/9/ppppppppp", "w RB"),
    ("四枚得", "", "1nsgkgsn1/9/ppppppppp", "w RB2L"),
    ("六枚得", "", "2sgkgs2/9/ppppppppp", "w RB2N2L"),
    ("八枚得", "", "3gkg3/9/ppppppppp", "w RB2S2N2L"),
    ("太閤落ち", "", "lnsgkgsnl/1r5b1/p1ppppppp", "w -"),
];

fn setup((_, _, ranks, tail): &(&str, &str, &str, &str)) -> Option<Setup> {
    format!("{ranks}/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {tail} 1").parse().ok()
}

/// The position for the name of a handicap, which may have blanks around, and digits
/// and other spellings within; `None` for unknown names.
pub(crate) fn setup_of_name(name: &str) -> Option<Setup> {
    let name = name.trim();
    let find = |fits: &dyn Fn(&str) -> bool| HANDICAPS.iter().find(|(names, ..)| names.split(' ').any(fits));
    let loose = || {
        let name = plain(name);
        find(&|known| plain(known) == name)
    };
    find(&|known| known == name).or_else(loose).and_then(setup)
}

pub(crate) fn setup_of_preset(name: &str) -> Option<Setup> {
    HANDICAPS.iter().find(|(_, preset, ..)| *preset == name && !name.is_empty()).and_then(setup)
}

/// Returns true for names of other games: 5五将棋, どうぶつ将棋, チェス.
pub(crate) fn is_other_variant(name: &str) -> bool {
    const OTHERS: &str = "五五将棋 どうぶつ 動物将棋 ごろごろ 京都将棋 小将棋 中将棋 大将棋 天竺 泰将棋 大局将棋 摩訶 和将棋 禽将棋 鳥将棋 \
        平安将棋 安南 安北 安騎 王手将棋 衝立 ついたて はさみ将棋 四人将棋 槍将棋 鯨将棋 チェス シャンチー 象棋 チャンギ";
    let name = plain(name.trim());
    OTHERS.split(' ').any(|other| name.contains(other))
}

/// A name in one spelling of many: `２枚落`, `二枚落ち`.
fn plain(name: &str) -> String {
    let name = name.trim_end_matches('ち').trim_end_matches('落');
    let spelled = name.chars().map(|c| match c {
        '兩' => '両',
        '+' => '＋',
        c => digit(c).map_or(c, rank_kanji),
    });
    spelled.collect::<String>().replace("一0", "十").replace("一０", "十")
}

/// The names of a position in Japanese and in JKF, among those that every program understands.
pub(crate) fn names_of_setup(position: &Setup) -> Option<(&'static str, &'static str)> {
    // Programs dispute three pieces; tsshogi and shogiops take those of five and seven for an even game and show a
    // wrong board without a word; only lishogi has the others.
    let is_written = |preset: &str| !preset.is_empty() && !preset.starts_with(['3', '5', '7']);
    let mut written = HANDICAPS.iter().filter(|(_, preset, ..)| is_written(preset));
    let (names, preset, ..) = written.find(|handicap| setup(handicap).as_ref() == Some(position))?;
    Some((names.split(' ').next()?, preset))
}

/// The name of the handicap that a game from this position is played at, in Japanese.
pub fn handicap_name(start: &Setup) -> Option<&'static str> {
    let mut odds = HANDICAPS.iter().skip(1);
    odds.find(|handicap| setup(handicap).as_ref() == Some(start))?.0.split(' ').next()
}

pub(crate) fn name_of_setup(position: &Setup) -> Option<&'static str> {
    names_of_setup(position).map(|(name, _)| name)
}

/// The other reading of a name that programs dispute: `三枚落ち` with the lance on
/// 9a given instead of that on 1a, `九枚落ち` with the gold on 4a given instead of
/// that on 6a, `七枚落ち` with the silver on the other side.
pub(crate) fn other_reading(name: &str) -> Option<Setup> {
    let name = name.trim();
    if !name.starts_with(|c| matches!(digit(c), Some(3 | 7 | 9))) {
        return None;
    }
    let back = match plain(name).as_str() {
        "三枚" => "1nsgkgsnl/9/ppppppppp",
        "七枚" => "2sgkg3/9/ppppppppp",
        "九枚" => "3gk4/9/ppppppppp",
        _ => return None,
    };
    setup(&("", "", back, "w -"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_in_every_spelling() {
        for (name, sfen) in [
            ("平手", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            ("右香落ち", "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("飛香落ち", "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("3枚落ち", "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("四枚落ち", "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("五枚落ち", "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("左五枚落ち", "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("六枚落ち", "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("七枚落ち", "3gkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("左七枚落ち", "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("八枚落ち", "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("香落ち", "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("二枚落", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("２枚落ち　", "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("10枚落ち", "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("兩香落ち", "1nsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("九枚落ち", "4kg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("トンボ", "4k4/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("トンボ+桂香", "ln2k2nl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("角得", "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1"),
            ("両香落ち", "1nsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            ("歩三兵", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1"),
            ("裸玉", "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
        ] {
            assert_eq!(setup_of_name(name).map(|setup| setup.to_string()).as_deref(), Some(sfen), "{name}");
        }
        assert_eq!(setup_of_name("青空将棋"), None);
        assert_eq!(setup_of_name("その他"), None);
    }

    #[test]
    fn only_names_that_all_programs_know_are_written() {
        for handicap in HANDICAPS {
            let position = setup(&handicap).unwrap();
            if let Some(written) = name_of_setup(&position) {
                assert_eq!(setup_of_name(written), Some(position), "{written}");
            }
        }
        assert_eq!(name_of_setup(&Setup::startpos()), Some("平手"));
        for name in ["三枚落ち", "五枚落ち", "左五枚落ち", "右七枚落ち", "左七枚落ち"] {
            assert_eq!(name_of_setup(&setup_of_name(name).unwrap()), None);
        }
        for name in ["三枚落ち", "七枚落ち", "九枚落ち"] {
            let other = other_reading(name).unwrap();
            assert_ne!(setup_of_name(name), Some(other));
        }
        assert_eq!(other_reading("二枚落ち"), None);
    }
}
