//! One step of AdamW (Loshchilov and Hutter 2019).

use enbu_isa::dispatch;
use rayon::prelude::*;

use super::model::{Gradient, Model};
use crate::architecture::Grid;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;

/// Parameters of a unit of parallel work.
const PART: usize = 1 << 13;

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) rate: f32,
    pub(super) decay: f32,
    /// The number of the step, from 1.
    pub(super) number: u64,
    /// The factor of the summed gradients: one by the number of positions.
    pub(super) scale: f32,
    /// See [`Architecture::epsilon`](crate::architecture::Architecture::epsilon).
    pub(super) epsilon: f32,
}

impl Step {
    /// Moves the parameters of `model` against the sum of `gradients`, and zeroes these.
    pub(super) fn take(self, model: &mut Model, moments: &mut [Vec<f32>; 2], gradients: &mut [Gradient]) {
        let architecture = model.shape.architecture();
        let ranges = architecture.parts(model.scale);
        let of_network = ranges.partition_point(|(range, ..)| range.end <= architecture.len());
        let (ranges, virtual_ranges) = ranges.split_at(of_network);
        let (values, virtual_values) = model.values.split_at_mut(architecture.len());
        let [first, second] = moments.each_mut().map(|moments| moments.split_at_mut(architecture.len()));
        let mut sums = gradients.iter_mut().map(|gradient| gradient.sums.split_at_mut(architecture.len()));
        let Some((sum, virtual_sum)) = sums.next() else { return };
        // No position has virtual inputs.
        let mut others: Vec<_> = sums.map(|(network, _)| network).collect();
        self.update(ranges, values, [first.0, second.0], sum, &mut others);
        architecture.transformer().gather(|input| architecture.virtual_inputs(input), sum, virtual_sum);
        self.update(virtual_ranges, virtual_values, [first.1, second.1], virtual_sum, &mut []);
        [sum, virtual_sum].into_par_iter().for_each(|sum| sum.fill(0.0));
        model.refresh();
    }

    /// Adds `others` to `sum`, zeroes them, and moves parameters against it.
    fn update<'a>(
        self,
        ranges: &[crate::architecture::Part],
        mut values: &'a mut [f32],
        mut moments: [&'a mut [f32]; 2],
        mut sum: &'a mut [f32],
        others: &mut [&'a mut [f32]],
    ) {
        let mut parts = Vec::new();
        for (range, grid, _) in ranges {
            for start in range.clone().step_by(PART) {
                let length = PART.min(range.end - start);
                let moments = moments.each_mut().map(|moments| split(moments, length));
                let others: Vec<_> = others.iter_mut().map(|other| split(other, length)).collect();
                parts.push((*grid, split(&mut values, length), moments, split(&mut sum, length), others));
            }
        }
        parts.into_par_iter().for_each(|(grid, values, moments, sum, others)| {
            dispatch(
                #[inline(always)]
                || self.update_part(grid, values, moments, sum, others),
            )
        });
    }

    /// Like [`update`](Self::update), for consecutive parameters on one thread.
    #[inline(always)]
    fn update_part(
        self,
        grid: Grid,
        values: &mut [f32],
        [first, second]: [&mut [f32]; 2],
        sum: &mut [f32],
        others: Vec<&mut [f32]>,
    ) {
        for other in others {
            for (sum, more) in sum.iter_mut().zip(other) {
                *sum += *more;
                *more = 0.0;
            }
        }
        let number = self.number.min(1 << 20) as i32;
        let rate = self.rate / (1.0 - BETA1.powi(number));
        let second_scale = 1.0 / (1.0 - BETA2.powi(number));
        let kept = 1.0 - self.rate * self.decay;
        let moments = first.iter_mut().zip(second);
        for ((value, sum), (first, second)) in values.iter_mut().zip(sum).zip(moments) {
            let slope = *sum * self.scale;
            *first += (1.0 - BETA1) * (slope - *first);
            *second += (1.0 - BETA2) * (slope * slope - *second);
            let moved = *value * kept - rate * *first / ((*second * second_scale).sqrt() + self.epsilon);
            let below = if moved < grid.limit { moved } else { grid.limit };
            *value = if below > -grid.limit { below } else { -grid.limit };
        }
    }
}

/// Splits off the first `length` numbers.
fn split<'a>(rest: &mut &'a mut [f32], length: usize) -> &'a mut [f32] {
    rest.split_off_mut(..length).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::k_p::KP;
    use crate::shape::Shape;
    use crate::trainer::model::Numbers;

    fn step(number: u64) -> Step {
        Step { rate: 0.01, decay: 0.1, number, scale: 0.5, epsilon: 1e-8 }
    }

    #[test]
    fn steps_are_those_of_the_paper() {
        let shape = Shape::default();
        let architecture = shape.architecture();
        let mut model = Model::random(shape.clone(), 400.0, 1);
        let before = model.values.clone();
        let mut moments = [vec![0.0; architecture.trained()], vec![0.0; architecture.trained()]];
        let mut gradients = [Gradient::new(&shape), Gradient::new(&shape)];
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
        // Without a gradient only the decay applies.
        let decayed = f64::from(before[7]) * (1.0 - 0.001_f64).powi(20);
        assert!((f64::from(model.values[7]) - decayed).abs() < 1e-6);
        // The evaluating row is the sum of an input's own and its virtual inputs'.
        let mut alone = model.clone();
        alone.values[architecture.len()..].fill(0.0);
        alone.refresh();
        assert_eq!(alone.used, model.values[..architecture.len()]);
        assert_ne!(model.used, alone.used);
    }

    #[test]
    fn parameters_stay_within_the_limits_of_the_file() {
        for shape in [Shape::new(Deep { width: 64 }), Shape::new(KP)] {
            let trained = shape.architecture().trained();
            let mut model = Model::random(shape.clone(), 400.0, 1);
            model.evaluate_with(Numbers::Rounded);
            let mut moments = [vec![0.0; trained], vec![0.0; trained]];
            let mut gradients = [Gradient::new(&shape)];
            for number in 1..=300 {
                let sums = gradients[0].sums.iter_mut().enumerate();
                sums.for_each(|(index, sum)| *sum = if index % 2 == 0 { 9e3 } else { -9e3 });
                Step { rate: 0.5, decay: 0.0, ..step(number) }.take(&mut model, &mut moments, &mut gradients);
            }
            for (range, grid, _) in shape.architecture().parts(400.0) {
                assert!(model.values[range.clone()].iter().all(|value| value.abs() == grid.limit));
                let used = model.used.get(range).unwrap_or_default();
                assert!(used.iter().all(|used| used.abs() <= grid.limit + 0.5 / grid.unit));
                assert!(used.iter().all(|&used| (used * grid.unit - (used * grid.unit).round()).abs() < 1e-3));
            }
        }
    }
}
