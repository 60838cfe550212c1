//! KI2, the format of books and magazines: moves without origins, several a line.
//!
//! Moves are distinguished by the words of the Japan Shogi Association (右 左 直 上
//! 寄 引 打 成 不成). The reader filters the pieces that could come by each
//! word, prefers the board to the hand, takes superfluous and loose words (直 for
//! 上), the older 行, 入 and 生, any mark (`▲△▼▽☗☖`, also one that contradicts the
//! turn) and any layout. Without a word it takes the only move that is legal; where
//! several are, the move is an error that names their origins. All else is as
//! in [`kif`](crate::kif), whose moves it reads as well.
//!
//! The writer writes six moves a line, the words by the association's rules, and
//! the `まで` line. KI2 has no times. Variations are written as in KIF. No line declares
//! the encoding: common readers refuse a file that begins with one.

//!
//! ```
//! use enbu_kifu::{Mode, ki2};
//! let reading = ki2::read("▲７六歩 △３四歩 ▲２二角成 △同　銀\nまで4手で中断\n", Mode::Strict)?;
//! assert_eq!(reading.records[0].moves().last().map(|mv| mv.to_string()).as_deref(), Some("3a2b"));
//! # Ok::<(), enbu_kifu::KifuError>(())
//! ```

use enbu_movegen::{Move, Square};

use crate::board::Board;
use crate::kakinoki::{moves, words};

pub use crate::kif::read;

/// The text of `mv` on `board` with the mark of its side, such as `▲７六歩` or `△同　銀`;
/// `last` is the destination of the move before.
///
/// ```
/// use enbu_kifu::{Board, ki2};
/// use enbu_movegen::Setup;
/// assert_eq!(ki2::move_text(&Board::new(&Setup::startpos()), "7g7f".parse()?, None), "▲７六歩");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
pub fn move_text(board: &Board, mv: Move, last: Option<Square>) -> String {
    format!("{}{}", words::mark(board.turn()), moves::with_words(board, mv, last))
}
