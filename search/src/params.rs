//! Every constant of the search, one line each.
//!
//! `params! { name: i32 = default, lowest..=highest, step; }` defines a function of
//! that name. In a normal build it is a constant; with the feature `tune` the value
//! can be set from outside, so that matches can tune it. The range
//! and step bound a tuner.

/// A parameter as a tuner sees it.
#[cfg(feature = "tune")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in [`params.rs`](self).
    pub name: &'static str,
    /// Value in a normal build.
    pub default: i32,
    /// The lowest value that makes sense.
    pub min: i32,
    /// The highest value that makes sense.
    pub max: i32,
    /// By how much to change it so that games may notice.
    pub step: i32,
}

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident: i32 = $default:expr, $range:expr, $step:expr;)*) => {
        $(
            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(crate) const fn $name() -> i32 {
                $default
            }

            $(#[$doc])*
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub(crate) fn $name() -> i32 {
                values::$name.load(std::sync::atomic::Ordering::Relaxed)
            }

            const _: () = assert!(*$range.start() <= $default && $default <= *$range.end() && $step > 0);
        )*

        #[cfg(feature = "tune")]
        #[expect(non_upper_case_globals, reason = "they bear the names of the functions that read them")]
        mod values {
            use std::sync::atomic::AtomicI32;
            $(pub(super) static $name: AtomicI32 = AtomicI32::new($default);)*
        }

        /// Every parameter.
        #[cfg(feature = "tune")]
        pub const PARAMETERS: &[Parameter] = &[$(Parameter {
            name: stringify!($name),
            default: $default,
            min: *$range.start(),
            max: *$range.end(),
            step: $step,
        }),*];

        /// The present value of a parameter, `None` if there is none of that name.
        #[cfg(feature = "tune")]
        pub fn parameter(name: &str) -> Option<i32> {
            match name {
                $(stringify!($name) => Some($name()),)*
                _ => None,
            }
        }

        /// Sets a parameter for all searches that begin afterwards; unknown names
        /// are ignored.
        #[cfg(feature = "tune")]
        pub fn set_parameter(name: &str, value: i32) {
            match name {
                $(stringify!($name) => values::$name.store(value, std::sync::atomic::Ordering::Relaxed),)*
                _ => {}
            }
        }
    };
}

