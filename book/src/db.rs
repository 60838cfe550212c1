//! YaneuraOu's text format, `.db`.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 30 12 150
//! 2g2f none 25 12 90
//! ```
//!
//! The numbers after a move and its reply are value, depth and count.
//!
//! The reader accepts a byte order mark, CRLF, blank lines, a missing header, missing
//! numbers (also `none` or nothing between two blanks, as ShogiHome writes them), hands in
//! any order, a missing ply, and comments: lines that begin with `#` or `//` and text after
//! the last number. A comment belongs to the move or position before it, one before the
//! first position to the preface. Lines whose move is `none`, `resign`
//! or `win` have no move and are left out.
//!
//! The writer emits the header, the preface, and then the positions in the order of the
//! bytes of their lines, which is that of `PositionKey`: canonical hands (R B G S N L P,
//! Black's first), the ply where there is one. Moves keep the order of the page
//! (`Page::sort` gives that of YaneuraOu); numbers follow up to the last one that there
//! is, `none` for one that is missing before it. Comments are lines with `#` after their
//! position or move. Positions without moves are left out. Lines end with LF.

mod load;
mod read;
mod search;
mod write;

pub(crate) use load::Loaded;
pub(crate) use read::Reader;
pub(crate) use search::Searched;
pub(crate) use write::write;

/// The first line of a file.
pub(crate) const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// The bytes before the SFEN of a position.
pub(crate) const SFEN: &[u8] = b"sfen ";

#[cfg(test)]
mod tests;
