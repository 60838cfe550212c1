//! Accumulators: the sums of the first layer along a line of play.
//!
//! Updates are lazy. A ply stores its move, or, where weights are to be prefetched, the inputs
//! that the move changed; the accumulator is computed when the position is evaluated,
//! incrementally from the nearest ancestor that has one. If the own king moved in between, it is
//! refreshed from a cache that keeps the last position for each side and king square.

use std::collections::TryReserveError;

use enbu_movegen::{Bitboard, Color, Delta, Hand, HandPiece, Origin, Piece, PieceType, Position};

use super::features::{FeatureSet, View, missing_pieces};
use super::memory::{Block, Constants};
use super::simd::{Kernels, prefetch};

/// The first layer (feature transformer): a row of weights for each input.
#[derive(Debug)]
pub(crate) struct Transformer {
    pub(crate) features: FeatureSet,
    pub(crate) biases: Block<i16>,
    /// One row as wide as the biases for each input.
    pub(crate) rows: Constants<i16>,
}

impl Transformer {
    /// The accumulator width of each side.
    pub(crate) fn width(&self) -> usize {
        self.biases.len()
    }

    /// Returns `true` if the rows outgrow the caches near a core, so that prefetching pays.
    fn is_large(&self) -> bool {
        self.rows.len() * size_of::<i16>() > NEAR_BYTES
    }

    /// Returns a closure that prefetches the weight row of an input.
    #[inline(always)]
    fn prefetcher(&self) -> impl Fn(u32) {
        let (rows, width) = (&*self.rows, self.width());
        move |input| {
            let start = input as usize * width;
            if let Some(row) = rows.get(start..start + width) {
                prefetch(row);
            }
        }
    }
}

/// Of rows of up to this size, those that a search uses for a while stay in the second-level
/// cache.
const NEAR_BYTES: usize = 1 << 22;

/// One ply of the line.
#[derive(Clone, Copy, Debug, Default)]
struct Ply {
    /// The move to this ply; `None` at the root.
    delta: Option<Delta>,
    /// For each side the inputs that the move changed.
    changes: [Changes; 2],
    /// True once these inputs are listed. Without prefetching that is when the position is evaluated,
    /// as half of the positions never are.
    is_listed: bool,
    /// Sides whose accumulator can be updated incrementally from the previous ply. False at
    /// the root, and after an own king move that renumbers the inputs.
    incremental: [bool; 2],
    /// Sides whose accumulator is computed.
    computed: [bool; 2],
}

/// The longest incremental update in plies. It computes the sums on the way, from which those of
/// siblings begin; a refresh serves one position alone.
const MAX_STEPS: usize = 32;

/// Plies that are allocated initially.
const PLIES: usize = 160;

/// The accumulators of one line of play.
#[derive(Clone, Debug)]
pub(crate) struct Accumulators {
    /// The line up to `top`; later elements are free for reuse.
    plies: Vec<Ply>,
    /// The ply of the current position.
    top: usize,
    /// For each ply the sums of Black, then those of White.
    sums: Block<i16>,
    width: usize,
    cache: Cache,
}

impl Accumulators {
    /// Accumulators for `transformer`, at the root of a line.
    pub(crate) fn new(transformer: &Transformer) -> Result<Self, TryReserveError> {
        let width = transformer.width();
        Ok(Self {
            plies: vec![Ply::default(); PLIES],
            top: 0,
            sums: Block::zeroed(2 * width * PLIES)?,
            width,
            cache: Cache::new(transformer)?,
        })
    }

    /// Starts a new line.
    pub(crate) fn reset(&mut self) {
        self.top = 0;
        self.plies[0] = Ply::default();
    }

    /// Notes the move that led to `position`. In a large table the weight rows of the changed
    /// inputs are cache misses: they are listed now, and prefetched.
    #[inline]
    pub(crate) fn push(&mut self, transformer: &Transformer, position: &Position, delta: &Delta) {
        self.top += 1;
        if self.top == self.plies.len() {
            self.plies.push(Ply::default());
        }
        let ply = &mut self.plies[self.top];
        (ply.delta, ply.is_listed, ply.computed) = (Some(*delta), transformer.is_large(), [false; 2]);
        ply.incremental = [true; 2];
        ply.incremental[delta.mover] = !renumbers(transformer.features, position, delta);
        if ply.is_listed {
            for color in Color::ALL {
                if ply.incremental[color] {
                    let view = View::of(transformer.features, color, position);
                    ply.changes[color].set(&view, delta, transformer.prefetcher());
                }
            }
        }
    }

    /// Takes a move back; does nothing at the root.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// Computes the accumulators of `position`, the end of the line.
    #[inline(always)]
    pub(crate) fn update<K: Kernels>(&mut self, kernels: K, transformer: &Transformer, position: &Position) {
        let room = (self.top + 1) * 2 * self.width;
        if self.sums.len() < room {
            self.grow(room);
        }
        for color in Color::ALL {
            self.update_side(kernels, transformer, position, color);
        }
    }

