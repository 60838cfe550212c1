//! The solver against exhaustive search.
//!
//! The reference below uses no table, no dominance and no proof numbers: it tries every
//! check and every answer to a fixed depth. The positions come from random games, with
//! the attacker to move, with and without kings, pieces in hand and check.

use std::sync::atomic::AtomicBool;

use enbu_mate::{
    Counted, Flaw, FlawKind, Judgement, Length, Limits, Mate, Origin, Refinement, Solution, Solver, Soundness, Verdict,
    mate_in_one,
};
use enbu_movegen::{Color, Move, MoveList, PieceType, Position, Setup, Square};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Depth of the reference in plies.
const HORIZON: u16 = 7;

/// Node limit of the solver for one position.
const NODES: u64 = 200_000;

/// Returns `true` if the tests are to take their time, as in `.ci/run`.
fn has_slow_rows() -> bool {
    std::env::var_os("ENBU_SLOW_TESTS").is_some()
}

/// Number of compared positions of each kind; `ENBU_MATE_POSITIONS=2000` is a thorough run.
fn wanted() -> usize {
    let asked = std::env::var("ENBU_MATE_POSITIONS").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(if has_slow_rows() { 40 } else { 24 })
}

/// Returns true if the side to move mates within `plies`; `None` above `budget` positions.
fn mates_within(position: &mut Position, plies: u16, budget: &mut u64) -> Option<bool> {
    *budget = budget.checked_sub(1)?;
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    for mv in &checks {
        position.do_move(mv);
        let mated = is_mated_within(position, plies - 1, budget);
        position.undo_move();
        if mated? {
            return Some(true);
        }
    }
    Some(false)
}

