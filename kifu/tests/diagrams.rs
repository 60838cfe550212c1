//! Diagrams: parts by style, well-formed XML, and every text within the picture.

use enbu_kifu::svg::{self, Letters, Mark, Style};
use enbu_kifu::{Event, HeaderKey, Mode, Record, kif, read_any};
use enbu_movegen::{Color, Setup};

use crate::corpus::{FOLDERS, corpus};

/// Names and values of attributes.
type Attributes<'p> = Vec<(&'p str, &'p str)>;

/// The elements of a document with their attributes and texts; panics where it is no XML.
#[track_caller]
fn elements(document: &str) -> Vec<(&str, Attributes<'_>, &str)> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for part in document.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("no end: {part}"));
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
        for entity in text.split('&').skip(1) {
            let name = entity.split(';').next().unwrap();
            assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "{text}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{document}");
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((key, value)) = rest.trim_start().split_once("=\"") {
            let (value, after) = value.split_once('"').unwrap_or_else(|| panic!("no quote: {tag}"));
            assert!(attributes.iter().all(|&(other, _)| other != key), "{key} twice: {tag}");
            attributes.push((key, value));
            rest = after;
        }
        assert_eq!(rest, "", "{tag}");
        assert!(!open.is_empty() || found.is_empty(), "two roots");
        if !is_empty {
            open.push(name);
        }
        found.push((name, attributes, text));
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

fn number(attributes: &Attributes<'_>, key: &str) -> f64 {
    attributes
        .iter()
        .find(|(name, _)| *name == key)
        .unwrap_or_else(|| panic!("{key}: {attributes:?}"))
        .1
        .parse()
        .unwrap()
}

/// Texts that leave the picture or touch the board from outside, by their widths in a font in which
/// letters below U+1100 have half the width of the others.
fn overflowing(picture: &str) -> Vec<String> {
    let elements = elements(picture);
    let [width, height] = ["width", "height"].map(|key| number(&elements[0].1, key));
    let mut wrong = Vec::new();
    for (name, attributes, text) in &elements {
        if *name != "text" {
            continue;
        }
        let [x, y, size] = ["x", "y", "font-size"].map(|key| number(attributes, key));
        let text = text.trim_end().replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
        let length: f64 =
            text.chars().map(|c| if c < '\u{1100}' || ('｡'..='ﾟ').contains(&c) { 0.5 } else { 1.0 }).sum::<f64>() * size;
        let lies = attributes.iter().any(|(_, value)| value.starts_with("rotate(90"));
        let centre = (x, y - size * 11.0 / 30.0);
        let (across, down) = if lies { (size, length) } else { (length, size) };
        let sides = [centre.0 - across / 2.0, width - centre.0 - across / 2.0];
        let ends = [centre.1 - down / 2.0, height - centre.1 - down / 2.0];
        if sides.iter().chain(&ends).any(|&room| room < 0.0) {
            wrong.push(format!("{text} at {x} {y} in {size}"));
        }
    }
    wrong
}

fn game() -> Record {
    let text = "棋戦：竜王戦\n先手：甲\n後手：乙\n手数----\n   1 ７六歩(77)\n*[%cal R8h2b,G_P5e] good [%csl Y3c,x]\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 ５五角打\n   6 投了\n";
    kif::read(text, Mode::Strict).unwrap().records.remove(0)
}

fn western() -> Style {
    Style { letters: Letters::Western, ..Style::default() }
}

#[test]
fn each_style_has_its_parts() {
    let flipped = Style { bottom: Color::White, ..Style::default() };
    let caption = |text: &str| Style { caption: Some(text.to_owned()), ..Style::default() };
    let marked = Style { marks: vec![Mark::read("[5e]").unwrap(), Mark::read("B2h2d").unwrap()], ..Style::default() };
    let table: [(usize, &Style, &[&str], &[&str]); 15] = [
        (0, &Style::default(), &[">竜王戦<", ">七<", "<title>▲甲 △乙 竜王戦</title>", "●"], &["#f6d68b", "手目"]),
        (
            2,
            &Style::default(),
            &[">竜王戦　2手目 △３四歩まで<", "x=\"320\" y=\"180\" width=\"40\""],
            &["<circle cx=\"260\""],
        ),
        (3, &Style::default(), &["▲２二角成まで", "fill=\"#c00\">馬<", "stroke-dasharray"], &[]),
        (4, &Style::default(), &["4手目 △２二銀まで"], &["同"]),
        (5, &Style::default(), &["▲５五角まで", "#f6d68b"], &["stroke-dasharray", "打"]),
        (5, &western(), &["竜王戦　Move 5: ▲B*55", ">B<"], &["角", "六"]),
        (3, &western(), &["Move 3: ▲Bx22+", "fill=\"#c00\">+B<"], &["馬"]),
        (4, &western(), &["Move 4: △Sx22<"], &["S31x22"]),
        (2, &flipped, &["<text x=\"420\" y=\"54\" font-size=\"14\">９<", "x=\"160\" y=\"260\" width=\"40\""], &[]),
        (2, &caption("第1図　{ply} {move} {event} {black}-{white}"), &[">第1図　2 △３四歩 竜王戦 甲-乙<"], &["手目"]),
        (2, &caption(""), &["<title>▲甲 △乙</title>"], &["竜王戦", "手目"]),
        (2, &caption("<b>&"), &[">&lt;b&gt;&amp;<"], &["<b>"]),
        // Arrows, a drop and a circle of the comment on the first move.
        (
            1,
            &Style::default(),
            &[
                "#c1121f",
                "rotate(-45.0)",
                r##"fill="#15803d" transform="rotate(180 260 240)">歩<"##,
                "cx=\"340\" cy=\"160\"",
            ],
            &["#1d4ed8"],
        ),
        (2, &marked, &["#1d4ed8", "rotate(-90.0)", "x=\"243\" y=\"223\" width=\"34\""], &["#c1121f"]),
        (99, &Style::default(), &["▲５五角まで"], &[]),
    ];
    for (ply, style, parts, absent) in table {
        let picture = svg::write(&game(), Some(ply), style);
        elements(&picture);
        for part in parts {
            assert!(picture.contains(part), "{ply} {style:?}: {part} is missing in\n{picture}");
        }
        for part in absent {
            assert!(!picture.contains(part), "{ply} {style:?}: {part} is in\n{picture}");
        }
    }
}

#[test]
fn marks_are_read_from_their_texts() {
    for text in
        ["7g7f", "G7g7f", "8h2b+", "B*5e", "BP*5e", "R_p5e", "c3c4", "7776", "5e", "Y5e", "e5", "55", "[1a]", "B[9i]"]
    {
        assert!(Mark::read(text).is_some(), "{text}");
    }
    for text in
        ["", "G", "5", "5e5e", "X7g7f", "7g7j", "7g7f7", "R0e", "5ee", "G_p", "５五", "[5e", "[5j]", "[]", "X*5e"]
    {
        assert!(Mark::read(text).is_none(), "{text}");
    }
    assert_eq!(Mark::read("7g7f"), Mark::read("Gc3c4"));
}

#[test]
fn every_record_becomes_a_picture_without_a_fault() {
    for (folder, ..) in FOLDERS {
        for file in std::fs::read_dir(corpus().join(folder)).unwrap() {
            let Ok((_, reading)) = read_any(&std::fs::read(file.unwrap().path()).unwrap(), Mode::Tolerant) else {
                continue;
            };
            for record in reading.records.iter().take(3) {
                for style in [Style::default(), western()] {
                    assert_eq!(overflowing(&svg::write(record, None, &style)), [""; 0]);
                }
            }
        }
    }
}

#[test]
fn full_hands_and_long_names_stay_in_the_picture() {
    for hands in ["2R2B4G4S4N4L18P", "7R7B7G7S15N15L31P7r7b7g7s15n15l31p", "-"] {
        let setup: Setup = format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1").parse().unwrap();
        for name in ["龍", "W", "i", "ー", "ｱ", "\u{1f600}", "<", "（a", "é"] {
            let mut record = Record::new(setup.clone());
            for key in [HeaderKey::BlackName, HeaderKey::WhiteName, HeaderKey::Event] {
                record.headers.push(key, name.repeat(60));
            }
            record.add(record.root(), Event::Move("5i5h".parse().unwrap()));
            let given = Style { caption: Some(name.repeat(80)), ..Style::default() };
            for style in [Style::default(), western(), Style { bottom: Color::White, ..western() }, given] {
                let picture = svg::write(&record, None, &style);
                assert_eq!(overflowing(&picture), [""; 0], "{hands} {name}");
                assert!(picture.matches('…').count() >= 3, "{picture}");
                let made =
                    if style.letters == Letters::Western { "Move 1: ▲K-58<" } else { "1手目 ▲５八玉まで<" };
                assert!(style.caption.is_some() || picture.contains(made), "{picture}");
            }
        }
    }
}
