//! `nn.bin` of the classic family.
//!
//! After the description: the first layer (16-bit biases, then one row of weights
//! for each input), then three affine layers (32-bit biases, then one row of 8-bit
//! weights for each output, padded to 32 inputs).

use enbu_language::Words;

use super::cursor::Cursor;
use super::header::{Header, VERSION};
use super::own;
use crate::nnue::accumulator::Transformer;
use crate::nnue::error::NetworkError;
use crate::nnue::features::FeatureSet;
use crate::nnue::layers::{Affine, Layers, pad32};
use crate::nnue::memory::{Block, Constants};
use crate::nnue::network::{Head, Network};
use crate::nnue::shape::{Classic, Evidence, SectionHashes};
use crate::nnue::simd::Simd;

/// The default of FV_SCALE.
const SCALE: i32 = 16;

/// The integer that 1.0 is after the first layer and after each hidden layer.
pub const UNIT: i32 = 127;
/// The integer that 1.0 is among the weights of hidden layers, which are limited to ±127.
pub const WEIGHT_UNIT: i32 = 64;

/// The number in K-P files of an input of [Enbu's own networks](own). K-P files do not mirror.
///
/// ```
/// use enbu_eval::nnue::classic::k_p_input;
/// // Own pawn on 1a, enemy pawn in hand, and the enemy king on 9i.
/// assert_eq!([0, 1172 + 1134, 1172 + 7 * 81 + 80].map(k_p_input), [90, 20, 1629 + 80]);
/// ```
pub const fn k_p_input(input: u16) -> u16 {
    own::numbered(input, FeatureSet::Kp)
}

/// The parts of a file, for a trainer. Reading the file checks that they fit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// A name in ASCII, for the description.
    pub name: String,
    /// The sizes.
    pub shape: Classic,
    /// FV_SCALE, the divisor from the output to centipawns; 1 to 128.
    pub scale: u32,
    /// One for each sum of a side, 127 = 1.0.
    pub biases: Vec<i16>,
    /// A row as long as `biases` for each input.
    pub rows: Vec<i16>,
    /// The affine layers, applied to both accumulators, the side to move first.
    pub layers: [AffineParts; 3],
}

/// An affine layer of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineParts {
    /// One for each output; 127 × 64 = 1.0 in hidden layers.
    pub biases: Vec<i32>,
    /// For each output one for each input; 64 = 1.0 in hidden layers.
    pub weights: Vec<i8>,
}

impl Parts {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let (transformer, network) = (self.shape.transformer_hash().unwrap_or_default(), self.shape.network_hash());
        let text = format!("{},fv_scale={},name={}", self.shape.description(), self.scale, self.name);
        let mut bytes = Vec::new();
        for number in [VERSION, transformer ^ network, text.len() as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(text.as_bytes());
        bytes.extend(transformer.to_le_bytes());
        for part in [&self.biases, &self.rows] {
            part.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        bytes.extend(network.to_le_bytes());
        self.layers.iter().for_each(|layer| layer.encode(&mut bytes));
        bytes
    }
}

impl AffineParts {
    fn encode(&self, bytes: &mut Vec<u8>) {
        self.biases.iter().for_each(|bias| bytes.extend(bias.to_le_bytes()));
        let inputs = self.weights.len() / self.biases.len().max(1);
        for row in self.weights.chunks(inputs.max(1)) {
            bytes.extend(row.iter().map(|&weight| weight as u8));
            bytes.extend(std::iter::repeat_n(0, pad32(inputs) - inputs));
        }
    }
}

/// Reads the network after the description.
pub(crate) fn read(mut cursor: Cursor<'_>, header: &Header<'_>, simd: Simd) -> Result<Network, NetworkError> {
    let evidence = Evidence { body: cursor.rest(), file_hash: header.hash, text: header.text };
    let found = Classic::recognise(&evidence).ok_or_else(|| unknown(header, evidence.body.len()))?;
    let shape = found.shape;
    let skip_hash = |cursor: &mut Cursor<'_>| match found.hashes {
        SectionHashes::Present => cursor.u32(Words("a section hash", "区画のハッシュ")).map(drop),
        SectionHashes::Absent => Ok(()),
    };
    skip_hash(&mut cursor)?;
    let transformer = Transformer {
        features: shape.features,
        biases: cursor.words(shape.width, Words("the first layer's biases", "第 1 層のバイアス"))?,
        rows: cursor
            .words(shape.width * shape.features.inputs(), Words("the first layer's weights", "第 1 層の重み"))
            .map(Constants::Read)?,
    };
    skip_hash(&mut cursor)?;
    let layers = layers(&mut cursor, [2 * shape.width, shape.first, shape.second], shape.first, |_, _| true)?;
    cursor.end()?;
    Ok(Network {
        shape: shape.to_string(),
        simd,
        transformer,
        attacks: None,
        head: Head::Classic(layers),
        scale: header.scale().unwrap_or(SCALE),
        hashes_agree: found.hashes_agree,
    })
}

