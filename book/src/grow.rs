//! Books grown by search: the tree, the order of its growth, and its values.
//!
//! Each position of the tree was searched once, and the search named its best moves with
//! their values. A position is worth as much as its best move; a move is worth the negated
//! value of the position after it where the tree has that position, else its value in the
//! search. So each new position changes the values of those above it (minimax).
//!
//! The tree grows best-first: the next position is the leaf with the least cost, which is
//! the number of plies from the root times [`Plan::ply_cp`], and the loss of each move of
//! the line against the best one. Good moves are followed deeply, dubious ones a little.
//! This is the drop-out expansion of Lincke, Strategies for the Automatic Construction of
//! Opening Books (2000). The losses are those of the minimax values, so that a move whose
//! refutation was found is given up.
//!
//! Transpositions are one node. A move that leads back, to a node of a lower or equal ply,
//! keeps its value in the search: without this rule a repetition would be a circle.
//!
//! The tree depends on the plan and the verdicts alone; ties are broken by the seed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clap::Args;
use enbu_movegen::{Move, Position, Setup};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;
use serde::{Deserialize, Serialize};

use crate::key::PositionKey;
use crate::page::{Entry, Page};

/// Values from here on are mates: there is nothing to learn below them.
pub const MATE_CP: i32 = 30_000;

/// The result of a search: its best moves, or none in a position without moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The best moves.
    pub moves: Vec<Searched>,
    /// Value of the position in centipawns for the side to move where `moves` is empty.
    pub value_cp: i32,
}

/// A move with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Searched {
    /// A legal move.
    pub mv: Move,
    /// Its value in centipawns for the side that makes it.
    pub value_cp: i32,
    /// Depth of the search in plies.
    pub depth: u32,
}

/// Parameters of the growth, as arguments of a command.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Loss in centipawns that is as costly as one ply: larger values make the book wider and shorter ‖ 深さ1手分とみなす評価値の損。大きいほど定跡は広く浅くなる
    #[arg(long = "ply-cost", value_name = "CP", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    #[serde(rename = "ply_cost")]
    pub ply_cp: u32,
    /// Moves that lose more centipawns against the best one are not followed ‖ 最善手よりこの評価値を超えて損な指し手は先を調べない
    #[arg(long = "max-loss", value_name = "CP", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=30_000))]
    #[serde(rename = "max_loss")]
    pub max_loss_cp: u32,
    /// Moves of a game after this one are not followed ‖ この手数より先は調べない
    #[arg(long, value_name = "PLY", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_ply: u16,
    /// Decides between leaves of equal cost, and which part of a work a leaf belongs to ‖ 乱数の種。同じコストの末端の選択と、分担の割り当てを決める
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

type NodeId = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// A position that may be searched.
    Leaf,
    /// A position that is being searched.
    Pending,
    /// A position that is not followed.
    Closed,
    Child(NodeId),
}

#[derive(Clone, Debug)]
struct Edge {
    searched: Searched,
    /// Key of the position after the move.
    key: u64,
    link: Link,
}

#[derive(Clone, Debug)]
struct Node {
    position: PositionKey,
    ply: u16,
    edges: Vec<Edge>,
    /// Nodes with a move to this one.
    parents: Vec<NodeId>,
    outcome: Outcome,
}

/// Everything that a node inherits from those below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outcome {
    value_cp: i32,
    /// Depth of the search at the end of the best line, and the length of that line.
    depth: u32,
    best: Option<usize>,
    /// Cost of the cheapest leaf below; `None` if there is none.
    cost: Option<u64>,
}

/// A position from which the tree grows.
#[derive(Clone, Debug)]
struct Root {
    position: Position,
    key: u64,
    /// Cost of the line to it.
    cost: u64,
    link: Link,
}

impl Root {
    fn new(position: Position, cost: u64) -> Self {
        Self { key: position.key(), position: position.without_history(), cost, link: Link::Leaf }
    }
}

/// A growing tree of searched positions.
#[derive(Clone, Debug)]
pub struct Tree {
    plan: Plan,
    /// Key of the first root.
    origin: Option<u64>,
    roots: Vec<Root>,
    nodes: Vec<Node>,
    index: HashMap<u64, NodeId>,
    /// Moves to a position that is not in the tree.
    awaited: HashMap<u64, Vec<(NodeId, usize)>>,
}

