//! Checkpoints: files to resume from.
//!
//! Version 3, all numbers little-endian:
//!
//! | offset | type | content |
//! |---|---|---|
//! | 0 | 8 bytes | `ENBUCKPT` |
//! | 8 | u32 | version, 3 |
//! | 12 | u32 | architecture: 0 Enbu's own, 1 K-P 256x2-32-32, 2 piece-square tables, 3 Enbu's own with attacks, 4 with hidden layers |
//! | 16 | u32 × 3 | Enbu's own (0, 3): width, buckets, pieces in hand per bucket; 4: width, 0, 0; else 0 |
//! | 28 | u32 | length S of the description, in bytes |
//! | 32 | u64 | checksum: FNV-1a (64 bits) of all bytes except these eight |
//! | 40 | u64 | batches done |
//! | 48 | f64, u64 | loss of the batches since the last point, and their number |
//! | 64 | u32 | points of the curve P |
//! | 68 | S bytes | plan and data, UTF-8 |
//! | | (u64, f64 × 3) × P | batch, training loss, validation loss, learning rate |
//! | | f32 × 3 N | the N trained parameters, their first moments, their second moments |
//!
//! Files are written atomically.

use std::path::Path;

use enbu_files::{Existing, FileKind};

use crate::error::{CheckpointError, FileError};
use crate::game_file::checksum;
use crate::shape::Shape;

const MAGIC: [u8; 8] = *b"ENBUCKPT";
const VERSION: u32 = 3;
/// The offset of the checksum, as in files of games.
const CHECKSUM: usize = 32;

/// The losses at one step of a training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Batches trained so far.
    pub batch: u64,
    /// Mean loss of the batches since the last point.
    pub training: f64,
    /// Mean loss on the validation positions.
    pub validation: f64,
    /// The learning rate.
    pub rate: f64,
}

/// The contents of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Saved {
    pub(super) description: String,
    pub(super) shape: Shape,
    pub(super) batch: u64,
    pub(super) running: (f64, u64),
    pub(super) curve: Vec<Point>,
    pub(super) values: Vec<f32>,
    pub(super) moments: [Vec<f32>; 2],
}

pub(super) fn write(path: &Path, saved: &Saved) -> Result<(), FileError> {
    let mut bytes = MAGIC.to_vec();
    let code = saved.shape.architecture().code();
    for number in [VERSION].into_iter().chain(code).chain([saved.description.len() as u32]) {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0; 8]);
    bytes.extend(saved.batch.to_le_bytes());
    bytes.extend(saved.running.0.to_le_bytes());
    bytes.extend(saved.running.1.to_le_bytes());
    bytes.extend((saved.curve.len() as u32).to_le_bytes());
    bytes.extend(saved.description.as_bytes());
    for point in &saved.curve {
        bytes.extend(point.batch.to_le_bytes());
        for number in [point.training, point.validation, point.rate] {
            bytes.extend(number.to_le_bytes());
        }
    }
    for numbers in [&saved.values, &saved.moments[0], &saved.moments[1]] {
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    let sum = checksum(&bytes);
    bytes[CHECKSUM..CHECKSUM + 8].copy_from_slice(&sum.to_le_bytes());
    enbu_files::write(path, &bytes, Existing::Replace).map_err(FileError::of(path))
}

pub(super) fn read(path: &Path) -> Result<Saved, FileError> {
    let bytes = enbu_files::read_if(path, FileKind::Checkpoint, |head| head.starts_with(&MAGIC));
    decode(&bytes.map_err(FileError::of(path))?).map_err(FileError::of(path))
}

fn decode(bytes: &[u8]) -> Result<Saved, CheckpointError> {
    if bytes.get(..8) != Some(&MAGIC) || bytes.get(8..12) != Some(&VERSION.to_le_bytes()) {
        return Err(CheckpointError::Magic);
    }
    let stored = bytes.get(CHECKSUM..).and_then(<[u8]>::first_chunk).copied().map(u64::from_le_bytes);
    let intact = stored.filter(|&stored| stored == checksum(bytes));
    intact.and_then(|_| parse(bytes)).ok_or(CheckpointError::Damaged)
}

/// The parts of a file; `None` if its length does not match.
fn parse(bytes: &[u8]) -> Option<Saved> {
    let mut rest = bytes.get(12..)?;
    let code: [_; 4] = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
    let shape = Shape::from_code(code.map(u32::from_le_bytes))?;
    let length = u32::from_le_bytes(take(&mut rest)?) as usize;
    let _checksum: [u8; 8] = take(&mut rest)?;
    let batch = u64::from_le_bytes(take(&mut rest)?);
    let running = (f64::from_le_bytes(take(&mut rest)?), u64::from_le_bytes(take(&mut rest)?));
    let points = u32::from_le_bytes(take(&mut rest)?);
    let description = std::str::from_utf8(rest.split_off(..length)?).ok()?.to_owned();
    let mut curve = Vec::new();
    for _ in 0..points {
        let batch = u64::from_le_bytes(take(&mut rest)?);
        let [training, validation, rate] =
            [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?].map(f64::from_le_bytes);
        curve.push(Point { batch, training, validation, rate });
    }
    let trained = shape.architecture().trained();
    if rest.len() != 12 * trained {
        return None;
    }
    let mut numbers = rest
        .as_chunks()
        .0
        .chunks(trained)
        .map(|part| part.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect::<Vec<f32>>());
    let values = numbers.next()?;
    let moments = [numbers.next()?, numbers.next()?];
    Some(Saved { description, shape, batch, running, curve, values, moments })
}

/// Splits off the first bytes.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    rest.split_off(..N)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::k_p::KP;
    use crate::architecture::own::{AttackInputs, Own, OwnInputs};
    use crate::architecture::piece_square::PieceSquare;

    #[test]
    fn checkpoints_are_read_back_and_damage_is_found() {
        check(Shape::new(Own { width: 64, buckets: 2, bucket_step: 9, inputs: OwnInputs }));
        check(Shape::new(Own { width: 64, buckets: 1, bucket_step: 9, inputs: AttackInputs }));
        check(Shape::new(Deep { width: 64 }));
        check(Shape::new(KP));
        check(Shape::new(PieceSquare));
    }

    fn check(shape: Shape) {
        let trained = shape.architecture().trained();
        let numbers = |start: f32| (0..trained).map(|index| start + index as f32).collect::<Vec<f32>>();
        let saved = Saved {
            description: "a plan".into(),
            shape,
            batch: 77,
            running: (0.25, 3),
            curve: vec![Point { batch: 70, training: 0.1, validation: 0.2, rate: 1e-3 }],
            values: numbers(0.0),
            moments: [numbers(0.5), numbers(-3.0)],
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.checkpoint");
        write(&path, &saved).expect("written");
        assert_eq!(read(&path).expect("whole"), saved);
        let good = fs::read(&path).expect("a file");
        for (at, magic) in [(3, true), (8, true), (13, false), (41, false), (good.len() - 1, false)] {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            fs::write(&path, bytes).expect("written");
            let error = read(&path).expect_err("damaged");
            assert_eq!(error.to_string().contains("not a checkpoint of a known version"), magic, "{error}");
        }
        for length in [0, 20, 50, 66, good.len() - 4] {
            fs::write(&path, &good[..length]).expect("written");
            assert!(read(&path).is_err());
        }
    }
}
