//! One step of AdamW (Loshchilov and Hutter 2019).

use enbu_movegen::isa::{self, Work};
use rayon::prelude::*;

use super::gradient::Gradient;
use super::model::{Grid, Model, Numbers};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Numbers that one thread works on at a time.
const PART: usize = 1 << 13;

/// A step to be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) rate: f32,
    pub(super) decay: f32,
    /// Which step, from 1.
    pub(super) number: u64,
    /// What the sums of the gradients are multiplied by: one by the positions.
    pub(super) scale: f32,
}

/// Neighbouring numbers of a model and all that belongs to them.
struct Part<'a> {
    step: Step,
    grid: Grid,
    numbers: Numbers,
    values: &'a mut [f32],
    used: &'a mut [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    gradients: Vec<&'a mut [f32]>,
}

impl Step {
    /// Moves the numbers of `model` against the sum of `gradients`, which are 0 then.
    pub(super) fn take(self, model: &mut Model, moments: &mut [Vec<f32>; 2], gradients: &mut [Gradient]) {
        let numbers = model.numbers;
        let [mut first, mut second] = moments.each_mut().map(Vec::as_mut_slice);
        let mut values = model.values.as_mut_slice();
        let mut used = model.used.as_mut_slice();
        let mut sums: Vec<&mut [f32]> = gradients.iter_mut().map(|gradient| gradient.sums.as_mut_slice()).collect();
        let mut parts = Vec::new();
        for (range, grid) in Model::grids(model.shape) {
            let mut left = range.len();
            while left > 0 {
                let length = left.min(PART);
                left -= length;
                parts.push(Part {
                    step: self,
                    grid,
                    numbers,
                    values: split(&mut values, length),
                    used: split(&mut used, length),
                    first: split(&mut first, length),
                    second: split(&mut second, length),
                    gradients: sums.iter_mut().map(|sums| split(sums, length)).collect(),
                });
            }
        }
        parts.into_par_iter().for_each(isa::run);
    }
}

/// Cuts off the first numbers.
fn split<'a>(rest: &mut &'a mut [f32], length: usize) -> &'a mut [f32] {
    rest.split_off_mut(..length).unwrap_or_default()
}

impl Work for Part<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        let Self { step, grid, numbers, values, used, first, second, mut gradients } = self;
        let Some((total, others)) = gradients.split_first_mut() else { return };
        for other in others {
            for (sum, more) in total.iter_mut().zip(other.iter_mut()) {
                *sum += *more;
                *more = 0.0;
            }
        }
        let number = step.number.min(1 << 20) as i32;
        let rate = step.rate / (1.0 - BETA1.powi(number));
        let second_scale = 1.0 / (1.0 - BETA2.powi(number));
        let kept = 1.0 - step.rate * step.decay;
        let moments = first.iter_mut().zip(second);
        for ((value, sum), (first, second)) in values.iter_mut().zip(total.iter_mut()).zip(moments) {
            let slope = *sum * step.scale;
            *sum = 0.0;
            *first += (1.0 - BETA1) * (slope - *first);
            *second += (1.0 - BETA2) * (slope * slope - *second);
            let moved = *value * kept - rate * *first / ((*second * second_scale).sqrt() + EPSILON);
            let below = if moved < grid.limit { moved } else { grid.limit };
            *value = if below > -grid.limit { below } else { -grid.limit };
        }
        match numbers {
            Numbers::Trained => used.copy_from_slice(values),
            Numbers::Rounded => {
                for (used, &value) in used.iter_mut().zip(values.iter()) {
                    *used = grid.round(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer::Shape;

    const SHAPE: Shape = Shape { width: 64, buckets: 1, bucket_step: 1 };

    fn step(number: u64) -> Step {
        Step { rate: 0.01, decay: 0.1, number, scale: 0.5 }
    }

    #[test]
    fn steps_are_those_of_the_paper() {
        let mut model = Model::random(SHAPE, 1);
        let before = model.values.clone();
        let mut moments = [vec![0.0; SHAPE.len()], vec![0.0; SHAPE.len()]];
        let mut gradients = [Gradient::new(SHAPE), Gradient::new(SHAPE)];
        let (mut first, mut second, mut value) = (0.0_f64, 0.0_f64, f64::from(before[100]));
        for number in 1..=20 {
            let slope = f64::from(number as f32 - 7.5);
            gradients[0].sums[100] = slope as f32 * 3.0;
            gradients[1].sums[100] = -(slope as f32);
            step(number).take(&mut model, &mut moments, &mut gradients);
            assert!(gradients.iter().all(|gradient| gradient.sums.iter().all(|&sum| sum == 0.0)));
            first = 0.9 * first + 0.1 * slope;
            second = 0.999 * second + 0.001 * slope * slope;
            let (corrected_first, corrected_second) =
                (first / (1.0 - 0.9_f64.powi(number as i32)), second / (1.0 - 0.999_f64.powi(number as i32)));
            value -= 0.01 * (corrected_first / (corrected_second.sqrt() + 1e-8) + 0.1 * value);
            assert!((f64::from(model.values[100]) - value).abs() < 1e-5, "{number}");
        }
        // Without a gradient there is only decay.
        let decayed = f64::from(before[7]) * (1.0 - 0.001_f64).powi(20);
        assert!((f64::from(model.values[7]) - decayed).abs() < 1e-6);
        assert_eq!(model.used, model.values);
    }

    #[test]
    fn numbers_stay_within_what_the_file_holds() {
        let mut model = Model::random(SHAPE, 1);
        model.judge_with(Numbers::Rounded);
        let mut moments = [vec![0.0; SHAPE.len()], vec![0.0; SHAPE.len()]];
        let mut gradients = [Gradient::new(SHAPE)];
        for number in 1..=300 {
            gradients[0]
                .sums
                .iter_mut()
                .enumerate()
                .for_each(|(index, sum)| *sum = if index % 2 == 0 { 9.0 } else { -9.0 });
            Step { rate: 0.5, decay: 0.0, ..step(number) }.take(&mut model, &mut moments, &mut gradients);
        }
        for (range, grid) in Model::grids(SHAPE) {
            assert!(model.values[range.clone()].iter().all(|value| value.abs() == grid.limit));
            assert!(model.used[range].iter().all(|&used| (used * grid.unit - (used * grid.unit).round()).abs() < 1e-3));
        }
    }
}
