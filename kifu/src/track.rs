//! A game while it is being read.

use enbu_movegen::{Move, Setup, Square};

use crate::board::Board;
use crate::end::{End, EndKind};
use crate::error::Problem;
use crate::header::Headers;
use crate::record::{Event, NodeId, Record, Rules};

/// A record that grows, and the node that its reader has come to, with the board after it.
pub(crate) struct Track<'t> {
    pub(crate) record: Record,
    pub(crate) board: Board,
    pub(crate) at: NodeId,
    /// A foul that was the last move so far; one that ends the game is no deviation.
    pub(crate) foul: Option<&'t str>,
}

impl<'t> Track<'t> {
    pub(crate) fn new(setup: &Setup) -> Self {
        Self { board: Board::new(setup), record: Record::new(setup.clone()), at: NodeId::ROOT, foul: None }
    }

    pub(crate) fn is_begun(&self) -> bool {
        self.at != self.record.root()
    }

    pub(crate) fn is_ended(&self) -> bool {
        matches!(self.record.node(self.at).event(), Event::End(_))
    }

    pub(crate) fn last_to(&self) -> Option<Square> {
        self.record.node(self.at).event().to()
    }

    /// Makes the move of a text, and returns a foul that it passed over.
    pub(crate) fn make(&mut self, mv: Move, text: &'t str) -> Result<Option<&'t str>, Problem> {
        let event = self.board.play(mv)?;
        let foul = matches!(event, Event::Foul(_)).then_some(text);
        self.at = self.record.add(self.at, event);
        Ok(std::mem::replace(&mut self.foul, foul))
    }

    /// The end of this kind. A foul that is in the record is its mover's, not that of the side to move after it.
    pub(crate) fn end_of(&self, kind: EndKind) -> End {
        let is_after_foul = matches!(self.record.node(self.at).event(), Event::Foul(_));
        let turn = self.board.turn();
        let turn = if is_after_foul && kind == EndKind::IllegalMove { !turn } else { turn };
        End::new(kind, turn)
    }

    /// Ends the line, and returns a foul that is not its end.
    pub(crate) fn end(&mut self, end: End) -> Option<&'t str> {
        let foul = self.foul.take().filter(|_| !end.kind.is_foul());
        self.at = self.record.add(self.at, Event::from(end));
        foul
    }

    pub(crate) fn step_back(&mut self) {
        if let Some(parent) = self.record.node(self.at).parent() {
            if !self.is_ended() {
                self.board.undo();
            }
            self.at = parent;
        }
    }

    /// Takes back an end and all but this number of moves.
    pub(crate) fn back_to(&mut self, moves: usize) {
        while self.is_ended() || self.board.plies_played() > moves {
            self.step_back();
        }
    }

    /// The record, with all that is not its moves.
    pub(crate) fn finish(mut self, headers: Headers, rules: Rules) -> Record {
        (self.record.headers, self.record.rules) = (headers, rules);
        // A file may hold hundreds of thousands of tiny games.
        self.record.shrink();
        self.record
    }
}
