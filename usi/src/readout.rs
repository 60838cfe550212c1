//! Positions, reports and games in CSA notation (CSA file format V3.0).
//!
//! * [`board_rows`]: a position, as the console command `d` shows it;
//! * [`info_line`]: what a search reports, as the comment `'** score pv #nodes`;
//! * [`GameLog`]: the game that the session follows, and the file it becomes.
//!
//! Scores in records are Black's view in centipawns, and a won position is 30 000.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use enbu_kifu::{Analysis, Board, End, EndKind, Event, HeaderKey, NodeId, Record, csa};
use enbu_movegen::{Color, EnteringKingRule, Move, Position, Setup, Verdict};

use crate::command::GameResult;
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

/// What a search of `position` reports as a CSA comment: `'** ` with the score as
/// Black sees it, the line of play and `#nodes`.
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

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The side to move resigned.
    Resign,
    /// The side to move declared a win by entering king.
    Declaration,
    /// `gameover` came; this is the result for the engine. The protocol does not
    /// say why: the log looks for a mate, a repetition and the limit of moves,
    /// takes it that a loser who is to move resigned, and else says that the
    /// game was broken off.
    Over(Option<GameResult>),
}

/// The game so far, with the engine's own times and thoughts.
///
/// ```
/// use enbu_movegen::Setup;
/// use enbu_usi::readout::{GameEnd, GameLog};
/// let mut log = GameLog::new(Setup::startpos());
/// log.follow(&Setup::startpos(), &["7g7f".parse()?, "3c3d".parse()?]);
/// log.end(GameEnd::Resign);
/// assert_eq!(log.to_csa(), "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GameLog {
    engine: Option<String>,
    entering_king: Option<EnteringKingRule>,
    max_moves: Option<u32>,
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

/// What the engine knows about a move of its own.
#[derive(Clone, Debug)]
struct Thought {
    elapsed: Duration,
    analysis: Option<Analysis>,
}

impl GameLog {
    /// A game that starts from `setup`.
    pub fn new(setup: Setup) -> Self {
        Self { engine: None, entering_king: None, max_moves: None, setup, moves: Vec::new(), own: None, end: None }
    }

    /// The same log with the engine's name, which the record gives to the side
    /// that the engine plays.
    #[must_use]
    pub fn with_engine(self, name: &str) -> Self {
        Self { engine: Some(name.to_owned()), ..self }
    }

    /// The same log with the rules of the game: when an entered king wins, and
    /// after how many moves the game is drawn.
    #[must_use]
    pub fn with_rules(self, entering_king: EnteringKingRule, max_moves: Option<u32>) -> Self {
        Self { entering_king: Some(entering_king), max_moves, ..self }
    }

    /// Follows the game to the position after `moves` from `setup`.
    ///
    /// A game that goes on, or goes back and on in another way, keeps times and
    /// thoughts of the moves it shares with the known one. Another start is
    /// another game. The log is open again as soon as the moves differ.
    pub fn follow(&mut self, setup: &Setup, moves: &[Move]) {
        if self.setup != *setup {
            self.setup = setup.clone();
            self.moves.clear();
            self.own = None;
            self.end = None;
        }
        let known = self.moves.iter().zip(moves).take_while(|(entry, mv)| entry.mv == **mv).count();
        let shortened = known < self.moves.len();
        self.moves.truncate(known);
        let mut own = self.own.take().filter(|_| !shortened);
        let new = moves.get(known..).unwrap_or_default();
        if shortened || !new.is_empty() {
            self.end = None;
        }
        for (index, &mv) in new.iter().enumerate() {
            let confirmed = own.take_if(|own| index == 0 && own.mv == mv);
            self.moves.push(confirmed.unwrap_or(Entry { mv, thought: None }));
        }
        self.own = own.filter(|_| new.is_empty());
    }

    /// The engine plays `mv`: after `elapsed`, with this score as Black sees it
    /// (see [`black_view`]), this line (which begins with `mv`) and so many nodes.
    pub fn own_move(&mut self, mv: Move, elapsed: Duration, score_cp: Option<i32>, pv: &[Move], nodes: Option<u64>) {
        // In a record the line begins with the reply.
        let reply = match pv.split_first() {
            Some((first, rest)) if *first == mv => rest.to_vec(),
            _ => Vec::new(),
        };
        let analysis = score_cp.map(|_| Analysis { score_cp, pv: reply, nodes, ..Analysis::default() });
        self.own = Some(Entry { mv, thought: Some(Thought { elapsed, analysis }) });
    }

    /// The game is over. A reason given earlier stands.
    pub fn end(&mut self, end: GameEnd) {
        self.end.get_or_insert(end);
    }

