//! The file of results: one game a line, in JSON.
//!
//! Lines are only ever added whole. A line that could not be written (a full disk) is
//! taken back and kept in memory until it can be; one that was torn
//! (the machine stopped) is dropped when the file is opened again.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::{Path, PathBuf};

use enbu_files::{Existing, FileKind, reason};
use enbu_language::{Both, messages};
use enbu_movegen::Color;
use serde::Deserialize;

use crate::record::{ColorWord, GameRecord, Points, points_of_black};

messages! {
/// Faults of a file of results.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ResultsError {
    Io(path: PathBuf, error: io::Error) => "{}: {}", "{}：{}", path.display(), reason(error);
    Exists(path: PathBuf) =>
        "{} already holds games; go on with it by --resume, or choose another file", "{} には対局が入っています。--resume で続きから指すか、別のファイルにしてください", path.display();
    Locked(path: PathBuf) => "{} is in use by another match", "{} は別の連続対局で使用中です", path.display();
    Line(path: PathBuf, line: usize, reason: Both) => "{}, line {line}: {reason}", "{}、{line} 行目：{reason}", path.display();
    Foreign(path: PathBuf, reason: Both) =>
        "{} is not a file of results: {reason}", "{} は対局結果のファイルではありません（{reason}）", path.display();
    Conflict { path: PathBuf, game: usize, match_id: String } =>
        "{}: game {game} of match {match_id} was played differently in another file", "{}：対局 {game}（{match_id}）の内容が別のファイルと違います", path.display();
}}

/// Contents of a file of results.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The games, in the order of the file.
    pub games: Vec<GameRecord>,
    /// The last line if it was torn: it is not a game and has no line end.
    pub torn: Option<String>,
}

/// Storage of lines: a file, or in tests a store that fails like one.
trait Store: Send {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

impl Store for File {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)?;
        self.flush()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

/// A file of results that grows.
pub struct ResultsFile {
    path: PathBuf,
    store: Box<dyn Store>,
    /// Length of the whole lines in the store, in bytes.
    length: u64,
    /// The lines that could not be written, oldest first.
    pub unsaved: Vec<String>,
}

impl ResultsFile {
    /// Begins a new file. One that holds something already is an error.
    pub fn create(path: &Path) -> Result<Self, ResultsError> {
        let file = Self::open(path)?;
        if file.length > 0 { Err(ResultsError::Exists(path.to_owned())) } else { Ok(file) }
    }

    /// Continues a file and returns its contents; a new one if there is none. A
    /// torn last line is dropped: the file is written anew beside itself and renamed.
    pub fn resume(path: &Path) -> Result<(Self, Contents), ResultsError> {
        if !path.exists() {
            return Ok((Self::open(path)?, Contents::default()));
        }
        // No other process may write between the reading and the renaming.
        let before = Self::open(path)?;
        let contents = read(path)?;
        drop(before);
        if let Some(text) = contents.only_text().filter(|text| !text.starts_with('{')) {
            return Err(foreign(path, text));
        }
        if contents.torn.is_some() {
            rewrite(path, &contents.games).map_err(named(path))?;
        }
        Ok((Self::open(path)?, contents))
    }

    fn open(path: &Path) -> Result<Self, ResultsError> {
        let file = enbu_files::append(path).map_err(named(path))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(ResultsError::Locked(path.to_owned())),
            // Some network file systems have no locks; then the user has to take care.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let length = file.metadata().map_err(named(path))?.len();
        Ok(Self { path: path.to_owned(), store: Box::new(file), length, unsaved: Vec::new() })
    }

    /// Adds a game, after the lines that could not be written before.
    /// A line that cannot be written is kept in [`unsaved`](Self::unsaved).
    pub fn append(&mut self, game: &GameRecord) -> Result<(), ResultsError> {
        let line = serde_json::to_string(game).map_err(io::Error::from);
        self.unsaved.push(line.map_err(named(&self.path))?);
        self.save()
    }

