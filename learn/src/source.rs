//! Reading positions from files of any format.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use enbu_files::FileKind;
use enbu_movegen::{Move, Position};

use crate::error::{FileError, FileErrorKind, GameFileError, RecordError};
use crate::game::{Game, GameResult, ScoredMove};
use crate::game_file::{self, GameFile};
use crate::pack::decode_pack;
use crate::record::{HCPE_BYTES, PSV_BYTES, Record};

/// The formats, distinguished by extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString)]
#[strum(ascii_case_insensitive)]
pub enum Format {
    /// Enbu's own files of games, `.games`.
    Games,
    /// The same with rounded scores in less than half the space, `.archive`.
    Archive,
    /// PackedSfenValue records, `.psv` or `.bin`.
    #[strum(serialize = "psv", serialize = "bin")]
    Psv,
    /// hcpe records, `.hcpe`.
    Hcpe,
    /// Games as `.pack`.
    Pack,
    /// Tab-separated text, `.tsv`, which is only written: SFEN, move, score for the side to
    /// move, and result (`black`, `white` or `draw`).
    Tsv,
}

/// The fault of a file with another extension: it is missing, or of no format.
fn no_source(path: &Path) -> FileErrorKind {
    let format = |_| FileErrorKind::Format(".games, .archive, .psv, .bin, .hcpe or .pack");
    std::fs::metadata(path).map_or_else(FileErrorKind::Io, format)
}

impl Format {
    /// The format of a file by its extension.
    ///
    /// ```
    /// use std::path::Path;
    /// use enbu_learn::source::Format;
    /// assert_eq!(Format::of(Path::new("a/b.psv")), Some(Format::Psv));
    /// assert_eq!(Format::of(Path::new("b.txt")), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        path.extension()?.to_str()?.parse().ok()
    }
}

/// A position with its score, move and result.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The position, which can be played.
    pub position: &'a Position,
    /// Centipawns for the side to move.
    pub score: i16,
    /// The move that was played.
    pub mv: Option<Move>,
    /// The result of the game.
    pub result: GameResult,
}

impl Sample<'_> {
    /// The position as a record.
    pub fn to_record(&self) -> Record {
        Record { setup: self.position.to_setup(), score: self.score, mv: self.mv, result: self.result }
    }
}

/// Replaces folders with the files and archives of games in them, by name.
///
/// # Errors
/// [`FileError`] when a folder cannot be read or has none.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FileError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut entries = enbu_files::entries(path).map_err(FileError::of(path))?;
        entries.retain(|path| path.extension().is_some_and(|extension| extension == "games" || extension == "archive"));
        if entries.is_empty() {
            let error = io::Error::other("the folder has no .games and no .archive file");
            return Err(FileError::of(path)(error));
        }
        files.append(&mut entries);
    }
    Ok(files)
}

