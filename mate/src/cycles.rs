//! The path to the present node, and disproofs that hold only on some paths.
//!
//! Perpetual check loses, so a move of the attacker into a position of the path fails:
//! "no mate". This disproof is valid only while the earlier position is on the path; in
//! the transposition table it would refute existing mates (the graph history interaction
//! problem). Each disproof therefore carries the path positions on which it relies. At
//! the shallowest of them the reliance is discharged: the cycle is then inside the
//! disproof tree, which the defender can follow for ever, and the result is valid on
//! every path. Until then it is stored here with those positions, or with a hash of the
//! whole path if there are too many.
//!
//! A proof never relies on a repetition: a shortest mate repeats no position.

use bytemuck::Zeroable;
use enbu_movegen::Hand;

use crate::plies::Plies;

/// Maximal number of path positions that a reliance names individually.
const NAMED: usize = 6;

/// The path positions on which a disproof relies, by depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reliance {
    /// Relies on these positions of the path, deepest first.
    Named {
        /// Depths in descending order; the first `count` are valid.
        depths: [u16; NAMED],
        count: u8,
    },
    /// Relies on the whole path from this depth on.
    PathFrom(u16),
    /// Relies on the depth limit, which no path discharges.
    Limit,
}

impl Reliance {
    /// Valid on every path.
    pub(crate) const NONE: Self = Self::Named { depths: [0; NAMED], count: 0 };

    /// Relies on the position at `depth` (root: 0).
    pub(crate) fn on(depth: usize) -> Self {
        let mut depths = [0; NAMED];
        depths[0] = depth as u16;
        Self::Named { depths, count: 1 }
    }

    /// Returns true if the result is valid on every path.
    pub(crate) fn is_none(self) -> bool {
        matches!(self, Self::Named { count: 0, .. })
    }

    /// The shallowest depth relied on: 0 for the depth limit, `usize::MAX` for none. Larger
    /// is better, because it is discharged sooner.
    pub(crate) fn shallowest(self) -> usize {
        match self {
            Self::Named { count: 0, .. } => usize::MAX,
            Self::Named { depths, count } => usize::from(depths[usize::from(count) - 1]),
            Self::PathFrom(depth) => usize::from(depth),
            Self::Limit => 0,
        }
    }

    /// The part that remains at the node at `depth`: positions nearer to the root.
    pub(crate) fn discharged_at(self, depth: usize) -> Self {
        match self {
            Self::Named { depths, count } => {
                let deep = depths[..usize::from(count)].iter().filter(|&&on| usize::from(on) >= depth).count();
                let mut left = [0; NAMED];
                left[..usize::from(count) - deep].copy_from_slice(&depths[deep..usize::from(count)]);
                Self::Named { depths: left, count: count - deep as u8 }
            }
            Self::PathFrom(from) if usize::from(from) >= depth => Self::NONE,
            other => other,
        }
    }

    /// The reliance of a result that needs both.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Limit, _) | (_, Self::Limit) => Self::Limit,
            (Self::Named { count: 0, .. }, other) => other,
            (both, Self::Named { count: 0, .. }) => both,
            (Self::Named { depths: a, count: m }, Self::Named { depths: b, count: n }) => {
                merged(&a[..usize::from(m)], &b[..usize::from(n)])
                    .unwrap_or(Self::PathFrom(self.shallowest().min(other.shallowest()) as u16))
            }
            _ => Self::PathFrom(self.shallowest().min(other.shallowest()) as u16),
        }
    }
}

/// The union of two descending sequences, or `None` above [`NAMED`] elements.
fn merged(mut a: &[u16], mut b: &[u16]) -> Option<Reliance> {
    let mut depths = [0; NAMED];
    let mut count = 0;
    while let Some(&next) = a.first().max(b.first()) {
        *depths.get_mut(count)? = next;
        count += 1;
        a = if a.first() == Some(&next) { &a[1..] } else { a };
        b = if b.first() == Some(&next) { &b[1..] } else { b };
    }
    Some(Reliance::Named { depths, count: count as u8 })
}

/// Number of hash chains over the positions of the path.
const CHAINS: usize = 1 << 12;

/// The positions from the root to the present node.
pub(crate) struct Path {
    nodes: Vec<PathNode>,
    /// Index plus one of the deepest node in each chain; 0 for none.
    deepest: Box<[u16; CHAINS]>,
}

struct PathNode {
    key: u64,
    hand: Hand,
    identity: u64,
    path_key: u64,
    /// Index plus one of the next shallower node in the same chain; 0 for none.
    next: u16,
}

