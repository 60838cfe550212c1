//! Efficiently updatable neural networks (NNUE): a wide first layer, whose accumulators
//! are updated move by move, and a small network after it.
//!
//! | module | contents |
//! |---|---|
//! | [`features`] | sets of inputs, and the active inputs of a position |
//! | `attacks` | inputs from attacks, and their sums |
//! | `accumulator` | the accumulators of the first layer, updated incrementally |
//! | `layers` | the layers after the first |
//! | `selector` | the choice among several small networks |
//! | `shape` | the sizes of a classic network, and their recognition from a file |
//! | `network` | a network of any family, and its values |
//! | `simd` | kernels for each instruction set, and the scalar reference |
//! | `format` | files: standard `nn.bin` of all shapes ([`classic`] is also written), and Enbu's [`own`] |
//! | [`embedded`] | the network in the binary |
//!
//! A [`Network`] is read once and shared by all threads; an
//! [`Evaluator`](crate::Evaluator) holds the state of one line of play.

mod accumulator;
mod attacks;
pub mod embedded;
mod error;
pub mod features;
mod format;
mod layers;
mod memory;
pub(crate) mod network;
mod selector;
pub(crate) mod shape;
mod simd;

pub use error::NetworkError;
pub use features::FeatureSet;
pub use format::{classic, own};
pub use network::{Explanation, Network, Side};
pub use shape::Classic;
pub use simd::{NoSuchPath, Simd};
