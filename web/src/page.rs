//! The questions of a page, answered as JSON.
//!
//! The first line of a question is a word with its arguments, the rest its content; an error is
//! `{"error": TEXT}`.
//!
//! | question | content | answer |
//! |---|---|---|
//! | `view` | `startpos` or `sfen ...`, `moves ...` | board, hands, legal moves, end of the game |
//! | `texts` | an SFEN; on the next line moves | Japanese and English texts of the moves |
//! | `read [LANGUAGE]` | bytes of a record of any format | start, moves, texts, names, comments; errors, warnings |
//! | `write FORMAT` | as `view`; on the next lines the names of both sides | text: the record |
//! | `analyse NODES LANGUAGE` | as `read` | html: the page of `enbu analyse` |

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use enbu_analysis::html::{self, line_texts};
use enbu_analysis::{Analyst, Limit, Settings, analyse};
use enbu_kifu::{Format, HeaderKey, Mode, Problems, Reading, Record, WriteOptions, read_any, svg};
use enbu_language::{Language, pick};
use enbu_movegen::{Color, Declaration, EnteringKingRule, MoveList, Position, Ruling};
use enbu_usi::{Command, Game};
use serde_json::{Value, json};

use crate::session::{Host, evaluation};

/// Errors and warnings of a record that are shown, each.
const SHOWN_NOTES: usize = 5;

/// Table of an analysis of a whole game, in MB.
const ANALYSIS_MB: usize = 32;

/// Answers a question; `progress` is called with `DONE TOTAL` after each position of an analysis.
pub fn answer(question: &[u8], host: &dyn Host, progress: &mut dyn FnMut(&str)) -> String {
    let end = question.iter().position(|&byte| byte == b'\n').unwrap_or(question.len());
    let (head, content) = question.split_at(end);
    let content = content.get(1..).unwrap_or_default();
    let (head, text) = (String::from_utf8_lossy(head), String::from_utf8_lossy(content));
    let words: Vec<&str> = head.split(' ').collect();
    enbu_language::choose(words.last().and_then(|word| Language::named(word)));
    let answer = match words[..] {
        ["view"] => view(&text),
        ["texts"] => Ok(texts(&text)),
        ["read", ..] => read(content),
        ["write", format] => write(format, &text),
        ["analyse", nodes, language] => judge(content, (nodes, language), host, progress),
        _ => Err(format!("unknown question {head:.40}")),
    };
    enbu_language::choose(None);
    answer.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn game(text: &str) -> Result<Game, String> {
    let parsed = Command::parse(&format!("position {text}"));
    match (parsed.command, parsed.problems.first()) {
        (Some(Command::Position(command)), _) => Game::from_command(command).map_err(|error| error.to_string()),
        (_, Some(problem)) => Err(problem.to_string()),
        _ => Err("no position".to_owned()),
    }
}

const fn letter(color: Color) -> &'static str {
    color.select(["b", "w"])
}

fn view(text: &str) -> Result<Value, String> {
    let Game { position, .. } = game(text)?;
    let setup = position.to_setup();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let legal: Vec<String> = legal.iter().map(ToString::to_string).collect();
    let hand = |color: Color| -> Vec<Value> {
        let pieces = position.hand(color).iter().filter(|&(_, count)| count > 0);
        pieces.map(|(piece, count)| json!([piece.piece_type().letter(), count])).collect()
    };
    Ok(json!({
        "sfen": setup.to_string(), "turn": letter(position.turn()), "ply": position.ply(),
        "board": svg::board(&setup, position.last_move()),
        "hands": { "b": hand(Color::Black), "w": hand(Color::White) },
        "moves": legal, "check": position.in_check(), "over": over(&position),
        "declares": position.declaration(EnteringKingRule::default()) == Declaration::Win,
    }))
}

/// The end of the game by the rules, with the winner if there is one.
fn over(position: &Position) -> Option<Value> {
    match position.repetition() {
        _ if !position.has_legal_move() => Some(json!({ "by": "mate", "winner": letter(!position.turn()) })),
        Ruling::None => None,
        Ruling::Draw => Some(json!({ "by": "repetition" })),
        Ruling::Win(color) => Some(json!({ "by": "repetition", "winner": letter(color) })),
    }
}

