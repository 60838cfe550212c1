//! One connection: from `LOGIN` to the end of a game.

mod timers;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, select};
use jiff::Zoned;

use super::game::{self, Playing};
use super::report::GameReport;
use super::{Client, ClientError, Direction, Halt, MAX_TRACE_BYTES};
use crate::player::{PlayerError, Pondering, STOP_LIMIT};
use crate::protocol::{Event, Game, GameOutcome, Moved, Protocol, Reason, State};
use crate::record::GameRecord;
use crate::socket::{Connection, Incoming};
use crate::summary::Summary;
use enbu_movegen::{Color, Declaration, EnteringKingRule, Move};
use enbu_usi::BestMove;
use enbu_usi::client::{Answer, LastReport};

/// Limit for the own turn, the end of the game and the end of the search after the second
/// interruption.
const HALT_LIMIT: Duration = Duration::from_secs(3);

/// Unknown lines of one connection that are reported.
const MAX_NOTICES: u32 = 20;

pub(super) enum SessionEnd {
    /// A game ended with a result.
    Played,
    /// The user interrupted.
    Halted,
}

/// End of a session before the result of a game.
pub(super) enum SessionError {
    /// A new login may succeed.
    Lost { reason: String, game_was_begun: bool },
    /// It would not.
    Fatal(ClientError),
}

type Step = Result<Option<SessionEnd>, SessionError>;

/// A connection with the state of its conversation.
pub(super) struct Session<'c, 'l> {
    client: &'c mut Client<'l>,
    protocol: Protocol,
    connection: Connection,
    last_sent: Instant,
    /// Arrival of the line that began the state.
    since: Instant,
    /// Time of the second interruption.
    halted: Option<Instant>,
    playing: Option<Playing>,
    notices: u32,
}

impl<'c, 'l> Session<'c, 'l> {
    /// Connects, logs in and plays a game.
    pub(super) fn run(client: &'c mut Client<'l>) -> Result<SessionEnd, SessionError> {
        let Some(connection) = connect(client)? else { return Ok(SessionEnd::Halted) };
        client.trace_room = MAX_TRACE_BYTES;
        // The first move has no echo to learn from.
        client.delay.observe(connection.round_trip);
        let now = Instant::now();
        let protocol = Protocol::new(client.settings.user.clone());
        let mut session =
            Self { client, protocol, connection, last_sent: now, since: now, halted: None, playing: None, notices: 0 };
        let played = session.play();
        if let Err(SessionError::Lost { reason, .. }) = &played {
            session.break_off(&reason.clone());
        }
        played
    }

    fn play(&mut self) -> Result<SessionEnd, SessionError> {
        let password = self.client.settings.password.for_game(self.client.settings.game.as_deref());
        let login = self.protocol.login(&password).map_err(|error| lost(&error))?;
        self.client.trace(Direction::Sent, &format!("LOGIN {} ********", self.client.settings.user));
        self.last_sent = self.connection.send(&login).map_err(|error| self.broken(&error))?;
        loop {
            let pause = self.next_timer().saturating_duration_since(Instant::now());
            let (incoming, wake, halts) =
                (self.connection.incoming.clone(), self.client.wake.clone(), self.client.halts.clone());
            let end = select! {
                recv(incoming) -> incoming => match incoming {
                    Ok(incoming) => self.take(incoming)?,
                    Err(_) => return Err(self.broken(&io::Error::other("the connection ended"))),
                },
                recv(wake) -> _ => None,
                recv(halts) -> halt => match halt {
                    Ok(halt) => self.halt(halt)?,
                    // No sender of interruptions is left.
                    Err(_) => {
                        self.client.halts = crossbeam_channel::never();
                        None
                    }
                },
                default(pause) => None,
            };
            if let Some(end) = end {
                return Ok(end);
            }
            self.take_answer()?;
            if let Some(end) = self.timers()? {
                return Ok(end);
            }
        }
    }

    fn take(&mut self, incoming: Incoming) -> Step {
        match incoming {
            Incoming::Line { text, at } => {
                self.client.trace(Direction::Received, &text);
                let event = self.protocol.receive(&text, at);
                self.obey(event, at)
            }
            Incoming::TooLong => {
                self.report("the server sent a line of more than 64 KiB; it was skipped");
                Ok(None)
            }
            Incoming::Closed { reason, cut_bytes } => {
                let cut = if cut_bytes > 0 { format!(", {cut_bytes} bytes into a line") } else { String::new() };
                Err(self.broken(&io::Error::other(format!("{reason}{cut}"))))
            }
        }
    }

