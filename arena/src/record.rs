//! One game as it is saved: a line of JSON with everything that happened, and a CSA
//! record made from it.

use std::collections::BTreeMap;

use enbu_kifu::{Analysis, Board, End, EndKind, Event, GameResult, HeaderKey, Record, TimeControl as KifuTime, csa};
use enbu_language::{pick, text};
use enbu_movegen::{Color, Move};
use enbu_usi::Score;
use serde::{Deserialize, Serialize};

use crate::openings::{Opening, OpeningError};
use crate::referee::Reason;
use crate::time_control::TimeControl;

/// Faults of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Fault {
    /// An illegal move, something that is no move, or a false declaration. Loses.
    Illegal,
    /// More time than there was. Loses.
    Time,
    /// No answer. Loses.
    Hang,
    /// The process ended. Loses.
    Crash,
    /// A line of play with an illegal move in it.
    BadPv,
    /// An illegal move to ponder on.
    BadPonder,
    /// A `bestmove` that answers nothing.
    Stray,
    /// A `bestmove` while pondering, before `ponderhit` or `stop`.
    Early,
    /// Output after the answer, after the game or after `quit`.
    Late,
    /// A line that is no reply of the protocol.
    Garbage,
    /// Lines too long or too many to be read.
    Flood,
    /// An error that the engine reports, as of a file it cannot read.
    Error,
}

impl Fault {
    /// Its name in the language of the process; in English the word of files.
    pub fn name(self) -> String {
        const JAPANESE: &str = "反則手 時間切れ 応答なし エンジン停止 不正な読み筋 不正な先読み手 余分な応答 \
                                早すぎる応答 遅れた出力 不明な行 過剰な出力 エラー報告";
        pick(self.to_string(), JAPANESE.split(' ').nth(self as usize).unwrap_or_default().to_owned())
    }
}

pub(crate) type Faults = BTreeMap<Fault, u32>;

pub(crate) fn count(faults: &mut Faults, fault: Fault, times: u32) {
    if times > 0 {
        *faults.entry(fault).or_default() += times;
    }
}

pub(crate) fn count_all(faults: &mut Faults, others: &Faults) {
    others.iter().for_each(|(&fault, &times)| count(faults, fault, times));
}

/// The points of one engine in one game; 0, 0.5 or 1 in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Points {
    Loss,
    Draw,
    Win,
}

impl Points {
    /// Half points: 0, 1 or 2.
    pub const fn halves(self) -> u8 {
        self as u8
    }

    /// The points of the other engine.
    pub const fn opposite(self) -> Self {
        [Self::Win, Self::Draw, Self::Loss][self as usize]
    }
}

impl From<Points> for f64 {
    fn from(points: Points) -> Self {
        Self::from(points.halves()) / 2.0
    }
}

impl TryFrom<f64> for Points {
    type Error = String;

    fn try_from(points: f64) -> Result<Self, String> {
        let known = [Self::Loss, Self::Draw, Self::Win].into_iter().find(|&known| f64::from(known) == points);
        known.ok_or_else(|| format!("{points} is not 0, 0.5 or 1"))
    }
}

/// A colour in a file: `b` or `w`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Color")]
pub(crate) enum ColorWord {
    #[serde(rename = "b")]
    Black,
    #[serde(rename = "w")]
    White,
}

/// The things of engines 1 and 2 in the order Black, White, or the other way round.
pub(crate) fn by_color<T>(engine1: Color, [first, second]: [T; 2]) -> [T; 2] {
    if engine1 == Color::Black { [first, second] } else { [second, first] }
}

/// The points of Black, from the colour and the points of engine 1.
pub(crate) const fn points_of_black(engine1: Color, score1: Points) -> Points {
    engine1.select([score1, score1.opposite()])
}

/// An answer of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedMove {
    /// The answer: a move, `resign`, `win`, or any other text.
    #[serde(rename = "move")]
    pub answer: String,
    /// Milliseconds it took.
    pub ms: f64,
    /// Its last reported score, for the side that moved: centipawns, or `#` and plies to
    /// the mate (`#+` and `#-` without a number of plies).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Depth in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

