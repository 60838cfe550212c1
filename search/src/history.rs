//! Move ordering memory: killers, and the butterfly, continuation and capture histories.
//!
//! | table | index | counts |
//! |---|---|---|
//! | quiet | side, origin, destination, whether the opponent attacks each of them | cutoffs by the move |
//! | continuation | the piece and square of the last move, of the own move before and of the own move before that, the moving piece, destination | cutoffs as an answer to those |
//! | pawns | side, both sides' pawns, the moving piece, destination | cutoffs among such pawns |
//! | capture | side, moving piece, destination, victim | cutoffs by the capture |
//!
//! Every entry moves towards a limit: `h += bonus - h * |bonus| / limit` (gravity,
//! as in Stockfish), so that old news fades.

use std::alloc::{Layout, handle_alloc_error};

use enbu_movegen::{Bitboard, Color, Delta, HandPiece, Move, MoveParts, PieceType, Position, Square};

use crate::keys::Keys;
use crate::pages::{self, Pages};
use crate::params;

/// Origins: 81 squares, 81 squares of promotions, 7 hand pieces.
const ORIGINS: usize = 2 * 81 + 7;
const PIECE_TO: usize = PieceType::COUNT * 81;
/// Rows of quiet moves of one side: by origin and destination, none, one or both of them attacked (several chess
/// engines).
///
/// Last test: against one part for all, +35 ± 32 (400 games, 25 000 nodes), +18 ± 33 (400 games, 100 000 nodes).
const QUIET_ROWS: usize = (4 * ORIGINS).div_ceil(PieceType::COUNT);

/// A piece that has arrived on a square: the index of the continuation histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival(u16);

impl Arrival {
    fn new(color: Color, kind: PieceType, to: Square) -> Self {
        Self((color as usize * PIECE_TO + piece_to(kind, to)) as u16)
    }

    /// A number below [`Arrival::COUNT`].
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) const COUNT: usize = 2 * PIECE_TO;
}

impl From<&Delta> for Arrival {
    fn from(delta: &Delta) -> Self {
        Self::new(delta.mover, delta.placed, delta.to)
    }
}

/// Context of a node's quiet moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The opponent's last move, the own moves two and four plies before; `None` after a null move or
    /// before the root.
    pub(crate) arrivals: [Option<Arrival>; 3],
    /// Index of both sides' pawns: the highest bits of their key.
    pawns: usize,
}

/// Number of indices of pawns; a power of two.
const PAWNS: usize = 1024;

impl Line {
    #[inline]
    pub(crate) fn new(arrivals: [Option<Arrival>; 3], keys: Keys) -> Self {
        Self { arrivals, pawns: (keys.pawns() >> (64 - PAWNS.trailing_zeros())) as usize }
    }
}

type Values = [i16; PIECE_TO];

/// A large table that a short search leaves almost empty: rows, and which of them were written
/// to.
///
/// Last test: in huge pages against boxes, with the table prefetched before a move is judged:
/// 3 % more nodes per second (`docs/evidence.md`, "Memory").
struct Rows {
    pages: Pages<Values>,
    written: Box<[bool]>,
}

impl Rows {
    /// `count` rows of zeros; ends the process without memory, as every allocation does.
    fn new(count: usize) -> Self {
        let layout = Layout::array::<Values>(count).unwrap_or(Layout::new::<Values>());
        let pages = Pages::zeroed(count).unwrap_or_else(|| handle_alloc_error(layout));
        Self { pages, written: vec![false; count].into_boxed_slice() }
    }

    #[inline(always)]
    fn row(&self, index: usize) -> &Values {
        &self.pages[index]
    }

    #[inline(always)]
    fn row_mut(&mut self, index: usize) -> &mut Values {
        self.written[index] = true;
        &mut self.pages[index]
    }

    /// Sets all values to 0, in time proportional to the rows written to: analysis and
    /// self-play clear 20 MB between searches of a hundred nodes.
    fn clear(&mut self) {
        for (index, written) in self.written.iter_mut().enumerate() {
            if std::mem::take(written) {
                self.pages[index].fill(0);
            }
        }
    }
}

pub(crate) struct Histories {
    /// For each of [`Line::arrivals`] a row for each arrival, then for each side to move a row for
    /// each index of pawns, and for each those of quiet moves: one block, since huge pages begin at
    /// multiples of 2 MB only.
    rows: Rows,
    /// One row of victims for each arrival.
    capture: Box<[[i16; PieceType::COUNT]]>,
}

