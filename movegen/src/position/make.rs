//! Do, undo and null moves.

use enbu_isa::multiversion;

use super::delta::{Capture, Delta, Origin};
use super::illegal::IllegalMove;
use super::{Ply, Position};
use crate::color::Color;
use crate::hand::Hand;
use crate::moves::{Move, MoveParts};
use crate::piece::{HandPiece, Piece, PieceType};
use crate::square::Square;

multiversion! {
    fn do_move(position: &mut Position, mv: Move) -> Delta = Position::do_move_inline;
}

multiversion! {
    fn undo_move(position: &mut Position) -> Option<Move> = Position::undo_move_inline;
}

impl Position {
    /// Plays a move after a legality test, for input from users, records and networks.
    ///
    /// # Errors
    /// [`IllegalMove`] with the broken rule; the position is unchanged then.
    ///
    /// ```
    /// use enbu_movegen::{Move, Position};
    /// let mut position = Position::startpos();
    /// position.play("7g7f".parse().expect("a move")).expect("legal");
    /// assert!(position.play("7g7f".parse().expect("a move")).is_err());
    /// ```
    pub fn play(&mut self, mv: Move) -> Result<Delta, IllegalMove> {
        match self.check_legality(mv) {
            Ok(()) => Ok(self.do_move(mv)),
            Err(reason) => Err(IllegalMove { mv, reason }),
        }
    }

    /// Makes a legal move without a test.
    ///
    /// # Panics
    /// An illegal move may panic or leave a meaningless position; it never breaks memory
    /// safety.
    pub fn do_move(&mut self, mv: Move) -> Delta {
        do_move(self, mv)
    }

    /// [`do_move`](Self::do_move), inlined into a dispatched caller.
    #[inline(always)]
    pub(crate) fn do_move_inline(&mut self, mv: Move) -> Delta {
        let us = self.turn();
        let mut saved = self.save(Some(mv));
        let delta = match mv.parts() {
            MoveParts::Drop { piece, to } => {
                let held = self.hand(us).count(piece);
                let placed = piece.piece_type();
                self.placement.take_from_hand(us, piece);
                self.placement.put(Piece::new(us, placed), to);
                Delta { mover: us, from: Origin::Hand { piece, held }, to, placed, captured: None }
            }
            MoveParts::Board { from, to, promote } => {
                let captured = self.capture(to, &mut saved);
                let moved = self.piece_at(from).unwrap_or(Piece::new(us, PieceType::Pawn));
                debug_assert_eq!(self.piece_at(from).map(|piece| piece.color), Some(us), "{mv} in {self}");
                let placed = match (promote, moved.kind.promoted()) {
                    (true, Some(promoted)) => promoted,
                    _ => moved.kind,
                };
                self.placement.take(moved, from);
                self.placement.put(Piece::new(us, placed), to);
                Delta { mover: us, from: Origin::Board { from, kind: moved.kind }, to, placed, captured }
            }
        };
        self.history.push(saved);
        self.pass_turn();
        self.check_runs[us] = if self.in_check() { self.check_runs[us].saturating_add(1) } else { 0 };
        #[cfg(debug_assertions)]
        self.assert_consistent();
        delta
    }

    /// The hand of the side to move after its legal move, without making it.
    #[inline]
    pub fn hand_after(&self, mv: Move) -> Hand {
        let hand = self.hand(self.turn());
        match mv.dropped() {
            Some(piece) => hand.without(piece),
            None => match self.piece_at(mv.to()).and_then(|taken| taken.kind.hand_piece()) {
                Some(piece) => hand.with(piece),
                None => hand,
            },
        }
    }

    /// Moves the piece on `to`, if any, to the hand of the mover.
    #[inline(always)]
    fn capture(&mut self, to: Square, saved: &mut Ply) -> Option<Capture> {
        let taken = self.piece_at(to)?;
        saved.captured = Some(taken);
        self.placement.take(taken, to);
        let piece = taken.kind.hand_piece()?;
        self.placement.add_to_hand(self.turn(), piece);
        Some(Capture { kind: taken.kind, piece, held: self.hand(self.turn()).count(piece) })
    }