params! {
    /// First half-width of the aspiration window, in centipawns.
    aspiration_window: i32 = 40, 10..=200, 5;
    /// Aspiration windows begin at this depth.
    aspiration_depth: i32 = 4, 2..=8, 1;
    /// Null move: reduction without regard to depth, in plies.
    null_move_base: i32 = 5, 2..=9, 1;
    /// Null move: one more ply of reduction for each of these.
    null_move_depth_divisor: i32 = 3, 2..=8, 1;
    /// Null move is tried from this depth on.
    null_move_depth: i32 = 2, 1..=99, 1;
    /// Null move: one more ply of reduction for each of these that the evaluation
    /// is above beta, in centipawns.
    null_move_eval_divisor: i32 = 300, 100..=32000, 50;
    /// Null move: by how much for each ply of depth the static evaluation may be
    /// below beta, in centipawns.
    null_move_slack: i32 = 10, 0..=60, 5;
    /// Reverse futility is tried up to this depth.
    reverse_futility_depth: i32 = 8, 0..=14, 1;
    /// Reverse futility: margin for each ply of depth, in centipawns.
    reverse_futility_margin: i32 = 120, 40..=300, 10;
    /// Razoring is tried up to this depth.
    razoring_depth: i32 = 4, 0..=10, 1;
    /// Razoring: constant part of the margin, in centipawns.
    razoring_base: i32 = 300, 0..=800, 50;
    /// Razoring: margin for each ply of depth squared, in centipawns.
    razoring_margin: i32 = 200, 40..=600, 20;
    /// ProbCut is tried from this depth on.
    probcut_depth: i32 = 5, 3..=99, 1;
    /// ProbCut: how far above beta a capture must reach, in centipawns.
    probcut_margin: i32 = 250, 50..=600, 20;
    /// ProbCut: by how much less when improving, in centipawns.
    probcut_improving: i32 = 60, 0..=200, 10;
    /// ProbCut: by how much the check search is less deep, in plies.
    probcut_reduction: i32 = 4, 2..=6, 1;
    /// Hindsight: a ply more for a node reduced by at least this many plies whose side
    /// before is not better off than expected.
    hindsight_deeper: i32 = 3, 1..=99, 1;
    /// Hindsight: a ply less for a node reduced by at least this many plies where both
    /// evaluations together leave a gain.
    hindsight_shallower: i32 = 2, 1..=99, 1;
    /// Hindsight: that gain, in centipawns.
    hindsight_gain: i32 = 350, 0..=2000, 25;
    /// History of a quiet move by its change of the evaluation, in sixteenths of a
    /// centipawn.
    eval_difference: i32 = 12, 0..=64, 4;
    /// Nodes without a move from the table are searched a ply less from this depth on.
    iir_depth: i32 = 4, 2..=99, 1;
    /// Late quiet moves are skipped up to this depth.
    late_move_depth: i32 = 8, 0..=12, 1;
    /// Late quiet moves: this many are searched at depth 0; depth squared is added.
    late_move_count: i32 = 5, 1..=24, 1;
    /// Futility pruning of quiet moves is done up to this depth.
    futility_depth: i32 = 7, 0..=12, 1;
    /// Futility: constant part of the margin, in centipawns.
    futility_base: i32 = 150, 0..=400, 20;
    /// Futility: margin for each ply of depth, in centipawns.
    futility_margin: i32 = 120, 40..=300, 10;
    /// History pruning of quiet moves is done up to this depth.
    history_pruning_depth: i32 = 4, 0..=12, 1;
    /// History pruning: how bad the history must be for each ply of depth.
    history_pruning_margin: i32 = 4000, 500..=16000, 500;
    /// Moves that lose material are skipped up to this depth.
    see_depth: i32 = 12, 0..=64, 1;
    /// Quiet moves may lose this much (exchange units) for each ply squared.
    see_quiet_margin: i32 = 40, 5..=120, 5;
    /// Captures may lose this much (exchange units) for each ply.
    see_capture_margin: i32 = 200, 40..=500, 20;
    /// Quiet checks that lose no more than this (exchange units) come first.
    check_loss: i32 = 100, 0..=600, 50;
    /// Quiet moves with a history below minus this for each ply of depth come after the
    /// captures that lose.
    good_quiet_margin: i32 = 3000, 0..=32000, 500;
    /// Quiescence: gain of a capture beyond its victim, in centipawns.
    quiescence_margin: i32 = 200, 50..=30000, 25;
    /// Quiescence: after this many moves only recaptures and checks are searched.
    quiescence_moves: i32 = 3, 1..=99, 1;
    /// The table's move is tested for singularity from this depth on.
    singular_depth: i32 = 6, 4..=99, 1;
    /// Singular: how far below the table's value the others must stay, in
    /// sixteenths of a centipawn for each ply of depth.
    singular_margin: i32 = 32, 4..=96, 4;
    /// Singular: how far below that two plies of extension begin, in centipawns.
    singular_double_margin: i32 = 40, 0..=32000, 5;
    /// Singular: reduction of a table move that is not, in plies.
    singular_negative: i32 = 2, 0..=4, 1;
    /// Late move reduction: this much history changes it by one ply.
    lmr_history_divisor: i32 = 8000, 2000..=99999, 500;
    /// Late move reduction: constant part, in 1024ths of a ply.
    lmr_base: i32 = 1000, -1024..=3072, 100;
    /// Late move reduction: less for each move before, in 1024ths of a ply.
    lmr_number: i32 = 40, 0..=128, 8;
    /// Late move reduction: more where a cut is expected and the table has no move, in
    /// 1024ths of a ply.
    lmr_no_table_move: i32 = 900, 0..=3072, 128;
    /// Late move reduction: more where the table's move is a capture, in 1024ths of a ply.
    lmr_table_capture: i32 = 700, 0..=3072, 128;
    /// Late move reduction: more where children failed high often, in 1024ths of a ply.
    lmr_cutoffs: i32 = 800, 0..=3072, 128;
    /// Late move reduction: ln(depth) * ln(move number) is divided by this, in 1024ths.
    lmr_divisor: i32 = 2150, 1200..=4000, 100;
    /// Late move reduction: less on principal variations, in 1024ths of a ply.
    lmr_pv: i32 = 1024, 0..=2048, 128;
    /// Late move reduction: more where a cut is expected, in 1024ths of a ply.
    lmr_cut: i32 = 1024, 0..=6144, 128;
    /// Late move reduction: more where the evaluation does not rise, in 1024ths of a ply.
    lmr_falling: i32 = 512, 0..=2048, 128;
    /// Late move reduction: less for captures, in 1024ths of a ply.
    lmr_capture: i32 = 0, 0..=8192, 128;
    /// Late move reduction: less for checks, in 1024ths of a ply.
    lmr_check: i32 = 1024, 0..=8192, 128;
    /// Late moves are reduced from this depth on.
    lmr_depth: i32 = 2, 2..=4, 1;
    /// A ply deeper where a reduced search finds this much more than the best so far, in
    /// centipawns.
    lmr_deeper: i32 = 60, 0..=400, 20;
    /// A ply less deep where it finds less than this, in centipawns.
    lmr_shallower: i32 = 8, 0..=60, 4;
    /// Largest value of a history entry; the sum of three fits 16 bits.
    history_limit: i32 = 8192, 1024..=10240, 512;
    /// History: bonus for each ply of depth.
    history_bonus: i32 = 32, 0..=400, 16;
    /// History: bonus for each ply of depth squared.
    history_bonus_square: i32 = 16, 0..=64, 2;
    /// Largest change of a history entry by one search.
    history_bonus_limit: i32 = 1200, 200..=4000, 100;
    /// Capture history in the order of captures, in 64ths against 16 centipawns.
    capture_history_weight: i32 = 64, 0..=256, 8;
    /// Correction by pawns, in 128ths.
    correction_pawns: i32 = 48, 0..=256, 8;
    /// Correction by kings, golds and silvers, in 128ths.
    correction_castle: i32 = 48, 0..=256, 8;
    /// Correction by kings and hands, in 128ths.
    correction_hands: i32 = 48, 0..=256, 8;
    /// Correction by the last two moves, in 128ths.
    correction_continuation: i32 = 48, 0..=256, 8;
    /// Learning rate of corrections, in eighths.
    correction_rate: i32 = 8, 0..=64, 1;
    /// Plies that a repetition is looked back for.
    cycle_plies: i32 = 16, 4..=64, 2;
}
