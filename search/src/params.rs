//! Every constant of the search, one line each.
//!
//! `params! { NAME: i32 = default, lowest..=highest, step; }`. The range and step
//! document what a tuner may try.

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident: i32 = $default:expr, $range:expr, $step:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) const $name: i32 = $default;
            const _: () = assert!(*$range.start() <= $name && $name <= *$range.end() && $step > 0);
        )*
    };
}

params! {
    /// First half-width of the aspiration window, in centipawns.
    ASPIRATION_WINDOW: i32 = 40, 10..=200, 5;
    /// Aspiration windows begin at this depth.
    ASPIRATION_DEPTH: i32 = 4, 2..=8, 1;
    /// Null move: reduction without regard to depth, in plies.
    NULL_MOVE_BASE: i32 = 3, 2..=5, 1;
    /// Null move: one more ply of reduction for each of these.
    NULL_MOVE_DEPTH_DIVISOR: i32 = 4, 2..=8, 1;
    /// Null move is tried from this depth on.
    NULL_MOVE_DEPTH: i32 = 2, 1..=4, 1;
    /// Reverse futility is tried up to this depth.
    REVERSE_FUTILITY_DEPTH: i32 = 8, 2..=14, 1;
    /// Reverse futility: margin for each ply of depth, in centipawns.
    REVERSE_FUTILITY_MARGIN: i32 = 120, 40..=300, 10;
    /// Late quiet moves are skipped up to this depth.
    LATE_MOVE_DEPTH: i32 = 8, 2..=12, 1;
    /// Late quiet moves: this many are searched at depth 0; depth squared is added.
    LATE_MOVE_COUNT: i32 = 5, 1..=12, 1;
    /// Futility pruning of quiet moves is done up to this depth.
    FUTILITY_DEPTH: i32 = 7, 2..=12, 1;
    /// Futility: constant part of the margin, in centipawns.
    FUTILITY_BASE: i32 = 150, 0..=400, 20;
    /// Futility: margin for each ply of depth, in centipawns.
    FUTILITY_MARGIN: i32 = 120, 40..=300, 10;
    /// Moves that lose material are skipped up to this depth.
    SEE_DEPTH: i32 = 8, 2..=12, 1;
    /// Quiet moves may lose this much (exchange units) for each ply squared.
    SEE_QUIET_MARGIN: i32 = 40, 5..=120, 5;
    /// Captures may lose this much (exchange units) for each ply.
    SEE_CAPTURE_MARGIN: i32 = 200, 40..=500, 20;
    /// Late move reduction: this much history changes it by one ply.
    LMR_HISTORY_DIVISOR: i32 = 6000, 2000..=16000, 500;
    /// Late move reduction: constant part, in hundredths of a ply.
    LMR_BASE: i32 = 40, 0..=150, 10;
    /// Late move reduction: ln(depth) * ln(move number) is divided by this, in hundredths.
    LMR_DIVISOR: i32 = 210, 120..=400, 10;
    /// Late moves are reduced from this depth on.
    LMR_DEPTH: i32 = 3, 2..=4, 1;
    /// Largest value of a history entry.
    HISTORY_LIMIT: i32 = 8192, 1024..=16384, 512;
    /// Largest change of a history entry by one search.
    HISTORY_BONUS_LIMIT: i32 = 1200, 200..=4000, 100;
    /// Plies that a repetition is looked back for.
    CYCLE_PLIES: i32 = 16, 4..=64, 2;
}
