//! JKF, records as JSON (JSON Kifu Format).
//!
//! The reader takes normalised files and minimal ones: `to` left out where `same`
//! is true, `color`, `capture`, `promote` and `relative` left out, origins given only by
//! `relative`, names of promoted pieces, presets and boards, hands that list only
//! what is there, drops from 0, 0, null members, members of a wrong type (`"promote":""`, with a warning), members that no schema knows, moves
//! that share an entry with the end, and several documents one after the other or
//! in an array. JSON that is none, or a document without `moves`,
//! is an error. Documents are nested 500 levels deep at most.
//!
//! The writer writes one document a line in normalised form, forks up to a depth of
//! 100; times are whole seconds. Evaluations are comments, as in KIF. Beside the members of the
//! schema a bookmark is `bookmark`, `winner` gives a result that does not follow from
//! the end, and `ply` the number of the first move where it is not 1.

mod document;
mod read;
mod repair;
mod write;

pub use read::read;
pub use write::write_all;

/// Levels of JSON that a document may have.
const MAX_DEPTH: usize = 500;

/// Levels of forks that are written; each takes four levels of JSON.
const MAX_FORKS: usize = 100;
