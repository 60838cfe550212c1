//! Kernels for WebAssembly with vectors of 128 bits.
//!
//! A module with these instructions loads only where they exist, so the path is chosen when it
//! is compiled (`-Ctarget-feature=+simd128`). The kernels of networks in files, which no page loads, are
//! the scalar ones.

#![expect(unused_unsafe, reason = "the macros serve processors as well, where calls need the features of a path")]

use std::arch::wasm32::*;

use super::kernels::{
    CodeSets, Difference, HIDDEN, LANES, Planes, SECOND, Sides, Tail, Task, Window, Words, Zones, define, load, rows,
    store,
};
use super::scalar::{dot, place, squared_dot};

define!(
    /// Proof that the module is compiled with vectors.
    Simd128,
    "simd128",
    cfg!(target_feature = "simd128")
);

load!("simd128", load8: [i16; 8] => v128, v128_load);
store!("simd128", store8: [i16; 8] <= v128, v128_store);
load!("simd128", load_plain: [u8; 16] => v128, v128_load);
store!("simd128", store_plain: [u8; 16] <= v128, v128_store);
load!("simd128", load_words: [u64; 2] => v128, v128_load);
load!("simd128", load_weights: [i8; 16] => v128, v128_load);
load!("simd128", load4: [i32; 4] => v128, v128_load);
store!("simd128", store4: [i32; 4] <= v128, v128_store);
load!("simd128", load_pairs: [[i16; 2]; 4] => v128, v128_load);

rows!(
    "simd128", 8, tiles: [64], zero: i16x8_splat(0),
    load8, store8, i16x8_sub, i16x8_add, swap, exchange_tiles::<2>
);

#[inline]
fn swap(sums: &mut [v128; 2], removed: &[[u8; 8]; 2], added: &[[u8; 8]; 2]) {
    for (sum, (removed, added)) in sums.iter_mut().zip(removed.iter().zip(added)) {
        *sum = i16x8_add(i16x8_sub(*sum, load_words_of(removed)), load_words_of(added));
    }
}

/// Eight bytes as words.
#[inline]
fn load_words_of(bytes: &[u8; 8]) -> v128 {
    // SAFETY: the reference covers the eight bytes read; the instruction needs no alignment.
    unsafe { u16x8_load_extend_u8x8(bytes.as_ptr()) }
}

fn wide_products([a, b]: [&[i16]; 2], [c, d]: [&[i16]; 2], outputs: &mut [u8]) {
    let sums = |a, b| i16x8_min(i16x8_add_sat(load8(a), load8(b)), i16x8_splat(255));
    // Rounded and divided by 2^15. Below zero, which narrowing limits, if the second is.
    let product = |((a, b), (c, d))| {
        let first = i16x8_shl(i16x8_max(sums(a, b), i16x8_splat(0)), 6);
        i16x8_q15mulr_sat(first, sums(c, d))
    };
    let first = a.as_chunks().0.iter().zip(b.as_chunks().0);
    let mut products = first.zip(c.as_chunks().0.iter().zip(d.as_chunks().0)).map(product);
    for bytes in outputs.as_chunks_mut::<16>().0 {
        if let (Some(low), Some(high)) = (products.next(), products.next()) {
            store_plain(bytes, u8x16_narrow_i16x8(low, high));
        }
    }
}

#[inline]
fn tail_of(sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
    let mut second = [i32x4_splat(0); SECOND / 4];
    for (sum, biases) in second.iter_mut().zip(tail.biases.as_chunks::<4>().0) {
        *sum = load4(biases);
    }
    for (&sum, row) in sums.iter().zip(&tail.pairs) {
        let unit = (sum >> 3).clamp(-1024, 1024);
        let inputs = i32x4_splat(unit.max(0) | ((unit * unit + 512) >> 10) << 16);
        for (sum, weights) in second.iter_mut().zip(row.as_chunks::<4>().0) {
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(inputs, load_pairs(weights)));
        }
    }
    let mut output = i32x4_splat(0);
    for (&sum, weights) in second.iter().zip(tail.last.as_chunks::<4>().0) {
        let unit = i32x4_min(i32x4_max(i32x4_shr(sum, 12), i32x4_splat(0)), i32x4_splat(1024));
        output = i32x4_add(output, i32x4_mul(unit, load4(weights)));
    }
    total(output).wrapping_add(tail.bias)
}

/// The sum of all lanes.
#[inline]
fn total(sums: v128) -> i32 {
    let pairs = i32x4_add(sums, i64x2_shuffle::<1, 0>(sums, sums));
    i32x4_extract_lane::<0>(pairs).wrapping_add(i32x4_extract_lane::<1>(pairs))
}

#[inline]
fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    let stride = 4 * outputs.len();
    let mut first = 0;
    while first < outputs.len() {
        let part = &mut outputs[first..];
        let place = (stride, 4 * first);
        first += match part.len() {
            16.. => add_groups::<4>(inputs, weights, place, part),
            _ => add_groups::<2>(inputs, weights, place, part),
        };
    }
}

