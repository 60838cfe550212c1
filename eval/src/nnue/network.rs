//! A network of any family, and its values.

use std::collections::TryReserveError;

use enbu_movegen::{Color, Delta, Position};

use super::accumulator::{Accumulators, Transformer};
use super::attacks::Attacks;
use super::attacks::sums::{AttackRows, AttackSums};
use super::features::active;
use super::layers::{ACTIVATION_UNIT, Deep, FINE_UNIT, Layers, Scratch};
use super::memory::Block;
use super::selector::{Progress, Selector};
use super::simd::{Kernels, Scalar, Simd, Task};
use crate::{MAX_VALUE, Value};

/// A network, shared by any number of threads.
#[derive(Debug)]
pub struct Network {
    pub(crate) shape: String,
    pub(crate) simd: Simd,
    pub(crate) transformer: Transformer,
    /// The first layer's rows for attacks, if these are inputs.
    pub(crate) attacks: Option<AttackRows>,
    pub(crate) head: Head,
    /// The default of FV_SCALE for standard files; the scale of Enbu's own.
    pub(crate) scale: i32,
    pub(crate) hashes_agree: bool,
}

/// The layers after the first.
#[derive(Debug)]
pub(crate) enum Head {
    Classic(Layers),
    Stacks(Stacks),
    Outputs(Outputs),
    Deep(Box<Deep>),
}

/// Several small networks.
#[derive(Debug)]
pub(crate) struct Stacks {
    pub(crate) stacks: Vec<Layers>,
    /// Units of the first layer of a stack.
    pub(crate) first: usize,
    pub(crate) selector: Selector,
    pub(crate) progress: Option<Progress>,
}

/// The integer that 1.0 is after the first layer.
pub const UNIT: i32 = 255;
/// The integer that 1.0 is among the output weights.
pub const OUTPUT_UNIT: i32 = 64;

/// The output layer of Enbu's own networks.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// For each bucket the weights of the side to move, then of the other side.
    pub(crate) weights: Block<i16>,
    pub(crate) biases: Vec<i32>,
    pub(crate) bucket_step: u32,
}

/// The bound of values of standard networks, as in YaneuraOu.
const MAX_STANDARD_VALUE: i32 = 31_753;

impl Network {
    /// The name of its kind and sizes: `halfkp-256x2-32-32` (classic: inputs, accumulator width of
    /// each side, hidden layers), `sfnn-halfkahm2-1536-15-32-k3k3` (layer stacks: the last word names
    /// the selector) and `enbu-128`, `enbu-128-b8-attacks` or `enbu-128-attacks-16-32` (Enbu's own:
    /// accumulator width, output buckets, inputs from attacks, hidden layers).
    pub fn shape(&self) -> &str {
        &self.shape
    }

    /// The kernels it runs on.
    pub fn simd(&self) -> Simd {
        self.simd
    }

    /// Returns true if the hashes in the file match its shape. In some files in use they do
    /// not; nor may they in a damaged one.
    pub fn hashes_agree(&self) -> bool {
        self.hashes_agree
    }

    /// Returns true if FV_SCALE applies: for standard files, which do not hold their scale.
    pub fn takes_scale(&self) -> bool {
        !matches!(self.head, Head::Outputs(_) | Head::Deep(_))
    }

    /// FV_SCALE of the file or its family; for Enbu's own networks the value of an output of
    /// 1.0 in centipawns.
    pub fn default_scale(&self) -> i32 {
        self.scale
    }

    /// The value of an unscaled output: for standard networks divided by `scale` (FV_SCALE)
    /// towards zero; for Enbu's own scaled by the number in the file.
    pub fn value(&self, raw: i32, scale: i32) -> Value {
        let unit = match &self.head {
            Head::Outputs(_) => UNIT * OUTPUT_UNIT,
            Head::Deep(_) => ACTIVATION_UNIT * FINE_UNIT,
            _ => return raw.checked_div(scale).unwrap_or(raw).clamp(-MAX_STANDARD_VALUE, MAX_STANDARD_VALUE),
        };
        let value = i64::from(raw) * i64::from(self.scale) / i64::from(unit);
        value.clamp(i64::from(-MAX_VALUE), i64::from(MAX_VALUE)) as Value
    }
}

/// The mutable state of evaluation along a line of play.
#[derive(Clone, Debug)]
pub(crate) struct State {
    accumulators: Accumulators,
    attacks: Option<AttackSums>,
    scratch: Option<Scratch>,
}

impl State {
    /// A state without a position.
    pub(crate) fn new(network: &Network) -> Result<Self, TryReserveError> {
        let scratch = match &network.head {
            Head::Classic(layers) => Some(Scratch::new(layers)),
            Head::Stacks(stacks) => stacks.stacks.first().map(Scratch::new),
            Head::Outputs(_) => None,
            Head::Deep(deep) => Some(Scratch::of_inputs(deep.first.inputs())),
        };
        Ok(Self {
            accumulators: Accumulators::new(&network.transformer)?,
            attacks: network.attacks.as_ref().map(AttackSums::new).transpose()?,
            scratch: scratch.transpose()?,
        })
    }

    /// Starts a new line at `position`. Its sums are computed, since later ones begin from those of an
    /// ancestor, and a table may spare all positions near the root their evaluation.
    pub(crate) fn reset(&mut self, network: &Network, position: &Position) {
        self.accumulators.reset();
        self.raw(network, position);
    }

