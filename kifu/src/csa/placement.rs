//! The statements that begin with `P`: pieces go from the box onto the board or
//! into a hand.

#![expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]

use std::borrow::Cow;

use super::*;
use crate::board::START;
use crate::csa::statement::{piece_of, square_and_kind};
use crate::reading::{Fault, Reporter, Step};

/// The start position while it is being read.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    setup: Cow<'static, Setup>,
    /// Pieces still in the box, by unpromoted kind.
    boxed: [u8; PieceType::COUNT],
    stated: Option<Form>,
    /// True if the rest of the box was given to a hand.
    rest_given: bool,
}

/// Form of the position statements so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Initial,
    Ranks,
    Pieces,
}

impl Default for Placement {
    fn default() -> Self {
        let mut boxed = [0; PieceType::COUNT];
        for piece in HandPiece::ALL {
            boxed[piece.piece_type()] = piece.set_count();
        }
        boxed[PieceType::King] = 2;
        Self { setup: Cow::Borrowed(const { &Setup::empty() }), boxed, stated: None, rest_given: false }
    }
}

impl Placement {
    /// Returns true if any position was given.
    pub(super) fn is_stated(&self) -> bool {
        self.stated.is_some()
    }

    pub(super) fn setup(&self, turn: Color) -> Cow<'static, Setup> {
        let mut setup = self.setup.clone();
        if setup.turn != turn {
            setup.to_mut().turn = turn;
        }
        setup
    }

    /// Reads one statement; an error leaves the position in doubt.
    pub(super) fn read<'t>(&mut self, statement: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        let untrimmed = statement;
        let statement = statement.trim_end();
        match statement.as_bytes().get(1) {
            Some(b'I') => self.read_initial(statement, report),
            Some(&digit @ b'1'..=b'9') => self.read_rank(digit - b'0', untrimmed, report),
            Some(&sign) if let Some(color) = color_of_sign(sign) => self.read_pieces(color, statement, report),
            _ => report.warn(Fault::new(Problem::UnknownStatement, statement)),
        }
    }

    /// Notes the form of a statement; `PI` and ranks exclude each other, and
    /// the later one wins.
    fn state<'t>(&mut self, form: Form, statement: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        if self.rest_given && form != Form::Pieces {
            return Err(Fault::new(Problem::AfterAllPieces, statement));
        }
        let excludes = |stated| form == Form::Initial || (form == Form::Ranks && stated == Form::Initial);
        if self.stated.is_some_and(excludes) {
            report.warn(Fault::out_of_place("second start position", "2 つ目の開始局面", statement))?;
            *self = Self::default();
        }
        if self.stated.is_none() || form != Form::Pieces {
            self.stated = Some(form);
        }
        Ok(())
    }

    /// `PI`, and the pieces that are taken away from it.
    fn read_initial<'t>(&mut self, statement: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        self.state(Form::Initial, statement, report)?;
        self.setup = Cow::Borrowed(&START);
        self.boxed = [0; PieceType::COUNT];
        for token in tokens(statement) {
            let (square, kind) = square_and_kind(token)?;
            let square = square.ok_or_else(|| Fault::new(Problem::UnknownSquare, token))?;
            match self.setup.to_mut().board[square].take() {
                Some(piece) if piece.kind == kind => self.boxed[kind] += 1,
                _ => return Err(Fault::new(Problem::PieceNotThere, token)),
            }
        }
        Ok(())
    }

    /// `P1` to `P9` and nine cells.
    fn read_rank<'t>(&mut self, rank: u8, statement: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        let (text, statement) = (statement.get(2..).unwrap_or_default(), statement.trim_end());
        self.state(Form::Ranks, statement, report)?;
        let in_columns = cells_in_columns(text);
        let cells = in_columns.or_else(|| cells_by_content(text));
        let cells = cells.ok_or_else(|| Fault::new(Problem::RankCells, statement))?;
        if in_columns.is_none() {
            report.warn(Fault::new(Problem::RankColumns, statement))?;
        }
        for (cell, file) in cells.into_iter().zip((1..=9).rev()) {
            let (Some((color, name)), Some(square)) = (cell, Square::new(file, rank)) else { continue };
            let kind = <[u8; 2]>::try_from(name.as_bytes()).ok().and_then(piece_named);
            let kind = kind.ok_or_else(|| Fault::new(Problem::UnknownPiece, name))?;
            self.put(Piece::new(color, kind), square, name, report)?;
        }
        Ok(())
    }

    /// `P+` or `P-`, then squares and pieces; square `00` is the hand, `00AL` all that is left.
    fn read_pieces<'t>(&mut self, color: Color, statement: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        self.state(Form::Pieces, statement, report)?;
        for token in tokens(statement) {
            if token == "00AL" {
                self.give_rest(color, token, report)?;
                continue;
            }
            let (square, kind) = square_and_kind(token)?;
            if self.rest_given {
                return Err(Fault::new(Problem::AfterAllPieces, token));
            }
            match square {
                Some(square) => self.put(Piece::new(color, kind), square, token, report)?,
                None => self.give(color, kind, token, report)?,
            }
        }
        Ok(())
    }

    fn put<'t>(&mut self, piece: Piece, square: Square, token: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        if let Some(old) = self.setup.to_mut().board[square].replace(piece) {
            let left = &mut self.boxed[old.kind.unpromoted()];
            *left = left.saturating_add(1);
            report.warn(Fault::new(Problem::SquareTaken, token))?;
        }
        self.take_from_box(piece.kind, token, report)
    }

    fn give<'t>(&mut self, color: Color, kind: PieceType, token: &'t str, report: &Reporter<'t>) -> Step<'t> {
        let piece = held(kind).map_err(|problem| Fault::new(problem, piece_of(token)))?;
        let hand = &mut self.setup.to_mut().hands[color];
        let more = hand.with_count(piece, hand.count(piece) + 1);
        *hand = more.ok_or_else(|| Fault::new(Problem::HandOverflow, token))?;
        self.take_from_box(kind, token, report)
    }

    fn take_from_box<'t>(&mut self, kind: PieceType, token: &'t str, report: &Reporter<'t>) -> Step<'t> {
        let left = &mut self.boxed[kind.unpromoted()];
        let Some(rest) = left.checked_sub(1) else { return report.strictly(Fault::new(Problem::MoreThanASet, token)) };
        *left = rest;
        Ok(())
    }

    /// Everything in the box but the kings goes to one hand.
    fn give_rest<'t>(&mut self, color: Color, token: &'t str, report: &mut Reporter<'t>) -> Step<'t> {
        let mut given = false;
        for piece in HandPiece::ALL {
            let count = std::mem::take(&mut self.boxed[piece.piece_type()]);
            given |= count > 0;
            let hand = &mut self.setup.to_mut().hands[color];
            let more = hand.with_count(piece, hand.count(piece).saturating_add(count));
            *hand = more.ok_or_else(|| Fault::new(Problem::HandOverflow, token))?;
        }
        self.rest_given = true;
        if given { Ok(()) } else { report.warn(Fault::new(Problem::NothingLeft, token)) }
    }
}

