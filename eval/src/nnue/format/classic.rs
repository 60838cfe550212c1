//! `nn.bin` of the classic family.
//!
//! Behind the description: the transformer (16-bit biases, then one row of weights
//! for each input), then three affine layers (32-bit biases, then one row of 8-bit
//! weights for each output, padded to 32 inputs).

use super::super::accumulator::Transformer;
use super::super::error::NetworkError;
use super::super::layers::{Affine, Layers, pad32};
use super::super::memory::Block;
use super::super::network::{Head, Network};
use super::super::simd::Simd;
use super::Header;
use super::cursor::Cursor;
use super::shape::{Classic, Evidence, SectionHashes, Shape};

/// What FV_SCALE is where a file does not say.
const SCALE: i32 = 16;

/// Reads what follows the description.
pub(crate) fn read(mut cursor: Cursor<'_>, header: &Header<'_>, simd: Simd) -> Result<Network, NetworkError> {
    let evidence = Evidence { body: cursor.rest(), file_hash: header.hash, text: header.text };
    let found = Classic::recognise(&evidence).ok_or_else(|| unknown(header, evidence.body.len()))?;
    let shape = found.shape;
    let skip_hash = |cursor: &mut Cursor<'_>| match found.hashes {
        SectionHashes::Present => cursor.u32("a section hash").map(drop),
        SectionHashes::Absent => Ok(()),
    };
    skip_hash(&mut cursor)?;
    let transformer = Transformer {
        features: shape.features,
        biases: words(&mut cursor, shape.width, "the transformer's biases")?,
        rows: words(&mut cursor, shape.width * shape.features.inputs(), "the transformer's weights")?,
    };
    skip_hash(&mut cursor)?;
    let layers = layers(&mut cursor, [2 * shape.width, shape.first, shape.second], shape.first, |_, _| true)?;
    cursor.end()?;
    Ok(Network {
        shape: Shape::Classic(shape),
        simd,
        transformer,
        head: Head::Classic(layers),
        scale: header.scale().unwrap_or(SCALE),
        hashes_agree: found.hashes_agree,
    })
}

/// Why a file of `length` bytes behind its description has no shape: most often a
/// part of it is missing, and its hash still says what it was.
fn unknown(header: &Header<'_>, length: usize) -> NetworkError {
    match Classic::named_by(header.hash) {
        Some(shape) => {
            let (shape, expected) = (Shape::Classic(shape).to_string(), shape.body_bytes());
            NetworkError::Length { offset: header.end, shape, expected, found: length }
        }
        None => NetworkError::UnknownShape { offset: header.end, length },
    }
}

/// The next `count` 16-bit numbers.
pub(crate) fn words(cursor: &mut Cursor<'_>, count: usize, part: &'static str) -> Result<Block<i16>, NetworkError> {
    let numbers = cursor.numbers::<2>(count, part)?;
    let mut block = Block::zeroed(count)?;
    block.iter_mut().zip(numbers).for_each(|(word, &bytes)| *word = i16::from_le_bytes(bytes));
    Ok(block)
}

/// The next three affine layers, with so many inputs each; the first has `outputs`.
/// A weight of the first layer counts only where `is_used` (output, input).
pub(crate) fn layers(
    cursor: &mut Cursor<'_>,
    inputs: [usize; 3],
    outputs: usize,
    is_used: impl Fn(usize, usize) -> bool,
) -> Result<Layers, NetworkError> {
    let first = Rows::read(cursor, inputs[0], outputs)?;
    let second = Rows::read(cursor, inputs[1], inputs[2])?;
    let last = Rows::read(cursor, inputs[2], 1)?;
    let mut last_weights = Block::zeroed(pad32(inputs[2]))?;
    (0..inputs[2]).for_each(|input| last_weights[input] = last.weight(0, input));
    let masked = |output, input| if is_used(output, input) { first.weight(output, input) } else { 0 };
    Ok(Layers {
        first: Affine::new(inputs[0], &first.biases, masked)?,
        second: Affine::new(inputs[1], &second.biases, |output, input| second.weight(output, input))?,
        last: last_weights,
        last_bias: last.biases.first().copied().unwrap_or_default(),
    })
}

/// An affine layer as it stands in a file.
struct Rows<'a> {
    biases: Vec<i32>,
    weights: &'a [u8],
    stride: usize,
}

impl<'a> Rows<'a> {
    fn read(cursor: &mut Cursor<'a>, inputs: usize, outputs: usize) -> Result<Self, NetworkError> {
        let biases = cursor.numbers(outputs, "the biases of a layer")?;
        let stride = pad32(inputs);
        let weights = cursor.take(outputs * stride, "the weights of a layer")?;
        Ok(Self { biases: biases.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect(), weights, stride })
    }

    fn weight(&self, output: usize, input: usize) -> i8 {
        self.weights[output * self.stride + input] as i8
    }
}
