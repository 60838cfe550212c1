//! A board for replaying records, which also makes moves that the rules forbid.

#![expect(clippy::indexing_slicing, reason = "arrays are indexed by the enums of movegen, whose values fit them")]

use enbu_movegen::attacks::attacks;
use enbu_movegen::{Bitboard, Color, Hand, HandPiece, Move, MoveParts, Piece, PieceType, Position, Setup, Square};
use once_cell::sync::Lazy;

use crate::error::Problem;
use crate::record::{Event, Record};

/// The position a reader or writer has come to.
///
/// A record may start from a position that cannot be played, or go on after a
/// foul. Wherever the position can be played, the rules decide what is legal;
/// elsewhere only pieces and squares are looked at. A record of hundreds of fouls
/// is no game of shogi: from some point on its moves are not judged any more.
#[derive(Clone, Debug)]
pub struct Board {
    state: State,
    /// Remaining number of positions that may be set up for the rules to judge, which
    /// takes much longer than a move.
    setups_left: u8,
    /// Undo information of [`undo`](Self::undo), one entry for each move played.
    played: Vec<Undo>,
}

/// The start position of an even game.
pub(crate) static START: Setup = Setup::startpos();

#[derive(Clone, Debug)]
enum Undo {
    /// A move by the rules.
    Move,
    /// A foul, or a move on a diagram: the old board.
    Setup(State),
}

#[derive(Clone, Debug)]
enum State {
    Playable(Box<Position>),
    Diagram(Box<Setup>),
}

impl State {
    fn of(setup: &Setup) -> Self {
        static GAME: Lazy<Position> = Lazy::new(|| Position::startpos().without_history());
        // Most games begin there, many of them with this very setup.
        let is_start = std::ptr::eq(setup, &START) || *setup == START;
        let game = if is_start { Ok(GAME.clone()) } else { Position::from_setup(setup) };
        game.map_or_else(|_| Self::Diagram(Box::new(setup.clone())), |game| Self::Playable(Box::new(game)))
    }
}

impl Board {
    /// A board with this position on it.
    pub fn new(setup: &Setup) -> Self {
        Self { state: State::of(setup), setups_left: u8::MAX, played: Vec::new() }
    }

    /// The board after this number of moves of the main line, or as many as can be made.
    pub(crate) fn after(record: &Record, moves: usize) -> Self {
        let mut board = Self::new(record.setup());
        let _ = record.moves().take(moves).try_for_each(|mv| board.play(mv).map(drop));
        board
    }

    /// The answer of the game on the board, or of a board that cannot be played.
    fn on<T>(&self, playable: impl FnOnce(&Position) -> T, diagram: impl FnOnce(&Setup) -> T) -> T {
        match &self.state {
            State::Playable(game) => playable(game),
            State::Diagram(setup) => diagram(setup),
        }
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.on(|game| game.turn(), |setup| setup.turn)
    }

