//! Blocks of positions whose first layer is computed together.
//!
//! A place is a side of a position of the block. The active inputs of all places are sorted
//! by input (compressed sparse rows): the accumulators of a block, of which the loops see a
//! tile at a time, stay in the first-level cache, while each weight row passes once.

use crate::entry::MAX_INPUTS;

pub(crate) const BLOCK: usize = 128;

/// Numbers in a tile; divides every width.
pub(crate) const TILE: usize = 32;

/// Neighbouring numbers of an accumulator, on cache lines of their own.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Tile(pub(crate) [f32; TILE]);

/// A tile at one offset of the accumulators of every position and side in a block.
pub(crate) type Tiles = [Tile; 2 * BLOCK];

/// The most active inputs of a view: the pieces, the squares of both king zones, and all
/// pairs of attacker and victim.
const MAX_ACTIVE: usize = MAX_INPUTS + 50 + 28 * 28;

/// Lists of the active inputs of both sides, the side to move first.
#[derive(Clone, Debug)]
pub(crate) struct Views {
    inputs: [[u16; MAX_ACTIVE]; 2],
    counts: [usize; 2],
}

impl Views {
    pub(crate) const fn new() -> Self {
        Self { inputs: [[0; MAX_ACTIVE]; 2], counts: [0; 2] }
    }

    /// Begins the lists with the inputs that `list` writes to both places; it returns their
    /// numbers.
    #[inline(always)]
    pub(crate) fn set(&mut self, list: impl FnOnce([&mut [u16; MAX_INPUTS]; 2]) -> [usize; 2]) {
        let [own, other] = self.inputs.each_mut().map(|inputs| inputs.first_chunk_mut());
        if let (Some(own), Some(other)) = (own, other) {
            self.counts = list([own, other]);
        }
    }

    /// Appends an input of the side to move (0) or the other side (1).
    #[inline(always)]
    pub(crate) fn push(&mut self, side: usize, input: u16) {
        if let Some(place) = self.inputs[side].get_mut(self.counts[side]) {
            *place = input;
            self.counts[side] += 1;
        }
    }

    #[inline(always)]
    pub(crate) fn lists(&self) -> [&[u16]; 2] {
        let [own, other] = &self.inputs;
        [&own[..self.counts[0].min(MAX_ACTIVE)], &other[..self.counts[1].min(MAX_ACTIVE)]]
    }
}

/// Inputs between one and that whose row is prefetched meanwhile.
const AHEAD: usize = 8;

/// The active inputs of a block.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    /// Inputs with their places, in the order of the positions.
    listed: Vec<(u16, u16)>,
    /// The end of each input's part of `sorted`.
    ends: Vec<u32>,
    /// The places of each input.
    sorted: Vec<u16>,
    /// The inputs that are active, each with the start of its part, and [`AHEAD`] more.
    rows: Vec<(u32, u32)>,
    pub(crate) places: u16,
}

pub(crate) struct Row<'a> {
    pub(crate) input: usize,
    /// The places where it is active.
    pub(crate) places: &'a [u16],
    /// An input that follows soon.
    pub(crate) ahead: usize,
}

impl Active {
    /// An empty block of a layer with this many inputs.
    pub(crate) fn new(inputs: usize) -> Self {
        Self { listed: Vec::new(), ends: vec![0; inputs], sorted: Vec::new(), rows: Vec::new(), places: 0 }
    }

    /// Begins a block.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.listed.clear();
        self.ends.fill(0);
        self.places = 0;
    }

    /// Adds a position.
    #[inline(always)]
    pub(crate) fn push(&mut self, views: &Views) {
        for inputs in views.lists() {
            for &input in inputs {
                self.ends[usize::from(input)] += 1;
            }
            let place = self.places;
            self.listed.extend(inputs.iter().map(|&input| (input, place)));
            self.places += 1;
        }
    }

    /// Sorts the inputs of all positions.
    #[inline(always)]
    pub(crate) fn sort(&mut self) {
        let mut start = 0;
        self.rows.clear();
        for (input, end) in (0..).zip(&mut self.ends) {
            let count = std::mem::replace(end, start);
            if count > 0 {
                self.rows.push((input, start));
            }
            start += count;
        }
        let last = self.rows.last().map_or(0, |&(input, _)| input);
        self.rows.resize(self.rows.len() + AHEAD, (last, start));
        self.sorted.resize(self.listed.len(), 0);
        for &(input, place) in &self.listed {
            let end = &mut self.ends[usize::from(input)];
            self.sorted[*end as usize] = place;
            *end += 1;
        }
    }

    /// The active inputs in their order.
    #[inline(always)]
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.windows(1 + AHEAD).map(|window| {
            let (input, start) = window[0];
            let places = &self.sorted[start as usize..window[1].1 as usize];
            Row { input: input as usize, places, ahead: window[AHEAD].0 as usize }
        })
    }
}
