//! Mates: in one move, and of any length.
//!
//! [`mate_in_one`] is exact and cheap enough for every node of a search. [`Solver`]
//! answers whether the side to move can mate by checking with every move: with a
//! mate, refined to the shortest as far as that is affordable, or with the proof that
//! there is none. Neither needs a king of the attacker, and both know what a game
//! knows: an attacker in check must answer it, uchifuzume is no mate, and repetition
//! never helps the side that checks.
//!
//! # In a search
//! Every node not in check may ask [`mate_in_one`]: where there is none, the answer
//! takes some dozens of nanoseconds. At the root (and on the line of best play) a
//! [`Solver`] bounded by [`Limits::nodes`] answers within a time that can be reckoned
//! with; it keeps what it has found, so asking again costs little:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use enbu_mate::{Limits, Refinement, Solver, Verdict};
//! use enbu_movegen::{Position, Setup};
//! let setup: Setup = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1".parse()?;
//! let position = Position::from_setup(&setup)?;
//! let mut solver = Solver::new(16)?; // once; it may be used for every move of a game
//! let limits = Limits { nodes: Some(10_000), refinement: Refinement::None, ..Limits::default() };
//! let solution = solver.solve(&position, &limits, &AtomicBool::new(false), &mut |_| {});
//! assert!(matches!(solution.verdict, Verdict::Mate(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! | module | what lives there |
//! |---|---|
//! | `one` | mate in one, on sets of squares |
//! | `solver` `line` | the solver as others see it; the line of a proven mate |
//! | `dfpn` `expand` `child` `value` | the search, new nodes, what is known about a node |
//! | `cycles` | the path, and results that hold only on it |
//! | `table` `hands` | what is remembered, and for how many hands it holds |
//! | `plies` | lengths |
//!
//! # Glossary
//! - **attacker**, **defender**: the side that mates, the side that is mated.
//! - **proof number**, **disproof number**: how many positions at least must still be
//!   settled to prove a mate, or that there is none.
//! - **proof hand**, **disproof hand**: the least and the most that the attacker may
//!   hold for a result to stay true.
//! - **interposition**: a piece put between a checking lance, bishop or rook and the king.

mod child;
mod cycles;
mod dfpn;
mod expand;
mod hands;
mod line;
mod one;
mod plies;
mod solver;
mod table;
mod value;

pub use one::mate_in_one;
pub use plies::Length;
pub use solver::{FirstMove, Limits, Mate, OutOfMemory, Progress, Refinement, Solution, Solver, Verdict};
