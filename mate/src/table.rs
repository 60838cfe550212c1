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

use bytemuck::Zeroable;
use enbu_movegen::Hand;

use crate::cycles::Reliance;
use crate::plies::{NEVER, Plies};
use crate::value::Value;

/// Number of slots, from its home on, in which an entry may be.
const WINDOW: usize = 16;

/// Bounds and numbers of one board with one hand; zeros for none, so that the allocator can return
/// untouched pages.
#[derive(Clone, Copy, bytemuck::Zeroable)]
struct Entry {
    key: u64,
    /// [`Hand::raw`] of the attacker's hand.
    hand: u32,
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

/// Result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// A mate with this hand or a larger one, or none with this hand or a smaller one.
    Final(Value),
    /// Searched without a result.
    Open(Numbers),
    Nothing,
}

/// Numbers of an open node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) pn: u32,
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
    slots: Vec<Entry>,
    /// Number of slots in use as homes, from the first.
    homes: usize,
    /// Entries waiting to be rehashed.
    moving: Vec<Entry>,
    /// Entries of other generations count as empty. Never zero.
    generation: u8,
    used: u64,
}

impl Table {
    /// A table of `bytes` bytes, at least a few kilobytes; `None` if the allocation fails.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let count = (bytes / size_of::<Entry>()).max(64) + WINDOW;
        let slots = bytemuck::allocation::try_zeroed_vec(count).ok()?;
        let homes = FIRST_HOMES.min(count - WINDOW);
        Some(Self { slots, homes, moving: Vec::new(), generation: 1, used: 0 })
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.moving.clear();
        self.homes = FIRST_HOMES.min(self.slots.len() - WINDOW);
        if self.generation == u8::MAX {
            self.slots.fill(Zeroable::zeroed());
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
        let present = slots.iter_mut().filter(|slot| slot.generation == present);
        self.moving.extend(present.map(|slot| std::mem::replace(slot, Zeroable::zeroed())));
        let next = self.homes.saturating_mul(GROWTH);
        self.homes = if next > LARGEST_STEP { most } else { next.min(most) };
        self.used = 0;
    }

    /// Rehashes one entry; drops it if its window is full or has an entry for it.
    fn settle(&mut self, moved: Entry) {
        let home = self.home(moved.key);
        for slot in &mut self.slots[home..home + WINDOW] {
            if slot.generation != self.generation {
                *slot = moved;
                self.used += 1;
                return;
            }
            if (slot.key, slot.hand) == (moved.key, moved.hand) {
                return;
            }
        }
    }

    /// The used entries in the window of `key`; they precede its empty slots.
    fn window(&self, key: u64) -> impl Iterator<Item = &Entry> {
        let home = self.home(key);
        self.slots[home..home + WINDOW].iter().take_while(|slot| slot.generation == self.generation)
    }

    /// Loads the first slot of each key. The loads are independent, so their cache misses
    /// overlap instead of following one another.
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        std::hint::black_box(keys.fold(0, |all, key| all | self.slots[self.home(key)].generation));
    }

    /// Looks up a result, also from entries with other hands: a proof with a dominated hand
    /// or a disproof with a dominating one applies.
    pub(crate) fn look_up(&self, question: Question) -> Known {
        let Question { key, hand, within } = question;
        let mut known = Known::Nothing;
        for entry in self.window(key).filter(|entry| entry.key == key) {
            let &Entry { pn, dn, mate_within, no_mate_below, depth, may_cycle, .. } = entry;
            let stored = Hand::from_raw(entry.hand);
            if mate_within <= within && hand.dominates(stored) {
                return Known::Final(Value::mate(mate_within, stored));
            }
            if within < no_mate_below && stored.dominates(hand) {
                return Known::Final(Value::no_mate(no_mate_below, stored, Reliance::NONE));
            }
            if stored == hand {
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

    /// Stores a mate or its absence, with the proof or disproof hand.
    pub(crate) fn note_final(&mut self, key: u64, value: Value, effort: u64, depth: u16) {
        self.update(key, value.hand, depth, |entry| {
            if value.is_mate() {
                entry.mate_within = entry.mate_within.min(value.plies);
            } else {
                entry.no_mate_below = entry.no_mate_below.max(value.plies);
            }
            entry.effort = saturated(u64::from(entry.effort).max(effort) + FINAL_EFFORT);
        });
    }

    /// Applies `change` to the entry of `key` and `hand`, creating it if necessary.
    fn update(&mut self, key: u64, hand: Hand, depth: u16, change: impl FnOnce(&mut Entry)) {
        let (home, hand, generation) = (self.home(key), hand.raw(), self.generation);
        let window = &mut self.slots[home..home + WINDOW];
        // Used entries precede the empty ones.
        let used = window.iter().position(|slot| slot.generation != generation);
        let present = &mut window[..used.unwrap_or(WINDOW)];
        if let Some(entry) = present.iter_mut().find(|entry| (entry.key, entry.hand) == (key, hand)) {
            return change(entry);
        }
        let cheapest = || present.iter().enumerate().min_by_key(|(_, entry)| entry.effort).map_or(0, |(at, _)| at);
        let at = used.unwrap_or_else(cheapest);
        self.used += u64::from(used.is_some());
        let (pn, dn, mate_within, no_mate_below) = (1, 1, NEVER, 0);
        let (effort, may_cycle) = (0, false);
        let mut entry = Entry { key, hand, effort, pn, dn, mate_within, no_mate_below, depth, generation, may_cycle };
        change(&mut entry);
        window[at] = entry;
        self.grow();
    }
}

/// Bonus on the effort of proofs and disproofs: they are kept longer than open numbers
/// of equal cost.
const FINAL_EFFORT: u64 = 16;

fn saturated(effort: u64) -> u32 {
    u32::try_from(effort).unwrap_or(u32::MAX)
}
