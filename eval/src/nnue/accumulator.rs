//! The transformer's sums along a line of play, kept up to date move by move.
//!
//! A ply remembers only what its move changed. Sums are made when a position is
//! evaluated: from the nearest ply behind it that has them, or, when the own king
//! moved since, from the last position that was seen with the king on that square
//! (a cache for each side and king square).

use std::collections::TryReserveError;

use enbu_movegen::{Bitboard, Color, Delta, Hand, HandPiece, Origin, Piece, PieceType, Position};

use super::features::{FeatureSet, View, missing_pieces};
use super::memory::Block;
use super::simd::{Kernels, prefetch};

/// The first layer: one row of weights for each input.
#[derive(Debug)]
pub(crate) struct Transformer {
    pub(crate) features: FeatureSet,
    pub(crate) biases: Block<i16>,
    /// One row as wide as the biases for each input.
    pub(crate) rows: Block<i16>,
}

impl Transformer {
    /// Sums of one side.
    pub(crate) fn width(&self) -> usize {
        self.biases.len()
    }

    /// Tells of every input how to ask for its weights early.
    #[inline(always)]
    fn early(&self) -> impl Fn(u32) {
        let (rows, width) = (&*self.rows, self.width());
        move |input| {
            let start = input as usize * width;
            if let Some(row) = rows.get(start..start + width) {
                prefetch(row);
            }
        }
    }
}

/// One ply of the line.
#[derive(Clone, Copy, Debug, Default)]
struct Ply {
    /// For each side what the move that led here changed.
    changes: [Changes; 2],
    /// For which sides these changes lead from the sums before to those here: not at
    /// the start, nor when the own king moved so that its view numbers pieces anew.
    leads: [bool; 2],
    /// Whose sums are up to date.
    fresh: [bool; 2],
}

/// Beyond so many moves since the last sums, starting from the cache costs less.
const MAX_STEPS: usize = 8;

/// How many plies there is room for at first.
const PLIES: usize = 160;

/// The sums of one line of play.
#[derive(Clone, Debug)]
pub(crate) struct Accumulators {
    /// The line up to `top`; what lies behind it is waiting to be used again.
    plies: Vec<Ply>,
    /// The ply of the present position.
    top: usize,
    /// For each ply those of Black, then those of White.
    sums: Block<i16>,
    width: usize,
    cache: Cache,
}

impl Accumulators {
    /// Sums for lines that start at `position`.
    ///
    /// # Errors
    /// When there is no memory.
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

    /// Follows a move that `position` has just made, and asks for the rows that it
    /// switches: they lie anywhere in a large table, and are needed soon.
    #[inline]
    pub(crate) fn push(&mut self, transformer: &Transformer, position: &Position, delta: &Delta) {
        self.top += 1;
        if self.top == self.plies.len() {
            self.plies.push(Ply::default());
        }
        let early = transformer.early();
        let ply = &mut self.plies[self.top];
        ply.fresh = [false; 2];
        for color in Color::ALL {
            let view = View::of(transformer.features, color, position);
            ply.leads[color] = !renumbers(transformer.features, &view, delta, color);
            if ply.leads[color] {
                ply.changes[color].set(&view, delta, &early);
            }
        }
    }

    /// Takes a move back; the start stays.
    #[inline]
    pub(crate) fn pop(&mut self) {
        self.top = self.top.saturating_sub(1);
    }

    /// Brings the sums of `position`, which the line has led to, up to date.
    #[inline(always)]
    pub(crate) fn update<K: Kernels>(&mut self, kernels: K, transformer: &Transformer, position: &Position) {
        let room = (self.top + 1) * 2 * self.width;
        if self.sums.len() < room {
            self.grow(room);
        }
        for color in Color::ALL {
            self.bring_up_to_date(kernels, transformer, position, color);
        }
    }

    /// The sums of the last position that was [brought up to date](Self::update): those
    /// of `color`, then those of the other side.
    #[inline]
    pub(crate) fn sums(&self, color: Color) -> [&[i16]; 2] {
        [color, !color].map(|color| &self.sums[self.at(self.top, color)..][..self.width])
    }

