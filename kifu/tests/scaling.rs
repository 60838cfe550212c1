//! Large files: readers take time in proportion to the length, whatever is in it.
//!
//! A time is nothing that a test may fail on by itself, so the ratios are only looked
//! at when `ENBU_SCALING` is set: then each shape whose name contains its value (all of
//! them for `all`) is read at 1 MiB and at 8 MiB, and the larger one may take nine times
//! as long. Each file is read by a process of its own, as by `enbu convert`: the second
//! small file of one process would find its memory ready, and the large one would not.
//! Without `ENBU_SCALING` the shapes are read at 32 KiB.

#![expect(clippy::print_stdout, reason = "the figures are what these tests are run for by hand")]

use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;
use std::{env, fs};

use enbu_kifu::{Format, Mode, WriteOptions, read_any};

/// A kind of file: its name, its format, what stands at its head, and what is
/// repeated until it is large enough.
type Shape = (&'static str, Format, &'static str, fn(usize) -> String);

const SHAPES: [Shape; 38] = [
    ("kif moves", Format::Kif, "", |index| kif_move(index, "")),
    ("kif moves with times", Format::Kif, "", |index| kif_move(index, "   ( 0:01/00:00:01)")),
    ("kif fouls", Format::Kif, "", |index| {
        format!("{:>4} ５五玉({})\n", index + 1, if index % 2 == 0 { 59 } else { 51 })
    }),
    ("kif games", Format::Kif, "", |_| {
        "手合割：平手\n手数----\n   1 ７六歩(77)\n   2 投了\nまで1手で先手の勝ち\n".to_owned()
    }),
    ("kif comments", Format::Kif, "   1 ７六歩(77)\n", |_| "*comment\n".to_owned()),
    ("kif scores", Format::Kif, "   1 ７六歩(77)\n", |index| format!("*#評価値={index}\n")),
    ("kif scores of the players", Format::Kif, "   1 ７六歩(77)\n", |index| format!("**評価値={index}\n")),
    ("kif long score", Format::Kif, "   1 ７六歩(77)\n*#読み筋=", |_| "△８二飛".to_owned()),
    ("kif bookmarks", Format::Kif, "   1 ７六歩(77)\n", |_| "&name\n".to_owned()),
    ("kif the same variation", Format::Kif, "   1 ７六歩(77)\n   2 ３四歩(33)\n\n", |_| {
        "変化：2手\n   2 ８四歩(83)\n".to_owned()
    }),
    ("kif nested variations", Format::Kif, "   1 ３八飛(28)\n   2 ７二飛(82)\n", |index| {
        format!("変化：{}手\n{}{}", index + 2, kif_move(index + 1, ""), kif_move(index + 2, ""))
    }),
    ("kif variations far and near", Format::Kif, LONG_KIF, |index| {
        let number = if index % 2 == 0 { 1 } else { 400 };
        format!("変化：{number}手\n{:>4} 投了\n", number)
    }),
    ("kif variations without a place", Format::Kif, "   1 ７六歩(77)\n", |index| format!("変化：{}手\n", index + 7)),
    ("kif headers", Format::Kif, "", |index| format!("見出し{index}：値\n")),
    ("kif notes", Format::Kif, "", |_| "備考：値\n".to_owned()),
    ("kif one line", Format::Kif, "   1 ７六歩(77)\n*", |_| "あ".to_owned()),
    ("ki2 one line", Format::Ki2, "", |index| ["▲３八飛", "△７二飛", "▲２八飛", "△８二飛"][index % 4].to_owned()),
    ("ki2 ambiguous", Format::Ki2, "", |_| "▲５八金\n".to_owned()),
    ("bod boards", Format::Bod, "", |_| {
        "後手の持駒：なし\n".to_owned() + &"| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(9) + "先手の持駒：歩\n"
    }),
    ("csa moves", Format::Csa, "PI\n+\n", |index| {
        ["+2838HI,T1\n", "-8272HI\nT1\n", "+3828HI\n", "-7282HI\n"][index % 4].to_owned()
    }),
    ("csa one line", Format::Csa, "PI,+,", |index| {
        ["+2838HI,", "-8272HI,", "+3828HI,", "-7282HI,"][index % 4].to_owned()
    }),
    ("csa games", Format::Csa, "", |_| "PI\n+\n+7776FU\n%TORYO\n/\n".to_owned()),
    ("csa pieces", Format::Csa, "P+", |_| "55FU".to_owned()),
    ("csa scores", Format::Csa, "PI\n+\n+7776FU\n", |_| "'** 30 -3334FU +2726FU #9\n".to_owned()),
    ("csa stray times", Format::Csa, "PI\n+\n", |_| "T1,".to_owned()),
    ("usi moves", Format::Usi, "startpos moves", |index| [" 2h3h", " 8b7b", " 3h2h", " 7b8b"][index % 4].to_owned()),
    ("usi fouls", Format::Usi, "startpos moves", |index| [" 5i5e", " 5a5d", " 5e5i", " 5d5a"][index % 4].to_owned()),
    ("usi lines", Format::Usi, "", |_| "startpos moves 7g7f 3c3d resign\n".to_owned()),
    ("sfen lines", Format::Sfen, "", |index| format!("4k4/9/9/9/9/9/9/9/4K4 b 2P {}\n", index % 500 + 1)),
    ("pgn moves", Format::Pgn, "", |index| ["1. Rg2 ", "Rc8 ", "2. Rh2 ", "Rb8\n"][index % 4].to_owned()),
    ("pgn games", Format::Pgn, "", |_| "[Event \"x\"]\n\n1. Pc4 Pg6 *\n\n".to_owned()),
    ("pgn opened", Format::Pgn, "1. Pc4 ", |_| "(".to_owned()),
    ("pgn closed", Format::Pgn, "1. Pc4 ", |_| ")".to_owned()),
    ("pgn comments without end", Format::Pgn, "1. Pc4 ", |_| "{x\n[Event \"x\"]\n1. Pc4 ".to_owned()),
    ("pgn variations", Format::Pgn, "1. Pc4 ", |_| "(1. Ph4 Pg6 2. Ph5 *) ".to_owned()),
    ("pgn words", Format::Pgn, "1. Pc4 *\n", |_| "1. Pc4 x ".to_owned()),
    ("jkf documents", Format::Jkf, "", |_| "{\"moves\":[{\"special\":\"TORYO\"}]}\n".to_owned()),
    ("jkf faults", Format::Jkf, "{\"moves\":[{}", |_| {
        ",{\"forks\":[[{\"move\":{\"to\":{\"x\":5,\"y\":5},\"piece\":\"KI\"}}]]}".to_owned()
    }),
];

