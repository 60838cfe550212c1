//! The portable kernels, the reference for every other path.
//!
//! Lengths are checked by [`Kernels`](super::kernels::Kernels).

use super::kernels::{CodeSets, Difference, HIDDEN, LANES, Planes, Sides, Tail, Window, Words, Zones, kernels};

/// The path without processor features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

kernels!(implement, Scalar, safe;);

/// Rows are added in pieces that fit the first-level cache.
const PIECE: usize = 256;

fn update(rows: &[i16], source: &[i16], target: &mut [i16], removed: &[u32], added: &[u32]) {
    let width = target.len();
    let pieces = source.chunks(PIECE).zip(target.chunks_mut(PIECE)).zip((0..).step_by(PIECE));
    for ((source, target), start) in pieces {
        let row = |index: u32| &rows[index as usize * width + start..][..source.len()];
        target.copy_from_slice(source);
        for &index in removed {
            target.iter_mut().zip(row(index)).for_each(|(sum, &weight)| *sum = sum.wrapping_sub(weight));
        }
        for &index in added {
            target.iter_mut().zip(row(index)).for_each(|(sum, &weight)| *sum = sum.wrapping_add(weight));
        }
    }
}

fn exchange(rows: &[u8], source: &[i16], target: &mut [i16], pairs: &[[u32; 2]]) {
    let width = target.len();
    target.copy_from_slice(source);
    for &pair in pairs {
        let [removed, added] = pair.map(|index| &rows[index as usize * width..][..width]);
        for (sum, (&removed, &added)) in target.iter_mut().zip(removed.iter().zip(added)) {
            *sum = sum.wrapping_add(i16::from(added) - i16::from(removed));
        }
    }
}

#[inline(always)]
pub(super) fn clip(sums: &[i16], outputs: &mut [u8]) {
    outputs.iter_mut().zip(sums).for_each(|(output, &sum)| *output = sum.clamp(0, 127) as u8);
}

#[inline(always)]
pub(super) fn products(first: &[i16], second: &[i16], outputs: &mut [u8]) {
    // Shifted there and back: bit 14 becomes the sign.
    let limited = |sum: i16| ((sum << 1) >> 1).clamp(0, 127);
    for ((output, &a), &b) in outputs.iter_mut().zip(first).zip(second) {
        *output = ((limited(a) * limited(b)) >> 7) as u8;
    }
}

pub(super) fn wide_products(first: [&[i16]; 2], second: [&[i16]; 2], outputs: &mut [u8]) {
    for (at, output) in outputs.iter_mut().enumerate() {
        let [a, b] = [first, second].map(|[a, b]| i32::from(a[at].saturating_add(b[at]).clamp(0, 255)));
        *output = ((a * b + 256) >> 9) as u8;
    }
}

pub(super) fn tail_of(sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
    let mut second = tail.biases;
    for (&sum, row) in sums.iter().zip(&tail.pairs) {
        let unit = (sum >> 3).clamp(-1024, 1024);
        let (limited, square) = (unit.max(0), (unit * unit + 512) >> 10);
        for (sum, &[a, b]) in second.iter_mut().zip(row) {
            *sum += limited * i32::from(a) + square * i32::from(b);
        }
    }
    let last = second.iter().zip(&tail.last);
    last.fold(tail.bias, |output, (&sum, &weight)| output + (sum >> 12).clamp(0, 1024) * weight)
}

fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    let (inputs, _) = inputs.as_chunks::<4>();
    let (weights, _) = weights.as_chunks::<4>();
    for (inputs, weights) in inputs.iter().zip(weights.chunks_exact(outputs.len())) {
        if *inputs == [0; 4] {
            continue;
        }
        for (output, weights) in outputs.iter_mut().zip(weights) {
            let products = inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight));
            *output = output.wrapping_add(products.sum());
        }
    }
}

#[inline(always)]
pub(super) fn activate(sums: &[i32], outputs: &mut [u8]) {
    outputs.iter_mut().zip(sums).for_each(|(output, &sum)| *output = (sum >> 6).clamp(0, 127) as u8);
}

pub(super) fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
    inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight)).sum()
}

#[inline(always)]
pub(super) fn squared_dot(sums: &[i16], weights: &[i16]) -> i32 {
    sums.iter().zip(weights).fold(0, |total: i32, (&sum, &weight)| {
        let value = sum.clamp(0, 255);
        // Fits 16 bits: 255 * 128 < 2^15.
        total.wrapping_add(i32::from(value * weight) * i32::from(value))
    })
}

#[inline(always)]
pub(super) fn add_sums(a: &[i16], b: &[i16], totals: &mut [i16]) {
    totals.iter_mut().zip(a.iter().zip(b)).for_each(|(total, (a, &b))| *total = a.saturating_add(b));
}

#[inline]
fn zones_of(planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {
    let (zones, _) = zones.as_chunks_mut::<LANES>();
    for (zone, Window { places, bits, bases }) in zones.iter_mut().zip(windows) {
        for (class, (&place, (&bit, &base))) in zone.iter_mut().zip(places.iter().zip(bits.iter().zip(bases))) {
            let [a, b, c, d, e, f] = planes.map(|words| {
                let byte = words[usize::from(place / 8 % 2)] >> (8 * (place % 8));
                u8::from(place < 16 && byte as u8 & bit != 0)
            });
            *class = base + 9 * (a + 2 * b) + 3 * (c + d) + e + f;
        }
    }
}

fn differences(old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {
    let differ = old.iter().zip(new).map(|(old, new)| u64::from(old != new));
    differ.rev().fold(0, |bits, bit| bits << 1 | bit)
}

#[inline]
pub(super) fn place(sets: &mut CodeSets, kinds: &[Words; 16], colors: [Words; 2]) -> Difference {
    let mut difference = Difference { codes: 0, squares: [0; 2] };
    for code in 0..32 {
        let (kind, color) = (kinds[code % 16], colors[code / 16]);
        let new = [kind[0] & color[0], kind[1] & color[1]];
        let old = sets.of(code);
        let [low, high] = [old[0] ^ new[0], old[1] ^ new[1]];
        difference.codes |= u32::from(low | high != 0) << code;
        difference.squares = [difference.squares[0] | low, difference.squares[1] | high];
        sets.set(code, new);
    }
    difference
}

#[inline]
fn touched(sets: &CodeSets, squares: Words) -> u32 {
    (0..32).fold(0, |touched, code| {
        let [low, high] = sets.of(code);
        touched | u32::from(low & squares[0] | high & squares[1] != 0) << code
    })
}

#[inline]
fn join(once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {
    let (mut some, mut several) = ([0; 4], [0; 4]);
    for code in 0..32 {
        for (word, (once, twice)) in once.of(code).into_iter().zip(twice.of(code)).enumerate() {
            let word = code / 16 * 2 + word;
            several[word] |= twice | some[word] & once;
            some[word] |= once;
        }
    }
    [some, several]
}