    fn obey(&mut self, event: Event, at: Instant) -> Step {
        match event {
            Event::LoggedIn => {
                self.since = at;
                self.client.was_logged_in = true;
                let text = format!("logged in to {} as {}", self.client.server(), self.client.settings.user);
                self.client.notice(&text);
                self.client.status("waiting for a game");
            }
            Event::LoginRefused => return Err(self.login_refused()),
            Event::Offered(summary) => {
                self.since = at;
                return self.offered(&summary);
            }
            Event::BadOffer(error) => {
                let reject = self.protocol.reject().map_err(|error| lost(&error))?;
                self.send(&reject)?;
                return Err(lost(&format!("a game was rejected: {error}")));
            }
            Event::Rejected(by) => return Err(lost(&format!("the game was rejected by {by}"))),
            Event::Started => self.started(at)?,
            Event::Moved(moved) => self.moved(&moved, at)?,
            Event::Illegal(line, reason) => self.illegal(&line, &reason, at)?,
            Event::Ended(outcome, reason) => {
                self.finish(Some(outcome), &reason.to_string(), Some(&reason));
                let halted = self.client.halt.is_some();
                return Ok(Some(if halted { SessionEnd::Halted } else { SessionEnd::Played }));
            }
            Event::LoggedOut => return Err(lost(&"the server ended the login")),
            Event::Error(text) => return self.server_error(&text),
            Event::Unknown(line) => self.report(&format!("unknown line of the server: {line}")),
            Event::Special(_) | Event::KeptAlive | Event::Partial => {}
        }
        Ok(None)
    }

    fn login_refused(&self) -> SessionError {
        if self.client.was_logged_in {
            // After a lost connection the old login may live on for a while.
            return lost(&"the login was refused (the name is in use, or the password changed)");
        }
        SessionError::Fatal(ClientError::Login(self.client.server(), self.client.settings.user.clone()))
    }

    /// Takes an error line: before the first game it means that there will be none.
    fn server_error(&mut self, text: &str) -> Step {
        if self.protocol.state() != State::Waiting {
            self.report(&format!("error of the server: {text}"));
            return Ok(None);
        }
        if self.client.tally.games > 0 || text.contains("shutdown") {
            return Err(lost(&format!("error of the server: {text}")));
        }
        Err(SessionError::Fatal(ClientError::Refused(self.client.server(), text.to_owned())))
    }

    fn offered(&mut self, summary: &Summary) -> Step {
        if self.client.halt.is_some() {
            return Ok(Some(SessionEnd::Halted));
        }
        if let (Some(wanted), Some("default-1500-0")) = (&self.client.settings.game, summary.game_name())
            && wanted != "default-1500-0"
        {
            let reason = format!("the server does not know the game {wanted}: it offers default-1500-0");
            let reject = self.protocol.reject().map_err(|error| lost(&error))?;
            self.send(&reject)?;
            return Err(SessionError::Fatal(ClientError::Refused(self.client.server(), reason)));
        }
        let is_set = self.set_rules(summary.max_moves, summary.declaration);
        if let Err(error) = is_set.and_then(|is_set| if is_set { self.client.thinker.prepare() } else { Ok(()) }) {
            let reject = self.protocol.reject().map_err(|error| lost(&error))?;
            self.send(&reject)?;
            return Err(SessionError::Fatal(error.into()));
        }
        let agree = self.protocol.agree().map_err(|error| lost(&error))?;
        self.send(&agree)?;
        self.since = Instant::now();
        self.client.status(&format!("game against {}: agreed", summary.opponent()));
        Ok(None)
    }

    /// Sets the options for the rules of a game, where the engine has them; returns true if it has.
    fn set_rules(&mut self, max_moves: Option<u32>, rule: EnteringKingRule) -> Result<bool, PlayerError> {
        if self.client.rules.replace((max_moves, rule)) == Some((max_moves, rule)) {
            return Ok(false);
        }
        let player = self.client.thinker.player();
        let options = player.options();
        let mut values =
            options.iter().filter_map(|option| Some((option, game::rule_option(option, max_moves, rule)?)));
        values.try_fold(false, |_, (option, value)| player.set_option(&option.name, Some(&value)).map(|()| true))
    }

    /// Takes a move that the server confirmed, and begins the next turn.
    fn moved(&mut self, moved: &Moved, at: Instant) -> Result<(), SessionError> {
        if let (Some(game), Some(playing)) = (self.protocol.game(), &mut self.playing) {
            match playing.moved(moved, game.summary.your_turn, at) {
                Ok(Some(delay)) => self.client.delay.observe(delay),
                Ok(None) => {}
                Err(fault) => {
                    self.client.notice(&fault);
                    // It thinks about another position.
                    let _ = self.client.thinker.abandon();
                }
            }
        }
        self.turn(at)
    }

