//! The one search that may be running, and the timing of its answer.

use std::time::Instant;

use enbu_movegen::{Move, MoveList, Position};

use crate::command::{Clock, GoRequest};
use crate::reply::{BestMove, Checkmate, Info, LineEnd, Reply};
use crate::session::Outcome;

/// A `go` that has not been answered.
pub(super) struct Search {
    /// Number of the search; events carry it, so that none is taken for another's.
    pub(super) number: u64,
    pub(super) purpose: Purpose,
    pub(super) position: Position,
    /// Start of the clock: arrival of `go`, or of `ponderhit`.
    pub(super) clock_start: Instant,
    /// The last report about the best line.
    pub(super) last_info: Option<Info>,
    /// The last line that was sent, if it was a report.
    last_sent: Option<Info>,
    pub(super) stage: Stage,
    /// Arrival of the `stop` that ended it.
    pub(super) stopped: Option<Instant>,
    /// The clock that limits it; `None` with a time of its own, or for a mate search.
    pub(super) clock: Option<Clock>,
    /// The instant at which the session answers without its outcome; `None`: never.
    pub(super) deadline: Option<Instant>,
    /// Only a command ends it.
    endless: bool,
    answer: Answer,
}

/// Purpose of a search: decides the event that releases its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The answer is sent when the search ends, and then played.
    Play,
    /// The answer is held back until `ponderhit` or `stop`.
    Ponder {
        /// The search becomes infinite at `ponderhit`, else an ordinary one.
        infinite: bool,
    },
    /// The answer is held back until `stop`.
    Infinite,
    /// The answer is sent when the search ends, but not played.
    Abandoned,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Running,
    /// It was asked to stop and has not ended yet.
    Stopping,
    /// Ended by itself; the protocol forbids its outcome yet.
    Held(Outcome),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    BestMove,
    Checkmate,
}

impl Search {
    pub(super) fn new(number: u64, position: Position, request: &GoRequest, at: Instant) -> Self {
        let purpose = match (request.ponder, request.infinite) {
            (true, infinite) => Purpose::Ponder { infinite },
            (false, true) => Purpose::Infinite,
            (false, false) => Purpose::Play,
        };
        let has_own_time = request.mate.is_some() || request.movetime_ms.is_some() || request.random_time_ms.is_some();
        let answer = if request.mate.is_some() { Answer::Checkmate } else { Answer::BestMove };
        Self {
            number,
            purpose,
            position,
            clock_start: at,
            last_info: None,
            last_sent: None,
            stage: Stage::Running,
            stopped: None,
            clock: (!has_own_time).then_some(request.clock),
            deadline: None,
            endless: request.runs_until_stop(),
            answer,
        }
    }

    /// Returns `true` if its answer needs a further command.
    pub(super) fn waits_for_a_command(&self) -> bool {
        self.endless || matches!(self.purpose, Purpose::Ponder { .. } | Purpose::Infinite)
    }

    /// Returns `true` if an outcome must be held back until a command.
    pub(super) fn holds_back(&self) -> bool {
        self.stage == Stage::Running && matches!(self.purpose, Purpose::Ponder { .. } | Purpose::Infinite)
    }

    /// Records a report that is sent.
    pub(super) fn note(&mut self, info: &Info) {
        if info.multipv.is_none_or(|rank| rank == 1) && !info.pv.is_empty() {
            self.last_info = Some(info.clone());
        }
        self.last_sent = Some(info.clone());
    }

    /// Records that another line is sent.
    pub(super) fn note_text(&mut self) {
        self.last_sent = None;
    }

    /// Returns `true` if the last line sent was that of this answer.
    pub(super) fn ends_with_line_of(&self, best: BestMove) -> bool {
        self.last_sent.as_ref().is_some_and(|info| is_line_of(info, best))
    }

    /// Best known line of an answer: the engine's present one, the last report, or else the
    /// move alone.
    pub(super) fn line_of(&self, best: BestMove, known: Option<(BestMove, Info)>) -> Info {
        let known = [known.map(|(_, info)| info), self.last_sent.clone(), self.last_info.clone()];
        known.into_iter().flatten().find(|info| is_line_of(info, best)).unwrap_or_else(|| {
            let time_ms = u64::try_from(self.clock_start.elapsed().as_millis()).unwrap_or(u64::MAX);
            let nodes = self.last_info.as_ref().and_then(|info| info.nodes).unwrap_or(0);
            let (pv, pv_end) = match best {
                BestMove::Play { best, .. } => (vec![best], None),
                BestMove::Win => (Vec::new(), Some(LineEnd::Win)),
                BestMove::Resign => (Vec::new(), Some(LineEnd::Resign)),
            };
            Info { pv, pv_end, ..Info::counters(nodes, time_ms, 0) }
        })
    }

    /// The reply to `outcome`, of the requested kind and legal, and the fault in the engine's own outcome.
    pub(super) fn verify(&self, outcome: Outcome) -> (Reply, Option<String>) {
        let reply = match (self.answer, outcome) {
            (Answer::BestMove, Outcome::BestMove(BestMove::Play { best, ponder })) if self.position.is_legal(best) => {
                let ponder = ponder.filter(|&ponder| is_line(&self.position, &[best, ponder]));
                Reply::BestMove(BestMove::Play { best, ponder })
            }
            (Answer::BestMove, Outcome::BestMove(other @ (BestMove::Resign | BestMove::Win))) => Reply::BestMove(other),
            (Answer::Checkmate, Outcome::Checkmate(Checkmate::Moves(moves))) if is_line(&self.position, &moves) => {
                Reply::Checkmate(Checkmate::Moves(moves))
            }
            (
                Answer::Checkmate,
                Outcome::Checkmate(other @ (Checkmate::NoMate | Checkmate::Timeout | Checkmate::NotImplemented)),
            ) => Reply::Checkmate(other),
            (_, outcome) => return (self.fallback(), Some(complaint(&outcome))),
        };
        (reply, None)
    }

    /// Returns the answer in place of an invalid outcome of the engine, or of a late one.
    pub(super) fn fallback(&self) -> Reply {
        match self.answer {
            Answer::BestMove => {
                let reported = self.last_info.as_ref().and_then(|info| info.pv.first().copied());
                let mut moves = MoveList::new();
                self.position.legal_moves(&mut moves);
                let best = reported.filter(|&best| self.position.is_legal(best)).or(moves.first().copied());
                Reply::BestMove(best.map_or(BestMove::Resign, |best| BestMove::Play { best, ponder: None }))
            }
            Answer::Checkmate => Reply::Checkmate(Checkmate::Timeout),
        }
    }
}

/// Returns `true` if a client may take `info` for the line of this answer.
fn is_line_of(info: &Info, best: BestMove) -> bool {
    match best {
        BestMove::Play { best, .. } => info.pv.first() == Some(&best),
        // An engine that resigns shows why.
        BestMove::Resign => !info.pv.is_empty() || info.pv_end.is_some(),
        BestMove::Win => info.pv.is_empty() && info.pv_end == Some(LineEnd::Win),
    }
}

fn complaint(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Lost => "internal: the search ended without an answer".to_owned(),
        Outcome::BestMove(best) => format!("internal: the search ended with {best}, which is no answer here"),
        Outcome::Checkmate(checkmate) => {
            format!("internal: the search ended with {checkmate}, which is no answer here")
        }
    }
}

/// Returns `true` if `moves` is a sequence of legal moves from `position`.
fn is_line(position: &Position, moves: &[Move]) -> bool {
    let mut position = position.clone();
    moves.iter().all(|&mv| position.play(mv).is_ok())
}
