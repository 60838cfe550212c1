//! USEN, games for addresses of web pages, and positions and games in such addresses.
//!
//! `START~OFFSET.MOVES.END~...`: START is empty for the usual one, else an SFEN without its number
//! in which `_`, `.` and `z` stand for `/`, blanks and `+`. A move is three digits of base 36:
//! `(from * 81 + to) * 2 + promotion`, squares counted along the ranks from 1a, pieces in hand from 90 on. The
//! sections after the first are variations that begin after OFFSET moves of the line before. END is `r` (resignation),
//! `t` (time), `j` (draw), `p` (broken off), `i` and the illegal move, or nothing. (Shogi Playground, tsshogi.)
//!
//! Of other addresses the board is found, wherever it is, with side, hands and `moves`: blanks may be
//! `%20`, `_` or `.`, slashes `%2F` or `_`. The rest of an address is ignored.

use enbu_movegen::{HandPiece, Move, MoveParts, Setup, Square};
use percent_encoding::percent_decode_str;

use crate::board::START;
use crate::end::{End, EndKind};
use crate::error::Problem;
use crate::lines::is_number;
use crate::reading::{Fault, Step};
use crate::record::{Event, Record};
use crate::terms::Naming;
use crate::track::Track;

/// The first piece in hand, as an origin of moves, and all of them.
const FIRST_HELD: usize = 90;
const HELD: [HandPiece; 7] = {
    use HandPiece::*;
    [Gold, Pawn, Lance, Knight, Silver, Bishop, Rook]
};

/// The USEN in a line: its only word, or a part of an address.
pub(crate) fn in_line(line: &str) -> Option<&str> {
    let tilde = line.find('~')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.~-".contains(c);
    let start = line.get(..tilde)?.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    let part = line.get(start..)?;
    let part = part.get(..part.find(|c| !is_part(c)).unwrap_or(part.len()))?;
    let digits = part.get(tilde - start + 1..)?.split_once('.')?.0;
    (is_number(digits) && (start == 0 && part.len() == line.len() || is_address(line))).then_some(part)
}

fn is_address(line: &str) -> bool {
    let scheme = line.split("://").next().unwrap_or_default();
    scheme.len() < line.len() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The line of USI for the position or game in an address, or in an SFEN with `_` or `%20` for
/// its blanks; `None` for other lines.
pub(crate) fn line_of_address(line: &str) -> Option<String> {
    if !(is_address(line) || (line.contains(['_', '%']) && !line.contains(' ') && line.is_ascii())) {
        return None;
    }
    let text = percent_decode_str(line).decode_utf8().unwrap_or(line.into());
    let follows =
        |at| text.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '+'));
    let starts = text.char_indices().filter(|&(at, _)| !follows(at));
    let board = starts.filter_map(|(at, _)| text.get(at..)).find_map(|rest| Some((rest, board_length(rest)?)));
    let separates = |c: char| " _.,&=/?#".contains(c);
    let (start, rest) = match board {
        Some((rest, length)) => {
            let (ranks, rest) = rest.split_at_checked(length)?;
            let rest = rest.trim_start_matches(separates);
            let words = rest.split(separates).take_while(|word| !["moves", "sfen"].contains(word)).take(3);
            let words: Vec<&str> = words.collect();
            (format!("sfen {} {}", ranks.replace('_', "/"), words.join(" ")), rest)
        }
        None if text.contains("startpos") || text.contains("moves=") => ("startpos".to_owned(), text.as_ref()),
        None => return None,
    };
    let moves = rest.split_once("moves").map_or("", |(_, moves)| moves).trim_start_matches(separates);
    let moves = moves.split(separates).take_while(|word| word.parse::<Move>().is_ok()).collect::<Vec<_>>();
    Some(if moves.is_empty() { start } else { format!("{start} moves {}", moves.join(" ")) })
}

/// The length of nine ranks at the start of a text.
fn board_length(text: &str) -> Option<usize> {
    let mut rest = text;
    for rank in 1..=9 {
        let after = rest.trim_start_matches(|c| "123456789+KRBGSNLPkrbgsnlp".contains(c));
        if after.len() == rest.len() {
            return None;
        }
        rest = if rank < 9 { after.strip_prefix(['/', '_'])? } else { after };
    }
    Some(text.len() - rest.len())
}