    fn started(&mut self, at: Instant) -> Result<(), SessionError> {
        self.since = at;
        let Some(game) = self.protocol.game() else { return Ok(()) };
        let start = now();
        let summary = game.summary.masked(&self.client.settings.password);
        let (record, opened) = GameRecord::begin(&summary, &start, self.client.settings.records.clone());
        self.playing = Some(Playing::new(record, start, at));
        if let Err(error) = opened {
            self.client.notice(&format!("the journal of the record cannot be written: {error}"));
        }
        self.client.notice(&format!(
            "game {}: {} as {} against {}",
            self.client.tally.games + 1,
            summary.game_id,
            side(summary.your_turn),
            summary.opponent()
        ));
        self.turn(at)
    }

    /// Begins the turn after a move: thinks, or resigns if there is a reason to.
    fn turn(&mut self, at: Instant) -> Result<(), SessionError> {
        let (Some(game), Some(playing)) = (self.protocol.game(), &self.playing) else { return Ok(()) };
        let text = format!("game against {}: move {}", game.summary.opponent(), game.line().count());
        let is_own = game.is_own_turn();
        let must_resign = playing.fault.is_some() || self.halted.is_some();
        let declares = playing.declares && is_won(game);
        let clock = game::clock(game, None, self.client.cut_ms());
        let request = game::request(game, &[], clock, game.turn_began.min(at));
        self.client.status(&text);
        match request {
            _ if !is_own => Ok(()),
            _ if must_resign => self.resign(),
            _ if declares => self.declare(),
            Some(request) => self.client.thinker.think(request).or_else(|error| self.fault(&error.to_string())),
            None => Ok(()),
        }
    }

    /// Takes the answer of the engine, if there is one, and plays it.
    fn take_answer(&mut self) -> Result<(), SessionError> {
        match self.client.thinker.poll() {
            Ok(Some(answer)) => self.answer(answer),
            Ok(None) => Ok(()),
            Err(error) if self.playing.as_ref().is_some_and(|playing| playing.fault.is_none()) => {
                self.fault(&error.to_string())
            }
            // Between games it is started again.
            Err(_) => Ok(()),
        }
    }

    fn answer(&mut self, answer: Answer) -> Result<(), SessionError> {
        if !self.protocol.game().is_some_and(Game::is_own_turn) {
            return Ok(());
        }
        match answer.best {
            Ok(BestMove::Play { best, ponder }) => self.play_move(best, ponder, &answer.report),
            Ok(BestMove::Resign) => self.resign(),
            Ok(BestMove::Win) if self.protocol.game().is_some_and(is_won) => self.declare(),
            Ok(BestMove::Win) => self.think_again(&answer.report),
            Err(text) => self.fault(&format!("the engine answered `{text}`, which is no move")),
        }
    }

    fn play_move(&mut self, best: Move, ponder: Option<Move>, report: &LastReport) -> Result<(), SessionError> {
        let Some(game) = self.protocol.game() else { return Ok(()) };
        let analysis = game::analysis(game, best, report);
        let comment = analysis.as_ref().filter(|_| game.summary.is_floodgate());
        let comment = comment.and_then(|analysis| game::comment(game, best, analysis));
        let Ok(line) = self.protocol.play(best, comment.as_deref()) else {
            return self.fault(&format!("the engine played {best}, which is illegal"));
        };
        self.send(&line)?;
        if let Some(playing) = &mut self.playing {
            playing.sent = Some((best, self.last_sent, analysis));
        }
        self.ponder(best, ponder.filter(|_| self.client.settings.ponder == Pondering::Yes))
    }

    /// Ponders before the echo of the own move.
    fn ponder(&mut self, best: Move, expected: Option<Move>) -> Result<(), SessionError> {
        let (Some(game), Some(expected), Some(playing)) = (self.protocol.game(), expected, &mut self.playing) else {
            return Ok(());
        };
        let elapsed = self.last_sent.saturating_duration_since(game.turn_began) + self.client.delay.worst();
        let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let charged = game.summary.clock(game.summary.your_turn).charged_ms(elapsed_ms);
        let clock = game::clock(game, Some(charged), self.client.cut_ms());
        let Some(request) = game::request(game, &[best, expected], clock, self.last_sent) else { return Ok(()) };
        playing.expected = Some(expected);
        self.client.thinker.ponder(&request).or_else(|error| self.fault(&error.to_string()))
    }

