//! PGN of shogi, in the dialects that programs for chess variants write, and PSN: see `psn`.
//!
//! White is the side that moves first: Black of shogi. Files are named a to i from
//! White's left (9 of shogi is a), ranks 1 to 9 from White's side: 7f is c4.
//!
//! The reader takes PGN's import format (any order and spacing, comments in braces
//! and after `;`, `%` lines, nested variations, annotation glyphs and suffixes, move
//! numbers anywhere, several games) and these moves:
//!
//! | dialect | moves |
//! |---|---|
//! | Fairy-Stockfish, pychess | `Pc4` `Bxh8=H` `Pd8=G` `B@f5` `Gde6` `R8e5`; `G` also for promoted pawns to silvers |
//! | cutechess | `Bxh8+` `+Pe8`, drops with `@`, `*` or `'` |
//! | long forms, cshogi | `Pc3-c4` `Pc3c4` `Bb2h8+`; `+K` for the promoted knight |
//! | Hodges, Hosking | `P-7f` `P-76` `Bx22+` `S-72=` `B*45` `P76` |
//! | coordinates | `c3c4` `P@e5` and USI `7g7f` `P*5e` |
//! | with Japanese words | `☗７六歩` `同銀` `☗２二角成`, and of Kitao and Kawasaki `歩-76` `角x22+` `角*45` |
//!
//! Ambiguous moves are decided by legality. A move that cannot be read or made is an
//! error; the rest of its line is skipped, and the next game is read. Tags: `FEN` in
//! every form of [`fen`](crate::fen), `Sfen`, `Variant`, `Termination`, `TimeControl`.
//! A decided result without `Termination` is a resignation when the loser is to
//! move, mate after `#`, else a result with no known end.
//!
//! The writer writes PGN's export format: the seven tags, then `Variant` and, where the
//! game does not begin from the start, `SetUp`, `FEN` and `Sfen`, then the others sorted; moves in
//! the notation of Fairy-Stockfish on lines of less than 80 characters. Data without a place in PGN
//! is written into comments as `[%key value]`: `%eval` `%pv` `%nodes` `%engine` `%emt` `%bookmark`,
//! and in private tags: `End`, `BlackTime`, `WhiteTime`, `MaxMoves`, `EnteringKing`, `Header1`, ...

mod comment;
pub(crate) mod psn;
mod read;
mod san;
mod tags;
mod token;
mod write;

pub use read::read;
pub(crate) use san::square;
pub use write::{write, write_all};
