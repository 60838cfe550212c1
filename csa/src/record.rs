//! Records: a journal while a game runs, the whole record after it.
//!
//! `GAME.csa.journal` is a CSA V3.0 record that grows by the lines of each move, each time
//! synced to the disk by a thread of its own, so that no disk delays a move. After the game
//! the record is written whole as `GAME.csa` (and `GAME.kif`) and the journal removed. A
//! journal that a power cut or a crash left is made a record by [`recover`].

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, unbounded};
use enbu_files::{Existing, FileKind};
use enbu_kifu::csa::FileVersion;
use enbu_kifu::encoding::encode;
use enbu_kifu::{
    Analysis, Encoding, End, EndKind, Event, Format, GameResult, HeaderKey, Mode, NodeId, Record, Rules, TimeControl,
    WriteOptions, csa,
};
use enbu_movegen::{Color, Position};

use crate::protocol::{GameOutcome, Moved, Reason};
use crate::summary::{Summary, TimeRules};

const JOURNAL: &str = "csa.journal";

/// Longest name of a file, without its extension.
const MAX_NAME: usize = 180;

/// Folder and formats of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFiles {
    /// The folder, made if needed.
    pub dir: PathBuf,
    /// A KIF file beside each record, in Shift_JIS.
    pub kif: bool,
}

pub(crate) struct GameRecord {
    record: Record,
    last: NodeId,
    journal: Option<Journal>,
    files: Option<RecordFiles>,
    name: String,
}

impl GameRecord {
    /// Begins the record of a game, and its journal if files are wanted.
    /// The record is kept in memory if the journal cannot be written.
    pub(crate) fn begin(summary: &Summary, started: &str, files: Option<RecordFiles>) -> (Self, io::Result<()>) {
        let mut record = Record::new(summary.setup.clone());
        let [black, white] = &summary.names;
        for (key, value) in [
            (HeaderKey::BlackName, black.as_str()),
            (HeaderKey::WhiteName, white),
            (HeaderKey::Event, &summary.game_id),
            (HeaderKey::StartTime, started),
        ] {
            record.headers.push(key, value);
        }
        record.rules = rules(summary);
        let mut last = record.root();
        for &(mv, time_ms) in &summary.moves {
            last = record.add(last, Event::Move(mv));
            record.node_mut(last).time_ms = time_ms;
        }
        let mut begun = Self { record, last, journal: None, files, name: file_name(&summary.game_id) };
        let opened = begun.open_journal();
        (begun, opened)
    }

    fn open_journal(&mut self) -> io::Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        fs::create_dir_all(&files.dir)?;
        let mut journal = loop {
            self.name = free_name(&files.dir, &self.name);
            match Journal::create(files.dir.join(format!("{}.{JOURNAL}", self.name))) {
                // Another process has taken the name meanwhile.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => break created?,
            }
        };
        journal.update(&self.record);
        self.journal = Some(journal);
        Ok(())
    }

    /// Adds a move that the server confirmed, with the engine's report on an own one.
    pub(crate) fn add(&mut self, moved: &Moved, analysis: Option<Analysis>) {
        self.last = self.record.add(self.last, Event::Move(moved.mv));
        let node = self.record.node_mut(self.last);
        node.time_ms = Some(moved.charged_ms);
        node.remarks_mut().analyses.extend(analysis);
        if let Some(journal) = &mut self.journal {
            journal.update(&self.record);
        }
    }

    /// Adds a comment after the last move.
    pub(crate) fn comment(&mut self, text: &str) {
        self.record.node_mut(self.last).remarks_mut().comments.push(text.to_owned());
    }

    /// Ends the record and writes its files. Returns the path of the CSA record.
    /// The journal is kept if a file cannot be written.
    pub(crate) fn finish(mut self, end: End, comment: Option<&str>) -> io::Result<Option<PathBuf>> {
        self.last = self.record.add(self.last, end.into());
        if let Some(text) = comment {
            self.comment(text);
        }
        let Some(files) = &self.files else { return Ok(None) };
        let path = files.dir.join(format!("{}.csa", self.name));
        write_csa(&path, &self.record)?;
        if files.kif {
            let text = Format::Kif.write(std::slice::from_ref(&self.record), WriteOptions::default());
            let bytes = encode(&text, Encoding::ShiftJis, "\r\n").bytes;
            enbu_files::write(&path.with_extension("kif"), bytes, Existing::Keep)?;
        }
        if let Some(journal) = self.journal.take() {
            journal.remove()?;
        }
        Ok(Some(path))
    }
}

fn write_csa(path: &Path, record: &Record) -> io::Result<()> {
    enbu_files::write(path, csa::write_all([record], FileVersion::V3_0), Existing::Keep)
}

