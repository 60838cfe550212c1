//! Every path against the scalar one, on numbers at all limits.

use super::kernels::{Planes, Sides};
use super::*;

/// Calls a kernel of the path.
macro_rules! dispatch {
    ($simd:ident, $kernel:ident($($argument:expr),*)) => {
        match $simd.0 {
            Path::Scalar => scalar::Scalar.$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(path) => path.$kernel($($argument),*),
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(path) => path.$kernel($($argument),*),
            #[cfg(target_arch = "aarch64")]
            Path::Neon(path) => path.$kernel($($argument),*),
            #[cfg(target_arch = "wasm32")]
            Path::Simd128(path) => path.$kernel($($argument),*),
        }
    };
}

impl Kernels for Simd {
    fn update(self, rows: &[i16], source: &[i16], target: &mut [i16], changes: (&[u32], &[u32])) {
        dispatch!(self, update(rows, source, target, changes));
    }

    fn exchange(self, rows: &[u8], source: &[i16], target: &mut [i16], pairs: &[[u32; 2]]) {
        dispatch!(self, exchange(rows, source, target, pairs));
    }

    fn clip(self, sums: &[i16], outputs: &mut [u8]) {
        dispatch!(self, clip(sums, outputs));
    }

    fn products(self, sums: &[i16], outputs: &mut [u8]) {
        dispatch!(self, products(sums, outputs));
    }

    fn wide_products(self, a: &[i16], b: &[i16], outputs: &mut [u8]) {
        dispatch!(self, wide_products(a, b, outputs));
    }

    fn tail(self, sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
        dispatch!(self, tail(sums, tail))
    }

    fn affine(self, inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
        dispatch!(self, affine(inputs, weights, biases, outputs));
    }

    fn activate(self, sums: &[i32], outputs: &mut [u8]) {
        dispatch!(self, activate(sums, outputs));
    }

    fn dot(self, inputs: &[u8], weights: &[i8]) -> i32 {
        dispatch!(self, dot(inputs, weights))
    }

    fn squared_dot(self, sums: &[i16], weights: &[i16]) -> i32 {
        dispatch!(self, squared_dot(sums, weights))
    }

    fn add_sums(self, a: &[i16], b: &[i16], totals: &mut [i16]) {
        dispatch!(self, add_sums(a, b, totals));
    }

