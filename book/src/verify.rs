//! Faults of a book against the rules of shogi and of its format.

use std::collections::HashSet;

use enbu_language::{Words, messages};
use enbu_movegen::{IllegalMove, Move, Position, PositionError};

use crate::format::Format;
use crate::key::PositionKey;
use crate::page::Page;

messages! {
/// A fault of a position that can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum Finding {
    /// The position cannot be played.
    Unplayable(error: PositionError) => "{error}", "{error}";
    /// A move is illegal.
    IllegalMove(error: IllegalMove) => "{error}", "{error}";
    IllegalReply(reply: Move, error: IllegalMove) => "reply to {reply}: {error}", "{reply} への応手：{error}";
    RepeatedMove(mv: Move) => "the move {mv} occurs twice", "指し手 {mv} が重複しています";
    NoMoves => "the position has no move", "局面に指し手がありません";
    RepeatedPosition => "the position occurs twice", "局面が重複しています";
    Unsorted => "the position is out of order", "局面の順番が違います";
}}

impl Finding {
    /// Its kind in a summary.
    pub const fn kind(&self) -> Words {
        match self {
            Self::Unplayable(_) => Words("unplayable positions", "指せない局面"),
            Self::IllegalMove(_) => Words("illegal moves", "反則手"),
            Self::IllegalReply(..) => Words("illegal replies", "反則の応手"),
            Self::RepeatedMove(_) => Words("repeated moves", "重複した指し手"),
            Self::NoMoves => Words("positions without moves", "指し手のない局面"),
            Self::RepeatedPosition => Words("repeated positions", "重複した局面"),
            Self::Unsorted => Words("positions out of order", "順番の違う局面"),
        }
    }
}

/// Checks the pages of a book in the order of the file. Takes up to 32 bytes of memory a
/// position.
#[derive(Debug)]
pub struct Verifier {
    /// The order matters: in the other formats the reader checks it, or there is none.
    is_ordered: bool,
    /// In a `.sbk` the last positions have no moves.
    needs_moves: bool,
    last: Option<(PositionKey, Option<u32>)>,
    seen: HashSet<(u64, Option<u32>)>,
}

impl Verifier {
    /// For a book of this format.
    pub fn new(format: Format) -> Self {
        Self { is_ordered: format == Format::Db, needs_moves: format != Format::Sbk, last: None, seen: HashSet::new() }
    }

    /// The faults of the next page.
    pub fn check(&mut self, page: &Page) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.is_ordered {
            let place = (page.position.clone(), page.ply);
            if self.last.as_ref().is_some_and(|last| *last > place) {
                findings.push(Finding::Unsorted);
            }
            self.last = Some(place);
        }
        if !self.seen.insert((page.position.digest(), page.ply)) {
            findings.push(Finding::RepeatedPosition);
        }
        if page.entries.is_empty() && self.needs_moves {
            findings.push(Finding::NoMoves);
        }
        match Position::from_setup(&page.position.to_setup()) {
            Ok(mut position) => check_moves(page, &mut position, &mut findings),
            Err(error) => findings.push(Finding::Unplayable(error)),
        }
        findings
    }
}

fn check_moves(page: &Page, position: &mut Position, findings: &mut Vec<Finding>) {
    for (at, entry) in page.entries.iter().enumerate() {
        if page.entries.iter().take(at).any(|other| other.mv == entry.mv) {
            findings.push(Finding::RepeatedMove(entry.mv));
        }
        if let Err(illegal) = position.play(entry.mv) {
            findings.push(Finding::IllegalMove(illegal));
            continue;
        }
        if let Some(reply) = entry.ponder {
            match position.play(reply) {
                Ok(_) => drop(position.undo_move()),
                Err(reply) => findings.push(Finding::IllegalReply(entry.mv, reply)),
            }
        }
        position.undo_move();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db;

    #[test]
    fn every_fault_is_found() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
        let text = format!(
            "sfen {start} w - 2\n8c8d\nsfen {start} b - 1\n7g7f 3c3d\n7g7f 7g7f\n7f7e\nsfen {start} b - 1\n\
             sfen {start} b - 3\n2g2f\nsfen 4k4/4R4/9/9/9/9/9/9/4K4 b - 1\n5b5a\n"
        );
        let mut verifier = Verifier::new(Format::Db);
        let pages = db::Reader::new(text.as_bytes()).map(|page| page.expect("a page"));
        let kinds = |page: Page| verifier.check(&page).iter().map(|finding| finding.kind().0).collect();
        let found: Vec<Vec<&str>> = pages.map(kinds).collect();
        let expected: [&[&str]; 5] = [
            &[],
            &["positions out of order", "repeated moves", "illegal replies", "illegal moves"],
            &["repeated positions", "positions without moves"],
            &[],
            &["positions out of order", "unplayable positions"],
        ];
        assert_eq!(found, expected);
    }
}
