//! Enbu's own network files.
//!
//! | version | inputs | layers |
//! |---|---|---|
//! | 1 | pieces | (2344 → L1) for each side, limited and squared → one output, or one of several buckets |
//! | 2 | pieces, attacks | (2344 + 2134 → L1) for each side, then as in version 1 |
//! | 3 | pieces, attacks | (2344 + 2134 → L1) for each side, limited, products of pairs → 16, limited and squared → 32, limited → one output |
//!
//! All numbers are little-endian:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | `ENBUNNUE` |
//! | 8 | u32 | version, 1 to 3 |
//! | 12 | u32 | L1: accumulator width of each side, a multiple of 32 from 64 to 1024 |
//! | 16 | u32 | output buckets B, 1 to 16; in version 3 only 1 |
//! | 20 | u32 | pieces in hand per bucket S, 1 to 38: the bucket is the number of pieces both sides hold, divided by S, at most B - 1 |
//! | 24 | u32 | scale K, 1 to 10 000: the value of an output of 1.0 in centipawns |
//! | 28 | u32 | 0 |
//! | 32 | u64 | checksum: FNV-1a (64 bits) of all bytes except these eight |
//! | 40 | 24 bytes | name of the network: ASCII, the rest zeros |
//! | 64 | i16 × L1 | biases of the first layer, 255 = 1.0 |
//! | | i16 × 2344 × L1 | its weights, a row for each input |
//! | | × 2134 × L1 | versions 2 (i16) and 3 (i8): the weights of the inputs from attacks, each within ±127 |
//!
//! Versions 1 and 2 end with the outputs:
//!
//! | type | content |
//! |---|---|
//! | i16 × B × 2 L1 | weights of the outputs, 64 = 1.0, each within ±128: first those of the side to move |
//! | i32 × B | biases of the outputs, 255 × 64 = 1.0 |
//!
//! Version 3 ends with three layers, whose biases are all within ±1 000 000 000:
//!
//! | type | content |
//! |---|---|
//! | i8 × L1 × 16 | weights of the first hidden layer, 8192 × 512 / 255² = 64.503 = 1.0, a row for each product: first those of the side to move |
//! | i32 × 16 | its biases, 8192 = 1.0 |
//! | i16 × 32 × 32 | weights of the second hidden layer, 4096 = 1.0, a row for each limited unit, then one for each square |
//! | i32 × 32 | its biases, 1024 × 4096 = 1.0 |
//! | i16 × 32 | weights of the output, 4096 = 1.0 |
//! | i32 | its bias, 1024 × 4096 = 1.0 |
//!
//! **Inputs**, for each side's view: own pieces from 0, enemy pieces from 1172 on; of
//! each: on the board 81 × type (pawn, lance, knight, silver, bishop, rook, gold,
//! king, and the promoted pawn, lance, knight, silver, bishop, rook) + square; in hand
//! 1134 + first + k - 1 for the k-th of a kind, first: pawn 0, lance 18, knight 22,
//! silver 26, gold 30, bishop 34, rook 36. Squares are 9 × (file - 1) + rank - 1; White
//! turns the board by 180 degrees. If the own king is then on files 6 to 9, all files are
//! mirrored.
//!
//! **Inputs from attacks**: a piece attacks the squares that it could move to if they were
//! empty or held an enemy piece, pins and checks disregarded; sliders end at the first piece.
//! For each view, oriented and mirrored as above:
//!
//! - King zones: for each square of the 5 × 5 around the own king (zone 0) and the enemy king
//!   (zone 1) that is on the board, one input: 27 × (25 × zone + 5 × file + rank) plus 9 ×
//!   occupant plus 3 × own plus enemy. File and rank count from the zone's corner with the
//!   lowest numbers; occupant is 0 for none, 1 for own and 2 for enemy pieces; own and enemy
//!   are the numbers of attacks by pieces of the two sides, at most 2.
//! - Pairs, if at least one such attack exists: 1350 + 28 × attacker + victim, both 14 × side (0
//!   own, 1 enemy) + type. Pieces that protect one of their own side are attackers, too.
//!
//! **First layer**: a = bias + rows of the active inputs (16 bits, wrapping), with attacks
//! the sum of the rows of the active king zones and pairs (16 bits, wrapping) added with
//! saturation; v = min(max(a, 0), 255).
//!
//! **Output** of versions 1 and 2: raw = Σ v² × weight / 255 (towards zero) + bias, and the
//! value in centipawns raw × K / (255 × 64), towards zero. The reader refuses weights
//! with which the sum could exceed 32 bits.
//!
//! **Output** of version 3, where >> rounds down: for each side the products
//! p\[i\] = (v\[i\] × v\[i + L1 / 2\] + 256) >> 9, at most 127, for i < L1 / 2;
//! s = bias + Σ p × weight for each of the 16 units; from each
//! t = min(max(s >> 3, -1024), 1024) the limited unit max(t, 0) and the square
//! (t² + 512) >> 10; s = bias + Σ of these × weight for each of the 32 units, and
//! u = min(max(s >> 12, 0), 1024); raw = bias + Σ u × weight, and the value in
//! centipawns raw × K / (1024 × 4096), towards zero. Trainers add half a unit, 4 and 2048, to
//! the biases of the hidden layers, so that the shifts round to the nearest. No sum can exceed 32 bits: those of the
//! first hidden layer are within 1024 × 127 × 128 + 10⁹, the others within
//! 32 × 1024 × 32 768 + 10⁹.