    /// Writes the lines that could not be written before.
    pub fn save(&mut self) -> Result<(), ResultsError> {
        while let Some(line) = self.unsaved.first() {
            let bytes = format!("{line}\n").into_bytes();
            if let Err(error) = self.store.append(&bytes) {
                // Whatever got into the file is no whole line. If it cannot be taken
                // back either, reading drops it.
                let _ = self.store.truncate(self.length);
                return Err(named(&self.path)(error));
            }
            self.length += bytes.len() as u64;
            self.unsaved.remove(0);
        }
        Ok(())
    }
}

/// Reads a file of results. Every line but a torn last one must be a game.
pub fn read(path: &Path) -> Result<Contents, ResultsError> {
    let bytes = enbu_files::read(path, FileKind::Results).map_err(named(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut contents = Contents::default();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(game) => {
                contents.games.push(game);
                // A whole game whose line end is missing would be glued to the next one.
                contents.torn = (!line.ends_with('\n')).then(String::new);
            }
            Err(_) if !line.ends_with('\n') => contents.torn = Some(line.to_owned()),
            Err(error) => return Err(ResultsError::Line(path.to_owned(), index + 1, not_a_game(Some(&error)))),
        }
    }
    Ok(contents)
}

/// A game of a file of results without its moves.
#[derive(Clone, Debug, Deserialize)]
pub struct Outcome {
    /// Identifier of its match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Its number in the match.
    pub game: usize,
    /// Name of the engine that played Black.
    pub black: String,
    /// Name of the engine that played White.
    pub white: String,
    #[serde(with = "ColorWord")]
    engine1: Color,
    score1: Points,
}

impl Outcome {
    /// The points of Black.
    pub const fn black_points(&self) -> Points {
        points_of_black(self.engine1, self.score1)
    }
}

/// Visits the games of a file of results of any size; a torn last line is left out.
pub fn visit(path: &Path, mut visit: impl FnMut(Outcome)) -> Result<(), ResultsError> {
    let mut lines = BufReader::new(enbu_files::open(path, FileKind::Stream).map_err(named(path))?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(named(path))? == 0 {
            break;
        }
        match serde_json::from_slice(&line) {
            Ok(game) => visit(game),
            Err(_) if line.trim_ascii().is_empty() || !line.ends_with(b"\n") => {}
            Err(error) => return Err(ResultsError::Line(path.to_owned(), number, not_a_game(Some(&error)))),
        }
    }
    Ok(())
}

impl Contents {
    /// The text of a file without a game and without a line end.
    fn only_text(&self) -> Option<&str> {
        self.torn.as_deref().filter(|_| self.games.is_empty())
    }
}

fn named(path: &Path) -> impl FnOnce(io::Error) -> ResultsError {
    move |error| ResultsError::Io(path.to_owned(), error)
}

fn foreign(path: &Path, text: &str) -> ResultsError {
    let error = serde_json::from_str::<GameRecord>(text).err();
    ResultsError::Foreign(path.to_owned(), not_a_game(error.as_ref()))
}

/// The reason why a line is not a game; the library has it in English.
fn not_a_game(error: Option<&serde_json::Error>) -> Both {
    Both {
        english: error.map(ToString::to_string).unwrap_or_default(),
        japanese: "対局の行として読めません".to_owned(),
    }
}

/// Writes games into a file that replaces `path` in one step.
fn rewrite(path: &Path, games: &[GameRecord]) -> io::Result<()> {
    let text = games.iter().map(|game| Ok(serde_json::to_string(game)? + "\n")).collect::<io::Result<String>>()?;
    enbu_files::write(path, text, Existing::Replace)
}

/// The games of several files.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// Each game once, in the order of their matches and numbers.
    pub games: Vec<GameRecord>,
    /// The files whose last line was torn; its game is missing.
    pub torn: Vec<PathBuf>,
}

