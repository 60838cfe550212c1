//! The numbers of a network, and what they may be.

use std::fmt;
use std::ops::Range;

use enbu_eval::nnue::own::{INPUTS, OUTPUT_UNIT, UNIT};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::factors;

/// The sizes of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// L1: sums of each side, a multiple of 32 from 64 to 1024.
    pub width: usize,
    /// Outputs, of which one judges, 1 to 16.
    pub buckets: usize,
    /// Pieces in hand, of both sides, for each output, 1 to 38.
    pub bucket_step: u32,
}

impl Shape {
    pub(crate) fn exists(self) -> bool {
        let width = (64..=1024).contains(&self.width) && self.width.is_multiple_of(32);
        width && (1..=16).contains(&self.buckets) && (1..=38).contains(&self.bucket_step)
    }

    /// Which output judges a position with so many pieces in hand.
    #[inline(always)]
    pub(crate) fn bucket(self, held: u8) -> usize {
        ((u32::from(held) / self.bucket_step) as usize).min(self.buckets - 1)
    }

    /// Weights of the transformer: a row for each input.
    pub(crate) fn rows(self) -> Range<usize> {
        0..INPUTS * self.width
    }

    /// Its biases.
    pub(crate) fn biases(self) -> Range<usize> {
        let first = self.rows().end;
        first..first + self.width
    }

    /// Weights of all outputs: for each the side to move, then the other side.
    pub(crate) fn outputs(self) -> Range<usize> {
        let first = self.biases().end;
        first..first + self.buckets * 2 * self.width
    }

    /// Their biases.
    pub(crate) fn output_biases(self) -> Range<usize> {
        let first = self.outputs().end;
        first..first + self.buckets
    }

    /// How many numbers a network has.
    pub(crate) fn len(self) -> usize {
        self.output_biases().end
    }

    /// Rows of [groups of inputs](super::factors), which exist only in training.
    pub(crate) fn groups(self) -> Range<usize> {
        self.len()..self.len() + factors::COUNT * self.width
    }

    /// How many numbers are trained.
    pub(crate) fn trained(self) -> usize {
        self.groups().end
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "width={} buckets={}x{}", self.width, self.buckets, self.bucket_step)
    }
}

/// What a part of the numbers may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// What 1.0 is in the file.
    pub(crate) unit: f32,
    /// Numbers stay within plus and minus this.
    pub(crate) limit: f32,
}

/// With these, forty rows and a bias cannot leave 16 bits: 41 × 505 < 32 768.
const TRANSFORMER: Grid = Grid { unit: UNIT as f32, limit: 505.0 / UNIT as f32 };
/// The file allows 128 / 64.
const OUTPUTS: Grid = Grid { unit: OUTPUT_UNIT as f32, limit: 127.0 / OUTPUT_UNIT as f32 };
const OUTPUT_BIASES: Grid = Grid { unit: (UNIT * OUTPUT_UNIT) as f32, limit: 100.0 };

impl Grid {
    #[inline(always)]
    pub(crate) fn round(self, value: f32) -> f32 {
        (value * self.unit).round() / self.unit
    }
}

/// The numbers that a network judges with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Numbers {
    /// As they are trained.
    Trained,
    /// As the file will hold them.
    Rounded,
}

/// A network under training.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    pub(crate) shape: Shape,
    /// The numbers that are trained, in the order of [`Shape`]'s ranges.
    pub(crate) values: Vec<f32>,
    /// Those of the network, which judge: rows with those of their groups added, all
    /// rounded as in the file or not.
    pub(crate) used: Vec<f32>,
    /// Which of these `used` holds.
    pub(crate) numbers: Numbers,
}

impl Model {
    /// Random numbers that make sums of about 0 to 1 and outputs near 0.
    pub(crate) fn random(shape: Shape, seed: u64) -> Self {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut values = vec![0.0; shape.trained()];
        let mut fill = |range: Range<usize>, centre: f32, spread: f32| {
            for value in &mut values[range] {
                *value = centre + random.random_range(-spread..=spread);
            }
        };
        fill(shape.rows(), 0.0, 0.08);
        fill(shape.biases(), 0.3, 0.1);
        fill(shape.outputs(), 0.0, (1.0 / (2 * shape.width) as f32).sqrt());
        let mut model = Self { shape, values, used: vec![0.0; shape.len()], numbers: Numbers::Trained };
        model.refresh();
        model
    }

    /// The parts of the numbers and what they may be.
    pub(crate) fn grids(shape: Shape) -> [(Range<usize>, Grid); 4] {
        [
            (shape.rows().start..shape.biases().end, TRANSFORMER),
            (shape.outputs(), OUTPUTS),
            (shape.output_biases(), OUTPUT_BIASES),
            (shape.groups(), TRANSFORMER),
        ]
    }

    /// Judges from now on with rounded numbers, or with those that are trained.
    pub(crate) fn judge_with(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.refresh();
    }

    /// Makes the numbers that judge from those that are trained.
    pub(crate) fn refresh(&mut self) {
        let Self { shape, values, used, numbers } = self;
        let (rows, rest) = used.split_at_mut(shape.rows().end);
        factors::fold(*shape, values, TRANSFORMER.limit, rows);
        rest.copy_from_slice(&values[shape.rows().end..shape.len()]);
        if *numbers == Numbers::Rounded {
            for (range, grid) in Self::grids(*shape) {
                let used = used.get_mut(range).unwrap_or_default();
                used.iter_mut().for_each(|value| *value = grid.round(*value));
            }
        }
    }
}
