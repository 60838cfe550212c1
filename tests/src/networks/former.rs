//! Files of Enbu's networks of versions 1 and 2, which are read but no longer trained.

use enbu_eval::nnue::own::{INPUTS, MAGIC, OUTPUT_UNIT, UNIT};
use enbu_files::sealed;

use super::{first_sum, numbers};

/// The parts of a network of version 1 or 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// A name in ASCII, at most 24 bytes.
    pub name: String,
    /// The value of an output of 1.0 in centipawns.
    pub scale: u32,
    /// Pieces in hand per bucket.
    pub bucket_step: u32,
    /// Biases of the first layer.
    pub biases: Vec<i16>,
    /// Weights of the first layer: 2344 rows as long as `biases`.
    pub weights: Vec<i16>,
    /// Weights of inputs from attacks: none, or 2134 rows.
    pub attack_weights: Vec<i16>,
    /// For each bucket the weights of both accumulators, side to move first.
    pub output_weights: Vec<i16>,
    /// One for each bucket.
    pub output_biases: Vec<i32>,
}

impl Parts {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let version = 1 + u32::from(!self.attack_weights.is_empty());
        let (width, buckets) = (self.biases.len() as u32, self.output_biases.len() as u32);
        let mut bytes = MAGIC.to_vec();
        for number in [version, width, buckets, self.bucket_step, self.scale, 0, 0, 0] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.name.bytes());
        bytes.resize(64, 0);
        for part in [&self.biases, &self.weights, &self.attack_weights, &self.output_weights] {
            part.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        }
        self.output_biases.iter().for_each(|bias| bytes.extend(bias.to_le_bytes()));
        sealed(bytes, 32)
    }
}

/// A network of random numbers, with sums below, within and above the limits.
pub fn random(width: usize, buckets: usize, attack_rows: usize) -> Parts {
    Parts {
        name: format!("random {width}"),
        scale: 400,
        bucket_step: 4,
        biases: numbers(1, width, 120).into_iter().map(|bias: i16| bias + 90).collect(),
        weights: numbers(2, INPUTS * width, 40),
        attack_weights: numbers(5, attack_rows * width, 24),
        output_weights: numbers(3, 2 * width * buckets, (33_025 / width as i64 / 2).min(96)),
        output_biases: numbers(4, buckets, 3000),
    }
}

/// The value in centipawns with these active inputs of the side to move and the other side, and
/// `held` pieces in hand: the formula of the format in plain integers.
pub fn value(parts: &Parts, inputs: [&[u16]; 2], held: u32) -> i32 {
    let (width, weights) = (parts.biases.len(), [&parts.weights[..], &parts.attack_weights].concat());
    let bucket = ((held / parts.bucket_step) as usize).min(parts.output_biases.len() - 1);
    let mut sum = 0_i64;
    for (inputs, output_weights) in inputs.into_iter().zip(parts.output_weights[2 * bucket * width..].chunks(width)) {
        for (unit, &weight) in output_weights.iter().enumerate() {
            let places = inputs.iter().map(|&input| usize::from(input) * width + unit);
            let total = first_sum(parts.biases[unit], places, |at| weights[at]);
            sum += i64::from(total * total * i32::from(weight));
        }
    }
    let raw = sum / i64::from(UNIT) + i64::from(parts.output_biases[bucket]);
    (raw * i64::from(parts.scale) / i64::from(UNIT * OUTPUT_UNIT)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_eval::nnue::own::ATTACK_INPUTS;
    use enbu_eval::nnue::{Network, Simd};

    fn refused(bytes: &[u8]) -> String {
        Network::from_bytes(bytes, Simd::SCALAR).map(|_| ()).expect_err("damaged").to_string()
    }

    #[test]
    fn weights_of_attacks_are_limited() {
        let mut parts = random(64, 2, ATTACK_INPUTS);
        parts.attack_weights[3] = 128;
        assert!(refused(&parts.encode()).contains("an input from attacks at offset 300230 is 128"));
    }

    #[test]
    fn damage_is_named_with_its_offset() {
        let good = random(64, 2, 0).encode();
        for (offset, byte, words) in [
            (8, 4, "the version at offset 8 is 4"),
            (8, 3, "the number of output buckets at offset 16 is 2, not 1 in version 3"),
            (8, 2, "ends too early"),
            (12, 65, "L1 at offset 12 is 65"),
            (13, 9, "L1 at offset 12 is 2368"),
            (12, 96, "ends too early"),
            (16, 0, "output buckets at offset 16 is 0"),
            (16, 3, "ends too early"),
            (16, 1, "too many"),
            (20, 39, "per bucket at offset 20 is 39"),
            (24, 0, "checksum"),
            (26, 1, "the scale at offset 24 is 65936"),
            (33, !good[33], "checksum"),
            (41, 0, "checksum"),
            (5000, !good[5000], "checksum"),
        ] {
            let mut bytes = good.clone();
            bytes[offset] = byte;
            assert!(refused(&bytes).contains(words), "{offset}: {}", refused(&bytes));
        }
        for length in [8, 11, 12, 63, 64, 100, good.len() - 1] {
            assert!(refused(&good[..length]).contains("ends too early"), "{length}");
        }
        assert!(refused(&[&good[..], &[0]].concat()).contains("1 bytes too many"));
    }

    #[test]
    fn outputs_that_could_overflow_are_refused() {
        let mut wide = random(64, 2, 0);
        wide.output_weights[7] = 129;
        assert!(refused(&wide.encode()).contains("an output weight"));
        let heavy = Parts {
            biases: vec![0; 1024],
            weights: vec![0; 2344 * 1024],
            output_weights: vec![17; 2048],
            output_biases: vec![0],
            ..wide
        };
        assert!(refused(&heavy.encode()).contains("is 34816, not at most 33025"));
    }
}
