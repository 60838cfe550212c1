//! The record: a start position and a tree of moves with everything said about them.
//!
//! Nodes live in one list and refer to each other by [`NodeId`]; a parent
//! always precedes its children, and the first child of a node continues
//! the main line. The root is the start position; the other nodes are moves,
//! fouls (moves that the rules forbid, kept as data) or ends.

use std::num::NonZeroU32;

use enbu_movegen::{EnteringKingRule, Move, Setup, Square};

use crate::end::{End, EndKind};
use crate::header::Headers;

/// One game, or one position with nothing played.
///
/// Two records are equal if their contents are, in whichever order their nodes
/// were added.
#[derive(Clone, Debug)]
pub struct Record {
    /// Names, event, dates and other headers, in the order of the file.
    pub headers: Headers,
    /// Clocks and rules of the game.
    pub rules: Rules,
    setup: Setup,
    nodes: Vec<Node>,
}

/// Clocks and rules of a game, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The clocks of Black and White.
    pub time: [Option<TimeControl>; 2],
    /// The number of moves after which the game ends in a draw.
    pub max_moves: Option<u32>,
    /// When an entered king wins.
    pub entering_king: Option<EnteringKingRule>,
}

/// One player's clock, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimeControl {
    /// Time for the whole game.
    pub main_ms: u64,
    /// Time per move once the main time is used up.
    pub byoyomi_ms: u64,
    /// Time added per move (Fischer).
    pub increment_ms: u64,
}

/// A place in a [`Record`]; only good for the record that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    pub(crate) const ROOT: Self = Self(NonZeroU32::MIN);

    /// The id of the node at `index` of the list.
    fn at(index: usize) -> Option<Self> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(Self)
    }

    const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The event of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Event {
    /// The start position: the root, and nothing else.
    #[default]
    Start,
    /// A move. Legal, unless the start position cannot be played at all.
    Move(Move),
    /// A move that was made although the rules forbid it.
    Foul(Move),
    /// The end of the line; such a node has no children. Boxed, to keep the
    /// node of a move small.
    End(Box<End>),
}

impl From<End> for Event {
    fn from(end: End) -> Self {
        Self::End(Box::new(end))
    }
}

impl Event {
    /// The move that was made, allowed or not.
    pub const fn played(&self) -> Option<Move> {
        match self {
            Self::Move(mv) | Self::Foul(mv) => Some(*mv),
            Self::Start | Self::End(_) => None,
        }
    }

    /// The destination of the move that was made.
    pub(crate) fn to(&self) -> Option<Square> {
        self.played().map(Move::to)
    }
}

/// A move (or the start, or an end) with its time and remarks.
#[derive(Clone, Debug)]
pub struct Node {
    event: Event,
    parent: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    next_sibling: Option<NodeId>,
    /// Time spent on the move, in milliseconds.
    pub time_ms: Option<u64>,
    /// Few nodes have any.
    remarks: Option<Box<Remarks>>,
}

/// Remarks on a move and the position after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Comments on the position after the move, one string per line.
    pub comments: Vec<String>,
    /// Evaluations of the position after the move.
    pub analyses: Vec<Analysis>,
    /// A name under which the position can be found again (KIF's `&` lines).
    pub bookmark: Option<String>,
    /// Numeric annotation glyphs of PGN: 1 is a good move, 2 a mistake, and so on.
    pub nags: Vec<u8>,
}

/// All of a node but its place in the tree.
type Content<'r> = (&'r Event, Option<u64>, &'r Remarks);

impl Remarks {
    /// Returns true where nothing is remarked, glyphs aside.
    pub(crate) fn is_empty(&self) -> bool {
        self.comments.is_empty() && self.analyses.is_empty() && self.bookmark.is_none()
    }

    /// The comments, line by line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.comments.iter().flat_map(|comment| comment.split('\n'))
    }
}

impl Node {
    /// The start of a record.
    const START: Self = Self {
        event: Event::Start,
        parent: None,
        first_child: None,
        last_child: None,
        next_sibling: None,
        time_ms: None,
        remarks: None,
    };

