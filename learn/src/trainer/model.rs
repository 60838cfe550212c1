//! A network under training, and its gradients.

use enbu_isa::dispatch;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use crate::architecture::Workspace;
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
        let values = shape.architecture().fill(&mut Xoshiro256PlusPlus::seed_from_u64(seed), scale);
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
        let architecture = shape.architecture();
        let virtual_inputs = |input| architecture.virtual_inputs(input);
        let ranges = architecture.parts(*scale);
        // The bound of the weights of the first layer.
        let limit = ranges.first().map_or(f32::MAX, |(_, grid, _)| grid.limit);
        let (network, virtual_rows) = values.split_at(architecture.len());
        // A multiple of the width.
        let length = 64 * architecture.transformer().width.max(64);
        let (mut parts, mut rest) = (Vec::new(), used.as_mut_slice());
        for (range, grid, _) in ranges.into_iter().filter(|(range, ..)| range.end <= network.len()) {
            for values in network[range].chunks(length) {
                // The index of the first one, at the start of a row if it is in the first layer.
                let start = network.len() - rest.len();
                parts.push((grid, start, values, rest.split_off_mut(..values.len()).unwrap_or_default()));
            }
        }
        parts.into_par_iter().for_each(|(grid, start, values, used)| {
            dispatch(
                #[inline(always)]
                || {
                    used.copy_from_slice(values);
                    architecture.transformer().fold(virtual_inputs, virtual_rows, limit, start, used);
                    if *numbers == Numbers::Rounded {
                        used.iter_mut().for_each(|value| *value = grid.round(*value));
                    }
                },
            )
        });
    }

    /// The bytes of the network's file.
    pub(super) fn quantise(&self, name: &str) -> Result<Vec<u8>, QuantiseError> {
        let mut model = self.clone();
        model.evaluate_with(Numbers::Rounded);
        model.shape.architecture().quantise(&model.used, model.scale, name)
    }
}

/// The gradient of a slice of a batch, and memory to compute it.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    /// Sums over the positions, in the order of the trained parameters.
    pub(super) sums: Vec<f32>,
    /// Sum of the losses of the last slice.
    pub(super) loss: f64,
    pub(super) workspace: Workspace,
}

impl Gradient {
    pub(super) fn new(shape: &Shape) -> Self {
        Self {
            sums: vec![0.0; shape.architecture().trained()],
            loss: 0.0,
            workspace: Workspace::new(shape.architecture()),
        }
    }
}