pub(crate) fn score_text(score: Score) -> String {
    match score {
        Score::Cp(cp) => cp.to_string(),
        Score::MateIn(plies) => format!("#{plies}"),
        Score::MatedIn(plies) => format!("#-{plies}"),
        Score::Mates => "#+".to_owned(),
        Score::Mated => "#-".to_owned(),
    }
}

/// One game.
///
/// *Engine 1* and *engine 2* are the two of the pairing, whatever their colours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Identifier of the match: equal for all games played under equal settings.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Number of the game: twice that of its pair, plus 1 for the second game.
    pub game: usize,
    /// Number of the pair.
    pub pair: usize,
    /// Name of engine 1.
    pub name1: String,
    /// Name of engine 2.
    pub name2: String,
    /// Time control of engine 1.
    pub tc1: String,
    /// Time control of engine 2.
    pub tc2: String,
    /// Name of the engine that played Black.
    pub black: String,
    /// Name of the engine that played White.
    pub white: String,
    /// The colour of engine 1.
    #[serde(with = "ColorWord")]
    pub engine1: Color,
    /// The points of engine 1.
    pub score1: Points,
    /// The reason of the end.
    pub reason: Reason,
    /// Moves played, those of the opening included.
    pub plies: usize,
    /// Its start position: `startpos` or `sfen ...`.
    pub opening: String,
    /// Number of moves that belong to the opening.
    pub opening_moves: usize,
    /// All moves, between single blanks.
    pub moves: String,
    /// The answers of the engines, from the first move after the opening.
    pub log: Vec<LoggedMove>,
    /// Milliseconds by which the loser overstepped its time; 0 unless it lost by that.
    pub over_ms: f64,
    /// Milliseconds for which tasks of the machine waited for a processor during the move that was
    /// lost on time; 0 otherwise, and where the system does not count them.
    pub stall_ms: f64,
    /// A remark about the end for the reader; may be empty.
    pub text: String,
    /// Faults of engine 1.
    pub faults1: Faults,
    /// Faults of engine 2.
    pub faults2: Faults,
}

/// Error of a saved game that cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!("game {}: {}", "対局 {}：{}", .0, .1))]
pub struct ReplayError(usize, OpeningError);

impl GameRecord {
    /// The points of Black.
    pub const fn black_points(&self) -> Points {
        points_of_black(self.engine1, self.score1)
    }

    fn winner(&self) -> Option<Color> {
        match self.black_points() {
            Points::Win => Some(Color::Black),
            Points::Draw => None,
            Points::Loss => Some(Color::White),
        }
    }

    /// The game as a CSA V3.0 record, with times and evaluations.
    /// Fails where its moves are not legal, so that it was not written by us.
    pub fn to_csa(&self) -> Result<String, ReplayError> {
        let separator = if self.moves.is_empty() { "" } else { " moves " };
        let game: Opening = format!("{}{separator}{}", self.opening, self.moves)
            .parse()
            .map_err(|error| ReplayError(self.game, error))?;
        let mut record = Record::new(game.setup().clone());
        record.headers.push(HeaderKey::BlackName, self.black.as_str());
        record.headers.push(HeaderKey::WhiteName, self.white.as_str());
        record.headers.push(HeaderKey::Event, format!("{} - {} game {}", self.name1, self.name2, self.game));
        record.rules.time = by_color(self.engine1, [&self.tc1, &self.tc2]).map(|control| kifu_time(control));
        let mut turn = game.setup().turn;
        let mut at = record.root();
        for (index, &mv) in game.moves().iter().enumerate() {
            at = record.add(at, Event::Move(mv));
            if let Some(logged) = index.checked_sub(self.opening_moves).and_then(|asked| self.log.get(asked)) {
                let node = record.node_mut(at);
                node.time_ms = Some(logged.whole_ms());
                node.remarks_mut().analyses.extend(logged.analysis(turn));
            }
            turn = !turn;
        }
        self.add_end(&mut record, at, turn);
        Ok(csa::write(&record))
    }

