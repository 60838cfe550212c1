//! Reports of searches in CSA notation (CSA file format V3.0).

use enbu_kifu::{Analysis, Board, csa};
use enbu_movegen::Position;

use crate::reply::Info;

/// Formats the report of a search of `position` as a CSA comment: `'** ` with the score
/// from Black's view, the line of play and `#nodes`.
///
/// The format needs the score first; a report without one has 0.
pub(crate) fn info_line(position: &Position, info: &Info) -> String {
    let analysis = Analysis {
        score_cp: Some(info.score.map_or(0, |score| score.for_black(position.turn()))),
        pv: info.pv.clone(),
        nodes: info.nodes,
        ..Analysis::default()
    };
    let text = csa::analysis_text(&Board::new(&position.to_setup()), &analysis).unwrap_or_default();
    format!("'** {text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::Move;

    use crate::reply::Score;

    fn moves(text: &str) -> Vec<Move> {
        text.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn a_report_shows_the_score_as_black_sees_it() {
        let mut position = Position::startpos();
        position.play(moves("7g7f")[0]).unwrap();
        let info = Info { score: Some(Score::Cp(30)), nodes: Some(99), pv: moves("3c3d 8h2b+"), ..Info::default() };
        assert_eq!(info_line(&position, &info), "'** -30 -3334FU +8822UM #99");
        for (score, text) in [
            (Score::MatedIn(4), "'** 30000"),
            (Score::Mated, "'** 30000"),
            (Score::MateIn(3), "'** -30000"),
            (Score::Cp(-123_456), "'** 30000"),
        ] {
            assert_eq!(info_line(&position, &Info { score: Some(score), ..Info::default() }), text);
        }
        assert_eq!(info_line(&position, &Info { nodes: Some(1), ..Info::default() }), "'** 0 #1");
    }

    #[test]
    fn a_line_is_cut_where_it_cannot_be_played() {
        let info = Info { score: Some(Score::Cp(1)), pv: moves("7g7f 7f7e"), ..Info::default() };
        assert_eq!(info_line(&Position::startpos(), &info), "'** 1 +7776FU");
    }
}
