//! Architectures of networks: the interface to the trainer, and one file each.
//!
//! | module | contents |
//! |---|---|
//! | `transformer` | the first layer: weight rows of the active inputs, summed for both sides |
//! | `block` | the active inputs of many positions, sorted by input |
//! | `factors` | virtual inputs, whose rows many inputs share during training |
//! | `layer` | affine layers after the first |
//! | `deep` | Enbu's own networks |
//! | `k_p` | the standard network K-P 256x2-32-32 |
//! | `piece_square` | the piece-square evaluation, fitted like a network |
//!
//! A new architecture is a new file with an implementation of [`Architecture`], and a row
//! in the table [`KINDS`](crate::shape::KINDS). One with a first layer lists its inputs. Those
//! that do not follow from single pieces (attacks) are computed from the board that an
//! [`Entry`] describes.

pub(crate) mod block;
pub(crate) mod deep;
pub(crate) mod factors;
pub(crate) mod k_p;
mod layer;
pub(crate) mod piece_square;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod transformer;

use std::fmt;
use std::ops::Range;

use enbu_eval::nnue::NetworkError;
use enbu_isa::dispatch;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::entry::Entry;
use crate::loss::{Target, sigmoid};
use crate::quantise::QuantiseError;
use block::{Active, BLOCK, TILE, Tile, Tiles, Views};
use factors::VirtualInputs;
use transformer::Transformer;

/// An architecture with its sizes.
///
/// A network is a list of parameters: those of its layers, which the file holds too, and
/// after them those of virtual inputs, which exist only during training.
pub(crate) trait Architecture: fmt::Debug + Send + Sync + 'static {
    /// The kind and the sizes as text.
    fn name(&self) -> String;

    /// The code of the kind, a number of its own, and three sizes, as checkpoints store them.
    fn code(&self) -> [u32; 4];

    /// The number of parameters that the network evaluates with.
    fn len(&self) -> usize;

    /// The number of trained parameters: [`len`](Self::len) and those of virtual inputs.
    fn trained(&self) -> usize {
        self.len() + factors::COUNT * self.transformer().width
    }

    /// The first layer; default: one without inputs and outputs.
    fn transformer(&self) -> Transformer {
        Transformer::default()
    }

    /// Lists the active inputs of the first layer. `#[inline(always)]`, so that the loops over
    /// positions are compiled once for each instruction set.
    fn list(&self, _entry: &Entry, _views: &mut Views) {}

    /// The [virtual inputs](factors) that are active with an input of the first layer.
    fn virtual_inputs(&self, _input: usize) -> VirtualInputs {
        [None; 3]
    }

    /// Consecutive ranges that cover the trained parameters, each with its [`Grid`] and the
    /// centre and spread of its initial values; the first holds the first layer. `scale` is the
    /// worth of an output of 1.0 in centipawns.
    fn parts(&self, scale: f32) -> Vec<Part>;

    /// The epsilon of AdamW, below which gradients move their parameters less. Default: the
    /// paper's 1e-8, so that the rows of rare inputs learn as fast as others.
    fn epsilon(&self) -> f32 {
        1e-8
    }

    /// Draws the initial parameters uniformly; those without a spread are 0.
    fn fill(&self, random: &mut Xoshiro256PlusPlus, scale: f32) -> Vec<f32> {
        let mut values = vec![0.0; self.trained()];
        for (range, _, [centre, spread]) in self.parts(scale).into_iter().filter(|(.., [_, spread])| *spread > 0.0) {
            values[range].fill_with(|| centre + random.random_range(-spread..=spread));
        }
        values
    }

    /// The output for the side to move with the accumulators in `workspace`, which keeps what
    /// [`backward`](Self::backward) needs. `#[inline(always)]` as well.
    fn forward(&self, parameters: &[f32], entry: &Entry, workspace: &mut Workspace) -> f32;

    /// Adds `slope` times the derivatives of the output by the parameters after the first
    /// layer to `gradient`, and replaces the accumulators with those by them, after
    /// [`forward`](Self::forward) for the same entry. `#[inline(always)]` as well.
    fn backward(&self, parameters: &[f32], entry: &Entry, slope: f32, workspace: &mut Workspace, gradient: &mut [f32]);

    /// The bytes of the network's file, from parameters that are rounded to their grids.
    fn quantise(&self, parameters: &[f32], scale: f32, name: &str) -> Result<Vec<u8>, QuantiseError>;

    /// The parameters that evaluate, from one of Enbu's own networks in a file; default: `None`,
    /// as for a network of another shape.
    fn restore(&self, _bytes: &[u8]) -> Result<Option<Vec<f32>>, NetworkError> {
        Ok(None)
    }

    /// Adds the gradient of a batch's losses to `gradient`; returns the sum of the losses. As a method of
    /// a trait object it costs one indirect call a batch instead of one a position.
    fn learn(&self, parameters: &[f32], batch: Batch<'_>, workspace: &mut Workspace, gradient: &mut [f32]) -> f64 {
        let Batch { entries, order, target } = batch;
        dispatch(
            #[inline(always)]
            || {
                let mut loss = 0.0;
                let mut block = Vec::with_capacity(BLOCK);
                for order in order.chunks(BLOCK) {
                    // Copied in a loop of its own, in which the cache misses overlap.
                    block.clear();
                    block.extend(order.iter().map(|&index| entries[index as usize]));
                    workspace.begin(self, parameters, &block);
                    for (position, entry) in block.iter().enumerate() {
                        workspace.load(position);
                        let share = sigmoid(self.forward(parameters, entry, workspace));
                        let error = share - target.of(entry);
                        loss += f64::from(error * error);
                        self.backward(parameters, entry, 2.0 * error * share * (1.0 - share), workspace, gradient);
                        workspace.store(position);
                    }
                    workspace.end(self, gradient);
                }
                loss
            },
        )
    }

    /// The outputs for `entries`, in their order.
    fn outputs(&self, parameters: &[f32], entries: &[Entry]) -> Vec<f32> {
        let mut workspace = Workspace::new(self);
        let mut outputs = Vec::with_capacity(entries.len());
        dispatch(
            #[inline(always)]
            || {
                for block in entries.chunks(BLOCK) {
                    workspace.begin(self, parameters, block);
                    outputs.extend(block.iter().enumerate().map(|(position, entry)| {
                        workspace.load(position);
                        self.forward(parameters, entry, &mut workspace)
                    }));
                }
                outputs
            },
        )
    }
}

