//! The game of the last accepted `position`.

use enbu_kifu::csa;
use enbu_language::messages;
use enbu_movegen::{HandPiece, IllegalMove, Move, MoveList, Position, PositionError, Setup};

use crate::command::PositionCommand;
use crate::reply::joined;
use crate::session::Rules;

/// A starting diagram, the moves from it, and the position after them.
#[derive(Clone, Debug)]
pub struct Game {
    /// The starting diagram.
    pub setup: Setup,
    /// The moves from it.
    pub moves: Vec<Move>,
    /// The position after them.
    pub position: Position,
}

messages! {
/// Error of a refused `position`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum GameError {
    Setup(#[from] error: PositionError) => "position: {error}", "position：{error}";
    Move { illegal: IllegalMove, number: usize } => "position: {illegal} (move {number})", "position：{number} 手目の {illegal}";
}}

impl Default for Game {
    /// A game at the start.
    fn default() -> Self {
        Self { setup: Setup::startpos(), moves: Vec::new(), position: Position::startpos() }
    }
}

impl Game {
    /// The game of a `position` command.
    ///
    /// # Errors
    /// [`GameError`] when the diagram cannot be played or a move is illegal.
    pub fn from_command(command: PositionCommand) -> Result<Self, GameError> {
        let mut position = Position::from_setup(&command.setup)?;
        for (&mv, number) in command.moves.iter().zip(1..) {
            position.play(mv).map_err(|illegal| GameError::Move { illegal, number })?;
        }
        Ok(Self { setup: command.setup, moves: command.moves, position })
    }

    /// Takes the game of a `position` command in place of this one, and returns what is odd about it.
    ///
    /// # Errors
    /// [`GameError`] as [`from_command`](Self::from_command); then nothing changes.
    pub fn enter(&mut self, mut command: PositionCommand) -> Result<impl Iterator<Item = String> + use<>, GameError> {
        let end = command.tail.take().map(|tail| format!("position: the moves end at {tail}"));
        let before = std::mem::replace(self, Self::from_command(command)?);
        let oddity = if self.setup == before.setup { None } else { oddity(&self.setup) };
        Ok(oddity.into_iter().chain(end))
    }
}

/// Returns a warning about a diagram that is accepted but unusual.
fn oddity(setup: &Setup) -> Option<String> {
    let kinds = HandPiece::ALL.into_iter().filter_map(|piece| {
        let (count, set) = (setup.count(piece.piece_type()), piece.set_count());
        (count > u32::from(set)).then(|| format!("{count} of {} (a set has {set})", piece.piece_type().letter()))
    });
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    if kinds.is_empty() { None } else { Some(format!("position: more pieces than a set: {kinds}")) }
}

/// The answer to `d`.
pub fn display(position: &Position, rules: Rules) -> Vec<String> {
    let mut lines = csa::board_rows(&position.to_setup());
    let checkers = position.checkers();
    lines.extend([
        format!("sfen {position}"),
        format!("key {:016x}", position.key()),
        format!("checkers {}", if checkers.is_empty() { "-".to_owned() } else { joined(checkers) }),
        format!("repetition {}", position.repetition()),
        format!("declaration {}", word(&position.declaration(rules.entering_king))),
        format!("max_moves {}", position.max_moves(rules.max_moves)),
    ]);
    lines
}

/// The answer to `side`.
pub fn side(position: &Position) -> String {
    word(&position.turn())
}

fn word(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

/// All legal moves, in one line.
pub fn legal_moves(position: &Position) -> String {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    joined(&moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;

    fn game(line: &str) -> Result<Game, String> {
        match Command::parse(line).command {
            Some(Command::Position(command)) => Game::from_command(command).map_err(|error| error.to_string()),
            other => panic!("{line} is {other:?}"),
        }
    }

    #[test]
    fn u40_an_illegal_move_is_named_with_its_number_and_reason() {
        let refusal = game("position startpos moves 7g7f 7g7f").unwrap_err();
        assert!(refusal.contains("7g7f") && refusal.contains("(move 2)"), "{refusal}");
        let nifu = "position sfen 4k4/9/9/9/9/9/P8/9/4K4 b P 1 moves P*9e";
        assert!(game(nifu).unwrap_err().contains("nifu"));
    }

    #[test]
    fn u45_u46_diagrams_that_cannot_be_played_are_refused() {
        assert!(game("position sfen 4k4/4R4/9/9/9/9/9/9/4K4 b - 1").unwrap_err().contains("opponent in check"));
        assert!(game("position sfen 4k4/9/9/9/9/9/9/9/3KK4 b - 1").unwrap_err().contains("2 kings"));
        assert!(game("position sfen 4k4/9/9/9/9/9/9/9/9 b 18P 1").is_ok());
    }

    #[test]
    fn more_pieces_than_a_set_are_worth_a_word() {
        assert_eq!(oddity(&Setup::startpos()), None);
        let setup: Setup = "4k4/9/9/9/9/9/9/9/4K4 b 20P3r 1".parse().unwrap();
        let text = oddity(&setup).unwrap();
        assert!(text.contains("20 of P (a set has 18)") && text.contains("3 of R (a set has 2)"), "{text}");
    }

    #[test]
    fn boards_are_csa_rows() {
        let setup = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
        let rows = display(&game(&format!("position sfen {setup}")).unwrap().position, Rules::default());
        assert_eq!(rows[0], "P1-KY *  *  *  *  *  * -KE-KY");
        assert_eq!(rows[1], "P2 *  *  *  *  * +TO * -KI-OU");
        assert_eq!(rows[9..12], ["P+00HI00KI", "P-00KI00GI00KE00FU00FU00FU00FU00FU", "-"]);
    }

    #[test]
    fn the_display_is_board_rows_and_then_facts() {
        let lines = display(&game("position startpos").unwrap().position, Rules::default());
        let words: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(words[9..], ["+", "sfen", "key", "checkers", "repetition", "declaration", "max_moves"]);
        assert_eq!(lines[0], "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY");
        assert_eq!(lines[12..], ["checkers -", "repetition none", "declaration lose", "max_moves none"]);
        let checked = game("position sfen 4k4/9/9/9/9/9/9/9/4RK3 w - 1").unwrap();
        let rules = Rules { max_moves: 1, ..Rules::default() };
        let lines = display(&checked.position, rules);
        assert!(lines.contains(&"checkers 5i".to_owned()), "{lines:?}");
        let longer = game("position sfen 4k4/9/9/9/9/9/9/9/4RK3 w - 2").unwrap();
        assert!(display(&longer.position, rules).contains(&"max_moves draw".to_owned()));
    }

    #[test]
    fn four_times_the_same_position_is_a_draw() {
        let shuffle = " 2h3h 8b7b 3h2h 7b8b".repeat(3);
        let game = game(&format!("position startpos moves{shuffle}")).unwrap();
        assert!(display(&game.position, Rules::default()).contains(&"repetition draw".to_owned()));
    }
}
