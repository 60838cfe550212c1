//! Between the protocol and the search: requests as limits, reports and answers as replies.
//!
//! | module | contents |
//! |---|---|
//! | this | `go` and its clock; reports and answers of the search |
//! | `mate` | `go mate` |

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod mate;

use std::time::Duration;

use enbu_movegen::Color;
use enbu_search::{Limits, Lines, Progress, Report};
use enbu_usi::{BestMove, Bound, GoRequest, Info, LineEnd, Score};

pub use mate::{MateRequest, MateSolver};

/// The limits of a request for the side to move.
pub fn limits(request: &GoRequest, side: Color) -> Limits {
    // `rtime N` asks for a time between N and 3 N; its middle keeps searches repeatable.
    let movetime_ms = request.movetime_ms.or(request.random_time_ms.map(|ms| ms.saturating_mul(2)));
    Limits {
        clock: (!request.clock.is_empty() && !request.infinite).then(|| clock(&request.clock, side)),
        movetime: movetime_ms.map(Duration::from_millis),
        depth: request.depth,
        nodes: request.nodes,
        soft_nodes: None,
        ponder: request.ponder,
        root_moves: request.searchmoves.clone(),
    }
}

/// The clock of a side; missing values count as zero.
pub fn clock(clock: &enbu_usi::Clock, side: Color) -> enbu_search::Clock {
    // Beyond a hundred years nothing changes, and sums cannot overflow.
    let time = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or(0).min(100 * 366 * 86_400_000));
    enbu_search::Clock {
        time: time(clock.time_ms(side)),
        byoyomi: time(clock.byoyomi_ms),
        increment: time(clock.increment_ms(side)),
    }
}

/// The search options for a request. Analysis is reported without delay and never goes
/// silent; in games reports keep the interval, and no heartbeat comes between the last
/// one and the answer.
pub fn for_request(options: enbu_search::Options, request: &GoRequest) -> enbu_search::Options {
    let analyses = !request.ponder && (request.runs_until_stop() || options.lines == Lines::Continued);
    if !analyses {
        return options;
    }
    enbu_search::Options { report_interval: Duration::ZERO, heartbeat: Some(HEARTBEAT), ..options }
}

/// Time without a report after which an analysis reports its counters.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The fields of an `info` that count.
pub fn counters(progress: &Progress) -> Info {
    let time_ms = u64::try_from(progress.elapsed.as_millis()).unwrap_or(u64::MAX);
    Info::counters(progress.nodes, time_ms, progress.hashfull)
}

/// A report of the search.
pub fn report(report: &Report) -> Info {
    Info {
        depth: Some(report.depth),
        seldepth: Some(report.selective_depth),
        multipv: u32::try_from(report.multi_pv).ok(),
        score: Some(match report.score {
            enbu_search::Score::Cp(value) => Score::Cp(value),
            enbu_search::Score::MateIn(plies) => Score::MateIn(plies.into()),
            enbu_search::Score::MatedIn(plies) => Score::MatedIn(plies.into()),
        }),
        bound: match report.bound {
            enbu_search::Bound::Exact => Bound::Exact,
            enbu_search::Bound::Lower => Bound::Lower,
            enbu_search::Bound::Upper => Bound::Upper,
        },
        pv: report.pv.clone(),
        pv_end: report.end.map(|end| match end {
            enbu_search::LineEnd::Win => LineEnd::Win,
            enbu_search::LineEnd::Resign => LineEnd::Resign,
            enbu_search::LineEnd::Repetition(cycle) => LineEnd::Repetition(cycle),
        }),
        ..counters(&report.progress)
    }
}

/// The report without the word after a line of moves, which some clients do not know.
pub fn moves_only(info: Info) -> Info {
    Info { pv_end: info.pv_end.filter(|_| info.pv.is_empty()), ..info }
}

/// The answer of a search.
pub const fn answer(best: enbu_search::BestMove) -> BestMove {
    match best {
        enbu_search::BestMove::Play { best, ponder } => BestMove::Play { best, ponder },
        enbu_search::BestMove::Win => BestMove::Win,
        enbu_search::BestMove::Resign => BestMove::Resign,
    }
}
