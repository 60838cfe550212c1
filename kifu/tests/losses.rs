//! Losses: a text holds all of a record but what is counted as missing in it, from every
//! format into every other.

use std::collections::BTreeSet;
use std::fs;

use enbu_kifu::csa::FileVersion;
use enbu_kifu::{
    Analysis, EndKind, Event, Format, HeaderKey, Mode, Node, NodeId, Part, Record, Rules, WriteOptions, read_any,
};

use crate::corpus::{FOLDERS, WITH_ENDS, corpus, rows};
use crate::has_slow_rows;
use crate::round_trips;

/// The content of a record as text, without the parts that were reported as missing: two
/// records with equal text differ in nothing else. Variations are named by their moves.
fn content(record: &Record, lost: &BTreeSet<Part>) -> Vec<String> {
    let has = |part| !lost.contains(&part);
    let setup = record.setup();
    let mut lines = Vec::new();
    if has(Part::StartPositions) {
        lines.push(setup.to_string().rsplit_once(' ').unwrap().0.to_owned());
    }
    if has(Part::MoveNumbers) {
        lines.push(setup.ply.to_string());
    }
    if has(Part::Headers) {
        let mut values: Vec<String> = record.headers.iter().flat_map(|(_, text)| text.split('\n').map(plain)).collect();
        values.retain(|value| !value.is_empty());
        values.sort();
        lines.append(&mut values);
    }
    let Rules { time, max_moves, entering_king } = &record.rules;
    if has(Part::Clocks) {
        lines.push(format!("{time:?}"));
    }
    if has(Part::Rules) {
        lines.push(format!("{max_moves:?} {entering_king:?}"));
    }
    nodes(record, record.root(), "", lost, &mut lines);
    lines
}

fn nodes(record: &Record, first: NodeId, path: &str, lost: &BTreeSet<Part>, lines: &mut Vec<String>) {
    let mut at = vec![(first, path.to_owned())];
    while let Some((id, path)) = at.pop() {
        let node = record.node(id);
        // The remarks of an end may be on the last move.
        let above = path.clone();
        let path = match node.event() {
            Event::End(_) if lost.contains(&Part::Ends) => path,
            Event::End(end) => {
                let is_foul = matches!(end.kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
                let kind = if is_foul && end.result.is_some() { "foul".to_owned() } else { format!("{:?}", end.kind) };
                format!("{path} {kind} {:?}", end.result)
            }
            event => event.played().map_or(path.clone(), |mv| format!("{path} {mv}")),
        };
        lines.push(path.clone());
        let place = if matches!(node.event(), Event::End(_)) { &above } else { &path };
        lines.extend(remarks(node, lost).into_iter().map(|text| format!("{place}: {text}")));
        let children: Vec<NodeId> = record.children(id).collect();
        let wanted = if lost.contains(&Part::Variations) { 1 } else { children.len() };
        let is_wanted = |child: &NodeId| match record.node(*child).event() {
            Event::End(_) => true,
            _ => !lost.contains(&Part::Moves),
        };
        at.extend(children.into_iter().take(wanted).filter(is_wanted).map(|child| (child, path.clone())));
    }
    lines.sort();
    lines.dedup();
}

fn remarks(node: &Node, lost: &BTreeSet<Part>) -> Vec<String> {
    let has = |part| !lost.contains(&part);
    let remarks = node.remarks();
    let mut lines = Vec::new();
    if has(Part::Comments) {
        let comments = remarks.comments.iter().flat_map(|text| text.split('\n')).map(plain);
        lines.extend(comments.filter(|text| !text.is_empty()));
    }
    if has(Part::Evaluations) {
        let whole = has(Part::DetailsOfEvaluations);
        let evaluations = remarks.analyses.iter();
        lines.extend(evaluations.map(|analysis| match whole {
            true => format!("{analysis:?}"),
            false => format!("{:?}", analysis.score_cp),
        }));
    }
    if has(Part::Times) {
        let unit = if has(Part::FractionsOfSeconds) { 1 } else { 1000 };
        lines.extend(node.time_ms.map(|ms| (ms / unit).to_string()));
    }
    if has(Part::Bookmarks) {
        lines.extend(remarks.bookmark.iter().map(|name| plain(name)));
    }
    if has(Part::Glyphs) {
        lines.extend(remarks.nags.iter().map(|nag| format!("${nag}")));
    }
    lines
}

fn plain(text: &str) -> String {
    text.replace(|c: char| c.is_control() || c == '\u{3000}', " ").trim().to_owned()
}

/// Writes records, and compares what is read back with them but for what is reported.
fn check(name: &str, records: &[Record], to: Format, options: WriteOptions, wrong: &mut Vec<String>) {
    let written = to.write_counted(records, options);
    if written.losses.iter().any(|loss| loss.count == 0) {
        wrong.push(format!("{name} to {to}: {:?}", written.losses));
    }
    let lost: BTreeSet<Part> = written.losses.iter().map(|loss| loss.part).collect();
    if lost.contains(&Part::Games) || to == Format::Svg {
        return;
    }
    let again = match read_any(written.text.as_bytes(), Mode::Tolerant) {
        Ok((_, reading)) => reading.records,
        Err(error) => return wrong.push(format!("{name} to {to}: {error}\n{}", written.text)),
    };
    if again.len() != records.len() {
        return wrong.push(format!("{name} to {to}: {} games", again.len()));
    }
    for (record, again) in records.iter().zip(&again) {
        let (before, after) = (content(record, &lost), content(again, &lost));
        // More than was there is no loss: an evaluation that was told only in words.
        let missing: Vec<&String> = before.iter().filter(|line| !after.contains(line)).collect();
        if !missing.is_empty() {
            wrong.push(format!("{name} to {to}: {missing:?}, reported {:?}", written.losses));
        }
    }
}

fn check_all(name: &str, records: &[Record], wrong: &mut Vec<String>) {
    for to in Format::ALL {
        check(name, records, to, WriteOptions::default(), wrong);
        check(name, records, to, WriteOptions { csa: FileVersion::V2_2, ..WITH_ENDS }, wrong);
    }
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}

/// Every file of the corpus into every format.
#[test]
fn every_loss_from_any_format_into_any_is_reported() {
    let mut wrong = Vec::new();
    for (folder, at_least, read, _) in FOLDERS {
        let step = if has_slow_rows() { 1 } else { 3 };
        for row in rows(folder, at_least).iter().filter(|row| row[2] == "ok").step_by(step) {
            let bytes = fs::read(corpus().join(folder).join(&row[0])).unwrap();
            let records = read.read_bytes(&bytes, Mode::Tolerant).unwrap().records;
            check_all(&format!("{folder}/{}", row[0]), &records, &mut wrong);
        }
    }
    assert_none(&wrong);
}

/// Random trees with everything that a record can hold.
#[test]
fn every_loss_of_random_records_is_reported() {
    let mut wrong = Vec::new();
    for seed in 0..if has_slow_rows() { 2000 } else { 10 } {
        let mut record = round_trips::record(seed);
        let last = record.main_line().last().unwrap_or(record.root());
        record.node_mut(last).remarks_mut().nags.push(1);
        record.node_mut(last).time_ms = Some(1500);
        record.headers.push(HeaderKey::BlackName, "another");
        record.headers.push(HeaderKey::Other("x: y".to_owned()), "z");
        let root = record.root();
        record.node_mut(root).remarks_mut().analyses.push(Analysis { depth: Some(3), ..Analysis::default() });
        check_all(&format!("seed {seed}"), &[record], &mut wrong);
    }
    assert_none(&wrong);
}
