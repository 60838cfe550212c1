//! By how much to reduce the depth of moves that are unlikely to matter.

use crate::params;
use crate::value::Value;

/// Reductions are counted in these parts of a ply.
pub(crate) const PLY: i32 = 1024;

/// `1024 ln n` for `n` below 64; 0 for 0.
static LN: [i32; 64] = {
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        table[n] = (1024.0 * ln(n as f64)) as i32;
        n += 1;
    }
    table
};

/// The natural logarithm for `x >= 1`, by `ln x = 2 artanh((x - 1) / (x + 1))`.
const fn ln(x: f64) -> f64 {
    let ratio = (x - 1.0) / (x + 1.0);
    let (mut power, mut sum, mut n) = (ratio, 0.0, 1);
    while n < 2000 {
        sum += power / n as f64;
        power *= ratio * ratio;
        n += 2;
    }
    2.0 * sum
}

/// Late move reduction: a quiet move late in the order is searched
/// less deeply first, and again at full depth if it beats alpha all the same.
///
/// Formula: `base + ln(depth) ln(number) / divisor - slope number`, the common form
/// since Fruit, with Stockfish's slope; constants are ours. In parts of a [`PLY`].
#[inline]
pub(crate) fn late_move(depth: i32, number: usize) -> i32 {
    let product = LN[depth.clamp(0, 63) as usize] * LN[number.min(63)] / 1024;
    params::lmr_base() + product * 1024 / params::lmr_divisor() - params::lmr_number() * number.min(63) as i32
}

/// Fail highs of a node's children, its siblings' included, from which on late moves are
/// reduced more.
const MANY_CUTOFFS: u16 = 3;

/// More reduction where the siblings' children failed high often: the moves here rarely
/// matter. (Stockfish's cutoff count.)
#[inline]
pub(crate) fn after_cutoffs(cutoffs: u16) -> i32 {
    i32::from(cutoffs >= MANY_CUTOFFS) * params::lmr_cutoffs()
}

/// When a reduced search says `value`, above alpha: by how many plies to search deeper
/// than planned where that is far above the `best` of the moves before, less deeply
/// where it is hardly better. (Stockfish.)
#[inline]
pub(crate) fn second_thought(value: Value, best: Value) -> i32 {
    i32::from(value > best + params::lmr_deeper()) - i32::from(value < best + params::lmr_shallower())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_better_is_searched_deeper() {
        assert_eq!(second_thought(500, 100), 1);
        assert_eq!(second_thought(130, 100), 0);
        assert_eq!(second_thought(101, 100), -1);
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for (n, &value) in LN.iter().enumerate().skip(1) {
            assert_eq!(value, (1024.0 * (n as f64).ln()) as i32, "{n}");
        }
    }
}
