//! What can be trained.

use std::fmt;

use super::transformer::Transformer;
use super::{k_p, piece_square};

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A network of our own.
    Own(OwnShape),
    /// The standard network K-P 256x2-32-32, which other programs play with, too.
    KP,
    /// The piece-square evaluation.
    PieceSquare,
}

/// The sizes of a network of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OwnShape {
    /// L1: sums of each side, a multiple of 32 from 64 to 1024.
    pub width: usize,
    /// Outputs, of which one judges, 1 to 16.
    pub buckets: usize,
    /// Pieces in hand, of both sides, for each output, 1 to 38.
    pub bucket_step: u32,
}

impl Default for OwnShape {
    fn default() -> Self {
        Self { width: 64, buckets: 1, bucket_step: 1 }
    }
}

impl Shape {
    /// Whether there is such a network.
    pub(super) fn exists(self) -> bool {
        match self {
            Self::Own(shape) => shape.exists(),
            Self::KP | Self::PieceSquare => true,
        }
    }

    /// How many numbers judge.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Own(shape) => shape.len(),
            Self::KP => k_p::LENGTH,
            Self::PieceSquare => piece_square::LENGTH,
        }
    }

    /// How many numbers are trained.
    pub(super) fn trained(self) -> usize {
        match self {
            Self::Own(shape) => shape.trained(),
            Self::KP => k_p::TRAINED,
            Self::PieceSquare => piece_square::LENGTH,
        }
    }

    /// Slopes well below this move their numbers less. In networks the paper's 1e-8: rare
    /// inputs shall learn as fast as others. Tables are sums of thousands of numbers, of
    /// which the rare ones shall stay where they are until enough speaks against it.
    pub(super) fn epsilon(self) -> f32 {
        match self {
            Self::Own(_) | Self::KP => 1e-8,
            Self::PieceSquare => 1e-4,
        }
    }

    /// The first layer, if there is one.
    pub(super) fn transformer(self) -> Option<Transformer> {
        match self {
            Self::Own(shape) => Some(shape.transformer()),
            Self::KP => Some(k_p::TRANSFORMER),
            Self::PieceSquare => None,
        }
    }

    /// Sums of each side.
    pub(super) fn width(self) -> usize {
        self.transformer().map_or(0, |transformer| transformer.width)
    }

    /// As checkpoints have it: a kind and its sizes.
    pub(super) fn to_numbers(self) -> [u32; 4] {
        match self {
            Self::Own(OwnShape { width, buckets, bucket_step }) => [0, width as u32, buckets as u32, bucket_step],
            Self::KP => [1, 0, 0, 0],
            Self::PieceSquare => [2, 0, 0, 0],
        }
    }

    /// The inverse of [`to_numbers`](Self::to_numbers), for what exists.
    pub(super) fn from_numbers(numbers: [u32; 4]) -> Option<Self> {
        let shape = match numbers {
            [0, width, buckets, bucket_step] => {
                Self::Own(OwnShape { width: width as usize, buckets: buckets as usize, bucket_step })
            }
            [1, 0, 0, 0] => Self::KP,
            [2, 0, 0, 0] => Self::PieceSquare,
            _ => return None,
        };
        shape.exists().then_some(shape)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(OwnShape { width, buckets, bucket_step }) => {
                write!(f, "width={width} buckets={buckets}x{bucket_step}")
            }
            Self::KP => f.write_str("kp-256x2-32-32"),
            Self::PieceSquare => f.write_str("piece-square"),
        }
    }
}