    /// Makes room for `least` numbers. Lines longer than a search's are rare.
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
    fn bring_up_to_date<K: Kernels>(
        &mut self,
        kernels: K,
        transformer: &Transformer,
        position: &Position,
        color: Color,
    ) {
        let top = self.top;
        if self.plies[top].fresh[color] {
            return;
        }
        match self.nearest(color) {
            Some(base) => {
                for ply in base + 1..=top {
                    self.step(kernels, transformer, ply, color);
                }
            }
            None => {
                let view = View::of(transformer.features, color, position);
                let at = self.at(top, color);
                let target = &mut self.sums[at..at + self.width];
                self.cache.refresh(kernels, transformer, &view, color, position, target);
                self.plies[top].fresh[color] = true;
            }
        }
    }

    /// The last ply with sums of `color` from which the moves that follow can be
    /// applied one by one.
    #[inline(always)]
    fn nearest(&self, color: Color) -> Option<usize> {
        for (ply, entry) in self.plies[..=self.top].iter().enumerate().rev().take(MAX_STEPS) {
            if entry.fresh[color] {
                return Some(ply);
            }
            if !entry.leads[color] {
                return None;
            }
        }
        None
    }

    /// Makes the sums of `ply` from those of the ply before it.
    #[inline(always)]
    fn step<K: Kernels>(&mut self, kernels: K, transformer: &Transformer, ply: usize, color: Color) {
        let (source, target) = (self.at(ply - 1, color), self.at(ply, color));
        let (before, after) = self.sums.split_at_mut(target);
        let (source, target) = (&before[source..source + self.width], &mut after[..self.width]);
        let entry = &mut self.plies[ply];
        kernels.update(&transformer.rows, source, target, entry.changes[color].lists());
        entry.fresh[color] = true;
    }
}

/// Whether `delta` moved `color`'s king so that `view`, where it stands now, numbers
/// pieces anew.
#[inline]
fn renumbers(features: FeatureSet, view: &View, delta: &Delta, color: Color) -> bool {
    match delta.from {
        Origin::Board { from, kind: PieceType::King } if delta.mover == color => {
            View::new(features, color, Some(from)).slot() != view.slot()
        }
        _ => false,
    }
}

/// The inputs that one move switches off and on. At most two pieces change, and a
/// king may count twice.
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
    /// Becomes what `delta` changes in `view`, and tells `early` of every input.
    ///
    /// Not inlined: once for both sides is half as much code, and a search is more than
    /// the processor keeps close at hand.
    #[inline(never)]
    fn set(&mut self, view: &View, delta: &Delta, early: impl Fn(u32)) {
        let Self { removed, added } = self;
        removed.len = 0;
        added.len = 0;
        let mut remove = |input| {
            early(input);
            removed.push(input);
        };
        let mut add = |input| {
            early(input);
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

    /// The inputs switched off, and those switched on.
    #[inline]
    fn lists(&self) -> (&[u32], &[u32]) {
        (self.removed.as_slice(), self.added.as_slice())
    }
}

/// For each side and [`View::slot`] the position last seen there, and its sums.
#[derive(Clone, Debug)]
struct Cache {
    pictures: Vec<Option<Picture>>,
    sums: Block<i16>,
    slots: usize,
    /// Inputs to switch off and on; kept for their memory.
    removed: Vec<u32>,
    added: Vec<u32>,
}

/// What the inputs of a position depend on, apart from the view.
#[derive(Clone, Copy, Debug)]
struct Picture {
    by_color: [Bitboard; 2],
    by_kind: [Bitboard; PieceType::COUNT],
    hands: [Hand; 2],
    missing: u32,
}

impl Picture {
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

    /// Lists the inputs to switch off and on to come from `self` to `new`.
    #[inline(always)]
    fn changes(&self, new: &Self, view: &View, removed: &mut Vec<u32>, added: &mut Vec<u32>) {
        // Most kinds stand as they stood, and nobody took one of them with another.
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
            pictures: vec![None; 2 * slots],
            sums: Block::zeroed(2 * slots * transformer.width())?,
            slots,
            removed: Vec::with_capacity(64),
            added: Vec::with_capacity(64),
        })
    }

    /// Writes the sums of `color` in `position` to `target`.
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
        let slot = color as usize * self.slots + view.slot();
        let sums = &mut self.sums[slot * width..][..width];
        let picture = Picture::of(transformer.features, position);
        let (old, source) = match &self.pictures[slot] {
            Some(old) => (old, &*sums),
            None => (&Picture::EMPTY, &*transformer.biases),
        };
        self.removed.clear();
        self.added.clear();
        old.changes(&picture, view, &mut self.removed, &mut self.added);
        kernels.update(&transformer.rows, source, target, (&self.removed, &self.added));
        sums.copy_from_slice(target);
        self.pictures[slot] = Some(picture);
    }
}
