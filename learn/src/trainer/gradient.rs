//! The loss of many positions and its gradient: the hot loop.

use enbu_isa::{Task, dispatch};

use super::k_p::HIDDEN;
use super::model::Model;
use super::shape::Shape;
use crate::dataset::Entry;

/// What a position is to be judged as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// See [`Plan::scale`](super::Plan::scale).
    pub(super) scale: f32,
    /// Share of the result; the rest is the score's.
    pub(super) result_share: f32,
}

impl Target {
    /// The share of points that is to be learnt.
    #[inline(always)]
    pub(super) fn of(self, entry: &Entry) -> f32 {
        let result = 0.5 + 0.5 * f32::from(entry.result);
        let score = sigmoid(f32::from(entry.score) / self.scale);
        self.result_share * result + (1.0 - self.result_share) * score
    }
}

/// e^x to about seven digits, the same on every system. Results stay above 0 and
/// below infinity.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0);
    let power = (x * std::f32::consts::LOG2_E).round();
    // ln 2 in two parts, so that the difference is exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5 + rest * (0.166_666_67 + rest * (0.041_666_66 + rest * (0.008_333_4 + rest * 0.001_39)))));
    series * f32::from_bits(((power as i32 + 127) << 23) as u32)
}

/// The share of points that an output means.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// Positions to be learnt from.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub(super) model: &'a Model,
    pub(super) entries: &'a [Entry],
    /// Which of them, by index.
    pub(super) order: &'a [u32],
    pub(super) target: Target,
}

/// The gradient of a slice of a batch, and room to compute it.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    /// Sums over the positions, in the order of the numbers that are trained.
    pub(super) sums: Vec<f32>,
    /// Sum of the losses of the last slice.
    pub(super) loss: f64,
    room: Room,
}

/// What networks compute on the way to their output, and the derivatives by it.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// The sums of both sides.
    pub(super) sums: [Vec<f32>; 2],
    /// Those of hidden layers.
    pub(super) hidden: [[f32; HIDDEN]; 2],
}

impl Room {
    pub(super) fn new(shape: Shape) -> Self {
        Self { sums: [vec![0.0; shape.width()], vec![0.0; shape.width()]], hidden: [[0.0; HIDDEN]; 2] }
    }
}

impl Gradient {
    pub(super) fn new(shape: Shape) -> Self {
        Self { sums: vec![0.0; shape.trained()], loss: 0.0, room: Room::new(shape) }
    }

    /// Adds the gradient of the positions, and sets the loss to theirs.
    pub(super) fn add(&mut self, batch: Batch<'_>) {
        dispatch(Add { gradient: self, batch });
    }
}

struct Add<'a> {
    gradient: &'a mut Gradient,
    batch: Batch<'a>,
}

impl Task for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { gradient, batch: Batch { model, entries, order, target } } = self;
        let Gradient { sums, loss, room } = gradient;
        *loss = 0.0;
        for &index in order {
            let entry = &entries[index as usize];
            let output = model.forward(entry, room);
            let judged = sigmoid(output);
            let error = judged - target.of(entry);
            *loss += f64::from(error * error);
            model.backward(entry, 2.0 * error * judged * (1.0 - judged), room, sums);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::GameResult;
    use crate::source::Sample;
    use enbu_movegen::Position;

    fn entry(sfen: &str, score: i16) -> Entry {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        Entry::new(&Sample { position: &position, score, mv: None, result: GameResult::Draw, later: None })
    }

    /// Positions to judge.
    pub(in super::super) fn entries() -> Vec<Entry> {
        vec![
            entry("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 50),
            entry("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", -800),
            entry("1+P1K5/2G1+P4/+PS1+N1+L3/9/9/4p4/3p1+n1+p1/1+s1g1k1+r1/4+b4 b RBG2SN2L7P2g4p 210", 1300),
        ]
    }

    /// Compares the outputs with those of the description.
    pub(in super::super) fn check_outputs(model: &Model, plain_output: fn(&Model, &Entry) -> f64) {
        let mut room = Room::new(model.shape);
        for entry in entries() {
            let output = model.forward(&entry, &mut room);
            assert!((f64::from(output) - plain_output(model, &entry)).abs() < 1e-5);
        }
    }

    const TARGET: Target = Target { scale: 400.0, result_share: 0.25 };

    /// Compares the derivatives by the `tried` numbers with the slopes of the loss, given
    /// the output of the network by its description.
    pub(in super::super) fn check_gradient(
        mut model: Model,
        tried: impl Iterator<Item = usize>,
        plain_output: fn(&Model, &Entry) -> f64,
    ) {
        let (entries, order) = (entries(), [0, 1, 2]);
        let plain_loss = |model: &Model| {
            let loss = |entry: &Entry| {
                let judged = 1.0 / (1.0 + (-plain_output(model, entry)).exp());
                (judged - f64::from(TARGET.of(entry))).powi(2)
            };
            entries.iter().map(loss).sum::<f64>()
        };
        let mut gradient = Gradient::new(model.shape);
        gradient.add(Batch { model: &model, entries: &entries, order: &order, target: TARGET });
        assert!((gradient.loss - plain_loss(&model)).abs() < 1e-6);
        let mut seen = 0;
        for index in tried {
            let (value, width) = (model.used[index], 1e-3);
            let mut at = |value| {
                model.used[index] = value;
                plain_loss(&model)
            };
            let slope = (at(value + width) - at(value - width)) / f64::from(2.0 * width);
            model.used[index] = value;
            let found = f64::from(gradient.sums[index]);
            assert!((slope - found).abs() < 2e-3 * slope.abs() + 2e-5, "{index}: {slope} {found}");
            seen += usize::from(found != 0.0);
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn the_exponential_is_close_and_finite() {
        for step in -800..=800 {
            let x = step as f32 * 0.1;
            assert!((f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs() < 1e-6, "{x}");
        }
        assert!(exp(f32::INFINITY).is_finite() && exp(f32::NEG_INFINITY) > 0.0);
        assert_eq!(sigmoid(0.0), 0.5);
    }
}