mod deep;

use enbu_files::checksum;
use enbu_language::Words;
use enbu_movegen::{Color, HandPiece, Piece, PieceType, Position, Square};

use super::cursor::Cursor;
use crate::nnue::accumulator::Transformer;
use crate::nnue::attacks;
use crate::nnue::attacks::sums::AttackRows;
use crate::nnue::error::NetworkError;
use crate::nnue::features::{FeatureSet, active};
use crate::nnue::memory::{Block, Constants};
use crate::nnue::network::{Head, Network, Outputs};
use crate::nnue::simd::Simd;

pub use crate::nnue::attacks::{Attacks, Board};
pub use crate::nnue::layers::{ACTIVATION_UNIT, FINE_UNIT, HIDDEN, HIDDEN_SUM_UNIT, SECOND};
pub use crate::nnue::network::{OUTPUT_UNIT, UNIT};
pub use deep::{DeepParts, MAX_BIAS};

/// The number of inputs of version 1.
pub const INPUTS: usize = FeatureSet::Mirrored.inputs();
/// The number of inputs from attacks in versions 2 and 3.
pub const ATTACK_INPUTS: usize = attacks::INPUTS;
/// The bound of the weights of inputs from attacks: sums of up to 258 rows fit 16 bits.
pub const MAX_ATTACK_WEIGHT: i16 = 127;

/// Inputs of one side's pieces.
const SIDE: u16 = (INPUTS / 2) as u16;
/// Inputs of one side's pieces on the board.
const BOARD: u16 = 14 * 81;

/// Calls `input` with every active input of `position` in the view of `color`.
pub fn inputs(position: &Position, color: Color, mut input: impl FnMut(u16)) {
    active(FeatureSet::Mirrored, color, position, |number| input(number as u16));
}

/// The input of the same piece in the other side's view: roles exchanged, the board turned.
///
/// ```
/// use enbu_eval::nnue::own::{mirrored, turned};
/// // Own pawn on 1a, enemy pawn on 9i, own pawn on 9a; pieces in hand have no square.
/// assert_eq!((turned(0), mirrored(0), mirrored(1134)), (1172 + 80, 72, 1134));
/// ```
pub const fn turned(input: u16) -> u16 {
    let role = (input + SIDE) % (2 * SIDE);
    let number = input % SIDE;
    if number < BOARD { role - number % 81 + 80 - number % 81 } else { role }
}

/// The input of the same piece with files mirrored.
pub const fn mirrored(input: u16) -> u16 {
    let number = input % SIDE;
    let square = number % 81;
    if number < BOARD { input - square + (8 - square / 9) * 9 + square % 9 } else { input }
}

/// A piece and its place in the view of a side, which is Black there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the board.
    Board(Piece, Square),
    /// The n-th (from 1) of its kind in a hand.
    Hand(Color, HandPiece, u8),
}

/// The piece and place of an input of version 1.
///
/// # Panics
/// With a number that is not one.
pub const fn place(input: u16) -> Place {
    let (color, number) = (Color::ALL[(input / SIDE) as usize], input % SIDE);
    if number < BOARD {
        let (kind, square) = (PieceType::ALL[number as usize / 81], Square::ALL[number as usize % 81]);
        return Place::Board(Piece::new(color, kind), square);
    }
    let (mut nth, mut index) = ((number - BOARD) as u8 + 1, 0);
    loop {
        let piece = HandPiece::PACKED_ORDER[index];
        if nth <= piece.set_count() {
            return Place::Hand(color, piece, nth);
        }
        nth -= piece.set_count();
        index += 1;
    }
}

