//! By how much to reduce the depth of moves that are unlikely to matter.

use std::f64::consts::E;

use once_cell::sync::Lazy;

use crate::params;

/// `ln(depth) * ln(number)` for the first 64 of each, in plies.
static TABLE: Lazy<[[u8; 64]; 64]> = Lazy::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, plies) in row.iter_mut().enumerate().skip(1) {
            let base = f64::from(params::LMR_BASE) / 100.0;
            let product = (depth as f64).log(E) * (number as f64).log(E);
            *plies = (base + product * 100.0 / f64::from(params::LMR_DIVISOR)) as u8;
        }
    }
    table
});

/// Late move reduction: a quiet move that stands late in the order is searched
/// less deeply first, and again at full depth if it beats alpha all the same.
///
/// Formula: `base + ln(depth) ln(number) / divisor` plies, the common form since
/// Fruit and Stockfish; constants are ours.
#[inline]
pub(crate) fn late_move(depth: i32, number: usize) -> i32 {
    i32::from(TABLE[depth.clamp(0, 63) as usize][number.min(63)])
}
