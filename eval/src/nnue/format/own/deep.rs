//! Version 3: the parts of a network with hidden layers, and its layers in a file.

use enbu_files::sealed;
use enbu_language::Words;

use super::{ATTACK_INPUTS, CHECKSUM, Cursor, DEEP, HEADER, INPUTS, check_weights, header, name};
use crate::nnue::error::NetworkError;
use crate::nnue::layers::{Affine, Deep, HIDDEN, SECOND};
use crate::nnue::network::{Head, Network};
use crate::nnue::simd::{Simd, Tail};

/// The bound of the biases of the layers after the first: no sum exceeds 32 bits.
pub const MAX_BIAS: i32 = 1_000_000_000;

/// The parts of a network of version 3, for a trainer. Rows and units are those of the
/// [format](super).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepParts {
    /// A name in ASCII, of which the first 24 bytes are kept.
    pub name: String,
    /// The value of an output of 1.0 in centipawns, 1 to 10 000.
    pub scale: u32,
    /// Biases of the first layer: 64 to 1024, a multiple of 32.
    pub biases: Vec<i16>,
    /// Weights of the first layer: 2344 rows as long as `biases`.
    pub weights: Vec<i16>,
    /// Weights of inputs from attacks: 2134 rows; within ±127.
    pub attack_weights: Vec<i8>,
    /// Weights of the first hidden layer: a row of 16 for each product, as many as `biases`.
    pub hidden_weights: Vec<i8>,
    /// 16; within ±[`MAX_BIAS`], like all biases that follow.
    pub hidden_biases: Vec<i32>,
    /// Weights of the second hidden layer: 16 rows of 32 for the limited units, 16 for the
    /// squares.
    pub second_weights: Vec<i16>,
    /// 32.
    pub second_biases: Vec<i32>,
    /// 32.
    pub output_weights: Vec<i16>,
    /// The bias of the output.
    pub output_bias: i32,
}

impl DeepParts {
    /// The bytes of the file. Reading them checks the ranges of all numbers.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = header(&self.name, [DEEP, self.biases.len() as u32, 1, 1, self.scale, 0]);
        for part in [&self.biases, &self.weights] {
            part.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        bytes.extend(self.attack_weights.iter().chain(&self.hidden_weights).map(|&weight| weight as u8));
        self.hidden_biases.iter().for_each(|bias| bytes.extend(bias.to_le_bytes()));
        self.second_weights.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        self.second_biases.iter().for_each(|bias| bytes.extend(bias.to_le_bytes()));
        self.output_weights.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.extend(self.output_bias.to_le_bytes());
        sealed(bytes, CHECKSUM)
    }

    /// The parts in the bytes of a file; `None` if it holds one of Enbu's own networks of
    /// another version.
    ///
    /// # Errors
    /// [`NetworkError`] with the offset of the fault.
    pub fn decode(bytes: &[u8]) -> Result<Option<Self>, NetworkError> {
        let network = Network::from_bytes(bytes, Simd::SCALAR)?;
        if !matches!(network.head, Head::Deep(_)) {
            return Ok(None);
        }
        // Everything is there: the network has been read from it.
        let (width, part) = (network.transformer.biases.len(), Words("a part", "一部"));
        let mut cursor = Cursor::new(bytes);
        cursor.take(HEADER, part)?;
        Ok(Some(Self {
            name: name(bytes).unwrap_or_default().to_owned(),
            scale: network.scale as u32,
            biases: cursor.words(width, part)?.to_vec(),
            weights: cursor.words(INPUTS * width, part)?.to_vec(),
            attack_weights: cursor.bytes(ATTACK_INPUTS * width, part)?.to_vec(),
            hidden_weights: cursor.bytes(width * HIDDEN, part)?.to_vec(),
            hidden_biases: cursor.integers(HIDDEN, part)?,
            second_weights: cursor.words(2 * HIDDEN * SECOND, part)?.to_vec(),
            second_biases: cursor.integers(SECOND, part)?,
            output_weights: cursor.words(SECOND, part)?.to_vec(),
            output_bias: cursor.integers(1, part)?[0],
        }))
    }
}

/// Reads the layers after the first.
pub(super) fn read(cursor: &mut Cursor<'_>, width: usize) -> Result<Deep, NetworkError> {
    let weights = cursor.bytes(width * HIDDEN, Words("the weights of the first hidden layer", "第 2 層の重み"))?;
    let biases = read_biases(cursor, HIDDEN, Words("the biases of the first hidden layer", "第 2 層のバイアス"))?;
    let first = Affine::new(width, &biases, |output, input| weights[HIDDEN * input + output])?;
    let weights =
        cursor.words(2 * HIDDEN * SECOND, Words("the weights of the second hidden layer", "第 3 層の重み"))?;
    let second_biases =
        read_biases(cursor, SECOND, Words("the biases of the second hidden layer", "第 3 層のバイアス"))?;
    let last = cursor.words(SECOND, Words("the output weights", "出力層の重み"))?;
    let bias = read_biases(cursor, 1, Words("the output bias", "出力層のバイアス"))?;
    Ok(Deep { first, tail: Tail::new(&weights, &second_biases, &last, bias[0]) })
}

