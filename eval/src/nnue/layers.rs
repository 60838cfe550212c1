//! The layers of networks after the first layer, in exact integers.
//!
//! Both families of standard `nn.bin` end in the same three affine layers (8-bit weights,
//! 32-bit sums) and differ in the activation between the first two.

use std::collections::TryReserveError;

use super::memory::Block;
use super::simd::{Kernels, Tail};

pub use super::simd::{HIDDEN, SECOND};

/// The integer that 1.0 is among the sums of the first hidden layer.
pub const HIDDEN_SUM_UNIT: i32 = 8192;
/// The integer that 1.0 is among the outputs of both hidden layers.
pub const ACTIVATION_UNIT: i32 = 1024;
/// The integer that 1.0 is among the weights of the second hidden layer and the output.
pub const FINE_UNIT: i32 = 4096;

/// Rounds `count` up to a multiple of 32.
pub(crate) const fn pad32(count: usize) -> usize {
    count.next_multiple_of(32)
}

/// An affine layer with 8-bit weights, in the order [`Kernels::affine`] takes them.
#[derive(Debug)]
pub(crate) struct Affine {
    biases: Block<i32>,
    weights: Block<i8>,
}

impl Affine {
    /// A layer with the weights `weight(output, input)`; inputs are padded with zeros to a
    /// multiple of four.
    pub(crate) fn new(
        inputs: usize,
        biases: &[i32],
        weight: impl Fn(usize, usize) -> i8,
    ) -> Result<Self, TryReserveError> {
        let outputs = biases.len();
        let mut weights = Block::zeroed(inputs.next_multiple_of(4) * outputs)?;
        for (index, slot) in weights.iter_mut().enumerate() {
            let (group, output, input) = (index / (4 * outputs), index / 4 % outputs, index % 4);
            if 4 * group + input < inputs {
                *slot = weight(output, 4 * group + input);
            }
        }
        Ok(Self { biases: Block::copy_of(biases)?, weights })
    }

    pub(crate) fn inputs(&self) -> usize {
        self.weights.len() / self.biases.len()
    }

    pub(crate) fn outputs(&self) -> usize {
        self.biases.len()
    }

    #[inline(always)]
    pub(super) fn forward<K: Kernels>(&self, kernels: K, inputs: &[u8], sums: &mut [i32]) {
        kernels.affine(inputs, &self.weights, &self.biases, sums);
    }
}

/// The three affine layers of a small network.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) first: Affine,
    pub(crate) second: Affine,
    /// Weights of the output, padded with zeros to whole vectors.
    pub(crate) last: Block<i8>,
    pub(crate) last_bias: i32,
}

/// Intermediate values, so that a search does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    /// Inputs of the first layer.
    pub(crate) inputs: Block<u8>,
    sums: Block<i32>,
    hidden: Block<u8>,
    last: Block<u8>,
}

impl Scratch {
    /// Scratch memory for `layers` and all others of the same shape.
    pub(crate) fn new(layers: &Layers) -> Result<Self, TryReserveError> {
        Ok(Self {
            inputs: Block::zeroed(layers.first.inputs())?,
            sums: Block::zeroed(layers.first.outputs().max(layers.second.outputs()))?,
            hidden: Block::zeroed(layers.second.inputs())?,
            last: Block::zeroed(layers.last.len())?,
        })
    }

    /// Memory for inputs alone.
    pub(crate) fn of_inputs(count: usize) -> Result<Self, TryReserveError> {
        let (sums, hidden, last) = (Block::zeroed(0)?, Block::zeroed(0)?, Block::zeroed(0)?);
        Ok(Self { inputs: Block::zeroed(count)?, sums, hidden, last })
    }
}

impl Layers {
    /// The output of the classic family: each hidden value is the sum divided by
    /// 64, limited to 0..=127. The inputs are in `scratch`.
    #[inline(always)]
    pub(crate) fn classic<K: Kernels>(&self, kernels: K, scratch: &mut Scratch) -> i32 {
        let sums = &mut scratch.sums[..self.first.outputs()];
        self.first.forward(kernels, &scratch.inputs, sums);
        kernels.activate(sums, &mut scratch.hidden);
        self.rest(kernels, scratch)
    }

    /// The output of the layer-stack family: the second layer takes each of the first
    /// `width` sums squared and plain; the next sum, if any, is a skip connection to the
    /// output. The inputs are in `scratch`.
    #[inline(always)]
    pub(crate) fn stack<K: Kernels>(&self, kernels: K, width: usize, scratch: &mut Scratch) -> i32 {
        let sums = &mut scratch.sums[..self.first.outputs()];
        self.first.forward(kernels, &scratch.inputs, sums);
        let shortcut = sums.get(width).copied().unwrap_or(0);
        for (index, &sum) in sums[..width].iter().enumerate() {
            let square = (i64::from(sum) * i64::from(sum)) >> 19;
            scratch.hidden[index] = square.min(127) as u8;
            scratch.hidden[width + index] = (sum >> 6).clamp(0, 127) as u8;
        }
        self.rest(kernels, scratch).wrapping_add(shortcut)
    }

    #[inline(always)]
    fn rest<K: Kernels>(&self, kernels: K, scratch: &mut Scratch) -> i32 {
        let outputs = self.second.outputs();
        let sums = &mut scratch.sums[..outputs];
        self.second.forward(kernels, &scratch.hidden, sums);
        kernels.activate(sums, &mut scratch.last[..outputs]);
        kernels.dot(&scratch.last, &self.last).wrapping_add(self.last_bias)
    }
}

/// The layers after the first of [`own`](super::own) networks of version 3, in exact integers.
#[derive(Debug)]
pub(crate) struct Deep {
    /// The first hidden layer.
    pub(crate) first: Affine,
    /// The layers after it.
    pub(crate) tail: Tail,
}

impl Deep {
    /// The unscaled output for the sums of the first layer from pieces and from attacks, the side to
    /// move's first; `scratch` has room for the inputs of the first hidden layer.
    #[inline(always)]
    pub(crate) fn raw<K: Kernels>(
        &self,
        kernels: K,
        pieces: [&[i16]; 2],
        attacks: [&[i16]; 2],
        scratch: &mut [u8],
    ) -> i32 {
        let parts = scratch.chunks_exact_mut(self.first.inputs() / 2);
        for (part, (pieces, attacks)) in parts.zip(pieces.into_iter().zip(attacks)) {
            kernels.wide_products(pieces, attacks, part);
        }
        let mut sums = [0; HIDDEN];
        self.first.forward(kernels, &*scratch, &mut sums);
        kernels.tail(&sums, &self.tail)
    }
}

impl Tail {
    /// The layers with the weights in the order of a file: 2 × [`HIDDEN`] rows of [`SECOND`].
    pub(crate) fn new(rows: &[i16], biases: &[i32], last: &[i16], bias: i32) -> Self {
        let mut tail = Self { pairs: [[[0; 2]; SECOND]; HIDDEN], biases: [0; SECOND], last: [0; SECOND], bias };
        let (limited, squares) = rows.split_at(HIDDEN * SECOND);
        let weights = limited.iter().zip(squares);
        tail.pairs.as_flattened_mut().iter_mut().zip(weights).for_each(|(pair, (&a, &b))| *pair = [a, b]);
        tail.biases.copy_from_slice(biases);
        tail.last.iter_mut().zip(last).for_each(|(number, &weight)| *number = weight.into());
        tail
    }
}