    /// The accumulators that the last [`update`](Self::update) computed, `color`'s first.
    #[inline]
    pub(crate) fn sums(&self, color: Color) -> [&[i16]; 2] {
        // Not by `map`, which is compiled apart.
        let of = |color| &self.sums[self.at(self.top, color)..][..self.width];
        [of(color), of(!color)]
    }

    /// Makes room for `least` numbers: rare, since few lines exceed [`PLIES`].
    #[cold]
    fn grow(&mut self, least: usize) {
        if let Ok(mut larger) = Block::zeroed(2 * least) {
            larger[..self.sums.len()].copy_from_slice(&self.sums);
            self.sums = larger;
        }
    }

    #[inline]
    fn at(&self, ply: usize, color: Color) -> usize {
        (2 * ply + color as usize) * self.width
    }

    #[inline(always)]
    fn update_side<K: Kernels>(&mut self, kernels: K, transformer: &Transformer, position: &Position, color: Color) {
        let top = self.top;
        if self.plies[top].computed[color] {
            return;
        }
        // Incremental plies have the same view.
        let view = View::of(transformer.features, color, position);
        match self.nearest(color) {
            Some(base) => {
                for ply in base + 1..=top {
                    self.step(kernels, transformer, &view, ply, color);
                }
            }
            None => {
                let at = self.at(top, color);
                let target = &mut self.sums[at..at + self.width];
                self.cache.refresh(kernels, transformer, &view, color, position, target);
                self.plies[top].computed[color] = true;
            }
        }
    }

    /// The nearest ancestor from which the accumulator of `color` can be updated
    /// incrementally.
    #[inline(always)]
    fn nearest(&self, color: Color) -> Option<usize> {
        for (ply, entry) in self.plies[..=self.top].iter().enumerate().rev().take(MAX_STEPS) {
            if entry.computed[color] {
                return Some(ply);
            }
            if !entry.incremental[color] {
                return None;
            }
        }
        None
    }

    /// Updates the accumulator of `ply` from the previous ply's.
    #[inline(always)]
    fn step<K: Kernels>(&mut self, kernels: K, transformer: &Transformer, view: &View, ply: usize, color: Color) {
        let (source, target) = (self.at(ply - 1, color), self.at(ply, color));
        let (before, after) = self.sums.split_at_mut(target);
        let (source, target) = (&before[source..source + self.width], &mut after[..self.width]);
        let entry = &mut self.plies[ply];
        if let Some(delta) = entry.delta.as_ref().filter(|_| !entry.is_listed) {
            entry.changes[color].set(view, delta, |_| {});
        }
        kernels.update(&transformer.rows, source, target, entry.changes[color].lists());
        entry.computed[color] = true;
    }
}

/// Returns true if `delta`, which led to `position`, moved a king so that its side's inputs are
/// renumbered.
#[inline]
fn renumbers(features: FeatureSet, position: &Position, delta: &Delta) -> bool {
    match delta.from {
        Origin::Board { from, kind: PieceType::King } => {
            View::new(features, delta.mover, Some(from)).slot != View::of(features, delta.mover, position).slot
        }
        _ => false,
    }
}

/// The inputs that one move deactivates and activates: at most two pieces change, and a
/// king may have two inputs.
#[derive(Clone, Copy, Debug, Default)]
struct Changes {
    removed: List,
    added: List,
}

/// Up to four inputs.
#[derive(Clone, Copy, Debug, Default)]
struct List {
    inputs: [u32; 4],
    len: u8,
}

impl List {
    #[inline]
    fn push(&mut self, input: u32) {
        self.inputs[usize::from(self.len) & 3] = input;
        self.len += 1;
    }

    #[inline]
    fn as_slice(&self) -> &[u32] {
        &self.inputs[..usize::from(self.len).min(4)]
    }
}

impl Changes {
    /// Sets the changes that `delta` makes in `view`, and calls `prefetch` with every input.
    ///
    /// Not inlined: one copy for both sides keeps the search inside the instruction cache.
    #[inline(never)]
    fn set(&mut self, view: &View, delta: &Delta, prefetch: impl Fn(u32)) {
        let Self { removed, added } = self;
        removed.len = 0;
        added.len = 0;
        let mut remove = |input| {
            prefetch(input);
            removed.push(input);
        };
        let mut add = |input| {
            prefetch(input);
            added.push(input);
        };
        match delta.from {
            Origin::Board { from, kind } => view.board(Piece::new(delta.mover, kind), from, &mut remove),
            Origin::Hand { piece, held } => view.hand(delta.mover, piece, held, &mut remove),
        }
        view.board(Piece::new(delta.mover, delta.placed), delta.to, &mut add);
        if let Some(captured) = delta.captured {
            view.board(Piece::new(!delta.mover, captured.kind), delta.to, &mut remove);
            view.hand(delta.mover, captured.piece, captured.held, &mut add);
        }
    }