    /// Lets an engine that declared a win which the rules do not give search again without
    /// declarations. If it declares once more, the first move of its line is played.
    fn think_again(&mut self, report: &LastReport) -> Result<(), SessionError> {
        const FAULT: &str = "the engine declared a win that the rules do not give";
        let (Some(game), Some(playing)) = (self.protocol.game(), &mut self.playing) else { return Ok(()) };
        let (max_moves, line) = (game.summary.max_moves, report.pv.first().copied());
        let line = line.filter(|&mv| game.position.is_legal(mv));
        if !std::mem::replace(&mut playing.declares, true) {
            playing.is_hurried = false;
            playing.record.comment(FAULT);
            self.client.notice(&format!("{FAULT}; it searches again without declarations"));
            return match self.set_rules(max_moves, EnteringKingRule::NoEnteringKing) {
                Ok(_) => self.turn(Instant::now()),
                Err(error) => self.fault(&error.to_string()),
            };
        }
        match line {
            Some(mv) => self.play_move(mv, None, report),
            None => self.fault(FAULT),
        }
    }

    fn declare(&mut self) -> Result<(), SessionError> {
        let line = self.protocol.declare().map_err(|error| lost(&error))?;
        self.send(line)
    }

    fn resign(&mut self) -> Result<(), SessionError> {
        // The engine may still think; its answer is void.
        let _ = self.client.thinker.abandon();
        // Refused where it was sent before, or the opponent is to move.
        self.protocol.resign().map_or(Ok(()), |line| self.send(line))
    }

    /// Notes a fault of the own engine, and resigns now or on the next own turn.
    fn fault(&mut self, text: &str) -> Result<(), SessionError> {
        let Some(playing) = &mut self.playing else { return Ok(()) };
        if playing.fault.is_none() {
            playing.fault = Some(text.to_owned());
            playing.record.comment(&self.client.settings.password.masked(text));
            self.client.tally.faults += 1;
            self.client.notice(&format!("{text}; the game is resigned"));
        }
        self.resign()
    }

    /// Notes an illegal move that the server relayed. No line answers it: the verdict is the server's.
    fn illegal(&mut self, line: &str, reason: &str, at: Instant) -> Result<(), SessionError> {
        let text = self.client.settings.password.masked(&format!("illegal move {line}: {reason}"));
        let _ = self.client.thinker.abandon();
        if let Some(playing) = &mut self.playing {
            playing.record.comment(&text);
            playing.heard = at;
            playing.foul = Some(text.clone());
        }
        self.client.notice(&text);
        Ok(())
    }

    fn halt(&mut self, halt: Halt) -> Step {
        let halt = if self.client.halt.is_some() { Halt::Now } else { halt };
        self.client.halt = Some(halt);
        let has_agreed = self.protocol.state() == State::Agreed && halt == Halt::AfterGame;
        if self.playing.is_none() && !has_agreed {
            return Ok(Some(SessionEnd::Halted));
        }
        if halt == Halt::AfterGame {
            self.client.notice("the program ends after this game; interrupt again to resign");
            return Ok(None);
        }
        if self.halted.is_none() {
            self.halted = Some(Instant::now());
            self.client.notice("resigning");
            if let Some(playing) = &mut self.playing {
                playing.record.comment("interrupted by the user");
            }
            self.resign()?;
        }
        Ok(None)
    }

    /// Ends the game that is in progress, if there is one, without a result.
    fn break_off(&mut self, reason: &str) {
        if self.playing.is_some() {
            self.finish(None, reason, None);
        }
    }

    /// Writes the record and reports the game.
    fn finish(&mut self, outcome: Option<GameOutcome>, why: &str, reason: Option<&Reason>) {
        let (Some(playing), Some(game)) = (self.playing.take(), self.protocol.game()) else { return };
        let (end, comment) = match (outcome, reason) {
            (Some(outcome), Some(reason)) => game::verdict(game, outcome, reason),
            _ => (game::broken_off(), Some(why.to_owned())),
        };
        let client = &mut *self.client;
        let secret = client.settings.password.clone();
        let masked = |text: &str| secret.masked(text);
        let comment = comment.map(|text| masked(&text));
        let record = playing.record.finish(end, comment.as_deref());
        let limit = self.halted.map_or(STOP_LIMIT, |at| (at + HALT_LIMIT).saturating_duration_since(Instant::now()));
        client.end_search(outcome, limit);
        client.tally.count(outcome);
        let summary = &game.summary;
        let report = GameReport {
            game: client.tally.games,
            server: client.server(),
            game_id: masked(&summary.game_id),
            opponent: masked(summary.opponent()),
            side: side(summary.your_turn),
            result: outcome.map_or_else(|| "unknown".to_owned(), GameOutcome::word),
            reason: masked(why),
            moves: game.moves.len(),
            start: playing.start,
            end: now(),
            own_ms: playing.own_ms,
            echo_ms: u64::try_from(client.delay.worst().as_millis()).unwrap_or(u64::MAX),
            ponder_hits: playing.ponder_hits,
            record: record.as_ref().ok().and_then(|path: &Option<PathBuf>| Some(path.as_ref()?.display().to_string())),
            fault: playing.fault.or(playing.foul).or(playing.other_echo).map(|text| masked(&text)),
        };
        if let Err(error) = record {
            client.notice(&format!("the record cannot be written: {error}"));
        }
        let tally = client.tally;
        client.listener.game(&report, &tally);
    }

