//! Mate in one move, and a df-pn solver for mates of any length.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use enbu_mate::{Limits, Refinement, Solver, Verdict, mate_in_one};
//! use enbu_movegen::{Position, Setup};
//!
//! let setup: Setup = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1".parse()?;
//! let position = Position::from_setup(&setup)?;
//! assert_eq!(mate_in_one(&position), None);
//! let mut solver = Solver::new(16)?; // once; use it for every move of a game
//! let limits = Limits { nodes: Some(10_000), refinement: Refinement::None, ..Limits::default() };
//! let solution = solver.solve(&position, &limits, &AtomicBool::new(false), &mut |_| {});
//! assert!(matches!(solution.verdict, Verdict::Mate(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`mate_in_one`] is exact and cheap enough for every node of a search: without a mate it returns
//! after some dozens of nanoseconds. [`Solver`] proves a mate by consecutive checks, refined to the
//! shortest within a budget, or disproves it; bounded by [`Limits::nodes`] it returns within a
//! predictable time. Its table survives the call, so a repeated search is cheap.
//!
//! Neither needs a king of the attacker, and both apply the rules of a game: an attacker in check
//! must answer it, uchifuzume is no mate, and repetition is never in favour of the side that checks.
//!
//! # Map
//! | module | contents |
//! |---|---|
//! | `one` | mate in one, on bitboards |
//! | `solver` `overseer` `line` | the public solver; its limits and reports; the line of a proven mate |
//! | `count` | the count of plies without useless interpositions |
//! | `sound` | other solutions of a problem |
//! | `dfpn` `expand` `child` `value` | the search, new nodes, a node's moves and values |
//! | `cycles` | the path, and results valid only on some paths |
//! | `table` `hands` | the transposition table; proof and disproof hands |
//! | `plies` | lengths of mates |
//!
//! # Glossary
//! - **attacker**, **defender**: the side that mates, the side that is mated.
//! - **proof number**, **disproof number**: the least number of open leaves that must be
//!   proven to prove a mate, or disproven to disprove it.
//! - **proof hand**, **disproof hand**: the smallest and the largest hand of the attacker
//!   for which a mate, or a disproof, holds.
//! - **interposition**: a move that puts a piece between a checking slider and the king.

mod child;
mod count;
mod cycles;
mod dfpn;
mod expand;
mod hands;
mod line;
mod one;
mod overseer;
mod plies;
mod solver;
mod sound;
mod table;
mod value;

pub use line::after_checks;
pub use one::mate_in_one;
pub use overseer::{Limits, Mate, Progress, Refinement};
pub use plies::Length;
pub use solver::{Counted, FirstMove, OutOfMemory, Solution, Solver, Verdict};
pub use sound::{Flaw, FlawKind, Judgement, Origin, Soundness};
