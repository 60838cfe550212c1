//! Enbu's own files of games: about four bytes a position, or less than two in an archive.
//!
//! All numbers little-endian:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | `ENBUGAME` |
//! | 8 | u32 | version: 1, or 2 for an [archive](crate::archive) |
//! | 12 | u32 | length S of the settings, in bytes |
//! | 16 | u64 | games G |
//! | 24 | u64 | scored moves of all games, which is the number of positions |
//! | 32 | u64 | checksum: FNV-1a (64 bits) of all bytes except these eight |
//! | 40 | S bytes | settings of the games, UTF-8 |
//! | 40 + S | | G games |
//!
//! A game:
//!
//! | type | content |
//! |---|---|
//! | u8 | bits 0-1 result (0 draw, 1 Black won, 2 White won), bits 2-4 ending (see below), bit 5: a start position follows |
//! | u8 | opening moves M |
//! | u16 | scored moves N |
//! | 34 bytes | only with bit 5: the start position as [`PackedSfen`], and its ply as u16 |
//! | u16 × M | opening moves ([`Move::raw`]) |
//! | (u16, i16) × N | move, and the score of the position before it for the side to move: centipawns, or ±(32 000 - plies) for a mate |
//!
//! In an archive the games are their heads (the first three or four rows of this table), one
//! after the other, and then the moves and scores of all games in bits.
//!
//! Endings: 0 mate, 1 declaration, 2 repetition, 3 perpetual check, 4 move limit,
//! 5 score, 6 unknown. Without bit 5 a game begins at the start position of an even
//! game. The extension is [`EXTENSION`], of archives [`ARCHIVE`]; files are written atomically.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use enbu_files::{Existing, FileKind};
use enbu_movegen::{Color, Move, PackedSfen, Setup, UnpackError};

use crate::archive::{self, ArchiveError};
use crate::game::{Ending, Game, GameResult, ScoredMove};

/// The extension of files of games.
pub(crate) const EXTENSION: &str = "games";

/// The extension of archives.
pub(crate) const ARCHIVE: &str = "archive";

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 8] = *b"ENBUGAME";

const PLAIN: u32 = 1;
const ARCHIVED: u32 = 2;
const CHECKSUM: usize = 32;
const HEADER: usize = 40;
const HAS_START: u8 = 1 << 5;

/// A file of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFile {
    /// The settings of the games.
    pub settings: String,
    /// The games.
    pub games: Vec<Game>,
}

