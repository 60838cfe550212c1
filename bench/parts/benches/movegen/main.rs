//! Speed of the parts of move generation: `cargo bench --bench movegen [NAME]` in `bench/parts`.
//!
//! Perft measures the sum, these benches its parts. Each measurement is per element:
//! per move or per square, where a benchmark processes several.
//! Compare two builds with `--save-baseline` and `--baseline`, on an idle machine.

mod positions;

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use enbu_isa::multiversion;
use enbu_movegen::{Bitboard, Color, Move, MoveList, Position, Scope, Square, sliders};

use positions::Named;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    sliding_attacks(&mut criterion);
    generation(&mut criterion);
    uchifuzume(&mut criterion);
    questions(&mut criterion);
    table_moves(&mut criterion);
    making_moves(&mut criterion);
    criterion.final_summary();
}

/// Every square of the board, with the occupancy of a game.
fn sliding_attacks(criterion: &mut Criterion) {
    multiversion! { fn lances(occupied: Bitboard) -> Bitboard = all_lances; }
    multiversion! { fn bishops(occupied: Bitboard) -> Bitboard = all_bishops; }
    multiversion! { fn rooks(occupied: Bitboard) -> Bitboard = all_rooks; }
    let mut group = criterion.benchmark_group("sliding attacks");
    group.throughput(Throughput::Elements(Square::ALL.len() as u64));
    for Named { name, position } in &positions::quiet() {
        let occupied = position.occupied();
        for (piece, attacks) in [("lance", lances as fn(Bitboard) -> Bitboard), ("bishop", bishops), ("rook", rooks)] {
            group.bench_function(BenchmarkId::new(piece, name), |bencher| {
                bencher.iter(|| attacks(black_box(occupied)));
            });
        }
    }
}

#[inline(always)]
fn all_lances(occupied: Bitboard) -> Bitboard {
    all_squares(|square| sliders::lance(Color::Black, square, occupied))
}

#[inline(always)]
fn all_bishops(occupied: Bitboard) -> Bitboard {
    all_squares(|square| sliders::bishop(square, occupied))
}

#[inline(always)]
fn all_rooks(occupied: Bitboard) -> Bitboard {
    all_squares(|square| sliders::rook(square, occupied))
}

/// Union of `attacks` over all squares. The union keeps every result alive; `black_box`
/// hides each square from the optimiser, as in a search.
#[inline(always)]
fn all_squares(attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    Square::ALL.into_iter().fold(Bitboard::EMPTY, |union, square| union | attacks(black_box(square)))
}

/// Generation of moves into a list, per move.
fn generation(criterion: &mut Criterion) {
    for (title, positions) in [
        ("moves, no check", positions::quiet()),
        ("moves, in check", positions::in_check()),
        ("moves, drops", positions::drops()),
    ] {
        let mut group = criterion.benchmark_group(title);
        for named in &positions {
            bench_scope(&mut group, named, "all", Scope::All);
            bench_scope(&mut group, named, "captures", Scope::Captures);
            bench_scope(&mut group, named, "quiets", Scope::Quiets);
        }
    }
}

/// Measures one scope; a scope without moves counts as one element.
fn bench_scope(group: &mut BenchmarkGroup<'_, WallTime>, named: &Named, scope_name: &str, scope: Scope) {
    let mut list = MoveList::new();
    named.position.moves_in(scope, &mut list);
    group.throughput(Throughput::Elements(list.len().max(1) as u64));
    group.bench_function(BenchmarkId::new(scope_name, named.name), |bencher| {
        bencher.iter(|| {
            list.clear();
            black_box(&named.position).moves_in(scope, &mut list);
            black_box(&list).len()
        });
    });
}

/// Legality test of a pawn drop that gives check, uchifuzume included.
fn uchifuzume(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("uchifuzume");
    for case in positions::pawn_drops() {
        group.bench_function(case.name, |bencher| {
            bencher.iter(|| black_box(&case.position).is_legal(black_box(case.drop)));
        });
    }
}

/// Queries about legal moves before they are made.
fn questions(criterion: &mut Criterion) {
    for (title, ask) in [
        ("gives_check", (|position, mv| u64::from(position.gives_check(mv))) as fn(&Position, Move) -> u64),
        ("key_after", Position::key_after),
    ] {
        let mut group = criterion.benchmark_group(title);
        for Named { name, position } in positions::quiet().iter().chain(&positions::in_check()) {
            let moves = positions::legal_moves(position);
            bench_moves(&mut group, name, &moves, |mv| ask(position, mv));
        }
    }
}

/// Legality of hash moves: mostly this position's own, occasionally another's.
fn table_moves(criterion: &mut Criterion) {
    let (quiet, in_check) = (positions::quiet(), positions::in_check());
    let all: Vec<&Named> = quiet.iter().chain(&in_check).collect();
    let mut group = criterion.benchmark_group("is_legal");
    for (number, Named { name, position }) in all.iter().enumerate() {
        let own = positions::legal_moves(position);
        let other = positions::legal_moves(&all[(number + 1) % all.len()].position);
        for (whose, moves) in [("own", &own), ("another's", &other)] {
            let id = format!("{whose}/{name}");
            bench_moves(&mut group, &id, moves, |mv| u64::from(position.is_legal(mv)));
        }
    }
}

/// Measures one query over all `moves`, per move.
fn bench_moves(group: &mut BenchmarkGroup<'_, WallTime>, id: &str, moves: &[Move], ask: impl Fn(Move) -> u64) {
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function(id, |bencher| {
        bencher.iter(|| black_box(moves).iter().fold(0_u64, |sum, &mv| sum.wrapping_add(ask(mv))));
    });
}

/// Do and undo of each legal move: pieces, key, checkers and pins.
fn making_moves(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("do and undo");
    for Named { name, mut position } in positions::quiet().into_iter().chain(positions::in_check()) {
        let moves = positions::legal_moves(&position);
        group.throughput(Throughput::Elements(moves.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for mv in &moves {
                    black_box(position.do_move(mv));
                    position.undo_move();
                }
            });
        });
    }
}