/// Makes records of the journals that an interrupted program left in `dir`, and returns
/// their paths. Journals of running programs are locked and left alone.
pub(crate) fn recover(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut recovered = Vec::new();
    for journal in enbu_files::if_found(enbu_files::entries(dir))?.unwrap_or_default() {
        let Some(name) = journal.file_name().and_then(|name| name.to_str()) else { continue };
        let Some(stem) = name.strip_suffix(&format!(".{JOURNAL}")) else { continue };
        let file = enbu_files::edit(&journal)?;
        if file.try_lock().is_err() {
            continue;
        }
        let bytes = enbu_files::read(&journal, FileKind::Record)?;
        let Ok(reading) = Format::Csa.read_bytes(&bytes, Mode::Tolerant) else { continue };
        let Some(mut record) = reading.records.into_iter().next() else { continue };
        let last = record.main_line().last().unwrap_or(record.root());
        if record.end().is_none() {
            let end = record.add(last, End { kind: EndKind::Abort, result: None }.into());
            record.node_mut(end).remarks_mut().comments.push("the program was interrupted; recovered".to_owned());
        }
        let path = dir.join(format!("{stem}.csa"));
        if !enbu_files::would_replace(&path) {
            write_csa(&path, &record)?;
            recovered.push(path);
        }
        drop(file);
        fs::remove_file(&journal)?;
    }
    Ok(recovered)
}

/// A record on the disk that grows.
struct Journal {
    path: PathBuf,
    written: String,
    sender: Option<Sender<Vec<u8>>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Journal {
    fn create(path: PathBuf) -> io::Result<Self> {
        let mut file = enbu_files::create_new(&path)?;
        // Held to the end of the program; `recover` skips what is locked.
        file.try_lock().map_err(io::Error::other)?;
        let (sender, pieces) = unbounded::<Vec<u8>>();
        let thread = thread::Builder::new().name("csa-journal".into()).spawn(move || {
            while let Ok(mut piece) = pieces.recv() {
                while let Ok(more) = pieces.try_recv() {
                    piece.extend(more);
                }
                file.write_all(&piece)?;
                file.sync_data()?;
            }
            Ok(())
        })?;
        Ok(Self { path, written: String::new(), sender: Some(sender), thread: Some(thread) })
    }

    /// Appends the new lines of the record.
    fn update(&mut self, record: &Record) {
        let text = csa::write_all([record], FileVersion::V3_0);
        if let (Some(new), Some(sender)) = (text.strip_prefix(self.written.as_str()), &self.sender) {
            // A thread that ended has met an error, which `remove` returns.
            let _ = sender.send(new.as_bytes().to_vec());
            self.written = text;
        }
    }

    /// Removes the journal after the record was written.
    fn remove(mut self) -> io::Result<()> {
        let path = std::mem::take(&mut self.path);
        drop(self);
        fs::remove_file(path)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // The record itself has been written; an error of its journal is void.
            let _ = thread.join();
        }
    }
}

fn rules(summary: &Summary) -> Rules {
    let time = summary.clocks.map(|TimeRules { total_ms, byoyomi_ms, increment_ms, .. }| {
        total_ms.map(|main_ms| TimeControl { main_ms, byoyomi_ms, increment_ms })
    });
    Rules { time, max_moves: summary.max_moves, entering_king: Some(summary.declaration) }
}

/// The end of a record for the verdict on a game in `position`, as the side `own` received it.
pub(crate) fn end_of(outcome: GameOutcome, reason: &Reason, own: Color, position: &Position) -> End {
    let result = match outcome {
        GameOutcome::Win => Some(GameResult::win(own)),
        GameOutcome::Lose => Some(GameResult::win(!own)),
        // Broken off by the limit of moves: a draw by the rules of floodgate, and undecided elsewhere.
        GameOutcome::Draw | GameOutcome::Censored => Some(GameResult::Draw),
        GameOutcome::Interrupted => None,
    };
    let loser = result.and_then(GameResult::winner).map_or(position.turn(), |winner| !winner);
    let kind = match reason {
        Reason::Resign => EndKind::Resign,
        Reason::TimeUp => EndKind::TimeUp,
        Reason::IllegalMove => EndKind::IllegalMove,
        Reason::IllegalAction | Reason::PerpetualCheck => EndKind::IllegalAction(loser),
        Reason::Repetition => EndKind::Repetition,
        Reason::Declaration if result == Some(GameResult::Draw) => EndKind::DeclarationDraw,
        Reason::Declaration => EndKind::DeclarationWin,
        Reason::MaxMoves => EndKind::MaxMoves,
        Reason::Interrupted => EndKind::Abort,
        Reason::Other(_) => EndKind::Error,
    };
    End { kind, result }
}

/// A file name for a game id: it has no character with a meaning in paths.
fn file_name(game_id: &str) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_+@.".contains(letter) { letter } else { '_' };
    let name: String = game_id.chars().map(plain).take(MAX_NAME).collect();
    let name = name.trim_matches('.');
    if name.is_empty() { "game".to_owned() } else { name.to_owned() }
}

