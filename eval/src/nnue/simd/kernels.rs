//! The contract of kernels and of the tasks that run on them.

/// Bytes of a zone: its squares and padding.
pub(crate) const LANES: usize = 32;

/// Classes of the squares around Black's king, then around White's, as Black sees them: 5 ×
/// file + rank from the corner with the lowest numbers. Padding is outside the board.
pub(crate) type Zones = [u8; 2 * LANES];

/// Both words of a set of squares.
pub(crate) type Words = [u64; 2];

/// A set of squares for Black, then one for White: low and high words.
pub(crate) type Sides = [u64; 4];

/// A set of squares for each piece, by its code: 16 × colour + kind. Two kinds are together in
/// the low words, and in the high words: Black's, then White's. The bits of a comparison of
/// all words, narrowed to bytes, are then in the order of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct CodeSets {
    pub(crate) low: [[u64; 4]; 8],
    pub(crate) high: [[u64; 4]; 8],
}

impl CodeSets {
    pub(crate) const EMPTY: Self = Self { low: [[0; 4]; 8], high: [[0; 4]; 8] };

    /// The place of a code among the low words and the high words.
    #[inline(always)]
    fn place(code: usize) -> usize {
        static PLACES: [u8; 32] = {
            let mut places = [0; 32];
            let mut code = 0;
            while code < 32 {
                places[code] = (code % 16 / 2 * 4 + code % 2 + code / 16 * 2) as u8;
                code += 1;
            }
            places
        };
        usize::from(PLACES[code % 32]) % 32
    }

    /// The set of a code.
    #[inline(always)]
    pub(crate) fn of(&self, code: usize) -> Words {
        let place = Self::place(code);
        [self.low.as_flattened()[place], self.high.as_flattened()[place]]
    }

    /// Replaces the set of a code.
    #[inline(always)]
    pub(crate) fn set(&mut self, code: usize, [low, high]: Words) {
        let place = Self::place(code);
        self.low.as_flattened_mut()[place] = low;
        self.high.as_flattened_mut()[place] = high;
    }
}

/// A difference between two boards: codes of pieces that are placed differently, and their
/// squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) codes: u32,
    pub(crate) squares: Words,
}

/// The sets that make a class: Black's pieces, White's, squares that Black attacks, at least
/// twice, and that White attacks, at least twice.
pub(crate) type Planes = [Words; 6];

/// The 5 × 5 squares around a king: where their bits are in the bytes of a set.
#[repr(align(32))]
pub(crate) struct Window {
    /// For each square its byte; 128 outside the board.
    pub(crate) places: [u8; LANES],
    /// The bit in this byte.
    pub(crate) bits: [u8; LANES],
    /// The class of a square in no set: that outside the board, else 0.
    pub(crate) bases: [u8; LANES],
}

/// Units of the first hidden layer of Enbu's own networks, each used limited and squared.
pub const HIDDEN: usize = 16;
/// Units of the second.
pub const SECOND: usize = 32;

/// The layers after the first hidden layer of Enbu's own networks.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Tail {
    /// For each hidden unit and each of the second layer: the weights of the limited unit and
    /// of its square.
    pub(crate) pairs: [[[i16; 2]; SECOND]; HIDDEN],
    pub(crate) biases: [i32; SECOND],
    /// Weights of the output, within 16 bits.
    pub(crate) last: [i32; SECOND],
    pub(crate) bias: i32,
}

/// A computation with the kernels of one path.
///
/// It is compiled for each path with the features of the path, as far as it is inlined:
/// `run` and its callees are `#[inline(always)]`.
pub(crate) trait Task {
    /// The result.
    type Output;

    /// Runs the computation.
    fn run<K: Kernels>(self, kernels: K) -> Self::Output;
}

/// The kernels of one path. Results are equal on every path; lengths that do not fit are
/// bugs and panic.
pub(crate) trait Kernels: Copy {
    /// Writes to `target` the accumulator `source` minus the rows `changes.0` plus the rows
    /// `changes.1`, wrapping. Rows have the width of `target`, a multiple of 32, and are
    /// contiguous in `rows`.
    fn update(self, rows: &[i16], source: &[i16], target: &mut [i16], changes: (&[u32], &[u32]));

    /// Writes to `target` the sums `source` minus the first row of each pair plus the second,
    /// wrapping; rows as in [`update`](Self::update), of bytes.
    fn exchange(self, rows: &[i8], source: &[i16], target: &mut [i16], pairs: &[[u32; 2]]);

    /// Limits `sums` to 0..=127; both lengths are the same multiple of 32.
    fn clip(self, sums: &[i16], outputs: &mut [u8]);