    /// The game as a record.
    pub fn to_record(&self) -> Record {
        let mut record = Record::new(self.setup.clone());
        record.rules.entering_king = self.entering_king;
        record.rules.max_moves = self.max_moves;
        let Ok(mut position) = Position::from_setup(&self.setup) else { return record };
        let mut at = record.root();
        let mut side = None;
        for entry in self.moves.iter().chain(&self.own) {
            let turn = position.turn();
            if position.play(entry.mv).is_err() {
                break;
            }
            at = record.add(at, Event::Move(entry.mv));
            if let Some(thought) = &entry.thought {
                side = Some(turn);
                thought.note(&mut record, at);
            }
        }
        if let (Some(name), Some(side)) = (&self.engine, side) {
            record.headers.push(name_key(side), name.as_str());
        }
        if let Some(end) = self.end {
            self.note_end(end, &position, side, &mut record, at);
        }
        record
    }

    /// The record in CSA V3.0.
    pub fn to_csa(&self) -> String {
        csa::write(&self.to_record())
    }

    /// Writes the record into `dir` as a new file and returns its path.
    ///
    /// The name is the time in UTC and the number of the process, as in
    /// `20261120-120000-4711.csa`, with a further number where that is taken. The
    /// record is written whole beside its place and then moved there: a reader
    /// never sees half a file, and a failure leaves none.
    ///
    /// # Errors
    /// When the folder cannot be made or the file not be written.
    pub fn write_to(&self, dir: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(dir)?;
        let stem = format!("{}-{}", time_stamp(SystemTime::now()), process::id());
        let (path, unfinished, file) = reserve(dir, &stem)?;
        let written = write_whole(file, self.to_csa().as_bytes()).and_then(|()| fs::rename(&unfinished, &path));
        match written {
            Ok(()) => Ok(path),
            Err(error) => {
                // The first failure is the one worth telling.
                let _ = fs::remove_file(&unfinished);
                Err(error)
            }
        }
    }

    /// Adds the end after `at`, with a word where its reason is not known.
    fn note_end(&self, end: GameEnd, position: &Position, side: Option<Color>, record: &mut Record, at: NodeId) {
        let turn = position.turn();
        let known = match end {
            GameEnd::Resign => Some(EndKind::Resign),
            GameEnd::Declaration => Some(EndKind::DeclarationWin),
            GameEnd::Over(_) => self.visible_end(position),
        };
        let guessed = known.is_none();
        let end = match (known, end) {
            (Some(kind), _) => End::new(kind, turn),
            (None, GameEnd::Over(Some(result))) => untold_end(result, side, turn),
            (None, _) => End::new(EndKind::Abort, turn),
        };
        let id = record.add(at, Event::from(end));
        if guessed {
            record.node_mut(id).remarks_mut().comments.push("the GUI did not tell the reason".to_owned());
        }
    }

    /// The end that the position itself shows.
    fn visible_end(&self, position: &Position) -> Option<EndKind> {
        if position.is_mate() {
            return Some(EndKind::Mate);
        }
        match position.repetition() {
            Verdict::Draw => return Some(EndKind::Repetition),
            // Perpetual check is a foul of the side that gave it.
            Verdict::Win(winner) => return Some(EndKind::IllegalAction(!winner)),
            Verdict::None => {}
        }
        let limit = position.max_moves(self.max_moves.unwrap_or(0));
        (limit == Verdict::Draw).then_some(EndKind::MaxMoves)
    }
}

/// The end of which the engine, playing `side`, knows only the result.
fn untold_end(result: GameResult, side: Option<Color>, turn: Color) -> End {
    let result = match (result, side) {
        (GameResult::Draw, _) => Some(enbu_kifu::GameResult::Draw),
        (GameResult::Win, Some(side)) => Some(enbu_kifu::GameResult::win(side)),
        (GameResult::Lose, Some(side)) => Some(enbu_kifu::GameResult::win(!side)),
        (_, None) => None,
    };
    let resigned = result.is_some_and(|result| result.winner() == Some(!turn));
    End { kind: if resigned { EndKind::Resign } else { EndKind::Abort }, result }
}

impl Thought {
    /// Puts time and evaluation on the engine's move.
    fn note(&self, record: &mut Record, id: NodeId) {
        let node = record.node_mut(id);
        node.time_ms = Some(u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX));
        node.remarks_mut().analyses.extend(self.analysis.clone());
    }
}

const fn name_key(side: Color) -> HeaderKey {
    match side {
        Color::Black => HeaderKey::BlackName,
        Color::White => HeaderKey::WhiteName,
    }
}