/// The part of [`Histories`] that matters at one node.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    quiet: &'a [[i16; 81]],
    /// The squares that the opponent attacks.
    theirs: Bitboard,
    /// Those of [`Line::arrivals`], then that of the pawns.
    rows: [&'a Values; 4],
}

/// History of one piece's quiet moves, by destination.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    /// To squares without an attacker, and to others.
    quiet: [&'a [i16; 81]; 2],
    theirs: Bitboard,
    rows: [&'a [i16; 81]; 4],
}

/// Stands for the rows of a move that was not made.
static NOTHING: Values = [0; PIECE_TO];

impl<'a> Known<'a> {
    /// History of a quiet move of `position`, within 16 bits.
    #[inline(always)]
    pub(crate) fn of(&self, position: &Position, mv: Move) -> i32 {
        self.row(origin(mv, self.theirs), mover(position, mv)).of(mv.to())
    }

    /// Prefetches the rows, 9 kB: all quiet moves are soon scored by them.
    ///
    /// Last test: while threats are found, 1 to 4 % less time a node.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        for row in self.rows {
            row.chunks(64 / size_of::<i16>()).for_each(enbu_isa::prefetch);
        }
    }

    /// The moves from `from` of a piece that is `kind` thereafter, by promotion if `promotes`.
    #[inline(always)]
    pub(crate) fn moves(&self, from: Square, promotes: bool, kind: PieceType) -> Row<'a> {
        self.row(board_origin(from, promotes, self.theirs), kind)
    }

    /// The drops of `piece`.
    #[inline(always)]
    pub(crate) fn drops(&self, piece: HandPiece) -> Row<'a> {
        self.row(drop_origin(piece), piece.piece_type())
    }

    #[inline(always)]
    fn row(&self, origin: usize, kind: PieceType) -> Row<'a> {
        // Not by `map`, and no `array::from_fn` below: they are compiled apart, without vectors.
        let ([last, before, fourth, pawns], kind) = (self.rows, kind as usize);
        let rows = [row(last, kind), row(before, kind), row(fourth, kind), row(pawns, kind)];
        let quiet = [&self.quiet[origin], &self.quiet[origin + ORIGINS]];
        Row { quiet, theirs: self.theirs, rows }
    }
}

impl Row<'_> {
    #[inline(always)]
    pub(crate) fn of(&self, to: Square) -> i32 {
        i32::from(self.at(to.index(), self.quiet[usize::from(self.theirs.contains(to))]))
    }

    /// History of the moves to all squares at once: those without an attacker, and others.
    #[inline(always)]
    pub(crate) fn sums(&self) -> [[i16; 81]; 2] {
        let mut sums = [[0; 81]; 2];
        for (sums, quiet) in sums.iter_mut().zip(self.quiet) {
            for (to, sum) in sums.iter_mut().enumerate() {
                *sum = self.at(to, quiet);
            }
        }
        sums
    }

    /// The sum for one square: the fourth ply and the pawns count half. No sum of values
    /// within [`params::history_limit`] leaves 16 bits before the last term.
    #[inline(always)]
    fn at(&self, to: usize, quiet: &[i16; 81]) -> i16 {
        let [last, before, fourth, pawns] = self.rows;
        (quiet[to] + last[to] + before[to]).saturating_add((fourth[to] + pawns[to]) / 2)
    }
}

/// Row `index` of a table whose rows have one entry for each square.
#[inline(always)]
fn row<const N: usize>(table: &[i16; N], index: usize) -> &[i16; 81] {
    let (rows, _) = table.as_chunks::<81>();
    &rows[index]
}

/// Key of a quiet move in the tables. Unlike the move, it stays unambiguous when
/// the position has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuietKey {
    turn: Color,
    slot: u16,
    piece_to: u16,
}

impl QuietKey {
    /// The key of `mv` in `position`, where the opponent attacks the squares `theirs`.
    #[inline]
    pub(crate) fn of(position: &Position, mv: Move, theirs: Bitboard) -> Self {
        let piece_to = piece_to(mover(position, mv), mv.to());
        let origin = origin(mv, theirs) + ORIGINS * usize::from(theirs.contains(mv.to()));
        Self { turn: position.turn(), slot: (origin * 81 + mv.to().index()) as u16, piece_to: piece_to as u16 }
    }
}