    /// The product of the halves of `sums`: both taken modulo 2^15 (sign kept),
    /// limited to 0..=127, multiplied and divided by 128. `outputs` is half as long as
    /// `sums`, a multiple of 32.
    fn products(self, sums: &[i16], outputs: &mut [u8]);

    /// The rounded product of the halves of `sums`: both limited to 0..=255, multiplied and
    /// divided by 512. `outputs` is half as long as `sums`, a multiple of 16.
    fn wide_products(self, sums: &[i16], outputs: &mut [u8]);

    /// The output of the layers after the sums of the first hidden layer. With t = sum / 8
    /// (rounded down) limited to ±1024, the inputs of the second are max(t, 0) and t² / 1024
    /// (rounded); those of the output are its sums divided by 4096 (rounded down), limited to
    /// 0..=1024.
    fn tail(self, sums: &[i32; HIDDEN], tail: &Tail) -> i32;

    /// `outputs` = `biases` + `weights` × `inputs`, wrapping. Weights are grouped by four
    /// inputs: for each group, four weights of each output.
    /// Inputs are at most 127, their number is a multiple of 4, that of outputs of 8.
    fn affine(self, inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]);

    /// `sums` divided by 64 (rounded down), limited to 0..=127.
    fn activate(self, sums: &[i32], outputs: &mut [u8]);

    /// The sum of products, wrapping. Inputs are at most 127, their number is a
    /// multiple of 32.
    fn dot(self, inputs: &[u8], weights: &[i8]) -> i32;

    /// The sum of `v * v * weight` where `v` is each sum limited to 0..=255,
    /// wrapping. Weights are within ±128, their number is a multiple of 32.
    fn squared_dot(self, sums: &[i16], weights: &[i16]) -> i32;

    /// `totals` = `a` + `b` + `c`, limited to 16 bits after each addition. All lengths are the
    /// same multiple of 32.
    fn add_sums(self, a: &[i16], b: &[i16], c: &[i16], totals: &mut [i16]);

    /// The classes of the squares of two windows. With the bits p of a square in the six
    /// planes, its class is its base + 9 (p0 + 2 p1) + 3 (p2 + p3) + p4 + p5.
    fn zones(self, planes: &Planes, windows: [&Window; 2], zones: &mut Zones);

    /// The indices of bytes that differ, as bits.
    fn differences(self, old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64;

    /// Replaces `sets` with the squares of each kind and colour, and returns the difference.
    fn place(self, sets: &mut CodeSets, kinds: &[Words; 16], colors: [Words; 2]) -> Difference;

    /// The codes of the sets that contain one of `squares`, as bits.
    fn touched(self, sets: &CodeSets, squares: Words) -> u32;

    /// For both sides the squares that are in at least one of its sets, and those that are in at
    /// least two, or in `twice`.
    fn join(self, once: &CodeSets, twice: &CodeSets) -> [Sides; 2];
}