fn read_biases(cursor: &mut Cursor<'_>, count: usize, part: Words) -> Result<Vec<i32>, NetworkError> {
    let offset = cursor.offset();
    let biases = cursor.integers(count, part)?;
    let expected = Words("-1000000000 to 1000000000", "-1000000000～1000000000");
    check_weights(&biases, MAX_BIAS, offset, Words("a bias", "バイアス"), expected)?;
    Ok(biases)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> DeepParts {
        DeepParts {
            name: "test".into(),
            scale: 400,
            biases: (0..64).collect(),
            weights: (0..INPUTS * 64).map(|index| (index % 13) as i16 - 6).collect(),
            attack_weights: (0..ATTACK_INPUTS * 64).map(|index| (index % 255) as i8).map(|n| n.max(-127)).collect(),
            hidden_weights: (0..64 * 16).map(|index| (index % 256) as u8 as i8).collect(),
            hidden_biases: (0..16).map(|index| 1000 * index).collect(),
            second_weights: (0..32 * 32).map(|index| index - 500).collect(),
            second_biases: (0..32).map(|index| 100_000 * index - MAX_BIAS).collect(),
            output_weights: (0..32).map(|index| 100 * index - 1600).collect(),
            output_bias: MAX_BIAS,
        }
    }

    fn refused(bytes: &[u8]) -> String {
        Network::from_bytes(bytes, Simd::SCALAR).map(|_| ()).expect_err("damaged").to_string()
    }

    #[test]
    fn written_files_are_read_back() {
        let parts = parts();
        let network = Network::from_bytes(&parts.encode(), Simd::SCALAR).expect("a network");
        assert_eq!((network.shape().to_string(), network.scale), ("enbu-64-attacks-16-32".into(), 400));
        assert_eq!((&*network.transformer.biases, &*network.transformer.rows), (&*parts.biases, &*parts.weights));
        let Head::Deep(deep) = &network.head else { panic!("another head") };
        assert_eq!((deep.first.inputs(), deep.first.outputs()), (64, 16));
        let tail = &deep.tail;
        assert_eq!(tail.pairs[2][3], [parts.second_weights[2 * 32 + 3], parts.second_weights[18 * 32 + 3]]);
        assert_eq!((&tail.biases[..], tail.bias), (&parts.second_biases[..], MAX_BIAS));
        assert_eq!(tail.last[31], 1500);
        assert_eq!(DeepParts::decode(&parts.encode()).expect("a network"), Some(parts));
    }

    #[test]
    fn damage_is_named_with_its_offset() {
        let good = parts().encode();
        let attacks = 64 + 128 * (1 + INPUTS);
        let biases = attacks + 64 * (ATTACK_INPUTS + 16);
        for (offset, byte, words) in [
            (16, 2, "the number of output buckets at offset 16 is 2, not 1 in version 3".into()),
            (28, 1, "the field after the scale at offset 28 is 1, not 0".into()),
            (attacks + 5, 0x80, format!("a weight of an input from attacks at offset {} is -128", attacks + 5)),
            (biases + 7, 0x7F, format!("a bias at offset {} is 213", biases + 4)),
            (biases + 64 + 2048 + 3, 0xC0, format!("a bias at offset {} is -1067108864", biases + 64 + 2048)),
            (good.len() - 1, 0x3C, format!("a bias at offset {} is 1016777216", good.len() - 4)),
            (biases, 1, "checksum".into()),
        ] {
            let mut bytes = good.clone();
            bytes[offset] = byte;
            assert!(refused(&bytes).contains(&words), "{offset}: {}", refused(&bytes));
        }
        for (length, part) in [
            (attacks + 100, "the weights of inputs from attacks"),
            (biases - 1, "the weights of the first hidden layer"),
            (biases + 63, "the biases of the first hidden layer"),
            (biases + 64 + 2047, "the weights of the second hidden layer"),
            (biases + 64 + 2048 + 127, "the biases of the second hidden layer"),
            (good.len() - 5, "the output weights"),
            (good.len() - 1, "the output bias"),
        ] {
            assert!(refused(&good[..length]).contains(&format!("ends too early: {part} at")), "{length}");
        }
        assert!(refused(&[&good[..], &[0]].concat()).contains("1 bytes too many"));
    }
}
