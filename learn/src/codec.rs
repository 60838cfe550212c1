//! Games in the bytes of files.

use enbu_movegen::{Move, Packing, Setup};

use crate::error::GameFileError;
use crate::game::{Ending, Game, GameResult, ScoredMove};

/// The bit of a head with a start position.
const HAS_START: u8 = 1 << 5;

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

/// The next game of a plain file.
pub(crate) fn decode_plain(cursor: &mut Cursor<'_>, number: u64) -> Result<Game, GameFileError> {
    let (mut game, [opening, moves]) = decode_head(cursor, number)?;
    game.opening = (0..opening).map(|_| decode_move(cursor, number)).collect::<Result<_, _>>()?;
    let scored = |_| Ok(ScoredMove { mv: decode_move(cursor, number)?, score: cursor.u16("a score")? as i16 });
    game.moves = (0..moves).map(scored).collect::<Result<_, GameFileError>>()?;
    Ok(game)
}

/// Appends the head of a game; `None` for one that does not fit.
pub(crate) fn encode_head(game: &Game, bytes: &mut Vec<u8>) -> Option<()> {
    let start = if game.start.is_some() { HAS_START } else { 0 };
    bytes.push(game.result.number() | (game.ending as u8) << 2 | start);
    bytes.push(u8::try_from(game.opening.len()).ok()?);
    bytes.extend(u16::try_from(game.moves.len()).ok()?.to_le_bytes());
    if let Some(setup) = &game.start {
        bytes.extend(Packing::Sfen.pack(setup).ok()?);
        bytes.extend(setup.ply.to_le_bytes());
    }
    Some(())
}

/// A game without its moves, and the numbers of its opening and scored moves.
pub(crate) fn decode_head(cursor: &mut Cursor<'_>, number: u64) -> Result<(Game, [usize; 2]), GameFileError> {
    let offset = cursor.at;
    let flags = cursor.u8("a game")?;
    let field = |part, value: u8| GameFileError::Field { game: number, part, offset, value: value.into() };
    let result = flags & 3;
    let result = *GameResult::ALL.get(usize::from(result)).ok_or_else(|| field("the result", result))?;
    let ending = flags >> 2 & 7;
    let ending = *Ending::ALL.get(usize::from(ending)).ok_or_else(|| field("the ending", ending))?;
    if flags >> 6 != 0 {
        return Err(field("the first byte", flags));
    }
    let opening = cursor.u8("a game")?;
    let moves = cursor.u16("a game")?;
    let start = (flags & HAS_START != 0).then(|| decode_start(cursor, Packing::Sfen, number)).transpose()?;
    let game = Game { start, opening: Vec::new(), moves: Vec::new(), result, ending };
    Ok((game, [opening.into(), moves.into()]))
}

/// The start position of a game and its ply.
pub(crate) fn decode_start(cursor: &mut Cursor<'_>, packing: Packing, game: u64) -> Result<Box<Setup>, GameFileError> {
    let packed = cursor.array("a start position")?;
    let mut setup = packing.unpack(&packed).map_err(|error| GameFileError::Start { game, error })?;
    setup.ply = cursor.u16("a start position")?.max(1);
    Ok(Box::new(setup))
}

fn decode_move(cursor: &mut Cursor<'_>, game: u64) -> Result<Move, GameFileError> {
    let offset = cursor.at;
    let value = cursor.u16("a move")?;
    Move::from_raw(value).ok_or(GameFileError::Field { game, part: "a move", offset, value })
}

/// A reading position.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(crate) fn end(&self) -> Result<(), GameFileError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            surplus => Err(GameFileError::Long(surplus)),
        }
    }

    /// The next `length` bytes, to be read by themselves.
    pub(crate) fn part(&mut self, length: usize, part: &'static str) -> Result<Self, GameFileError> {
        let at = self.at;
        self.take(length, part)?;
        Ok(Self { bytes: &self.bytes[..self.at], at })
    }

    pub(crate) fn take(&mut self, length: usize, part: &'static str) -> Result<&'a [u8], GameFileError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..length));
        let taken = taken.ok_or(GameFileError::Short { part, offset: self.at })?;
        self.at += length;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], GameFileError> {
        let offset = self.at;
        self.take(N, part)?.try_into().map_err(|_| GameFileError::Short { part, offset })
    }

    pub(crate) fn u8(&mut self, part: &'static str) -> Result<u8, GameFileError> {
        self.array(part).map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self, part: &'static str) -> Result<u16, GameFileError> {
        self.array(part).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, part: &'static str) -> Result<u32, GameFileError> {
        self.array(part).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, part: &'static str) -> Result<u64, GameFileError> {
        self.array(part).map(u64::from_le_bytes)
    }
}
