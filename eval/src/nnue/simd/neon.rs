//! Kernels for AArch64 with NEON.

use std::arch::aarch64::*;

use super::kernels::{
    CodeSets, Difference, HIDDEN, LANES, Planes, SECOND, Sides, Tail, Task, Window, Words, Zones, define, load, plain,
    rows, store,
};
use super::scalar;

define!(
    /// Proof that the processor has NEON, which Rust's AArch64 targets with an operating
    /// system require.
    Neon,
    "neon",
    std::arch::is_aarch64_feature_detected!("neon")
);

load!("neon", load8: [i16; 8] => int16x8_t, vld1q_s16);
store!("neon", store8: [i16; 8] <= int16x8_t, vst1q_s16);
store!("neon", store_bytes: [u8; 8] <= uint8x8_t, vst1_u8);
load!("neon", load_plain: [u8; 16] => uint8x16_t, vld1q_u8);
store!("neon", store_plain: [u8; 16] <= uint8x16_t, vst1q_u8);
load!("neon", load_words: [u64; 2] => uint64x2_t, vld1q_u64);
load!("neon", load_bytes: [u8; 16] => int8x16_t, vld1q_s8);
load!("neon", load_half_plain: [u8; 8] => uint8x8_t, vld1_u8);
load!("neon", load_weights: [i8; 16] => int8x16_t, vld1q_s8);
load!("neon", load4: [i32; 4] => int32x4_t, vld1q_s32);
store!("neon", store4: [i32; 4] <= int32x4_t, vst1q_s32);
load!("neon", load_pairs: [[i16; 2]; 4] => int16x4x2_t, vld2_s16);

rows!(
    "neon", 8, tiles: [128, 64], zero: vdupq_n_s16(0),
    load8, store8, vsubq_s16, vaddq_s16, swap, exchange_tiles::<2>
);

plain!("neon"; fn squared_dot(sums: &[i16], weights: &[i16]) -> i32;);

#[inline]
#[target_feature(enable = "neon")]
fn swap(sums: &mut [int16x8_t; 2], removed: &[[u8; 8]; 2], added: &[[u8; 8]; 2]) {
    for (sum, (removed, added)) in sums.iter_mut().zip(removed.iter().zip(added)) {
        *sum = vaddq_s16(*sum, vreinterpretq_s16_u16(vsubl_u8(load_half_plain(added), load_half_plain(removed))));
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn wide_products([a, b]: [&[i16]; 2], [c, d]: [&[i16]; 2], outputs: &mut [u8]) {
    let (zero, most) = (vdupq_n_s16(0), vdupq_n_s16(255));
    let first = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let second = c.as_chunks::<8>().0.iter().zip(d.as_chunks::<8>().0);
    for (bytes, ((a, b), (c, d))) in outputs.as_chunks_mut::<8>().0.iter_mut().zip(first.zip(second)) {
        let first = vminq_s16(vqaddq_s16(load8(a), load8(b)), most);
        let second = vminq_s16(vqaddq_s16(load8(c), load8(d)), most);
        // Rounded and divided by 2^15. Below zero, which narrowing limits, if the second is.
        let products = vqrdmulhq_s16(vshlq_n_s16::<6>(vmaxq_s16(first, zero)), second);
        store_bytes(bytes, vqmovun_s16(products));
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn tail_of(sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
    let (zero, most) = (vdupq_n_s32(0), vdupq_n_s32(1024));
    let mut second = [zero; SECOND / 4];
    for (sum, biases) in second.iter_mut().zip(tail.biases.as_chunks::<4>().0) {
        *sum = load4(biases);
    }
    for (&sum, row) in sums.iter().zip(&tail.pairs) {
        let unit = (sum >> 3).clamp(-1024, 1024);
        let (limited, square) = (unit.max(0) as i16, ((unit * unit + 512) >> 10) as i16);
        for (sum, weights) in second.iter_mut().zip(row.as_chunks::<4>().0) {
            let int16x4x2_t(for_limited, for_square) = load_pairs(weights);
            *sum = vmlal_n_s16(vmlal_n_s16(*sum, for_limited, limited), for_square, square);
        }
    }
    let mut output = zero;
    for (&sum, weights) in second.iter().zip(tail.last.as_chunks::<4>().0) {
        let unit = vminq_s32(vmaxq_s32(vshrq_n_s32::<12>(sum), zero), most);
        output = vmlaq_s32(output, unit, load4(weights));
    }
    vaddvq_s32(output).wrapping_add(tail.bias)
}

/// Adds to each of four sums the products of four inputs with four weights.
/// A product fits 16 bits, and pairs are added in 32.
#[inline]
#[target_feature(enable = "neon")]
fn accumulate(sums: int32x4_t, inputs: int8x16_t, weights: int8x16_t) -> int32x4_t {
    let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
    let high = vmull_high_s8(inputs, weights);
    vaddq_s32(sums, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)))
}

#[inline]
#[target_feature(enable = "neon")]
fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    let stride = 4 * outputs.len();
    let mut first = 0;
    while first < outputs.len() {
        let part = &mut outputs[first..];
        let place = (stride, 4 * first);
        first += match part.len() {
            32.. => add_groups::<8>(inputs, weights, place, part),
            16.. => add_groups::<4>(inputs, weights, place, part),
            _ => add_groups::<2>(inputs, weights, place, part),
        };
    }
}

/// Adds all groups of inputs that are not zero to the first `4 * N` outputs;
/// returns that number.
#[inline]
#[target_feature(enable = "neon")]
fn add_groups<const N: usize>(
    inputs: &[u8],
    weights: &[i8],
    (stride, at): (usize, usize),
    outputs: &mut [i32],
) -> usize {
    let (outputs, _) = outputs.as_chunks_mut::<4>();
    let mut sums = [vdupq_n_s32(0); N];
    for (sum, words) in sums.iter_mut().zip(&*outputs) {
        *sum = load4(words);
    }
    for (&group, row) in inputs.as_chunks::<4>().0.iter().zip(weights.chunks_exact(stride)) {
        let group = i32::from_le_bytes(group);
        if group == 0 {
            continue;
        }
        let input = vreinterpretq_s8_s32(vdupq_n_s32(group));
        let (row, _) = row[at..][..16 * N].as_chunks::<16>();
        for (sum, weights) in sums.iter_mut().zip(row) {
            *sum = accumulate(*sum, input, load_weights(weights));
        }
    }
    for (words, sum) in outputs.iter_mut().zip(sums) {
        store4(words, sum);
    }
    4 * N
}

#[inline]
#[target_feature(enable = "neon")]
fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
    let mut sum = vdupq_n_s32(0);
    for (inputs, weights) in inputs.as_chunks::<16>().0.iter().zip(weights.as_chunks::<16>().0) {
        sum = accumulate(sum, load_bytes(inputs), load_weights(weights));
    }
    vaddvq_s32(sum)
}

