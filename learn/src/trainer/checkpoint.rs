//! Checkpoints: files to resume from, written atomically.
//!
//! `ENBUCKPT`, the version as u32, the FNV-1a checksum (64 bits) of the rest as u64, both
//! little-endian, and [`Saved`] as MessagePack.

use std::io;
use std::path::Path;

use enbu_files::{Existing, FileKind, fnv1a};
use serde::{Deserialize, Serialize};

use crate::error::{CheckpointError, FileError};
use crate::shape::Shape;

const MAGIC: [u8; 8] = *b"ENBUCKPT";
const VERSION: u32 = 4;

/// The losses at one step of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Saved {
    /// Plan and data.
    pub(super) description: String,
    /// [`Architecture::code`](crate::architecture::Architecture::code) of the shape.
    pub(super) code: [u32; 4],
    /// The trained parameters.
    pub(super) values: Vec<f32>,
    pub(super) state: State,
}

/// The state of a training beside its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State {
    /// Batches trained so far.
    pub(super) batch: u64,
    /// Loss of the batches since the last point, and their number.
    pub(super) running: (f64, u64),
    pub(super) curve: Vec<Point>,
    /// First and second moments of the gradient.
    pub(super) moments: [Vec<f32>; 2],
}

impl Saved {
    /// The shape; `None` if there is none with this code and number of parameters.
    pub(super) fn shape(&self) -> Option<Shape> {
        let [first, second] = &self.state.moments;
        let fits = |numbers: &Vec<f32>, shape: &Shape| numbers.len() == shape.architecture().trained();
        Shape::from_code(self.code).filter(|shape| [&self.values, first, second].iter().all(|part| fits(part, shape)))
    }
}

pub(super) fn write(path: &Path, saved: &Saved) -> Result<(), FileError> {
    let content = rmp_serde::to_vec(saved).map_err(io::Error::other).map_err(FileError::of(path))?;
    let bytes = [&MAGIC[..], &VERSION.to_le_bytes(), &fnv1a(&content).to_le_bytes(), &content].concat();
    enbu_files::write(path, bytes, Existing::Replace).map_err(FileError::of(path))
}

/// A checkpoint whose [shape](Saved::shape) is known.
pub(super) fn read(path: &Path) -> Result<(Saved, Shape), FileError> {
    let bytes = enbu_files::read_if(path, FileKind::Checkpoint, |head| head.starts_with(&MAGIC));
    decode(&bytes.map_err(FileError::of(path))?).map_err(FileError::of(path))
}

fn decode(bytes: &[u8]) -> Result<(Saved, Shape), CheckpointError> {
    let content = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.strip_prefix(&VERSION.to_le_bytes()));
    let (sum, content) = content.ok_or(CheckpointError::Magic)?.split_first_chunk().ok_or(CheckpointError::Damaged)?;
    let intact = Some(content).filter(|content| fnv1a(*content) == u64::from_le_bytes(*sum));
    let saved: Option<Saved> = intact.and_then(|content| rmp_serde::from_slice(content).ok());
    saved.and_then(|saved| saved.shape().map(|shape| (saved, shape))).ok_or(CheckpointError::Damaged)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::k_p::KP;
    use crate::architecture::piece_square::PieceSquare;

    #[test]
    fn checkpoints_are_read_back_and_damage_is_found() {
        check(Shape::new(Deep { width: 64 }));
        check(Shape::new(KP));
        check(Shape::new(PieceSquare));
    }

    fn check(shape: Shape) {
        let trained = shape.architecture().trained();
        let numbers = |start: f32| (0..trained).map(|index| start + index as f32).collect::<Vec<f32>>();
        let saved = Saved {
            description: "a plan".into(),
            code: shape.architecture().code(),
            values: numbers(0.0),
            state: State {
                batch: 77,
                running: (0.25, 3),
                curve: vec![Point { batch: 70, training: 0.1, validation: 0.2, rate: 1e-3 }],
                moments: [numbers(0.5), numbers(-3.0)],
            },
        };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.checkpoint");
        write(&path, &saved).expect("written");
        assert_eq!(read(&path).expect("whole"), (saved.clone(), shape));
        let other = Saved { values: numbers(0.0)[1..].to_vec(), ..saved };
        assert_eq!(other.shape(), None);
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
