//! The writer.

use enbu_movegen::{Color, Hand, HandPiece, Move, MoveParts, Piece, PieceType, Setup, Square};

use super::MAX_FORKS;
use super::document::{Cell, Clock, Diagram, Document, Entry, Initial, MoveMember, Pairs, Place, Time};
use crate::board::{Board, may_promote};
use crate::end::EndKind;
use crate::kakinoki::moves;
use crate::kakinoki::score::{self, ScoreStyle};
use crate::kakinoki::{Sides, handicap, headers};
use crate::record::{Event, NodeId, Record, TotalTimes};
use crate::{csa, usi};

/// Writes several records, one document a line.
pub fn write_all<'r>(records: impl IntoIterator<Item = &'r Record>, scores: ScoreStyle) -> String {
    let mut text = String::new();
    for record in records {
        // Maps of strings and numbers can always be written.
        text.push_str(&serde_json::to_string(&document(record, scores)).unwrap_or_default());
        text.push('\n');
    }
    text
}

fn document(record: &Record, scores: ScoreStyle) -> Document {
    let setup = record.setup();
    let names = handicap::names_of_setup(setup);
    let sides = if names.is_some() && setup.turn == Color::White { Sides::Handicap } else { Sides::Even };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (key, value) in headers::lines_of(record, sides) {
        match pairs.iter_mut().take(1000).find(|(known, _)| *known == key) {
            Some((_, known)) => {
                known.push('\n');
                known.push_str(&value);
            }
            None => pairs.push((key, value)),
        }
    }
    pairs.extend(names.map(|(name, _)| ("手合割".to_owned(), name.to_owned())));
    let mut writer = Writer { record, scores, board: Board::new(setup), times: record.total_times() };
    let mut start = Entry::default();
    writer.remarks(record.root(), &mut start);
    let mut moves = vec![start];
    moves.append(&mut writer.line(record.children(record.root()).next(), 0));
    // As in KIF: tsshogi refuses the presets of three, five and seven pieces.
    let preset = names.map_or("OTHER", |(_, preset)| preset).into();
    let initial = Initial { preset, data: names.is_none().then(|| diagram(setup)) };
    Document { header: Pairs(pairs), initial, moves }
}

#[expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]
fn diagram(setup: &Setup) -> Diagram {
    let cell = |file, rank| {
        let piece = Square::new(file, rank).and_then(|square| setup.board[square]);
        Some(piece.map_or_else(Cell::default, |piece| Cell {
            color: Some(piece.color as u8),
            kind: Some(csa::piece_name(piece.kind).to_owned()),
        }))
    };
    let board = (1..=9).map(|file| (1..=9).map(|rank| cell(file, rank)).collect()).collect();
    let name = |piece: HandPiece| csa::piece_name(piece.piece_type()).to_owned();
    let hand = |held: Hand| HandPiece::ALL.map(|piece| (name(piece), Some(held.count(piece).into()))).into();
    let hands = setup.hands.into_iter().map(|held| Some(hand(held))).collect();
    Diagram { color: Some(setup.turn as u8), board, hands: Some(hands), ply: (setup.ply > 1).then_some(setup.ply) }
}

struct Writer<'r> {
    record: &'r Record,
    scores: ScoreStyle,
    board: Board,
    times: TotalTimes,
}

