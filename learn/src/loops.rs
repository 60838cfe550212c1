//! Loops over positions, compiled for each architecture and instruction set.

use enbu_isa::dispatch;

use crate::architecture::block::BLOCK;
use crate::architecture::{Architecture, Workspace};
use crate::entry::Entry;
use crate::loss::{Target, sigmoid};

/// A slice of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch<'a> {
    pub(crate) entries: &'a [Entry],
    /// Indices of the entries to learn from.
    pub(crate) order: &'a [u32],
    pub(crate) target: Target,
}

/// The loops of an architecture. Every [`Architecture`] has them; as trait object they cost
/// one indirect call a batch instead of one a position.
pub(crate) trait Loops: Architecture {
    /// Adds the gradient of a batch's losses to `gradient`; returns the sum of the losses.
    fn learn(&self, parameters: &[f32], batch: Batch<'_>, workspace: &mut Workspace, gradient: &mut [f32]) -> f64;

    /// The outputs for `entries`, in their order.
    fn outputs(&self, parameters: &[f32], entries: &[Entry]) -> Vec<f32>;
}

impl<A: Architecture> Loops for A {
    fn learn(&self, parameters: &[f32], batch: Batch<'_>, workspace: &mut Workspace, gradient: &mut [f32]) -> f64 {
        let Batch { entries, order, target } = batch;
        dispatch(
            #[inline(always)]
            || {
                let mut loss = 0.0;
                let mut block = Vec::with_capacity(BLOCK);
                for order in order.chunks(BLOCK) {
                    // Copied in a loop of its own, in which the cache misses overlap.
                    block.clear();
                    block.extend(order.iter().map(|&index| entries[index as usize]));
                    workspace.begin(self, parameters, &block);
                    for (position, entry) in block.iter().enumerate() {
                        workspace.load(position);
                        let share = sigmoid(self.forward(parameters, entry, workspace));
                        let error = share - target.of(entry);
                        loss += f64::from(error * error);
                        self.backward(parameters, entry, 2.0 * error * share * (1.0 - share), workspace, gradient);
                        workspace.store(position);
                    }
                    workspace.end(self, gradient);
                }
                loss
            },
        )
    }

    fn outputs(&self, parameters: &[f32], entries: &[Entry]) -> Vec<f32> {
        let mut workspace = Workspace::new(self);
        let mut outputs = Vec::with_capacity(entries.len());
        dispatch(
            #[inline(always)]
            || {
                for block in entries.chunks(BLOCK) {
                    workspace.begin(self, parameters, block);
                    outputs.extend(block.iter().enumerate().map(|(position, entry)| {
                        workspace.load(position);
                        self.forward(parameters, entry, &mut workspace)
                    }));
                }
                outputs
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::deep::Deep;
    use crate::architecture::tests::{entries, random};

    /// The gradient of the loss: a step against it lowers the loss by its squared length.
    #[test]
    fn losses_fall_along_their_gradient() {
        let own = Deep { width: 64 };
        let (entries, order) = (entries(), [0, 1, 2]);
        let batch = Batch { entries: &entries, order: &order, target: Target { scale: 400.0, result_share: 0.25 } };
        let mut parameters = random(&own);
        let mut gradient = vec![0.0; own.trained()];
        let learn = |parameters: &[f32], gradient: &mut [f32]| {
            own.learn(parameters, batch, &mut Workspace::new(&own), gradient)
        };
        let loss = learn(&parameters, &mut gradient);
        let plain = own.outputs(&parameters, &entries).into_iter().zip(&entries).map(|(output, entry)| {
            let share = 1.0 / (1.0 + (-f64::from(output)).exp());
            (share - f64::from(batch.target.of(entry))).powi(2)
        });
        assert!((loss - plain.sum::<f64>()).abs() < 1e-6);
        let squared = gradient.iter().map(|slope| f64::from(slope * slope)).sum::<f64>();
        let step = 1e-2 * loss / squared;
        parameters.iter_mut().zip(&gradient).for_each(|(value, slope)| *value -= step as f32 * slope);
        let lowered = loss - learn(&parameters, &mut vec![0.0; own.trained()]);
        assert!((lowered / (step * squared) - 1.0).abs() < 0.1, "{lowered} {}", step * squared);
    }
}
