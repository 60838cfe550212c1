//! The game so far, with the engine's own times and evaluations, and the record made from it.

use std::time::{Duration, Instant};

use enbu_kifu::{Analysis, End, EndKind, Event, HeaderKey, NodeId, Record, csa};
use enbu_movegen::{Color, EnteringKingRule, Move, Position, Ruling, Setup};

use crate::command::GameResult;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameEnd {
    /// The side to move resigned.
    Resign,
    /// The side to move declared a win by entering king.
    Declaration,
    /// `gameover` came; this is the result for the engine. The protocol does not
    /// say why: the log looks for a mate, a repetition and the limit of moves,
    /// takes it that a loser who is to move resigned, and else says that the
    /// game was broken off.
    Over(Option<GameResult>),
}

/// A game from the session's point of view.
#[derive(Clone, Debug)]
pub(super) struct GameLog {
    label: Label,
    setup: Setup,
    moves: Vec<Entry>,
    /// The engine's last move, until the GUI confirms it by sending it back.
    own: Option<Entry>,
    end: Option<GameEnd>,
}

/// Headers of the record.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    /// Name of the engine, for the side that it plays.
    pub(super) engine: Option<String>,
    /// The rule for declarations.
    pub(super) entering_king: Option<EnteringKingRule>,
    /// Number of moves after which the game is drawn.
    pub(super) max_moves: Option<u32>,
}

#[derive(Clone, Debug)]
struct Entry {
    mv: Move,
    thought: Option<Thought>,
    /// Arrival of the `stop` that a move of the engine answers.
    stopped: Option<Instant>,
}

/// Time within which a `stop` and a `gameover` belong together: nobody sees a move
/// and gives up that soon after hurrying the engine.
const TOGETHER: Duration = Duration::from_secs(1);

/// A move of the engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnMove<'a> {
    pub(super) mv: Move,
    /// Time used for it.
    pub(super) elapsed: Duration,
    /// Its score as Black sees it: see [`black_view`](crate::readout::black_view).
    pub(super) score_cp: Option<i32>,
    /// The best line, which begins with the move.
    pub(super) pv: &'a [Move],
    pub(super) nodes: Option<u64>,
    /// Arrival of the `stop` that it answers.
    pub(super) stopped: Option<Instant>,
}

/// Time and evaluation of a move of the engine.
#[derive(Clone, Debug)]
struct Thought {
    elapsed: Duration,
    analysis: Option<Analysis>,
}

impl GameLog {
    /// A game that starts from `setup`.
    pub(super) fn new(setup: Setup) -> Self {
        Self { label: Label::default(), setup, moves: Vec::new(), own: None, end: None }
    }

    /// Sets the headers.
    pub(super) fn set_label(&mut self, label: Label) {
        self.label = label;
    }

    /// Follows the game to the position after `moves` from `setup`.
    ///
    /// A game that goes on, or goes back and on in another way, keeps times and
    /// thoughts of the moves it shares with the known one. Another start is
    /// another game. The log is open again as soon as the moves differ.
    pub(super) fn follow(&mut self, setup: &Setup, moves: &[Move]) {
        if self.setup != *setup {
            self.setup = setup.clone();
            self.moves.clear();
            self.own = None;
            self.end = None;
        }
        let known = self.moves.iter().zip(moves).take_while(|(entry, mv)| entry.mv == **mv).count();
        let shortened = known < self.moves.len();
        self.moves.truncate(known);
        let mut own = self.own.take().filter(|_| !shortened);
        let new = moves.get(known..).unwrap_or_default();
        if shortened || !new.is_empty() {
            self.end = None;
        }
        for (index, &mv) in new.iter().enumerate() {
            let confirmed = own.take_if(|own| index == 0 && own.mv == mv);
            self.moves.push(confirmed.unwrap_or(Entry { mv, thought: None, stopped: None }));
        }
        self.own = own.filter(|_| new.is_empty());
    }

    /// Adds a move of the engine, which the GUI confirms by sending it back.
    pub(super) fn own_move(&mut self, own: OwnMove<'_>) {
        // In a record the line begins with the reply.
        let reply = match own.pv.split_first() {
            Some((first, rest)) if *first == own.mv => rest.to_vec(),
            _ => Vec::new(),
        };
        let OwnMove { mv, elapsed, score_cp, nodes, stopped, .. } = own;
        let analysis = score_cp.map(|_| Analysis { score_cp, pv: reply, nodes, ..Analysis::default() });
        self.own = Some(Entry { mv, thought: Some(Thought { elapsed, analysis }), stopped });
    }

    /// The game is over. A reason given earlier stays.
    pub(super) fn end(&mut self, end: GameEnd) {
        self.end.get_or_insert(end);
    }

