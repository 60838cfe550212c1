//! What the solver remembers, within a fixed amount of memory.
//!
//! An entry belongs to a board with its side to move (the key) and a hand of the
//! attacker. It may know that there is a mate within so many plies, that there is
//! none within so many, and the proof and disproof numbers of the open question
//! between the two. Results that hold only on the present path (see
//! [`cycles`](crate::cycles)) never come here.
//!
//! Entries of one board lie in a window of neighbouring slots, where a lookup sees
//! all hands of that board. When a window is full, the entry that cost the least
//! work makes room: garbage is collected one slot at a time, so no search ever
//! stops for it. Clearing is counting up a generation.

use enbu_movegen::Hand;

use crate::plies::{NEVER, Plies};

/// How many slots after its home an entry may lie.
const WINDOW: usize = 16;

/// What is known about one board with one hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    key: u64,
    hand: Hand,
    /// Positions searched below: what it would cost to find this out again.
    effort: u32,
    pn: u32,
    dn: u32,
    /// There is a mate within so many plies; [`NEVER`]: none is known.
    mate_within: Plies,
    /// There is no mate in fewer plies than this; [`NEVER`]: there is no mate at all.
    no_mate_below: Plies,
    /// The least distance from the root at which this was seen.
    depth: u16,
    generation: u8,
    may_cycle: bool,
}

/// Four words: the allocator hands out zeroed memory for these without touching it.
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

/// What the table says about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// A mate with this hand or a larger one.
    Mate {
        /// The smallest hand for which it is known.
        hand: Hand,
        /// Within so many plies.
        within: Plies,
    },
    /// No mate with this hand or a smaller one.
    NoMate {
        /// The largest hand for which it is known.
        hand: Hand,
        /// In no fewer plies than this.
        below: Plies,
    },
    /// It has been searched without an answer.
    Open(Numbers),
    /// Nothing.
    Nothing,
}

/// How far an open question has been searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    /// Proof number.
    pub(crate) pn: u32,
    /// Disproof number.
    pub(crate) dn: u32,
    /// The least distance from the root at which it was seen.
    pub(crate) depth: u16,
    /// Whether a result on some path may be among the cycles.
    pub(crate) may_cycle: bool,
}

/// A question: a board, the attacker's hand, and within how many plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// Board, side to move and everything else that is fixed in one search.
    pub(crate) key: u64,
    /// The attacker's hand.
    pub(crate) hand: Hand,
    /// Within so many plies.
    pub(crate) within: Plies,
}

/// Homes of a table that has hardly been used: 512 KB of slots.
const FIRST_HOMES: usize = 1 << 14;

/// By how much the homes grow at a time.
const GROWTH: usize = 8;

/// The most homes before all slots are used.
const LARGEST_STEP: usize = 1 << 18;

/// How many entries move with each entry that is written.
const MOVES_AT_ONCE: usize = 16;

/// The memory of the solver.
///
/// Entries spread over all slots only when there are many: a small problem stays in
/// the processor's cache, and in memory that the system need not find first.
pub(crate) struct Table {
    slots: Vec<Slot>,
    /// How many slots entries have their home in, from the first.
    homes: usize,
    /// Entries that have not found their new place yet.
    moving: Vec<Slot>,
    /// Entries of other generations count as empty. Never zero.
    generation: u8,
    used: u64,
}

impl Table {
    /// A table of `bytes` bytes, at least a few kilobytes. `None` without the memory.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let count = (bytes / size_of::<Slot>()).max(64) + WINDOW;
        let slots = bytemuck::allocation::try_zeroed_vec(count).ok()?;
        let homes = FIRST_HOMES.min(count - WINDOW);
        Some(Self { slots, homes, moving: Vec::new(), generation: 1, used: 0 })
    }

    /// Forgets everything.
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

    /// How full it is, in 1/1000.
    pub(crate) fn permille(&self) -> u32 {
        (self.used * 1000 / self.slots.len() as u64) as u32
    }

    fn home(&self, key: u64) -> usize {
        ((u128::from(key) * self.homes as u128) >> 64) as usize
    }

    /// Spreads the entries over more slots when half of the homes are taken.
    ///
    /// They move a few at a time, so that no search ever waits for it; until an entry
    /// has moved it is forgotten.
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

    /// Gives a moving entry its new place, unless its window is full or knows it already.
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

    /// The entries of the window of `key` in use; they come before the empty slots.
    fn window(&self, key: u64) -> impl Iterator<Item = &Slot> {
        let home = self.home(key);
        self.slots[home..home + WINDOW].iter().take_while(|slot| generation(slot) == self.generation)
    }

    /// Loads the first slots of several keys, so that the processor waits for all of
    /// them at once and not for one after the other.
    pub(crate) fn fetch(&self, keys: impl Iterator<Item = u64>) {
        std::hint::black_box(keys.fold(0, |all, key| all | self.slots[self.home(key)][3]));
    }

    /// What is known about a question, also from other hands.
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

    /// Notes the numbers of an open question.
    pub(crate) fn note_numbers(&mut self, question: Question, numbers: Numbers, effort: u64) {
        self.update(question.key, question.hand, numbers.depth, |entry| {
            entry.pn = numbers.pn;
            entry.dn = numbers.dn;
            entry.depth = entry.depth.min(numbers.depth);
            entry.may_cycle |= numbers.may_cycle;
            entry.effort = saturated(u64::from(entry.effort) + effort);
        });
    }

    /// Notes that the question has an answer on some path that may be among the cycles.
    pub(crate) fn note_cycle(&mut self, question: Question, depth: u16) {
        self.update(question.key, question.hand, depth, |entry| entry.may_cycle = true);
    }

    /// Notes a mate within so many plies, with the smallest hand that allows it.
    pub(crate) fn note_mate(&mut self, key: u64, hand: Hand, within: Plies, effort: u64, depth: u16) {
        self.update(key, hand, depth, |entry| {
            entry.mate_within = entry.mate_within.min(within);
            entry.effort = saturated(u64::from(entry.effort).max(effort) + FINAL_EFFORT);
        });
    }

    /// Notes that there is no mate in fewer plies than `below`, with the largest hand.
    pub(crate) fn note_no_mate(&mut self, key: u64, hand: Hand, below: Plies, effort: u64, depth: u16) {
        self.update(key, hand, depth, |entry| {
            entry.no_mate_below = entry.no_mate_below.max(below);
            entry.effort = saturated(u64::from(entry.effort).max(effort) + FINAL_EFFORT);
        });
    }

    /// Changes the entry of `key` and `hand`, which is made if it does not exist.
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

/// Answers are worth keeping longer than numbers that cost as much.
const FINAL_EFFORT: u64 = 16;

fn saturated(effort: u64) -> u32 {
    u32::try_from(effort).unwrap_or(u32::MAX)
}