fn texts(text: &str) -> Value {
    let (sfen, moves) = text.split_once('\n').unwrap_or((text, ""));
    let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    json!(line_texts(sfen, &moves))
}

fn reading(content: &[u8]) -> Result<(Format, Reading, Record), String> {
    let (format, mut reading) = read_any(content, Mode::Tolerant).map_err(|error| error.to_string())?;
    if reading.records.is_empty() {
        return Err(pick("no game", "棋譜がありません").to_owned());
    }
    let record = reading.records.swap_remove(0);
    Ok((format, reading, record))
}

fn read(content: &[u8]) -> Result<Value, String> {
    let (format, reading, record) = reading(content)?;
    let start = Position::from_setup(record.setup()).map_err(|error| error.to_string())?;
    let mut position = start.clone();
    let nodes: Vec<_> = record.main_line().collect();
    let of_nodes = nodes.iter().map(|&id| record.node(id));
    let played = of_nodes.clone().map_while(|node| node.event().played().filter(|&mv| position.play(mv).is_ok()));
    let moves: Vec<String> = played.map(|mv| mv.to_string()).collect();
    let comments: Vec<String> = of_nodes.take(moves.len()).map(|node| node.remarks().comments.join("\n")).collect();
    let name = |key: HeaderKey| record.headers.value(&key).unwrap_or_default().to_owned();
    let notes = |notes: &Problems| -> Vec<String> { notes.iter().take(SHOWN_NOTES).map(ToString::to_string).collect() };
    let sfen = record.setup().to_string();
    Ok(json!({
        "format": format.name(), "games": reading.records.len() + 1, "sfen": sfen,
        "texts": line_texts(&sfen, &moves), "left_out": record.moves().count() - moves.len(), "moves": moves,
        "names": [name(HeaderKey::BlackName), name(HeaderKey::WhiteName)], "comments": comments,
        "comment": record.node(record.root()).remarks().comments.join("\n"),
        "end": record.end().map(|end| end.kind.to_string()),
        "errors": notes(&reading.errors), "warnings": notes(&reading.warnings),
    }))
}

fn write(format: &str, text: &str) -> Result<Value, String> {
    let format: Format = format.parse().map_err(|error: enbu_kifu::UnknownFormat| error.to_string())?;
    let mut lines = text.lines();
    let position = lines.next().unwrap_or_default();
    let mut reading = Format::Usi.read(position, Mode::Tolerant).map_err(|error| error.to_string())?;
    if let Some(record) = reading.records.first_mut() {
        for (key, name) in [HeaderKey::BlackName, HeaderKey::WhiteName].into_iter().zip(lines) {
            record.headers.push(key, name);
        }
    }
    Ok(json!({ "text": format.write(&reading.records, WriteOptions::default()) }))
}

fn judge(
    content: &[u8],
    (nodes, language): (&str, &str),
    host: &dyn Host,
    progress: &mut dyn FnMut(&str),
) -> Result<Value, String> {
    let (_, _, record) = reading(content)?;
    let nodes = nodes.parse().map_err(|_| format!("{nodes:.20} is not a number of nodes"))?;
    let settings =
        Settings { limit: Limit::Nodes(nodes), mate_nodes: nodes, hash_mb: ANALYSIS_MB, ..Settings::default() };
    let evaluation = evaluation(host);
    let engine = format!("Enbu {} ({evaluation})", env!("CARGO_PKG_VERSION"));
    let mut analyst =
        Analyst::new(&settings, &evaluation, engine, Arc::default()).map_err(|error| error.to_string())?;
    let (mut done, total) = (0, record.moves().count() + 1);
    let mut count = || {
        done += 1;
        progress(&format!("{done} {total}"));
    };
    let report =
        analyse(&record, &mut analyst, &AtomicBool::new(false), &mut count).map_err(|error| error.to_string())?;
    Ok(json!({ "html": html::page(&record, &report, Language::named(language)) }))
}
