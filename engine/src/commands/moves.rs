//! Lines of moves for people: `7g7f 3c3d`, or `▲７六歩 △３四歩` in Japanese.

use enbu_kifu::{Board, ki2};
use enbu_language::Language;
use enbu_movegen::{Move, Setup};

/// The text of moves from a position on, which may end with one that cannot be played.
pub(in crate::commands) fn line(setup: &Setup, moves: &[Move]) -> String {
    let (mut board, mut last) = (Board::new(setup), None);
    let text = |&mv: &Move| match Language::current() {
        Language::English => mv.to_string(),
        Language::Japanese => {
            let text = ki2::move_text(&board, mv, last).replace('\u{3000}', "");
            last = Some(mv.to());
            let _ = board.play(mv);
            text
        }
    };
    moves.iter().map(text).collect::<Vec<_>>().join(" ")
}