/// The fault of a file of games.
#[derive(Debug, thiserror::Error)]
pub enum GameFileError {
    /// The magic is missing.
    #[error("not a file of games: it does not begin with ENBUGAME")]
    Magic,
    /// The version is unknown.
    #[error("the file has version {0}; only versions 1 and 2 are known")]
    Version(u32),
    /// The file ends too early.
    #[error("the file ends too early: {part} at offset {offset} is incomplete")]
    Short {
        /// The incomplete part.
        part: &'static str,
        /// Its offset.
        offset: usize,
    },
    /// Bytes follow the last game.
    #[error("the file has {0} bytes too many")]
    Long(usize),
    /// The checksum does not match.
    #[error("the file is damaged: its checksum is {found:016x}, not {expected:016x}")]
    Checksum {
        /// The checksum in the file.
        expected: u64,
        /// The checksum of its bytes.
        found: u64,
    },
    /// The settings are not UTF-8.
    #[error("the settings are not UTF-8")]
    Settings,
    /// A field has an unknown value.
    #[error("game {game}: {part} at offset {offset} has the unknown value {value}")]
    Field {
        /// The number of the game, from 1.
        game: u64,
        /// The name of the field.
        part: &'static str,
        /// Its offset.
        offset: usize,
        /// Its value.
        value: u16,
    },
    /// A start position is invalid.
    #[error("game {game}: start position: {error}")]
    Start {
        /// The number of the game, from 1.
        game: u64,
        /// The reason.
        error: UnpackError,
    },
    /// A game of an archive cannot be played.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A game is too long for the format, or its start position does not fit.
    #[error("game {0} has more than 255 opening moves, 65535 moves, or a start position that cannot be packed")]
    TooLong(usize),
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl GameFile {
    /// The number of positions: scored moves of all games.
    pub fn positions(&self) -> u64 {
        self.games.iter().map(|game| game.moves.len() as u64).sum()
    }

    /// The bytes of the plain file.
    ///
    /// # Errors
    /// [`GameFileError::TooLong`] for games that do not fit.
    pub fn encode(&self) -> Result<Vec<u8>, GameFileError> {
        let mut bytes = self.header(PLAIN);
        for (index, game) in self.games.iter().enumerate() {
            encode_game(game, &mut bytes).ok_or(GameFileError::TooLong(index + 1))?;
        }
        Ok(with_checksum(bytes))
    }

    /// The bytes of the archive: places in the lists of legal moves, and scores rounded to 512ths
    /// of a share of points.
    ///
    /// # Errors
    /// [`GameFileError`] for games that do not fit or cannot be played.
    pub fn encode_archive(&self) -> Result<Vec<u8>, GameFileError> {
        let mut bytes = self.header(ARCHIVED);
        for (index, game) in self.games.iter().enumerate() {
            encode_head(game, &mut bytes).ok_or(GameFileError::TooLong(index + 1))?;
        }
        archive::encode(&self.games, &mut bytes)?;
        Ok(with_checksum(bytes))
    }

    /// The header without its checksum, and the settings.
    fn header(&self, version: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend((self.settings.len() as u32).to_le_bytes());
        bytes.extend((self.games.len() as u64).to_le_bytes());
        bytes.extend(self.positions().to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(self.settings.as_bytes());
        bytes
    }

    /// Reads the bytes of a file or an archive. Legality of a file's moves is left to [`Game::replay`].
    ///
    /// # Errors
    /// [`GameFileError`] with the fault and its offset.
    ///
    /// ```
    /// use enbu_learn::GameFile;
    /// let shard = GameFile { settings: "none".into(), games: Vec::new() };
    /// let bytes = shard.encode().expect("short");
    /// assert_eq!(GameFile::decode(&bytes).expect("whole"), shard);
    /// assert!(GameFile::decode(&bytes[1..]).is_err());
    /// ```
    pub fn decode(bytes: &[u8]) -> Result<Self, GameFileError> {
        let mut cursor = Cursor { bytes, at: 0 };
        if bytes.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(GameFileError::Magic);
        }
        cursor.at = MAGIC.len();
        let version = cursor.u32("the version")?;
        if ![PLAIN, ARCHIVED].contains(&version) {
            return Err(GameFileError::Version(version));
        }
        let settings_length = cursor.u32("the length of the settings")? as usize;
        let games = cursor.u64("the number of games")?;
        cursor.u64("the number of positions")?;
        let expected = cursor.u64("the checksum")?;
        let found = checksum(bytes);
        if expected != found {
            return Err(GameFileError::Checksum { expected, found });
        }
        let settings = cursor.take(settings_length, "the settings")?;
        let settings = std::str::from_utf8(settings).map_err(|_| GameFileError::Settings)?.to_owned();
        let mut shard = Self { settings, games: Vec::new() };
        let mut counts = Vec::new();
        for number in 1..=games {
            let (mut game, [opening, moves]) = decode_head(&mut cursor, number)?;
            if version == PLAIN {
                decode_moves(&mut cursor, number, &mut game, [opening, moves])?;
            } else {
                counts.push([opening, moves]);
            }
            shard.games.push(game);
        }
        if version == ARCHIVED {
            let taken = archive::decode(&bytes[cursor.at..], &mut shard.games, &counts)?;
            cursor.take(taken, "the moves")?;
        }
        match bytes.len() - cursor.at {
            0 => Ok(shard),
            surplus => Err(GameFileError::Long(surplus)),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`GameFileError`].
    pub fn read(path: &Path) -> Result<Self, GameFileError> {
        Self::decode(&enbu_files::read_if(path, FileKind::Games, |head| head.starts_with(&MAGIC))?)
    }

    /// Writes a file atomically, as an archive if its extension is `.archive`.
    ///
    /// # Errors
    /// [`GameFileError`] when a game does not fit or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), GameFileError> {
        let is_archive = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ARCHIVE));
        let bytes = if is_archive { self.encode_archive()? } else { self.encode()? };
        Ok(enbu_files::write(path, bytes, Existing::Replace)?)
    }
}

/// The files of games in a folder by name, or the file itself.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn files_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = enbu_files::entries(path)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    Ok(files)
}

