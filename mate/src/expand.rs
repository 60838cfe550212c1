//! New nodes: delayed moves, and the first estimate of a node's numbers.

use enbu_isa::multiversion;
use enbu_movegen::{Bitboard, Hand, Move, MoveSet, PieceType, Position, Scope, Square};

use crate::child::{Child, Stage};
use crate::cycles::Reliance;
use crate::hands;
use crate::one::{Outlook, outlook};
use crate::plies::{NEVER, Plies, beyond};
use crate::value::{Role, Value};

/// Delays moves that are hardly ever better than a sibling.
///
/// Drops of the defender on one square wait for the cheaper piece, since all are captured
/// in the same way; non-promotions of the attacker wait for the promotion where that only
/// gains power. A delayed move is evaluated as soon as its sibling has failed, so the
/// result stays exact.
pub(crate) fn let_wait(children: &mut [Child], role: Role, position: &Position) {
    let mut earlier: [Option<u16>; Square::COUNT] = [None; Square::COUNT];
    for at in 0..children.len() {
        let mv = children[at].mv;
        let sibling = match role {
            Role::Defender if mv.is_drop() => earlier[mv.to()].replace(at as u16),
            Role::Attacker if gains_only(position, mv) => {
                let promotion = mv.from().map(|from| Move::promotion(from, mv.to()));
                children.iter().position(|child| Some(child.mv) == promotion).map(|at| at as u16)
            }
            _ => None,
        };
        if let Some(sibling) = sibling {
            children[usize::from(sibling)].next = Some(at as u16);
            children[at].stage = Stage::Waits;
        }
    }
}

/// Returns true if `mv` is a non-promotion of a piece that only gains power by promotion.
fn gains_only(position: &Position, mv: Move) -> bool {
    let kind =
        mv.from().filter(|_| !mv.is_promotion()).and_then(|from| position.piece_at(from)).map(|piece| piece.kind);
    matches!(kind, Some(PieceType::Pawn | PieceType::Lance | PieceType::Bishop | PieceType::Rook))
}

/// First value of a new position.
///
/// Mates, positions without a check and mates in one are recognised at once; others start
/// with numbers that grow with the number of moves, as one ply of search would give.
pub(crate) fn first_value(position: &mut Position, role: Role, within: Plies) -> Value {
    match role {
        Role::Defender => first_value_of_answers(position, within),
        Role::Attacker => first_value_of_checks(position, within),
    }
}

fn first_value_of_answers(position: &Position, within: Plies) -> Value {
    let answers = count_answers(position);
    if answers == 0 {
        return Value::mate(0, hands::keep_blocks_away(position, Hand::EMPTY));
    }
    if within == 0 {
        return Value::no_mate(1, position.hand(!position.turn()), Reliance::NONE);
    }
    Value::fresh(answers, ANSWER_DN)
}

/// First disproof number of a defender's node: 2, so that a refutation there weighs more
/// than the failure of one further check. Measured: a tenth fewer nodes than with 1, on
/// short and on long problems.
const ANSWER_DN: u32 = 2;

/// Addition to the first proof number for each piece that can capture the checker: such
/// checks are sacrifices and mate less often. Measured: up to a third fewer nodes on long
/// problems than with 0; 1 and 3 are worse.
const TAKER_PN: u32 = 2;

multiversion! {
    /// First proof number of a defender's node: one for each move, all drops on one square
    /// counting as one, plus [`TAKER_PN`] for each piece that can capture the checker.
    fn count_answers(position: &Position) -> u32 {
        let (mut count, mut dropped) = (0, Bitboard::EMPTY);
        position.for_each_set(Scope::All, |set| match set {
            MoveSet::Drops { to, .. } => dropped |= to,
            MoveSet::Piece { plain, promote, .. } | MoveSet::Pawns { plain, promote, .. } => {
                let takes = (plain | promote).intersects(position.checkers());
                count += set.len() as u32 + if takes { TAKER_PN } else { 0 };
            }
        });
        count + dropped.count()
    }
}

fn first_value_of_checks(position: &mut Position, within: Plies) -> Value {
    match outlook(position) {
        Outlook::Mate(mv) => {
            position.do_move(mv);
            let after = hands::keep_blocks_away(position, Hand::EMPTY);
            position.undo_move();
            Value::mate(1, hands::before_attack(position, mv, after))
        }
        Outlook::Checks(0) => {
            Value::no_mate(NEVER, hands::keep_checks_away(position, hands::all(position)), Reliance::NONE)
        }
        Outlook::Checks(_) if within <= 2 => {
            Value::no_mate(beyond(within), position.hand(position.turn()), Reliance::NONE)
        }
        Outlook::Checks(count) => Value::fresh(1, count),
    }
}
