//! Mate in one move: exact, and cheap without a mate.
//!
//! | file | contents |
//! |---|---|
//! | `direct.rs` | direct checks: nearly all mates |
//! | `lines.rs` | tables of squares around a square |
//!
//! Discovered checks are rare, and this file tries them on the board.

mod direct;
mod lines;

use enbu_isa::multiversion;
use enbu_movegen::rays::{bishop_cross, rook_cross};
use enbu_movegen::{Bitboard, Move, MoveParts, MoveSet, Position, Square, attacks};

use direct::Net;

multiversion! {
    /// Returns a legal move that mates, or `None` if there is none.
    ///
    /// Exact in every position, also without one of the kings and with the side to move in
    /// check.
    ///
    /// ```
    /// use enbu_mate::mate_in_one;
    /// use enbu_movegen::{Position, Setup};
    /// let setup: Setup = "4k4/9/4P4/9/9/9/9/9/9 b G 1".parse().expect("an SFEN");
    /// let position = Position::from_setup(&setup).expect("playable");
    /// assert_eq!(mate_in_one(&position), Some("G*5b".parse().expect("a move")));
    /// ```
    pub fn mate_in_one(position: &Position) -> Option<Move> {
        mate_with(&Net::new(position)?)
    }
}

/// Static evaluation of an attacker's node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// A move mates at once.
    Mate(Move),
    /// No mate in one; an upper bound on the number of checks.
    Checks(u32),
}

multiversion! {
    /// The mate in one or the number of checks, from one analysis of the king's net.
    pub(crate) fn outlook(position: &Position) -> Outlook {
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
}

#[inline(always)]
fn mate_with(net: &Net<'_>) -> Option<Move> {
    let found = net.find();
    if found.is_some() || net.discoverers.is_empty() {
        return found;
    }
    uncovering(net.position, net.flights, net.discoverers)
}

/// A mating move by one of `discoverers`.
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

/// Returns true if the legal check `mv` mates.
fn mates(position: &mut Position, mv: Move) -> bool {
    position.do_move(mv);
    let mated = !position.has_legal_move();
    position.undo_move();
    mated
}

/// Necessary condition of a mate: every flight square is attacked by the moved piece or
/// is on a line that the move opens.
fn may_mate(position: &Position, target: Square, flights: Bitboard, mv: Move) -> bool {
    let MoveParts::Board { from, to, promote } = mv.parts() else { return false };
    let Some(moved) = position.piece_at(from) else { return false };
    let placed = if promote { moved.kind.promoted().unwrap_or(moved.kind) } else { moved.kind };
    let occupied = position.occupied().without(Bitboard::of(target)).without(Bitboard::of(from)) | Bitboard::of(to);
    let left = flights.without(attacks::attacks(placed, position.turn(), to, occupied));
    left.without(rook_cross(from) | bishop_cross(from)).is_empty()
}