/// The tokens of four characters after the first two; blanks between them do not matter.
fn tokens(statement: &str) -> impl Iterator<Item = &str> {
    let mut rest = statement.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let start = rest.trim_start();
        let length = start.char_indices().nth(4).map_or(start.len(), |(end, _)| end);
        let (token, tail) = start.split_at_checked(length)?;
        rest = tail;
        (!token.is_empty()).then_some(token)
    })
}

/// A cell of a rank: empty, or a side and the name.
type Cell<'t> = Option<(Color, &'t str)>;

/// Nine cells of three characters; blanks after the last may be missing (the
/// blank that ends ` * `) or too many.
fn cells_in_columns(text: &str) -> Option<[Cell<'_>; 9]> {
    let columns: Vec<(usize, char)> = text.char_indices().take(27).collect();
    let rest = columns.last().and_then(|&(at, last)| text.get(at + last.len_utf8()..))?;
    if columns.len() < 26 || !rest.trim_end().is_empty() {
        return None;
    }
    let mut cells = [None; 9];
    for (cell, chars) in cells.iter_mut().zip(columns.chunks(3)) {
        let (&(start, first), &(last_start, last)) = (chars.first()?, chars.last()?);
        let rest = text.get(start + first.len_utf8()..last_start + last.len_utf8())?;
        match u8::try_from(first).ok().and_then(color_of_sign) {
            Some(color) => *cell = Some((color, rest)),
            None if rest.contains(['+', '-']) => return None,
            None => {}
        }
    }
    Some(cells)
}

/// Nine cells at any columns: a sign with two letters is a piece, any other
/// run of characters an empty square, as is every wide character.
fn cells_by_content(text: &str) -> Option<[Cell<'_>; 9]> {
    let ends = |c: char| !c.is_ascii() || c.is_whitespace() || "+-".contains(c);
    let mut cells = [None; 9];
    let mut slots = cells.iter_mut();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let color = u8::try_from(first).ok().and_then(color_of_sign);
        let length = match color {
            Some(_) => 3,
            None if !first.is_ascii() => first.len_utf8(),
            None => rest.find(ends).unwrap_or(rest.len()),
        };
        let (cell, tail) = rest.split_at_checked(length)?;
        *slots.next()? = color.map(|color| (color, cell.get(1..).unwrap_or_default()));
        rest = tail.trim_start();
    }
    slots.next().is_none().then_some(cells)
}
