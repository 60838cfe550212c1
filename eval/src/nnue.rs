//! Efficiently updatable neural networks: piece-square tables whose entries are
//! vectors, and a small network behind them.
//!
//! | module | what lives there |
//! |---|---|
//! | [`features`] | which inputs a position switches on |
//! | `accumulator` | the transformer's sums, kept up to date along a line |
//! | `layers` | the small networks of standard files, in exact integers |
//! | `selector` | which of several small networks judges a position |
//! | `network` | a network of any kind, and its values |
//! | `simd` | the kernels, for each kind of processor; the scalar reference |
//! | `format` | files: standard `nn.bin` of all shapes ([`classic`]: one of them is written), and [`own`] ones |
//! | [`embedded`] | the network inside the program |
//!
//! A [`Network`] is read once and shared by all threads;
//! an [`Evaluator`](crate::Evaluator) holds what one line of play needs.

mod accumulator;
pub mod embedded;
mod error;
pub mod features;
mod format;
mod layers;
mod memory;
pub(crate) mod network;
mod selector;
mod simd;

pub use error::NetworkError;
pub use features::FeatureSet;
pub use format::shape::{Classic, Shape};
pub use format::{classic, own};
pub use network::{Explanation, Network, Side};
pub use selector::{HandBuckets, KingBuckets, Selector};
pub use simd::{NoSuchPath, Simd};
