//! A network under training.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::architecture::{Fill, Quantised};
use crate::quantise::QuantiseError;
use crate::shape::Shape;

/// Precision of the parameters that evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Numbers {
    /// Floating point, as trained.
    Trained,
    /// Rounded to the grids of the file.
    Rounded,
}

/// A network under training.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) shape: Shape,
    /// The worth of an output of 1.0 in centipawns.
    pub(super) scale: f32,
    /// The trained parameters.
    pub(super) values: Vec<f32>,
    /// The parameters that evaluate: the network's with those of virtual inputs added,
    /// rounded or not.
    pub(super) used: Vec<f32>,
    /// The precision of `used`.
    pub(super) numbers: Numbers,
}

impl Model {
    /// The initial network.
    pub(super) fn random(shape: Shape, scale: f64, seed: u64) -> Self {
        let scale = scale as f32;
        let mut values = vec![0.0; shape.architecture().trained()];
        shape
            .architecture()
            .fill(&mut Fill { random: Xoshiro256PlusPlus::seed_from_u64(seed), values: &mut values }, scale);
        let used = vec![0.0; shape.architecture().len()];
        let mut model = Self { shape, scale, values, used, numbers: Numbers::Trained };
        model.refresh();
        model
    }

    /// Sets the precision of the parameters that evaluate.
    pub(super) fn evaluate_with(&mut self, numbers: Numbers) {
        self.numbers = numbers;
        self.refresh();
    }

    /// Computes the parameters that evaluate from the trained ones.
    pub(super) fn refresh(&mut self) {
        let Self { shape, scale, values, used, numbers } = self;
        let ranges = shape.architecture().ranges(*scale);
        let (network, virtual_rows) = values.split_at(shape.architecture().len());
        used.copy_from_slice(network);
        if let Some((_, grid)) = ranges.first() {
            let virtual_inputs = |input| shape.architecture().virtual_inputs(input);
            shape.architecture().transformer().fold(virtual_inputs, virtual_rows, grid.limit, used);
        }
        if *numbers == Numbers::Rounded {
            for (range, grid) in ranges {
                let used = used.get_mut(range).unwrap_or_default();
                used.iter_mut().for_each(|value| *value = grid.round(*value));
            }
        }
    }

    /// The network in the integers of its file.
    ///
    /// # Errors
    /// [`QuantiseError`] when a parameter does not fit.
    pub(super) fn quantise(&self, name: &str) -> Result<Box<dyn Quantised>, QuantiseError> {
        let mut model = self.clone();
        model.evaluate_with(Numbers::Rounded);
        model.shape.architecture().quantise(&model.used, model.scale, name)
    }
}
