//! The gradient of a slice of a batch.

use super::model::Model;
use crate::architecture::Room;
use crate::loops::Batch;
use crate::shape::Shape;

/// The gradient of a slice of a batch, and memory to compute it.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    /// Sums over the positions, in the order of the trained parameters.
    pub(super) sums: Vec<f32>,
    /// Sum of the losses of the last slice.
    pub(super) loss: f64,
    room: Room,
}

impl Gradient {
    pub(super) fn new(shape: &Shape) -> Self {
        Self { sums: vec![0.0; shape.architecture().trained()], loss: 0.0, room: shape.room() }
    }

    /// Adds the gradient of a slice and sets the loss to the slice's.
    pub(super) fn add(&mut self, model: &Model, batch: Batch<'_>) {
        let Self { sums, loss, room } = self;
        *loss = model.shape.architecture().learn(&model.used, batch, room, sums);
    }
}
