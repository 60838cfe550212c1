//! The layers after the first in Enbu's own networks of version 3, in exact integers; the
//! format ([`own`](super::own)) has their formula.

use super::layers::Affine;
use super::simd::{Kernels, Tail};

pub use super::simd::{HIDDEN, SECOND};

/// The integer that 1.0 is among the sums of the first hidden layer.
pub const HIDDEN_SUM_UNIT: i32 = 8192;
/// The integer that 1.0 is among the outputs of both hidden layers.
pub const ACTIVATION_UNIT: i32 = 1024;
/// The integer that 1.0 is among the weights of the second hidden layer and the output.
pub const FINE_UNIT: i32 = 4096;

/// The layers after the first.
#[derive(Debug)]
pub(crate) struct Deep {
    /// The first hidden layer.
    pub(crate) first: Affine,
    /// The layers after it.
    pub(crate) tail: Tail,
}

impl Deep {
    /// The unscaled output for the sums of the first layer, the side to move's first; `scratch`
    /// has room for the inputs of the first hidden layer.
    #[inline(always)]
    pub(crate) fn raw<K: Kernels>(&self, kernels: K, [own, enemy]: [&[i16]; 2], scratch: &mut [u8]) -> i32 {
        let (for_own, for_enemy) = scratch.split_at_mut(own.len() / 2);
        kernels.wide_products(own, for_own);
        kernels.wide_products(enemy, for_enemy);
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
