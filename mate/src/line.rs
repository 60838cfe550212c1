//! The line of a proven mate.
//!
//! The table holds the proof as bounds on lengths; some entries may have been replaced.
//! The line is walked from the root: the attacker plays a move with the least bound, the
//! defender one with the greatest. Missing parts are proven again, which is quick because
//! most of the subtree is still in the table. If the length is exact, the defender's move
//! is one that provably lasts that long.

use enbu_movegen::{Move, MoveList, Position};

use crate::dfpn::{Control, Search};
use crate::plies::{Length, Plies};
use crate::value::{Role, Value};

/// The line of a proven mate within `within` plies, attacker first. `None` if `control`
/// ended the search or a replaced proof could not be restored.
pub(crate) fn of(
    search: &mut Search<'_>,
    within: Plies,
    length: Length,
    control: &mut dyn Control,
) -> Option<Vec<Move>> {
    let mut line = Vec::new();
    let complete = walk(search, within, length, control, &mut line);
    for _ in &line {
        search.position.undo_move();
    }
    (complete && mates(search.position, &line)).then_some(line)
}

/// The conventional length of a line, without useless interpositions (mudaai).
///
/// A drop between checker and king is useless if the checker captures it at once, with
/// check, and the rest of the line mates within its number of plies even with the
/// captured piece returned to the defender: the two moves only delay the mate. If this
/// cannot be decided within `control`, the moves count.
pub(crate) fn conventional_plies(search: &mut Search<'_>, line: &[Move], control: &mut dyn Control) -> Plies {
    let mut plies = line.len();
    for (at, &mv) in line.iter().enumerate() {
        if at % 2 == 1 && is_useless(search, &line[at..], control) {
            plies -= 2;
        }
        search.position.do_move(mv);
    }
    for _ in line {
        search.position.undo_move();
    }
    plies as Plies
}

/// Returns true if the first move of `rest`, the defender's, is a useless interposition.
fn is_useless(search: &mut Search<'_>, rest: &[Move], control: &mut dyn Control) -> bool {
    let &[answer, taking, ..] = rest else { return false };
    let checker = search.position.checkers().first();
    let (Some(piece), true) = (answer.dropped(), taking.to() == answer.to() && taking.from() == checker) else {
        return false;
    };
    let defender = search.position.turn();
    let mut board = search.position.without_history();
    board.do_move(answer);
    board.do_move(taking);
    let mut setup = board.to_setup();
    setup.hands[!defender] = setup.hands[!defender].without(piece);
    setup.hands[defender] = setup.hands[defender].with(piece);
    let Ok(mut returned) = Position::from_setup(&setup) else { return false };
    search.aside(&mut returned).prove((rest.len() - 2) as Plies, control).is_mate()
}

/// Returns true if every move of the line is legal, each of the attacker's gives check,
/// and the last one mates.
fn mates(position: &Position, line: &[Move]) -> bool {
    let mut board = position.without_history();
    let legal = line.iter().enumerate().all(|(ply, &mv)| {
        let checks = ply % 2 == 1 || board.gives_check(mv);
        checks && board.play(mv).is_ok()
    });
    legal && line.len() % 2 == 1 && board.is_mate()
}

fn walk(
    search: &mut Search<'_>,
    mut within: Plies,
    length: Length,
    control: &mut dyn Control,
    line: &mut Vec<Move>,
) -> bool {
    loop {
        let next = match search.role() {
            Role::Attacker => attack(search, within, control),
            Role::Defender if !search.position.has_legal_move() => return true,
            Role::Defender => defend(search, within, length, control),
        };
        let Some((mv, plies)) = next else { return false };
        search.position.do_move(mv);
        line.push(mv);
        within = plies;
    }
}

/// The attacker's move with the shortest known mate, and the bound on the plies after it.
fn attack(search: &mut Search<'_>, within: Plies, control: &mut dyn Control) -> Option<(Move, Plies)> {
    let mut checks = MoveList::new();
    search.position.checks(&mut checks);
    if let Some(found) = shortest(search, &checks, within) {
        return Some(found);
    }
    // The entry was replaced: prove it again.
    if !search.prove(within, control).is_mate() {
        return None;
    }
    if let Some(found) = shortest(search, &checks, within) {
        return Some(found);
    }
    checks.into_iter().find_map(|mv| {
        let value = prove_after(search, mv, within - 1, control);
        value.is_mate().then_some((mv, value.plies))
    })
}

fn shortest(search: &mut Search<'_>, checks: &MoveList, within: Plies) -> Option<(Move, Plies)> {
    let known = checks.into_iter().filter_map(|mv| {
        let value = look_after(search, mv, within - 1);
        value.is_mate().then_some((mv, value.plies))
    });
    known.min_by_key(|&(_, plies)| plies)
}

/// The defender's move that lasts longest, and the bound on the plies after it.
fn defend(search: &mut Search<'_>, within: Plies, length: Length, control: &mut dyn Control) -> Option<(Move, Plies)> {
    let mut answers = MoveList::new();
    search.position.legal_moves(&mut answers);
    let mut lasting = Vec::new();
    for mv in &answers {
        let mut value = look_after(search, mv, within - 1);
        if !value.is_mate() {
            value = prove_after(search, mv, within - 1, control);
        }
        if !value.is_mate() {
            return None;
        }
        lasting.push((mv, value.plies));
    }
    // A stable sort: equal moves stay in generation order, which keeps results reproducible.
    lasting.sort_by_key(|&(_, plies)| std::cmp::Reverse(plies));
    if length == Length::Shortest && within >= 4 {
        for &(mv, plies) in lasting.iter().take_while(|&&(_, plies)| plies + 1 == within) {
            if prove_after(search, mv, plies - 2, control).is_no_mate() {
                return Some((mv, plies));
            }
        }
    }
    lasting.first().copied()
}

fn look_after(search: &mut Search<'_>, mv: Move, within: Plies) -> Value {
    search.position.do_move(mv);
    let value = search.look(within);
    search.position.undo_move();
    value
}

fn prove_after(search: &mut Search<'_>, mv: Move, within: Plies, control: &mut dyn Control) -> Value {
    search.position.do_move(mv);
    let value = search.prove(within, control);
    search.position.undo_move();
    value
}
