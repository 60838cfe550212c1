//! The nodes of a record that a report is about.

use enbu_kifu::{Event, NodeId, Record};

use crate::report::{GameReport, MoveReport};

/// The nodes of the main line and of each variation of a report, the one before the first
/// move included.
pub(crate) fn of_lines(record: &Record, report: &GameReport) -> Vec<Vec<NodeId>> {
    let mut lines = vec![line(record, record.root(), &report.moves)];
    for variation in &report.variations {
        let parent = variation.parent.map_or(0, |parent| parent + 1);
        let begins = variation.parent.and_then(|parent| report.variations.get(parent)).map_or(0, |line| line.from);
        let place = variation.from.saturating_sub(begins);
        let at = lines.get(parent).and_then(|nodes| nodes.get(place)).copied();
        lines.push(at.map_or_else(Vec::new, |at| line(record, at, &variation.moves)));
    }
    lines
}

fn line(record: &Record, start: NodeId, moves: &[MoveReport]) -> Vec<NodeId> {
    let mut nodes = vec![start];
    let mut at = start;
    for mv in moves {
        let played = |&id: &NodeId| match record.node(id).event() {
            Event::Move(known) => known.to_string() == mv.usi,
            _ => false,
        };
        let Some(next) = record.children(at).find(played) else { break };
        nodes.push(next);
        at = next;
    }
    nodes
}