    /// The end, after the illegal move if there was one that can be shown.
    fn add_end(&self, record: &mut Record, mut at: enbu_kifu::NodeId, turn: Color) {
        let last = self.log.get(self.plies.saturating_sub(self.opening_moves));
        let foul = last.filter(|_| self.reason == Reason::Illegal).and_then(|last| last.answer.parse::<Move>().ok());
        let foul = foul.filter(|&foul| can_be_shown(record, foul));
        if let Some(foul) = foul {
            at = record.add(at, Event::Foul(foul));
        }
        let loser = self.winner().map_or(turn, |winner| !winner);
        let kind = match self.reason {
            Reason::Mate => EndKind::Mate,
            Reason::Resign => EndKind::Resign,
            Reason::Declaration if self.winner().is_none() => EndKind::DeclarationDraw,
            Reason::Declaration | Reason::Try => EndKind::DeclarationWin,
            Reason::Repetition => EndKind::Repetition,
            Reason::PerpetualCheck => EndKind::IllegalAction(loser),
            Reason::MaxMoves => EndKind::MaxMoves,
            Reason::Illegal if foul.is_some() => EndKind::IllegalMove,
            Reason::Illegal => EndKind::IllegalAction(loser),
            Reason::Time => EndKind::TimeUp,
            Reason::Adjudicated | Reason::Declarable | Reason::ProvenMate | Reason::Hang | Reason::Crash => {
                EndKind::Abort
            }
        };
        let result = Some(self.winner().map_or(GameResult::Draw, GameResult::win));
        let end = record.add(at, Event::from(End { kind, result }));
        record.node_mut(end).time_ms = last.filter(|_| foul.is_none()).map(LoggedMove::whole_ms);
        let reason = (!is_stated_by_csa(self.reason)).then(|| self.reason.to_string());
        let text = (!self.text.is_empty()).then(|| self.text.clone());
        record.node_mut(end).remarks_mut().comments.extend(reason.into_iter().chain(text));
    }
}

/// Returns true if the special move of CSA for `reason` has no other meaning. A comment
/// that repeats it would only be in the way: json-kifu-format reads no comment on an end in KI2.
const fn is_stated_by_csa(reason: Reason) -> bool {
    use Reason::{Declaration, Mate, MaxMoves, Repetition, Resign, Time};
    matches!(reason, Mate | Resign | Declaration | Repetition | MaxMoves | Time)
}

/// Returns true if an illegal move can be made on a board after the moves of `record` (an
/// opponent's piece, say, cannot be moved).
fn can_be_shown(record: &Record, foul: Move) -> bool {
    let mut board = Board::new(record.setup());
    record.moves().all(|mv| board.play(mv).is_ok()) && board.play(foul).is_ok()
}

fn kifu_time(control: &str) -> Option<KifuTime> {
    let TimeControl::Clock { main_ms, byoyomi_ms, increment_ms } = control.parse().ok()? else { return None };
    Some(KifuTime { main_ms, byoyomi_ms, increment_ms })
}

impl LoggedMove {
    fn whole_ms(&self) -> u64 {
        // Saturates; no game has negative times.
        self.ms.round() as u64
    }

