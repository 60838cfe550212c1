//! NumPy's default generator, as far as the published file needs it.
//!
//! PCG64 (128-bit linear congruential generator, output xor-shifted low and rotated)
//! seeded through `SeedSequence`, and whole numbers by Lemire's method with 32 bits.

/// The generator that `numpy.random.default_rng(seed)` returns.
pub(super) struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of the last output, used before the next is drawn.
    spare: Option<u32>,
}

const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

impl Pcg64 {
    pub(super) fn new(seed: u32) -> Self {
        let [state, stream] = seed_sequence(seed);
        let mut random = Self { state: 0, increment: stream << 1 | 1, spare: None };
        random.step();
        random.state = random.state.wrapping_add(state);
        random.step();
        random
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    fn next32(&mut self) -> u32 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        self.step();
        let output = ((self.state >> 64) as u64 ^ self.state as u64).rotate_right((self.state >> 122) as u32);
        self.spare = Some((output >> 32) as u32);
        output as u32
    }

    /// A number of `low..=high`, a range below 2^32.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let count = (high - low + 1) as u32;
        let mut product = u64::from(self.next32()) * u64::from(count);
        if (product as u32) < count {
            let threshold = count.wrapping_neg() % count;
            while (product as u32) < threshold {
                product = u64::from(self.next32()) * u64::from(count);
            }
        }
        low + (product >> 32) as i64
    }
}

/// State and stream for PCG64 from a small seed: a pool of four words, filled and
/// mixed by multiplicative hashes.
fn seed_sequence(seed: u32) -> [u128; 2] {
    let mut constant = 0x43B0_D7E5_u32;
    let mut hash = |value: u32| {
        let mixed = value ^ constant;
        constant = constant.wrapping_mul(0x931E_8875);
        let mixed = mixed.wrapping_mul(constant);
        mixed ^ mixed >> 16
    };
    let mut pool = [seed, 0, 0, 0].map(&mut hash);
    for source in 0..4 {
        for target in 0..4 {
            if source != target {
                let hashed = hash(pool[source]).wrapping_mul(0x4973_F715);
                let mixed = pool[target].wrapping_mul(0xCA01_F9DD).wrapping_sub(hashed);
                pool[target] = mixed ^ mixed >> 16;
            }
        }
    }
    let mut constant = 0x8B51_F9DD_u32;
    let words: Vec<u32> = (0..8)
        .map(|index| {
            let mixed = pool[index % 4] ^ constant;
            constant = constant.wrapping_mul(0x58F3_8DED);
            let mixed = mixed.wrapping_mul(constant);
            mixed ^ mixed >> 16
        })
        .collect();
    // Pairs of words are 64 bits, the low one first; pairs of those are 128, the high one first.
    let double = |at: usize| u128::from(words[at]) | u128::from(words[at + 1]) << 32;
    [double(0) << 64 | double(2), double(4) << 64 | double(6)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_numpy() {
        let mut random = Pcg64::new(7);
        let numbers: Vec<i64> = (0..10).map(|_| random.between(-60, 99)).collect();
        assert_eq!(numbers, NUMPY);
    }

    /// `default_rng(7).integers(-60, 100, 10)`.
    const NUMPY: [i64; 10] = [91, 40, 49, 83, 32, 64, 73, -24, -52, -12];
}
