//! Shapes: the table of trainable architectures.

use std::fmt;
use std::sync::Arc;

use crate::architecture::Architecture;
use crate::architecture::deep::Deep;
use crate::architecture::k_p::KP;
use crate::architecture::piece_square::PieceSquare;

/// A trainable architecture with its sizes.
#[derive(Clone, Debug)]
pub struct Shape(Arc<dyn Architecture>);

/// A row of the table of architectures.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// A noun for the result of a training.
    pub product: &'static str,
    build: fn(Option<usize>) -> Result<Shape, ShapeError>,
}

/// Every architecture that can be trained.
pub const KINDS: [Kind; 3] = [
    Kind {
        name: "deep",
        about: "Our own network, as it is built in: inputs from pieces and attacks, hidden layers",
        product: "network",
        build: deep,
    },
    Kind {
        name: "kp",
        about: "The standard network K-P 256x2-32-32, an nn.bin that other programs read, too",
        product: "network",
        build: |width| fixed(width, KP),
    },
    Kind {
        name: "piece-square",
        about: "The piece-square evaluation: its tables as text (Texel's method)",
        product: "tables",
        build: |width| fixed(width, PieceSquare),
    },
];

/// One of Enbu's own networks.
fn deep(width: Option<usize>) -> Result<Shape, ShapeError> {
    let width = width.unwrap_or(Deep::WIDTH);
    let is_valid = (64..=1024).contains(&width) && width.is_multiple_of(32);
    if is_valid { Ok(Shape::new(Deep { width })) } else { Err(ShapeError::Range) }
}

/// A shape without a width to choose.
fn fixed(width: Option<usize>, architecture: impl Architecture) -> Result<Shape, ShapeError> {
    if width.is_none() { Ok(Shape::new(architecture)) } else { Err(ShapeError::Fixed) }
}

/// The reason why there is no such shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The width is out of range.
    #[error("the width must be a multiple of 32 from 64 to 1024")]
    Range,
    /// A width was chosen for an architecture without a choice.
    #[error("this shape has no width to choose")]
    Fixed,
}

impl Kind {
    /// The shape with this accumulator width of each side (L1); `None`: the default.
    ///
    /// # Errors
    /// [`ShapeError`] when the width is out of range or cannot be chosen.
    ///
    /// ```
    /// use enbu_learn::KINDS;
    /// assert_eq!(KINDS[0].shape(Some(64)).expect("in range").to_string(), "deep width=64");
    /// assert!(KINDS[1].shape(Some(64)).is_err());
    /// ```
    pub fn shape(&self, width: Option<usize>) -> Result<Shape, ShapeError> {
        (self.build)(width)
    }
}

impl Shape {
    pub(crate) fn new(architecture: impl Architecture) -> Self {
        Self(Arc::new(architecture))
    }

    /// The shape of a checkpoint's code.
    pub(crate) fn from_code(code: [u32; 4]) -> Option<Self> {
        let width = (code[1] > 0).then_some(code[1] as usize);
        KINDS.iter().filter_map(|kind| kind.shape(width).ok()).find(|shape| shape.0.code() == code)
    }

    pub(crate) fn architecture(&self) -> &dyn Architecture {
        &*self.0
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::new(Deep { width: Deep::WIDTH })
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
            let shape = kind.shape(None).expect("default sizes");
            assert_eq!(Shape::from_code(shape.0.code()), Some(shape));
        }
        assert_eq!(Shape::from_code([4, 96, 0, 0]), KINDS[0].shape(Some(96)).ok());
        // 0 and 3 were the shapes of networks of versions 1 and 2.
        let former = [[0, 64, 1, 5], [3, 64, 1, 5]];
        let deep = [[4, 0, 0, 0], [4, 32, 0, 0], [4, 63, 0, 0], [4, 1056, 0, 0], [4, 96, 1, 0]];
        for code in former.into_iter().chain(deep).chain([[9, 0, 0, 0], [1, 96, 0, 0]]) {
            assert_eq!(Shape::from_code(code), None, "{code:?}");
        }
        assert_eq!(KINDS[0].shape(Some(63)), Err(ShapeError::Range));
        assert_eq!(KINDS[1].shape(Some(64)), Err(ShapeError::Fixed));
    }
}
