//! The portable kernels, the reference for every other path.
//!
//! Lengths are checked by [`Kernels`](super::kernels::Kernels).

use super::kernels::{HIDDEN, LANES, Planes, Sides, Tail, Window, Zones, kernels};

/// The path without processor features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar;

kernels!(Scalar);

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

fn exchange(rows: &[i16], sums: &mut [i16], pairs: &[[u32; 2]]) {
    let width = sums.len();
    for &pair in pairs {
        let [removed, added] = pair.map(|index| &rows[index as usize * width..][..width]);
        let changes = removed.iter().zip(added);
        sums.iter_mut().zip(changes).for_each(|(sum, (&a, &b))| *sum = sum.wrapping_sub(a).wrapping_add(b));
    }
}

fn clip(sums: &[i16], outputs: &mut [u8]) {
    outputs.iter_mut().zip(sums).for_each(|(output, &sum)| *output = sum.clamp(0, 127) as u8);
}

fn products(first: &[i16], second: &[i16], outputs: &mut [u8]) {
    // Shifted there and back: bit 14 becomes the sign.
    let limited = |sum: i16| ((sum << 1) >> 1).clamp(0, 127);
    for ((output, &a), &b) in outputs.iter_mut().zip(first).zip(second) {
        *output = ((limited(a) * limited(b)) >> 7) as u8;
    }
}

pub(super) fn wide_products(first: &[i16], second: &[i16], outputs: &mut [u8]) {
    let limited = |sum: i16| i32::from(sum.clamp(0, 255));
    for ((output, &a), &b) in outputs.iter_mut().zip(first).zip(second) {
        *output = ((limited(a) * limited(b) + 256) >> 9) as u8;
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

fn activate(sums: &[i32], outputs: &mut [u8]) {
    outputs.iter_mut().zip(sums).for_each(|(output, &sum)| *output = (sum >> 6).clamp(0, 127) as u8);
}

fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
    inputs.iter().zip(weights).map(|(&input, &weight)| i32::from(input) * i32::from(weight)).sum()
}

fn squared_dot(sums: &[i16], weights: &[i16]) -> i32 {
    sums.iter().zip(weights).fold(0, |total: i32, (&sum, &weight)| {
        let value = i32::from(sum.clamp(0, 255));
        total.wrapping_add(value * value * i32::from(weight))
    })
}

fn add_sums(a: &[i16], b: &[i16], c: &[i16], totals: &mut [i16]) {
    let parts = a.iter().zip(b).zip(c);
    totals.iter_mut().zip(parts).for_each(|(total, ((a, &b), &c))| *total = a.saturating_add(b).saturating_add(c));
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
fn touched(sets: &[Sides; 16], squares: [u64; 2]) -> u32 {
    let [low, high] = squares;
    let mut touched = 0;
    for (index, [a, b, c, d]) in sets.iter().enumerate() {
        touched |= u32::from(a & low | b & high != 0) << index;
        touched |= u32::from(c & low | d & high != 0) << (16 + index);
    }
    touched
}

#[inline]
fn join(once: &[Sides; 16], twice: &[Sides; 16]) -> [Sides; 2] {
    let (mut some, mut several) = ([0; 4], [0; 4]);
    for (once, twice) in once.iter().zip(twice) {
        for word in 0..4 {
            several[word] |= twice[word] | some[word] & once[word];
            some[word] |= once[word];
        }
    }
    [some, several]
}
