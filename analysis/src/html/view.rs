//! The data of a page's script: every line of a record with the texts of its moves.

use enbu_kifu::{Board, NodeId, Record, ki2};
use enbu_movegen::{Color, Move, MoveParts, Piece, PieceType, Square};
use serde_json::{Value, json};

use super::{Judgement, curve};
use crate::nodes;
use crate::report::{BestLine, GameReport, MoveReport, PositionReport, Side};

/// Moves of a best line that the page offers.
const SHOWN_MOVES: usize = 20;

/// A line of the record: the main line or a variation.
pub(super) struct Line {
    /// Index of the line that it leaves.
    parent: usize,
    /// Moves before its first one.
    pub(super) from: usize,
    /// Index of the variation; `None`: the main line.
    variation: Option<usize>,
    /// Japanese and English text of each move.
    pub(super) texts: Vec<(String, String)>,
    /// The nodes of the record, the one before the first move included.
    nodes: Vec<NodeId>,
}

impl Line {
    fn parts<'r>(&self, report: &'r GameReport) -> (&'r [PositionReport], &'r [MoveReport]) {
        match self.variation.and_then(|index| report.variations.get(index)) {
            Some(variation) => (&variation.positions, &variation.moves),
            None => (&report.positions, &report.moves),
        }
    }

    /// The moves with the scores after them.
    pub(super) fn reports<'r>(&self, report: &'r GameReport) -> Vec<Judgement<'r>> {
        let (positions, moves) = self.parts(report);
        moves.iter().zip(positions.iter().skip(1)).map(|(mv, after)| (mv, after.score)).collect()
    }
}

/// The lines of a report, the main line first.
pub(super) fn lines(record: &Record, report: &GameReport) -> Vec<Line> {
    let ids = nodes::of_lines(record, report);
    let parts = |index: Option<usize>| match index.and_then(|index| report.variations.get(index)) {
        Some(variation) => {
            (variation.parent.map_or(0, |parent| parent + 1), variation.from, &variation.positions, &variation.moves)
        }
        None => (0, 0, &report.positions, &report.moves),
    };
    let numbers = std::iter::once(None).chain((0..report.variations.len()).map(Some));
    let of = |(variation, nodes): (Option<usize>, Vec<NodeId>)| {
        let (parent, from, positions, moves) = parts(variation);
        let sfen = positions.first().map(|position| position.sfen.as_str()).unwrap_or_default();
        let moves: Vec<String> = moves.iter().map(|mv| mv.usi.clone()).collect();
        Line { parent, from, variation, texts: line_texts(sfen, &moves), nodes }
    };
    numbers.zip(ids).map(of).collect()
}

/// Japanese and English texts of moves from a position.
pub(super) fn line_texts(sfen: &str, moves: &[String]) -> Vec<(String, String)> {
    let Ok(setup) = sfen.parse() else { return Vec::new() };
    let mut board = Board::new(&setup);
    let mut last = None;
    let mut texts = Vec::new();
    for mv in moves.iter().map_while(|text| text.parse::<Move>().ok()) {
        texts.push((ki2::move_text(&board, mv, last), english(&board, mv)));
        last = Some(mv.to());
        if board.play(mv).is_err() {
            break;
        }
    }
    texts
}

/// The text of a move as books in English have it: `P-76`, `Bx22+`, `S*45`, `G69-78`.
fn english(board: &Board, mv: Move) -> String {
    let digits = |square: Square| format!("{}{}", square.file(), square.rank());
    match mv.parts() {
        MoveParts::Drop { piece, to } => format!("{}*{}", piece.piece_type().letter(), digits(to)),
        MoveParts::Board { from, to, promote } => {
            let piece = board.piece_at(from).unwrap_or(Piece::new(board.turn(), PieceType::Pawn));
            let plus = if piece.kind.is_promoted() { "+" } else { "" };
            let name = format!("{plus}{}", piece.kind.letter());
            let is_alone = board.origins(piece, to).into_iter().count() < 2;
            let origin = if is_alone { String::new() } else { digits(from) };
            let sign = if board.piece_at(to).is_some() { 'x' } else { '-' };
            let in_camp = |square: Square| {
                let camp = if piece.color == Color::Black { 1..=3 } else { 7..=9 };
                camp.contains(&square.rank())
            };
            let could = piece.kind.promoted().is_some() && (in_camp(from) || in_camp(to));
            let end = if promote {
                "+"
            } else if could {
                "="
            } else {
                ""
            };
            format!("{name}{origin}{sign}{}{end}", digits(to))
        }
    }
}

fn best_line(sfen: &str, line: &BestLine) -> Value {
    let moves: Vec<String> = line.moves.iter().take(SHOWN_MOVES).cloned().collect();
    let mut value = pv(sfen, &moves);
    put(&mut value, "s", json!(line.score));
    put(&mut value, "w", json!(line.win));
    value
}

/// Adds a field to an object.
fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

fn pv(sfen: &str, moves: &[String]) -> Value {
    let (japanese, english): (Vec<String>, Vec<String>) = line_texts(sfen, moves).into_iter().unzip();
    json!({ "m": moves, "ja": japanese, "en": english })
}

/// The data of the script as JSON.
pub(super) fn data(record: &Record, report: &GameReport, lines: &[Line]) -> String {
    let comments = |id: Option<&NodeId>| id.map_or(&[][..], |&id| &record.node(id).remarks().comments);
    let of_line = |line: &Line| {
        let (positions, moves) = line.parts(report);
        let positions_data: Vec<Value> = positions
            .iter()
            .map(|position| {
                let best: Vec<Value> = position.lines.iter().map(|line| best_line(&position.sfen, line)).collect();
                json!({ "s": position.score, "w": position.win, "lines": best })
            })
            .collect();
        let moves_data: Vec<Value> = moves
            .iter()
            .zip(&line.texts)
            .enumerate()
            .map(|(index, (mv, text))| {
                let mut data = json!({
                    "u": mv.usi, "ja": text.0, "en": text.1, "b": mv.side == Side::Black, "f": mv.first_choice,
                    "com": comments(line.nodes.get(index + 1)),
                });
                let missed = mv.missed_mate.as_ref().zip(positions.get(index));
                let missed = missed.map(|(mate, position)| {
                    let mut line = pv(&position.sfen, mate);
                    let win = if mv.side == Side::Black { 1.0 } else { 0.0 };
                    put(&mut line, "s", json!({ "mate": { "winner": mv.side, "plies": mate.len() } }));
                    put(&mut line, "w", json!(win));
                    line
                });
                for (key, value) in [
                    ("t", mv.time_ms.map(|ms| json!(ms))),
                    ("c", mv.class.map(|class| json!(class))),
                    ("l", mv.loss.map(|loss| json!(loss))),
                    ("mm", missed),
                ] {
                    if let Some(value) = value {
                        put(&mut data, key, value);
                    }
                }
                data
            })
            .collect();
        json!({ "parent": line.parent, "from": line.from, "moves": moves_data, "pos": positions_data })
    };
    let all: Vec<Value> = lines.iter().map(of_line).collect();
    json!({
        "start": record.setup().to_string(), "lines": all, "com": comments(Some(&record.root())),
        "deciding": report.deciding_ply, "width": curve::WIDTH, "x0": curve::LEFT, "dx": curve::step(report),
    })
    .to_string()
}