impl Histories {
    pub(crate) fn new() -> Self {
        Self {
            rows: Rows::new(quiet_row(Color::White) + QUIET_ROWS),
            capture: vec![[0; PieceType::COUNT]; Arrival::COUNT].into_boxed_slice(),
        }
    }

    /// Touches the pages of the rows, which are small ones at worst, for the first search.
    pub(crate) fn touch(&mut self) {
        // Every page holds a whole number of values.
        let values = self.rows.pages.as_flattened_mut().iter_mut().step_by(pages::SMALLEST / size_of::<i16>());
        values.for_each(|value| *value = std::hint::black_box(*value));
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.capture.fill([0; PieceType::COUNT]);
    }

    /// History of quiet moves of `turn` after `line`, while the opponent attacks the squares `theirs`.
    #[inline]
    pub(crate) fn after(&self, turn: Color, line: Line, theirs: Bitboard) -> Known<'_> {
        let row =
            |table: usize| line.arrivals[table].map_or(&NOTHING, |arrival| self.rows.row(arrival_row(table, arrival)));
        let pawns = self.rows.row(pawns_row(turn, line.pawns));
        let (quiet, _) = self.rows.pages[quiet_row(turn)..][..QUIET_ROWS].as_flattened().as_chunks();
        Known { quiet, theirs, rows: [row(0), row(1), row(2), pawns] }
    }

    /// History of a capture, within ±[`params::history_limit`].
    #[inline]
    pub(crate) fn capture(&self, position: &Position, mv: Move, victim: PieceType) -> i32 {
        i32::from(self.capture[Arrival::new(position.turn(), mover(position, mv), mv.to()).index()][victim])
    }

    /// Rewards (or, below zero, blames) a quiet move.
    pub(crate) fn adjust_quiet(&mut self, key: QuietKey, line: Line, bonus: i32) {
        self.adjust_main(key, bonus);
        let piece_to = usize::from(key.piece_to);
        pull(&mut self.rows.row_mut(pawns_row(key.turn, line.pawns))[piece_to], bonus, params::history_limit());
        for (table, arrival) in line.arrivals.into_iter().enumerate() {
            if let Some(arrival) = arrival {
                pull(&mut self.rows.row_mut(arrival_row(table, arrival))[piece_to], bonus, params::history_limit());
            }
        }
    }

    /// Rewards (or, below zero, blames) a quiet move after any line.
    pub(crate) fn adjust_main(&mut self, key: QuietKey, bonus: i32) {
        let (row, at) = (usize::from(key.slot) / PIECE_TO, usize::from(key.slot) % PIECE_TO);
        pull(&mut self.rows.row_mut(quiet_row(key.turn) + row)[at], bonus, params::history_limit());
    }

    /// Rewards (or, below zero, blames) a capture.
    pub(crate) fn adjust_capture(&mut self, position: &Position, mv: Move, victim: PieceType, bonus: i32) {
        let arrival = Arrival::new(position.turn(), mover(position, mv), mv.to());
        pull(&mut self.capture[arrival.index()][victim], bonus, params::history_limit());
    }
}

/// Row of `arrival` in the continuation history of number `table`.
#[inline(always)]
fn arrival_row(table: usize, arrival: Arrival) -> usize {
    table * Arrival::COUNT + arrival.index()
}

/// Row of the history by pawns, with `turn` to move.
#[inline(always)]
fn pawns_row(turn: Color, pawns: usize) -> usize {
    3 * Arrival::COUNT + turn as usize * PAWNS + pawns
}

/// First row of the history of quiet moves of `turn`.
#[inline(always)]
fn quiet_row(turn: Color) -> usize {
    pawns_row(Color::White, PAWNS) + turn as usize * QUIET_ROWS
}

/// Moves an entry towards a limit.
#[inline]
pub(crate) fn pull(entry: &mut i16, bonus: i32, limit: i32) {
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / limit) as i16;
}

/// Number of the origin of `mv`, below [`ORIGINS`]; by twice as many higher if the opponent attacks it.
#[inline(always)]
fn origin(mv: Move, theirs: Bitboard) -> usize {
    match mv.parts() {
        MoveParts::Board { from, promote, .. } => board_origin(from, promote, theirs),
        MoveParts::Drop { piece, .. } => drop_origin(piece),
    }
}