/// Adds all groups of inputs that are not zero to the first `4 * N` outputs;
/// returns that number.
#[inline]
fn add_groups<const N: usize>(
    inputs: &[u8],
    weights: &[i8],
    (stride, at): (usize, usize),
    outputs: &mut [i32],
) -> usize {
    // Two sums an output, added at the end: there is no instruction for neighbours of 32 bits.
    let mut sums = [[i32x4_splat(0); 2]; N];
    for (&group, row) in inputs.as_chunks::<4>().0.iter().zip(weights.chunks_exact(stride)) {
        let group = i32::from_le_bytes(group);
        if group == 0 {
            continue;
        }
        let input = i16x8_extend_low_i8x16(i32x4_splat(group));
        for ([low, high], weights) in sums.iter_mut().zip(row[at..][..16 * N].as_chunks::<16>().0) {
            let weights = load_weights(weights);
            *low = i32x4_add(*low, i32x4_dot_i16x8(input, i16x8_extend_low_i8x16(weights)));
            *high = i32x4_add(*high, i32x4_dot_i16x8(input, i16x8_extend_high_i8x16(weights)));
        }
    }
    for (words, [low, high]) in outputs.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        let (even, odd) = (i32x4_shuffle::<0, 2, 4, 6>(low, high), i32x4_shuffle::<1, 3, 5, 7>(low, high));
        store4(words, i32x4_add(load4(words), i32x4_add(even, odd)));
    }
    4 * N
}

#[inline]
fn zones_of(planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {
    let sets = planes.map(|words| load_words(&words));
    let (zones, _) = zones.as_chunks_mut::<16>().0.as_chunks_mut::<2>();
    for (zone, window) in zones.iter_mut().zip(windows) {
        let (places, bits) = (window.places.as_chunks::<16>().0, window.bits.as_chunks::<16>().0);
        let lanes = zone.iter_mut().zip(window.bases.as_chunks::<16>().0).zip(places.iter().zip(bits));
        for ((zone, base), (places, bits)) in lanes {
            // -1 where the bit is set. A swizzle gives zero for places from 16 on.
            let [a, b, c, d, e, f] = sets.map(|set| {
                let bytes = v128_and(u8x16_swizzle(set, load_plain(places)), load_plain(bits));
                u8x16_ne(bytes, u8x16_splat(0))
            });
            let nines = i8x16_add(a, i8x16_add(b, b));
            let threes = i8x16_add(i8x16_add(c, d), i8x16_add(nines, i8x16_add(nines, nines)));
            let threefold = i8x16_add(threes, i8x16_add(threes, threes));
            let classes = i8x16_add(i8x16_add(e, f), threefold);
            store_plain(zone, i8x16_sub(load_plain(base), classes));
        }
    }
}

#[inline]
fn touched(sets: &CodeSets, squares: Words) -> u32 {
    let squares = squares.map(|word| u64x2_splat(word));
    let mut touched = 0;
    for (pair, (low, high)) in sets.low.iter().zip(&sets.high).enumerate() {
        let sides = low.as_chunks::<2>().0.iter().zip(high.as_chunks::<2>().0);
        for (side, (low, high)) in sides.enumerate() {
            let common = v128_or(v128_and(load_words(low), squares[0]), v128_and(load_words(high), squares[1]));
            let found = i64x2_bitmask(i64x2_ne(common, i64x2_splat(0)));
            touched |= u32::from(found) << (16 * side + 2 * pair);
        }
    }
    touched
}

#[inline]
fn differences(old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {
    let parts = old.as_chunks::<16>().0.iter().zip(new.as_chunks::<16>().0);
    parts.rev().fold(0, |differ, (old, new)| {
        differ << 16 | u64::from(u8x16_bitmask(u8x16_ne(load_plain(old), load_plain(new))))
    })
}

#[inline]
fn join(once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {
    let mut sides = [[0; 4]; 2];
    for (word, (once, twice)) in [(&once.low, &twice.low), (&once.high, &twice.high)].into_iter().enumerate() {
        for side in 0..2 {
            let (mut some, mut several) = (u64x2_splat(0), u64x2_splat(0));
            for (once, twice) in once.iter().zip(twice) {
                let once = load_words(&once.as_chunks().0[side]);
                let twice = load_words(&twice.as_chunks().0[side]);
                several = v128_or(several, v128_or(twice, v128_and(some, once)));
                some = v128_or(some, once);
            }
            let (even, odd) = (u64x2_extract_lane::<0>(some), u64x2_extract_lane::<1>(some));
            sides[0][2 * side + word] = even | odd;
            sides[1][2 * side + word] =
                u64x2_extract_lane::<0>(several) | u64x2_extract_lane::<1>(several) | even & odd;
        }
    }
    sides
}