/// The number of positions of a file, from its header; `None` if it has none.
pub(crate) fn positions(path: &Path) -> Option<u64> {
    let mut header = [0; HEADER];
    enbu_files::open(path, FileKind::Games).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    (header[..8] == MAGIC).then(|| u64::from_le_bytes(std::array::from_fn(|index| header[24 + index])))
}

/// FNV-1a of all bytes except the checksum.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let (before, after) = bytes.split_at(CHECKSUM.min(bytes.len()));
    enbu_files::fnv1a(before.iter().chain(after.iter().skip(8)))
}

/// The file with its checksum.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    bytes[CHECKSUM..HEADER].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Appends a game as in a plain file; `None` for one that does not fit.
pub(crate) fn encode_game(game: &Game, bytes: &mut Vec<u8>) -> Option<()> {
    encode_head(game, bytes)?;
    for mv in &game.opening {
        bytes.extend(mv.raw().to_le_bytes());
    }
    for scored in &game.moves {
        bytes.extend(scored.mv.raw().to_le_bytes());
        bytes.extend(scored.score.to_le_bytes());
    }
    Some(())
}

/// Splits the first game of a plain file off `bytes`.
pub(crate) fn decode_game(bytes: &mut &[u8]) -> Result<Game, GameFileError> {
    let mut cursor = Cursor { bytes, at: 0 };
    let (mut game, counts) = decode_head(&mut cursor, 1)?;
    decode_moves(&mut cursor, 1, &mut game, counts)?;
    *bytes = &bytes[cursor.at..];
    Ok(game)
}

fn encode_head(game: &Game, bytes: &mut Vec<u8>) -> Option<()> {
    let result = match game.result {
        GameResult::Draw => 0,
        GameResult::Win(Color::Black) => 1,
        GameResult::Win(Color::White) => 2,
    };
    let start = if game.start.is_some() { HAS_START } else { 0 };
    bytes.push(result | (game.ending as u8) << 2 | start);
    bytes.push(u8::try_from(game.opening.len()).ok()?);
    bytes.extend(u16::try_from(game.moves.len()).ok()?.to_le_bytes());
    if let Some(setup) = &game.start {
        bytes.extend(PackedSfen::pack(setup).ok()?.0);
        bytes.extend(setup.ply.to_le_bytes());
    }
    Some(())
}

/// A game without its moves, and the numbers of its opening and scored moves.
fn decode_head(cursor: &mut Cursor<'_>, number: u64) -> Result<(Game, [usize; 2]), GameFileError> {
    let offset = cursor.at;
    let flags = cursor.u8("a game")?;
    let field = |part, value: u8| GameFileError::Field { game: number, part, offset, value: value.into() };
    let result = match flags & 3 {
        0 => GameResult::Draw,
        1 => GameResult::Win(Color::Black),
        2 => GameResult::Win(Color::White),
        other => return Err(field("the result", other)),
    };
    let ending = flags >> 2 & 7;
    let ending = *Ending::ALL.get(usize::from(ending)).ok_or_else(|| field("the ending", ending))?;
    if flags >> 6 != 0 {
        return Err(field("the first byte", flags));
    }
    let opening = cursor.u8("a game")?;
    let moves = cursor.u16("a game")?;
    let start = (flags & HAS_START != 0).then(|| decode_start(cursor, number)).transpose()?;
    let game = Game { start, opening: Vec::new(), moves: Vec::new(), result, ending };
    Ok((game, [opening.into(), moves.into()]))
}

fn decode_moves(
    cursor: &mut Cursor<'_>,
    number: u64,
    game: &mut Game,
    [opening, moves]: [usize; 2],
) -> Result<(), GameFileError> {
    game.opening = (0..opening).map(|_| decode_move(cursor, number)).collect::<Result<_, _>>()?;
    let scored = |_| Ok(ScoredMove { mv: decode_move(cursor, number)?, score: cursor.u16("a score")? as i16 });
    game.moves = (0..moves).map(scored).collect::<Result<_, GameFileError>>()?;
    Ok(())
}

fn decode_start(cursor: &mut Cursor<'_>, game: u64) -> Result<Box<Setup>, GameFileError> {
    let packed = PackedSfen(cursor.array("a start position")?);
    let mut setup = packed.unpack().map_err(|error| GameFileError::Start { game, error })?;
    setup.ply = cursor.u16("a start position")?.max(1);
    Ok(Box::new(setup))
}

