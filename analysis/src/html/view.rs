//! The data of a page's script: every line of a record with the texts of its moves.

use enbu_kifu::{Board, NodeId, Record, ki2};
use enbu_movegen::{Move, MoveParts, Piece, PieceType, Square};
use serde::Serialize;

use super::curve;
use crate::class::Class;
use crate::nodes;
use crate::report::{BestLine, GameReport, MoveReport, PositionReport, ReportLine, Score, Side};

/// Moves of a best line that the page offers.
const SHOWN_MOVES: usize = 20;

/// A line of the record: the main line or a variation.
pub(super) struct Line<'r> {
    pub(super) report: ReportLine<'r>,
    /// Japanese and English text of each move.
    pub(super) texts: Vec<(String, String)>,
    /// The nodes of the record, the one before the first move included.
    nodes: Vec<NodeId>,
}

impl<'r> Line<'r> {
    /// The moves with the scores after them.
    pub(super) fn judgements(&self) -> impl Iterator<Item = (&'r MoveReport, Option<Score>)> {
        let ReportLine { positions, moves, .. } = self.report;
        moves.iter().zip(positions.iter().skip(1)).map(|(mv, after)| (mv, after.score))
    }
}

/// The lines of a report, the main line first.
pub(super) fn lines<'r>(record: &Record, report: &'r GameReport) -> Vec<Line<'r>> {
    let of = |(report, nodes): (ReportLine<'r>, Vec<NodeId>)| {
        let sfen = report.positions.first().map(|position| position.sfen.as_str()).unwrap_or_default();
        let moves: Vec<String> = report.moves.iter().map(|mv| mv.usi.clone()).collect();
        Line { report, texts: line_texts(sfen, &moves), nodes }
    };
    report.lines().zip(nodes::of_lines(record, report)).map(of).collect()
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
            let in_camp = |square: Square| square.relative_rank(piece.color) <= 3;
            let could = piece.kind.promoted().is_some() && (in_camp(from) || in_camp(to));
            let end = match (promote, could) {
                (true, _) => "+",
                (false, true) => "=",
                (false, false) => "",
            };
            format!("{name}{origin}{sign}{}{end}", digits(to))
        }
    }
}

/// The data of the script.
#[derive(Serialize)]
struct Data<'r> {
    start: String,
    lines: Vec<LineData<'r>>,
    #[serde(rename = "com")]
    comments: &'r [String],
    deciding: Option<usize>,
    width: f64,
    x0: f64,
    dx: f64,
}

#[derive(Serialize)]
struct LineData<'r> {
    parent: usize,
    from: usize,
    moves: Vec<MoveData<'r>>,
    #[serde(rename = "pos")]
    positions: Vec<PositionData<'r>>,
}

#[derive(Serialize)]
struct PositionData<'r> {
    #[serde(rename = "s")]
    score: Option<Score>,
    #[serde(rename = "w")]
    win: Option<f64>,
    lines: Vec<Pv<'r>>,
}

#[derive(Serialize)]
struct MoveData<'r> {
    #[serde(rename = "u")]
    usi: &'r str,
    #[serde(rename = "ja")]
    japanese: &'r str,
    #[serde(rename = "en")]
    english: &'r str,
    #[serde(rename = "b")]
    is_black: bool,
    #[serde(rename = "f")]
    first_choice: bool,
    #[serde(rename = "com")]
    comments: &'r [String],
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    time_ms: Option<u64>,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    class: Option<Class>,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    #[serde(rename = "mm", skip_serializing_if = "Option::is_none")]
    missed_mate: Option<Pv<'r>>,
}

/// A line of moves with its score.
#[derive(Serialize)]
struct Pv<'r> {
    #[serde(rename = "m")]
    moves: &'r [String],
    #[serde(rename = "ja")]
    japanese: Vec<String>,
    #[serde(rename = "en")]
    english: Vec<String>,
    #[serde(rename = "s")]
    score: Score,
    #[serde(rename = "w")]
    win: f64,
}

impl<'r> Pv<'r> {
    fn new(sfen: &str, moves: &'r [String], score: Score, win: f64) -> Self {
        let (japanese, english) = line_texts(sfen, moves).into_iter().unzip();
        Self { moves, japanese, english, score, win }
    }

    fn best(sfen: &str, line: &'r BestLine) -> Self {
        Self::new(sfen, line.moves.get(..SHOWN_MOVES).unwrap_or(&line.moves), line.score, line.win)
    }

    fn missed(sfen: &str, mv: &'r MoveReport, mate: &'r [String]) -> Self {
        let win = if mv.side == Side::Black { 1.0 } else { 0.0 };
        Self::new(sfen, mate, Score::Mate { winner: mv.side, plies: mate.len() as u16 }, win)
    }
}

/// The data of the script as JSON.
pub(super) fn data<'r>(record: &'r Record, report: &'r GameReport, lines: &'r [Line<'r>]) -> String {
    let comments = |id: Option<&NodeId>| id.map_or(&[][..], |&id| &record.node(id).remarks().comments);
    let of_line = |line: &'r Line<'r>| {
        let ReportLine { parent, from, positions, moves } = line.report;
        let of_position = |position: &'r PositionReport| PositionData {
            score: position.score,
            win: position.win,
            lines: position.lines.iter().map(|line| Pv::best(&position.sfen, line)).collect(),
        };
        let of_move = |(index, (mv, (japanese, english))): (usize, (&'r MoveReport, &'r (String, String)))| MoveData {
            usi: &mv.usi,
            japanese,
            english,
            is_black: mv.side == Side::Black,
            first_choice: mv.first_choice,
            comments: comments(line.nodes.get(index + 1)),
            time_ms: mv.time_ms,
            class: mv.class,
            loss: mv.loss,
            missed_mate: mv
                .missed_mate
                .as_ref()
                .zip(positions.get(index))
                .map(|(mate, position)| Pv::missed(&position.sfen, mv, mate)),
        };
        LineData {
            parent,
            from,
            moves: moves.iter().zip(&line.texts).enumerate().map(of_move).collect(),
            positions: positions.iter().map(of_position).collect(),
        }
    };
    let data = Data {
        start: record.setup().to_string(),
        lines: lines.iter().map(of_line).collect(),
        comments: comments(Some(&record.root())),
        deciding: report.deciding_ply,
        width: curve::WIDTH,
        x0: curve::LEFT,
        dx: curve::step(report),
    };
    // Maps with keys of text and finite numbers cannot fail.
    serde_json::to_string(&data).unwrap_or_default()
}
