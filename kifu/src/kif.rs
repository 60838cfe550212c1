//! KIF, the format of Kifu for Windows (柿木将棋): one move a line.
//!
//! The reader accepts these deviations from the format's page:
//!
//! * any order and wording of headers, with colons of either width; comments
//!   (`*`) and bookmarks (`&`) anywhere; program comments (`#`); evaluations in
//!   comments in the dialects of [`ScoreStyle`](crate::ScoreStyle);
//! * every name of a handicap that is in use; boards (BOD) with any marks and
//!   edges, with hands above or below them; disputed names such as `三枚落ち` in the
//!   reading that the moves prove;
//! * move numbers with a dot; squares in half-width, full-width or kanji digits; `同` with and without
//!   blanks; marks before a move; `不成` and `生`; `打(00)`; origins left out;
//!   old and new names of promoted pieces; times in every form; no times;
//! * words for ends that no list knows, kept as text; ends given only by the `まで` line,
//!   with the number of moves in digits or kanji;
//! * variations (`変化：9手`), attached to the latest line that has something there;
//! * several games in one file.
//!
//! A move that cannot be made ends its line with an error; the moves before it and
//! the variations after it are kept. A foul is made and marked.
//!
//! The writer writes the columns of Kifu for Windows: a line
//! `#KIF version=2.0 encoding=UTF-8`, the handicap by name or the board, headers, moves
//! with times where they are known, the word for the end with its comments and the `まで` line,
//! then the variations from the last one back to the first. Times are whole
//! seconds. Handicaps of three, five and seven pieces, which programs dispute or do not
//! know by name, are written as boards.

pub use crate::kakinoki::read;
