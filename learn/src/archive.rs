//! Archives: files of games at 1.5 bytes a position, with rounded scores.
//!
//! Version 3 of the files of games holds blocks of up to 4096 games, which end at the game with the
//! millionth move: a u32 with the length of the
//! rest, a u32 with the number of games, and eight columns, each a u32 with its length and that
//! many bytes of DEFLATE (RFC 1951) without matches: nothing repeats, but some numbers are
//! frequent. The first column is the heads of the games; the others are numbers, below 255 one
//! byte, others 255 and a u16:
//!
//! | column | content |
//! |---|---|
//! | 1, 2, 3 | moves of openings, out of check, others: the place among the legal moves, which follow each other by [`key`] |
//! | 4 to 7 | differences of shares, by the size of the one before: at most 2, 8, 24, more; d ≥ 0 is 2 d, d < 0 is -2 d - 1 |
//!
//! A share is that of points, 1 / (1 + e^(-score / 1100)), in 512ths; its difference is from the
//! one that the score before it predicts. Scores beyond ±6860 become ±6860, mates become mates
//! of unknown length. An archive of an archive is equal to it.

pub(crate) mod adaptive;

use enbu_movegen::{Color, Move, MoveList, Position};
use miniz_oxide::deflate::core::{
    CompressionStrategy, CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rayon::prelude::*;

use crate::codec::{Cursor, decode_head, encode_head};
use crate::error::GameFileError;
use crate::game::{Game, MATE_SCORE, ScoredMove};

/// Games of a block, and its moves after which no game begins.
const BLOCK: usize = 4096;
const BLOCK_MOVES: usize = 1_000_000;
/// The most bytes of a column, so that small blocks cannot become large.
const MAX_COLUMN: usize = 3 * (BLOCK_MOVES + u16::MAX as usize + u8::MAX as usize);
const COLUMNS: usize = 8;
/// The columns of moves and of differences.
const MOVES: usize = 1;
const DIFFERENCES: usize = 4;
/// The first number that takes three bytes.
const LONG: u8 = u8::MAX;

/// Shares of points are counted in this many parts.
const PARTS: i32 = 512;
/// Centipawns: a score s means a share of 1 / (1 + e^(-s / SCALE)).
const SCALE: f64 = 1100.0;

/// The share of points of a score in parts; 0 and [`PARTS`] are mates.
fn share(score: i16) -> i32 {
    const MATED: i16 = -MATE_SCORE;
    match score {
        MATE_SCORE.. => PARTS,
        ..=MATED => 0,
        _ => {
            let share = f64::from(PARTS) / (1.0 + (-f64::from(score) / SCALE).exp());
            (share.round() as i32).clamp(1, PARTS - 1)
        }
    }
}

/// The score of a share, the inverse of [`share`].
fn score(share: i32) -> i16 {
    match share {
        PARTS.. => MATE_SCORE,
        ..=0 => -MATE_SCORE,
        _ => (SCALE * (f64::from(share) / f64::from(PARTS - share)).ln()).round() as i16,
    }
}

/// One direction of the columns.
trait Columns {
    /// Takes `number` and returns it, or returns the next number of the column; `None` at its end.
    fn number(&mut self, column: usize, number: u16) -> Option<u16>;
}

impl Columns for [Vec<u8>; COLUMNS] {
    fn number(&mut self, column: usize, number: u16) -> Option<u16> {
        match u8::try_from(number) {
            Ok(byte) if byte < LONG => self[column].push(byte),
            _ => {
                let [low, high] = number.to_le_bytes();
                self[column].extend([LONG, low, high]);
            }
        }
        Some(number)
    }
}

impl Columns for [&[u8]; COLUMNS] {
    fn number(&mut self, column: usize, _: u16) -> Option<u16> {
        match *self[column].split_off_first()? {
            LONG => self[column].split_off(..2)?.first_chunk().copied().map(u16::from_le_bytes),
            byte => Some(byte.into()),
        }
    }
}

/// The order of moves: those of a piece on the board first, by the squares as the side to move
/// sees them, so that equal moves of both sides have like places; see [`Move::raw`].
fn key(mv: Move, turn: Color) -> u16 {
    let turned = |raw: u16, shift: u32| (80 - (raw >> shift & 0x7f)) << shift;
    let raw = mv.raw();
    match turn {
        Color::Black => raw,
        Color::White if mv.is_drop() => raw & !0x7f | turned(raw, 0),
        Color::White => raw & 0xc000 | turned(raw, 7) | turned(raw, 0),
    }
}

/// One direction of the code of a version.
trait Coder {
    /// Codes the move `given` in one of the three kinds of the table, or returns the next; `None`
    /// if it is not one of the legal moves.
    fn mv(&mut self, position: &Position, kind: usize, given: Option<Move>) -> Option<Move>;

    /// Codes the difference `given`, which follows one of this [size](size_class), and returns
    /// it, or returns the next; `None` at the end.
    fn difference(&mut self, size: usize, given: u16) -> Option<u16>;
}

/// The code of version 3, and memory for the legal moves of a position.
struct Places<C> {
    columns: C,
    list: MoveList,
    keyed: Vec<(u16, Move)>,
}

impl<C> Places<C> {
    fn new(columns: C) -> Self {
        Self { columns, list: MoveList::new(), keyed: Vec::new() }
    }
}

impl<C: Columns> Coder for Places<C> {
    fn mv(&mut self, position: &Position, kind: usize, given: Option<Move>) -> Option<Move> {
        self.list.clear();
        position.legal_moves(&mut self.list);
        self.keyed.clear();
        self.keyed.extend(self.list.into_iter().map(|mv| (key(mv, position.turn()), mv)));
        let place = match given {
            Some(mv) if !position.is_legal(mv) => return None,
            Some(mv) => self.keyed.iter().filter(|&&(other, _)| other < key(mv, position.turn())).count(),
            None => 0,
        };
        let place = usize::from(self.columns.number(MOVES + kind, place as u16)?);
        let found =
            || (place < self.keyed.len()).then(|| self.keyed.select_nth_unstable_by_key(place, |&(key, _)| key).1.1);
        given.or_else(found)
    }

    fn difference(&mut self, size: usize, given: u16) -> Option<u16> {
        self.columns.number(DIFFERENCES + size, given)
    }
}

/// Codes the moves and scores of a game with `counts` opening and scored moves. `game` holds
/// them, or nothing but the head, and then receives them.
fn code_game(coder: &mut impl Coder, game: &mut Game, counts: [usize; 2], number: usize) -> Result<(), GameFileError> {
    let position = game.start_position();
    let mut position = position.map_err(|error| GameFileError::Unplayable { game: number, error })?;
    let illegal = |index: usize| GameFileError::Illegal { game: number, number: index + 1 };
    for index in 0..counts[0] {
        let given = game.opening.get(index).copied();
        let mv = coder.mv(&position, 0, given).ok_or(illegal(index))?;
        position.do_move(mv);
        if given.is_none() {
            game.opening.push(mv);
        }
    }
    let (mut before, mut size) = (PARTS / 2, 0);
    for index in 0..counts[1] {
        let given = game.moves.get(index).copied();
        let expected = PARTS - before;
        let difference = given.map_or(0, |scored| share(scored.score) - expected);
        let code = (difference << 1 ^ difference >> 31) as u16;
        let damaged = GameFileError::Column { game: number, column: DIFFERENCES + size };
        let code = coder.difference(size, code).ok_or(damaged)?;
        let difference = i32::from(code >> 1) ^ -i32::from(code & 1);
        before = (expected + difference).clamp(0, PARTS);
        size = [2, 8, 24].iter().filter(|&&most| difference.abs() > most).count();
        let kind = if position.in_check() { 1 } else { 2 };
        let mv = coder.mv(&position, kind, given.map(|scored| scored.mv)).ok_or(illegal(counts[0] + index))?;
        position.do_move(mv);
        if given.is_none() {
            game.moves.push(ScoredMove { mv, score: score(before) });
        }
    }
    Ok(())
}

/// Appends the blocks of all games to `bytes`.
pub(crate) fn encode(games: &[Game], bytes: &mut Vec<u8>) -> Result<(), GameFileError> {
    let (mut blocks, mut before) = (Vec::new(), 0);
    while before < games.len() {
        let length = block_length(&games[before..]);
        blocks.push((&games[before..][..length], before));
        before += length;
    }
    let blocks = blocks.into_par_iter().map(|(games, before)| encode_block(games, before));
    for block in blocks.collect::<Result<Vec<_>, _>>()? {
        bytes.extend((block.len() as u32).to_le_bytes());
        bytes.extend(block);
    }
    Ok(())
}

/// The number of games of the next block.
fn block_length(games: &[Game]) -> usize {
    let mut moves = 0;
    let fits = |game: &&Game| {
        let fits = moves < BLOCK_MOVES;
        moves += game.opening.len() + game.moves.len();
        fits
    };
    games.iter().take(BLOCK).take_while(fits).count()
}

/// A block with the games after the first `before`.
fn encode_block(games: &[Game], before: usize) -> Result<Vec<u8>, GameFileError> {
    let mut coder = Places::new(<[Vec<u8>; COLUMNS]>::default());
    for (number, game) in (before + 1..).zip(games) {
        encode_head(game, &mut coder.columns[0]).ok_or(GameFileError::TooLong(number))?;
        code_game(&mut coder, &mut game.clone(), [game.opening.len(), game.moves.len()], number)?;
    }
    let mut bytes = (games.len() as u32).to_le_bytes().to_vec();
    for column in coder.columns {
        let packed = deflated(&column);
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend(packed);
    }
    Ok(bytes)
}

/// DEFLATE without matches.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let flags = create_comp_flags_from_zip_params(9, 0, CompressionStrategy::HuffmanOnly as i32);
    let mut packed = Vec::new();
    compress_to_output(&mut CompressorOxide::new(flags), bytes, TDEFLFlush::Finish, |part| {
        packed.extend(part);
        true
    });
    packed
}