    /// Notes the move that led to `position`.
    #[inline]
    pub(crate) fn push(&mut self, network: &Network, position: &Position, delta: &Delta) {
        self.accumulators.push(&network.transformer, position, delta);
    }

    /// Takes a move back.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.accumulators.pop();
    }

    /// The unscaled output for `position`, the end of the line, from the side to move.
    pub(crate) fn raw(&mut self, network: &Network, position: &Position) -> i32 {
        network.simd.run(Raw { state: self, network, position })
    }
}

/// The work of [`State::raw`].
struct Raw<'a> {
    state: &'a mut State,
    network: &'a Network,
    position: &'a Position,
}

impl Task for Raw<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<K: Kernels>(self, kernels: K) -> i32 {
        let Self { state: State { accumulators, attacks, scratch, .. }, network, position } = self;
        accumulators.update(kernels, &network.transformer, position);
        let (turn, sums) = (position.turn(), accumulators.sums(position.turn()));
        if let (Some(rows), Some(attacks)) = (&network.attacks, attacks.as_mut()) {
            attacks.update(kernels, rows, position);
        }
        match (&network.head, scratch, attacks) {
            (Head::Classic(layers), Some(scratch), _) => {
                let (own, enemy) = scratch.inputs.split_at_mut(sums[0].len());
                kernels.clip(sums[0], own);
                kernels.clip(sums[1], enemy);
                layers.classic(kernels, scratch)
            }
            (Head::Stacks(stacks), Some(scratch), _) => {
                let (own, enemy) = scratch.inputs.split_at_mut(sums[0].len() / 2);
                kernels.products(sums[0], own);
                kernels.products(sums[1], enemy);
                stacks.stacks[stacks.choose(position)].stack(kernels, stacks.first, scratch)
            }
            (Head::Outputs(outputs), _, Some(attacks)) => {
                outputs.raw(kernels, position, attacks.totals(kernels, turn, sums))
            }
            (Head::Outputs(outputs), _, None) => outputs.raw(kernels, position, sums),
            (Head::Deep(deep), Some(scratch), Some(attacks)) => {
                deep.raw(kernels, sums, attacks.sums(turn), &mut scratch.inputs)
            }
            // Unreachable: the state was allocated for this network.
            _ => 0,
        }
    }
}

/// The intermediate results of a network for one position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The accumulators of Black and White.
    pub sides: [Side; 2],
    /// The index of the selected small network or output, and their number.
    pub part: (usize, usize),
    /// The unscaled output from the side to move.
    pub raw: i32,
}

/// The accumulator of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Active inputs, repeated ones counted repeatedly.
    pub inputs: usize,
    /// The accumulator width.
    pub sums: usize,
    /// Sums above zero.
    pub positive: usize,
    /// Sums that are clipped at the upper limit.
    pub at_limit: usize,
}

impl State {
    /// Like [`raw`](Self::raw), with intermediate results.
    pub(crate) fn explain(&mut self, network: &Network, position: &Position) -> Explanation {
        let (limit, part) = match &network.head {
            Head::Classic(_) => (127, (0, 1)),
            Head::Stacks(stacks) => (127, (stacks.choose(position), stacks.stacks.len())),
            Head::Outputs(outputs) => (UNIT, (outputs.bucket(position), outputs.biases.len())),
            Head::Deep(_) => (UNIT, (0, 1)),
        };
        let raw = self.raw(network, position);
        let sums = self.accumulators.sums(Color::Black);
        let totals = self.attacks.as_mut().map(|attacks| attacks.totals(Scalar, Color::Black, sums));
        let sums = totals.unwrap_or(sums);
        let mut sides = sums.map(|sums| Side {
            inputs: 0,
            sums: sums.len(),
            positive: sums.iter().filter(|&&sum| sum > 0).count(),
            at_limit: sums.iter().filter(|&&sum| i32::from(sum) >= limit).count(),
        });
        for color in Color::ALL {
            active(network.transformer.features, color, position, |_| sides[color].inputs += 1);
        }
        if network.attacks.is_some() {
            Attacks::of(position).inputs(position, |color, _| sides[color].inputs += 1);
        }
        Explanation { sides, part, raw }
    }
}

impl Stacks {
    /// The index of the small network for `position`.
    fn choose(&self, position: &Position) -> usize {
        let progress = self.progress.as_ref().map_or(0, |progress| progress.bucket(position));
        self.selector.index(position, progress)
    }
}

impl Outputs {
    #[inline(always)]
    fn raw<K: Kernels>(&self, kernels: K, position: &Position, [own, enemy]: [&[i16]; 2]) -> i32 {
        let bucket = self.bucket(position);
        let (for_own, for_enemy) = self.weights[bucket * 2 * own.len()..][..2 * own.len()].split_at(own.len());
        let sum = kernels.squared_dot(own, for_own).wrapping_add(kernels.squared_dot(enemy, for_enemy));
        (sum / UNIT).wrapping_add(self.biases[bucket])
    }

    #[inline]
    fn bucket(&self, position: &Position) -> usize {
        if self.biases.len() == 1 {
            return 0;
        }
        let held = Color::ALL.iter().flat_map(|&color| position.hand(color).iter());
        let held: u32 = held.map(|(_, count)| u32::from(count)).sum();
        ((held / self.bucket_step) as usize).min(self.biases.len() - 1)
    }
}
