//! The contract of kernels and of the tasks that run on them.

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

    /// Limits `sums` to 0..=127; both lengths are the same multiple of 32.
    fn clip(self, sums: &[i16], outputs: &mut [u8]);

    /// The product of the halves of `sums`: both taken modulo 2^15 (sign kept),
    /// limited to 0..=127, multiplied and divided by 128. `outputs` is half as long as
    /// `sums`, a multiple of 32.
    fn products(self, sums: &[i16], outputs: &mut [u8]);

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
