//! The moves of a game of the KIF family while they are being read: lines, and
//! where variations branch off.

use enbu_movegen::{Move, Setup, Square};

use super::score;
use crate::end::End;
use crate::error::Problem;
use crate::record::NodeId;
use crate::track::Track;

/// The moves of a game while they are being read.
pub(super) struct Play<'t> {
    pub(super) track: Track<'t>,
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
    before: Option<Square>,
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

impl<'t> Play<'t> {
    pub(super) fn new(setup: Setup, before: Option<Square>) -> Self {
        let track = Track::new(&setup);
        Self { track, start: 0, parents: Vec::new(), replays: 0, base: None, before, old_comments: 0, lost: false }
    }

    /// Returns true if anything was read that could be kept if the rest were lost.
    pub(super) fn has_begun(&self) -> bool {
        self.track.is_begun() || !self.parents.is_empty()
    }

    pub(super) fn base(&self) -> u64 {
        self.base.unwrap_or(u64::from(self.track.record.setup().ply))
    }

    pub(super) fn last_to(&self) -> Option<Square> {
        self.track.last_to().or(self.before.filter(|_| !self.track.is_begun()))
    }

    fn comments(&self) -> usize {
        self.track.record.node(self.track.at).remarks().comments.len()
    }

    /// Looks for evaluations in the comments of the current node.
    pub(super) fn settle(&mut self) {
        if self.comments() > self.old_comments {
            let Track { record, board, at, .. } = &mut self.track;
            score::extract(record.node_mut(*at), self.old_comments, board);
            self.old_comments = self.comments();
        }
    }

    /// Makes a move; a foul that it passed over is returned.
    pub(super) fn make(&mut self, mv: Move, text: &'t str) -> Result<Option<&'t str>, Problem> {
        self.settle();
        let foul = self.track.make(mv, text)?;
        self.old_comments = self.comments();
        Ok(foul)
    }

    /// Ends the line; a foul that is not its end is returned.
    pub(super) fn end(&mut self, end: End) -> Option<&'t str> {
        self.settle();
        let foul = self.track.end(end);
        self.old_comments = self.comments();
        foul
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
        let nodes = self.track.board.plies_played() + usize::from(self.track.is_ended());
        self.parents.push(Branch { start: self.start, length: nodes, last: self.track.at });
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
        self.old_comments = self.comments();
        reached
    }

    /// Goes to the position `moves` moves after the start of `line`, whose first `shared`
    /// moves are those of the current line.
    fn follow(&mut self, line: Branch, shared: usize, moves: usize) -> bool {
        self.track.back_to(shared.min(moves));
        if moves <= shared {
            return true;
        }
        let cost = line.length - shared;
        if cost > self.replays {
            return false;
        }
        self.replays -= cost;
        let Track { record, board, at, .. } = &mut self.track;
        let parents = std::iter::successors(Some(line.last), |&id| record.node(id).parent());
        let nodes: Vec<NodeId> = parents.skip(line.length - moves).take(moves - shared).collect();
        nodes.into_iter().rev().all(|id| {
            *at = id;
            board.follow(record.node(id).event()).is_ok()
        })
    }
}
