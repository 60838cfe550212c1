//! Positions, reports and games in CSA notation (CSA file format V3.0).

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, process};

use enbu_movegen::{Color, HandPiece, Move, PieceType, Position, Setup, Square, Verdict};

use crate::command::GameResult;
use crate::reply::{Info, Score};

/// The score of a side that has won, as CSA V3.0 recommends.
const CSA_WIN: i32 = 30_000;

/// The position as CSA board rows: `P1` to `P9`, the hands that hold something,
/// and the side to move.
pub fn board_rows(position: &Position) -> Vec<String> {
    let mut rows: Vec<String> = (1..=9).map(|rank| board_row(position, rank)).collect();
    rows.extend(Color::ALL.into_iter().filter_map(|color| hand_row(position, color)));
    rows.push(sign(position.turn()).to_string());
    rows
}

fn board_row(position: &Position, rank: u8) -> String {
    let mut row = format!("P{rank}");
    for square in (1..=9).rev().filter_map(|file| Square::new(file, rank)) {
        match position.piece_at(square) {
            Some(piece) => {
                row.push(sign(piece.color));
                row.push_str(name(piece.kind));
            }
            None => row.push_str(" * "),
        }
    }
    row
}

fn hand_row(position: &Position, color: Color) -> Option<String> {
    let hand = position.hand(color);
    let mut row = format!("P{}", sign(color));
    for piece in HandPiece::SFEN_ORDER {
        for _ in 0..hand.count(piece) {
            row.push_str("00");
            row.push_str(name(piece.piece_type()));
        }
    }
    if hand.is_empty() { None } else { Some(row) }
}

const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

const fn name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "FU",
        PieceType::Lance => "KY",
        PieceType::Knight => "KE",
        PieceType::Silver => "GI",
        PieceType::Bishop => "KA",
        PieceType::Rook => "HI",
        PieceType::Gold => "KI",
        PieceType::King => "OU",
        PieceType::ProPawn => "TO",
        PieceType::ProLance => "NY",
        PieceType::ProKnight => "NK",
        PieceType::ProSilver => "NG",
        PieceType::Horse => "UM",
        PieceType::Dragon => "RY",
    }
}

/// A move of the side to move, for example `+7776FU`; `None` when no piece makes it.
fn move_text(position: &Position, mv: Move) -> Option<String> {
    let (from, kind) = match (mv.from(), mv.dropped()) {
        (Some(from), _) => {
            let kind = position.piece_at(from)?.kind;
            let kind = if mv.is_promotion() { kind.promoted()? } else { kind };
            (format!("{}{}", from.file(), from.rank()), kind)
        }
        (None, piece) => ("00".to_owned(), piece?.piece_type()),
    };
    Some(format!("{}{from}{}{}{}", sign(position.turn()), mv.to().file(), mv.to().rank(), name(kind)))
}

/// The legal moves at the start of `pv`, each with a blank before it.
fn line_text(position: &Position, pv: &[Move]) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for &mv in pv {
        let Some(word) = move_text(&position, mv) else { break };
        if position.play(mv).is_err() {
            break;
        }
        text.push(' ');
        text.push_str(&word);
    }
    text
}

/// `score` of the side `turn` as Black sees it, in centipawns; wins are 30 000.
pub fn black_view(score: Score, turn: Color) -> i32 {
    let own = match score {
        Score::Cp(value) => value.clamp(-CSA_WIN, CSA_WIN),
        Score::MateIn(_) | Score::Mates => CSA_WIN,
        Score::MatedIn(_) | Score::Mated => -CSA_WIN,
    };
    match turn {
        Color::Black => own,
        Color::White => -own,
    }
}

/// What a search reports as a CSA comment: `'** ` with the score as Black sees it,
/// the line of play and `#nodes`.
pub fn info_line(position: &Position, info: &Info) -> String {
    let score = info.score.map_or(0, |score| black_view(score, position.turn()));
    let nodes = info.nodes.map_or_else(String::new, |nodes| format!(" #{nodes}"));
    format!("'** {score}{}{nodes}", line_text(position, &info.pv))
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The side to move resigned.
    Resign,
    /// The side to move declared a win by entering king.
    Declaration,
    /// `gameover` came; this is the result for the engine.
    Over(Option<GameResult>),
}

/// The game so far, with the engine's own times and thoughts.
#[derive(Clone, Debug)]
pub struct GameLog {
    setup: Setup,
    moves: Vec<Entry>,
    /// The engine's last move, until the GUI confirms it by sending it back.
    own: Option<Entry>,
    end: Option<GameEnd>,
}

#[derive(Clone, Debug)]
struct Entry {
    mv: Move,
    thought: Option<Thought>,
}

#[derive(Clone, Debug)]
struct Thought {
    elapsed: Duration,
    score: Option<i32>,
    pv: Vec<Move>,
    nodes: Option<u64>,
}

impl GameLog {
    /// A game that starts from `setup`.
    pub fn new(setup: Setup) -> Self {
        Self { setup, moves: Vec::new(), own: None, end: None }
    }