    fn analysis(&self, turn: Color) -> Option<Analysis> {
        let text = self.score.as_deref()?;
        let score_cp = match text.strip_prefix('#') {
            Some(mate) if mate.starts_with('-') => -Analysis::WON_CP,
            Some(_) => Analysis::WON_CP,
            None => text.parse().ok()?,
        };
        let score_cp = Some(if turn == Color::Black { score_cp } else { score_cp.saturating_neg() });
        Some(Analysis { score_cp, nodes: self.nodes, depth: self.depth, ..Analysis::default() })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn game() -> GameRecord {
        let logged = |answer: &str, ms, score: Option<&str>, nodes| LoggedMove {
            answer: answer.to_owned(),
            ms,
            score: score.map(str::to_owned),
            depth: Some(3),
            nodes,
        };
        GameRecord {
            match_id: "0123456789abcdef".to_owned(),
            game: 3,
            pair: 1,
            name1: "new".to_owned(),
            name2: "old".to_owned(),
            tc1: "10+0.1".to_owned(),
            tc2: "nodes=500".to_owned(),
            black: "old".to_owned(),
            white: "new".to_owned(),
            engine1: Color::White,
            score1: Points::Loss,
            reason: Reason::Resign,
            plies: 3,
            opening: "startpos".to_owned(),
            opening_moves: 1,
            moves: "7g7f 3c3d 2g2f".to_owned(),
            log: vec![
                logged("3c3d", 12.4, Some("35"), Some(500)),
                logged("2g2f", 99.6, Some("#-4"), None),
                logged("resign", 3.0, None, None),
            ],
            over_ms: 0.0,
            stall_ms: 2.5,
            text: String::new(),
            faults1: Faults::default(),
            faults2: Faults::from([(Fault::BadPv, 2)]),
        }
    }

    #[test]
    fn a_game_survives_its_line() {
        let line = serde_json::to_string(&game()).unwrap();
        assert!(line.contains(r#""engine1":"w","score1":0.0,"reason":"resign""#), "{line}");
        assert!(line.contains(r#""faults1":{},"faults2":{"bad_pv":2}"#), "{line}");
        assert_eq!(serde_json::from_str::<GameRecord>(&line).unwrap(), game());
        assert!(serde_json::from_str::<GameRecord>(&line.replace("\"score1\":0.0", "\"score1\":0.7")).is_err());
    }

    #[test]
    fn a_game_becomes_a_csa_record_that_is_read_back() {
        let text = game().to_csa().unwrap();
        let expected = [
            "N+old",
            "N-new",
            "$TIME-:10+0+0.1",
            "PI",
            "+",
            "+7776FU",
            "-3334FU",
            "T0.012",
            "'** -35 #500",
            "+2726FU",
            "T0.1",
            "'** -30000",
            "%TORYO",
            "T0.003",
        ];
        let mut lines = text.lines();
        for line in expected {
            assert!(lines.any(|found| found == line), "no `{line}` in its place in\n{text}");
        }
        let reading = csa::read(&text, enbu_kifu::Mode::Strict).unwrap();
        assert_eq!(reading.records[0].moves().count(), 3);
    }

    #[test]
    fn every_end_is_written_so_that_the_winner_can_be_read() {
        let reasons = [
            Reason::Mate,
            Reason::Resign,
            Reason::Declaration,
            Reason::Try,
            Reason::Repetition,
            Reason::PerpetualCheck,
            Reason::MaxMoves,
            Reason::Adjudicated,
            Reason::Declarable,
            Reason::ProvenMate,
            Reason::Illegal,
            Reason::Time,
            Reason::Hang,
            Reason::Crash,
        ];
        for reason in reasons {
            for score1 in [Points::Win, Points::Draw, Points::Loss] {
                for answer in ["resign", "5i5e", "3d3f", "nonsense"] {
                    let mut record = GameRecord { reason, score1, text: "why".to_owned(), ..game() };
                    record.log[2].answer = answer.to_owned();
                    let text = record.to_csa().unwrap();
                    let reading = csa::read(&text, enbu_kifu::Mode::Tolerant).unwrap();
                    let end = reading.records[0].end().unwrap_or_else(|| panic!("no end in\n{text}"));
                    let winner = end.result.and_then(GameResult::winner);
                    assert_eq!(winner, record.winner(), "{reason:?} {score1:?} {answer}\n{text}");
                    let stated = ["%TSUMI", "%TORYO", "%KACHI", "%HIKIWAKE", "%SENNICHITE", "%MAX_MOVES", "%TIME_UP"];
                    let comment = text.contains(&format!("\n'*{reason}\n"));
                    let is_stated = stated.iter().any(|word| text.contains(word)) && reason != Reason::Try;
                    assert_eq!(comment, !is_stated, "{reason:?} {answer}\n{text}");
                    assert!(text.contains("\n'*why\n"), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_record_that_was_tampered_with_is_refused() {
        let mut record = game();
        record.moves = "7g7f 7g7f".to_owned();
        assert_eq!(
            record.to_csa().unwrap_err().to_string(),
            "game 3: move 2: illegal move 7g7f: no piece of the side to move on the origin"
        );
    }
}