#[inline(always)]
fn board_origin(from: Square, promotes: bool, theirs: Bitboard) -> usize {
    from.index() + 81 * usize::from(promotes) + 2 * ORIGINS * usize::from(theirs.contains(from))
}

#[inline(always)]
fn drop_origin(piece: HandPiece) -> usize {
    2 * 81 + piece as usize
}

#[inline(always)]
fn piece_to(kind: PieceType, to: Square) -> usize {
    kind as usize * 81 + to.index()
}

/// The piece type that `mv` moves or drops, as it is after the move.
#[inline(always)]
fn mover(position: &Position, mv: Move) -> PieceType {
    match mv.parts() {
        MoveParts::Board { from, promote, .. } => {
            let kind = position.piece_at(from).map_or(PieceType::Pawn, |piece| piece.kind);
            kind.promoted().filter(|_| promote).unwrap_or(kind)
        }
        MoveParts::Drop { piece, .. } => piece.piece_type(),
    }
}

/// The two quiet moves that last caused a cut at one ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Killers(pub(crate) [Option<Move>; 2]);

impl Killers {
    #[inline]
    pub(crate) fn add(&mut self, mv: Move) {
        if self.0[0] != Some(mv) {
            self.0 = [Some(mv), self.0[0]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Bitboard = Bitboard::EMPTY;

    #[test]
    fn history_stays_within_its_limit_and_fades() {
        let position = Position::startpos();
        let mut histories = Histories::new();
        let good: Move = "7g7f".parse().expect("a move");
        let bad: Move = "2g2f".parse().expect("a move");
        let line = Line::default();
        for _ in 0..1000 {
            histories.adjust_quiet(QuietKey::of(&position, good, NONE), line, 1000);
            histories.adjust_quiet(QuietKey::of(&position, bad, NONE), line, -1000);
        }
        let of = |histories: &Histories, mv| histories.after(Color::Black, line, NONE).of(&position, mv);
        let high = of(&histories, good);
        assert!(high > params::history_limit() * 8 / 10 && high <= 2 * params::history_limit());
        assert!(of(&histories, bad) < -params::history_limit() * 8 / 10);
        assert_eq!(histories.after(Color::White, line, NONE).of(&position, good), 0);
        histories.adjust_quiet(QuietKey::of(&position, good, NONE), line, -100);
        assert!(of(&histories, good) < high);
    }

    #[test]
    fn a_promotion_is_another_move_than_staying_what_it_is() {
        let position = Position::from_setup(&"4k4/9/9/2S6/9/9/9/9/4K4 b - 1".parse().expect("an SFEN"));
        let position = position.expect("playable");
        let [plain, promotion] = ["7d7c", "7d7c+"].map(|mv| mv.parse::<Move>().expect("a move"));
        let mut histories = Histories::new();
        histories.adjust_quiet(QuietKey::of(&position, promotion, NONE), Line::default(), 900);
        let known = histories.after(Color::Black, Line::default(), NONE);
        assert_eq!((known.of(&position, plain), known.of(&position, promotion)), (0, 1350));
    }

    #[test]
    fn a_move_between_attacked_squares_is_another_one() {
        let (position, mv) = (Position::startpos(), "7g7f".parse().expect("a move"));
        let mut histories = Histories::new();
        let sets = [[].as_slice(), &[Square::S76], &[Square::S77], &[Square::S76, Square::S77]];
        let sets = sets.map(|squares| squares.iter().fold(NONE, |set, &square| set | Bitboard::of(square)));
        for (number, set) in sets.into_iter().enumerate() {
            histories.adjust_main(QuietKey::of(&position, mv, set), 100 * (number as i32 + 1));
        }
        let told = |set| histories.after(Color::Black, Line::default(), set).of(&position, mv);
        assert_eq!(sets.map(told), [100, 200, 300, 400]);
    }

    #[test]
    fn an_answer_is_remembered_for_what_it_answers() {
        let mut position = Position::startpos();
        let first = Arrival::from(&position.do_move("7g7f".parse().expect("a move")));
        let reply: Move = "3c3d".parse().expect("a move");
        let line = Line { arrivals: [Some(first), None, None], ..Line::default() };
        let mut histories = Histories::new();
        histories.adjust_quiet(QuietKey::of(&position, reply, NONE), line, 500);
        let told = |line| histories.after(Color::White, line, NONE).of(&position, reply);
        assert_eq!(told(line) - told(Line::default()), 500);
    }
}
