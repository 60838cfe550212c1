//! Transposition table of the solver, of fixed size.
//!
//! An entry belongs to a board with its side to move (the key) and a hand of the
//! attacker. It holds an upper bound on the length of a mate, a lower bound, and the
//! proof and disproof numbers of the lengths between the two. Results that are valid
//! only on some paths are in [`cycles`](crate::cycles) instead.
//!
//! Entries of one board share a window of adjacent slots, so that a lookup sees all
//! hands of that board. In a full window the entry with the least effort is replaced:
//! one slot at a time, without a garbage-collection pause. Clearing increments the
//! generation.

use enbu_movegen::Hand;

use crate::plies::{NEVER, Plies};

/// Number of slots, from its home on, in which an entry may be.
const WINDOW: usize = 16;

/// Bounds and numbers of one board with one hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    key: u64,
    hand: Hand,
    /// Nodes searched below: the cost of a re-search, and the replacement criterion.
    effort: u32,
    pn: u32,
    dn: u32,
    /// Proven: a mate within this number of plies; [`NEVER`]: no proof.
    mate_within: Plies,
    /// Disproven: no mate in fewer plies than this; [`NEVER`]: no mate at all.
    no_mate_below: Plies,
    /// Least distance from the root of a visit.
    depth: u16,
    generation: u8,
    may_cycle: bool,
}

/// A packed [`Entry`]. Plain words, so that the allocator can return untouched zero pages.
type Slot = [u64; 4];

impl Entry {
    fn pack(self) -> Slot {
        [
            self.key,
            u64::from(self.hand.raw()) | u64::from(self.effort) << 32,
            u64::from(self.pn) | u64::from(self.dn) << 32,
            u64::from(self.mate_within)
                | u64::from(self.no_mate_below) << 16
                | u64::from(self.depth) << 32
                | u64::from(self.generation) << 48
                | u64::from(self.may_cycle) << 56,
        ]
    }

    fn unpack(slot: &Slot) -> Self {
        Self {
            key: slot[0],
            hand: Hand::from_raw(slot[1] as u32),
            effort: (slot[1] >> 32) as u32,
            pn: slot[2] as u32,
            dn: (slot[2] >> 32) as u32,
            mate_within: slot[3] as Plies,
            no_mate_below: (slot[3] >> 16) as Plies,
            depth: (slot[3] >> 32) as u16,
            generation: generation(slot),
            may_cycle: slot[3] >> 56 != 0,
        }
    }

    fn new(key: u64, hand: Hand, depth: u16) -> Self {
        Self {
            key,
            hand,
            effort: 0,
            pn: 1,
            dn: 1,
            mate_within: NEVER,
            no_mate_below: 0,
            depth,
            generation: 0,
            may_cycle: false,
        }
    }
}

fn generation(slot: &Slot) -> u8 {
    (slot[3] >> 48) as u8
}

/// Result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// A mate with this hand or a larger one.
    Mate {
        /// The proof hand.
        hand: Hand,
        /// Upper bound on the length.
        within: Plies,
    },
    /// No mate with this hand or a smaller one.
    NoMate {
        /// The disproof hand.
        hand: Hand,
        /// No mate in fewer plies than this.
        below: Plies,
    },
    /// Searched without a result.
    Open(Numbers),
    /// No entry.
    Nothing,
}

/// Numbers of an open node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Proof number.
    pub(crate) pn: u32,
    /// Disproof number.
    pub(crate) dn: u32,
    /// Least distance from the root of a visit.
    pub(crate) depth: u16,
    /// True if [`Cycles`](crate::cycles::Cycles) may hold a result for some paths.
    pub(crate) may_cycle: bool,
}

/// Subject of a lookup: a board, the attacker's hand, and a bound on the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// Key of board and side to move, salted with the constants of a search.
    pub(crate) key: u64,
    /// The attacker's hand.
    pub(crate) hand: Hand,
    /// Bound on the length in plies.
    pub(crate) within: Plies,
}

/// Homes of a new table: 512 KB of slots.
const FIRST_HOMES: usize = 1 << 14;

/// Growth factor of the homes.
const GROWTH: usize = 8;

/// Maximal number of homes below the full size: beyond it, the next step uses all slots.
const LARGEST_STEP: usize = 1 << 18;

/// Entries rehashed for each newly written entry.
const MOVES_AT_ONCE: usize = 16;

/// A hash table that grows within its allocation.
///
/// Entries spread over more slots as their number grows: a small problem stays in the
/// CPU caches and in few pages, which the system must fault in.
pub(crate) struct Table {
    slots: Vec<Slot>,
    /// Number of slots in use as homes, from the first.
    homes: usize,
    /// Entries waiting to be rehashed.
    moving: Vec<Slot>,
    /// Entries of other generations count as empty. Never zero.
    generation: u8,
    used: u64,
}

