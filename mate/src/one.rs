//! Mate in one move: exact, and cheap where there is none.
//!
//! | file | owns |
//! |---|---|
//! | `direct.rs` | checks by the piece that moves: nearly all mates |
//! | `lines.rs` | tables of squares around a square |
//!
//! What is left for this file are the pieces that can uncover a check. They are rare;
//! their moves are tried on the board.

mod direct;
mod lines;

use enbu_isa::multiversion;
use enbu_movegen::{Bitboard, Move, MoveParts, MoveSet, Position, Square, attacks};

use direct::Net;
use lines::{bishop_cross, rook_cross};

multiversion! {
    /// A move that mates at once, if there is one.
    ///
    /// The answer is exact: `None` means that no legal move mates. It may be asked in
    /// every position, with either king missing or with the side to move in check.
    ///
    /// ```
    /// use enbu_mate::mate_in_one;
    /// use enbu_movegen::{Position, Setup};
    /// let setup: Setup = "4k4/9/4P4/9/9/9/9/9/9 b G 1".parse().expect("an SFEN");
    /// let position = Position::from_setup(&setup).expect("playable");
    /// assert_eq!(mate_in_one(&position), Some("G*5b".parse().expect("a move")));
    /// ```
    pub fn mate_in_one(position: &Position) -> Option<Move> = mate_in_one_inline;
}

#[inline(always)]
fn mate_in_one_inline(position: &Position) -> Option<Move> {
    mate_with(&Net::new(position)?)
}

/// What is seen of a position without a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// A move mates at once.
    Mate(Move),
    /// None does, and there are at most so many checks.
    Checks(u32),
}

multiversion! {
    /// Both questions of a solver at once: is there a mate in one, and how many checks?
    pub(crate) fn outlook(position: &Position) -> Outlook = outlook_inline;
}

#[inline(always)]
fn outlook_inline(position: &Position) -> Outlook {
    let Some(net) = Net::new(position) else { return Outlook::Checks(0) };
    if let Some(mv) = mate_with(&net) {
        return Outlook::Mate(mv);
    }
    Outlook::Checks(if position.in_check() || !net.discoverers.is_empty() {
        position.count_checks() as u32
    } else {
        net.count_checks()
    })
}

#[inline(always)]
fn mate_with(net: &Net<'_>) -> Option<Move> {
    let found = net.find();
    if found.is_some() || net.discoverers.is_empty() {
        return found;
    }
    uncovering(net.position, net.flights, net.discoverers)
}

/// A move by one of `discoverers` that mates.
#[cold]
fn uncovering(position: &Position, flights: Bitboard, discoverers: Bitboard) -> Option<Move> {
    let target = position.king(!position.turn())?;
    let mut found = None;
    let mut board = None;
    position.for_each_check_set(|set| {
        let by_discoverer = match set {
            MoveSet::Piece { from, .. } => discoverers.contains(from),
            MoveSet::Pawns { .. } => true,
            MoveSet::Drops { .. } => false,
        };
        if found.is_some() || !by_discoverer {
            return;
        }
        set.for_each(|mv| {
            if found.is_none() && may_mate(position, target, flights, mv) {
                let board = board.get_or_insert_with(|| position.without_history());
                found = mates(board, mv).then_some(mv);
            }
        });
    });
    found
}

/// Whether the legal check `mv` mates.
fn mates(position: &mut Position, mv: Move) -> bool {
    position.do_move(mv);
    let mated = !position.has_legal_move();
    position.undo_move();
    mated
}

/// Whether every flight square is attacked by the moved piece or lies on a line that
/// the move opens: without that a check is no mate.
fn may_mate(position: &Position, target: Square, flights: Bitboard, mv: Move) -> bool {
    let MoveParts::Board { from, to, promote } = mv.parts() else { return false };
    let Some(moved) = position.piece_at(from) else { return false };
    let placed = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
    let occupied = position.occupied().without(Bitboard::of(target)).without(Bitboard::of(from)) | Bitboard::of(to);
    let left = flights.without(attacks::attacks(placed, position.turn(), to, occupied));
    left.without(rook_cross(from) | bishop_cross(from)).is_empty()
}
