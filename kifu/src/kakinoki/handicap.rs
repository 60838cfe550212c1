//! Handicaps by name.

use enbu_movegen::{Handicap, Setup};

use super::words::{digit, rank_kanji};

/// A start position that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// One of those that movegen knows.
    Standard(Handicap),
    /// White to move: White's back ranks and hands, in the words of SFEN.
    White { back: &'static str, hands: &'static str },
}

/// A name of lishogi, and its position: White's ranks (those not listed
/// are as usual) and the hands.
const fn white(back: &'static str, hands: &'static str) -> Named {
    Named::White { back, hands }
}

/// The names; the first of a position is the one that is written.
const NAMES: [(&str, Named); 39] = [
    ("平手", Named::Standard(Handicap::Even)),
    ("香落ち", Named::Standard(Handicap::Lance)),
    ("左香落ち", Named::Standard(Handicap::Lance)),
    ("右香落ち", Named::Standard(Handicap::RightLance)),
    ("角落ち", Named::Standard(Handicap::Bishop)),
    ("飛車落ち", Named::Standard(Handicap::Rook)),
    ("飛落ち", Named::Standard(Handicap::Rook)),
    ("飛香落ち", Named::Standard(Handicap::RookLance)),
    ("飛車香落ち", Named::Standard(Handicap::RookLance)),
    ("二枚落ち", Named::Standard(Handicap::TwoPieces)),
    ("飛角落ち", Named::Standard(Handicap::TwoPieces)),
    ("三枚落ち", Named::Standard(Handicap::ThreePieces)),
    ("四枚落ち", Named::Standard(Handicap::FourPieces)),
    ("五枚落ち", Named::Standard(Handicap::FivePieces)),
    ("右五枚落ち", Named::Standard(Handicap::FivePieces)),
    ("左五枚落ち", Named::Standard(Handicap::FivePiecesLeft)),
    ("六枚落ち", Named::Standard(Handicap::SixPieces)),
    ("右七枚落ち", Named::Standard(Handicap::SevenPiecesRight)),
    ("七枚落ち", Named::Standard(Handicap::SevenPiecesRight)),
    ("左七枚落ち", Named::Standard(Handicap::SevenPiecesLeft)),
    ("八枚落ち", Named::Standard(Handicap::EightPieces)),
    ("十枚落ち", Named::Standard(Handicap::TenPieces)),
    ("両香落ち", white("1nsgkgsn1/1r5b1/ppppppppp", "-")),
    ("九枚落ち", white("4kg3/9/ppppppppp", "-")),
    ("裸玉", white("4k4/9/9", "-")),
    ("歩三兵", white("4k4/9/9", "3p")),
    ("トンボ", white("4k4/1r5b1/ppppppppp", "-")),
    ("トンボ＋香", white("l3k3l/1r5b1/ppppppppp", "-")),
    ("トンボ＋桂香", white("ln2k2nl/1r5b1/ppppppppp", "-")),
    ("香得", white("lnsgkgsn1/1r5b1/ppppppppp", "L")),
    ("両香得", white("1nsgkgsn1/1r5b1/ppppppppp", "2L")),
    ("角得", white("lnsgkgsnl/1r7/ppppppppp", "B")),
    ("飛車得", white("lnsgkgsnl/7b1/ppppppppp", "R")),
    ("飛香得", white("lnsgkgsn1/7b1/ppppppppp", "RL")),
    ("二枚得", white("lnsgkgsnl/9/ppppppppp", "RB")),
    ("四枚得", white("1nsgkgsn1/9/ppppppppp", "RB2L")),
    ("六枚得", white("2sgkgs2/9/ppppppppp", "RB2N2L")),
    ("八枚得", white("3gkg3/9/ppppppppp", "RB2S2N2L")),
    ("太閤落ち", white("lnsgkgsnl/1r5b1/p1ppppppp", "-")),
];

/// Names that are not written. Programs dispute the first; tsshogi and shogiops take the
/// others for an even game and show a wrong board without a word.
const UNWRITTEN: [Handicap; 5] = [
    Handicap::ThreePieces,
    Handicap::FivePieces,
    Handicap::FivePiecesLeft,
    Handicap::SevenPiecesRight,
    Handicap::SevenPiecesLeft,
];

/// The position for the name of a handicap, which may have blanks around, and digits
/// and other spellings within; `None` for unknown names.
pub(crate) fn setup_of_name(name: &str) -> Option<Setup> {
    let name = name.trim();
    let exact = NAMES.into_iter().find(|(known, _)| *known == name);
    let loose = || {
        let name = plain(name);
        NAMES.into_iter().find(|(known, _)| plain(known) == name)
    };
    exact.or_else(loose).and_then(|(_, named)| setup(named))
}

/// Returns true for names of other games: 5五将棋, どうぶつ将棋, チェス.
pub(crate) fn is_other_variant(name: &str) -> bool {
    const OTHERS: [&str; 30] = [
        "五五将棋",
        "どうぶつ",
        "動物将棋",
        "ごろごろ",
        "京都将棋",
        "小将棋",
        "中将棋",
        "大将棋",
        "天竺",
        "泰将棋",
        "大局将棋",
        "摩訶",
        "和将棋",
        "禽将棋",
        "鳥将棋",
        "平安将棋",
        "安南",
        "安北",
        "安騎",
        "王手将棋",
        "衝立",
        "ついたて",
        "はさみ将棋",
        "四人将棋",
        "槍将棋",
        "鯨将棋",
        "チェス",
        "シャンチー",
        "象棋",
        "チャンギ",
    ];
    let name = plain(name.trim());
    OTHERS.iter().any(|other| name.contains(other))
}

/// A name in one spelling of many: `２枚落`, `二枚落ち`.
fn plain(name: &str) -> String {
    let name = name.trim_end_matches('ち').trim_end_matches('落');
    let spelled = name.chars().map(|c| match digit(c) {
        Some(digit) => rank_kanji(digit),
        None => match c {
            '兩' => '両',
            '+' => '＋',
            c => c,
        },
    });
    spelled.collect::<String>().replace("一0", "十").replace("一０", "十")
}

/// The name of a position, among those that every program understands.
pub(crate) fn name_of_setup(position: &Setup) -> Option<&'static str> {
    let common = NAMES
        .into_iter()
        .filter(|(_, named)| matches!(named, Named::Standard(handicap) if !UNWRITTEN.contains(handicap)));
    common.into_iter().find(|&(_, named)| setup(named).as_ref() == Some(position)).map(|(name, _)| name)
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
    setup(white(back, "-"))
}

fn setup(named: Named) -> Option<Setup> {
    match named {
        Named::Standard(handicap) => Some(Setup::handicap(handicap)),
        Named::White { back, hands } => format!("{back}/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w {hands} 1").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_in_every_spelling() {
        for (name, sfen) in [
            ("平手", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
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
        for (name, named) in NAMES {
            let position = setup(named).unwrap();
            if let Some(written) = name_of_setup(&position) {
                assert_eq!(setup_of_name(written), Some(position), "{name}");
            }
        }
        assert_eq!(name_of_setup(&Setup::startpos()), Some("平手"));
        for handicap in UNWRITTEN {
            assert_eq!(name_of_setup(&Setup::handicap(handicap)), None);
        }
        for name in ["三枚落ち", "七枚落ち", "九枚落ち"] {
            let other = other_reading(name).unwrap();
            assert_ne!(setup_of_name(name), Some(other));
        }
        assert_eq!(other_reading("二枚落ち"), None);
    }
}