    /// The piece on `square`.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.on(|game| game.piece_at(square), |setup| setup.board[square])
    }

    /// The hand of `color`.
    pub fn hand(&self, color: Color) -> Hand {
        self.on(|game| game.hand(color), |setup| setup.hands[color])
    }

    /// The position as a diagram.
    pub fn to_setup(&self) -> Setup {
        self.on(Position::to_setup, Setup::clone)
    }

    /// Plays `mv` and returns its event: a move, or a foul that could be made
    /// all the same.
    ///
    /// # Errors
    /// When the move cannot even be made on a board: no own piece on the
    /// origin or in hand, an impossible promotion, or a destination that
    /// is not free. The board stays as it was.
    pub fn play(&mut self, mv: Move) -> Result<Event, Problem> {
        if let State::Playable(game) = &mut self.state
            && game.play(mv).is_ok()
        {
            self.played.push(Undo::Move);
            return Ok(Event::Move(mv));
        }
        self.check_pieces(mv)?;
        let event = if let State::Playable(_) = self.state { Event::Foul(mv) } else { Event::Move(mv) };
        let mut next = self.to_setup();
        play_on(&mut next, mv);
        let next = if self.setups_left > 0 { State::of(&next) } else { State::Diagram(Box::new(next)) };
        self.setups_left = self.setups_left.saturating_sub(1);
        self.played.push(Undo::Setup(std::mem::replace(&mut self.state, next)));
        Ok(event)
    }

    /// Takes back the last move that [`play`](Self::play) made; nothing happens
    /// when there is none.
    pub fn undo(&mut self) {
        match (self.played.pop(), &mut self.state) {
            (Some(Undo::Move), State::Playable(game)) => drop(game.undo_move()),
            (Some(Undo::Setup(before)), state) => *state = before,
            _ => {}
        }
    }

    /// Takes back all but this number of moves.
    pub(crate) fn rewind(&mut self, plies: usize) {
        while self.plies_played() > plies {
            self.undo();
        }
    }

    /// Number of moves that can be taken back.
    pub fn plies_played(&self) -> usize {
        self.played.len()
    }

    /// Returns true if the move is legal; on a board that cannot be played, whether pieces
    /// and squares allow it.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.on(|game| game.is_legal(mv), |_| self.check_pieces(mv).is_ok())
    }

    /// Squares of pieces like this one that can reach `to`, pins aside.
    pub fn origins(&self, piece: Piece, to: Square) -> Bitboard {
        if self.piece_at(to).is_some_and(|target| target.color == piece.color) {
            return Bitboard::EMPTY;
        }
        let squares = |wanted: &dyn Fn(Piece) -> bool| -> Bitboard {
            Square::ALL.into_iter().filter(|&square| self.piece_at(square).is_some_and(wanted)).collect()
        };
        let on_diagram = |other| other == piece;
        self.on(
            |game| game.attackers(to, piece.color, game.occupied()) & game.by_kind(piece.kind),
            |_| squares(&on_diagram) & attacks(piece.kind, !piece.color, to, squares(&|_| true)),
        )
    }

    /// Returns true if the side to move is in check; never on a board that cannot be played.
    pub fn in_check(&self) -> bool {
        self.on(Position::in_check, |_| false)
    }

    /// Returns true if the side to move is mated; never on a board that cannot be played.
    pub(crate) fn is_mate(&self) -> bool {
        self.on(Position::is_mate, |_| false)
    }

    /// The position without its history, where it can be played.
    pub fn position(&self) -> Option<Position> {
        self.on(|game| Some(game.without_history()), |_| None)
    }

    /// Plays the event of a node; the start and ends change nothing.
    ///
    /// # Errors
    /// As [`play`](Self::play).
    pub fn follow(&mut self, event: &Event) -> Result<(), Problem> {
        event.played().map_or(Ok(()), |mv| self.play(mv).map(drop))
    }

    /// The piece that the side to move has on `from`, to move it to another square.
    pub(crate) fn own_piece(&self, from: Square, to: Square) -> Result<Piece, Problem> {
        let piece = self.piece_at(from).ok_or(Problem::EmptyOrigin)?;
        match piece.color == self.turn() {
            false => Err(Problem::OpponentsPiece),
            true if from == to => Err(Problem::NoMovement),
            true => Ok(piece),
        }
    }

    /// Returns true if pieces and squares allow the move, whatever the rules say.
    fn check_pieces(&self, mv: Move) -> Result<(), Problem> {
        let turn = self.turn();
        let is_taken = match mv.parts() {
            MoveParts::Drop { piece, .. } if !self.hand(turn).has(piece) => return Err(Problem::NotInHand),
            MoveParts::Drop { to, .. } => self.piece_at(to).is_some(),
            MoveParts::Board { from, to, promote } => {
                moved(self.own_piece(from, to)?, from, to, promote)?;
                self.piece_at(to).is_some_and(|target| target.color == turn)
            }
        };
        if is_taken { Err(Problem::DestinationTaken) } else { Ok(()) }
    }

    /// Plays the moves that `next` names, as long as they are legal (on a board
    /// that cannot be played: as long as pieces and squares allow them), takes
    /// them back and returns them.
    pub(crate) fn try_line(&mut self, mut next: impl FnMut(&Self) -> Option<Move>) -> Vec<Move> {
        let setups_left = self.setups_left;
        let mut line = Vec::new();
        while let Some(mv) = next(self) {
            if !self.is_legal(mv) || self.play(mv).is_err() {
                break;
            }
            line.push(mv);
        }
        for _ in &line {
            self.undo();
        }
        self.setups_left = setups_left;
        line
    }

    /// The texts of the moves of a line, as far as it can be played.
    pub(crate) fn texts_of(&mut self, line: &[Move], mut text: impl FnMut(&Self, Move) -> String) -> Vec<String> {
        let (mut moves, mut texts) = (line.iter(), Vec::new());
        let played = self.try_line(|board| {
            let mv = *moves.next()?;
            texts.push(text(board, mv));
            Some(mv)
        });
        texts.truncate(played.len());
        texts
    }
}

/// Returns true if the piece may promote on this way.
pub(crate) fn may_promote(piece: Piece, from: Square, to: Square) -> bool {
    piece.kind.promoted().is_some() && (from.relative_rank(piece.color) <= 3 || to.relative_rank(piece.color) <= 3)
}

/// The move of a piece, if it may promote where it should.
pub(crate) fn moved(piece: Piece, from: Square, to: Square, promote: bool) -> Result<Move, Problem> {
    match promote {
        false => Ok(Move::board(from, to)),
        true if may_promote(piece, from, to) => Ok(Move::promotion(from, to)),
        true => Err(Problem::NoPromotion),
    }
}

/// The piece in hand of this kind.
pub(crate) fn held(kind: PieceType) -> Result<HandPiece, Problem> {
    kind.hand_piece().filter(|_| !kind.is_promoted()).ok_or(Problem::NotAHandPiece)
}

/// File and rank of a square in digits: `76`.
pub(crate) fn digits(square: Square) -> String {
    format!("{}{}", square.file(), square.rank())
}