impl Tree {
    /// A tree without positions, which will grow from these.
    pub fn new(roots: impl IntoIterator<Item = Position>, plan: Plan) -> Self {
        let mut distinct: Vec<Root> = Vec::new();
        for position in roots {
            if distinct.iter().all(|root| root.key != position.key()) {
                distinct.push(Root::new(position, 0));
            }
        }
        let origin = distinct.first().map(|root| root.key);
        Self { plan, origin, roots: distinct, nodes: Vec::new(), index: HashMap::new(), awaited: HashMap::new() }
    }

    /// Number of searched positions.
    pub fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// Value of the first root in centipawns for the side to move, once it was searched.
    pub fn value_cp(&self) -> Option<i32> {
        let node = self.index.get(&self.origin?)?;
        Some(self.nodes.get(*node)?.outcome.value_cp)
    }

    /// The next positions to search, up to `count`, the cheapest first. They are not
    /// named again; their verdicts go to [`insert`](Self::insert).
    pub fn take_leaves(&mut self, count: usize) -> Vec<Position> {
        std::iter::from_fn(|| self.take_leaf()).take(count).collect()
    }

    fn take_leaf(&mut self) -> Option<Position> {
        let cost =
            |(index, root): (usize, &Root)| Some((root.cost + self.cost_below(root.link)?, self.lot(root.key), index));
        let (_, _, index) = self.roots.iter().enumerate().filter_map(cost).min()?;
        let root = self.roots.get_mut(index)?;
        let Link::Child(mut node) = root.link else {
            root.link = Link::Pending;
            let (key, position) = (root.key, root.position.clone());
            self.relink(key, Link::Pending);
            return Some(position);
        };
        loop {
            let here = self.nodes.get(node)?;
            let (_, index) = self.cheapest(here, here.outcome.value_cp)?;
            let edge = here.edges.get(index)?;
            if let Link::Child(child) = edge.link {
                node = child;
                continue;
            }
            let (mv, key) = (edge.searched.mv, edge.key);
            self.relink(key, Link::Pending);
            return self.after(node, mv);
        }
    }

    /// The position after a move of a node.
    fn after(&self, node: NodeId, mv: Move) -> Option<Position> {
        let node = self.nodes.get(node)?;
        let mut position = Position::from_setup(&Setup { ply: node.ply, ..node.position.to_setup() }).ok()?;
        position.play(mv).ok()?;
        Some(position)
    }

    /// Gives all leaves of a position another link.
    fn relink(&mut self, key: u64, link: Link) {
        let edges = self.awaited.get(&key).cloned().unwrap_or_default();
        for &(node, index) in &edges {
            if let Some(edge) = self.nodes.get_mut(node).and_then(|node| node.edges.get_mut(index))
                && edge.link == Link::Leaf
            {
                edge.link = link;
            }
        }
        self.refresh(edges.into_iter().map(|(node, _)| node));
    }

    /// Adds a searched position and updates the values above it. Returns false, and changes
    /// nothing, for a position of the tree, and for one that is neither a root nor follows from a
    /// position of the tree by a move that a search named.
    pub fn insert(&mut self, position: &Position, verdict: &Verdict) -> bool {
        let (id, key) = (self.nodes.len(), position.key());
        let is_awaited = self.awaited.contains_key(&key) || self.roots.iter().any(|root| root.key == key);
        if !is_awaited || self.index.contains_key(&key) {
            return false;
        }
        let edges: Vec<Edge> = verdict.moves.iter().filter_map(|searched| self.edge(position, searched)).collect();
        let mut children = Vec::new();
        for (index, edge) in edges.iter().enumerate() {
            match self.index.get(&edge.key) {
                Some(&child) => children.push((index, child)),
                None => self.awaited.entry(edge.key).or_default().push((id, index)),
            }
        }
        let outcome = Outcome { value_cp: verdict.value_cp, depth: 0, best: None, cost: None };
        let position_key = PositionKey::of(position);
        self.nodes.push(Node { position: position_key, ply: position.ply(), edges, parents: Vec::new(), outcome });
        self.index.insert(key, id);
        for root in self.roots.iter_mut().filter(|root| root.key == key) {
            root.link = Link::Child(id);
        }
        children.into_iter().for_each(|(index, child)| self.link(id, index, child));
        for (parent, index) in self.awaited.remove(&key).unwrap_or_default() {
            self.link(parent, index, id);
        }
        self.refresh([id]);
        true
    }

