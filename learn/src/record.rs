//! Positions with a score, a move and a result.
//!
//! All numbers little-endian. A file is a sequence of records without a header.
//!
//! | PackedSfenValue, 40 bytes | hcpe, 38 bytes |
//! |---|---|
//! | [`Packing::Sfen`] | [`Packing::Hcp`] |
//! | i16 score for the side to move | i16 score for the side to move |
//! | u16 move: bits 0-6 to, 7-13 from, or piece dropped (1 pawn, lance, knight, silver, bishop, rook, 7 gold), bit 14 drop, bit 15 promotion | u16 move: bits 0-6 to, 7-13 from, or 81 + piece dropped (0 pawn to 6 gold in the same order), bit 14 promotion |
//! | u16 ply | u8 result: 0 draw, 1 Black won, 2 White won |
//! | i8 result for the side to move: 1 won, 0 drawn, -1 lost | u8 0 |
//! | u8 0 | |
//!
//! Move 0 is no move. hcpe does not store plies.

use enbu_movegen::{Move, PackError, Packing, Setup, apery_move, from_apery_move};

use crate::error::RecordError;
use crate::game::GameResult;

pub(crate) const PSV_BYTES: usize = 40;
pub(crate) const HCPE_BYTES: usize = 38;

/// A position with its score, its best move and the result of its game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The position.
    pub setup: Setup,
    /// Centipawns for the side to move.
    pub score: i16,
    /// The move that was played, if any.
    pub mv: Option<Move>,
    /// The result of the game.
    pub result: GameResult,
}

/// A move, where 0 is none.
fn optional(raw: u16, read: impl Fn(u16) -> Option<Move>) -> Result<Option<Move>, RecordError> {
    match raw {
        0 => Ok(None),
        raw => read(raw).map(Some).ok_or(RecordError::Move(raw)),
    }
}

/// A part of a record as an array.
fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}

impl Record {
    /// As PackedSfenValue.
    ///
    /// # Errors
    /// [`PackError`] when the position does not fit.
    pub fn to_psv(&self) -> Result<[u8; PSV_BYTES], PackError> {
        let mut bytes = [0; PSV_BYTES];
        bytes[..32].copy_from_slice(&Packing::Sfen.pack(&self.setup)?);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        // Our moves have the same bits.
        bytes[34..36].copy_from_slice(&self.mv.map_or(0, Move::raw).to_le_bytes());
        bytes[36..38].copy_from_slice(&self.setup.ply.to_le_bytes());
        bytes[38] = self.result.for_side(self.setup.turn) as u8;
        Ok(bytes)
    }

    /// From PackedSfenValue.
    ///
    /// # Errors
    /// [`RecordError`] with the first fault.
    ///
    /// ```
    /// use enbu_learn::GameResult;
    /// use enbu_learn::Record;
    /// use enbu_movegen::{Color, Setup};
    /// let setup = Setup::startpos();
    /// let record = Record { setup, score: 30, mv: "7g7f".parse().ok(), result: GameResult::Win(Color::Black) };
    /// let bytes = record.to_psv().expect("a set of pieces");
    /// assert_eq!(Record::from_psv(&bytes), Ok(record));
    /// ```
    pub fn from_psv(bytes: &[u8; PSV_BYTES]) -> Result<Self, RecordError> {
        let mut setup = Packing::Sfen.unpack(&part(bytes, 0))?;
        setup.ply = u16::from_le_bytes(part(bytes, 36)).max(1);
        let result = match bytes[38] as i8 {
            result @ -1..=1 => GameResult::from_side(result, setup.turn),
            other => return Err(RecordError::Result(other)),
        };
        let mv = optional(u16::from_le_bytes(part(bytes, 34)), Move::from_raw)?;
        Ok(Self { setup, score: i16::from_le_bytes(part(bytes, 32)), mv, result })
    }

    /// As hcpe; the ply is not kept.
    ///
    /// # Errors
    /// [`PackError`] when the position does not fit.
    pub fn to_hcpe(&self) -> Result<[u8; HCPE_BYTES], PackError> {
        let mut bytes = [0; HCPE_BYTES];
        bytes[..32].copy_from_slice(&Packing::Hcp.pack(&self.setup)?);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.mv.map_or(0, apery_move).to_le_bytes());
        bytes[36] = self.result.number();
        Ok(bytes)
    }

    /// From hcpe; the ply is 1.
    ///
    /// # Errors
    /// [`RecordError`] with the first fault.
    ///
    /// ```
    /// use enbu_learn::GameResult;
    /// use enbu_learn::Record;
    /// use enbu_movegen::Setup;
    /// let record = Record { setup: Setup::startpos(), score: -5, mv: None, result: GameResult::Draw };
    /// let bytes = record.to_hcpe().expect("a set of pieces");
    /// assert_eq!(Record::from_hcpe(&bytes), Ok(record));
    /// ```
    pub fn from_hcpe(bytes: &[u8; HCPE_BYTES]) -> Result<Self, RecordError> {
        let setup = Packing::Hcp.unpack(&part(bytes, 0))?;
        // Newer programs store the way in which the game ended from bit 2 on.
        let result = GameResult::ALL.get(usize::from(bytes[36] & 3));
        let result = *result.ok_or(RecordError::Result(bytes[36] as i8))?;
        let mv = optional(u16::from_le_bytes(part(bytes, 34)), from_apery_move)?;
        Ok(Self { setup, score: i16::from_le_bytes(part(bytes, 32)), mv, result })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::Color;

    fn record(sfen: &str, mv: &str, score: i16, result: GameResult) -> Record {
        Record { setup: sfen.parse().expect("an SFEN"), score, mv: mv.parse().ok(), result }
    }

    #[test]
    fn records_survive_both_formats() {
        let white = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 93";
        for (sfen, mv) in [(white, "N*4d"), (white, "8c7e"), (white, "6f3i+"), (white, "none")] {
            for (score, result) in [(-1234, GameResult::Draw), (32_000, GameResult::Win(Color::White))] {
                let record = record(sfen, mv, score, result);
                assert_eq!(record.to_psv().map(|bytes| Record::from_psv(&bytes)), Ok(Ok(record.clone())));
                let ply = Setup { ply: 1, ..record.setup.clone() };
                let without_ply = Record { setup: ply, ..record.clone() };
                assert_eq!(record.to_hcpe().map(|bytes| Record::from_hcpe(&bytes)), Ok(Ok(without_ply)));
            }
        }
    }

    #[test]
    fn invalid_fields_are_named() {
        let good = record("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1", "P*5e", 1, GameResult::Draw);
        let (psv, hcpe) = (good.to_psv().expect("packed"), good.to_hcpe().expect("packed"));
        for (at, byte, expected) in [(38, 2, RecordError::Result(2)), (35, 0xff, RecordError::Move(0xffa8))] {
            let mut bytes = psv;
            bytes[at] = byte;
            let found = Record::from_psv(&bytes).expect_err("damaged");
            assert!(std::mem::discriminant(&found) == std::mem::discriminant(&expected), "{found}");
        }
        for (at, byte) in [(36, 3), (35, 0xff)] {
            let mut bytes = hcpe;
            bytes[at] = byte;
            assert!(Record::from_hcpe(&bytes).is_err());
        }
    }
}
