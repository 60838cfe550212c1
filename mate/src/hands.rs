//! Proof hands and disproof hands: with how little in hand a mate still works, and
//! with how much there is still none.
//!
//! On one board the pieces in both hands have a fixed sum, so a position is its
//! board and the attacker's hand. A mate that works with some hand works with every
//! hand that dominates it (the defender then holds less), and where there is no
//! mate there is none with a dominated hand. A result is therefore stored under the
//! smallest hand (proof) or the largest (disproof) that its tree allows, and answers
//! for many positions (idea: Nagai).

use enbu_movegen::rays::between;
use enbu_movegen::{Hand, HandPiece, Move, Position};

/// For each kind the larger count.
pub(crate) fn union(a: Hand, b: Hand) -> Hand {
    combine(a, b, u8::max)
}

/// For each kind the smaller count.
pub(crate) fn intersection(a: Hand, b: Hand) -> Hand {
    combine(a, b, u8::min)
}

/// For each kind the sum, as far as it fits.
pub(crate) fn sum(a: Hand, b: Hand) -> Hand {
    combine(a, b, u8::saturating_add)
}

fn combine(a: Hand, b: Hand, each: impl Fn(u8, u8) -> u8) -> Hand {
    HandPiece::ALL.into_iter().fold(Hand::EMPTY, |hand, piece| {
        let count = each(a.count(piece), b.count(piece)).min(Hand::max(piece));
        hand.with_count(piece, count).unwrap_or(hand)
    })
}

/// Takes over the count of `piece` from another hand.
fn copy_count(hand: Hand, piece: HandPiece, from: Hand) -> Hand {
    hand.with_count(piece, from.count(piece)).unwrap_or(hand)
}

/// The attacker's hand before its move, given the one that `after` it is needed
/// (proof) or allowed (disproof).
pub(crate) fn before_attack(position: &Position, mv: Move, after: Hand) -> Hand {
    if let Some(piece) = mv.dropped() {
        return after.with(piece);
    }
    match position.piece_at(mv.to()).and_then(|piece| piece.kind.hand_piece()) {
        Some(piece) => after.without(piece),
        None => after,
    }
}

/// Completes the proof hand of a defender's node: `answered` suffices against every
/// move the defender has now; this adds what keeps it from having more.
///
/// With less in the attacker's hand the defender holds more: a kind that it lacks
/// now could then be put between. So of every such kind the attacker must hold all.
pub(crate) fn keep_blocks_away(position: &Position, answered: Hand) -> Hand {
    let defender = position.turn();
    let interposable = match (position.checkers().first(), position.king(defender)) {
        (Some(checker), Some(king)) => !position.checkers().has_several() && !between(king, checker).is_empty(),
        _ => false,
    };
    if !interposable {
        return answered;
    }
    let (ours, theirs) = (position.hand(!defender), position.hand(defender));
    HandPiece::ALL
        .into_iter()
        .filter(|&piece| !theirs.has(piece))
        .fold(answered, |hand, piece| copy_count(hand, piece, ours))
}

/// Completes the disproof hand of an attacker's node: with `refuted` every check the
/// attacker has now fails; this takes away what would give it more checks.
pub(crate) fn keep_checks_away(position: &Position, refuted: Hand) -> Hand {
    let ours = position.hand(position.turn());
    HandPiece::ALL
        .into_iter()
        .filter(|&piece| refuted.has(piece) && !ours.has(piece) && !position.checking_drops(piece).is_empty())
        .fold(refuted, |hand, piece| copy_count(hand, piece, ours))
}

/// All pieces in both hands: the most that the attacker could hold on this board.
pub(crate) fn all(position: &Position) -> Hand {
    sum(position.hand(position.turn()), position.hand(!position.turn()))
}