    /// Ends the game for a `gameover` that arrived `at` this time. A last move of the
    /// engine that nobody played is dropped: one that came after the game had ended
    /// by the rules, or that answers a `stop` sent together with the `gameover`.
    pub(super) fn over(&mut self, result: Option<GameResult>, at: Instant) {
        let late = |own: &Entry| own.stopped.is_some_and(|stopped| at.saturating_duration_since(stopped) < TOGETHER);
        if self.own.as_ref().is_some_and(|own| late(own) || self.is_over_before(own)) {
            self.own = None;
        }
        self.end(GameEnd::Over(result));
    }

    /// Whether the game had ended by the rules before the unconfirmed move `own`.
    fn is_over_before(&self, own: &Entry) -> bool {
        let Ok(mut position) = Position::from_setup(&self.setup) else { return false };
        let reached = self.moves.iter().all(|entry| position.play(entry.mv).is_ok());
        reached && position.is_legal(own.mv) && self.visible_end(&position).is_some()
    }

    /// Whether the engine did anything in this game.
    pub(super) fn has_own_part(&self) -> bool {
        self.own.is_some()
            || self.moves.iter().any(|entry| entry.thought.is_some())
            || matches!(self.end, Some(GameEnd::Resign | GameEnd::Declaration))
    }

    /// The game as a record.
    pub(super) fn to_record(&self) -> Record {
        let mut record = Record::new(self.setup.clone());
        record.rules.entering_king = self.label.entering_king;
        record.rules.max_moves = self.label.max_moves;
        let Ok(mut position) = Position::from_setup(&self.setup) else { return record };
        let mut at = record.root();
        let mut side = None;
        for entry in self.moves.iter().chain(&self.own) {
            let turn = position.turn();
            if position.play(entry.mv).is_err() {
                break;
            }
            at = record.add(at, Event::Move(entry.mv));
            if let Some(thought) = &entry.thought {
                side = Some(turn);
                thought.note(&mut record, at);
            }
        }
        if let (Some(name), Some(side)) = (&self.label.engine, side) {
            record.headers.push(name_key(side), name.as_str());
        }
        if let Some(end) = self.end {
            self.note_end(end, &position, side, &mut record, at);
        }
        record
    }

    /// The record in CSA V3.0.
    pub(super) fn to_csa(&self) -> String {
        csa::write(&self.to_record())
    }

    /// Adds the end after `at`, with a word where its reason is not known.
    fn note_end(&self, end: GameEnd, position: &Position, side: Option<Color>, record: &mut Record, at: NodeId) {
        let turn = position.turn();
        let known = match end {
            GameEnd::Resign => Some(EndKind::Resign),
            GameEnd::Declaration => Some(EndKind::DeclarationWin),
            GameEnd::Over(_) => self.visible_end(position),
        };
        let guessed = known.is_none();
        let end = match (known, end) {
            (Some(kind), _) => End::new(kind, turn),
            (None, GameEnd::Over(Some(result))) => untold_end(result, side, turn),
            (None, _) => End::new(EndKind::Abort, turn),
        };
        let id = record.add(at, Event::from(end));
        if guessed {
            record.node_mut(id).remarks_mut().comments.push("the GUI did not tell the reason".to_owned());
        }
    }

    /// The end that the position itself shows.
    fn visible_end(&self, position: &Position) -> Option<EndKind> {
        if position.is_mate() {
            return Some(EndKind::Mate);
        }
        match position.repetition() {
            Ruling::Draw => return Some(EndKind::Repetition),
            // Perpetual check is a foul of the side that gave it.
            Ruling::Win(winner) => return Some(EndKind::IllegalAction(!winner)),
            Ruling::None => {}
        }
        let limit = position.max_moves(self.label.max_moves.unwrap_or(0));
        (limit == Ruling::Draw).then_some(EndKind::MaxMoves)
    }
}

/// The end of which the engine, playing `side`, knows only the result.
fn untold_end(result: GameResult, side: Option<Color>, turn: Color) -> End {
    let result = match (result, side) {
        (GameResult::Draw, _) => Some(enbu_kifu::GameResult::Draw),
        (GameResult::Win, Some(side)) => Some(enbu_kifu::GameResult::win(side)),
        (GameResult::Lose, Some(side)) => Some(enbu_kifu::GameResult::win(!side)),
        (_, None) => None,
    };
    let resigned = result.is_some_and(|result| result.winner() == Some(!turn));
    End { kind: if resigned { EndKind::Resign } else { EndKind::Abort }, result }
}

impl Thought {
    /// Puts time and evaluation on the engine's move.
    fn note(&self, record: &mut Record, id: NodeId) {
        let node = record.node_mut(id);
        node.time_ms = Some(u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX));
        node.remarks_mut().analyses.extend(self.analysis.clone());
    }
}

const fn name_key(side: Color) -> HeaderKey {
    match side {
        Color::Black => HeaderKey::BlackName,
        Color::White => HeaderKey::WhiteName,
    }
}