    fn send(&mut self, line: &str) -> Result<(), SessionError> {
        self.client.trace(Direction::Sent, line);
        self.last_sent = self.connection.send(line).map_err(|error| self.broken(&error))?;
        Ok(())
    }

    /// Reports an oddity of the server, the first ones only.
    fn report(&mut self, text: &str) {
        self.notices += 1;
        if self.notices <= MAX_NOTICES {
            self.client.notice(text);
        }
    }

    fn broken(&self, error: &io::Error) -> SessionError {
        self.lost_game(&format!("connection lost: {error}"))
    }

    fn lost_game(&self, reason: &str) -> SessionError {
        SessionError::Lost { reason: reason.to_owned(), game_was_begun: self.playing.is_some() }
    }
}

impl Client<'_> {
    /// Least margin for the network.
    fn floor(&self) -> Duration {
        self.own_margin.unwrap_or(self.settings.margin)
    }

    /// Ends the search of a game that is over, and takes its answer within `limit`.
    fn end_search(&mut self, outcome: Option<GameOutcome>, limit: Duration) {
        let (halts, halt) = (&self.halts, &mut self.halt);
        let is_halted = || {
            let next = halts.try_recv().ok();
            *halt = (*halt).max(next);
            next == Some(Halt::Now)
        };
        // An engine that does not answer is started again before the next game.
        if self.thinker.settle(limit, is_halted).is_ok()
            && let Some(outcome) = outcome
        {
            self.thinker.player().game_over(game::for_engine(outcome));
        }
    }

    /// Time that the engine's clock is shown short: the margin, less the engine's own.
    fn cut_ms(&self) -> u64 {
        let margin = self.delay.margin(self.floor());
        let kept = self.own_margin.unwrap_or_default();
        u64::try_from(margin.saturating_sub(kept).as_millis()).unwrap_or(u64::MAX)
    }
}

/// Connects; `None` when the user interrupts.
fn connect(client: &mut Client<'_>) -> Result<Option<Connection>, SessionError> {
    client.status(&format!("connecting to {}", client.server()));
    let opening = Connection::open(&client.settings.host, client.settings.port);
    let halts = client.halts.clone();
    let limit = client.settings.limits.login;
    let opened = select! {
        recv(opening) -> opened => opened.unwrap_or_else(|error| Err(io::Error::other(error))),
        recv(halts) -> halt => match halt {
            Ok(halt) => {
                client.halt = Some(halt);
                return Ok(None);
            }
            // No sender of interruptions is left.
            Err(_) => opening.recv_timeout(limit).unwrap_or_else(|error| match error {
                RecvTimeoutError::Timeout => Err(io::ErrorKind::TimedOut.into()),
                RecvTimeoutError::Disconnected => Err(io::Error::other("no thread")),
            }),
        },
        default(limit) => Err(io::ErrorKind::TimedOut.into()),
    };
    match opened {
        Ok(connection) => Ok(Some(connection)),
        Err(error) if client.was_logged_in => Err(lost(&format!("cannot connect: {error}"))),
        Err(error) => Err(SessionError::Fatal(ClientError::Connect(client.server(), error.to_string()))),
    }
}

fn lost(reason: &dyn ToString) -> SessionError {
    SessionError::Lost { reason: reason.to_string(), game_was_begun: false }
}

/// Returns true if the side to move wins by declaring.
fn is_won(game: &Game) -> bool {
    game.position.declaration(game.summary.declaration) == Declaration::Win
}

const fn side(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// The local time, as records hold it.
fn now() -> String {
    Zoned::now().datetime().strftime("%Y/%m/%d %H:%M:%S").to_string()
}