    fn zones(self, planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {
        dispatch!(self, zones(planes, windows, zones));
    }

    fn place(self, sets: &mut CodeSets, kinds: &[Words; 16], colors: [Words; 2]) -> Difference {
        dispatch!(self, place(sets, kinds, colors))
    }

    fn touched(self, sets: &CodeSets, squares: Words) -> u32 {
        dispatch!(self, touched(sets, squares))
    }

    fn join(self, once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {
        dispatch!(self, join(once, twice))
    }

    fn differences(self, old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {
        dispatch!(self, differences(old, new))
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Words, some of them near their limits.
    fn words(&mut self, count: usize) -> Vec<i16> {
        (0..count)
            .map(|_| match self.next() % 8 {
                0 => i16::MIN.wrapping_add((self.next() % 5) as i16 - 2),
                1 => 16_384_i16.wrapping_add((self.next() % 5) as i16 - 2),
                2 => self.next() as i16,
                _ => (self.next() % 400) as i16 - 100,
            })
            .collect()
    }

    /// Inputs 0..=127; of each 8 groups of four `zeros` are zero.
    fn inputs(&mut self, count: usize, zeros: u64) -> Vec<u8> {
        (0..count / 4)
            .flat_map(|_| {
                let zero = self.next() % 8 < zeros;
                let bytes = self.next().to_le_bytes();
                [0, 1, 2, 3].map(|index| if zero { 0 } else { [127, bytes[index] & 127][usize::from(bytes[7] > 30)] })
            })
            .collect()
    }

    fn weights(&mut self, count: usize) -> Vec<i8> {
        (0..count).map(|_| if self.next().is_multiple_of(8) { -128 } else { self.next() as i8 }).collect()
    }
}

fn others() -> Vec<Simd> {
    let mut all = Simd::all();
    assert_eq!(all.pop(), Some(Simd::SCALAR));
    all
}

#[test]
fn paths_are_found_by_their_names() {
    for simd in Simd::all() {
        assert_eq!(Simd::named(simd.name()), Ok(simd));
    }
    assert_eq!(Simd::best(), Simd::all()[0]);
    let error = Simd::named("sse9").expect_err("no such path").to_string();
    assert!(error.contains("sse9") && error.contains("scalar"), "{error}");
}

#[test]
fn updates_agree() {
    let mut random = Random(1);
    for width in [32, 64, 96, 128, 256, 384, 768, 1024] {
        let (rows, source) = (random.words(9 * width), random.words(width));
        for (removed, added) in [(&[][..], &[][..]), (&[8], &[0]), (&[1, 1, 2], &[3, 8]), (&[], &[0, 1, 2, 3, 4, 5])] {
            let mut expected = vec![0; width];
            Simd::SCALAR.update(&rows, &source, &mut expected, (removed, added));
            let by_hand = |index: usize| {
                let row = |row: &u32| rows[*row as usize * width + index];
                let sum = added.iter().map(row).fold(source[index], i16::wrapping_add);
                removed.iter().map(row).fold(sum, i16::wrapping_sub)
            };
            assert!((0..width).all(|index| expected[index] == by_hand(index)));
            for simd in others() {
                let mut target = vec![0; width];
                simd.update(&rows, &source, &mut target, (removed, added));
                assert_eq!(target, expected, "{} width {width}", simd.name());
            }
        }
    }
}

#[test]
fn exchanges_are_updates() {
    let mut random = Random(8);
    for width in [32, 64, 96, 128, 192, 256, 1024] {
        let (rows, source) = (random.weights(9 * width), random.words(width));
        let words: Vec<i16> = rows.iter().map(|&weight| weight.into()).collect();
        for pairs in [&[][..], &[[8, 0]], &[[1, 3], [3, 1], [2, 8], [5, 5], [0, 7]]] {
            let (removed, added): (Vec<u32>, Vec<u32>) = pairs.iter().map(|&[a, b]| (a, b)).unzip();
            let mut expected = vec![0; width];
            Simd::SCALAR.update(&words, &source, &mut expected, (&removed, &added));
            for simd in Simd::all() {
                let mut placed = vec![0; rows.len()];
                for (at, weights) in rows.as_chunks::<8>().0.iter().enumerate() {
                    let (row, eight) = (at * 8 / width, at % (width / 8));
                    let place = row * width + 8 * simd.place_of(width, eight);
                    placed[place..place + 8].copy_from_slice(&weights.map(|weight| weight as u8 ^ 128));
                }
                let mut target = vec![0; width];
                simd.exchange(&placed, &source, &mut target, pairs);
                assert_eq!(target, expected, "{} width {width}", simd.name());
            }
        }
    }
}

#[test]
fn rows_outside_the_table_are_refused_by_every_path() {
    for simd in Simd::all() {
        let refused = std::panic::catch_unwind(|| simd.update(&[0; 320], &[0; 32], &mut [0; 32], (&[10], &[])));
        assert!(refused.is_err(), "{}", simd.name());
        let refused = std::panic::catch_unwind(|| simd.exchange(&[0; 320], &[0; 32], &mut [0; 32], &[[0, 10]]));
        assert!(refused.is_err(), "{}", simd.name());
    }
}

#[test]
fn transformed_inputs_agree() {
    let mut random = Random(2);
    for width in [16, 32, 48, 64, 96, 256, 1536] {
        let [a, b] = [(); 2].map(|()| random.words(2 * width));
        let mut expected = vec![0; width];
        Simd::SCALAR.wide_products(&a, &b, &mut expected);
        let limited = |at: usize| (i32::from(a[at]) + i32::from(b[at])).clamp(0, 255);
        let product = |at| ((f64::from(limited(at) * limited(at + width)) / 512.0) + 0.5).floor() as u8;
        assert!((0..width).all(|at| expected[at] == product(at)));
        for simd in others() {
            let mut outputs = vec![0; width];
            simd.wide_products(&a, &b, &mut outputs);
            assert_eq!(outputs, expected, "{} width {width}", simd.name());
        }
    }
    for width in [32, 64, 96, 256, 1536] {
        let sums = random.words(2 * width);
        let (mut clipped, mut products) = (vec![0; 2 * width], vec![0; width]);
        Simd::SCALAR.clip(&sums, &mut clipped);
        Simd::SCALAR.products(&sums, &mut products);
        for simd in others() {
            let mut outputs = vec![0; 2 * width];
            simd.clip(&sums, &mut outputs);
            assert_eq!(outputs, clipped, "{} width {width}", simd.name());
            let mut outputs = vec![0; width];
            simd.products(&sums, &mut outputs);
            assert_eq!(outputs, products, "{} width {width}", simd.name());
        }
    }
}

#[test]
fn affine_layers_agree() {
    let mut random = Random(3);
    for (inputs, outputs) in
        [(512, 32), (512, 16), (2048, 8), (1536, 16), (8, 96), (16, 64), (32, 32), (32, 8), (4, 24), (100, 40)]
    {
        for zeros in [0, 4, 7, 8] {
            let x = random.inputs(inputs, zeros);
            let weights = random.weights(inputs * outputs);
            let biases: Vec<i32> = (0..outputs).map(|_| random.next() as i32).collect();
            let mut expected = vec![0; outputs];
            Simd::SCALAR.affine(&x, &weights, &biases, &mut expected);
            for simd in others() {
                let mut sums = vec![0; outputs];
                simd.affine(&x, &weights, &biases, &mut sums);
                assert_eq!(sums, expected, "{} {inputs} -> {outputs}", simd.name());
            }
        }
    }
}

#[test]
fn the_last_steps_agree() {
    let mut random = Random(4);
    for count in [32, 64, 96, 128] {
        let sums: Vec<i32> = (0..count).map(|_| (random.next() as i32) >> (random.next() % 32)).collect();
        let (x, weights) = (random.inputs(count, 1), random.weights(count));
        let mut expected = vec![0; count];
        Simd::SCALAR.activate(&sums, &mut expected);
        for simd in others() {
            let mut outputs = vec![0; count];
            simd.activate(&sums, &mut outputs);
            assert_eq!(outputs, expected, "{}", simd.name());
            assert_eq!(simd.dot(&x, &weights), Simd::SCALAR.dot(&x, &weights), "{}", simd.name());
        }
    }
    for width in [32, 64, 128, 1024] {
        let sums = random.words(width);
        let weights: Vec<i16> = (0..width).map(|_| (random.next() % 257) as i16 - 128).collect();
        for simd in others() {
            let expected = Simd::SCALAR.squared_dot(&sums, &weights);
            assert_eq!(simd.squared_dot(&sums, &weights), expected, "{} width {width}", simd.name());
        }
    }
}

#[test]
fn layers_after_the_first_hidden_one_agree() {
    let mut random = Random(9);
    for round in 0..1000 {
        let mut words = |count: usize, limit: u64| -> Vec<i32> {
            let extreme = |random: u64| [-(limit as i64), limit as i64 - 1][random as usize % 2] as i32;
            let number = |random: u64| (random >> 8) as i64 % limit as i64;
            (0..count)
                .map(|_| random.next())
                .map(|n| if round % 4 == 0 && n & 6 != 0 { extreme(n) } else { number(n) as i32 })
                .collect()
        };
        // Sums of both hidden layers below, within and above their limits, and at 32 bits.
        let sums: Vec<i32> = words(HIDDEN, [12_000, 1 << 31][round % 2]);
        let rows: Vec<i16> = words(2 * HIDDEN * SECOND, 1 << 15).into_iter().map(|word| word as i16).collect();
        let biases = words(SECOND, 1_000_000_000);
        let last: Vec<i16> = words(SECOND, 1 << 15).into_iter().map(|word| word as i16).collect();
        let tail = Tail::new(&rows, &biases, &last, words(1, 1_000_000_000)[0]);
        let sums = sums.first_chunk().expect("sums");
        let expected = Simd::SCALAR.tail(sums, &tail);
        for simd in others() {
            assert_eq!(simd.tail(sums, &tail), expected, "{} round {round}", simd.name());
        }
    }
}

#[test]
fn sums_of_accumulators_agree() {
    let mut random = Random(5);
    for width in [32, 64, 96, 1024] {
        let [a, b] = [(); 2].map(|()| random.words(width));
        let sum = |at: usize| a[at].saturating_add(b[at]);
        let expected: Vec<i16> = (0..width).map(sum).collect();
        for simd in Simd::all() {
            let mut totals = vec![0; width];
            simd.add_sums(&a, &b, &mut totals);
            assert_eq!(totals, expected, "{} width {width}", simd.name());
        }
    }
}

#[test]
fn zones_and_their_differences_agree() {
    let mut random = Random(6);
    let mut before = [0; 2 * LANES];
    for _ in 0..1000 {
        let planes = [[0; 2]; 6].map(|words| words.map(|_: u64| random.next() & random.next()));
        let windows = [(); 2].map(|()| {
            let mut window = Window { places: [0; LANES], bits: [0; LANES], bases: [0; LANES] };
            for lane in 0..LANES {
                window.places[lane] = [random.next() as u8 % 16, 128][usize::from(random.next().is_multiple_of(4))];
                window.bits[lane] = 1 << (random.next() % 8);
                window.bases[lane] = [0, 27][usize::from(window.places[lane] == 128)];
            }
            window
        });
        let mut expected = [0; 2 * LANES];
        Simd::SCALAR.zones(&planes, windows.each_ref(), &mut expected);
        let Window { places, bits, bases } = &windows[1];
        let [a, b, c, d, e, f] = planes.map(|words: [u64; 2]| {
            let bytes: [u8; 16] = bytemuck::cast(words.map(u64::to_le));
            u8::from(bytes.get(usize::from(places[7])).is_some_and(|byte| byte & bits[7] != 0))
        });
        assert_eq!(expected[LANES + 7], bases[7] + 9 * (a + 2 * b) + 3 * (c + d) + e + f);
        let differences = Simd::SCALAR.differences(&before, &expected);
        let mut all = before.iter().zip(&expected).enumerate();
        assert!(all.all(|(at, (old, new))| (differences >> at & 1 != 0) == (old != new)));
        for simd in others() {
            let mut zones = [0; 2 * LANES];
            simd.zones(&planes, windows.each_ref(), &mut zones);
            assert_eq!(zones, expected, "{}", simd.name());
            assert_eq!(simd.differences(&before, &zones), differences, "{}", simd.name());
        }
        before = expected;
    }
}

#[test]
fn placed_touched_and_joined_sets_agree() {
    let mut random = Random(7);
    let mut placed = CodeSets::EMPTY;
    for _ in 0..1000 {
        let mut sets = || {
            let mut sets = CodeSets::EMPTY;
            (0..32).for_each(|code| sets.set(code, [0; 2].map(|_: u64| random.next() & random.next() & random.next())));
            sets
        };
        let (once, twice) = (sets(), sets());
        let joined = Simd::SCALAR.join(&once, &twice);
        let at = |sets: &CodeSets| (16..32).filter(|&code| sets.of(code)[0] & 4 != 0).count();
        assert_eq!(joined.map(|words| words[2] & 4 != 0), [at(&once) > 0, at(&once) > 1 || at(&twice) > 0]);
        let squares = [0; 2].map(|_: u64| 1 << (random.next() % 64) & random.next());
        let touched = Simd::SCALAR.touched(&once, squares);
        // Most kinds stay where they are.
        let black = [0; 2].map(|_: u64| random.next());
        let colors = [black, black.map(|word| !word & random.next())];
        let mut kinds = [0; 16].map(|_: u8| [0; 2].map(|_: u64| random.next() & random.next()));
        for (code, words) in kinds.iter_mut().enumerate().filter(|_| !random.next().is_multiple_of(4)) {
            *words = [0, 1].map(|word| placed.of(code)[word] | placed.of(code + 16)[word]);
        }
        let mut expected = placed;
        let difference = Simd::SCALAR.place(&mut expected, &kinds, colors);
        let mut squares_of_codes = [0; 2];
        for code in 0..32 {
            let common = |word: usize| once.of(code)[word] & squares[word];
            assert_eq!(touched >> code & 1 != 0, common(0) | common(1) != 0);
            let set = [0, 1].map(|word| kinds[code % 16][word] & colors[code / 16][word]);
            assert_eq!((expected.of(code), difference.codes >> code & 1 != 0), (set, set != placed.of(code)));
            (0..2).for_each(|word| squares_of_codes[word] |= set[word] ^ placed.of(code)[word]);
        }
        assert_eq!(difference.squares, squares_of_codes);
        for simd in others() {
            assert_eq!(simd.touched(&once, squares), touched, "{}", simd.name());
            assert_eq!(simd.join(&once, &twice), joined, "{}", simd.name());
            let mut sets = placed;
            assert_eq!(simd.place(&mut sets, &kinds, colors), difference, "{}", simd.name());
            assert_eq!(sets, expected, "{}", simd.name());
        }
        placed = expected;
    }
}