/// The number of an input in another family, without king square and mirroring.
pub(super) const fn numbered(input: u16, features: FeatureSet) -> u16 {
    match place(input) {
        Place::Board(Piece { color, kind }, square) => features.on_board(color as usize, kind as usize) + square as u16,
        Place::Hand(color, piece, nth) => features.in_hand(color as usize, piece as usize) + nth as u16 - 1,
    }
}

/// The first bytes of every file.
pub const MAGIC: [u8; 8] = *b"ENBUNNUE";

/// The version with outputs behind the first layer: without and with inputs from attacks.
const OUTPUTS: [u32; 2] = [1, 2];
/// The version with hidden layers.
const DEEP: u32 = 3;

const CHECKSUM: usize = 32;
const NAME: usize = 40;
const HEADER: usize = 64;

/// The name in a file that begins with [`MAGIC`].
pub(crate) fn name(bytes: &[u8]) -> Option<&str> {
    let name = bytes.strip_prefix(&MAGIC)?.get(NAME - MAGIC.len()..HEADER - MAGIC.len())?;
    std::str::from_utf8(name).ok().map(|name| name.trim_end_matches('\0'))
}

/// The header with a name and the numbers after the magic.
fn header(name: &str, numbers: [u32; 6]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.resize(NAME, 0);
    bytes.extend(name.bytes().take(HEADER - NAME));
    bytes.resize(HEADER, 0);
    bytes
}

/// Reads a file that begins with [`MAGIC`]; `verify` compares the checksum, which takes as long as
/// the rest, and `words` reads the rows of pieces.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    simd: Simd,
    verify: impl FnOnce(&[u8]) -> Result<(), NetworkError>,
    words: impl FnOnce(&mut Cursor<'a>, usize, Words) -> Result<Constants<i16>, NetworkError>,
) -> Result<Network, NetworkError> {
    let mut cursor = Cursor::new(bytes);
    cursor.take(MAGIC.len(), Words("the magic", "マジック"))?;
    let version = field(&mut cursor, Words("the version", "バージョン"), OUTPUTS[0]..=DEEP, Words("1 to 3", "1～3"))?;
    let offset = cursor.offset();
    let (part, expected) = (Words("L1", " L1 "), Words("a multiple of 32 from 64 to 1024", "64～1024 の 32 の倍数"));
    let width = field(&mut cursor, part, 64..=1024, expected)? as usize;
    if !width.is_multiple_of(32) {
        return Err(NetworkError::Field { part, offset, value: width as i64, expected });
    }
    let single = Words("1 in version 3", "1（バージョン 3）");
    let (most, expected) = if version == DEEP { (1, single) } else { (16, Words("1 to 16", "1～16")) };
    let part = Words("the number of output buckets", "出力バケットの数");
    let buckets = field(&mut cursor, part, 1..=most, expected)? as usize;
    let part = Words("the number of pieces in hand per bucket", "バケットあたりの持駒の枚数");
    let bucket_step = field(&mut cursor, part, 1..=38, Words("1 to 38", "1～38"))?;
    let scale = field(&mut cursor, Words("the scale", "スケール"), 1..=10_000, Words("1 to 10000", "1～10000"))? as i32;
    if version == DEEP {
        field(&mut cursor, Words("the field after the scale", "スケールの次の項目"), 0..=0, Words("0", "0"))?;
    }
    cursor.take(HEADER - cursor.offset(), Words("the header", "ヘッダー"))?;
    let features = FeatureSet::Mirrored;
    let biases = cursor.words(width, Words("the first layer's biases", "第 1 層のバイアス"))?;
    let rows = words(&mut cursor, features.inputs() * width, Words("the first layer's weights", "第 1 層の重み"))?;
    let transformer = Transformer { features, biases, rows };
    let attacks = (version > OUTPUTS[0]).then(|| read_attacks(&mut cursor, version, width, simd)).transpose()?;
    let inputs = if attacks.is_some() { "-attacks" } else { "" };
    let offset = cursor.offset();
    let (shape, head) = if version == DEEP {
        (format!("enbu-{width}-attacks-{HIDDEN}-{SECOND}"), Head::Deep(Box::new(deep::read(&mut cursor, width)?)))
    } else {
        let weights = cursor.words(buckets * 2 * width, Words("the output weights", "出力層の重み"))?;
        let biases = cursor.integers(buckets, Words("the output biases", "出力層のバイアス"))?;
        let of_buckets = if buckets == 1 { String::new() } else { format!("-b{buckets}") };
        (format!("enbu-{width}{of_buckets}{inputs}"), Head::Outputs(Outputs { weights, biases, bucket_step }))
    };
    cursor.end()?;
    verify(bytes)?;
    if let Head::Outputs(outputs) = &head {
        check_outputs(&outputs.weights, 2 * width, offset)?;
    }
    Ok(Network { shape, simd, transformer, attacks, head, scale, hashes_agree: true })
}