/// Visits the games of all blocks up to the end of the file; some blocks are decoded at a time,
/// in parallel. Returns their number.
pub(crate) fn decode(cursor: &mut Cursor<'_>, mut visit: impl FnMut(Game)) -> Result<u64, GameFileError> {
    let mut before = 0;
    while !cursor.is_at_end() {
        let mut blocks = Vec::new();
        while blocks.len() < 2 * rayon::current_num_threads() && !cursor.is_at_end() {
            let length = cursor.u32("the length of a block")? as usize;
            let block = cursor.part(length, "a block")?;
            let games = block.clone().u32("the number of games of a block")?;
            blocks.push((block, before));
            before += games as usize;
        }
        let games = blocks.into_par_iter().map(|(block, before)| decode_block(block, before));
        for games in games.collect::<Result<Vec<_>, _>>()? {
            games.into_iter().for_each(&mut visit);
        }
    }
    Ok(before as u64)
}

/// The games of a block after the first `before`.
fn decode_block(mut block: Cursor<'_>, before: usize) -> Result<Vec<Game>, GameFileError> {
    let count = block.u32("the number of games of a block")?;
    let mut columns = <[Vec<u8>; COLUMNS]>::default();
    let damaged = |column| GameFileError::Column { game: before + 1, column };
    for (number, column) in columns.iter_mut().enumerate() {
        let length = block.u32("the length of a column")? as usize;
        let packed = block.take(length, "a column")?;
        *column = decompress_to_vec_with_limit(packed, MAX_COLUMN).map_err(|_| damaged(number))?;
    }
    block.end()?;
    let mut heads = Cursor { bytes: &columns[0], at: 0 };
    let (mut coder, mut games) = (Places::new(columns.each_ref().map(Vec::as_slice)), Vec::new());
    for number in (before + 1..).take(count as usize) {
        let (mut game, counts) = decode_head(&mut heads, number as u64)?;
        code_game(&mut coder, &mut game, counts, number)?;
        games.push(game);
    }
    coder.columns[0] = &columns[0][heads.at..];
    match coder.columns.iter().position(|column| !column.is_empty()) {
        None => Ok(games),
        Some(column) => Err(damaged(column)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::GameFile;
    use crate::selfplay::{Player, Settings};

    fn games() -> GameFile {
        let settings = Settings { nodes: 20, hash_mb: 1, max_plies: 150, ..Settings::default() };
        let mut player = Player::new(settings, enbu_eval::Evaluation::PieceSquare).expect("memory");
        let mut games: Vec<_> = (0..60).map(|number| player.game(number)).collect();
        let start = "4k4/9/9/9/9/9/9/9/4K4 w 2R2B4G4S4N4L18P 31".parse().expect("an SFEN");
        let mv = |text: &str| text.parse().expect("a move");
        let scored = [("5a5b", 32_000), ("5i5h", i16::MIN), ("5b5a", 7000), ("R*5c", 0)];
        games[7].start = Some(Box::new(start));
        games[7].opening.clear();
        games[7].moves = scored.iter().map(|&(text, score)| ScoredMove { mv: mv(text), score }).collect();
        GameFile { settings: "seed=1 演武".into(), games }
    }

    #[test]
    fn archives_keep_moves_and_round_scores_once() {
        let original = games();
        let bytes = original.encode_archive().expect("fits");
        let back = GameFile::decode(&bytes).expect("whole");
        assert_eq!(back.encode_archive().expect("fits"), bytes);
        assert_eq!((&back.settings, back.games.len()), (&original.settings, original.games.len()));
        for (game, from) in back.games.iter().zip(&original.games) {
            assert_eq!((&game.start, &game.opening), (&from.start, &from.opening));
            assert_eq!((game.result, game.ending), (from.result, from.ending));
            for (scored, from) in game.moves.iter().zip(&from.moves) {
                assert_eq!((scored.mv, share(scored.score)), (from.mv, share(from.score)));
                let error = scored.score.abs_diff(from.score);
                assert!(error < 10 || from.score.unsigned_abs() > 1500, "{} {}", scored.score, from.score);
            }
            assert_eq!(game.moves.len(), from.moves.len());
        }
        // Even so few games, from which little is learned, take under half of the plain file.
        let plain = original.encode().expect("fits").len();
        assert!(bytes.len() * 2 < plain, "{} of {plain}", bytes.len());
    }

    /// The files: `enbu selfplay --eval piece-square --nodes 20 --seed 5 --games 4 --max-plies 90` of
    /// commit 2ae5df0, and its archive by `enbu selfplay merge`.
    #[test]
    fn archives_of_version_2_are_read() {
        let old = GameFile::decode(include_bytes!("archive/version-2.archive")).expect("whole");
        let plain = GameFile::decode(include_bytes!("archive/version-2.games")).expect("whole");
        let new = GameFile::decode(&plain.encode_archive().expect("fits")).expect("whole");
        assert_eq!((old.positions(), &old), (plain.positions(), &new));
    }

    #[test]
    fn blocks_are_joined_in_order() {
        let mut games = games();
        games.games = games.games[..2].iter().cycle().take(2 * BLOCK + 5).cloned().collect();
        for (index, game) in games.games.iter_mut().enumerate() {
            game.opening.truncate(index % 7);
            game.moves.clear();
        }
        let back = GameFile::decode(&games.encode_archive().expect("fits")).expect("whole");
        assert_eq!(block_length(&games.games), BLOCK);
        let long = &mut games.games[1];
        long.moves = vec![ScoredMove { mv: "7g7f".parse().expect("a move"), score: 0 }; BLOCK_MOVES];
        assert_eq!(block_length(&games.games), 2);
        games.games[1].moves.clear();
        let heads = |file: &GameFile| file.games.iter().map(|game| game.opening.clone()).collect::<Vec<_>>();
        assert_eq!(heads(&back), heads(&games));
    }

    #[test]
    fn every_share_has_its_own_score() {
        for parts in 0..=PARTS {
            assert_eq!(share(score(parts)), parts);
            assert_eq!(score(PARTS - parts), -score(parts));
        }
    }

    #[test]
    fn damage_is_found_even_under_a_right_checksum() {
        let good = games().encode_archive().expect("fits");
        for offset in (0..good.len()).step_by(101) {
            let mut bytes = good.clone();
            bytes[offset] ^= 0x10;
            assert!(GameFile::decode(&bytes).is_err(), "{offset}");
            // Wrong games or an error, but no panic.
            let sum = enbu_files::checksum(&bytes, 32);
            bytes[32..40].copy_from_slice(&sum.to_le_bytes());
            let _ = GameFile::decode(&bytes);
        }
        for surplus in [-5, -1, 1] {
            let mut bytes = good.clone();
            bytes.resize(good.len().saturating_add_signed(surplus), 0);
            let sum = enbu_files::checksum(&bytes, 32);
            bytes[32..40].copy_from_slice(&sum.to_le_bytes());
            assert!(GameFile::decode(&bytes).is_err(), "{surplus}");
        }
    }

    #[test]
    fn illegal_moves_are_named() {
        let mut file = games();
        file.games[1].moves[2].mv = file.games[1].moves[1].mv;
        let error = file.encode_archive().expect_err("illegal").to_string();
        let number = file.games[1].opening.len() + 3;
        assert_eq!(error, format!("game 2: move {number} is not one of the legal moves"));
    }
}
