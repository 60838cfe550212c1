//! The nodes of a record that a report is about.

use enbu_kifu::{Event, NodeId, Record};

use crate::report::{GameReport, MoveReport, ReportLine};

/// The nodes of the main line and of each variation of a report, the one before the first
/// move included.
pub(crate) fn of_lines(record: &Record, report: &GameReport) -> Vec<Vec<NodeId>> {
    let lines: Vec<ReportLine<'_>> = report.lines().collect();
    let mut nodes: Vec<Vec<NodeId>> = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let place = lines.get(line.parent).map_or(0, |parent| line.from.saturating_sub(parent.from));
        let at = if index == 0 {
            Some(record.root())
        } else {
            nodes.get(line.parent).and_then(|nodes| nodes.get(place)).copied()
        };
        nodes.push(at.map_or_else(Vec::new, |at| self::line(record, at, line.moves)));
    }
    nodes
}

fn line(record: &Record, start: NodeId, moves: &[MoveReport]) -> Vec<NodeId> {
    let mut nodes = vec![start];
    let mut at = start;
    for mv in moves {
        let is_played = |event: &Event| matches!(event, Event::Move(known) if known.to_string() == mv.usi);
        let Some(next) = record.children(at).find(|&id| is_played(record.node(id).event())) else { break };
        nodes.push(next);
        at = next;
    }
    nodes
}
