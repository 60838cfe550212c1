//! The moves of a game of the KIF family while they are being read: lines, and
//! where variations branch off.

use enbu_movegen::{Setup, Square};

use super::score;
use crate::board::Board;
use crate::record::{Event, NodeId, Record};

/// The moves of a game while they are being read.
pub(super) struct Play<'t> {
    pub(super) record: Record,
    pub(super) board: Board,
    /// The nodes of the current line, the root included.
    pub(super) path: Vec<NodeId>,
    /// First ply of the current line.
    start: usize,
    /// The line before the current one that contains its start, the one before
    /// that, and so on; the main line is the first.
    parents: Vec<Branch>,
    /// Remaining budget of moves to replay for starts of variations.
    replays: usize,
    /// The number that the file gives to the first move.
    pub(super) base: Option<u64>,
    /// Destination of the last move before the start position.
    pub(super) before: Option<Square>,
    /// A foul that was the last move so far; one that ends the game is no deviation.
    pub(super) foul: Option<&'t str>,
    /// Comments of the current node that were there before.
    old_comments: usize,
    /// Inside a variation that has no place in the game.
    pub(super) lost: bool,
}

/// A line that variations may still branch off from.
#[derive(Clone, Copy)]
struct Branch {
    /// Moves before the first of its own.
    start: usize,
    /// Nodes after the root, an end included.
    length: usize,
    last: NodeId,
}

/// Average number of moves that may be replayed for each variation. Programs write
/// variations from the last one back, so that nothing is made again; a file that
/// jumps to and fro must not cost the square of its length.
const REPLAYS_PER_VARIATION: usize = 60;

/// Number of lines that are kept as candidates for a branch point.
const MOST_PARENTS: usize = 200;

impl Play<'_> {
    pub(super) fn new(setup: Setup, before: Option<Square>) -> Self {
        let board = Board::new(&setup);
        let record = Record::new(setup);
        let path = vec![record.root()];
        Self {
            record,
            board,
            path,
            start: 0,
            parents: Vec::new(),
            replays: 0,
            base: None,
            before,
            foul: None,
            old_comments: 0,
            lost: false,
        }
    }

    /// Returns true if anything was read that could be kept if the rest were lost.
    pub(super) fn has_begun(&self) -> bool {
        self.path.len() > 1 || !self.parents.is_empty()
    }

    pub(super) fn at(&self) -> NodeId {
        self.path.last().copied().unwrap_or(self.record.root())
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self.record.node(self.at()).event(), Event::End(_))
    }

    /// Destination of the last move.
    pub(super) fn last_to(&self) -> Option<Square> {
        self.record.node(self.at()).event().played().map(|mv| mv.to()).or(self.before.filter(|_| self.path.len() == 1))
    }

    /// Number of moves in the current line.
    pub(super) fn moves(&self) -> usize {
        self.path.len() - 1 - usize::from(self.is_ended())
    }

    /// Looks for evaluations in the comments of the current node.
    pub(super) fn settle(&mut self) {
        let at = self.at();
        if self.record.node(at).remarks().comments.len() > self.old_comments {
            score::extract(self.record.node_mut(at), self.old_comments, &mut self.board);
            self.old_comments = self.record.node(at).remarks().comments.len();
        }
    }

    /// Adds an event; comments before it must have been settled on the board
    /// that it was said of.
    pub(super) fn add(&mut self, event: Event) {
        let id = self.record.add(self.at(), event);
        self.path.push(id);
        self.old_comments = self.record.node(id).remarks().comments.len();
    }

    /// Goes back to this many moves after the start of the current line.
    fn back_to(&mut self, moves: usize) {
        self.settle();
        self.path.truncate(moves + 1);
        self.old_comments = self.record.node(self.at()).remarks().comments.len();
        self.board.rewind(moves);
    }

    /// Goes to the start of a variation that replaces the line after this many moves,
    /// in the latest line that has something to replace there and that begins
    /// earlier. `false` when there is no such line.
    pub(super) fn branch_at(&mut self, moves: usize) -> bool {
        self.settle();
        self.replays = self.replays.saturating_add(REPLAYS_PER_VARIATION);
        if self.parents.len() == MOST_PARENTS {
            // The main line stays.
            self.parents.remove(1);
        }
        let nodes = self.path.len() - 1;
        self.parents.push(Branch { start: self.start, length: nodes, last: self.at() });
        let replaces = |index: usize, line: &Branch| line.length > moves && (index == 0 || line.start < moves);
        let found = self.parents.iter().enumerate().rposition(|(index, line)| replaces(index, line));
        let Some(found) = found else {
            self.parents.pop();
            return false;
        };
        // Up to here the path is shared with the line that was found.
        let shared = self.parents.iter().skip(found + 1).map(|line| line.start).fold(nodes, usize::min);
        self.parents.truncate(found + 1);
        self.start = shared.min(moves);
        let reached = self.parents.last().copied().is_some_and(|line| self.follow(line, shared, moves));
        if reached {
            self.start = moves;
        }
        reached
    }

    /// Goes to the position `moves` moves after the start of `line`, whose first `shared`
    /// moves are those of the current line.
    fn follow(&mut self, line: Branch, shared: usize, moves: usize) -> bool {
        self.back_to(shared.min(moves));
        if moves <= shared {
            return true;
        }
        let missing = moves - shared;
        let cost = line.length - shared;
        if cost > self.replays {
            return false;
        }
        self.replays -= cost;
        let parents = std::iter::successors(Some(line.last), |&id| self.record.node(id).parent());
        let mut nodes: Vec<NodeId> = parents.skip(line.length - moves).take(missing).collect();
        nodes.reverse();
        for id in nodes {
            if self.board.follow(self.record.node(id).event()).is_err() {
                return false;
            }
            self.path.push(id);
        }
        self.old_comments = self.record.node(self.at()).remarks().comments.len();
        true
    }
}