/// Reads several files of results. Fails where two files disagree about a game.
pub fn merge<P: AsRef<Path>>(paths: &[P]) -> Result<Merged, ResultsError> {
    let mut games: BTreeMap<(String, usize), GameRecord> = BTreeMap::new();
    let mut torn = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let contents = read(path)?;
        if let Some(text) = contents.only_text() {
            return Err(foreign(path, text));
        }
        torn.extend(contents.torn.filter(|text| !text.is_empty()).map(|_| path.to_owned()));
        for game in contents.games {
            let key = (game.match_id.clone(), game.game);
            let differs = |known: &GameRecord| known.moves != game.moves || known.score1 != game.score1;
            if games.get(&key).is_some_and(differs) {
                let (match_id, game) = key;
                return Err(ResultsError::Conflict { path: path.to_owned(), game, match_id });
            }
            games.entry(key).or_insert(game);
        }
    }
    Ok(Merged { games: games.into_values().collect(), torn })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;
    use crate::record::Points;
    use crate::record::tests::game;

    fn numbered(number: usize) -> GameRecord {
        GameRecord { game: number, pair: number / 2, ..game() }
    }

    #[test]
    fn what_is_appended_is_read_and_resumed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.jsonl");
        let mut file = ResultsFile::create(&path).unwrap();
        file.append(&numbered(0)).unwrap();
        assert!(matches!(ResultsFile::resume(&path), Err(ResultsError::Locked(_))));
        drop(file);
        assert!(matches!(ResultsFile::create(&path), Err(ResultsError::Exists(_))));
        let (mut file, contents) = ResultsFile::resume(&path).unwrap();
        assert_eq!((contents.games, contents.torn), (vec![numbered(0)], None));
        file.append(&numbered(1)).unwrap();
        drop(file);
        assert_eq!(read(&path).unwrap().games, [numbered(0), numbered(1)]);
    }

    #[test]
    fn a_torn_last_line_is_dropped_at_every_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.jsonl");
        let line = |number| serde_json::to_string(&numbered(number)).unwrap() + "\n";
        let whole = line(0) + &line(1);
        for cut in (line(0).len() + 1..whole.len()).step_by(7) {
            fs::write(&path, &whole[..cut]).unwrap();
            let (file, contents) = ResultsFile::resume(&path).unwrap();
            assert!(contents.torn.is_some());
            drop(file);
            let kept = fs::read_to_string(&path).unwrap();
            assert!(kept == line(0) || kept == whole, "{cut}");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside the file");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        drop(ResultsFile::resume(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), whole, "only the line end was missing");
    }

    #[test]
    fn damage_elsewhere_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.jsonl");
        fs::write(&path, "{\"game\":\n{}\n").unwrap();
        assert!(matches!(ResultsFile::resume(&path), Err(ResultsError::Line(_, 1, _))));
    }

    #[test]
    fn files_are_merged_by_game_and_must_agree() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, games: &[GameRecord]| {
            let path = dir.path().join(name);
            rewrite(&path, games).unwrap();
            path
        };
        let other = GameRecord { match_id: "other".to_owned(), ..numbered(0) };
        let a = write("a", &[numbered(2), numbered(0)]);
        let b = write("b", &[numbered(1), numbered(0), other.clone()]);
        assert_eq!(merge(&[&a, &b]).unwrap().games, [numbered(0), numbered(1), numbered(2), other]);
        let c = write("c", &[GameRecord { score1: Points::Draw, ..numbered(0) }]);
        assert!(matches!(merge(&[&a, &c]), Err(ResultsError::Conflict { game: 0, .. })));
        let line = serde_json::to_string(&numbered(1)).unwrap();
        fs::write(&c, format!("{}\n{}", serde_json::to_string(&numbered(0)).unwrap(), &line[..line.len() / 2]))
            .unwrap();
        let merged = merge(&[&c]).unwrap();
        assert_eq!((merged.games, merged.torn), (vec![numbered(0)], vec![c.clone()]));
        fs::write(&c, "hello").unwrap();
        assert!(matches!(ResultsFile::resume(&c), Err(ResultsError::Foreign(..))));
        assert_eq!(fs::read_to_string(&c).unwrap(), "hello", "a file of something else stays");
        let error = merge(&[&a, &c]).unwrap_err().to_string();
        assert!(error.contains("is not a file of results: expected value"), "{error}");
    }

    /// A disk with so much room.
    struct Disk {
        contents: Arc<Mutex<Vec<u8>>>,
        room: Arc<Mutex<usize>>,
    }

    impl Store for Disk {
        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            let mut contents = self.contents.lock();
            let fits = self.room.lock().saturating_sub(contents.len()).min(bytes.len());
            contents.extend(&bytes[..fits]);
            if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn truncate(&mut self, length: u64) -> io::Result<()> {
            self.contents.lock().truncate(length as usize);
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_loses_no_game_and_tears_no_line() {
        let line = serde_json::to_string(&numbered(0)).unwrap().len();
        let (contents, room) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(line * 3 / 2)));
        let store = Box::new(Disk { contents: Arc::clone(&contents), room: Arc::clone(&room) });
        let mut file = ResultsFile { path: "disk".into(), store, length: 0, unsaved: Vec::new() };
        file.append(&numbered(0)).unwrap();
        assert!(file.append(&numbered(1)).is_err());
        assert!(file.append(&numbered(2)).is_err());
        assert_eq!(file.unsaved.len(), 2);
        assert_eq!(contents.lock().iter().filter(|&&byte| byte == b'\n').count(), 1);
        assert_eq!(contents.lock().last(), Some(&b'\n'));
        *room.lock() = 10_000;
        file.append(&numbered(3)).unwrap();
        assert_eq!(file.unsaved, [""; 0]);
        let text = String::from_utf8(contents.lock().clone()).unwrap();
        let games: Vec<GameRecord> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(games, [numbered(0), numbered(1), numbered(2), numbered(3)]);
    }
}
