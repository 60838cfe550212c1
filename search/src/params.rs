//! Every tuned constant of the tree search, with its last match.
//!
//! `params! { name: i32 = default, lowest..=highest, step; }` defines a function of that name. In a
//! normal build it is a constant; with the feature `tune` the value can be set from outside, so that
//! matches can tune it. The range and step bound a tuner.
//!
//! Constants of the clock, the levels, the table and its replacement, and of what is learned during
//! a search are beside their code.

/// A parameter as a tuner sees it.
#[cfg(feature = "tune")]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name in [`params.rs`](self).
    pub name: &'static str,
    /// Value in a normal build.
    pub default: i32,
    /// The lowest value that makes sense.
    pub min: i32,
    /// The highest value that makes sense.
    pub max: i32,
    /// SPSA step: a change that games can measure.
    pub step: i32,
    value: &'static std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tune")]
impl Parameter {
    /// Sets the parameter for all searches that begin afterwards.
    pub fn set(&self, value: i32) {
        self.value.store(value, std::sync::atomic::Ordering::Relaxed);
    }
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
        pub static PARAMETERS: &[Parameter] = &[$(Parameter {
            name: stringify!($name),
            default: $default,
            min: *$range.start(),
            max: *$range.end(),
            step: $step,
            value: &values::$name,
        }),*];
    };
}

