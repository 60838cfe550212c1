//! The line of a proven mate.
//!
//! The table holds the proof as bounds on lengths; some entries may have been replaced.
//! The line is walked from the root: the attacker plays a move with the least bound, the
//! defender one with the greatest. Missing parts are proven again, which is quick because
//! most of the subtree is still in the table. If the length is exact, the defender's move
//! is one that provably lasts that long.

use std::cmp::Reverse;

use enbu_movegen::{Move, MoveList, Position};

use crate::child::Count;
use crate::dfpn::Search;
use crate::overseer::Overseer;
use crate::plies::{ANY, Length, Plies, after, before};
use crate::value::{Role, Value};

/// Maximal number of walks until the line is as long as its bound.
const WALKS: usize = 1 << 12;

/// A move on the way to the mate, and the bound on the plies after it.
type Next = (Move, Plies);

/// The line of a proven mate within `within` plies, attacker first, and its bound. `None`
/// if the overseer ended the search or a replaced proof could not be restored.
///
/// A line that meets bounds better than the root's is shorter than that. On the way back the
/// bounds on it are corrected; where another defence then promises to last longer, the walk
/// goes on with that, until length and bound agree. In the conventional count the line ends
/// before interpositions that are all useless.
pub(crate) fn of(
    search: &mut Search<'_>,
    within: Plies,
    length: Length,
    overseer: &mut Overseer<'_>,
) -> Option<(Vec<Move>, Plies)> {
    let mut line = Vec::new();
    let mut complete = walk(search, within, length, overseer, &mut line);
    let mut walks = 1;
    let mut left = line.len();
    while left > 0 {
        search.position.undo_move();
        left -= 1;
        if search.count == Count::Conventional || !complete {
            continue;
        }
        tighten(search);
        let bound = known(search, ANY).unwrap_or(0);
        if line.len() - left < usize::from(bound) && walks < WALKS {
            walks += 1;
            line.truncate(left);
            complete = walk(search, bound, length, overseer, &mut line);
            left = line.len();
        }
    }
    let is_real = search.count == Count::Conventional || mates(search.position, &line);
    (complete && is_real).then(|| (line, known(search, within).unwrap_or(within)))
}

/// Stores the bound that follows from the moves of the current position.
fn tighten(search: &mut Search<'_>) {
    let mut moves = MoveList::new();
    let bound = match search.role() {
        _ if search.count == Count::Conventional => None,
        Role::Attacker => {
            search.position.checks(&mut moves);
            shortest(search, &moves, ANY).map(|(_, plies)| plies)
        }
        Role::Defender => {
            search.position.legal_moves(&mut moves);
            let each = moves.into_iter().map(|mv| known_after(search, mv, ANY));
            each.collect::<Option<Vec<_>>>().and_then(|plies| plies.into_iter().max())
        }
    };
    if let Some(plies) = bound {
        search.note_bound(before(plies, 1));
    }
}

/// Returns true if the line is a chain of checks that mates.
fn mates(position: &Position, line: &[Move]) -> bool {
    after_checks(position, line).is_some_and(|board| board.is_mate())
}

/// The position after a line that begins and ends with the attacker's moves; `None` unless
/// all moves are legal and each of the attacker's gives check.
pub fn after_checks(position: &Position, line: &[Move]) -> Option<Position> {
    let mut board = position.without_history();
    let legal = line.iter().enumerate().all(|(ply, &mv)| {
        let checks = ply % 2 == 1 || board.gives_check(mv);
        checks && board.play(mv).is_ok()
    });
    (legal && line.len() % 2 == 1).then_some(board)
}

fn walk(
    search: &mut Search<'_>,
    mut within: Plies,
    length: Length,
    overseer: &mut Overseer<'_>,
    line: &mut Vec<Move>,
) -> bool {
    loop {
        let next = match search.role() {
            Role::Attacker => attack(search, within, overseer),
            Role::Defender if is_over(search, within) => return true,
            Role::Defender => defend(search, within, length, overseer),
        };
        let Some((mv, plies)) = next else { return false };
        search.position.do_move(mv);
        line.push(mv);
        within = plies;
    }
}

/// Returns true if the defender is mated, or has only useless interpositions left.
pub(crate) fn is_over(search: &Search<'_>, within: Plies) -> bool {
    within == 0 && search.count == Count::Conventional || !search.position.has_legal_move()
}