    /// The edge of a searched move; `None` for an illegal one.
    fn edge(&self, position: &Position, searched: &Searched) -> Option<Edge> {
        if !position.is_legal(searched.mv) {
            return None;
        }
        let is_over = searched.value_cp.abs() >= MATE_CP || position.ply() >= self.plan.max_ply;
        let link = if is_over { Link::Closed } else { Link::Leaf };
        Some(Edge { searched: *searched, key: position.key_after(searched.mv), link })
    }

    fn link(&mut self, parent: NodeId, index: usize, child: NodeId) {
        let ply = |id: NodeId| self.nodes.get(id).map_or(0, |node| node.ply);
        let leads_on = ply(child) > ply(parent);
        let Some(edge) = self.nodes.get_mut(parent).and_then(|node| node.edges.get_mut(index)) else { return };
        edge.link = if leads_on { Link::Child(child) } else { Link::Closed };
        if leads_on && let Some(node) = self.nodes.get_mut(child) {
            node.parents.push(parent);
        }
    }

    /// Recomputes these nodes and those above them that change, the highest ply first.
    fn refresh(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        let ply = |tree: &Self, id: NodeId| tree.nodes.get(id).map_or(0, |node| node.ply);
        let mut due: BTreeSet<(u16, NodeId)> = nodes.into_iter().map(|id| (ply(self, id), id)).collect();
        let mut is_first = due.clone();
        while let Some((at, id)) = due.pop_last() {
            let outcome = self.outcome(id);
            let Some(node) = self.nodes.get_mut(id) else { continue };
            let changes = outcome.is_some_and(|outcome| outcome != node.outcome);
            if let Some(outcome) = outcome {
                node.outcome = outcome;
            }
            if is_first.remove(&(at, id)) || changes {
                let parents = node.parents.clone();
                due.extend(parents.into_iter().map(|parent| (ply(self, parent), parent)));
            }
        }
    }

    /// The outcome of a node by those of its children; `None` for a node without moves.
    fn outcome(&self, id: NodeId) -> Option<Outcome> {
        let node = self.nodes.get(id)?;
        let values = node.edges.iter().enumerate().map(|(index, edge)| (self.edge_value(edge), index));
        let (value_cp, best) = values.max_by_key(|&(value, index)| (value, std::cmp::Reverse(index)))?;
        let depth = node.edges.get(best).map_or(0, |edge| self.edge_depth(edge));
        let valued = Outcome { value_cp, depth, best: Some(best), cost: None };
        Some(Outcome { cost: self.cheapest(node, value_cp).map(|(cost, _)| cost), ..valued })
    }

    fn edge_value(&self, edge: &Edge) -> i32 {
        self.child(edge).map_or(edge.searched.value_cp, |child| -child.outcome.value_cp)
    }

    fn edge_depth(&self, edge: &Edge) -> u32 {
        self.child(edge).map_or(edge.searched.depth, |child| child.outcome.depth + 1)
    }

    fn child(&self, edge: &Edge) -> Option<&Node> {
        let Link::Child(child) = edge.link else { return None };
        self.nodes.get(child)
    }

    /// Cost and index of the move towards the cheapest leaf below a node of this value.
    fn cheapest(&self, node: &Node, value_cp: i32) -> Option<(u64, usize)> {
        let costs = node.edges.iter().enumerate().filter_map(|(index, edge)| {
            Some((self.cost_below(edge.link)? + self.step_cost(value_cp, edge)?, self.lot(edge.key), index))
        });
        costs.min().map(|(cost, _, index)| (cost, index))
    }

    /// Cost of the cheapest leaf that a link leads to; `None` without any.
    fn cost_below(&self, link: Link) -> Option<u64> {
        match link {
            Link::Leaf => Some(0),
            Link::Child(child) => self.nodes.get(child)?.outcome.cost,
            Link::Pending | Link::Closed => None,
        }
    }

    /// Cost of a move in a position of this value; `None` if it loses too much.
    fn step_cost(&self, value_cp: i32, edge: &Edge) -> Option<u64> {
        let loss_cp = u64::try_from(i64::from(value_cp) - i64::from(self.edge_value(edge))).unwrap_or(0);
        (loss_cp <= u64::from(self.plan.max_loss_cp)).then(|| u64::from(self.plan.ply_cp) + loss_cp)
    }