fn decode_move(cursor: &mut Cursor<'_>, game: u64) -> Result<Move, GameFileError> {
    let offset = cursor.at;
    let value = cursor.u16("a move")?;
    Move::from_raw(value).ok_or(GameFileError::Field { game, part: "a move", offset, value })
}

/// A reading position.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize, part: &'static str) -> Result<&'a [u8], GameFileError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..length));
        let taken = taken.ok_or(GameFileError::Short { part, offset: self.at })?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], GameFileError> {
        let offset = self.at;
        self.take(N, part)?.try_into().map_err(|_| GameFileError::Short { part, offset })
    }

    fn u8(&mut self, part: &'static str) -> Result<u8, GameFileError> {
        self.array(part).map(|[byte]| byte)
    }

    fn u16(&mut self, part: &'static str) -> Result<u16, GameFileError> {
        self.array(part).map(u16::from_le_bytes)
    }

    fn u32(&mut self, part: &'static str) -> Result<u32, GameFileError> {
        self.array(part).map(u32::from_le_bytes)
    }

    fn u64(&mut self, part: &'static str) -> Result<u64, GameFileError> {
        self.array(part).map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn mv(text: &str) -> Move {
        text.parse().expect("a move")
    }

    fn shard() -> GameFile {
        let start: Setup = "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 31".parse().expect("an SFEN");
        let games = vec![
            Game {
                start: None,
                opening: vec![mv("7g7f"), mv("3c3d")],
                moves: vec![ScoredMove { mv: mv("8h2b+"), score: -12 }, ScoredMove { mv: mv("3a2b"), score: 31_997 }],
                result: GameResult::Win(Color::White),
                ending: Ending::Mate,
            },
            Game {
                start: Some(Box::new(start)),
                opening: Vec::new(),
                moves: vec![ScoredMove { mv: mv("5a5b"), score: i16::MIN }],
                result: GameResult::Draw,
                ending: Ending::Unknown,
            },
        ];
        GameFile { settings: "seed=1 演武".into(), games }
    }

    /// A file with other bytes at `offset` and a matching checksum.
    fn changed(offset: usize, bytes: &[u8]) -> Vec<u8> {
        let mut file = shard().encode().expect("fits");
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        let sum = checksum(&file);
        file[CHECKSUM..HEADER].copy_from_slice(&sum.to_le_bytes());
        file
    }

    fn refused(bytes: &[u8]) -> String {
        GameFile::decode(bytes).expect_err("damaged").to_string()
    }

    #[test]
    fn written_files_are_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.games");
        shard().write(&path).expect("written");
        assert_eq!(GameFile::read(&path).expect("whole"), shard());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let settings = shard().settings.len();
        let start = 34;
        assert_eq!(fs::read(&path).expect("a file").len(), HEADER + settings + 4 + 2 * 2 + 2 * 4 + 4 + start + 4);
    }

    #[test]
    fn every_damaged_byte_is_found() {
        let good = shard().encode().expect("fits");
        for offset in 0..good.len() {
            let mut bytes = good.clone();
            bytes[offset] ^= 0x10;
            let words = match offset {
                0..8 => "does not begin with",
                8..12 => "the file has version",
                _ => "its checksum is",
            };
            assert!(refused(&bytes).contains(words), "{offset}: {}", refused(&bytes));
        }
        for length in 0..good.len() {
            let words = refused(&good[..length]);
            assert!(["does not begin", "too early", "checksum"].iter().any(|part| words.contains(part)), "{words}");
        }
    }

    #[test]
    fn invalid_fields_are_named() {
        let first = HEADER + shard().settings.len();
        for (offset, bytes, words) in [
            (first, [3].as_slice(), "game 1: the result"),
            (first, &[7 << 2], "game 1: the ending"),
            (first, &[1 << 6], "game 1: the first byte"),
            (first + 4, &[0, 0], "game 1: a move at offset"),
            (16, &[1], "bytes too many"),
            (16, &[3], "ends too early: a game"),
            (40, &[0xff], "the settings are not UTF-8"),
            (first + 20, &[0xff], "game 2: start position: a king is on"),
        ] {
            let bytes = changed(offset, bytes);
            assert!(refused(&bytes).contains(words), "{offset}: {}", refused(&bytes));
        }
    }

    #[test]
    fn games_that_do_not_fit_are_refused() {
        let mut long = shard();
        long.games[1].opening = vec![mv("7g7f"); 256];
        assert!(matches!(long.encode(), Err(GameFileError::TooLong(2))));
    }
}