/// A slice of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) entries: &'a [Entry],
    /// Indices of the entries to learn from.
    pub(crate) order: &'a [u32],
    pub(crate) target: Target,
}

/// Consecutive parameters, the values that they can take, and the centre and spread of their initial
/// values.
pub(crate) type Part = (Range<usize>, Grid, [f32; 2]);

/// Consecutive ranges of these lengths.
#[inline(always)]
const fn consecutive<const N: usize>(mut start: usize, lengths: [usize; N]) -> [Range<usize>; N] {
    let mut ranges = [const { 0..0 }; N];
    let mut index = 0;
    while index < N {
        ranges[index] = start..start + lengths[index];
        start += lengths[index];
        index += 1;
    }
    ranges
}

/// The values that a parameter can take in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// The integer that 1.0 becomes.
    pub(crate) unit: f32,
    /// Parameters stay within ±`limit`.
    pub(crate) limit: f32,
}

impl Grid {
    /// The nearest value that the file can hold.
    #[inline(always)]
    pub(crate) fn round(self, value: f32) -> f32 {
        (value * self.unit).round() / self.unit
    }
}

/// Units of the widest hidden layer.
pub(crate) const HIDDEN: usize = 32;

/// Intermediate values: first those of the forward pass, then the derivatives by them.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    /// The accumulators of both sides of a position.
    pub(crate) sums: [Vec<f32>; 2],
    /// The sums of its hidden layers.
    pub(crate) hidden: [[f32; HIDDEN]; 2],
    /// Active inputs of a position as both sides number them.
    views: Views,
    /// The active inputs of a block.
    active: Active,
    /// The accumulators of a block, in tiles.
    tiles: Vec<Tiles>,
}

impl Workspace {
    pub(crate) fn new(architecture: &(impl Architecture + ?Sized)) -> Self {
        let Transformer { inputs, width } = architecture.transformer();
        Self {
            sums: [vec![0.0; width], vec![0.0; width]],
            hidden: [[0.0; HIDDEN]; 2],
            views: Views::new(),
            active: Active::new(inputs),
            tiles: vec![[Tile([0.0; TILE]); 2 * BLOCK]; width / TILE],
        }
    }

    /// Computes the accumulators of a block of positions.
    #[inline(always)]
    pub(crate) fn begin(&mut self, architecture: &(impl Architecture + ?Sized), parameters: &[f32], entries: &[Entry]) {
        self.active.clear();
        for entry in entries {
            architecture.list(entry, &mut self.views);
            self.active.push(&self.views);
        }
        self.active.sort();
        architecture.transformer().forward(parameters, &self.active, &mut self.tiles);
    }

    /// Sets the accumulators to those of a position of the block.
    #[inline(always)]
    pub(crate) fn load(&mut self, position: usize) {
        for (side, sums) in self.sums.iter_mut().enumerate() {
            let tiles = sums.as_chunks_mut().0.iter_mut().zip(&self.tiles);
            tiles.for_each(|(sums, tiles)| *sums = tiles[2 * position + side].0);
        }
    }

    /// Keeps the derivatives by the accumulators of a position of the block.
    #[inline(always)]
    pub(crate) fn store(&mut self, position: usize) {
        for (side, sums) in self.sums.iter().enumerate() {
            let tiles = sums.as_chunks().0.iter().zip(&mut self.tiles);
            tiles.for_each(|(sums, tiles)| tiles[2 * position + side].0 = *sums);
        }
    }

    /// Adds the derivatives by the first layer's parameters to `gradient`, after all positions
    /// of the block are [stored](Self::store).
    #[inline(always)]
    pub(crate) fn end(&self, architecture: &(impl Architecture + ?Sized), gradient: &mut [f32]) {
        architecture.transformer().backward(&self.active, &self.tiles, gradient);
    }
}