    fn content(&self) -> Content<'_> {
        (&self.event, self.time_ms, self.remarks())
    }

    /// Comments, analyses and other remarks.
    pub fn remarks(&self) -> &Remarks {
        static NONE: Remarks = Remarks { comments: Vec::new(), analyses: Vec::new(), bookmark: None, nags: Vec::new() };
        self.remarks.as_deref().unwrap_or(&NONE)
    }

    /// The remarks, to add to them.
    ///
    /// ```
    /// use enbu_kifu::Record;
    /// use enbu_movegen::Setup;
    /// let mut record = Record::new(Setup::startpos());
    /// let root = record.root();
    /// record.node_mut(root).remarks_mut().comments.push("a comment".to_owned());
    /// assert_eq!(record.node(root).remarks().comments, ["a comment"]);
    /// ```
    pub fn remarks_mut(&mut self) -> &mut Remarks {
        self.remarks.get_or_insert_default()
    }

    /// The event.
    pub const fn event(&self) -> &Event {
        &self.event
    }

    /// The node before it; `None` for the root.
    pub const fn parent(&self) -> Option<NodeId> {
        self.parent
    }
}

/// A program's evaluation of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// The evaluation in centipawns, positive where Black is better, whoever is
    /// to move; [`WON_CP`](Self::WON_CP) when Black has a win, `-WON_CP` when White has.
    pub score_cp: Option<i32>,
    /// The moves expected from here, beginning with the reply to the node's move.
    pub pv: Vec<Move>,
    /// The end that the line leads to.
    pub pv_end: Option<EndKind>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// The program.
    pub engine: Option<String>,
}

impl Analysis {
    /// The evaluation of a position that is won, as CSA V3.0 recommends.
    pub const WON_CP: i32 = 30_000;

    /// Returns true if both give the evaluation of one line, in whatever detail.
    pub(crate) fn is_of_line(&self, other: &Self) -> bool {
        self.score_cp == other.score_cp && (self.pv.starts_with(&other.pv) || other.pv.starts_with(&self.pv))
    }
}

impl Record {
    /// A record of `setup` with nothing played.
    ///
    /// ```
    /// use enbu_kifu::{Event, Record};
    /// use enbu_movegen::Setup;
    /// let mut record = Record::new(Setup::startpos());
    /// let first = record.add(record.root(), Event::Move("7g7f".parse()?));
    /// record.node_mut(first).time_ms = Some(1500);
    /// assert_eq!(record.main_line().count(), 1);
    /// # Ok::<(), enbu_movegen::ParseMoveError>(())
    /// ```
    pub fn new(setup: Setup) -> Self {
        const USUAL_NODES: usize = 160;
        let mut nodes = Vec::with_capacity(USUAL_NODES);
        nodes.push(Node::START);
        Self { headers: Headers::default(), rules: Rules::default(), setup, nodes }
    }

    /// The position the game started from.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The number of the move after this number of moves.
    pub(crate) fn number_after(&self, moves: usize) -> usize {
        moves + usize::from(self.setup.ply.max(1))
    }

    /// Destination of the move before a node.
    pub(crate) fn last_to(&self, id: NodeId) -> Option<Square> {
        self.node(self.node(id).parent?).event.to()
    }

    /// The node of the start position.
    pub const fn root(&self) -> NodeId {
        NodeId::ROOT
    }

    /// The node with this id.
    ///
    /// # Panics
    /// When the id is of another record.
    #[expect(clippy::indexing_slicing, reason = "nodes are never removed, so ids of this record stay valid")]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The node with this id, to add its time and remarks.
    ///
    /// # Panics
    /// When the id is of another record.
    #[expect(clippy::indexing_slicing, reason = "nodes are never removed, so ids of this record stay valid")]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// Adds an event after `parent`: as the main line when it is the first
    /// thing there, else as a variation. An event that is already there is
    /// not added again; its node is returned. A record takes 2^32 - 1 nodes; events
    /// after them are dropped, and `parent` is returned. A parent of more than
    /// 600 children (there are fewer legal moves) is not searched to its end.
    ///
    /// # Panics
    /// When the id is of another record.
    pub fn add(&mut self, parent: NodeId, event: Event) -> NodeId {
        const MOST_SEARCHED: usize = 600;
        let known = self.children(parent).take(MOST_SEARCHED).find(|&child| self.node(child).event == event);
        known.unwrap_or_else(|| self.append(parent, event, None))
    }