/// Reads a game up to the first section that cannot be read, with the part that is wrong.
pub(crate) fn read(text: &str) -> (Option<Record>, Step<'_>) {
    let (start, sections) = text.split_once('~').unwrap_or((text, ""));
    let sfen = start.replace('_', "/").replace('.', " ").replace('z', "+");
    let setup = if start.is_empty() { Ok(Setup::startpos()) } else { sfen.trim().parse() };
    let mut track = match setup {
        Ok(setup) => Track::new(&setup),
        Err(error) => return (None, Err(Fault::new(Problem::Sfen(error), start))),
    };
    let outcome = sections.split('~').try_for_each(|section| read_section(section, &mut track));
    let is_lost = outcome.is_err() && track.record.main_line().next().is_none();
    ((!is_lost).then_some(track.record), outcome)
}

fn read_section<'t>(section: &'t str, track: &mut Track<'t>) -> Step<'t> {
    let fault = |problem| Fault::new(problem, section);
    let mut fields = section.split('.');
    let (offset, moves) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    let end = fields.next().unwrap_or_default();
    let before: usize = offset.parse().map_err(|_| fault(Problem::MoveNumber))?;
    if before > track.board.plies_played() {
        return Err(fault(Problem::NoBranchPoint));
    }
    track.back_to(before);
    let (end, foul) = end.split_at_checked(1).unwrap_or_default();
    for digits in [moves, foul].into_iter().flat_map(|moves| moves.as_bytes().chunks(3)) {
        let digits = str::from_utf8(digits).ok().filter(|digits| digits.len() == 3);
        let mv = digits.and_then(move_of).ok_or_else(|| fault(Problem::MoveSyntax))?;
        track.make(mv, section).map_err(fault)?;
    }
    let turn = if foul.is_empty() { track.board.turn() } else { !track.board.turn() };
    if !end.is_empty() {
        let kind = EndKind::named(end, Naming::Usen).ok_or_else(|| fault(Problem::UnknownEnd))?;
        track.end(End::new(kind, turn));
    }
    Ok(())
}

fn move_of(digits: &str) -> Option<Move> {
    let code = usize::from_str_radix(digits, 36).ok()?;
    let (from, to) = (code / 2 / 81, square(code / 2 % 81)?);
    match from.checked_sub(FIRST_HELD).and_then(|at| HELD.get(at)) {
        Some(piece) if code.is_multiple_of(2) => Some(Move::drop(*piece, to)),
        Some(_) => None,
        None if code.is_multiple_of(2) => Some(Move::board(square(from)?, to)),
        None => Some(Move::promotion(square(from)?, to)),
    }
}

fn square(index: usize) -> Option<Square> {
    Square::new(u8::try_from(index % 9 + 1).ok()?, u8::try_from(index / 9 + 1).ok()?)
}

fn push_move(text: &mut String, mv: Move) {
    let index = |square: Square| usize::from(square.rank() - 1) * 9 + usize::from(square.file() - 1);
    let from = match mv.parts() {
        MoveParts::Board { from, .. } => index(from),
        MoveParts::Drop { piece, .. } => FIRST_HELD + HELD.iter().position(|&known| known == piece).unwrap_or(0),
    };
    let code = (from * 81 + index(mv.to())) * 2 + usize::from(mv.is_promotion());
    let digit = |value: usize| char::from_digit(u32::try_from(value % 36).unwrap_or(0), 36).unwrap_or('0');
    text.extend([digit(code / 36 / 36), digit(code / 36), digit(code)]);
}

/// Writes a record with its variations, without a line end.
pub(crate) fn write(record: &Record) -> String {
    let setup = record.setup();
    let mut text = String::new();
    if (Setup { ply: 1, ..setup.clone() }) != START {
        let sfen = setup.to_string();
        let sfen = sfen.rsplit_once(' ').map_or(sfen.as_str(), |(sfen, _)| sfen);
        text = sfen.replace('/', "_").replace(' ', ".").replace('+', "z");
    }
    let mut lines = record.lines();
    if lines.is_empty() {
        lines.push((0, Vec::new()));
    }
    for (before, line) in lines {
        text.push_str(&format!("~{before}."));
        let mut end = "";
        for id in line {
            match record.node(id).event() {
                Event::Start => {}
                Event::Move(mv) | Event::Foul(mv) => push_move(&mut text, *mv),
                Event::End(known) => end = known.kind.name(Naming::Usen).unwrap_or_default(),
            }
        }
        text.push('.');
        text.push_str(end);
    }
    text
}