    /// A number that decides between leaves of equal cost.
    fn lot(&self, key: u64) -> u64 {
        // The generator adds its constant first.
        const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = (key ^ self.plan.seed.wrapping_mul(GAMMA)).wrapping_sub(GAMMA);
        SplitMix64::seed_from_u64(state).next_u64()
    }

    /// Divides the work: from now on the tree grows below the leaves that `is_ours` takes,
    /// by their numbers. Equal trees give a leaf equal numbers, and different leaves numbers
    /// that are spread evenly. The cost of the line to each leaf stays as it is now: parts of
    /// the tree that grow elsewhere have no influence.
    pub fn divide(&mut self, is_ours: impl Fn(u64) -> bool) {
        let leaves = self.leaves();
        let ours = leaves.into_iter().filter(|&(key, _)| is_ours(self.lot(key)));
        self.roots = ours
            .filter_map(|(key, (cost, node, mv))| {
                let position = self.after(node, mv)?;
                debug_assert_eq!(position.key(), key);
                Some(Root::new(position, cost))
            })
            .collect();
    }

    /// The leaves by their keys: the cost of the cheapest line, and its last node and move.
    fn leaves(&self) -> BTreeMap<u64, (u64, NodeId, Move)> {
        let mut leaves: BTreeMap<u64, (u64, NodeId, Move)> = BTreeMap::new();
        let mut due: BTreeMap<(u16, NodeId), u64> = BTreeMap::new();
        let reach = |due: &mut BTreeMap<(u16, NodeId), u64>, link, cost: u64| {
            if let Link::Child(child) = link
                && let Some(node) = self.nodes.get(child)
            {
                let least = due.entry((node.ply, child)).or_insert(cost);
                *least = cost.min(*least);
            }
        };
        self.roots.iter().for_each(|root| reach(&mut due, root.link, root.cost));
        while let Some(((_, id), cost)) = due.pop_first() {
            let Some(node) = self.nodes.get(id) else { continue };
            for edge in &node.edges {
                let Some(step) = self.step_cost(node.outcome.value_cp, edge) else { continue };
                reach(&mut due, edge.link, cost + step);
                if edge.link == Link::Leaf {
                    let line = (cost + step, id, edge.searched.mv);
                    let least = leaves.entry(edge.key).or_insert(line);
                    if (line.0, line.1) < (least.0, least.1) {
                        *least = line;
                    }
                }
            }
        }
        leaves
    }

    /// The book: each position with the moves that lose at most `keep_cp` against the best
    /// one, sorted by position. A move is followed by the best reply, has its minimax value
    /// and the depth of the search that it comes from, counted from the position.
    pub fn pages(&self, keep_cp: u32) -> Vec<Page> {
        let mut pages: Vec<Page> = self.nodes.iter().map(|node| self.page(node, keep_cp)).collect();
        pages.retain(|page| !page.entries.is_empty());
        pages.sort_by(|one, other| one.position.cmp(&other.position));
        pages
    }

