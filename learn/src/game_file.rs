//! Enbu's own files of games: about four bytes a position, or less than two in an archive.
//!
//! All numbers little-endian:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | `ENBUGAME` |
//! | 8 | u32 | version: 1; of an [archive](crate::archive) 3, or [2](crate::archive::adaptive) until November 2026 |
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
//! | 34 bytes | only with bit 5: the start position as [`Packing::Sfen`], and its ply as u16 |
//! | u16 × M | opening moves ([`Move::raw`]) |
//! | (u16, i16) × N | move, and the score of the position before it for the side to move: centipawns, or ±(32 000 - plies) for a mate |
//!
//! The first three or four rows of this table are the head of a game.
//!
//! Endings: 0 mate, 1 declaration, 2 repetition, 3 perpetual check, 4 move limit,
//! 5 score, 6 unknown. Without bit 5 a game begins at the start position of an even
//! game. The extension is [`EXTENSION`], of archives [`ARCHIVE`]; files are written atomically.

use std::io::{self, Read};
use std::path::Path;

use enbu_files::{Existing, FileKind, checksum, sealed};

use crate::archive::{self, adaptive};
use crate::codec::{Cursor, decode_plain, encode_game};
use crate::error::{FileError, GameFileError};
use crate::game::Game;

pub(crate) const EXTENSION: &str = "games";

pub(crate) const ARCHIVE: &str = "archive";

/// The first bytes of every file.
pub(crate) const MAGIC: [u8; 8] = *b"ENBUGAME";

const PLAIN: u32 = 1;
const ADAPTIVE: u32 = 2;
const ARCHIVED: u32 = 3;
const CHECKSUM: usize = 32;
const HEADER: usize = 40;

/// A file of games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFile {
    /// The settings of the games.
    pub settings: String,
    /// The games.
    pub games: Vec<Game>,
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
        Ok(sealed(bytes, CHECKSUM))
    }

    /// The bytes of the archive: places in the lists of legal moves, and scores rounded to 512ths
    /// of a share of points.
    ///
    /// # Errors
    /// [`GameFileError`] for games that do not fit or cannot be played.
    pub fn encode_archive(&self) -> Result<Vec<u8>, GameFileError> {
        let mut bytes = self.header(ARCHIVED);
        archive::encode(&self.games, &mut bytes)?;
        Ok(sealed(bytes, CHECKSUM))
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
        let mut games = Vec::new();
        let settings = visit_games(bytes, |game| games.push(game))?;
        Ok(Self { settings, games })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = bytes_of(path).map_err(FileError::of(path))?;
        Self::decode(&bytes).map_err(FileError::of(path))
    }

    /// Writes a file atomically, as an archive if its extension is `.archive`.
    ///
    /// # Errors
    /// [`FileError`] when a game does not fit or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let is_archive = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ARCHIVE));
        let bytes = if is_archive { self.encode_archive() } else { self.encode() }.map_err(FileError::of(path))?;
        enbu_files::write(path, bytes, Existing::Replace).map_err(FileError::of(path))
    }
}

/// The bytes of a file; its first ones if it is none of games.
pub(crate) fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let length = std::fs::metadata(path)?.len();
    enbu_files::read_if(path, FileKind::Games, |head| is_plausible(head, length))
}

/// Visits the games of a file or an archive in order; returns its settings.
pub(crate) fn visit_games(bytes: &[u8], mut visit: impl FnMut(Game)) -> Result<String, GameFileError> {
    let mut cursor = Cursor { bytes, at: 0 };
    if bytes.get(..MAGIC.len()) != Some(&MAGIC) {
        return Err(GameFileError::Magic);
    }
    cursor.at = MAGIC.len();
    let version = cursor.u32("the version")?;
    if !(PLAIN..=ARCHIVED).contains(&version) {
        return Err(GameFileError::Version(version));
    }
    let settings_length = cursor.u32("the length of the settings")? as usize;
    let expected = cursor.u64("the number of games")?;
    cursor.u64("the number of positions")?;
    let (sum, found) = (cursor.u64("the checksum")?, checksum(bytes, CHECKSUM));
    if found != sum {
        return Err(GameFileError::Checksum { expected: sum, found });
    }
    let settings = cursor.take(settings_length, "the settings")?;
    let settings = std::str::from_utf8(settings).map_err(|_| GameFileError::Settings)?.to_owned();
    match version {
        PLAIN => (1..=expected).try_for_each(|number| decode_plain(&mut cursor, number).map(&mut visit))?,
        ADAPTIVE => adaptive::decode(&mut cursor, expected, visit)?,
        _ => match archive::decode(&mut cursor, visit)? {
            found if found == expected => {}
            found => return Err(GameFileError::Games { expected, found }),
        },
    }
    cursor.end()?;
    Ok(settings)
}

/// Returns true if a file of this length can hold the games and positions that its first
/// bytes count: the checksum of another one is wrong, and takes long to compute.
fn is_plausible(head: &[u8], length: u64) -> bool {
    let number = |at: usize| head.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (settings, games, positions) = (number(CHECKSUM - 24) >> 32, number(CHECKSUM - 16), number(CHECKSUM - 8));
    // Far above the start position, the opening and the moves of any game, and the ratio of DEFLATE.
    let most = games.saturating_mul(1024).saturating_add(positions.saturating_mul(16)).saturating_add(settings + 1024);
    head.starts_with(&MAGIC) && length <= most && games / 4096 <= length
}

/// The number of positions of a file, from its header; `None` if it has none.
pub(crate) fn positions(path: &Path) -> Option<u64> {
    let mut header = [0; HEADER];
    enbu_files::open(path, FileKind::Games).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    (header[..8] == MAGIC).then(|| u64::from_le_bytes(std::array::from_fn(|index| header[24 + index])))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::game::{Ending, GameResult, ScoredMove};
    use enbu_movegen::{Color, Move, Setup};

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
        let sum = checksum(&file, CHECKSUM);
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
