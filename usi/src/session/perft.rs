//! `perft`, in steps short enough to be interrupted.

use std::sync::atomic::{AtomicBool, Ordering};

use enbu_movegen::perft::perft;
use enbu_movegen::{Move, MoveList, Position};

/// Depth that is counted without a test of the flag: at most about 600 squared nodes.
const UNINTERRUPTED_DEPTH: u32 = 2;

/// Counts the sequences of `depth` plies and reports each first move with its count, then
/// the sum. Returns early when cancelled, with a message.
pub(super) fn run(position: &mut Position, depth: u32, cancel: &AtomicBool, say: &mut dyn FnMut(String)) {
    let nodes = count(position, depth, cancel, &mut |mv, nodes| say(format!("{mv}: {nodes}")));
    say(nodes.map_or("info string perft stopped".to_owned(), |nodes| format!("nodes {nodes}")));
}

/// Counts, and passes each first move with its count to `each`; `None` when cancelled. The recursion
/// is as deep as `depth`, which is bounded.
fn count(position: &mut Position, depth: u32, cancel: &AtomicBool, each: &mut dyn FnMut(Move, u64)) -> Option<u64> {
    let Some(rest) = depth.checked_sub(1) else { return Some(1) };
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut nodes: u64 = 0;
    for mv in &moves {
        position.do_move(mv);
        let below = match rest {
            _ if cancel.load(Ordering::Relaxed) => None,
            ..=UNINTERRUPTED_DEPTH => Some(perft(position, rest)),
            _ => count(position, rest, cancel, &mut |_, _| ()),
        };
        position.undo_move();
        each(mv, below?);
        nodes = nodes.saturating_add(below?);
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(depth: u32, cancel: &AtomicBool) -> Vec<String> {
        let mut lines = Vec::new();
        run(&mut Position::startpos(), depth, cancel, &mut |line| lines.push(line));
        lines
    }

    #[test]
    fn counts_are_those_of_the_plain_perft() {
        let never = AtomicBool::new(false);
        assert_eq!(lines(0, &never), ["nodes 1"]);
        for depth in 1..=4 {
            let lines = lines(depth, &never);
            assert_eq!(lines.len(), 31);
            assert_eq!(lines[30], format!("nodes {}", perft(&mut Position::startpos(), depth)));
            let sum: u64 =
                lines[..30].iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
            assert_eq!(lines[30], format!("nodes {sum}"));
        }
    }

    #[test]
    fn a_cancelled_count_says_so_and_leaves_the_position_alone() {
        let mut position = Position::startpos();
        let mut said = Vec::new();
        run(&mut position, 20, &AtomicBool::new(true), &mut |line| said.push(line));
        assert_eq!(said, ["info string perft stopped"]);
        assert_eq!(position.to_setup(), Position::startpos().to_setup());
    }
}