    fn page(&self, node: &Node, keep_cp: u32) -> Page {
        let limit = i64::from(node.outcome.value_cp) - i64::from(keep_cp);
        let entry = |edge: &Edge| Entry {
            ponder: self.child(edge).and_then(|child| Some(child.edges.get(child.outcome.best?)?.searched.mv)),
            value: Some(self.edge_value(edge)),
            depth: Some(self.edge_depth(edge)),
            ..Entry::new(edge.searched.mv)
        };
        let kept = node.edges.iter().filter(|edge| i64::from(self.edge_value(edge)) >= limit);
        let mut entries: Vec<Entry> = kept.map(entry).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.value));
        Page { ply: Some(node.ply.into()), entries, ..Page::new(node.position.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use enbu_movegen::MoveList;

    use super::*;

    const PLAN: Plan = Plan { ply_cp: 20, max_loss_cp: 100, max_ply: 200, seed: 1 };

    fn start_tree(plan: Plan) -> Tree {
        Tree::new([Position::startpos()], plan)
    }

    fn after(moves: &str) -> Position {
        let mut position = Position::startpos();
        for mv in moves.split_whitespace() {
            position.play(mv.parse().expect("a move")).expect("legal");
        }
        position
    }

    fn verdict(moves: &[(&str, i32)]) -> Verdict {
        let searched = |&(mv, value_cp): &(&str, i32)| Searched { mv: mv.parse().expect("a move"), value_cp, depth: 8 };
        Verdict { moves: moves.iter().map(searched).collect(), value_cp: 0 }
    }

    /// A made-up search: values follow from the key alone.
    fn made_up(position: &Position) -> Verdict {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let mut moves: Vec<Searched> = legal
            .iter()
            .map(|&mv| Searched { mv, value_cp: (position.key_after(mv) >> 20 & 127) as i32 - 64, depth: 8 })
            .collect();
        moves.sort_by_key(|searched| -searched.value_cp);
        moves.truncate(4);
        Verdict { moves, value_cp: -32_000 }
    }

    fn grow(tree: &mut Tree, positions: usize, batch: usize) -> Vec<String> {
        let mut order = Vec::new();
        while tree.positions() < positions {
            let leaves = tree.take_leaves(batch.min(positions - tree.positions()));
            if leaves.is_empty() {
                break;
            }
            for leaf in leaves {
                order.push(leaf.to_setup().to_string());
                assert!(tree.insert(&leaf, &made_up(&leaf)));
            }
        }
        order
    }

    #[test]
    fn values_rise_from_the_leaves_to_the_root() {
        let mut tree = start_tree(PLAN);
        assert!(tree.insert(&Position::startpos(), &verdict(&[("7g7f", 50), ("2g2f", 30)])));
        assert_eq!(tree.value_cp(), Some(50));
        // The best move is refuted, and the second one becomes the best.
        assert!(tree.insert(&after("7g7f"), &verdict(&[("3c3d", 10), ("8c8d", 5)])));
        assert_eq!(tree.value_cp(), Some(30));
        assert!(tree.insert(&after("7g7f 3c3d"), &verdict(&[("2g2f", 90)])));
        assert!(tree.insert(&after("2g2f"), &verdict(&[("8c8d", -45)])));
        assert_eq!(tree.value_cp(), Some(45));
        let pages = tree.pages(1000);
        let root = pages.iter().find(|page| page.ply == Some(1)).expect("the root");
        let entries: Vec<_> = root
            .entries
            .iter()
            .map(|entry| (entry.mv.to_string(), entry.value, entry.depth, entry.ponder.map(|mv| mv.to_string())))
            .collect();
        let expected = [("2g2f", 45, 9, "8c8d"), ("7g7f", -5, 9, "8c8d")];
        let expected =
            expected.map(|(mv, value, depth, ponder)| (mv.into(), Some(value), Some(depth), Some(ponder.into())));
        assert_eq!(entries, expected);
        assert_eq!(tree.pages(20).iter().find(|page| page.ply == Some(1)).map(|page| page.entries.len()), Some(1));
    }

    #[test]
    fn the_cheapest_line_is_continued_first() {
        let mut tree = start_tree(Plan { ply_cp: 20, ..PLAN });
        let mut next = |moves: &[(&str, i32)]| {
            let [leaf] = &tree.take_leaves(1)[..] else { panic!("no leaf") };
            assert!(tree.insert(leaf, &verdict(moves)));
            leaf.to_setup().to_string()
        };
        let sfen = |moves: &str| after(moves).to_setup().to_string();
        assert_eq!(next(&[("7g7f", 50), ("2g2f", 25), ("9g9f", -60)]), sfen(""));
        assert_eq!(next(&[("3c3d", -50)]), sfen("7g7f"));
        // Two plies cost 40, the second move of the root 45.
        assert_eq!(next(&[("2g2f", 50)]), sfen("7g7f 3c3d"));
        assert_eq!(next(&[("8c8d", -25)]), sfen("2g2f"));
        assert_eq!(next(&[("4c4d", -50)]), sfen("7g7f 3c3d 2g2f"));
        assert_eq!(next(&[]), sfen("2g2f 8c8d"));
    }

    #[test]
    fn moves_that_lose_too_much_and_mates_are_not_followed() {
        let mut tree = start_tree(PLAN);
        assert_eq!(tree.take_leaves(9).len(), 1);
        assert!(tree.insert(&Position::startpos(), &verdict(&[("7g7f", 50), ("2g2f", -51), ("9g9f", 31_000)])));
        assert!(tree.take_leaves(9).is_empty());
        let mut short = start_tree(Plan { max_ply: 2, ..PLAN });
        grow(&mut short, 1000, 3);
        assert!(short.pages(u32::MAX).iter().all(|page| page.ply <= Some(2)) && short.positions() < 6);
    }

    #[test]
    fn a_transposition_is_one_node_and_a_way_back_is_not_followed() {
        let mut tree = start_tree(PLAN);
        for (moves, replies) in [
            ("", &[("7g7f", 0), ("2g2f", 0)][..]),
            ("7g7f", &[("3c3d", 0)]),
            ("2g2f", &[("3c3d", 0)]),
            ("7g7f 3c3d", &[("2g2f", 0)]),
            ("2g2f 3c3d", &[("7g7f", 0)]),
        ] {
            assert!(tree.insert(&after(moves), &verdict(replies)));
        }
        let both = after("7g7f 3c3d 2g2f");
        assert_eq!(tree.take_leaves(5).iter().map(|position| position.key()).collect::<Vec<_>>(), [both.key()]);
        assert!(tree.insert(&both, &verdict(&[("8b7b", -77)])));
        assert_eq!((tree.positions(), tree.value_cp()), (6, Some(77)));
        let back = after("2g2f 3c3d 7g7f 8b7b");
        assert!(tree.insert(&back, &verdict(&[("2h1h", 60)])));
        assert!(tree.insert(&after("2g2f 3c3d 7g7f 8b7b 2h1h"), &verdict(&[("7b8b", -50)])));
        assert!(tree.insert(&after("2g2f 3c3d 7g7f 8b7b 2h1h 7b8b"), &verdict(&[("1h2h", 40)])));
        // The last move repeats a position of the tree; its value is the search's.
        assert_eq!(tree.value_cp(), Some(40));
        assert!(tree.take_leaves(5).is_empty());
        assert!(!tree.insert(&both, &verdict(&[])) && !tree.insert(&after("5g5f"), &verdict(&[])));
    }

    #[test]
    fn growth_follows_from_plan_and_verdicts() {
        let trees: Vec<(Vec<String>, Vec<Page>)> = (0..2)
            .map(|_| {
                let mut tree = start_tree(PLAN);
                (grow(&mut tree, 300, 4), tree.pages(100))
            })
            .collect();
        assert!(trees[0] == trees[1]);
        assert!(trees[0].1.is_sorted_by(|one, next| one.position < next.position));
        let mut other = start_tree(Plan { seed: 2, ..PLAN });
        assert_ne!(grow(&mut other, 300, 4), trees[0].0);
    }

    #[test]
    fn a_tree_rebuilt_from_its_verdicts_continues_as_the_first_one() {
        let mut whole = start_tree(PLAN);
        let order = grow(&mut whole, 200, 4);
        let mut rebuilt = start_tree(PLAN);
        // The root is alone in its batch; the first batches are complete.
        let done = 1 + 25 * 4;
        for sfen in &order[..done] {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            assert!(rebuilt.insert(&position, &made_up(&position)));
        }
        assert!(grow(&mut rebuilt, 200, 4) == order[done..]);
        assert_eq!(rebuilt.pages(50), whole.pages(50));
    }

    #[test]
    fn the_parts_of_a_work_grow_different_positions() {
        let parts: Vec<BTreeSet<String>> = (0..3)
            .map(|part| {
                let mut tree = start_tree(PLAN);
                grow(&mut tree, 40, 4);
                tree.divide(|number| number % 3 == part);
                grow(&mut tree, 140, 4).into_iter().collect()
            })
            .collect();
        assert!(
            parts.iter().all(|part| part.len() == 100),
            "{:?}",
            parts.iter().map(BTreeSet::len).collect::<Vec<_>>()
        );
        let all: BTreeSet<&String> = parts.iter().flatten().collect();
        assert!(all.len() > 240, "{}", all.len());
    }

    #[test]
    fn minimax_values_agree_with_a_search_of_the_whole_tree() {
        fn value(tree: &Tree, id: NodeId) -> i32 {
            let node = &tree.nodes[id];
            let values = node.edges.iter().map(|edge| match edge.link {
                Link::Child(child) => -value(tree, child),
                _ => edge.searched.value_cp,
            });
            values.max().unwrap_or(node.outcome.value_cp)
        }
        let mut tree = start_tree(PLAN);
        grow(&mut tree, 400, 5);
        assert!((0..tree.positions()).step_by(7).all(|id| tree.nodes[id].outcome.value_cp == value(&tree, id)));
    }
}
