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
