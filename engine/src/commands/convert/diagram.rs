//! Options of diagrams, and the positions of a game that are written.

use std::iter::StepBy;
use std::ops::Range;

use clap::Args;
use enbu_kifu::svg::{Letters, Mark, Style};
use enbu_language::{pick, text};
use enbu_movegen::Color;

use crate::commands::choices::{Choice, one_of};

#[derive(Args, Clone)]
#[command(next_help_heading = "Diagrams")]
pub(super) struct DiagramArgs {
    /// White at the bottom ‖ 後手を手前にする
    #[arg(long)]
    flip: bool,
    /// Letters of pieces, ranks and moves ‖ 駒・段・指し手の文字
    #[arg(long, value_name = "LETTERS", default_value = "japanese", value_parser = one_of(LETTERS))]
    letters: Letters,
    /// Text above the board; {ply}, {move}, {event}, {black} and {white} are replaced; default: the event and the last move ‖ 盤の上の文字。{ply}、{move}、{event}、{black}、{white} は置き換わる。省略時は棋戦と最終手
    #[arg(long, value_name = "TEXT")]
    caption: Option<String>,
    /// Arrows (`7g7f`, `P*5e`), circles (`5e`) and frames (`[5e]`), divided by commas; G, R, Y or B before one is its colour ‖ 矢印（`7g7f`、`P*5e`）、丸（`5e`）、枠（`[5e]`）。コンマで区切り、前に G、R、Y、B を付けるとその色
    #[arg(long, value_name = "MARKS", value_delimiter = ',', value_parser = mark)]
    mark: Vec<Mark>,
}

const LETTERS: &[Choice<Letters>] = &[
    ("japanese", "one character a piece, ranks in kanji ‖ 一文字の駒名、段は漢数字", Letters::Japanese),
    ("western", "P, +S, +R, ranks in digits ‖ P、+S、+R など、段も算用数字", Letters::Western),
];

fn mark(text: &str) -> Result<Mark, &'static str> {
    let english = "not an arrow (7g7f), circle (5e) or frame ([5e])";
    Mark::read(text).ok_or(pick(english, "矢印（7g7f）、丸（5e）、枠（[5e]）ではありません"))
}

impl DiagramArgs {
    pub(super) fn style(&self) -> Style {
        let bottom = if self.flip { Color::White } else { Color::Black };
        Style { bottom, letters: self.letters, caption: self.caption.clone(), marks: self.mark.clone() }
    }
}

/// Numbers of moves after which positions are written: `20`, `10-20`, `30-`, `all`, `all/10`.
#[derive(Clone, Copy)]
pub(super) struct Plies {
    first: usize,
    /// `None` is the end of the game.
    last: Option<usize>,
    step: usize,
}

impl Plies {
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let (range, step) = text.split_once('/').unwrap_or((text, "1"));
        let (first, last) = if range == "all" { ("0", "") } else { range.split_once('-').unwrap_or((range, range)) };
        let last = if last.is_empty() { Ok(None) } else { last.parse().map(Some) };
        match (first.parse(), last, step.parse()) {
            (Ok(first), Ok(last), Ok(step)) if step > 0 && last.is_none_or(|last| first <= last) => {
                Ok(Self { first, last, step })
            }
            _ => Err(pick(
                "not a number of moves, a range (10-20, 30-, all) or some of one (all/10)",
                "手数でも、手数の範囲（10-20、30-、all）でも、その何手ごと（all/10）でもありません",
            )),
        }
    }

    pub(super) fn are_several(self) -> bool {
        self.last != Some(self.first)
    }

    /// The positions of a game of so many moves.
    ///
    /// # Errors
    /// When one is after its end, or the game is too long.
    pub(super) fn of(self, moves: usize) -> Result<StepBy<Range<usize>>, String> {
        const MOST: usize = 2000;
        let (ply, end) = (self.last.unwrap_or(self.first), self.last.unwrap_or(moves).saturating_add(1));
        let plies = (self.first..end).step_by(self.step);
        match plies.len() {
            _ if ply > moves => {
                let text = text!("--ply {ply}: the game has {moves} moves", "--ply {ply}：棋譜は {moves} 手です");
                Err(text.to_string())
            }
            count if count > MOST => {
                let text = text!(
                    "--ply: {count} positions of one game, more than {MOST}",
                    "--ply：1局で {count} 局面です（{MOST} まで）"
                );
                Err(text.to_string())
            }
            _ => Ok(plies),
        }
    }
}
