//! Arrows and marks on diagrams.

use enbu_movegen::{PieceType, Square};

use crate::pgn::square;
use crate::record::Record;

/// An arrow or mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub(super) color: &'static str,
    pub(super) place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Arrow(Square, Square),
    /// A piece of the side to move in a ring.
    Drop(PieceType, Square),
    Ring(Square),
    Frame(Square),
}

impl Mark {
    /// The mark that a text describes: `7g7f` an arrow, `P*5e` a drop, `5e` a circle, `[5e]` a frame, after
    /// `G`, `R`, `Y` or `B` for green (also without a letter), red, yellow or blue. Squares may be those of
    /// chess (`c3c4`), and drops have a second form in studies of lishogi (`_P5e`).
    ///
    /// ```
    /// use enbu_kifu::svg::Mark;
    /// assert!(["7g7f", "R8h2b+", "P*5e", "B_S5e", "5e", "Y[5e]"].iter().all(|text| Mark::read(text).is_some()));
    /// assert!(["5j", "5e5e", "X5e"].iter().all(|text| Mark::read(text).is_none()));
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        const COLORS: [(char, &str); 4] = [('G', "#15803d"), ('R', "#c1121f"), ('Y', "#b7791f"), ('B', "#1d4ed8")];
        let colored = COLORS.into_iter().find_map(|(letter, color)| Some((color, text.strip_prefix(letter)?)));
        let (color, text) = colored.filter(|(_, rest)| !rest.starts_with('*')).unwrap_or((COLORS[0].1, text));
        let place = match *text.strip_suffix('+').unwrap_or(text).as_bytes() {
            [file, rank] => Place::Ring(square([file, rank])?),
            [b'[', file, rank, b']'] => Place::Frame(square([file, rank])?),
            [piece, b'*' | b'@', file, rank] | [b'_', piece, file, rank] => {
                Place::Drop(PieceType::from_letter(piece.to_ascii_uppercase().into())?, square([file, rank])?)
            }
            [file, rank, to_file, to_rank] => Place::Arrow(square([file, rank])?, square([to_file, to_rank])?),
            _ => return None,
        };
        (!matches!(place, Place::Arrow(from, to) if from == to)).then_some(Self { color, place })
    }
}

/// The arrows (`[%cal G7g7f,R_B5e]`) and circles (`[%csl Y5e]`) in the comments on the position after this number of
/// moves of the main line, as lishogi and programs for chess write them in all formats; others stay text.
pub(super) fn of_comments(record: &Record, plies: usize) -> Vec<Mark> {
    let played = record.main_line().filter(|&id| record.node(id).event().played().is_some());
    let node = std::iter::once(record.root()).chain(played).nth(plies);
    let lines = node.into_iter().flat_map(|id| record.node(id).remarks().lines());
    let commands = lines.flat_map(|line| line.split("[%").skip(1)).filter_map(|command| command.split_once(']'));
    let lists = commands.filter_map(|(command, _)| command.strip_prefix("cal ").or(command.strip_prefix("csl ")));
    lists.flat_map(|list| list.split(',')).filter_map(|item| Mark::read(item.trim())).collect()
}