/// Rooks that move to and fro.
fn kif_move(index: usize, time: &str) -> String {
    let mv = ["３八飛(28)", "７二飛(82)", "２八飛(38)", "８二飛(72)"][index % 4];
    format!("{:>4} {mv}{time}\n", index + 1)
}

/// Is replaced by a line of 400 moves.
const LONG_KIF: &str = "LONG";

fn file(shape: &Shape, bytes: usize) -> String {
    let (_, format, head, part) = *shape;
    let mut text = String::with_capacity(bytes + 1000);
    match head {
        LONG_KIF => (0..400).for_each(|index| text.push_str(&kif_move(index, ""))),
        head => text.push_str(head),
    }
    let mut index = 0;
    while text.len() < bytes {
        text.push_str(&part(index));
        index += 1;
    }
    if format == Format::Jkf && !head.is_empty() {
        text.push_str("]}");
    }
    text
}

/// Seconds that this thread was at work, where the system tells them; else seconds
/// that have gone by.
fn clock() -> f64 {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.as_deref().and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// Reads by content, and writes what was read; the seconds it took.
fn work(format: Format, text: &str) -> f64 {
    let begin = clock();
    let to = if format == Format::Kif { Format::Jkf } else { Format::Kif };
    if let Ok((_, reading)) = read_any(text.as_bytes(), Mode::Tolerant) {
        let written = to.write(&reading.records, WriteOptions::default());
        assert!(!written.is_empty());
    }
    clock() - begin
}

/// Names the file that a process has to read: the number of its shape, and its bytes.
const TASK: &str = "ENBU_SCALING_TASK";

/// Has a new process read a file of this shape; the seconds it took.
fn work_alone(shape: usize, bytes: usize) -> f64 {
    let this = env::current_exe().unwrap();
    let arguments = ["--exact", "scaling::time_is_in_proportion_to_the_length", "--nocapture"];
    let output = Command::new(this).args(arguments).env(TASK, format!("{shape} {bytes}")).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    told.split_once("seconds ").and_then(|(_, rest)| rest.lines().next()?.parse().ok()).unwrap()
}

#[test]
fn time_is_in_proportion_to_the_length() {
    const MIB: usize = 1 << 20;
    if let Ok(task) = env::var(TASK) {
        let (shape, bytes) = task.split_once(' ').unwrap();
        let shape = &SHAPES[shape.parse::<usize>().unwrap()];
        println!("seconds {}", work(shape.1, &file(shape, bytes.parse().unwrap())));
        return;
    }
    let asked = env::var("ENBU_SCALING").ok();
    let mut slow = Vec::new();
    for (index, shape) in SHAPES.iter().enumerate() {
        let (name, format, ..) = *shape;
        let Some(asked) = &asked else {
            work(format, &file(shape, MIB / 32));
            continue;
        };
        if asked != "all" && !name.contains(asked.as_str()) {
            continue;
        }
        // Taking turns, and for as long: a processor that is slow now is slow for both.
        let small = || 0.125 * (0..8).map(|_| work_alone(index, MIB)).sum::<f64>();
        let mut turns: Vec<(f64, f64)> = (0..5).map(|_| (small(), work_alone(index, 8 * MIB))).collect();
        turns.sort_by(|one, other| (one.1 / one.0).total_cmp(&(other.1 / other.0)));
        let (small, large) = turns[2];
        let ratio = large / small;
        println!("{name:32} {:8.1} ms {:8.1} ms {ratio:5.2}", small * 1e3, large * 1e3);
        // A reader as fast as this waits for memory, and the caches hold a MiB only.
        if ratio > 9.0 && small > 0.01 {
            slow.push(name);
        }
    }
    assert!(slow.is_empty(), "more than nine times as long: {slow:?}");
}