    /// Undoes the last move and returns it, or `None` if there is none.
    ///
    /// The last change must not be a null move: [`undo_null_move`](Self::undo_null_move).
    pub fn undo_move(&mut self) -> Option<Move> {
        undo_move(self)
    }

    /// [`undo_move`](Self::undo_move), inlined into a dispatched caller.
    #[inline(always)]
    pub(crate) fn undo_move_inline(&mut self) -> Option<Move> {
        let saved = self.history.pop()?;
        let us = !self.turn();
        self.restore(&saved);
        let mv = saved.mv?;
        match mv.parts() {
            MoveParts::Drop { piece, to } => {
                self.placement.take(Piece::new(us, piece.piece_type()), to);
                self.placement.add_to_hand(us, piece);
            }
            MoveParts::Board { from, to, promote } => {
                let placed = self.piece_at(to).unwrap_or(Piece::new(us, PieceType::Pawn));
                self.placement.take(placed, to);
                let kind = if promote { placed.kind.unpromoted() } else { placed.kind };
                self.placement.put(Piece::new(us, kind), from);
                if let Some(taken) = saved.captured {
                    self.placement.put(taken, to);
                    if let Some(piece) = taken.kind.hand_piece() {
                        self.placement.take_from_hand(us, piece);
                    }
                }
            }
        }
        #[cfg(debug_assertions)]
        self.assert_consistent();
        Some(mv)
    }

    /// Moves a piece from `color`'s hand, which must hold one, to the other hand: a capture
    /// is handed back. To undo it, hand over in the other direction.
    pub fn hand_over(&mut self, color: Color, piece: HandPiece) {
        self.placement.take_from_hand(color, piece);
        self.placement.add_to_hand(!color, piece);
        #[cfg(debug_assertions)]
        self.assert_consistent();
    }

    /// Makes a null move: the side to move passes.
    ///
    /// It must not be in check. Repetition detection ends at a null move.
    pub fn do_null_move(&mut self) {
        debug_assert!(!self.in_check());
        let saved = self.save(None);
        self.history.push(saved);
        self.pass_turn();
        self.check_runs = [0; 2];
        #[cfg(debug_assertions)]
        self.assert_consistent();
    }

    /// Undoes a null move, which must be the last change.
    pub fn undo_null_move(&mut self) {
        if let Some(saved) = self.history.pop() {
            debug_assert_eq!(saved.mv, None);
            self.restore(&saved);
        }
        #[cfg(debug_assertions)]
        self.assert_consistent();
    }

    #[inline(always)]
    fn save(&self, mv: Option<Move>) -> Ply {
        Ply {
            mv,
            captured: None,
            board_key: self.board_key(),
            hand: self.hand(self.turn()),
            check_runs: self.check_runs,
            checkers: self.checkers,
            pinned: self.pinned,
            ply: self.ply,
        }
    }

    #[inline(always)]
    fn pass_turn(&mut self) {
        self.placement.change_turn();
        self.ply = self.ply.saturating_add(1);
        self.update_checks();
    }

    #[inline(always)]
    fn restore(&mut self, saved: &Ply) {
        self.placement.change_turn();
        self.ply = saved.ply;
        self.check_runs = saved.check_runs;
        self.checkers = saved.checkers;
        self.pinned = saved.pinned;
    }

    /// Debug builds: asserts that the derived state equals that of a fresh position. One
    /// position of eight is tested, by its key: all of them are half the time of a search,
    /// and a difference remains in the positions after it.
    #[cfg(debug_assertions)]
    fn assert_consistent(&self) {
        if !self.key().is_multiple_of(8) {
            return;
        }
        let fresh = Self::new_unchecked(&self.to_setup());
        assert_eq!(self.placement, fresh.placement, "{self}");
        assert_eq!(self.checkers, fresh.checkers, "{self}");
        assert_eq!(self.pinned, fresh.pinned, "{self}");
    }
}
