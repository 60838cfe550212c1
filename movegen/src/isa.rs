//! Running code with the instructions of the processor at hand.
//!
//! One binary serves every x86-64 processor, so the compiler may use only what all
//! of them have. Hot functions are therefore compiled twice by
//! [`multiversion!`](crate::multiversion): as they are, and for processors with
//! AVX2, BMI, LZCNT and POPCNT. Whatever is inlined into them is compiled with
//! them. Measured against a build for one particular processor, this keeps the
//! default build within three percent, where it lost a third of its speed in perft.

/// Whether the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT; asked once.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn is_newer() -> bool {
    static NEWER: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    });
    *NEWER
}

/// Defines a function that calls another, which is `#[inline(always)]`, compiled
/// for the processor at hand: `multiversion! { fn name(a: A) -> R = path; }`.
#[macro_export]
macro_rules! multiversion {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $body:expr;) => {
        $(#[$meta])*
        #[cfg_attr(
            target_arch = "x86_64",
            expect(unsafe_code, reason = "calls code for newer processors, after asking the processor")
        )]
        $vis fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if $crate::isa::is_newer() {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn newer($($argument: $type),*) $(-> $result)? {
                    $body($($argument),*)
                }
                // SAFETY: the processor has just been found to have every feature
                // that the function is compiled for.
                return unsafe { newer($($argument),*) };
            }
            $body($($argument),*)
        }
    };
}

/// Work that [`run`] compiles for the processor at hand. It is for crates without
/// `unsafe` code, which cannot use [`multiversion!`](crate::multiversion).
///
/// Implementations mark `work` as `#[inline(always)]`, and what it calls, so that all of
/// it is compiled anew.
pub trait Work {
    /// What comes of it.
    type Output;
    /// Does it.
    fn work(self) -> Self::Output;
}

/// Does `work` with the instructions of the processor at hand.
///
/// No instruction is used that rounds differently: floating-point results are the same
/// on every processor.
///
/// ```
/// use enbu_movegen::isa::{Work, run};
/// struct Sum<'a>(&'a [f32]);
/// impl Work for Sum<'_> {
///     type Output = f32;
///     #[inline(always)]
///     fn work(self) -> f32 {
///         self.0.iter().sum()
///     }
/// }
/// assert_eq!(run(Sum(&[1.0, 2.0])), 3.0);
/// ```
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls code for newer processors, after asking the processor")
)]
pub fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if is_newer() {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn newer<W: Work>(work: W) -> W::Output {
            work.work()
        }
        // SAFETY: the processor has just been found to have every feature that the
        // function is compiled for.
        return unsafe { newer(work) };
    }
    work.work()
}