/// A unit of a file: a game, or a position without one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'a> {
    Game(&'a Game),
    Record(&'a Record),
}

impl Item<'_> {
    /// Visits its positions; `number` is its place in the file, from 1.
    pub(crate) fn show(self, number: u64, mut visit: impl FnMut(&Sample<'_>)) -> Result<(), FileErrorKind> {
        match self {
            Self::Game(game) => {
                let show = |position: &Position, ScoredMove { mv, score }| {
                    visit(&Sample { position, score, mv: Some(mv), result: game.result });
                };
                game.replay(show).map_err(|error| FileErrorKind::Replay { game: number, error })
            }
            Self::Record(&Record { ref setup, score, mv, result }) => {
                let invalid = |error| FileErrorKind::Record { record: number, error: RecordError::Unplayable(error) };
                let position = Position::from_setup(setup).map_err(invalid)?;
                visit(&Sample { position: &position, score, mv, result });
                Ok(())
            }
        }
    }
}

/// Visits every position of a file in order.
///
/// # Errors
/// [`FileError`] with the first fault.
pub fn read(path: &Path, mut visit: impl FnMut(&Sample<'_>)) -> Result<(), FileError> {
    read_items(path, &mut |number, item| item.show(number, &mut visit)).map_err(FileError::of(path))
}

/// The number of positions of a file, from its length where it does not hold it.
pub(crate) fn likely_positions(path: &Path) -> u64 {
    let length = std::fs::metadata(path).map_or(0, |data| data.len());
    match Format::of(path) {
        // No position takes less than a bit: a header may name any number.
        Some(Format::Games | Format::Archive) => game_file::positions(path).unwrap_or(0).min(length.saturating_mul(8)),
        Some(Format::Pack) => length / 4,
        Some(Format::Hcpe) => length / HCPE_BYTES as u64,
        _ => length / PSV_BYTES as u64,
    }
}

/// Reads all games of a file that holds games.
///
/// # Errors
/// [`FileError`]; [`FileErrorKind::Format`] for files of single positions.
pub fn read_games(path: &Path) -> Result<Vec<Game>, FileError> {
    match Format::of(path) {
        Some(Format::Games | Format::Archive) => GameFile::read(path).map(|shard| shard.games),
        Some(Format::Pack) => read_pack(path).map_err(FileError::of(path)),
        Some(Format::Psv | Format::Hcpe | Format::Tsv) | None => Err(FileError::of(path)(no_source(path))),
    }
}

/// The visitor of a file's items, compiled once: a call for each game costs nothing beside its positions.
type Visit<'a> = &'a mut dyn FnMut(u64, Item<'_>) -> Result<(), FileErrorKind>;

/// Visits the games or the records of a file in order, each with its number from 1.
pub(crate) fn read_items(path: &Path, visit: Visit<'_>) -> Result<(), FileErrorKind> {
    match Format::of(path).ok_or_else(|| no_source(path))? {
        Format::Games | Format::Archive => {
            let (mut number, mut state) = (0, Ok(()));
            game_file::visit_games(&game_file::bytes_of(path)?, |game| {
                number += 1;
                if state.is_ok() {
                    state = visit(number, Item::Game(&game));
                }
            })?;
            state
        }
        Format::Pack => (1..).zip(&read_pack(path)?).try_for_each(|(number, game)| visit(number, Item::Game(game))),
        Format::Psv => show_records::<PSV_BYTES>(path, Record::from_psv, visit),
        Format::Hcpe => show_records::<HCPE_BYTES>(path, Record::from_hcpe, visit),
        Format::Tsv => Err(no_source(path)),
    }
}

/// Reads a pack, the whole of it only if its first games are valid.
fn read_pack(path: &Path) -> Result<Vec<Game>, FileErrorKind> {
    let is_pack = |head: &[u8]| matches!(decode_pack(head), Ok(_) | Err(GameFileError::Short { .. }));
    Ok(decode_pack(&enbu_files::read_if(path, FileKind::Games, is_pack)?)?)
}

fn show_records<const N: usize>(
    path: &Path,
    decode: impl Fn(&[u8; N]) -> Result<Record, RecordError>,
    visit: Visit<'_>,
) -> Result<(), FileErrorKind> {
    let file = enbu_files::open(path, FileKind::Stream)?;
    let records = file.metadata()?.len() / N as u64;
    if file.metadata()?.len() != records * N as u64 {
        return Err(FileErrorKind::Length(N));
    }
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut bytes = [0; N];
    for record in 1..=records {
        reader.read_exact(&mut bytes)?;
        let decoded = decode(&bytes).map_err(|error| FileErrorKind::Record { record, error })?;
        visit(record, Item::Record(&decoded))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_holds_files_and_archives_and_is_refused_without_any() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = [folder.path().to_owned()];
        fs::write(folder.path().join("notes.txt"), "").expect("written");
        let error = files(&paths).expect_err("no games").to_string();
        assert!(error.ends_with("the folder has no .games and no .archive file"), "{error}");
        let found = ["a.games", "b.archive"].map(|name| folder.path().join(name));
        found.iter().for_each(|path| fs::write(path, "").expect("written"));
        assert_eq!(files(&paths).expect("a folder"), found);
    }
}