/// `name`, with a number where a file of that name exists.
fn free_name(dir: &Path, name: &str) -> String {
    let is_taken = |name: &str| {
        ["csa", "kif", JOURNAL]
            .iter()
            .any(|extension| enbu_files::would_replace(&dir.join(format!("{name}.{extension}"))))
    };
    let numbered = (2..u32::MAX).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::{EnteringKingRule, Setup};

    fn summary() -> Summary {
        let lines = "Game_ID:e+g-1-1+a+b+1\nName+:a\nName-:b\nYour_Turn:+\nBEGIN Time\nTotal_Time:60\nEND Time\n\
            BEGIN Position\nPI\n+\n+7776FU,T1\nEND Position";
        Summary::parse(&lines.lines().collect::<Vec<_>>()).unwrap()
    }

    fn moved(text: &str, color: Color) -> Moved {
        Moved { mv: text.parse().unwrap(), color, charged_ms: 2000 }
    }

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_game_is_a_journal_first_and_a_record_after() {
        let dir = tempfile::tempdir().unwrap();
        let files = RecordFiles { dir: dir.path().join("games"), kif: true };
        let (mut record, opened) = GameRecord::begin(&summary(), "2026/11/22 12:00:00", Some(files.clone()));
        opened.unwrap();
        let analysis = Analysis { score_cp: Some(30), pv: vec!["2g2f".parse().unwrap()], ..Analysis::default() };
        record.add(&moved("3c3d", Color::White), Some(analysis));
        assert_eq!(names(&files.dir), ["e+g-1-1+a+b+1.csa.journal"]);
        assert!(recover(&files.dir).unwrap().is_empty(), "in use");
        let end = End { kind: EndKind::Resign, result: Some(GameResult::WhiteWins) };
        let path = record.finish(end, Some("a comment")).unwrap().unwrap();
        assert_eq!(names(&files.dir), ["e+g-1-1+a+b+1.csa", "e+g-1-1+a+b+1.kif"]);
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("+7776FU\nT1\n-3334FU\nT2\n'** 30 +2726FU\n%TORYO\n"), "{text}");
        assert!(text.starts_with("'CSA encoding=UTF-8\nV3.0\nN+a\nN-b\n"), "{text}");
    }

    #[test]
    fn a_journal_without_its_program_becomes_a_record() {
        let dir = tempfile::tempdir().unwrap();
        let files = RecordFiles { dir: dir.path().to_owned(), kif: false };
        let (mut record, _) = GameRecord::begin(&summary(), "2026/11/22 12:00:00", Some(files));
        record.add(&moved("3c3d", Color::White), None);
        // Dropping ends the thread, as the end of the program would.
        drop(record);
        let journal = dir.path().join("e+g-1-1+a+b+1.csa.journal");
        // A line that was cut by the failure.
        fs::File::options().append(true).open(&journal).unwrap().write_all(b"+272").unwrap();
        assert_eq!(recover(dir.path()).unwrap(), [dir.path().join("e+g-1-1+a+b+1.csa")]);
        assert_eq!(names(dir.path()), ["e+g-1-1+a+b+1.csa"]);
        let text = fs::read_to_string(dir.path().join("e+g-1-1+a+b+1.csa")).unwrap();
        assert!(text.contains("-3334FU\nT2\n%CHUDAN\n"), "{text}");
        assert!(recover(&dir.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn names_cannot_leave_the_folder_or_replace_a_file() {
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name("C:\\x|y"), "C__x_y");
        assert_eq!((file_name(""), file_name("..")), ("game".to_owned(), "game".to_owned()));
        assert_eq!(file_name(&"あ".repeat(500)).len(), MAX_NAME);
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("g.csa"), "").unwrap();
        assert_eq!((free_name(dir.path(), "g"), free_name(dir.path(), "h")), ("g-2".to_owned(), "h".to_owned()));
    }

    #[test]
    fn ends_have_the_result_of_the_server() {
        let start = Position::from_setup(&Setup::startpos()).unwrap();
        let end = |outcome, reason| end_of(outcome, &reason, Color::White, &start);
        assert_eq!(end(GameOutcome::Win, Reason::Resign), End::new(EndKind::Resign, Color::Black));
        let perpetual = end(GameOutcome::Lose, Reason::PerpetualCheck);
        assert_eq!(perpetual.kind, EndKind::IllegalAction(Color::White));
        assert_eq!(perpetual.result, Some(GameResult::BlackWins));
        assert_eq!(end(GameOutcome::Interrupted, Reason::Interrupted).result, None);
        assert_eq!(rules(&summary()).entering_king, Some(EnteringKingRule::Csa27));
    }
}
