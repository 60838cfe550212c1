//! The numbers of a network, and what they may be.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::gradient::Room;
use super::shape::Shape;
use super::{factors, k_p, piece_square};
use crate::dataset::Entry;

/// What a part of the numbers may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// What 1.0 is in the file.
    pub(crate) unit: f32,
    /// Numbers stay within plus and minus this.
    pub(crate) limit: f32,
}

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

/// Random numbers to begin with.
pub(super) struct Fill<'a> {
    random: Xoshiro256PlusPlus,
    values: &'a mut [f32],
}

impl Fill<'_> {
    /// Fills a part with numbers around `centre`.
    pub(super) fn part(&mut self, range: Range<usize>, centre: f32, spread: f32) {
        for value in &mut self.values[range] {
            *value = centre + self.random.random_range(-spread..=spread);
        }
    }
}

/// A network under training.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    pub(crate) shape: Shape,
    /// What an output of 1.0 is worth, in centipawns.
    pub(crate) scale: f32,
    /// The numbers that are trained, in the order of the shape's ranges.
    pub(crate) values: Vec<f32>,
    /// Those of the network, which judge: rows with those of their groups added, all
    /// rounded as in the file or not.
    pub(crate) used: Vec<f32>,
    /// Which of these `used` holds.
    pub(crate) numbers: Numbers,
}

impl Model {
    /// What a training begins with: random numbers for networks.
    pub(crate) fn random(shape: Shape, scale: f64, seed: u64) -> Self {
        let mut values = vec![0.0; shape.trained()];
        let mut fill = Fill { random: Xoshiro256PlusPlus::seed_from_u64(seed), values: &mut values };
        match shape {
            Shape::Own(shape) => shape.fill(&mut fill),
            Shape::KP => k_p::fill(&mut fill),
            Shape::PieceSquare => piece_square::fill(fill.values, scale as f32),
        }
        let used = vec![0.0; shape.len()];
        let mut model = Self { shape, scale: scale as f32, values, used, numbers: Numbers::Trained };
        model.refresh();
        model
    }

    /// The parts of the numbers that are trained, in their order, and what they may be.
    pub(crate) fn grids(&self) -> Vec<(Range<usize>, Grid)> {
        match self.shape {
            Shape::Own(shape) => shape.grids(),
            Shape::KP => k_p::grids(self.scale),
            Shape::PieceSquare => piece_square::grids(self.scale),
        }
    }

    /// Judges from now on with rounded numbers, or with those that are trained.
    pub(crate) fn judge_with(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.refresh();
    }

    /// Makes the numbers that judge from those that are trained.
    pub(crate) fn refresh(&mut self) {
        let grids = self.grids();
        let Self { shape, values, used, numbers, .. } = self;
        let (network, groups) = values.split_at(shape.len());
        used.copy_from_slice(network);
        if let (Some(transformer), Some((_, grid))) = (shape.transformer(), grids.first()) {
            factors::fold(transformer, groups, grid.limit, used);
        }
        if *numbers == Numbers::Rounded {
            for (range, grid) in grids {
                let used = used.get_mut(range).unwrap_or_default();
                used.iter_mut().for_each(|value| *value = grid.round(*value));
            }
        }
    }

    /// Output for the side to move; leaves in `room` what [`backward`](Self::backward)
    /// needs.
    #[inline(always)]
    pub(super) fn forward(&self, entry: &Entry, room: &mut Room) -> f32 {
        match self.shape {
            Shape::Own(shape) => shape.forward(&self.used, entry, room),
            Shape::KP => k_p::forward(&self.used, entry, room),
            Shape::PieceSquare => piece_square::forward(&self.used, entry),
        }
    }

    /// Adds the gradient of one position times `slope`, the derivative of the loss by the
    /// output.
    #[inline(always)]
    pub(super) fn backward(&self, entry: &Entry, slope: f32, room: &mut Room, gradient: &mut [f32]) {
        match self.shape {
            Shape::Own(shape) => shape.backward(&self.used, entry, slope, room, gradient),
            Shape::KP => k_p::backward(&self.used, entry, slope, room, gradient),
            Shape::PieceSquare => piece_square::backward(entry, slope, gradient),
        }
    }
}