    /// Adds an event that is known to be new, and its time.
    #[inline(always)]
    pub(crate) fn append(&mut self, parent: NodeId, event: Event, time_ms: Option<u64>) -> NodeId {
        let Some(id) = NodeId::at(self.nodes.len()) else { return parent };
        // A constant is copied and then completed in place: copying a node that was just built
        // causes a store-forwarding stall.
        self.nodes.push(Node::START);
        let node = self.node_mut(id);
        (node.event, node.parent, node.time_ms) = (event, Some(parent), time_ms);
        match self.node_mut(parent).last_child.replace(id) {
            Some(elder) => self.node_mut(elder).next_sibling = Some(id),
            None => self.node_mut(parent).first_child = Some(id),
        }
        id
    }

    /// The children of `id`: the main continuation, then the variations in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.node(id).first_child, |&child| self.node(child).next_sibling)
    }

    /// The nodes of the main line after the root, moves and fouls and the end.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.line_after(self.root())
    }

    /// The nodes that follow `id` when the first continuation is always taken.
    ///
    /// # Panics
    /// When the id is of another record.
    #[expect(clippy::indexing_slicing, reason = "nodes are never removed, so ids of this record stay valid")]
    pub fn line_after(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let mut at = id.index();
        let mut nodes = self.nodes[at..].iter();
        std::iter::from_fn(move || {
            let child = nodes.next()?.first_child?;
            // Mostly it is the next one; continuing there does not depend on the load
            // of the link, whose latency would add up along the line.
            if child.index() != at + 1 {
                nodes = self.nodes[child.index()..].iter();
            }
            at = child.index();
            Some(child)
        })
    }

    /// The main line, then each variation, as formats write them that have one line after the
    /// other: the last variation of a line first, and those in it after it. Each has the number
    /// of moves before it.
    pub(crate) fn lines(&self) -> Vec<(usize, Vec<NodeId>)> {
        let mut lines = Vec::new();
        let mut starts: Vec<(usize, NodeId)> = self.children(self.root()).map(|id| (0, id)).collect();
        starts.reverse();
        while let Some((before, first)) = starts.pop() {
            let line: Vec<NodeId> = std::iter::once(first).chain(self.line_after(first)).collect();
            for (moves, &id) in (before + 1..).zip(&line) {
                let others: Vec<_> = self.children(id).skip(1).map(|id| (moves, id)).collect();
                starts.extend(others.into_iter().rev());
            }
            lines.push((before, line));
        }
        lines
    }

    /// The content of the [`lines`](Self::lines), of which a record has other ones if its tree is another: each
    /// branches off from the last line before it that began earlier.
    fn contents(&self) -> Vec<(usize, Vec<Content<'_>>)> {
        let contents = |line: Vec<NodeId>| line.into_iter().map(|id| self.node(id).content()).collect();
        self.lines().into_iter().map(|(before, line)| (before, contents(line))).collect()
    }

    /// Returns true if any position has more than one continuation.
    pub fn has_variations(&self) -> bool {
        self.nodes.iter().any(|node| node.next_sibling.is_some())
    }

    /// The moves of the main line, with a foul at its end if there was one.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.main_line().filter_map(|id| self.node(id).event.played())
    }

    /// The end of the main line; `None` while it is unfinished.
    pub fn end(&self) -> Option<&End> {
        self.main_line().find_map(|id| match &self.node(id).event {
            Event::End(end) => Some(&**end),
            _ => None,
        })
    }

    /// Gives back memory that was set aside for more nodes.
    pub(crate) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
    }

    /// The end at a node, to change it; `None` for other nodes.
    ///
    /// # Panics
    /// When the id is of another record.
    pub fn end_mut(&mut self, id: NodeId) -> Option<&mut End> {
        match &mut self.node_mut(id).event {
            Event::End(end) => Some(end),
            _ => None,
        }
    }

    /// The times of each side, summed along the lines; nodes without a time add nothing.
    pub fn total_times(&self) -> TotalTimes {
        let mut totals: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // The last move of this side.
            let own = node.parent.and_then(|parent| self.node(parent).parent);
            let spent = own.and_then(|id| totals.get(id.index())).copied().unwrap_or(0);
            totals.push(spent.saturating_add(node.time_ms.unwrap_or(0)));
        }
        TotalTimes(totals)
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        (&self.headers, &self.rules, &self.setup) == (&other.headers, &other.rules, &other.setup)
            && self.node(self.root()).content() == other.node(other.root()).content()
            && self.contents() == other.contents()
    }
}