/// Reads the rows of inputs from attacks: words in version 2, bytes from version 3 on.
fn read_attacks(cursor: &mut Cursor<'_>, version: u32, width: usize, simd: Simd) -> Result<AttackRows, NetworkError> {
    let (offset, count) = (cursor.offset(), ATTACK_INPUTS * width);
    let part = Words("the weights of inputs from attacks", "利きの入力の重み");
    let one = Words("a weight of an input from attacks", "利きの入力の重み");
    let (limit, expected) = (MAX_ATTACK_WEIGHT.into(), Words("-127 to 127", "-127～127"));
    if version == DEEP {
        let rows = cursor.bytes(count, part)?;
        check_weights(rows, limit, offset, one, expected)?;
        return Ok(AttackRows::new(rows, width, simd)?);
    }
    let rows = cursor.words(count, part)?;
    check_weights(&rows, limit, offset, one, expected)?;
    let rows: Vec<i8> = rows.iter().map(|&weight| weight as i8).collect();
    Ok(AttackRows::new(&rows, width, simd)?)
}

/// Reads a number that must be in `range`.
fn field(
    cursor: &mut Cursor<'_>,
    part: Words,
    range: std::ops::RangeInclusive<u32>,
    expected: Words,
) -> Result<u32, NetworkError> {
    let offset = cursor.offset();
    let value = cursor.u32(part)?;
    let error = NetworkError::Field { part, offset, value: value.into(), expected };
    if range.contains(&value) { Ok(value) } else { Err(error) }
}

pub(super) fn verify(bytes: &[u8]) -> Result<(), NetworkError> {
    let stored = bytes.get(CHECKSUM..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
    let (expected, found) = (u64::from_le_bytes(stored), checksum(bytes, CHECKSUM));
    if expected == found { Ok(()) } else { Err(NetworkError::Checksum { offset: CHECKSUM, expected, found }) }
}

/// Checks that all weights are within ±`limit`.
fn check_weights<W: Copy + Ord + Into<i64>>(
    weights: &[W],
    limit: i32,
    offset: usize,
    part: Words,
    expected: Words,
) -> Result<(), NetworkError> {
    let Some(&first) = weights.first() else { return Ok(()) };
    let is_outside = |weight: W| weight.into().abs() > limit.into();
    // The extremes first: unlike a search for a place they are found in vectors.
    let (low, high) = weights.iter().fold((first, first), |(low, high), &weight| (low.min(weight), high.max(weight)));
    if !is_outside(low) && !is_outside(high) {
        return Ok(());
    }
    let Some(at) = weights.iter().position(|&weight| is_outside(weight)) else { return Ok(()) };
    let offset = offset + size_of::<W>() * at;
    Err(NetworkError::Field { part, offset, value: weights[at].into(), expected })
}

/// Checks that sums of 255² × weight fit 32 bits, and 255 × weight 16.
fn check_outputs(weights: &Block<i16>, per_bucket: usize, offset: usize) -> Result<(), NetworkError> {
    check_weights(weights, 128, offset, Words("an output weight", "出力層の重み"), Words("-128 to 128", "-128～128"))?;
    let error =
        |at: usize, part, value, expected| NetworkError::Field { part, offset: offset + 2 * at, value, expected };
    for (bucket, weights) in weights.chunks_exact(per_bucket).enumerate() {
        let sum: i64 = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
        if sum * i64::from(UNIT * UNIT) > i64::from(i32::MAX) {
            let part = Words("the sum of a bucket's absolute output weights", "バケットの出力重みの絶対値の和");
            return Err(error(bucket * per_bucket, part, sum, Words("at most 33025", "33025 以下")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_view_has_the_same_pieces_turned() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "l5knl/5+P1g1/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LNK3b1L w GR5pnsg 1",
        ] {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            let view = |color| {
                let mut view = Vec::new();
                inputs(&position, color, |input| view.push(input));
                view.sort_unstable();
                view
            };
            let black = view(Color::Black);
            let mut white: Vec<u16> = black.iter().map(|&input| turned(input)).collect();
            let king = white.iter().find(|&&input| (7 * 81..8 * 81).contains(&input)).expect("a king");
            if (king - 7 * 81) / 9 >= 5 {
                white.iter_mut().for_each(|input| *input = mirrored(*input));
            }
            white.sort_unstable();
            assert_eq!(white, view(Color::White), "{sfen}");
        }
        for input in 0..INPUTS as u16 {
            assert_eq!((turned(turned(input)), mirrored(mirrored(input))), (input, input));
        }
    }
}
