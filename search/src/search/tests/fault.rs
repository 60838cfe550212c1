//! Panics in the search, for the test that none of them loses a game.

use crate::node::NodeKind;
use crate::shared::Role;
use crate::worker::Worker;

/// Kind of the node that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Root,
    Pv,
    Cut,
    All,
    Quiescence,
}

impl Place {
    pub(crate) const EACH: [Self; 5] = [Self::Root, Self::Pv, Self::Cut, Self::All, Self::Quiescence];

    /// The kind of a node above quiescence.
    pub(crate) const fn of(kind: NodeKind) -> Self {
        match kind {
            NodeKind::Pv => Self::Pv,
            NodeKind::Cut => Self::Cut,
            NodeKind::All => Self::All,
        }
    }
}

/// A panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    /// The thread in which it happens.
    pub(crate) role: Role,
    /// Number of nodes that this thread visits before.
    pub(crate) after: u64,
}

impl Worker<'_> {
    /// Panics if the job has a fault here.
    pub(crate) fn fail_at(&self, place: Place) {
        let fault = self.job.limits.fault.filter(|fault| fault.place == place && fault.role == self.role);
        assert!(fault.is_none_or(|fault| self.nodes < fault.after), "a fault for the test");
    }
}
