//! Whole games in `.pack` files.
//!
//! All numbers little-endian. A file is a sequence of games without a header. A game:
//!
//! | type | content |
//! |---|---|
//! | u8 | 1: the start position of an even game; 0: [`Packing::Hcp`] and the ply (u16) follow |
//! | (u16, i16) × N | move as in hcpe, score of the position before it for the side to move |
//! | u16 | the end: a move from square r to square r, where r is 0 draw, 1 Black won, 2 White won |
//! | u8 | why: 0 resignation, 1 repetition, 2 limit of moves, 3 interrupted, 4 time, 5 illegal move, 6 perpetual check, 10 and 11 declaration by 24 points won and drawn, 12 by 27, 13 try |
//!
//! Every move has a score. The random opening of a self-play game is therefore not written:
//! the game begins after it.

use enbu_movegen::{Packing, apery_move, from_apery_move};

use crate::codec::{Cursor, decode_start};
use crate::error::{FileErrorKind, GameFileError};
use crate::game::{Ending, Game, GameResult, ScoredMove};

/// The end of a game: a move to its own square.
fn terminator(result: GameResult) -> u16 {
    let number = u16::from(result.number());
    number | number << 7
}

const fn reason(ending: Ending) -> u8 {
    match ending {
        Ending::Mate | Ending::Score | Ending::Unknown => 0,
        Ending::Repetition => 1,
        Ending::MoveLimit => 2,
        Ending::PerpetualCheck => 6,
        Ending::Declaration => 12,
    }
}

const fn ending(reason: u8) -> Ending {
    match reason {
        0 => Ending::Mate,
        1 => Ending::Repetition,
        2 => Ending::MoveLimit,
        6 => Ending::PerpetualCheck,
        10..=13 => Ending::Declaration,
        _ => Ending::Unknown,
    }
}

/// Adds a game to the bytes of a file.
///
/// # Errors
/// [`FileErrorKind`] when it is not legal or its start position does not fit; nothing
/// is added then.
pub fn encode_pack(game: &Game, bytes: &mut Vec<u8>) -> Result<(), FileErrorKind> {
    let mut added = Vec::with_capacity(48 + 4 * game.moves.len());
    if game.start.is_none() && game.opening.is_empty() {
        added.push(1);
    } else {
        let setup = game.after_opening()?.to_setup();
        added.push(0);
        added.extend(Packing::Hcp.pack(&setup)?);
        added.extend(setup.ply.to_le_bytes());
    }
    for scored in &game.moves {
        added.extend(apery_move(scored.mv).to_le_bytes());
        added.extend(scored.score.to_le_bytes());
    }
    added.extend(terminator(game.result).to_le_bytes());
    added.push(reason(game.ending));
    bytes.append(&mut added);
    Ok(())
}

/// Reads all games of a file. Legality of moves is not checked.
///
/// # Errors
/// [`GameFileError`] with the fault and its offset.
///
/// ```
/// use enbu_learn::{Ending, Game, GameResult, ScoredMove};
/// use enbu_learn::{decode_pack, encode_pack};
/// let moves = vec![ScoredMove { mv: "7g7f".parse().expect("a move"), score: 40 }];
/// let game = Game { start: None, opening: vec![], moves, result: GameResult::Draw, ending: Ending::Repetition };
/// let mut bytes = Vec::new();
/// encode_pack(&game, &mut bytes).expect("legal");
/// assert_eq!(decode_pack(&bytes).expect("whole"), [game]);
/// ```
pub fn decode_pack(bytes: &[u8]) -> Result<Vec<Game>, GameFileError> {
    let mut cursor = Cursor { bytes, at: 0 };
    let mut games = Vec::new();
    while !cursor.is_at_end() {
        games.push(game(&mut cursor, games.len() as u64 + 1)?);
    }
    Ok(games)
}

/// The next game, which has this number.
fn game(cursor: &mut Cursor<'_>, number: u64) -> Result<Game, GameFileError> {
    let field = |part, offset, value| GameFileError::Field { game: number, part, offset, value };
    let offset = cursor.at;
    let start = match cursor.u8("a game")? {
        1 => None,
        0 => Some(decode_start(cursor, Packing::Hcp, number)?),
        other => return Err(field("a start", offset, other.into())),
    };
    let mut moves = Vec::new();
    loop {
        let offset = cursor.at;
        let raw = cursor.u16("a game")?;
        if let Some(&result) = GameResult::ALL.iter().find(|&&result| terminator(result) == raw) {
            let ending = ending(cursor.u8("a game")?);
            return Ok(Game { start, opening: Vec::new(), moves, result, ending });
        }
        let mv = from_apery_move(raw).ok_or_else(|| field("a move", offset, raw))?;
        moves.push(ScoredMove { mv, score: cursor.u16("a score")? as i16 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::Color;

    fn game() -> Game {
        let scored = |text: &str, score| ScoredMove { mv: text.parse().expect("a move"), score };
        Game {
            start: None,
            opening: ["7g7f", "3c3d"].map(|text| text.parse().expect("a move")).to_vec(),
            moves: vec![scored("8h2b+", -7), scored("3a2b", 31_999), scored("B*5e", 3)],
            result: GameResult::Win(Color::White),
            ending: Ending::Declaration,
        }
    }

    #[test]
    fn games_survive_without_their_opening() {
        let mut bytes = Vec::new();
        encode_pack(&game(), &mut bytes).expect("legal");
        encode_pack(&Game { result: GameResult::Draw, ending: Ending::MoveLimit, ..game() }, &mut bytes)
            .expect("legal");
        let games = decode_pack(&bytes).expect("whole");
        assert_eq!(games.len(), 2);
        assert_eq!((&games[0].moves, games[0].result, games[0].ending), (&game().moves, game().result, game().ending));
        assert_eq!((games[1].result, games[1].ending), (GameResult::Draw, Ending::MoveLimit));
        let (mut before, mut after) = (Vec::new(), Vec::new());
        game().replay(|position, scored| before.push((position.to_setup(), scored))).expect("legal");
        games[0].replay(|position, scored| after.push((position.to_setup(), scored))).expect("legal");
        assert_eq!(before, after);
    }

    #[test]
    fn damage_is_named_with_its_offset() {
        let mut bytes = Vec::new();
        encode_pack(&game(), &mut bytes).expect("legal");
        for length in 1..bytes.len() {
            assert!(matches!(decode_pack(&bytes[..length]), Err(GameFileError::Short { .. })), "{length}");
        }
        for (at, words) in [
            (0, "a start at offset 0 has the unknown value 255"),
            (36, "a move at offset 35"),
            (2, "game 1: start position"),
        ] {
            let mut damaged = bytes.clone();
            damaged[at] = 0xff;
            let error = decode_pack(&damaged).expect_err("damaged").to_string();
            assert!(error.contains(words), "{at}: {error}");
        }
    }
}
