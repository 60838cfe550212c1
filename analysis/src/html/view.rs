//! The data of a page's script: every line of a record with the texts of its moves.

use enbu_kifu::{Board, Format, NodeId, Record, WriteOptions, ki2, western};
use enbu_movegen::Move;
use serde_json::{Value, json};

use super::{Words, curve};
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
pub fn line_texts(sfen: &str, moves: &[String]) -> Vec<(String, String)> {
    let Ok(setup) = sfen.parse() else { return Vec::new() };
    let mut board = Board::new(&setup);
    let mut last = None;
    let mut texts = Vec::new();
    for mv in moves.iter().map_while(|text| text.parse::<Move>().ok()) {
        texts.push((ki2::move_text(&board, mv, last), western::move_text(&board, mv)));
        last = Some(mv.to());
        if board.play(mv).is_err() {
            break;
        }
    }
    texts
}

/// A line of moves from a position, with its score.
fn pv(sfen: &str, moves: &[String], score: Score, win: f64) -> Value {
    let (japanese, english): (Vec<String>, Vec<String>) = line_texts(sfen, moves).into_iter().unzip();
    json!({ "m": moves, "ja": japanese, "en": english, "s": score, "w": win })
}

/// The data of the script as JSON.
///
/// | name | value |
/// |---|---|
/// | `u` `m` | a move, moves as in USI |
/// | `ja` `en` | their texts |
/// | `s` `w` | score and Black's win probability |
/// | `b` `t` | true for a move of Black; time in milliseconds |
/// | `f` `c` `l` `mm` | true for the first choice; class, loss, missed mate |
/// | `why` | reason of a mistake, in Japanese and English |
/// | `com` | comments of the record |
/// | `start` `head` | start position as SFEN; KIF of the game without its moves |
/// | `sides` | words for Black and White in both languages |
pub(super) fn data(record: &Record, report: &GameReport, lines: &[Line<'_>], words: &Words) -> String {
    let comments = |id: Option<&NodeId>| id.map_or(&[][..], |&id| &record.node(id).remarks().comments);
    let of_line = |line: &Line<'_>| {
        let ReportLine { parent, from, positions, moves } = line.report;
        let of_position = |position: &PositionReport| {
            let best = |line: &BestLine| {
                pv(&position.sfen, line.moves.get(..SHOWN_MOVES).unwrap_or(&line.moves), line.score, line.win)
            };
            let lines: Vec<Value> = position.lines.iter().map(best).collect();
            json!({ "s": position.score, "w": position.win, "lines": lines })
        };
        let of_move = |(index, (mv, (japanese, english))): (usize, (&MoveReport, &(String, String)))| {
            let missed = mv.missed_mate.as_ref().zip(positions.get(index)).map(|(mate, position)| {
                let score = Score::Mate { winner: mv.side, plies: mate.len() as u16 };
                pv(&position.sfen, mate, score, if mv.side == Side::Black { 1.0 } else { 0.0 })
            });
            json!({
                "u": mv.usi, "ja": japanese, "en": english, "b": mv.side == Side::Black, "t": mv.time_ms,
                "f": mv.first_choice, "c": mv.class, "l": mv.loss, "mm": missed,
                "why": mv.reason.as_ref().map(|reason| [&reason.ja, &reason.en]),
                "com": comments(line.nodes.get(index + 1)),
            })
        };
        let moves: Vec<Value> = moves.iter().zip(&line.texts).enumerate().map(of_move).collect();
        let positions: Vec<Value> = positions.iter().map(of_position).collect();
        json!({ "parent": parent, "from": from, "moves": moves, "pos": positions })
    };
    let lines: Vec<Value> = lines.iter().map(of_line).collect();
    let mut head = Record::new(record.setup().clone());
    (head.headers, head.rules) = (record.headers.clone(), record.rules.clone());
    let head = Format::Kif.write(&[head], WriteOptions::default());
    json!({
        "start": record.setup().to_string(), "head": head, "sides": words.sides, "lines": lines, "com": comments(Some(&record.root())),
        "deciding": report.deciding_ply, "width": curve::WIDTH, "x0": curve::LEFT, "dx": curve::step(report),
    })
    .to_string()
}