impl Table {
    /// A table of `bytes` bytes, at least a few kilobytes; `None` if the allocation fails.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let count = (bytes / size_of::<Slot>()).max(64) + WINDOW;
        let slots = bytemuck::allocation::try_zeroed_vec(count).ok()?;
        let homes = FIRST_HOMES.min(count - WINDOW);
        Some(Self { slots, homes, moving: Vec::new(), generation: 1, used: 0 })
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.moving.clear();
        self.homes = FIRST_HOMES.min(self.slots.len() - WINDOW);
        if self.generation == u8::MAX {
            self.slots.fill([0; 4]);
            self.generation = 0;
        }
        self.generation += 1;
    }

    /// Occupancy in 1/1000.
    pub(crate) fn permille(&self) -> u32 {
        (self.used * 1000 / self.slots.len() as u64) as u32
    }

    fn home(&self, key: u64) -> usize {
        ((u128::from(key) * self.homes as u128) >> 64) as usize
    }

    /// Enlarges the homes when half of them are occupied.
    ///
    /// Rehashing is incremental, so that no single store has a long latency; an entry
    /// that waits is not found.
    fn grow(&mut self) {
        for _ in 0..MOVES_AT_ONCE {
            let Some(slot) = self.moving.pop() else { break };
            self.settle(slot);
        }
        let most = self.slots.len() - WINDOW;
        if self.homes == most || self.used < self.homes as u64 / 2 || !self.moving.is_empty() {
            return;
        }
        let (slots, present) = (&mut self.slots[..self.homes + WINDOW], self.generation);
        self.moving.extend(slots.iter_mut().filter(|slot| generation(slot) == present).map(std::mem::take));
        let next = self.homes.saturating_mul(GROWTH);
        self.homes = if next > LARGEST_STEP { most } else { next.min(most) };
        self.used = 0;
    }

    /// Rehashes one entry; drops it if its window is full or has an entry for it.
    fn settle(&mut self, moved: Slot) {
        let home = self.home(moved[0]);
        let hand = moved[1] as u32;
        for slot in &mut self.slots[home..home + WINDOW] {
            if generation(slot) != self.generation {
                *slot = moved;
                self.used += 1;
                return;
            }
            if slot[0] == moved[0] && slot[1] as u32 == hand {
                return;
            }
        }
    }

    /// The used entries in the window of `key`; they precede its empty slots.
    fn window(&self, key: u64) -> impl Iterator<Item = &Slot> {
        let home = self.home(key);
        self.slots[home..home + WINDOW].iter().take_while(|slot| generation(slot) == self.generation)
    }

    /// Loads the first slot of each key. The loads are independent, so their cache misses
    /// overlap instead of following one another.
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        std::hint::black_box(keys.fold(0, |all, key| all | self.slots[self.home(key)][3]));
    }

    /// Looks up a result, also from entries with other hands: a proof with a dominated hand
    /// or a disproof with a dominating one applies.
    pub(crate) fn look_up(&self, question: Question) -> Known {
        let Question { key, hand, within } = question;
        let mut known = Known::Nothing;
        for slot in self.window(key) {
            if slot[0] != key {
                continue;
            }
            let entry = Entry::unpack(slot);
            if entry.mate_within <= within && hand.dominates(entry.hand) {
                return Known::Mate { hand: entry.hand, within: entry.mate_within };
            }
            if within < entry.no_mate_below && entry.hand.dominates(hand) {
                return Known::NoMate { hand: entry.hand, below: entry.no_mate_below };
            }
            if entry.hand == hand {
                let Entry { pn, dn, depth, may_cycle, .. } = entry;
                known = Known::Open(Numbers { pn, dn, depth, may_cycle });
            }
        }
        known
    }

    /// Stores the numbers of an open node.
    pub(crate) fn note_numbers(&mut self, question: Question, numbers: Numbers, effort: u64) {
        self.update(question.key, question.hand, numbers.depth, |entry| {
            entry.pn = numbers.pn;
            entry.dn = numbers.dn;
            entry.depth = entry.depth.min(numbers.depth);
            entry.may_cycle |= numbers.may_cycle;
            entry.effort = saturated(u64::from(entry.effort) + effort);
        });
    }

    /// Marks that `Cycles` may hold a result for some paths.
    pub(crate) fn note_cycle(&mut self, question: Question, depth: u16) {
        self.update(question.key, question.hand, depth, |entry| entry.may_cycle = true);
    }

    /// Stores a mate within `within` plies; `hand` is the proof hand.
    pub(crate) fn note_mate(&mut self, key: u64, hand: Hand, within: Plies, effort: u64, depth: u16) {
        self.update(key, hand, depth, |entry| {
            entry.mate_within = entry.mate_within.min(within);
            entry.effort = saturated(u64::from(entry.effort).max(effort) + FINAL_EFFORT);
        });
    }

    /// Stores that there is no mate in fewer plies than `below`; `hand` is the disproof hand.
    pub(crate) fn note_no_mate(&mut self, key: u64, hand: Hand, below: Plies, effort: u64, depth: u16) {
        self.update(key, hand, depth, |entry| {
            entry.no_mate_below = entry.no_mate_below.max(below);
            entry.effort = saturated(u64::from(entry.effort).max(effort) + FINAL_EFFORT);
        });
    }

    /// Applies `change` to the entry of `key` and `hand`, creating it if necessary.
    fn update(&mut self, key: u64, hand: Hand, depth: u16, change: impl FnOnce(&mut Entry)) {
        let home = self.home(key);
        let mut cheapest = (u32::MAX, home);
        let mut end = home;
        for at in home..home + WINDOW {
            let slot = &mut self.slots[at];
            if generation(slot) != self.generation {
                break;
            }
            end = at + 1;
            if slot[0] == key && slot[1] as u32 == hand.raw() {
                let mut entry = Entry::unpack(slot);
                change(&mut entry);
                *slot = entry.pack();
                return;
            }
            let effort = (slot[1] >> 32) as u32;
            if effort < cheapest.0 {
                cheapest = (effort, at);
            }
        }
        let at = if end < home + WINDOW {
            self.used += 1;
            end
        } else {
            cheapest.1
        };
        let mut entry = Entry::new(key, hand, depth);
        change(&mut entry);
        entry.generation = self.generation;
        self.slots[at] = entry.pack();
        self.grow();
    }
}

/// Bonus on the effort of proofs and disproofs: they are kept longer than open numbers
/// of equal cost.
const FINAL_EFFORT: u64 = 16;

fn saturated(effort: u64) -> u32 {
    u32::try_from(effort).unwrap_or(u32::MAX)
}
