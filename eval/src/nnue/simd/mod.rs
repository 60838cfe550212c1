//! Kernels: the inner loops of the networks, once for each kind of processor.
//!
//! | path | needs | module |
//! |---|---|---|
//! | `avx512` | AVX-512 F, BW, VL and VNNI | `avx512` |
//! | `avx2` | AVX2 | `avx2` |
//! | `neon` | AArch64 (always there) | `neon` |
//! | `scalar` | nothing; the reference for all others | `scalar` |
//!
//! Which paths there are is found out at run time ([`Simd::best`]); a [`Simd`] is
//! the proof that the processor has what its path needs. All paths compute the
//! same integers, bit for bit.

#![expect(unsafe_code, reason = "loads, stores and calls that need processor features; each proved where it stands")]

use std::fmt;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(test)]
mod tests;

/// The choice of kernels. Its existence proves that this processor can run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Path);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
}

/// A path that does not exist, or not on this processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchPath {
    /// The name asked for.
    pub name: String,
}

impl fmt::Display for NoSuchPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name: String = self.name.chars().take(40).collect();
        write!(f, "no kernels `{}` on this processor, only", name.escape_default())?;
        Simd::all().into_iter().try_for_each(|simd| write!(f, " {}", simd.name()))
    }
}

impl std::error::Error for NoSuchPath {}

/// The kernels of one path. Each computes the same on every path; lengths that do not
/// fit are our own mistakes and panic.
pub(crate) trait Kernels: Copy {
    /// Writes to `target` the sums of `source` without the rows `removed` and with
    /// the rows `added`, wrapping. A row is as wide as `target`, a multiple of 32;
    /// `rows` holds them one behind the other.
    fn update(self, rows: &[i16], source: &[i16], target: &mut [i16], changes: (&[u32], &[u32]));

    /// `sums` limited to 0..=127; both lengths are the same multiple of 32.
    fn clip(self, sums: &[i16], outputs: &mut [u8]);

    /// The product of the halves of `sums`: both taken modulo 2^15 (sign kept),
    /// limited to 0..=127, multiplied and divided by 128. `outputs` is half as long as
    /// `sums`, a multiple of 32.
    fn products(self, sums: &[i16], outputs: &mut [u8]);

    /// `outputs` = `biases` + `weights` × `inputs`, wrapping. The weights of four
    /// inputs stand together: for each such group, four weights of each output.
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

/// Implements [`Kernels`] for a path by the functions of its module, after checking
/// the lengths; with `unsafe` where these functions need the features of the path.
macro_rules! kernels {
    ($path:ty $(, $unsafe:tt)?) => {
        impl super::Kernels for $path {
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
use kernels;

/// Work that is done with the kernels of one path.
///
/// It is compiled once for each path, with all instructions that the path may use, as
/// far as it is inlined: `run` and what it calls are `#[inline(always)]`.
pub(crate) trait Task {
    /// What comes out.
    type Output;

    /// Does the work.
    fn run<K: Kernels>(self, kernels: K) -> Self::Output;
}

impl Simd {
    /// The portable path, without any special instructions.
    pub const SCALAR: Self = Self(Path::Scalar);

    /// Every path this processor can run, the fastest first.
    pub fn all() -> Vec<Self> {
        let found: Vec<Option<Path>> = vec![
            #[cfg(target_arch = "x86_64")]
            avx512::Avx512::detect().map(Path::Avx512),
            #[cfg(target_arch = "x86_64")]
            avx2::Avx2::detect().map(Path::Avx2),
            #[cfg(target_arch = "aarch64")]
            neon::Neon::detect().map(Path::Neon),
            Some(Path::Scalar),
        ];
        found.into_iter().flatten().map(Self).collect()
    }

    /// The fastest path this processor can run.
    pub fn best() -> Self {
        Self::all().first().copied().unwrap_or(Self::SCALAR)
    }

    /// The path called `name`: `avx512`, `avx2`, `neon` or `scalar`.
    ///
    /// # Errors
    /// [`NoSuchPath`] when there is none of that name, or this processor cannot run it.
    ///
    /// ```
    /// use enbu_eval::nnue::Simd;
    /// assert_eq!(Simd::named("scalar"), Ok(Simd::SCALAR));
    /// assert!(Simd::named("mmx").is_err());
    /// ```
    pub fn named(name: &str) -> Result<Self, NoSuchPath> {
        Self::all().into_iter().find(|simd| simd.name() == name).ok_or_else(|| NoSuchPath { name: name.to_owned() })
    }

    /// The name of the path, as [`named`](Self::named) takes it.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Path::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Path::Neon(_) => "neon",
        }
    }

    /// Does `task` on this path.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Path::Scalar => task.run(scalar::Scalar),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(proof) => proof.run(task),
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(proof) => proof.run(task),
            #[cfg(target_arch = "aarch64")]
            Path::Neon(proof) => proof.run(task),
        }
    }
}

/// Asks the processor to fetch the beginning of `items`, which are needed soon; what
/// lies behind it follows by itself. Without effect on what is computed.
#[inline]
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in items.chunks((64 / size_of::<T>()).max(1)).take(8) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch never faults and changes no memory, whatever the
        // address; SSE, which it needs, is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = items;
}
