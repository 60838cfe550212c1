//! Late moves of a node that are not searched.

use enbu_eval::piece_value::exchange;

use crate::node::{Candidate, Node};
use crate::value::Value;
use crate::worker::Worker;
use crate::{prune, see};

impl Worker<'_> {
    /// Returns `true` if no quiet move but a check is worth a search, however high its history:
    /// even unreduced it is futile. The others are then not generated.
    ///
    /// Last test, with mates in one asked for after reverse futility: -2 ± 33 (400 games, 10 000
    /// nodes), 0 ± 54 (137 games, 100 000 nodes); checks that lose much left out as well, -20 ± 34
    /// (400 games, 10 000 nodes), -9 ± 45 (202 games, 100 000 nodes).
    pub(crate) fn only_checks_count(&self, node: &Node, alpha: Value) -> bool {
        !node.follows && node.eval.is_some_and(|eval| prune::is_futile(node.depth.max(1), eval, alpha))
    }

    /// Returns `true` if a late move hardly reaches alpha; `shallow` is the depth at which it would
    /// be searched. Evasions, too: not from a mate, which the caller sees to.
    ///
    /// Last test: late evasions pruned against none, +15 ± 17 (T2).
    pub(crate) fn is_useless(&self, node: &Node, candidate: &Candidate, alpha: Value, shallow: i32) -> bool {
        match candidate.victim {
            _ if node.follows || candidate.checks => false,
            None => {
                prune::is_late(node.depth, candidate.number, node.trend)
                    || prune::has_bad_history(shallow, candidate.history)
                    || node.eval.is_some_and(|eval| prune::is_futile(shallow, eval, alpha))
            }
            Some(victim) => node.eval.is_some_and(|eval| {
                prune::is_futile_capture(shallow, eval, exchange(victim), candidate.history, alpha)
            }),
        }
    }

    /// Returns `true` if a late move is pruned for the exchange that it loses.
    pub(crate) fn loses_too_much(&self, node: &Node, candidate: &Candidate, shallow: i32) -> bool {
        let loss = match candidate.victim {
            Some(_) if candidate.gains => None,
            Some(_) => prune::capture_loss(node.depth),
            None if node.follows => None,
            None => prune::quiet_loss(shallow),
        };
        loss.is_some_and(|loss| !see::reaches(&self.position, candidate.mv, -loss))
    }
}