impl Eq for Record {}

/// Times summed along the lines of a record; see [`Record::total_times`].
#[derive(Clone, Debug)]
pub struct TotalTimes(Vec<u64>);

impl TotalTimes {
    /// Milliseconds that the mover of `id` (of an end: the side to move) has spent up to and including it; 0 for an
    /// id of another record.
    pub fn ms(&self, id: NodeId) -> u64 {
        self.0.get(id.index()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use enbu_movegen::Color;

    use super::*;

    fn play(record: &mut Record, parent: NodeId, text: &str) -> NodeId {
        record.add(parent, Event::Move(text.parse().unwrap()))
    }

    #[test]
    fn the_first_child_continues_and_duplicates_are_merged() {
        let mut record = Record::new(Setup::startpos());
        let root = record.root();
        let main = play(&mut record, root, "7g7f");
        let other = play(&mut record, root, "2g2f");
        let third = play(&mut record, root, "5g5f");
        assert_eq!(play(&mut record, root, "2g2f"), other);
        let reply = play(&mut record, main, "3c3d");
        assert_eq!(record.children(root).collect::<Vec<_>>(), [main, other, third]);
        assert_eq!(record.main_line().collect::<Vec<_>>(), [main, reply]);
        assert_eq!(record.node(other).parent(), Some(root));
        assert_eq!(record.end(), None);
        let end = record.add(reply, Event::from(End::new(EndKind::Resign, Color::Black)));
        assert_eq!(record.end().map(|end| &end.kind), Some(&EndKind::Resign));
        assert_eq!(record.main_line().last(), Some(end));
        assert_eq!(record.moves().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["7g7f", "3c3d"]);
    }

    #[test]
    fn records_are_equal_when_they_say_the_same() {
        let mut depth_first = Record::new(Setup::startpos());
        let root = depth_first.root();
        let main = play(&mut depth_first, root, "7g7f");
        play(&mut depth_first, main, "3c3d");
        play(&mut depth_first, root, "2g2f");
        let mut breadth_first = Record::new(Setup::startpos());
        let main = play(&mut breadth_first, root, "7g7f");
        let variation = play(&mut breadth_first, root, "2g2f");
        assert_ne!(depth_first, breadth_first);
        play(&mut breadth_first, main, "3c3d");
        assert_eq!(depth_first, breadth_first);
        breadth_first.node_mut(variation).remarks_mut().comments.push("other".to_owned());
        assert_ne!(depth_first, breadth_first);
    }

    #[test]
    fn times_are_summed_for_each_side_and_line() {
        let mut record = Record::new(Setup::startpos());
        let root = record.root();
        let mut at = root;
        for (text, ms) in [("7g7f", Some(1000)), ("3c3d", Some(20)), ("2g2f", None), ("8c8d", Some(u64::MAX))] {
            at = play(&mut record, at, text);
            record.node_mut(at).time_ms = ms;
        }
        let second = record.main_line().nth(1).unwrap();
        let variation = play(&mut record, second, "6g6f");
        record.node_mut(variation).time_ms = Some(500);
        let totals = record.total_times();
        let main: Vec<u64> = record.main_line().map(|id| totals.ms(id)).collect();
        assert_eq!(main, [1000, 20, 1000, u64::MAX]);
        assert_eq!(totals.ms(variation), 1500);
    }
}
