//! Affine layers after the first, forwards and backwards.
//!
//! Weights are input-major: a row of `N` for each input. The loops over a row become vector
//! instructions.

/// The first `N` numbers of `part`.
#[inline(always)]
pub(super) fn row<const N: usize>(part: &[f32]) -> [f32; N] {
    part.first_chunk().copied().unwrap_or([0.0; N])
}

/// `row` + `factor` × `other`. Rows are passed by value, so that the loop becomes vector
/// instructions wherever they are in memory.
#[inline(always)]
fn plus<const N: usize>(mut row: [f32; N], factor: f32, other: [f32; N]) -> [f32; N] {
    for lane in 0..N {
        row[lane] += factor * other[lane];
    }
    row
}

/// `outputs` + Σ input × its weights; `activation` returns the input that a sum becomes.
#[inline(always)]
pub(super) fn affine<const N: usize>(
    mut outputs: [f32; N],
    sums: &[f32],
    activation: impl Fn(f32) -> f32,
    weights: &[f32],
) -> [f32; N] {
    for (&sum, weights) in sums.iter().zip(weights.as_chunks::<N>().0) {
        outputs = plus(outputs, activation(sum), *weights);
    }
    outputs
}

#[inline(always)]
pub(super) fn add<const N: usize>(sums: &mut [f32], more: &[f32; N]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Adds the derivatives by the weights of a layer, given those by its outputs, and replaces
/// `sums` with the derivatives by them. `activation` returns the input that a sum becomes and
/// the derivative of that; it is 0 for an input of 0.
#[inline(always)]
pub(super) fn derive<const N: usize>(
    sums: &mut [f32],
    activation: impl Fn(f32) -> (f32, f32),
    slopes: &[f32; N],
    weights: &[f32],
    by_weight: &mut [f32],
) {
    let weights = weights.as_chunks::<N>().0.iter().zip(by_weight.as_chunks_mut::<N>().0);
    for (sum, (weights, by_weight)) in sums.iter_mut().zip(weights) {
        let (input, slope) = activation(*sum);
        *sum = 0.0;
        // Half of all inputs are clipped to 0 and contribute no gradient.
        if input != 0.0 {
            *by_weight = plus(*by_weight, input, *slopes);
            if slope != 0.0 {
                *sum = slope * dot(weights, slopes);
            }
        }
    }
}

/// The dot product, in eight lanes that are added pairwise.
#[inline(always)]
fn dot<const N: usize>(left: &[f32; N], right: &[f32; N]) -> f32 {
    let mut lanes = [0.0; 8];
    for start in (0..N).step_by(8) {
        for lane in 0..8 {
            lanes[lane] += left[start + lane] * right[start + lane];
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}
