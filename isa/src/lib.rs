//! Run-time dispatch of hot functions by CPU features, and the clock.
//!
//! One binary serves every x86-64 processor, so by default the compiler may use only
//! the baseline instruction set. Hot functions are therefore compiled twice, for the
//! baseline and for AVX2 with BMI, LZCNT and POPCNT, and a cached feature test selects
//! the version at run time. Everything inlined into a dispatched function is compiled
//! for both targets. Measured against a build with `target-cpu=native`, dispatch keeps
//! the default build within three percent; without it perft lost a third of its speed.

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod instant;

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use instant::Instant;
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub use std::time::Instant;

/// Returns true if the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
///
/// The answer is cached: CPUID is queried on the first call only. One load and one comparison
/// otherwise, since a node of a search asks a dozen times.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn has_avx2() -> bool {
    match FOUND.load(Ordering::Relaxed) {
        UNKNOWN => find(),
        found => found == YES,
    }
}

#[cfg(target_arch = "x86_64")]
static FOUND: AtomicU8 = AtomicU8::new(UNKNOWN);
#[cfg(target_arch = "x86_64")]
const UNKNOWN: u8 = 0;
#[cfg(target_arch = "x86_64")]
const NO: u8 = 1;
#[cfg(target_arch = "x86_64")]
const YES: u8 = 2;

/// Queries the processor, and notes the answer.
#[cfg(target_arch = "x86_64")]
#[cold]
fn find() -> bool {
    let found = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    FOUND.store(if found { YES } else { NO }, Ordering::Relaxed);
    found
}

/// Defines a function that is compiled for the baseline and for AVX2: with a body, or one that
/// forwards to `path`, `multiversion! { fn name(a: A) -> R = path; }`.
///
/// That must be `#[inline(always)]`, and so must the hot functions that a body calls:
/// code that is not inlined stays compiled for the baseline.
#[macro_export]
macro_rules! multiversion {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $path:expr;) => {
        $crate::multiversion! { $(#[$meta])* $vis fn $name($($argument: $type),*) $(-> $result)? { $path($($argument),*) } }
    };
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$meta])*
        #[cfg_attr(
            target_arch = "x86_64",
            expect(unsafe_code, reason = "calls a function with target features, after detecting them")
        )]
        #[inline(always)]
        $vis fn $name($($argument: $type),*) $(-> $result)? {
            // Apart, so that the choice is small enough to be made where the function is called.
            #[inline(never)]
            fn portable($($argument: $type),*) $(-> $result)? $body
            #[cfg(target_arch = "x86_64")]
            if $crate::has_avx2() {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn with_avx2($($argument: $type),*) $(-> $result)? $body
                // SAFETY: `has_avx2` has just detected every feature the function is
                // compiled for.
                return unsafe { with_avx2($($argument),*) };
            }
            portable($($argument),*)
        }
    };
}

/// Prefetches the cache line of `item` into all levels; only a hint.
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the prefetch is an intrinsic"))]
#[inline(always)]
pub fn prefetch<T: ?Sized>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch never faults and changes no memory, whatever the address; SSE,
        // which it needs, is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Runs `work` compiled for AVX2 if the processor has it, for the baseline otherwise. For crates
/// that forbid `unsafe` and so cannot use [`multiversion!`].
///
/// The closure and the functions that it calls are marked as `#[inline(always)]`, so that all of it
/// is compiled for both. FMA is not enabled, so floating-point results are the same on every
/// processor.
///
/// ```
/// use enbu_isa::dispatch;
/// let numbers = [1.0_f32, 2.0];
/// assert_eq!(dispatch(#[inline(always)] || numbers.iter().sum::<f32>()), 3.0);
/// ```
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "calls a function with target features, after detecting them")
)]
pub fn dispatch<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: `has_avx2` has just detected every feature the function is compiled for.
        return unsafe { with_avx2(work) };
    }
    work()
}
