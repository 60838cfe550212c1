//! The judgements written back into a record.

use enbu_kifu::{Analysis, Format, Record, Remarks, names};
use enbu_language::Language;

use crate::class::Class;
use crate::fact::Fact;
use crate::html::line_texts;
use crate::nodes;
use crate::report::{BestLine, GameReport, MoveReport, PositionReport, ReportLine, Score, Side, parsed};

/// Treatment of comments and scores that a record holds already, after ShogiHome's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// Those of an earlier analysis are replaced, others stay before the new ones.
    #[default]
    Replace,
    /// All stay, before the new ones.
    Append,
    /// All stay, after the new ones.
    Insert,
    /// All give way to the new ones, at every position that was judged.
    Overwrite,
    /// All stay, and none are added.
    Keep,
}

/// Form of judgements in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Language of the comments.
    pub language: Language,
    /// Format of the file.
    pub format: Format,
    /// Treatment of what is there already.
    pub earlier: Earlier,
}

/// First word of [`GameReport::engine`] by which scores of an earlier analysis are known.
const PROGRAM: &str = "Enbu ";

/// Moves of a line that a comment shows.
const SHOWN_MOVES: usize = 12;

/// Adds scores, lines and classes to `record`, of which `report` is the analysis, and the
/// name of its opening where it has none. Nothing of the record is changed or removed but what
/// [`Annotation::earlier`] names.
///
/// The start position gets no score in CSA, where a score follows its move: cshogi 1.1.0
/// ends with a memory fault at one before the first move.
pub fn annotate(record: &mut Record, report: &GameReport, annotation: Annotation) {
    if annotation.earlier == Earlier::Keep {
        return;
    }
    names::add_opening(record, annotation.format);
    for (index, (nodes, line)) in nodes::of_lines(record, report).iter().zip(report.lines()).enumerate() {
        let ReportLine { positions, moves, .. } = line;
        // A variation shares its first position with the line that it leaves.
        for (place, (&id, position)) in nodes.iter().zip(positions).enumerate().skip(usize::from(index > 0)) {
            let before = place.checked_sub(1).and_then(|place| positions.get(place).zip(moves.get(place)));
            let comments = before.map_or(Vec::new(), |(before, mv)| comment(before, mv, annotation.language));
            let scored = place > 0 || annotation.format != Format::Csa;
            let analysis = analysis(position, &report.engine);
            if analysis.is_some() {
                let analyses = analysis.into_iter().filter(|_| scored).collect();
                merge(record.node_mut(id).remarks_mut(), comments, analyses, annotation.earlier);
            }
        }
    }
}

/// Puts new comments and scores among those of a node.
fn merge(remarks: &mut Remarks, comments: Vec<String>, analyses: Vec<Analysis>, earlier: Earlier) {
    match earlier {
        Earlier::Replace => {
            remarks.comments.retain(|line| !is_own_comment(line));
            remarks.analyses.retain(|known| !is_own_analysis(known, &analyses));
        }
        Earlier::Overwrite => (remarks.comments, remarks.analyses) = Default::default(),
        Earlier::Append | Earlier::Insert | Earlier::Keep => {}
    }
    let at = if earlier == Earlier::Insert { (0, 0) } else { (remarks.comments.len(), remarks.analyses.len()) };
    remarks.comments.splice(at.0..at.0, comments);
    remarks.analyses.splice(at.1..at.1, analyses);
}

/// Returns true for a line that [`comment`] writes, in either language.
fn is_own_comment(line: &str) -> bool {
    let of_class = |class: &Class| {
        line.starts_with(&format!("【{}】勝率 -", class.japanese()))
            || line.starts_with(&format!("[{}] -", class.name())) && line.contains("% win probability; best ")
    };
    Class::ALL.iter().any(of_class) || line.starts_with("【詰み逃し】") || line.starts_with("[missed mate] in ")
}

/// Returns true for a score of this program, or, in formats that hold no engine's name, for
/// one with the score and line of a new one.
fn is_own_analysis(known: &Analysis, new: &[Analysis]) -> bool {
    match &known.engine {
        Some(engine) => engine.starts_with(PROGRAM),
        None => new.iter().any(|new| (new.score_cp, &new.pv) == (known.score_cp, &known.pv)),
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

/// The comment on a move that is not good, and on a missed mate.
fn comment(before: &PositionReport, mv: &MoveReport, language: Language) -> Vec<String> {
    let mut lines = Vec::new();
    let bad = mv.class.filter(|&class| class >= Class::Inaccuracy);
    if let (Some(class), Some(loss)) = (bad, mv.loss) {
        let percent = loss * 100.0;
        let best = before.lines.first().map(|line| moves_text(&before.sfen, line)).unwrap_or_default();
        // A missed mate has a comment of its own.
        let reason = mv.reason.as_ref().filter(|reason| reason.fact != Fact::MissedMate);
        let why = reason.map(|why| language.pick(format!(". {}", why.en), format!("　{}", why.ja))).unwrap_or_default();
        lines.push(match language {
            Language::Japanese => format!("【{}】勝率 -{percent:.1}%　最善 {best}{why}", class.japanese()),
            Language::English => format!("[{}] -{percent:.1}% win probability; best {best}{why}", class.name()),
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
    let declaration = if line.end.is_some() && line.moves.len() <= SHOWN_MOVES { "入玉宣言" } else { "" };
    text_of(sfen, &line.moves) + declaration
}

/// Moves in Japanese notation.
fn text_of(sfen: &str, moves: &[String]) -> String {
    let shown = moves.get(..SHOWN_MOVES).unwrap_or(moves);
    line_texts(sfen, shown).into_iter().map(|(japanese, _)| japanese).collect()
}