/// A name in `dir` that is free, and the new file beside it that keeps it free.
fn reserve(dir: &Path, stem: &str) -> io::Result<(PathBuf, PathBuf, File)> {
    /// Counts the files of this process, so that none is tried twice.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let name = if number == 0 { format!("{stem}.csa") } else { format!("{stem}-{number}.csa") };
        let path = dir.join(&name);
        let unfinished = dir.join(name + ".part");
        match File::create_new(&unfinished) {
            Ok(_) if path.exists() => fs::remove_file(&unfinished)?,
            Ok(file) => return Ok((path, unfinished, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn write_whole(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// `YYYYMMDD-HHMMSS` in UTC; times before 1970 count as 1970.
fn time_stamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
}

/// Year, month and day, so many days after 1 January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years are counted from 1 March of the year 0, so that leap days end them; 400
    // of them always have 146 097 days, and the first 719 468 days end in 1970.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leap_days = |day: u64| day / 1460 + day / 146_096 - day / 36_524;
    let year_of_era = (day_of_era - leap_days(day_of_era)) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on the months repeat 31, 30, 31, 30, 31 days, which is 153.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_kifu::Mode;

    fn moves(text: &str) -> Vec<Move> {
        text.split_ascii_whitespace().map(|word| word.parse().unwrap()).collect()
    }

    /// The record of a log, read back without a warning.
    fn read_back(log: &GameLog) -> Record {
        let text = log.to_csa();
        let reading = csa::read_bytes(text.as_bytes(), Mode::Strict).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(reading.records, [log.to_record()], "{text}");
        reading.records.into_iter().next().unwrap()
    }

    fn ended(log: &mut GameLog, end: GameEnd) -> (EndKind, Option<Color>) {
        log.end(end);
        let end = read_back(log).end().unwrap().clone();
        (end.kind, end.result.and_then(enbu_kifu::GameResult::winner))
    }

    /// A log of the moves from `sfen`, in which the engine made the last move.
    fn log_of(sfen: &str, text: &str) -> GameLog {
        let setup: Setup = sfen.parse().unwrap();
        let mut log = GameLog::new(setup.clone());
        let (last, before) = moves(text).split_last().map(|(&last, before)| (last, before.to_vec())).unwrap();
        log.follow(&setup, &before);
        log.own_move(last, Duration::from_secs(1), None, &[], None);
        log
    }

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

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

    #[test]
    fn a_game_keeps_what_was_thought_about_its_moves() {
        let start = Setup::startpos();
        let mut log = GameLog::new(start.clone());
        log.follow(&start, &[]);
        log.own_move(moves("7g7f")[0], Duration::from_millis(1234), Some(30), &moves("7g7f 3c3d"), Some(5));
        log.follow(&start, &moves("7g7f 3c3d"));
        log.own_move(moves("8h2b+")[0], Duration::from_millis(7), None, &[], None);
        let known = "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n-3334FU\n";
        assert_eq!(log.to_csa(), format!("{known}+8822UM\nT0.007\n"));
        // The same position again does not take the move back.
        log.follow(&start, &moves("7g7f 3c3d"));
        assert_eq!(log.to_csa(), format!("{known}+8822UM\nT0.007\n"));
        log.end(GameEnd::Over(None));
        assert!(log.to_csa().contains("%CHUDAN\n"));
        // Another move than the one the engine named.
        log.follow(&start, &moves("7g7f 3c3d 2g2f"));
        assert_eq!(log.to_csa(), format!("{known}+2726FU\n"));
        // Taken back.
        log.follow(&start, &moves("7g7f"));
        assert_eq!(log.to_csa(), "'CSA encoding=UTF-8\nV3.0\nPI\n+\n+7776FU\nT1.234\n'** 30 -3334FU #5\n");
        // Another game.
        log.follow(&"4k4/9/9/9/9/9/9/9/4K4 b - 1".parse().unwrap(), &[]);
        assert!(!log.to_csa().contains("FU"));
    }

    #[test]
    fn an_unconfirmed_move_is_only_confirmed_in_its_place() {
        let start = Setup::startpos();
        let mut log = GameLog::new(start.clone());
        log.own_move(moves("2g2f")[0], Duration::from_secs(9), None, &[], None);
        log.follow(&start, &moves("7g7f 3c3d 2g2f"));
        assert!(!log.to_csa().contains("T9"));
    }

    #[test]
    fn a_line_that_does_not_begin_with_the_move_is_left_out() {
        let mut log = GameLog::new(Setup::startpos());
        log.own_move(moves("7g7f")[0], Duration::ZERO, Some(-5), &moves("2g2f 3c3d"), None);
        assert!(log.to_csa().ends_with("+7776FU\nT0\n'** -5\n"));
    }

    #[test]
    fn the_engine_and_the_rules_stand_in_the_headers() {
        let mut log =
            GameLog::new(Setup::startpos()).with_engine("Enbu 1.0").with_rules(EnteringKingRule::Csa24, Some(256));
        log.follow(&Setup::startpos(), &moves("7g7f"));
        log.own_move(moves("3c3d")[0], Duration::ZERO, None, &[], None);
        let head = "'CSA encoding=UTF-8\nV3.0\nN-Enbu 1.0\n$MAX_MOVES:256\n$JISHOGI:24\nPI\n";
        assert!(log.to_csa().starts_with(head), "{}", log.to_csa());
        read_back(&log);
    }

    #[test]
    fn ends_that_the_engine_knows() {
        let log = || log_of(START, "7g7f");
        assert_eq!(ended(&mut log(), GameEnd::Resign), (EndKind::Resign, Some(Color::Black)));
        assert_eq!(ended(&mut log(), GameEnd::Declaration), (EndKind::DeclarationWin, Some(Color::White)));
        // What came first stands.
        let mut log = log();
        log.end(GameEnd::Resign);
        assert_eq!(ended(&mut log, GameEnd::Over(Some(GameResult::Draw))), (EndKind::Resign, Some(Color::Black)));
    }

    #[test]
    fn ends_that_the_position_shows() {
        let over = GameEnd::Over(Some(GameResult::Win));
        let mut mate = log_of("4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b");
        assert_eq!(ended(&mut mate, over), (EndKind::Mate, Some(Color::Black)));
        let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
        assert_eq!(ended(&mut log_of(START, &shuffle), over), (EndKind::Repetition, None));
        let perpetual = "5h4h 4a5a 4h5h 5a4a ".repeat(3);
        let mut checked = log_of("5k3/9/9/9/9/9/9/4R4/8K b - 1", &format!("5h4h 4a5a 4h5h 5a4a {perpetual}"));
        assert_eq!(ended(&mut checked, over), (EndKind::IllegalAction(Color::Black), Some(Color::White)));
        let mut long = log_of(START, "7g7f 3c3d").with_rules(EnteringKingRule::Csa27, Some(2));
        assert_eq!(ended(&mut long, GameEnd::Over(Some(GameResult::Draw))), (EndKind::MaxMoves, None));
    }

    #[test]
    fn ends_of_which_only_the_result_is_known() {
        let log = || log_of(START, "7g7f");
        let over = |result| GameEnd::Over(Some(result));
        assert_eq!(ended(&mut log(), over(GameResult::Win)), (EndKind::Resign, Some(Color::Black)));
        assert_eq!(ended(&mut log(), over(GameResult::Lose)), (EndKind::Abort, Some(Color::White)));
        assert_eq!(ended(&mut log(), over(GameResult::Draw)), (EndKind::Abort, None));
        assert_eq!(ended(&mut log(), GameEnd::Over(None)), (EndKind::Abort, None));
    }

    #[test]
    fn files_are_new_and_whole() {
        let dir = tempfile::tempdir().unwrap();
        let log = log_of(START, "7g7f");
        let folder = dir.path().join("new/folder");
        let paths: Vec<PathBuf> = (0..3).map(|_| log.write_to(&folder).unwrap()).collect();
        let mut found: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        let mut sorted = paths.clone();
        sorted.sort();
        assert_eq!(found, sorted);
        for path in paths {
            assert_eq!(fs::read_to_string(&path).unwrap(), log.to_csa());
            assert_eq!(path.extension().unwrap(), "csa");
        }
        // A file stands where the folder should be.
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(log.write_to(&file).is_err());
    }

    #[test]
    fn time_stamps_follow_the_calendar() {
        let stamp = |seconds| time_stamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_400 - 1), "20000228-235959");
        assert_eq!(stamp(951_782_400), "20000229-000000");
        assert_eq!(stamp(1_709_251_199), "20240229-235959");
        assert_eq!(stamp(1_709_251_200), "20240301-000000");
        assert_eq!(stamp(1_795_132_800), "20261120-000000");
        assert_eq!(stamp(4_107_542_400), "21000301-000000");
        assert_eq!(time_stamp(UNIX_EPOCH - Duration::from_secs(5)), "19700101-000000");
        let mut expected = (1970, 1, 1);
        for days in 0..200_000 {
            assert_eq!(date(days), expected);
            expected = next_day(expected);
        }
    }

    fn next_day((year, month, day): (u64, u64, u64)) -> (u64, u64, u64) {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        match (month, day) {
            (12, 31) => (year + 1, 1, 1),
            (_, day) if day == length => (year, month + 1, 1),
            _ => (year, month, day + 1),
        }
    }
}
