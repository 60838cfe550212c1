//! Proof hands and disproof hands: the smallest hand with which a mate still works and
//! the largest with which it still fails.
//!
//! On one board the sum of both hands is fixed, so a position is its board and the
//! attacker's hand. A mate with some hand works with every dominating hand (the defender
//! then has less), and a disproof holds for every dominated hand. A result is therefore
//! stored with the smallest hand (proof) or the largest (disproof) that its tree allows,
//! and one entry serves many positions (idea: Nagai).

use enbu_movegen::rays::between;
use enbu_movegen::{Hand, HandPiece, Move, Position};

/// The larger count of each kind.
pub(crate) fn union(a: Hand, b: Hand) -> Hand {
    combine(a, b, u8::max)
}

/// The smaller count of each kind.
pub(crate) fn intersection(a: Hand, b: Hand) -> Hand {
    combine(a, b, u8::min)
}

/// Combines the counts of each kind; results are clamped to [`Hand::max`].
fn combine(a: Hand, b: Hand, each: impl Fn(u8, u8) -> u8) -> Hand {
    HandPiece::ALL.into_iter().fold(Hand::EMPTY, |hand, piece| {
        let count = each(a.count(piece), b.count(piece)).min(Hand::max(piece));
        hand.with_count(piece, count).unwrap_or(hand)
    })
}

fn copy_count(hand: Hand, piece: HandPiece, from: Hand) -> Hand {
    hand.with_count(piece, from.count(piece)).unwrap_or(hand)
}

/// The proof or disproof hand before the attacker's move `mv`, from the one `after` it.
pub(crate) fn before_attack(position: &Position, mv: Move, after: Hand) -> Hand {
    if let Some(piece) = mv.dropped() {
        return after.with(piece);
    }
    match position.piece_at(mv.to()).and_then(|piece| piece.kind.hand_piece()) {
        Some(piece) => after.without(piece),
        None => after,
    }
}

/// Completes the proof hand of a defender's node.
///
/// `answered` suffices against every present move of the defender. With a smaller hand
/// of the attacker the defender has more, and could interpose a kind that it lacks now:
/// the attacker must hold all pieces of every such kind.
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

/// Completes the disproof hand of an attacker's node.
///
/// With `refuted` every present check fails. A kind that the attacker lacks now and that
/// could be dropped with check is removed, because it would add checks.
pub(crate) fn keep_checks_away(position: &Position, refuted: Hand) -> Hand {
    let ours = position.hand(position.turn());
    HandPiece::ALL
        .into_iter()
        .filter(|&piece| refuted.has(piece) && !ours.has(piece) && !position.checking_drops(piece).is_empty())
        .fold(refuted, |hand, piece| copy_count(hand, piece, ours))
}

/// All pieces in both hands: the largest hand the attacker could have on this board.
pub(crate) fn all(position: &Position) -> Hand {
    combine(position.hand(position.turn()), position.hand(!position.turn()), u8::saturating_add)
}