/// The attacker's move with the shortest known mate.
pub(crate) fn attack(search: &mut Search<'_>, within: Plies, overseer: &mut Overseer<'_>) -> Option<Next> {
    let mut checks = MoveList::new();
    search.position.checks(&mut checks);
    let known = |search: &mut Search<'_>| shortest(search, &checks, within);
    if let Some(found) = known(search) {
        return Some(found);
    }
    // The entry was replaced: prove it again.
    if !search.prove(within, overseer).is_mate() {
        return None;
    }
    known(search).or_else(|| search.returned(within, overseer)).or_else(|| {
        checks.into_iter().find_map(|mv| prove_after(search, mv, within, overseer).map(|plies| (mv, plies)))
    })
}

fn shortest(search: &mut Search<'_>, checks: &MoveList, within: Plies) -> Option<Next> {
    let known = checks.into_iter().filter_map(|mv| known_after(search, mv, within).map(|plies| (mv, plies)));
    known.min_by_key(|&(_, plies)| plies)
}

/// The defender's move that lasts longest.
fn defend(search: &mut Search<'_>, within: Plies, length: Length, overseer: &mut Overseer<'_>) -> Option<Next> {
    let lasting = defences(search, within, overseer)?;
    let lasts = |&&next: &&Next| length == Length::Shortest && lasts(search, next, within, overseer);
    lasting.iter().find(lasts).or(lasting.first()).copied()
}

/// The defender's moves with their bounds, those that last longest first.
pub(crate) fn defences(search: &mut Search<'_>, within: Plies, overseer: &mut Overseer<'_>) -> Option<Vec<Next>> {
    let mut answers = MoveList::new();
    search.position.legal_moves(&mut answers);
    let mut lasting = Vec::new();
    for mv in &answers {
        let plies = known_after(search, mv, within).or_else(|| prove_after(search, mv, within, overseer))?;
        lasting.push((before(plies, search.cost(mv)), mv, plies));
    }
    // A stable sort: equal moves stay in generation order, which keeps results reproducible.
    // A drop may be useless where a move is not.
    lasting.sort_by_key(|&(total, mv, _)| (Reverse(total), mv.is_drop() && search.count == Count::Conventional));
    Some(lasting.into_iter().map(|(_, mv, plies)| (mv, plies)).collect())
}

/// Returns true if a defence provably lasts `within` plies, not by a useless interposition.
pub(crate) fn lasts(search: &mut Search<'_>, (mv, plies): Next, within: Plies, overseer: &mut Overseer<'_>) -> bool {
    if before(plies, search.cost(mv)) < within {
        return false;
    }
    search.position.do_move(mv);
    let shorter = plies.checked_sub(2).map(|shorter| search.prove(shorter, overseer));
    let lasts = shorter.is_none_or(Value::is_no_mate) && search.returned(plies, overseer).is_none();
    search.position.undo_move();
    lasts
}

/// The least known bound of the current position, up to `within`.
fn known(search: &mut Search<'_>, within: Plies) -> Option<Plies> {
    let value = search.look(within);
    let shorter = |search| value.plies.checked_sub(2).and_then(|shorter| known(search, shorter));
    value.is_mate().then(|| shorter(search).unwrap_or(value.plies))
}

fn known_after(search: &mut Search<'_>, mv: Move, within: Plies) -> Option<Plies> {
    after_move(search, mv, within, known)
}

fn prove_after(search: &mut Search<'_>, mv: Move, within: Plies, overseer: &mut Overseer<'_>) -> Option<Plies> {
    after_move(search, mv, within, |search, within| {
        let value = search.prove(within, overseer);
        value.is_mate().then_some(value.plies)
    })
}

/// The result of `bound` after a move, unless the move alone exceeds `within`.
fn after_move(
    search: &mut Search<'_>,
    mv: Move,
    within: Plies,
    bound: impl FnOnce(&mut Search<'_>, Plies) -> Option<Plies>,
) -> Option<Plies> {
    let cost = search.cost(mv);
    if within < cost {
        return None;
    }
    search.position.do_move(mv);
    let plies = bound(search, after(within, cost));
    search.position.undo_move();
    plies
}