    /// Follows the game to the position after `moves` from `setup`. Times and
    /// thoughts of the moves that both share are kept.
    pub fn follow(&mut self, setup: &Setup, moves: &[Move]) {
        if self.setup != *setup {
            *self = Self::new(setup.clone());
        }
        let known = self.moves.iter().zip(moves).take_while(|(entry, mv)| entry.mv == **mv).count();
        let shortened = known < self.moves.len();
        self.moves.truncate(known);
        let mut own = self.own.take().filter(|_| !shortened);
        for &mv in moves.get(known..).unwrap_or_default() {
            let entry = own.take().filter(|own| own.mv == mv).unwrap_or(Entry { mv, thought: None });
            self.moves.push(entry);
            self.end = None;
        }
        self.own = own;
        if shortened {
            self.end = None;
        }
    }

    /// The engine plays `mv`: after `elapsed`, with this score as Black sees it, this
    /// line (which begins with `mv`) and so many nodes.
    pub fn own_move(&mut self, mv: Move, elapsed: Duration, score: Option<i32>, pv: &[Move], nodes: Option<u64>) {
        let thought = Thought { elapsed, score, pv: pv.to_vec(), nodes };
        self.own = Some(Entry { mv, thought: Some(thought) });
    }

    /// The game is over. A reason given earlier stands.
    pub fn end(&mut self, end: GameEnd) {
        self.end.get_or_insert(end);
    }

    /// The record in CSA V3.0.
    pub fn to_csa(&self) -> String {
        let mut text = "'CSA encoding=UTF-8\nV3.0\n".to_owned();
        let Ok(mut position) = Position::from_setup(&self.setup) else { return text };
        if self.setup == Setup::startpos() {
            text.push_str("PI\n+\n");
        } else {
            board_rows(&position).iter().for_each(|row| {
                let _ = writeln!(text, "{row}");
            });
        }
        for entry in self.moves.iter().chain(&self.own) {
            let Some(word) = move_text(&position, entry.mv) else { break };
            if position.play(entry.mv).is_err() {
                break;
            }
            let _ = writeln!(text, "{word}");
            if let Some(thought) = &entry.thought {
                thought.write(&mut text, &position, entry.mv);
            }
        }
        if let Some(end) = self.end {
            let _ = writeln!(text, "{}", end_word(end, &position));
        }
        text
    }

    /// Writes the record into `dir` under a name of its own and returns its path.
    /// A reader never sees half a file.
    ///
    /// # Errors
    /// When the folder cannot be made or the file not be written.
    pub fn write_to(&self, dir: &Path) -> io::Result<PathBuf> {
        static WRITTEN: AtomicU32 = AtomicU32::new(0);
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!("game-{seconds}-{}-{number}.csa", process::id()));
        let unfinished = path.with_extension("csa.part");
        fs::create_dir_all(dir)?;
        fs::write(&unfinished, self.to_csa())?;
        fs::rename(&unfinished, &path)?;
        Ok(path)
    }
}

impl Thought {
    /// Time and comment after the move; the line leaves the move itself out.
    fn write(&self, text: &mut String, after: &Position, mv: Move) {
        let _ = writeln!(text, "T{}.{:03}", self.elapsed.as_secs(), self.elapsed.subsec_millis());
        let Some(score) = self.score else { return };
        let line = match self.pv.split_first() {
            Some((first, rest)) if *first == mv => line_text(after, rest),
            _ => String::new(),
        };
        let nodes = self.nodes.map_or_else(String::new, |nodes| format!(" #{nodes}"));
        let _ = writeln!(text, "'** {score}{line}{nodes}");
    }
}

fn end_word(end: GameEnd, position: &Position) -> &'static str {
    match end {
        GameEnd::Resign => "%TORYO",
        GameEnd::Declaration => "%KACHI",
        GameEnd::Over(_) if position.is_mate() => "%TSUMI",
        GameEnd::Over(_) if position.repetition() == Verdict::Draw => "%SENNICHITE",
        // The protocol does not say why the game is over.
        GameEnd::Over(_) => "%CHUDAN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let info = Info { score: Some(Score::MatedIn(4)), ..Info::default() };
        assert_eq!(info_line(&position, &info), "'** 30000");
    }

    #[test]
    fn a_game_keeps_what_was_thought_about_its_moves() {
        let mut log = GameLog::new(Setup::startpos());
        log.follow(&Setup::startpos(), &[]);
        log.own_move(moves("7g7f")[0], Duration::from_millis(1234), Some(30), &moves("7g7f 3c3d"), Some(5));
        log.follow(&Setup::startpos(), &moves("7g7f 3c3d"));
        log.own_move(moves("8h2b+")[0], Duration::from_millis(7), None, &[], None);
        let known = "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n-3334FU\n";
        assert_eq!(log.to_csa(), format!("{known}+8822UM\nT0.007\n"));
        log.end(GameEnd::Over(None));
        assert!(log.to_csa().ends_with("%CHUDAN\n"));
        log.follow(&Setup::startpos(), &moves("7g7f 3c3d 2g2f"));
        assert_eq!(log.to_csa(), format!("{known}+2726FU\n"));
        log.follow(&Setup::startpos(), &moves("7g7f"));
        assert_eq!(log.to_csa(), "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n");
    }
}
