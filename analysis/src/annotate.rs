//! The judgements written back into a record.

use enbu_kifu::{Analysis, Board, Format, Record, ki2};
use enbu_movegen::{Move, Square};

use crate::class::Class;
use crate::nodes;
use crate::report::{BestLine, GameReport, MoveReport, PositionReport, Score, Side};

/// Language of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Japanese.
    Japanese,
    /// English.
    English,
}

/// Moves of a line that a comment shows.
const SHOWN_MOVES: usize = 12;

/// Adds scores, lines and classes to `record`, of which `report` is the analysis, for a file
/// in `format`. Nothing of the record is changed or removed.
///
/// The start position gets no score in CSA, where a score follows its move: cshogi 1.1.0
/// ends with a memory fault at one before the first move.
pub fn annotate(record: &mut Record, report: &GameReport, language: Language, format: Format) {
    let lines = nodes::of_lines(record, report);
    let mut judged = vec![(&report.positions, &report.moves)];
    judged.extend(report.variations.iter().map(|variation| (&variation.positions, &variation.moves)));
    for (index, (nodes, (positions, moves))) in lines.iter().zip(judged).enumerate() {
        // A variation shares its first position with the line that it leaves.
        for (place, (&id, position)) in nodes.iter().zip(positions).enumerate().skip(usize::from(index > 0)) {
            let before = place.checked_sub(1).and_then(|place| positions.get(place));
            let comment = match (before, place.checked_sub(1).and_then(|place| moves.get(place))) {
                (Some(before), Some(mv)) => comment(before, mv, language),
                _ => Vec::new(),
            };
            let remarks = record.node_mut(id).remarks_mut();
            if place > 0 || format != Format::Csa {
                remarks.analyses.extend(analysis(position, &report.engine));
            }
            remarks.comments.extend(comment);
        }
    }
}

fn analysis(position: &PositionReport, engine: &str) -> Option<Analysis> {
    let score_cp = match position.score? {
        Score::Cp(cp) => cp,
        Score::Mate { winner: Side::Black, .. } => Analysis::WON_CP,
        Score::Mate { winner: Side::White, .. } => -Analysis::WON_CP,
    };
    let best = position.lines.first();
    Some(Analysis {
        score_cp: Some(score_cp),
        pv: best.map(|line| parsed(&line.moves)).unwrap_or_default(),
        nodes: Some(position.nodes).filter(|&nodes| nodes > 0),
        depth: Some(position.depth).filter(|&depth| depth > 0),
        engine: Some(engine.to_owned()),
        ..Analysis::default()
    })
}

fn parsed(moves: &[String]) -> Vec<Move> {
    moves.iter().map_while(|text| text.parse().ok()).collect()
}

/// The comment on a move that is not good, and on a missed mate.
fn comment(before: &PositionReport, mv: &MoveReport, language: Language) -> Vec<String> {
    let mut lines = Vec::new();
    let bad = mv.class.filter(|&class| class >= Class::Inaccuracy);
    if let (Some(class), Some(loss)) = (bad, mv.loss) {
        let percent = loss * 100.0;
        let best = before.lines.first().map(|line| moves_text(&before.sfen, line)).unwrap_or_default();
        lines.push(match language {
            Language::Japanese => format!("【{}】勝率 -{percent:.1}%　最善 {best}", class.japanese()),
            Language::English => format!("[{}] -{percent:.1}% win probability; best {best}", class.name()),
        });
    }
    if let Some(mate) = &mv.missed_mate {
        let line = text_of(&before.sfen, mate);
        lines.push(match language {
            Language::Japanese => format!("【詰み逃し】{}手詰 {line}", mate.len()),
            Language::English => format!("[missed mate] in {} plies: {line}", mate.len()),
        });
    }
    lines
}

fn moves_text(sfen: &str, line: &BestLine) -> String {
    if line.end.is_some() { "入玉宣言".to_owned() } else { text_of(sfen, &line.moves) }
}

/// Moves in Japanese notation.
fn text_of(sfen: &str, moves: &[String]) -> String {
    let Ok(setup) = sfen.parse() else { return String::new() };
    let mut board = Board::new(&setup);
    let mut last: Option<Square> = None;
    let mut text = String::new();
    for mv in parsed(moves).into_iter().take(SHOWN_MOVES) {
        text.push_str(&ki2::move_text(&board, mv, last));
        last = Some(mv.to());
        if board.play(mv).is_err() {
            break;
        }
    }
    text
}