// Tests: T1 and T2 are the two-level designs of 22 and 23 November 2026, 25 000 nodes a move, around the
// defaults before them (docs/evidence.md): the effect in Elo with 95 % bounds of one value against
// the other, each from all games. D1 to D3 are designs of 24 November 2026 that count agreement
// with longer searches, 100 000 nodes, in per cent; one per cent is worth about 12 Elo.
params! {
    /// First half-width of the aspiration window, in centipawns.
    /// Last test: 60 against 25, +32 ± 17 (T2).
    aspiration_window: i32 = 60, 10..=200, 5;
    /// Aspiration windows begin at this depth.
    aspiration_depth: i32 = 4, 2..=8, 1;
    /// Null move: reduction without regard to depth, in plies.
    /// Last test: 6 against 4, -4 ± 17 (T2).
    null_move_base: i32 = 5, 2..=9, 1;
    /// Null move: one more ply of reduction for each of these.
    /// Last test: 4 against 3, +1 ± 16 (T1).
    null_move_depth_divisor: i32 = 3, 2..=8, 1;
    /// Null move is tried from this depth on.
    null_move_depth: i32 = 2, 1..=99, 1;
    /// Null move: one more ply of reduction for each of these that the evaluation is above beta, in centipawns.
    /// Last test: 450 against 200, +6 ± 16 (T1).
    null_move_eval_divisor: i32 = 300, 100..=32000, 50;
    /// Null move: the most plies of reduction for such an evaluation.
    null_move_eval_limit: i32 = 3, 0..=8, 1;
    /// Null move: allowance of the static evaluation below beta for each ply of depth, in centipawns.
    /// Last test: 25 against 0, +5 ± 16 (T1).
    null_move_slack: i32 = 10, 0..=60, 5;
    /// Reverse futility is tried up to this depth.
    /// Last test: 10 against 6, +8 ± 17 (T2).
    reverse_futility_depth: i32 = 8, 0..=14, 1;
    /// Reverse futility: margin for each ply of depth, in centipawns.
    /// Last test: 170 against 110, +14 ± 17 (T2).
    reverse_futility_margin: i32 = 138, 40..=300, 10;
    /// Razoring is tried up to this depth.
    /// Last test: 6 against 3, +6 ± 16 (T1).
    razoring_depth: i32 = 4, 0..=10, 1;
    /// Razoring: constant part of the margin, in centipawns.
    /// Last test: 560 against 280, with `razoring_margin`, +8 ± 17 (T2).
    razoring_base: i32 = 400, 0..=800, 50;
    /// Razoring: margin for each ply of depth squared, in centipawns.
    /// Last test: 320 against 180, with `razoring_base`, +8 ± 17 (T2).
    razoring_margin: i32 = 240, 40..=600, 20;
    /// ProbCut is tried from this depth on.
    probcut_depth: i32 = 5, 3..=99, 1;
    /// ProbCut: margin above beta that a capture must reach, in centipawns.
    /// Last test: 320 against 180, -11 ± 17 (T2).
    probcut_margin: i32 = 250, 50..=600, 20;
    /// ProbCut: reduction of the margin if improving, in centipawns.
    probcut_improving: i32 = 60, 0..=200, 10;
    /// ProbCut: reduction of the search that confirms the capture, in plies.
    /// Last test: 5 against 3, +8 ± 16 (T1).
    probcut_reduction: i32 = 4, 2..=6, 1;
    /// ProbCut is not tried if an entry at most this many plies less deep stays below its target.
    probcut_entry: i32 = 3, 0..=8, 1;
    /// Hindsight: a ply more for a node reduced by at least this many plies whose side before is not better off than
    /// expected.
    /// Last test: 4 against 2, -8 ± 16 (T1).
    hindsight_deeper: i32 = 3, 1..=99, 1;
    /// Hindsight: a ply less for a node reduced by at least this many plies, if both evaluations together leave a gain.
    /// Last test: 3 against 2, +8 ± 16 (T1).
    hindsight_shallower: i32 = 3, 1..=99, 1;
    /// Hindsight: that gain, in centipawns.
    /// Last test: 500 against 220, +12 ± 17 (T2).
    hindsight_gain: i32 = 350, 0..=2000, 25;
    /// History of a quiet move by its change of the evaluation, in sixteenths of a centipawn.
    /// Last test: 20 against 6, -7 ± 17 (T2).
    eval_difference: i32 = 12, 0..=64, 4;
    /// History of a quiet move: the largest change of the evaluation that counts, in centipawns.
    eval_difference_limit: i32 = 300, 0..=2000, 50;
    /// Nodes without a move from the table are searched a ply less from this depth on.
    /// Last test: 6 against 3, -6 ± 16 (T1).
    iir_depth: i32 = 4, 2..=99, 1;
    /// Late quiet moves are skipped up to this depth.
    /// Last test: 6 against 8, +21 ± 41 (255 games, 100 000 nodes), +1.7 ± 1.3 % of agreement (D3).
    late_move_depth: i32 = 6, 0..=12, 1;
    /// Late quiet moves: this many are searched at depth 0; depth squared is added.
    /// Last test: 11 against 5, with `late_move_depth`, -11 ± 18 (T2).
    late_move_count: i32 = 7, 1..=24, 1;
    /// Futility pruning of quiet moves is done up to this depth.
    /// Last test: 10 against 6, +11 ± 16 (T1).
    futility_depth: i32 = 9, 0..=12, 1;
    /// Futility: constant part of the margin, in centipawns.
    /// Last test: 280 against 130, -12 ± 17 (T2).
    futility_base: i32 = 200, 0..=400, 20;
    /// Futility: margin for each ply of depth, in centipawns.
    /// Last test: 140 against 85, -12 ± 17 (T2).
    futility_margin: i32 = 110, 40..=300, 10;
    /// Futility pruning of captures is done up to this depth.
    capture_futility_depth: i32 = 6, 0..=12, 1;
    /// Futility of captures: constant part of the margin, in centipawns.
    /// Last test: 300 against no such pruning, +31 ± 17 (T2).
    capture_futility_base: i32 = 300, 0..=30000, 20;
    /// Futility of captures: margin for each ply of depth, in centipawns.
    capture_futility_margin: i32 = 220, 40..=400, 10;
    /// Futility of captures: this much history counts as a centipawn.
    capture_futility_history: i32 = 16, 1..=1024, 4;
    /// History pruning of quiet moves is done up to this depth.
    /// Last test: 6 against 3, -6 ± 16 (T1).
    history_pruning_depth: i32 = 4, 0..=12, 1;
    /// History pruning: margin below zero for each ply of depth.
    /// Last test: 6500 against 3800, +5 ± 17 (T2).
    history_pruning_margin: i32 = 5000, 500..=16000, 500;
    /// Moves that lose material are skipped up to this depth.
    see_depth: i32 = 12, 0..=64, 1;
    /// Quiet moves may lose this much (exchange units) for each ply squared.
    /// Last test: 46 against 22, +1 ± 17 (T2).
    see_quiet_margin: i32 = 32, 5..=120, 5;
    /// Captures may lose this much (exchange units) for each ply.
    /// Last test: 280 against 140, -11 ± 17 (T2).
    see_capture_margin: i32 = 200, 40..=500, 20;
    /// Quiet checks that lose no more than this (exchange units) are ordered first.
    /// Last test: 250 against 0, -3 ± 16 (T1).
    check_loss: i32 = 100, 0..=600, 50;
    /// Quiet moves with a history below minus this for each ply of depth are ordered after losing captures.
    /// Last test: 6000 against 1500, +12 ± 17 (T2).
    good_quiet_margin: i32 = 3000, 0..=32000, 500;
    /// Quiescence: gain of a capture beyond its victim, in centipawns.
    /// Last test: 280 against 130, -8 ± 17 (T2).
    quiescence_margin: i32 = 200, 50..=30000, 25;
    /// Quiescence: after this many moves only recaptures and checks are searched.
    /// Last test: 5 against 2, -9 ± 16 (T1).
    quiescence_moves: i32 = 3, 1..=99, 1;
    /// A node without a move above alpha counts as on the principal variation, as its parent does, above this depth.
    /// Last test: 3 against never, +11 ± 16 (T1).
    inherited_pv_depth: i32 = 3, 0..=99, 1;
    /// The table's move is tested for singularity from this depth on.
    /// Last test: 7 against 5, +4 ± 16 (T1).
    singular_depth: i32 = 6, 4..=99, 1;
    /// Singular: the test needs an entry that is at most this many plies less deep.
    singular_entry: i32 = 3, 0..=8, 1;
    /// Singular: margin of the others below the table's value, in sixteenths of a centipawn for each ply of depth.
    /// Last test: 58 against 30, +6 ± 17 (T2).
    singular_margin: i32 = 42, 4..=96, 4;
    /// Singular: margin below that for two plies of extension, in centipawns.
    /// Last test: 90 against 40, +16 ± 17 (T2).
    singular_double_margin: i32 = 60, 0..=32000, 5;
    /// Singular: reduction of a table move that is not, in plies.
    /// Last test: 3 against 1, -6 ± 18 (T2).
    singular_negative: i32 = 2, 0..=4, 1;
    // Late move reduction, in 1024ths of a ply unless another unit is named.
    /// This much history changes it by one ply.
    /// Last test: 10000 against 6500, -4 ± 17 (T2).
    lmr_history_divisor: i32 = 8000, 2000..=99999, 500;
    /// History of a move that is reduced as usual.
    /// Last test: 2500 against 750, +6 ± 17 (T2).
    lmr_history_offset: i32 = 1500, -4000..=4000, 250;
    /// Constant part.
    /// Last test: 1300 against 750, with `lmr_divisor`, -19 ± 17 (T2).
    lmr_base: i32 = 900, -1024..=3072, 100;
    /// Less for each move before it.
    /// Last test: 48 against 22, +4 ± 17 (T2).
    lmr_number: i32 = 34, 0..=128, 8;
    /// More at cut nodes without a table move.
    /// Last test: 1100 against 350, -2 ± 17 (T2).
    lmr_no_table_move: i32 = 700, 0..=3072, 128;
    /// More if the table's move is a capture.
    /// Last test: 1100 against 350, +5 ± 16 (T1).
    lmr_table_capture: i32 = 700, 0..=3072, 128;
    /// More after many fail highs of children.
    /// Last test: 1200 against 450, -4 ± 17 (T2).
    lmr_cutoffs: i32 = 800, 0..=3072, 128;
    /// Fail highs, of a node's children and those of its siblings, from which they are many.
    lmr_cutoff_count: i32 = 3, 1..=99, 1;
    /// Divisor of ln(depth) * ln(move number), in 1024ths.
    /// Last test: 2750 against 2150, with `lmr_base`, -19 ± 17 (T2).
    lmr_divisor: i32 = 2300, 1200..=4000, 100;
    /// Less on principal variations.
    /// Last test: 1800 against 1050, +8 ± 17 (T2).
    lmr_pv: i32 = 1400, 0..=2048, 128;
    /// Less still at nodes with an open window.
    /// Last test: 1000 against 300, +8 ± 17 (T2).
    lmr_open: i32 = 600, 0..=2048, 128;
    /// More at cut nodes.
    /// Last test: 1250 against 600, -7 ± 17 (T2).
    lmr_cut: i32 = 900, 0..=6144, 128;
    /// More if the evaluation does not rise.
    /// Last test: 800 against 250, -27 ± 17 (T2).
    lmr_falling: i32 = 320, 0..=2048, 128;
    /// Less for captures.
    /// Last test: 500 against 0, +9 ± 16 (T1).
    lmr_capture: i32 = 0, 0..=8192, 128;
    /// Less for checks.
    /// Last test: 1500 against 600, +0 ± 18 (T2).
    lmr_check: i32 = 1024, 0..=8192, 128;
    /// Late moves are reduced from this depth on.
    lmr_depth: i32 = 2, 2..=4, 1;
    /// A ply deeper if a reduced search exceeds the best value by this, in centipawns.
    /// Last test: 95 against 35, +1 ± 16 (T1).
    lmr_deeper: i32 = 60, 0..=400, 20;
    /// A ply less deep if it exceeds that by less than this, in centipawns.
    /// Last test: 14 against 4, +6 ± 16 (T1).
    lmr_shallower: i32 = 8, 0..=60, 4;
    /// Largest value of a history entry; the sum of three fits 16 bits.
    /// Last test: 10000 against 6500, +0 ± 16 (T1).
    history_limit: i32 = 8192, 1024..=10240, 512;
    /// History: bonus for each ply of depth.
    /// Last test: 150 against 50, with `history_bonus_square`, +13 ± 17 (T2).
    history_bonus: i32 = 90, 0..=400, 16;
    /// History: bonus for each ply of depth squared.
    /// Last test: 20 against 12, with `history_bonus`, +13 ± 17 (T2).
    history_bonus_square: i32 = 16, 0..=64, 2;
    /// History: bonus of a quiet move that made the opponent fail low, in 64ths of the usual.
    /// Last test: 140 against 70, +2 ± 17 (T2).
    history_fail_low: i32 = 104, 0..=256, 8;
    /// History: malus of the first quiet move of a node once an answer refutes it, in 64ths of the usual.
    /// Last test: 48 against 0, +13 ± 17 (T2).
    history_refuted: i32 = 48, 0..=256, 8;
    /// Largest change of a history entry by one search.
    /// Last test: 1700 against 900, -6 ± 17 (T2).
    history_bonus_limit: i32 = 1200, 200..=4000, 100;
    /// Addition to the history of quiet moves that attack a gold or silver.
    /// Last test: with the next two, against none of them, +38 ± 36 (343 games, 25 000 nodes), +9 ± 48 (200 games, 100
    /// 000 nodes).
    threat_on_general: i32 = 4700, 0..=16000, 250;
    /// Addition to the history of quiet moves that attack a bishop or rook.
    /// Last test: with the one before.
    threat_on_major: i32 = 7800, 0..=16000, 250;
    /// Addition to the history of quiet moves of a large piece that is attacked, in thousandths of its exchange value.
    /// Last test: with the two before.
    rescue_weight: i32 = 3000, 0..=10000, 250;
    /// Capture history in the order of captures, in 64ths against 16 centipawns.
    /// Last test: 110 against 60, +9 ± 17 (T2).
    capture_history_weight: i32 = 84, 0..=256, 8;
    /// Correction by pawns, in 128ths.
    /// Last test: this and the next four against 48, 36, 48, 48, 64 and 48 by kings and hands, +35 ± 36 (300 games, 100
    /// 000 nodes).
    correction_pawns: i32 = 140, 0..=512, 16;
    /// Correction by kings, golds and silvers, in 128ths.
    /// Last test: with the one before.
    correction_castle: i32 = 110, 0..=512, 16;
    /// Correction by kings and large pieces, in 128ths.
    /// Last test: with the two before.
    correction_large: i32 = 160, 0..=512, 16;
    /// Correction by lances and knights, in 128ths.
    /// Last test: with the three before.
    correction_cavalry: i32 = 80, 0..=512, 16;
    /// Correction by the last two moves, in 128ths.
    /// Last test: with the four before.
    correction_continuation: i32 = 260, 0..=1024, 16;
    /// Learning rate of corrections, in eighths.
    /// Last test: 11 against 6, -2 ± 17 (T2).
    correction_rate: i32 = 8, 0..=64, 1;
    /// Evaluations are corrected by hanging pieces if these explain this share of the square of their errors, in
    /// thousandths.
    /// Last test: 12 against no such correction, network 7, +38 ± 31 (400 games, 25 000 nodes); 20 against ed62a3e +225
    /// ± 40, without +172 ± 36 (400 games each, 100 000 nodes).
    hanging_share: i32 = 20, 0..=1000, 4;
}