impl Writer<'_> {
    /// The entries of the line that begins with `first`, forks and all. The board
    /// is left as it was.
    fn line(&mut self, first: Option<NodeId>, depth: usize) -> Vec<Entry> {
        let before = self.board.plies_played();
        let mut entries = Vec::new();
        let mut at = first;
        while let Some(id) = at {
            let forks = self.forks(id, depth);
            let Some(mut entry) = self.entry(id) else { break };
            entry.forks = forks;
            entries.push(entry);
            at = self.record.children(id).next();
        }
        self.board.rewind(before);
        entries
    }

    /// The lines that replace a node of the line it continues.
    fn forks(&mut self, id: NodeId, depth: usize) -> Option<Vec<Vec<Entry>>> {
        let parent = self.record.node(id).parent()?;
        let mut siblings = self.record.children(parent);
        // The other lines are attached to the first of them.
        if depth >= MAX_FORKS || siblings.next() != Some(id) {
            return None;
        }
        let siblings: Vec<NodeId> = siblings.collect();
        let forks: Vec<_> = siblings.into_iter().map(|sibling| self.line(Some(sibling), depth + 1)).collect();
        (!forks.is_empty()).then_some(forks)
    }

    /// Makes the move of a node and returns its JSON; `None` where it cannot be made.
    fn entry(&mut self, id: NodeId) -> Option<Entry> {
        let node = self.record.node(id);
        let mut entry = Entry::default();
        match node.event() {
            Event::Start => {}
            Event::Move(mv) | Event::Foul(mv) => {
                entry.mv = Some(self.move_member(id, *mv));
                self.board.play(*mv).ok()?;
            }
            Event::End(end) => {
                let after_foul = node.parent().is_some_and(|parent| {
                    matches!(self.record.node(parent).event(), Event::Foul(_)) && end.kind == EndKind::IllegalMove
                });
                let turn = if after_foul { !self.board.turn() } else { self.board.turn() };
                entry.special = Some(csa::end_word(&end.kind));
                if end.result != end.kind.result(turn) {
                    entry.winner = Some(usi::winner_word(end.result).to_owned());
                }
            }
        }
        if let Some(ms) = node.time_ms {
            let (total, seconds) = (self.times.ms(id) / 1000, ms / 1000);
            let hours = Some(seconds / 3600).filter(|&hours| hours > 0);
            let (now, total) = (clock(hours, seconds), clock(Some(total / 3600), total));
            entry.time = Some(Time { now: Some(now), total: Some(total) });
        }
        self.remarks(id, &mut entry);
        Some(entry)
    }

    fn move_member(&self, id: NodeId, mv: Move) -> MoveMember {
        let turn = self.board.turn();
        let mut member = MoveMember {
            color: Some(turn as u8),
            to: Some(place(mv.to())),
            same: (self.record.last_to(id) == Some(mv.to())).then_some(true),
            capture: self.board.piece_at(mv.to()).map(|piece| csa::piece_name(piece.kind).to_owned()),
            ..MoveMember::default()
        };
        match mv.parts() {
            MoveParts::Drop { piece, to } => {
                let kind = piece.piece_type();
                member.piece = Some(csa::piece_name(kind).to_owned());
                let others = self.board.origins(Piece::new(turn, kind), to);
                member.relative = (!others.is_empty()).then(|| "H".to_owned());
            }
            MoveParts::Board { from, to, promote } => {
                let piece = self.board.piece_at(from).unwrap_or(Piece::new(turn, PieceType::Pawn));
                member.from = Some(place(from));
                member.piece = Some(csa::piece_name(piece.kind).to_owned());
                member.promote = may_promote(piece, from, to).then_some(promote);
                let words = moves::words(piece, from, to, self.board.origins(piece, to)).unwrap_or_default();
                member.relative =
                    (!words.is_empty()).then(|| words.iter().map(|word| word.text_and_letter().1).collect());
            }
        }
        member
    }

    fn remarks(&mut self, id: NodeId, entry: &mut Entry) {
        let node = self.record.node(id);
        let comments = score::comment_lines(node, &mut self.board, self.scores);
        entry.comments = (!comments.is_empty()).then_some(comments);
        entry.bookmark.clone_from(&node.remarks().bookmark);
    }
}

const fn place(square: Square) -> Place {
    Place { x: square.file(), y: square.rank() }
}

fn clock(hours: Option<u64>, seconds: u64) -> Clock {
    Clock { h: hours, m: Some(seconds / 60 % 60), s: Some((seconds % 60).into()) }
}