    /// The deactivated inputs, then the activated ones.
    #[inline]
    fn lists(&self) -> (&[u32], &[u32]) {
        (self.removed.as_slice(), self.added.as_slice())
    }
}

/// The refresh cache: for each side and [`View::slot`] the last position and its
/// accumulator.
#[derive(Clone, Debug)]
struct Cache {
    snapshots: Vec<Option<Snapshot>>,
    sums: Block<i16>,
    slots: usize,
    /// Scratch lists of inputs; kept to avoid allocation.
    removed: Vec<u32>,
    added: Vec<u32>,
}

/// The parts of a position that its inputs depend on.
#[derive(Clone, Copy, Debug)]
struct Snapshot {
    by_color: [Bitboard; 2],
    by_kind: [Bitboard; PieceType::COUNT],
    hands: [Hand; 2],
    missing: u32,
}

impl Snapshot {
    const EMPTY: Self = Self {
        by_color: [Bitboard::EMPTY; 2],
        by_kind: [Bitboard::EMPTY; PieceType::COUNT],
        hands: [Hand::EMPTY; 2],
        missing: 0,
    };

    #[inline(always)]
    fn of(features: FeatureSet, position: &Position) -> Self {
        Self {
            by_color: Color::ALL.map(|color| position.by_color(color)),
            by_kind: PieceType::ALL.map(|kind| position.by_kind(kind)),
            hands: Color::ALL.map(|color| position.hand(color)),
            missing: missing_pieces(features, position),
        }
    }

    /// Lists the inputs that differ between `self` and `new`.
    #[inline(always)]
    fn changes(&self, new: &Self, view: &View, removed: &mut Vec<u32>, added: &mut Vec<u32>) {
        // Most kinds have not changed, and none of their pieces changed sides.
        let taken = self.by_color[Color::Black] & new.by_color[Color::White]
            | self.by_color[Color::White] & new.by_color[Color::Black];
        for kind in PieceType::ALL {
            let (old_kind, new_kind) = (self.by_kind[kind], new.by_kind[kind]);
            if old_kind == new_kind && (new_kind & taken).is_empty() {
                continue;
            }
            for color in Color::ALL {
                let (before, after) = (self.by_color[color] & old_kind, new.by_color[color] & new_kind);
                let piece = Piece::new(color, kind);
                for square in before.without(after) {
                    view.board(piece, square, |input| removed.push(input));
                }
                for square in after.without(before) {
                    view.board(piece, square, |input| added.push(input));
                }
            }
        }
        for color in Color::ALL {
            if self.hands[color] != new.hands[color] {
                for piece in HandPiece::ALL {
                    let (before, after) = (self.hands[color].count(piece), new.hands[color].count(piece));
                    (after + 1..=before).for_each(|nth| view.hand(color, piece, nth, |input| removed.push(input)));
                    (before + 1..=after).for_each(|nth| view.hand(color, piece, nth, |input| added.push(input)));
                }
            }
        }
        (new.missing..self.missing).for_each(|_| view.missing(|input| removed.push(input)));
        (self.missing..new.missing).for_each(|_| view.missing(|input| added.push(input)));
    }
}

impl Cache {
    fn new(transformer: &Transformer) -> Result<Self, TryReserveError> {
        let slots = transformer.features.slots();
        Ok(Self {
            snapshots: vec![None; 2 * slots],
            sums: Block::zeroed(2 * slots * transformer.width())?,
            slots,
            removed: Vec::with_capacity(64),
            added: Vec::with_capacity(64),
        })
    }

    /// Writes the accumulator of `color` in `position` to `target`.
    #[inline(always)]
    fn refresh<K: Kernels>(
        &mut self,
        kernels: K,
        transformer: &Transformer,
        view: &View,
        color: Color,
        position: &Position,
        target: &mut [i16],
    ) {
        let width = transformer.width();
        let slot = color as usize * self.slots + view.slot;
        let sums = &mut self.sums[slot * width..][..width];
        let snapshot = Snapshot::of(transformer.features, position);
        let (old, source) = match &self.snapshots[slot] {
            Some(old) => (old, &*sums),
            None => (&Snapshot::EMPTY, &*transformer.biases),
        };
        self.removed.clear();
        self.added.clear();
        old.changes(&snapshot, view, &mut self.removed, &mut self.added);
        kernels.update(&transformer.rows, source, target, (&self.removed, &self.added));
        sums.copy_from_slice(target);
        self.snapshots[slot] = Some(snapshot);
    }
}
