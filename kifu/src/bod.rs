//! BOD, boards as text: the diagrams that people paste into mails and forums.
//!
//! The reader takes boards with any marks (`v`, `V`, `^`), with and without ranks
//! and files beside them, promoted pieces in one character or two, hands with any
//! separators, counts in digits or kanji, and lines such as
//! `手数＝171  ▲５三歩成  まで` and `後手番`; headers and comments around them; and moves
//! as well, as in [`kif`](crate::kif). A hand that is not given is empty: the rest of
//! the set is not implied.
//!
//! The writer writes one position, also of even games, without headers.

use enbu_movegen::Setup;

use crate::kakinoki::board_lines;

pub use crate::kif::read;

/// The lines of a position.
///
/// ```
/// use enbu_kifu::{Mode, bod};
/// use enbu_movegen::Setup;
/// let setup: Setup = "4k4/9/4P4/9/9/9/9/9/4K4 w G2p 172".parse()?;
/// let text = bod::write(&setup);
/// assert!(text.starts_with("後手の持駒：歩二　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---"));
/// assert_eq!(*bod::read(&text, Mode::Strict)?.records[0].setup(), setup);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(setup: &Setup) -> String {
    let mut lines = board_lines(setup);
    lines.push(String::new());
    lines.join("\n")
}