/// The error for a file without a shape, with `length` bytes after the description. Most
/// often a part is missing, and the hash still names the shape.
fn unknown(header: &Header<'_>, length: usize) -> NetworkError {
    match Classic::named_by(header.hash) {
        Some(shape) => {
            let (shape, expected) = (shape.to_string(), shape.body_bytes());
            NetworkError::Length { offset: header.end, shape, expected, found: length }
        }
        None => NetworkError::UnknownShape { offset: header.end, length },
    }
}

/// Reads three affine layers with the given numbers of inputs; the first has `outputs`.
/// Weights of the first layer are 0 unless `is_used(output, input)`.
pub(crate) fn layers(
    cursor: &mut Cursor<'_>,
    inputs: [usize; 3],
    outputs: usize,
    is_used: impl Fn(usize, usize) -> bool,
) -> Result<Layers, NetworkError> {
    let first = AffineBytes::read(cursor, inputs[0], outputs)?;
    let second = AffineBytes::read(cursor, inputs[1], inputs[2])?;
    let last = AffineBytes::read(cursor, inputs[2], 1)?;
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

/// An affine layer in the bytes of a file, rows padded to `stride`.
struct AffineBytes<'a> {
    biases: Vec<i32>,
    weights: &'a [u8],
    stride: usize,
}

impl<'a> AffineBytes<'a> {
    fn read(cursor: &mut Cursor<'a>, inputs: usize, outputs: usize) -> Result<Self, NetworkError> {
        let biases = cursor.integers(outputs, Words("the biases of a layer", "層のバイアス"))?;
        let stride = pad32(inputs);
        let weights = cursor.take(outputs * stride, Words("the weights of a layer", "層の重み"))?;
        Ok(Self { biases, weights, stride })
    }

    fn weight(&self, output: usize, input: usize) -> i8 {
        self.weights[output * self.stride + input] as i8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::features::active;
    use enbu_movegen::{Color, Position};

    fn parts(shape: Classic) -> Parts {
        let layer = |outputs: usize, inputs: usize| AffineParts {
            biases: (0..outputs as i32).map(|output| 1000 * output - 7).collect(),
            weights: (0..outputs * inputs).map(|index| (index % 251) as u8 as i8).collect(),
        };
        let Classic { features, width, first, second } = shape;
        Parts {
            name: "test".into(),
            shape,
            scale: 24,
            biases: (0..width as i16).collect(),
            rows: (0..features.inputs() * width).map(|index| (index % 13) as i16 - 6).collect(),
            layers: [layer(first, 2 * width), layer(second, first), layer(1, second)],
        }
    }

    #[test]
    fn written_files_are_read_back() {
        for (first, name) in [(32, "kp-256x2-32-32"), (8, "kp-256x2-8-32")] {
            let shape = Classic { features: FeatureSet::Kp, width: 256, first, second: 32 };
            let parts = parts(shape);
            let network = Network::from_bytes(&parts.encode(), Simd::SCALAR).expect("a network");
            assert_eq!((network.shape().to_string().as_str(), network.scale), (name, 24));
            assert!(network.hashes_agree);
            assert_eq!((&*network.transformer.biases, &*network.transformer.rows), (&*parts.biases, &*parts.rows));
            let Head::Classic(layers) = &network.head else { panic!("another head") };
            assert_eq!(&*layers.last, &*parts.layers[2].weights);
            let AffineParts { biases, weights } = &parts.layers[1];
            let mut bytes = Vec::new();
            parts.layers[1].encode(&mut bytes);
            let mut cursor = Cursor::new(&bytes);
            let rows = AffineBytes::read(&mut cursor, first, 32).expect("a layer");
            assert!(cursor.end().is_ok() && rows.biases == *biases);
            assert!((0..32 * first).all(|index| rows.weight(index / first, index % first) == weights[index]));
        }
    }

    #[test]
    fn inputs_have_the_numbers_of_k_p_files() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "1+P1K5/2G1+P4/+PS1+N1+L3/9/9/4p4/3p1+n1+p1/1+s1g1k1+r1/4+b4 b RBG2SN2L7P2g4p 210",
        ] {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            for color in Color::ALL {
                let is_mirrored = position.king(color).expect("a king").relative(color).file() >= 6;
                let mut ours = Vec::new();
                own::inputs(&position, color, |input| {
                    ours.push(k_p_input(if is_mirrored { own::mirrored(input) } else { input }));
                });
                let mut theirs = Vec::new();
                active(FeatureSet::Kp, color, &position, |input| theirs.push(input as u16));
                // Input 0 for each piece that is not in play.
                ours.resize(40, 0);
                ours.sort_unstable();
                theirs.sort_unstable();
                assert_eq!(ours, theirs, "{sfen}");
            }
        }
    }
}
