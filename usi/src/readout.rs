//! Positions and reports in CSA notation (CSA file format V3.0).
//!
//! * [`board_rows`]: a position, as the console command `d` shows it;
//! * [`info_line`]: the report of a search, as the comment `'** score pv #nodes`.
//!
//! Scores in records are Black's view in centipawns, and a won position is 30 000.

use enbu_kifu::{Analysis, Board, csa};
use enbu_movegen::{Color, Position};

use crate::reply::{Info, Score};

/// The position as CSA board rows: `P1` to `P9`, the hands that hold something,
/// and the side to move.
///
/// ```
/// use enbu_movegen::Position;
/// let rows = enbu_usi::readout::board_rows(&Position::startpos());
/// assert_eq!((rows.len(), &*rows[0], &*rows[9]), (10, "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "+"));
/// ```
pub fn board_rows(position: &Position) -> Vec<String> {
    csa::board_rows(&position.to_setup())
}

/// `score` of the side `turn` as Black sees it, in centipawns; wins are 30 000.
pub fn black_view(score: Score, turn: Color) -> i32 {
    let own = match score {
        Score::Cp(value) => value.clamp(-Analysis::WON_CP, Analysis::WON_CP),
        Score::MateIn(_) | Score::Mates => Analysis::WON_CP,
        Score::MatedIn(_) | Score::Mated => -Analysis::WON_CP,
    };
    match turn {
        Color::Black => own,
        Color::White => -own,
    }
}

/// Formats the report of a search of `position` as a CSA comment: `'** ` with the score
/// from Black's view, the line of play and `#nodes`.
///
/// The format needs the score first; a report without one says 0.
///
/// ```
/// use enbu_movegen::Position;
/// use enbu_usi::{Info, Score, readout};
/// let info = Info { score: Some(Score::Cp(30)), pv: vec!["7g7f".parse()?], nodes: Some(99), ..Info::default() };
/// assert_eq!(readout::info_line(&Position::startpos(), &info), "'** 30 +7776FU #99");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn info_line(position: &Position, info: &Info) -> String {
    let analysis = Analysis {
        score_cp: Some(info.score.map_or(0, |score| black_view(score, position.turn()))),
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
    use enbu_movegen::{Move, Setup};

    fn moves(text: &str) -> Vec<Move> {
        text.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn boards_are_csa_rows() {
        let setup: Setup = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1".parse().unwrap();
        let rows = board_rows(&Position::from_setup(&setup).unwrap());
        assert_eq!(rows[0], "P1-KY *  *  *  *  *  * -KE-KY");
        assert_eq!(rows[1], "P2 *  *  *  *  * +TO * -KI-OU");
        assert_eq!(rows[9..], ["P+00HI00KI", "P-00KI00GI00KE00FU00FU00FU00FU00FU", "-"]);
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