/// Hash of a board and the attacker's hand. Its low bits, the chain, are those of the board alone.
fn identity(key: u64, hand: Hand) -> u64 {
    let hash = mix(key ^ u64::from(hand.raw()).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    hash & !LOW | chain_bits(key)
}

const LOW: u64 = CHAINS as u64 - 1;

/// The low bits of all identities with this board.
fn chain_bits(key: u64) -> u64 {
    key >> 20 & LOW
}

impl Path {
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), deepest: Box::new([0; CHAINS]) }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn push(&mut self, key: u64, hand: Hand) {
        let identity = identity(key, hand);
        let path_key = self.key_with(identity);
        let deepest = &mut self.deepest[(identity & LOW) as usize];
        self.nodes.push(PathNode { key, hand, identity, path_key, next: *deepest });
        *deepest = self.nodes.len() as u16;
    }

    pub(crate) fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.deepest[(node.identity & LOW) as usize] = node.next;
        }
    }

    /// Hash of the path extended by one node.
    fn key_with(&self, identity: u64) -> u64 {
        mix(self.nodes.last().map_or(0, |node| node.path_key).wrapping_mul(3) ^ identity)
    }

    /// The depth of the deepest node that fits, in the chain of `identity`.
    fn find(&self, identity: u64, fits: impl Fn(&PathNode) -> bool) -> Option<usize> {
        let mut next = self.deepest[(identity & LOW) as usize];
        loop {
            let depth = usize::from(next.checked_sub(1)?);
            let node = self.nodes.get(depth)?;
            if fits(node) {
                return Some(depth);
            }
            next = node.next;
        }
    }

    /// The greatest depth at which the path has this board with an equal or dominating hand
    /// of the attacker: a return to it is no progress.
    pub(crate) fn earlier(&self, key: u64, hand: Hand) -> Option<usize> {
        self.find(chain_bits(key), |node| node.key == key && node.hand.dominates(hand))
    }

    /// The stored reliance in depths of this path, or `None` if one of its positions is not
    /// on the path.
    fn found_again(&self, relied_on: &[u64]) -> Option<Reliance> {
        let mut depths = [0; NAMED];
        let mut count = 0;
        for &identity in relied_on.iter().take_while(|&&identity| identity != 0) {
            depths[count] = self.find(identity, |node| node.identity == identity)? as u16;
            count += 1;
        }
        depths[..count].sort_unstable_by(|a, b| b.cmp(a));
        Some(Reliance::Named { depths, count: count as u8 })
    }
}

/// Finaliser of SplitMix64: every input bit affects every output bit.
pub(crate) fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stored disproof; zeros for none.
#[derive(Clone, Copy, bytemuck::Zeroable)]
struct Slot {
    /// Hash of the position or path.
    key: u64,
    generation: u32,
    /// No mate in fewer plies than this.
    below: Plies,
    /// Depth for [`Reliance::PathFrom`].
    from: u16,
    /// Hashes of the positions relied on.
    relied_on: [u64; NAMED],
}

const BUCKET: usize = 4;

/// Table of disproofs that are valid only on some paths.
///
/// A result with [`Reliance::Named`] applies to every path with those positions; one
/// with [`Reliance::PathFrom`] only to the identical path.
pub(crate) struct Cycles {
    slots: Vec<Slot>,
    generation: u32,
    /// The slot of a full bucket that is replaced next.
    turn: usize,
}

impl Cycles {
    /// A table of `bytes` bytes; `None` if the allocation fails.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let count = (bytes / size_of::<Slot>() / BUCKET).max(16) * BUCKET;
        Some(Self { slots: bytemuck::allocation::try_zeroed_vec(count).ok()?, generation: 1, turn: 0 })
    }

    pub(crate) fn clear(&mut self) {
        if self.generation == u32::MAX {
            self.slots.fill(Zeroable::zeroed());
            self.generation = 0;
        }
        self.generation += 1;
        self.turn = 0;
    }

    fn home(&self, key: u64) -> usize {
        ((u128::from(key) * (self.slots.len() / BUCKET) as u128) >> 64) as usize * BUCKET
    }

    fn bucket(&self, key: u64) -> impl Iterator<Item = &Slot> {
        let home = self.home(key);
        let bucket = self.slots[home..home + BUCKET].iter();
        bucket.filter(move |slot| slot.key == key && slot.generation == self.generation)
    }

    /// The reliance of a stored disproof (no mate within `within` plies) for the position
    /// that would follow on the path.
    pub(crate) fn look_up(&self, path: &Path, key: u64, hand: Hand, within: Plies) -> Option<Reliance> {
        let identity = identity(key, hand);
        let stored = |key| self.bucket(key).filter(|slot| within < slot.below);
        let named = stored(identity).filter_map(|slot| path.found_again(&slot.relied_on));
        let named = named.max_by_key(|reliance| reliance.shallowest());
        named.or_else(|| stored(path.key_with(identity)).next().map(|slot| Reliance::PathFrom(slot.from)))
    }

    /// Stores a disproof (no mate in fewer plies than `below`) for the position that follows
    /// on the path.
    pub(crate) fn note(&mut self, path: &Path, key: u64, hand: Hand, below: Plies, reliance: Reliance) {
        let identity = identity(key, hand);
        let mut slot = Slot { key: identity, generation: self.generation, below, from: 0, relied_on: [0; NAMED] };
        match reliance {
            Reliance::Named { depths, count } => {
                for (relied_on, &depth) in slot.relied_on.iter_mut().zip(&depths[..usize::from(count)]) {
                    *relied_on = path.nodes[usize::from(depth)].identity;
                }
            }
            Reliance::PathFrom(from) => (slot.key, slot.from) = (path.key_with(identity), from),
            Reliance::Limit => return,
        }
        self.put(slot);
    }

    fn put(&mut self, slot: Slot) {
        let home = self.home(slot.key);
        let bucket = &mut self.slots[home..home + BUCKET];
        let same = bucket.iter().position(|old| (old.key, old.relied_on) == (slot.key, slot.relied_on));
        let free = || bucket.iter().position(|old| old.generation != self.generation);
        let at = same.or_else(free).unwrap_or_else(|| {
            self.turn = (self.turn + 1) % BUCKET;
            self.turn
        });
        bucket[at] = slot;
    }
}