/// Makes a move whose pieces were checked.
fn play_on(setup: &mut Setup, mv: Move) {
    let turn = setup.turn;
    match mv.parts() {
        MoveParts::Drop { piece, to } => {
            setup.hands[turn] = setup.hands[turn].without(piece);
            setup.board[to] = Some(Piece::new(turn, piece.piece_type()));
        }
        MoveParts::Board { from, to, promote } => {
            let piece = setup.board[from].take();
            if let Some(captured) = setup.board[to].and_then(|target| target.kind.hand_piece()) {
                setup.hands[turn] = setup.hands[turn].with(captured);
            }
            setup.board[to] = piece.map(|piece| match piece.kind.promoted() {
                Some(kind) if promote => Piece::new(turn, kind),
                _ => piece,
            });
        }
    }
    setup.turn = !turn;
    setup.ply = setup.ply.saturating_add(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(board: &mut Board, moves: &str) -> Vec<Result<bool, Problem>> {
        let one = |text: &str| board.play(text.parse().unwrap()).map(|event| matches!(event, Event::Move(_)));
        moves.split(' ').map(one).collect()
    }

    #[test]
    fn fouls_are_made_and_play_goes_on() {
        let mut board = Board::new(&Setup::startpos());
        // The bishop jumps over the pawn on 7g, and is taken.
        assert_eq!(play(&mut board, "8h2b+ 3a2b P*5e"), [Ok(false), Ok(true), Err(Problem::NotInHand)]);
        assert_eq!(play(&mut board, "7g7f B*5e"), [Ok(true), Ok(true)]);
        assert_eq!(board.hand(Color::White).count(HandPiece::Bishop), 0);
    }

    #[test]
    fn a_king_left_in_check_can_be_taken() {
        let setup: Setup = "4k4/9/9/9/9/9/9/4r4/4K4 b - 1".parse().unwrap();
        let mut board = Board::new(&setup);
        assert_eq!(play(&mut board, "5i5h 5a5b"), [Ok(true), Ok(true)]);
        let mut board = Board::new(&"4k4/9/9/9/9/9/9/3r5/4K4 b P 1".parse().unwrap());
        assert_eq!(play(&mut board, "5i6i 6h6i 6i6h"), [Ok(false), Ok(true), Err(Problem::OpponentsPiece)]);
    }

    #[test]
    fn what_no_board_allows_is_refused_and_changes_nothing() {
        let mut board = Board::new(&Setup::startpos());
        let before = board.to_setup();
        for (text, problem) in [
            ("5e5d", Problem::EmptyOrigin),
            ("3c3d", Problem::OpponentsPiece),
            ("7g7f+", Problem::NoPromotion),
            ("5i5h+", Problem::NoPromotion),
            ("9i9g", Problem::DestinationTaken),
            ("P*5e", Problem::NotInHand),
        ] {
            assert_eq!(play(&mut board, text), [Err(problem)], "{text}");
        }
        assert_eq!(board.to_setup(), before);
    }

    #[test]
    fn trying_a_line_leaves_the_board_alone() {
        for sfen in ["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "9/9/9/9/9/9/9/9/9 b 2P 1"] {
            let mut board = Board::new(&sfen.parse().unwrap());
            let mut line = ["7g7f", "P*5e", "3c3d", "8h2b+"].iter();
            let before = board.to_setup();
            let tried = board.try_line(|_| line.next().map(|text| text.parse().unwrap()));
            assert!(tried.len() <= 3);
            assert_eq!(board.to_setup(), before);
        }
    }

    #[test]
    fn moves_and_fouls_are_taken_back() {
        for sfen in ["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "9/9/9/9/9/9/9/9/9 b 18P 1"] {
            for setups_left in [u8::MAX, 2, 0] {
                let setup: Setup = sfen.parse().unwrap();
                let mut board = Board { setups_left, ..Board::new(&setup) };
                let mut shown = vec![board.to_setup()];
                for text in ["8h2b+", "3a2b", "P*5e", "P*5d", "P*5c", "5e5d", "2b3a", "7g7f", "B*5e"] {
                    if board.play(text.parse().unwrap()).is_ok() {
                        shown.push(board.to_setup());
                    }
                }
                assert!(shown.len() >= 2, "{sfen}");
                while let Some(before) = shown.pop() {
                    assert_eq!(board.to_setup(), before);
                    assert_eq!(board.plies_played(), shown.len());
                    board.undo();
                }
            }
        }
    }

    #[test]
    fn pieces_that_reach_a_square() {
        for sfen in ["4k4/9/9/9/9/9/3G1G3/3GG4/K8 b - 1", "9/9/9/9/9/9/3G1G3/3GG4/KK7 b - 1"] {
            let board = Board::new(&sfen.parse().unwrap());
            let gold = Piece::new(Color::Black, PieceType::Gold);
            assert_eq!(board.origins(gold, Square::S57).count(), 4);
            assert_eq!(board.origins(gold, Square::S58).count(), 0);
            assert_eq!(board.origins(gold, Square::S66).count(), 1);
        }
    }
}
