//! Shapes: the table of trainable architectures.

use std::fmt;
use std::sync::Arc;

use crate::architecture::Architecture;
use crate::architecture::deep::Deep;
use crate::architecture::k_p::KP;
use crate::architecture::own::{AttackInputs, InputSet, Own, OwnInputs};
use crate::architecture::piece_square::PieceSquare;
use crate::loops::Loops;

/// A trainable architecture with its sizes.
#[derive(Clone, Debug)]
pub struct Shape(Arc<dyn Loops>);

/// Sizes to choose; `None`: the default of the architecture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// L1: accumulator width of each side.
    pub width: Option<usize>,
    /// Outputs, one of which the pieces in hand choose.
    pub buckets: Option<usize>,
    /// Pieces in hand for each output.
    pub bucket_step: Option<u32>,
}

/// A row of the table of architectures.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// A noun for the result of a training.
    pub product: &'static str,
    build: fn(Sizes) -> Result<Shape, ShapeError>,
}

/// Every architecture that can be trained.
pub const KINDS: [Kind; 5] = [
    Kind { name: "own", about: "Our own network, as it is built in", product: "network", build: own::<OwnInputs> },
    Kind {
        name: "attacks",
        about: "Our own network with inputs from attacks: around both kings, and who attacks what",
        product: "network",
        build: own::<AttackInputs>,
    },
    Kind {
        name: "deep",
        about: "Our own network with inputs from attacks and hidden layers",
        product: "network",
        build: deep,
    },
    Kind {
        name: "kp",
        about: "The standard network K-P 256x2-32-32, an nn.bin that other programs read, too",
        product: "network",
        build: |sizes| fixed(sizes, KP),
    },
    Kind {
        name: "piece-square",
        about: "The piece-square evaluation: its tables as text (Texel's method)",
        product: "tables",
        build: |sizes| fixed(sizes, PieceSquare),
    },
];

/// One of Enbu's own networks.
fn own<I: InputSet>(sizes: Sizes) -> Result<Shape, ShapeError> {
    let Own { width, buckets, bucket_step, inputs } = Own::<I>::default();
    let own = Own {
        width: sizes.width.unwrap_or(width),
        buckets: sizes.buckets.unwrap_or(buckets),
        bucket_step: sizes.bucket_step.unwrap_or(bucket_step),
        inputs,
    };
    if own.is_valid() { Ok(Shape::new(own)) } else { Err(ShapeError::Range) }
}

/// Our own network with hidden layers.
fn deep(sizes: Sizes) -> Result<Shape, ShapeError> {
    let deep = Deep { width: sizes.width.unwrap_or(Deep::default().width) };
    match sizes {
        Sizes { buckets: None, bucket_step: None, .. } if deep.is_valid() => Ok(Shape::new(deep)),
        Sizes { buckets: None, bucket_step: None, .. } => Err(ShapeError::Range),
        _ => Err(ShapeError::Fixed),
    }
}

/// A shape without sizes to choose.
fn fixed(sizes: Sizes, architecture: impl Architecture) -> Result<Shape, ShapeError> {
    if sizes == Sizes::default() { Ok(Shape::new(architecture)) } else { Err(ShapeError::Fixed) }
}

/// The reason why there is no such shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A size is out of range.
    #[error("the width must be a multiple of 32 from 64 to 1024, buckets 1 to 16, pieces in hand for each 1 to 38")]
    Range,
    /// Sizes were chosen for an architecture without a choice of them.
    #[error("this shape has no such size to choose")]
    Fixed,
}

impl Kind {
    /// The shape with these sizes.
    ///
    /// # Errors
    /// [`ShapeError`] when a size is out of range or cannot be chosen.
    ///
    /// ```
    /// use enbu_learn::{KINDS, Sizes};
    /// let wide = Sizes { width: Some(128), ..Sizes::default() };
    /// assert_eq!(KINDS[0].shape(wide).expect("in range").to_string(), "width=128 buckets=1x5");
    /// assert!(KINDS[3].shape(wide).is_err());
    /// ```
    pub fn shape(&self, sizes: Sizes) -> Result<Shape, ShapeError> {
        (self.build)(sizes)
    }
}

impl Shape {
    pub(crate) fn new(architecture: impl Architecture) -> Self {
        Self(Arc::new(architecture))
    }

    /// The shape of a checkpoint's code.
    pub(crate) fn from_code(code: [u32; 4]) -> Option<Self> {
        let [_, width, buckets, bucket_step] = code;
        let size = |size: u32| (size > 0).then_some(size);
        let sizes = Sizes {
            width: size(width).map(|size| size as usize),
            buckets: size(buckets).map(|size| size as usize),
            bucket_step: size(bucket_step),
        };
        KINDS.iter().filter_map(|kind| kind.shape(sizes).ok()).find(|shape| shape.0.code() == code)
    }

    /// The architecture, with its loops over positions.
    pub(crate) fn architecture(&self) -> &dyn Loops {
        &*self.0
    }
}

impl Default for Shape {
    /// Enbu's own network of the smallest size.
    fn default() -> Self {
        Self::new(Own::<OwnInputs>::default())
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.0.code() == other.0.code()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_code() {
        for kind in KINDS {
            let shape = kind.shape(Sizes::default()).expect("default sizes");
            assert_eq!(Shape::from_code(shape.0.code()), Some(shape));
        }
        let wide = Sizes { width: Some(96), ..Sizes::default() };
        assert_eq!(Shape::from_code([4, 96, 0, 0]), KINDS[2].shape(wide).ok());
        let deep = [[4, 0, 0, 0], [4, 32, 0, 0], [4, 63, 0, 0], [4, 1056, 0, 0], [4, 96, 1, 0]];
        let own = [[0, 0, 1, 5], [0, 63, 1, 5], [3, 1056, 1, 5], [3, 64, 0, 5], [3, 64, 17, 5], [0, 64, 1, 0]];
        for code in deep.into_iter().chain(own).chain([[9, 0, 0, 0], [1, 96, 0, 0], [0, 64, 1, 39]]) {
            assert_eq!(Shape::from_code(code), None, "{code:?}");
        }
        assert_eq!(KINDS[0].shape(Sizes { width: Some(63), ..Sizes::default() }), Err(ShapeError::Range));
        assert_eq!(KINDS[2].shape(Sizes { buckets: Some(1), ..Sizes::default() }), Err(ShapeError::Fixed));
    }
}