#[inline]
#[target_feature(enable = "neon")]
fn zones_of(planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {
    let mut sets = [vdupq_n_u8(0); 6];
    for (set, words) in sets.iter_mut().zip(planes) {
        *set = vreinterpretq_u8_u64(load_words(words));
    }
    let (zones, _) = zones.as_chunks_mut::<16>().0.as_chunks_mut::<2>();
    for (zone, window) in zones.iter_mut().zip(windows) {
        let (places, bits) = (window.places.as_chunks::<16>().0, window.bits.as_chunks::<16>().0);
        let lanes = zone.iter_mut().zip(window.bases.as_chunks::<16>().0).zip(places.iter().zip(bits));
        for ((zone, base), (places, bits)) in lanes {
            // -1 where the bit is set. A table gives zero for places from 16 on.
            let mut planes = sets;
            for plane in &mut planes {
                *plane = vtstq_u8(vqtbl1q_u8(*plane, load_plain(places)), load_plain(bits));
            }
            let [a, b, c, d, e, f] = planes;
            let nines = vaddq_u8(a, vaddq_u8(b, b));
            let threes = vaddq_u8(vaddq_u8(c, d), vaddq_u8(nines, vaddq_u8(nines, nines)));
            let threefold = vaddq_u8(threes, vaddq_u8(threes, threes));
            let classes = vaddq_u8(vaddq_u8(e, f), threefold);
            store_plain(zone, vsubq_u8(load_plain(base), classes));
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn place(sets: &mut CodeSets, kinds: &[Words; 16], colors: [Words; 2]) -> Difference {
    scalar::place(sets, kinds, colors)
}

#[inline]
#[target_feature(enable = "neon")]
fn touched(sets: &CodeSets, squares: Words) -> u32 {
    let squares = squares.map(|word| vdupq_n_u64(word));
    let mut masks = [[0; 16]; 2];
    for (pair, (low, high)) in sets.low.iter().zip(&sets.high).enumerate() {
        let sides = low.as_chunks::<2>().0.iter().zip(high.as_chunks::<2>().0);
        for (masks, (low, high)) in masks.iter_mut().zip(sides) {
            let common = vorrq_u64(vandq_u64(load_words(low), squares[0]), vandq_u64(load_words(high), squares[1]));
            let found = vreinterpretq_u8_u64(vtstq_u64(common, common));
            (masks[2 * pair], masks[2 * pair + 1]) = (vgetq_lane_u8::<0>(found), vgetq_lane_u8::<8>(found));
        }
    }
    let [black, white] = masks.map(|masks| bits_of(load_plain(&masks)));
    u32::from(black) | u32::from(white) << 16
}

/// The bits of a mask of bytes.
#[inline]
#[target_feature(enable = "neon")]
fn bits_of(mask: uint8x16_t) -> u16 {
    let bits = vandq_u8(mask, load_plain(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]));
    u16::from_le_bytes([vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits))])
}

#[inline]
#[target_feature(enable = "neon")]
fn differences(old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {
    let parts = old.as_chunks::<16>().0.iter().zip(new.as_chunks::<16>().0);
    parts.rev().fold(0, |differ, (old, new)| {
        differ << 16 | u64::from(bits_of(vmvnq_u8(vceqq_u8(load_plain(old), load_plain(new)))))
    })
}

#[inline]
#[target_feature(enable = "neon")]
fn join(once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {
    let mut sides = [[0; 4]; 2];
    for (word, (once, twice)) in [(&once.low, &twice.low), (&once.high, &twice.high)].into_iter().enumerate() {
        for side in 0..2 {
            let (mut some, mut several) = (vdupq_n_u64(0), vdupq_n_u64(0));
            for (once, twice) in once.iter().zip(twice) {
                let once = load_words(&once.as_chunks().0[side]);
                let twice = load_words(&twice.as_chunks().0[side]);
                several = vorrq_u64(several, vorrq_u64(twice, vandq_u64(some, once)));
                some = vorrq_u64(some, once);
            }
            let (even, odd) = (vgetq_lane_u64::<0>(some), vgetq_lane_u64::<1>(some));
            sides[0][2 * side + word] = even | odd;
            sides[1][2 * side + word] = vgetq_lane_u64::<0>(several) | vgetq_lane_u64::<1>(several) | even & odd;
        }
    }
    sides
}
