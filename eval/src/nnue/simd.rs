//! Kernels: the inner loops of the networks, for each instruction set.
//!
//! | path | needs | module |
//! |---|---|---|
//! | `avx512` | AVX-512 F, BW, VL and VNNI | `avx512` |
//! | `avx2` | AVX2 | `avx2` |
//! | `neon` | AArch64 (always available) | `neon` |
//! | `simd128` | WebAssembly compiled with vectors | `simd128` |
//! | `scalar` | nothing; the reference for all others | `scalar` |
//!
//! Paths are detected at run time ([`Simd::best`]); a [`Simd`] is the proof that the
//! processor has the features of its path. All paths compute equal integers.

#![expect(unsafe_code, reason = "loads, stores and calls that need processor features; each with its own proof")]

use enbu_language::text;
use once_cell::sync::Lazy;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod kernels;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "wasm32")]
mod simd128;
#[cfg(test)]
mod tests;

pub(crate) use kernels::{CodeSets, Difference, Kernels, LANES, Tail, Task, Window, Words, Zones};
pub use kernels::{HIDDEN, SECOND};
pub(crate) use scalar::Scalar;

/// A path of kernels; proof that this processor can run it.
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
    #[cfg(target_arch = "wasm32")]
    Simd128(simd128::Simd128),
}

/// The path is unknown or not supported by this processor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!(
    "kernels `{}` are not available on this processor, only {}",
    "カーネル `{}` はこのプロセッサでは使えません（使えるのは {}）",
    name.escape_default(),
    Simd::all().into_iter().map(Simd::name).collect::<Vec<_>>().join(" ")
))]
pub struct NoSuchPath {
    /// The name asked for, at most 40 characters.
    pub name: String,
}

impl Simd {
    /// The portable path, without any special instructions.
    pub const SCALAR: Self = Self(Path::Scalar);

    /// Every path that this processor can run, the fastest first.
    pub fn all() -> Vec<Self> {
        let found: Vec<Option<Path>> = vec![
            #[cfg(target_arch = "x86_64")]
            avx512::Avx512::detect().map(Path::Avx512),
            #[cfg(target_arch = "x86_64")]
            avx2::Avx2::detect().map(Path::Avx2),
            #[cfg(target_arch = "aarch64")]
            neon::Neon::detect().map(Path::Neon),
            #[cfg(target_arch = "wasm32")]
            simd128::Simd128::detect().map(Path::Simd128),
            Some(Path::Scalar),
        ];
        found.into_iter().flatten().map(Self).collect()
    }

    /// The fastest path this processor can run.
    pub fn best() -> Self {
        static BEST: Lazy<Simd> = Lazy::new(|| Simd::all().first().copied().unwrap_or(Simd::SCALAR));
        *BEST
    }

    /// The path called `name`: `avx512`, `avx2`, `neon`, `simd128` or `scalar`.
    ///
    /// # Errors
    /// [`NoSuchPath`] when the name is unknown or this processor cannot run the path.
    ///
    /// ```
    /// use enbu_eval::nnue::Simd;
    /// assert_eq!(Simd::named("scalar"), Ok(Simd::SCALAR));
    /// assert!(Simd::named("mmx").is_err());
    /// ```
    pub fn named(name: &str) -> Result<Self, NoSuchPath> {
        Self::all()
            .into_iter()
            .find(|simd| simd.name() == name)
            .ok_or_else(|| NoSuchPath { name: name.chars().take(40).collect() })
    }

    /// The name of the path, for [`named`](Self::named).
    pub const fn name(self) -> &'static str {
        match self.0 {
            Path::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Path::Neon(_) => "neon",
            #[cfg(target_arch = "wasm32")]
            Path::Simd128(_) => "simd128",
        }
    }

    /// The place of eight columns in a row of `width` bytes, counted in eights, as
    /// [`Kernels::exchange`] takes them: the first half of each vector's columns is in the first halves
    /// of its lanes of 16 bytes, since two rows are interleaved lane by lane.
    pub(crate) fn place_of(self, width: usize, eight: usize) -> usize {
        let half = match (self.0, width.is_multiple_of(64)) {
            #[cfg(target_arch = "x86_64")]
            (Path::Avx512(_), true) => 4,
            #[cfg(target_arch = "x86_64")]
            (Path::Avx2(_) | Path::Avx512(_), _) => 2,
            _ => 1,
        };
        let (vector, within) = (eight / (2 * half), eight % (2 * half));
        2 * half * vector + within % half * 2 + within / half
    }

    /// Runs `task` on this path.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Path::Scalar => task.run(Scalar),
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(proof) => proof.run(task),
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(proof) => proof.run(task),
            #[cfg(target_arch = "aarch64")]
            Path::Neon(proof) => proof.run(task),
            #[cfg(target_arch = "wasm32")]
            Path::Simd128(proof) => proof.run(task),
        }
    }
}

/// Prefetches the first eight cache lines of `items`; the hardware prefetcher continues
/// from there.
#[inline]
pub(crate) fn prefetch<T>(items: &[T]) {
    items.chunks((64 / size_of::<T>()).max(1)).take(8).for_each(enbu_isa::prefetch);
}
