//! The portable kernels, the reference for every other path.
//!
//! Lengths are checked by [`Kernels`](super::kernels::Kernels).

use super::kernels::kernels;

/// The path without processor features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar;

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