/// Implements [`Kernels`] for a path with the functions of its module, after checking the
/// lengths; with `unsafe` if these functions need the features of the path.
macro_rules! kernels {
    ($path:ty $(, $unsafe:tt)?) => {
        impl crate::nnue::simd::kernels::Kernels for $path {
            #[inline(always)]
            fn update(self, rows: &[i16], source: &[i16], target: &mut [i16], changes: (&[u32], &[u32])) {
                assert!(source.len() == target.len() && target.len().is_multiple_of(32));
                // SAFETY: the function needs the features of its path and nothing
                // else; `self` exists only where `detect` has found them.
                $($unsafe)? { update(rows, source, target, changes.0, changes.1) }
            }

            #[inline(always)]
            fn exchange(self, rows: &[i8], source: &[i16], target: &mut [i16], pairs: &[[u32; 2]]) {
                assert!(source.len() == target.len() && target.len().is_multiple_of(32));
                // SAFETY: as above.
                $($unsafe)? { exchange(rows, source, target, pairs) }
            }

            #[inline(always)]
            fn clip(self, sums: &[i16], outputs: &mut [u8]) {
                assert!(sums.len() == outputs.len() && sums.len().is_multiple_of(32));
                // SAFETY: as above.
                $($unsafe)? { clip(sums, outputs) }
            }

            #[inline(always)]
            fn products(self, sums: &[i16], outputs: &mut [u8]) {
                assert!(sums.len() == 2 * outputs.len() && outputs.len().is_multiple_of(32));
                let (first, second) = sums.split_at(outputs.len());
                // SAFETY: as above.
                $($unsafe)? { products(first, second, outputs) }
            }

            #[inline(always)]
            fn wide_products(self, sums: &[i16], outputs: &mut [u8]) {
                assert!(sums.len() == 2 * outputs.len() && outputs.len().is_multiple_of(16));
                let (first, second) = sums.split_at(outputs.len());
                // SAFETY: as above.
                $($unsafe)? { wide_products(first, second, outputs) }
            }

            #[inline(always)]
            fn tail(self, sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
                // SAFETY: as above.
                $($unsafe)? { tail_of(sums, tail) }
            }

            #[inline(always)]
            fn affine(self, inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
                assert!(inputs.len().is_multiple_of(4) && outputs.len().is_multiple_of(8));
                assert!(weights.len() == inputs.len() * outputs.len() && biases.len() == outputs.len());
                debug_assert!(inputs.iter().all(|&input| input <= 127));
                // SAFETY: as above.
                $($unsafe)? { affine(inputs, weights, biases, outputs) }
            }

            #[inline(always)]
            fn activate(self, sums: &[i32], outputs: &mut [u8]) {
                assert_eq!(sums.len(), outputs.len());
                // SAFETY: as above.
                $($unsafe)? { activate(sums, outputs) }
            }

            #[inline(always)]
            fn dot(self, inputs: &[u8], weights: &[i8]) -> i32 {
                assert!(inputs.len() == weights.len() && inputs.len().is_multiple_of(32));
                debug_assert!(inputs.iter().all(|&input| input <= 127));
                // SAFETY: as above.
                $($unsafe)? { dot(inputs, weights) }
            }

            #[inline(always)]
            fn squared_dot(self, sums: &[i16], weights: &[i16]) -> i32 {
                assert!(sums.len() == weights.len() && sums.len().is_multiple_of(32));
                debug_assert!(weights.iter().all(|weight| (-128..=128).contains(weight)));
                // SAFETY: as above.
                $($unsafe)? { squared_dot(sums, weights) }
            }

            #[inline(always)]
            fn add_sums(self, a: &[i16], b: &[i16], c: &[i16], totals: &mut [i16]) {
                let width = totals.len();
                assert!(a.len() == width && b.len() == width && c.len() == width && width.is_multiple_of(32));
                // SAFETY: as above.
                $($unsafe)? { add_sums(a, b, c, totals) }
            }

            #[inline(always)]
            fn zones(self, planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {
                // SAFETY: as above.
                $($unsafe)? { zones_of(planes, windows, zones) }
            }

            #[inline(always)]
            fn place(self, sets: &mut CodeSets, kinds: &[Words; 16], colors: [Words; 2]) -> Difference {
                // SAFETY: as above.
                $($unsafe)? { place(sets, kinds, colors) }
            }

            #[inline(always)]
            fn touched(self, sets: &CodeSets, squares: Words) -> u32 {
                // SAFETY: as above.
                $($unsafe)? { touched(sets, squares) }
            }

            #[inline(always)]
            fn join(self, once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {
                // SAFETY: as above.
                $($unsafe)? { join(once, twice) }
            }

            #[inline(always)]
            fn differences(self, old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {
                // SAFETY: as above.
                $($unsafe)? { differences(old, new) }
            }
        }
    };
}
pub(super) use kernels;

/// Defines a function that loads a vector from an array of its size:
/// `load!("feature", name: [number; count] => vector, intrinsic);`.
macro_rules! load {
    ($feature:literal, $name:ident: [$number:ty; $count:literal] => $vector:ty, $intrinsic:ident) => {
        #[inline]
        #[target_feature(enable = $feature)]
        fn $name(numbers: &[$number; $count]) -> $vector {
            const { assert!(size_of::<[$number; $count]>() == size_of::<$vector>()) };
            // SAFETY: the reference covers the bytes read, as asserted above; the intrinsic
            // needs no alignment.
            unsafe { $intrinsic(numbers.as_ptr().cast()) }
        }
    };
}
pub(super) use load;

/// Defines a function that stores a vector to an array of its size:
/// `store!("feature", name: [number; count] <= vector, intrinsic);`.
macro_rules! store {
    ($feature:literal, $name:ident: [$number:ty; $count:literal] <= $vector:ty, $intrinsic:ident) => {
        #[inline]
        #[target_feature(enable = $feature)]
        fn $name(numbers: &mut [$number; $count], vector: $vector) {
            const { assert!(size_of::<[$number; $count]>() == size_of::<$vector>()) };
            // SAFETY: the reference covers the bytes written, as asserted above; the intrinsic
            // needs no alignment.
            unsafe { $intrinsic(numbers.as_mut_ptr().cast(), vector) }
        }
    };
}
pub(super) use store;