fn is_mated_within(position: &mut Position, plies: u16, budget: &mut u64) -> Option<bool> {
    let mut answers = MoveList::new();
    position.legal_moves(&mut answers);
    if plies == 0 || answers.is_empty() {
        return Some(answers.is_empty());
    }
    for mv in &answers {
        position.do_move(mv);
        let mates = mates_within(position, plies - 1, budget);
        position.undo_move();
        if !mates? {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns true if the side to move mates within `plies` in the conventional count, by its
/// definition in `docs/mates.md`; `None` above `budget` positions.
fn counts_within(position: &mut Position, plies: u16, budget: &mut u64) -> Option<bool> {
    *budget = budget.checked_sub(1)?;
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    for mv in &checks {
        position.do_move(mv);
        let mated = is_counted_within(position, plies - 1, budget);
        position.undo_move();
        if mated? {
            return Some(true);
        }
    }
    Some(false)
}

fn is_counted_within(position: &mut Position, plies: u16, budget: &mut u64) -> Option<bool> {
    let mut answers = MoveList::new();
    position.legal_moves(&mut answers);
    let (drops, moves): (Vec<Move>, Vec<Move>) = answers.into_iter().partition(|mv| mv.is_drop());
    for mv in moves.into_iter().chain(drops) {
        if mv.is_drop() && is_handed_back(position, mv, plies, budget)? {
            continue;
        }
        if plies == 0 {
            return Some(false);
        }
        position.do_move(mv);
        let mates = counts_within(position, plies - 1, budget);
        position.undo_move();
        if !mates? {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns true if the checker can take the dropped piece, with check, and mate within
/// `plies` after handing it back, or another piece can and mates at once.
fn is_handed_back(position: &Position, drop: Move, plies: u16, budget: &mut u64) -> Option<bool> {
    let (checker, defender) = (position.checkers().first(), position.turn());
    let mut board = position.without_history();
    board.do_move(drop);
    let mut checks = MoveList::new();
    board.checks(&mut checks);
    for mv in checks.into_iter().filter(|mv| mv.to() == drop.to()) {
        let mut after = board.clone();
        after.do_move(mv);
        let (mut setup, piece) = (after.to_setup(), drop.dropped().expect("a drop"));
        setup.hands[!defender] = setup.hands[!defender].without(piece);
        setup.hands[defender] = setup.hands[defender].with(piece);
        let mut after = Position::from_setup(&setup).expect("playable");
        let plies = if mv.from() == checker { plies } else { 0 };
        if is_counted_within(&mut after, plies, budget)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Positions that the reference tries at most; more in the slow tests.
fn budget() -> u64 {
    if has_slow_rows() { 400_000 } else { 40_000 }
}

/// The length of the shortest mate up to the horizon. The outer `None`: above the budget;
/// the inner one: no mate.
fn shortest(position: &mut Position) -> Option<Option<u16>> {
    let mut budget = budget();
    for plies in (1..=HORIZON).step_by(2) {
        if mates_within(position, plies, &mut budget)? {
            return Some(Some(plies));
        }
    }
    Some(None)
}

/// The conventional length of a mate in `plies`; `None` above the budget.
fn counted(position: &mut Position, plies: u16) -> Option<u16> {
    let mut budget = budget();
    for shorter in (1..plies).step_by(2) {
        if counts_within(position, shorter, &mut budget)? {
            return Some(shorter);
        }
    }
    Some(plies)
}

/// A position of a random game, modified to resemble problems: sometimes without the
/// attacker's king, sometimes with pieces of the board in hand.
fn random_position(random: &mut Xoshiro256PlusPlus) -> Option<Position> {
    let mut position = Position::startpos();
    let mut moves = MoveList::new();
    for _ in 0..random.random_range(20..220) {
        moves.clear();
        position.checks(&mut moves);
        // Preferring checks drives the kings out, where mates are more frequent.
        if moves.is_empty() || random.random_bool(0.6) {
            moves.clear();
            position.legal_moves(&mut moves);
        }
        position.do_move(*moves.choose(random)?);
    }
    let mut setup = position.to_setup();
    let attacker = setup.turn;
    for square in Square::ALL {
        let Some(piece) = setup.board[square] else { continue };
        let goes = match piece.kind {
            PieceType::King => piece.color == attacker && random.random_bool(0.2),
            _ => random.random_bool(0.15),
        };
        if goes {
            setup.board[square] = None;
            if let Some(piece) = piece.kind.hand_piece() {
                let owner = if random.random_bool(0.5) { Color::Black } else { Color::White };
                setup.hands[owner] = setup.hands[owner].with(piece);
            }
        }
    }
    Position::from_setup(&setup).ok()
}

/// The conventional length that the solver proves.
fn count(solver: &mut Solver, position: &Position) -> (Solution, Option<Counted>) {
    let (limits, stop) = (Limits { refinement: Refinement::Shortest, ..Limits::default() }, AtomicBool::new(false));
    let solution = solver.solve(position, &limits, &stop, &mut |_| {});
    let counted = solver.count(position, &solution, &limits, &stop, &mut |_| {});
    (solution, counted)
}

fn solve(solver: &mut Solver, position: &Position, plies: Option<u16>) -> Verdict {
    let limits = Limits { plies, refinement: Refinement::Shortest, nodes: Some(NODES), ..Limits::default() };
    solver.solve(position, &limits, &AtomicBool::new(false), &mut |_| {}).verdict
}

/// Asserts that a line is legal, gives check with every move of the attacker, and mates.
fn assert_mates(position: &Position, mate: &Mate) {
    let mut board = position.clone();
    for (ply, &mv) in mate.line.iter().enumerate() {
        assert!(ply % 2 == 1 || board.gives_check(mv), "{position}: {mv} gives no check");
        board.play(mv).unwrap_or_else(|error| panic!("{position}: {error}"));
    }
    assert!(board.is_mate() && mate.line.len() % 2 == 1, "{position}: {mate:?}");
}

#[test]
fn solver_and_exhaustive_search_agree() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut solver = Solver::new(16).expect("memory");
    let (mut with, mut without, mut in_check, mut kingless, mut unknown) = (0, 0, 0, 0, 0);
    while with < wanted() || without < wanted() {
        let Some(mut position) = random_position(&mut random) else { continue };
        let Some(expected) = shortest(&mut position) else { continue };
        let seen = if expected.is_some() { &mut with } else { &mut without };
        if *seen >= wanted() || position.king(!position.turn()).is_none() {
            continue;
        }
        *seen += 1;
        in_check += usize::from(position.in_check());
        kingless += usize::from(position.king(position.turn()).is_none());
        // Half of the positions are searched with the results of others in the table.
        if random.random_bool(0.5) {
            solver.clear();
        }
        assert_eq!(mate_in_one(&position).is_some(), expected == Some(1), "{position}");
        match (expected, solve(&mut solver, &position, None)) {
            (Some(plies), Verdict::Mate(mate)) => {
                assert_eq!((mate.plies, mate.length), (plies, Length::Shortest), "{position}");
                assert_eq!(mate.line.len(), usize::from(plies), "{position} {mate:?}");
                assert_mates(&position, &mate);
            }
            // Longer than the horizon.
            (None, Verdict::Mate(mate)) => {
                assert!(mate.plies > HORIZON, "{position} {mate:?}");
                assert_mates(&position, &mate);
            }
            (None, Verdict::NoMate) => {}
            // A longer mate may exist; the bounded search below decides up to the horizon.
            (None, Verdict::Unknown) => unknown += 1,
            (expected, verdict) => panic!("{position}: expected {expected:?}, got {verdict:?}"),
        }
        let bounded = solve(&mut solver, &position, Some(HORIZON));
        match (expected, &bounded) {
            (Some(_), Verdict::Mate(_)) | (None, Verdict::NoMate) => {}
            _ => panic!("{position}: expected {expected:?} within {HORIZON}, got {bounded:?}"),
        }
    }
    assert!(unknown <= wanted() / 10, "{unknown} positions are left open");
    assert!(in_check > wanted() / 12 && kingless > wanted() / 6, "{in_check} in check, {kingless} without a king");
}

#[test]
fn counts_agree_with_exhaustive_search() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(12);
    let mut solver = Solver::new(16).expect("memory");
    let (mut seen, mut shorter) = (0, 0);
    // A position takes a tenth of a second.
    let wanted = if has_slow_rows() { wanted() } else { wanted() / 3 };
    while seen < wanted || shorter < wanted / 3 {
        let Some(mut position) = random_position(&mut random) else { continue };
        let Some(Some(plies)) = shortest(&mut position) else { continue };
        let Some(expected) = counted(&mut position, plies) else { continue };
        seen += 1;
        shorter += usize::from(expected < plies);
        // Half of the positions are searched with the results of others in the table.
        if random.random_bool(0.5) {
            solver.clear();
        }
        let (_, found) = count(&mut solver, &position);
        let expected = Counted { plies: expected, length: Length::Shortest };
        assert_eq!(found, Some(expected), "{position}: {plies} plies");
    }
}

/// Asserts what the exhaustive search can about the flaws of a main line. Returns the number
/// of other solutions and that of equal defences.
fn assert_flaws(root: &Position, sound: &Soundness) -> (usize, usize) {
    let (mut position, mut others, mut equals) = (root.clone(), 0, 0);
    for (at, &own) in sound.line.iter().enumerate() {
        let rest = (sound.line.len() - at) as u16;
        let mut moves = MoveList::new();
        if at % 2 == 0 {
            position.checks(&mut moves)
        } else {
            position.legal_moves(&mut moves)
        }
        for mv in moves.into_iter().filter(|&mv| mv != own) {
            let is_this = |flaw: &&Flaw| flaw.before == sound.line[..at] && flaw.mv == mv;
            let flaw = sound.flaws.iter().find(is_this);
            let place = format!("{root} {at} {mv} {flaw:?}");
            let before = position.clone();
            position.do_move(mv);
            let budget = &mut 1_000_000;
            if at % 2 == 0 {
                let mated = |position: &mut Position, plies| is_counted_within(position, plies, &mut 1_000_000);
                let kind = flaw.map(|flaw| flaw.kind);
                if let Some(shorter) = rest.checked_sub(3).map(|plies| mated(&mut position, plies)) {
                    assert!(shorter.is_none() || shorter == Some(kind == Some(FlawKind::Shorter)), "{place}");
                }
                assert!(flaw.is_some() || mated(&mut position, 4) != Some(true), "{place}");
                if let Some(mate) = flaw.and_then(|flaw| flaw.mate).filter(|mate| mate.plies <= 5) {
                    assert_ne!(mated(&mut position, mate.plies - 1), Some(false), "{place}");
                    others += 1;
                }
            } else if flaw.is_some_and(|flaw| flaw.kind == FlawKind::EqualDefence) {
                let shorter = rest.checked_sub(3).and_then(|plies| counts_within(&mut position, plies, budget));
                let useless = mv.is_drop() && is_handed_back(&before, mv, rest, budget) == Some(true);
                assert!(shorter != Some(true) && !useless, "{place}");
                assert_ne!(counts_within(&mut position, rest - 1, budget), Some(false), "{place}");
                equals += 1;
            }
            position.undo_move();
        }
        position.do_move(own);
    }
    (others, equals)
}

#[test]
fn flaws_agree_with_exhaustive_search() {
    if !has_slow_rows() {
        return;
    }
    let mut solver = Solver::new(16).expect("memory");
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let (mut others, mut equals, mut judgements) = (0, 0, [0; 3]);
    let table = include_str!("../../tests/data/counted.tsv");
    for row in table.lines().skip(1).step_by(4) {
        let setup: Setup = row.split('\t').next().and_then(|sfen| sfen.parse().ok()).expect("an SFEN");
        let position = Position::from_setup(&setup).expect("playable");
        solver.clear();
        let sound = solver.examine(&position, &[], &limits, &AtomicBool::new(false), &mut |_| {}).expect("a mate");
        judgements[sound.judgement() as usize] += 1;
        if sound.line.len() == usize::from(sound.counted.plies) && sound.line.len() <= 5 {
            let found = assert_flaws(&position, &sound);
            (others, equals) = (others + found.0, equals + found.1);
        }
    }
    assert!(others > 10 && equals > 2 && judgements[0] > 0 && judgements[1] > 3, "{others} {equals} {judgements:?}");
}

#[test]
fn a_given_solution_is_judged() {
    let judge = |sfen: &str, given: &str| {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        let given: Vec<Move> = given.split(' ').map(|mv| mv.parse().expect("a move")).collect();
        let (limits, stop) = (Limits { nodes: Some(100_000), ..Limits::default() }, AtomicBool::new(false));
        let sound = Solver::new(16).expect("memory").examine(&position, &given, &limits, &stop, &mut |_| {});
        let sound = sound.expect("a mate");
        let flaws = sound.flaws.iter().map(|flaw| format!("{} {:?}", flaw.mv, flaw.kind)).collect::<Vec<_>>();
        (sound.origin, sound.judgement(), flaws)
    };
    // The other king's move lasts as long.
    let easy = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS2r2b3g3s2n3l17p 1";
    let equal = vec!["2b3a EqualDefence".to_owned()];
    assert_eq!(judge(easy, "S*2c 2b1c G*1d"), (Origin::Given, Judgement::Flawed, equal));
    // The solution may end before useless interpositions; no other defence lasts.
    let (origin, judgement, flaws) = judge("8k/6S2/7G1/9/9/9/9/9/4R4 b r2b3g3s4n4l18p 1", "5i1i");
    assert_eq!((origin, judgement), (Origin::Given, Judgement::Sound), "{flaws:?}");
    assert!(flaws.iter().all(|flaw| flaw.ends_with("LastMove")), "{flaws:?}");
    // Longer than necessary: another bishop's drop mates at once.
    let (origin, judgement, flaws) = judge("3nkl3/9/4G4/9/9/9/9/9/4K4 b B 1", "B*3c 4a4b 3c4b+");
    assert_eq!((origin, judgement), (Origin::Given, Judgement::Flawed), "{flaws:?}");
    assert!(flaws.iter().any(|flaw| flaw.ends_with("Shorter")), "{flaws:?}");
}

#[test]
fn the_table_of_counts_agrees_with_exhaustive_search() {
    if !has_slow_rows() {
        return;
    }
    let table = include_str!("../../tests/data/counted.tsv");
    let mut seen = 0;
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let setup: Setup = columns[0].parse().expect("an SFEN");
        let mut position = Position::from_setup(&setup).expect("playable");
        let Some(found) = counted(&mut position, columns[1].parse().expect("plies")) else { continue };
        assert_eq!(found.to_string(), columns[2], "{row}");
        seen += 1;
    }
    assert!(seen >= 60, "only {seen} rows within the budget");
}

/// Returns true if a legal check mates, by trying each.
fn mates_at_once(position: &mut Position) -> bool {
    mates_within(position, 1, &mut { u64::MAX }) == Some(true)
}

#[test]
fn mate_in_one_is_exact() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    // With a mate, by a drop, by a move, without a mate.
    let mut seen = [0; 4];
    let mut positions = 0;
    while positions < wanted().max(60) * 40 {
        let Some(mut position) = random_position(&mut random) else { continue };
        // Four moves further: ordinary moves reach positions that removals do not.
        for _ in 0..4 {
            positions += 1;
            let expected = mates_at_once(&mut position);
            let found = mate_in_one(&position);
            assert_eq!(found.is_some(), expected, "{position}: {found:?}");
            if let Some(mv) = found {
                assert!(position.is_legal(mv), "{position}: {mv}");
                position.do_move(mv);
                assert!(position.is_mate(), "{position} after {mv}");
                position.undo_move();
                seen[0] += 1;
                seen[if mv.is_drop() { 1 } else { 2 }] += 1;
            } else {
                seen[3] += 1;
            }
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let Some(&mv) = moves.choose(&mut random) else { break };
            position.do_move(mv);
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?}");
}

#[test]
fn rare_mates_in_one_are_found() {
    for (what, sfen, expected) in [
        ("the king's step uncovers the lance", "3lkl3/3p1p3/9/9/4K4/9/9/9/4L4 b - 1", true),
        ("a silver uncovers the rook, or steps up to the king", "3lkl3/3p1p3/4S4/9/4R4/9/9/9/9 b - 1", true),
        ("the king would take the knight that uncovers the rook", "3lkl3/3p1p3/4N4/9/4R4/9/9/9/9 b - 1", false),
        ("a check is answered by mate", "3lkl3/3p1p3/9/9/3rK4/9/9/9/4L4 b - 1", true),
        ("a check cannot be answered by a check", "4k4/4g4/4P4/9/9/9/9/9/r3K3R b G 1", false),
        ("a dropped pawn must not mate", "3lkl3/3p1p3/9/3N5/9/9/9/9/9 b P 1", false),
        ("a pawn's step may", "3lkl3/3p1p3/4P4/3N5/9/9/9/9/9 b - 1", true),
        ("a pawn comes between", "3lkl3/3p1p3/9/9/9/9/9/9/8K b Rp 1", false),
        ("no second pawn comes between on its file", "3lkl3/3p1p3/9/9/9/9/4p4/9/8K b Rp 1", true),
        ("a guard takes", "3lkl3/3g1p3/9/3N5/9/9/9/9/9 b G 1", false),
        ("a pinned guard takes nothing", "3lkl3/3g1p3/9/1B1N5/9/9/9/9/9 b G 1", true),
    ] {
        let setup: Setup = sfen.parse().expect("an SFEN");
        let mut position = Position::from_setup(&setup).expect("playable");
        let by_trying = mates_at_once(&mut position);
        let found = mate_in_one(&position);
        assert_eq!(found.is_some(), by_trying, "{what}: {found:?}");
        assert_eq!(by_trying, expected, "{what}: {found:?}");
    }
}

#[test]
fn limits_and_stops_give_no_wrong_verdict() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(10);
    let mut solver = Solver::new(1).expect("memory");
    let mut verdicts = [0; 3];
    let mut position = Position::startpos();
    for call in 0..wanted().max(60) * 20 {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        match moves.choose(&mut random) {
            Some(&mv) if position.plies_played() < 250 => position.do_move(mv),
            _ => {
                position = Position::startpos();
                continue;
            }
        };
        if random.random_bool(0.02) {
            solver.clear();
        }
        let refinement =
            *[Refinement::None, Refinement::Affordable, Refinement::Shortest].choose(&mut random).expect("not empty");
        let plies = random.random_bool(0.2).then(|| random.random_range(1..20));
        let limits = Limits { nodes: Some(1 << random.random_range(0..13)), plies, refinement, ..Limits::default() };
        let stop = AtomicBool::new(random.random_bool(0.05));
        match solver.solve(&position, &limits, &stop, &mut |_| {}).verdict {
            Verdict::Mate(mate) => {
                assert_mates(&position, &mate);
                assert_eq!(mate.line.len(), usize::from(mate.plies), "{position} {mate:?}");
                verdicts[0] += 1;
            }
            Verdict::NoMate => {
                let horizon = plies.unwrap_or(3).min(3);
                let refuted = mates_within(&mut position, (horizon - 1) | 1, &mut 30_000);
                assert_ne!(refuted, Some(true), "call {call}: a mate in {horizon} is denied at {position}");
                verdicts[1] += 1;
            }
            Verdict::Unknown => verdicts[2] += 1,
        }
    }
    assert!(verdicts.iter().all(|&count| count > 5), "{verdicts:?}");
}

#[test]
fn no_mate_without_a_king_to_mate() {
    let setup: Setup = "9/9/9/9/9/9/9/9/4K4 b 2R2G 1".parse().expect("an SFEN");
    let position = Position::from_setup(&setup).expect("playable");
    assert_eq!(solve(&mut Solver::new(1).expect("memory"), &position, None), Verdict::NoMate);
    assert_eq!(mate_in_one(&position), None);
}

/// Replies to mating first moves, solved on the tables of the search of these: a shorter line than that of
/// the proof, down to one ply, was shortened below nothing.
#[test]
fn replies_are_solved_on_the_tables_of_the_first_moves() {
    let (stop, mut solver) = (AtomicBool::new(false), Solver::new(16).unwrap());
    let limits = Limits { nodes: Some(20_000), refinement: Refinement::None, ..Limits::default() };
    let mut solved = 0;
    for line in
        include_str!("../../tests/data/analyse.tsv").lines().skip(1).step_by(if has_slow_rows() { 1 } else { 6 })
    {
        let sfen = line.split('\t').next().unwrap();
        let position = Position::from_setup(&sfen.parse().unwrap()).unwrap();
        solver.clear();
        for first in solver.first_moves(&position, &limits, &stop, &mut |_| {}) {
            let mut after = position.clone();
            after.do_move(first.mv);
            let mut replies = MoveList::new();
            after.legal_moves(&mut replies);
            for reply in replies.into_iter().filter(|_| first.plies.is_some()) {
                let mut next = after.without_history();
                next.do_move(reply);
                let limits = Limits { refinement: Refinement::Affordable, ..limits.clone() };
                if let Verdict::Mate(mate) = solver.solve(&next, &limits, &stop, &mut |_| {}).verdict {
                    assert_mates(&next, &mate);
                    solved += 1;
                }
            }
        }
    }
    assert!(solved > 20, "{solved}");
}
