//! One connection: from `LOGIN` to the end of a game.

mod timers;

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, select};
use enbu_files::reason;
use enbu_kifu::{End, EndKind};
use enbu_language::{Both, Language, pick, text};
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
    Lost { reason: Both, game_was_begun: bool },
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
            session.finish(None, reason, None);
        }
        played
    }

    fn play(&mut self) -> Result<SessionEnd, SessionError> {
        let password = self.client.settings.password.for_game(self.client.settings.game.as_deref());
        let login = self.protocol.login(&password).map_err(lost)?;
        self.client.trace(Direction::Sent, &format!("LOGIN {} ********", self.client.settings.user));
        self.last_sent = self.connection.send(&login).map_err(|error| self.broken(reason(&error)))?;
        loop {
            let pause = self.next_timer().saturating_duration_since(Instant::now());
            let (incoming, wake, halts) =
                (self.connection.incoming.clone(), self.client.wake.clone(), self.client.halts.clone());
            let end = select! {
                recv(incoming) -> incoming => match incoming {
                    Ok(incoming) => self.take(incoming)?,
                    Err(_) => return Err(self.broken(text!("the connection ended", "サーバーとの接続が終わりました"))),
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
                let text = "サーバーから 64 KiB を超える行が届いたので無視しました";
                self.report(pick("the server sent a line of more than 64 KiB; it was skipped", text));
                Ok(None)
            }
            Incoming::Closed { reason, cut_bytes } => {
                let cut = text!("{reason}, {cut_bytes} bytes into a line", "{reason}（行の途中 {cut_bytes} バイト）");
                Err(if cut_bytes == 0 { self.broken(&reason) } else { self.broken(cut) })
            }
        }
    }

    fn obey(&mut self, event: Event, at: Instant) -> Step {
        match event {
            Event::LoggedIn => {
                self.since = at;
                self.client.was_logged_in = true;
                let (server, user) = (self.client.server(), self.client.settings.user.clone());
                self.client
                    .notice(text!("logged in to {server} as {user}", "{server} に {user} としてログインしました"));
                self.client.status(pick("waiting for a game", "対局待ち"));
            }
            Event::LoginRefused => return Err(self.login_refused()),
            Event::Offered(summary) => {
                self.since = at;
                return self.offered(&summary);
            }
            Event::BadOffer(error) => {
                return self.reject(lost(text!("a game was rejected: {error}", "対局を断りました：{error}")));
            }
            Event::Rejected(by) => return Err(lost(text!("the game was rejected by {by}", "{by} が対局を断りました"))),
            Event::Started => self.started(at)?,
            Event::Moved(moved) => self.moved(&moved, at)?,
            Event::Illegal(line, reason) => self.illegal(&line, &reason, at)?,
            Event::Ended(outcome, reason) => {
                let why = Both { english: reason.to_string(), japanese: reason.japanese().to_owned() };
                self.finish(Some(outcome), &why, Some(&reason));
                let halted = self.client.halt.is_some();
                return Ok(Some(if halted { SessionEnd::Halted } else { SessionEnd::Played }));
            }
            Event::LoggedOut => {
                return Err(lost(text!("the server ended the login", "サーバーがログインを終了させました")));
            }
            Event::Error(text) => return self.server_error(&text),
            Event::Unknown(line) => {
                self.report(text!("unknown line of the server: {line}", "サーバーから未知の行：{line}"))
            }
            Event::Special(_) | Event::KeptAlive | Event::Partial => {}
        }
        Ok(None)
    }

    fn login_refused(&self) -> SessionError {
        if self.client.was_logged_in {
            // After a lost connection the old login may live on for a while.
            return lost(text!(
                "the login was refused (the name is in use, or the password changed)",
                "ログインを拒否されました（名前が使用中か、パスワードが変わっています）"
            ));
        }
        SessionError::Fatal(ClientError::Login(self.client.server(), self.client.settings.user.clone()))
    }

    /// Takes an error line: before the first game it means that there will be none.
    fn server_error(&mut self, text: &str) -> Step {
        if self.protocol.state() != State::Waiting {
            self.report(text!("error of the server: {text}", "サーバーのエラー：{text}"));
            return Ok(None);
        }
        if self.client.tally.games > 0 || text.contains("shutdown") {
            return Err(lost(text!("error of the server: {text}", "サーバーのエラー：{text}")));
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
            let reason = text!(
                "the server does not know the game {wanted}: it offers default-1500-0",
                "サーバーに {wanted} というゲームがありません（default-1500-0 を提案されました）"
            )
            .to_string();
            return self.reject(SessionError::Fatal(ClientError::Refused(self.client.server(), reason)));
        }
        let is_set = self.set_rules(summary.max_moves, summary.declaration);
        if let Err(error) = is_set.and_then(|is_set| if is_set { self.client.thinker.prepare() } else { Ok(()) }) {
            return self.reject(SessionError::Fatal(error.into()));
        }
        let agree = self.protocol.agree().map_err(lost)?;
        self.send(&agree)?;
        self.since = Instant::now();
        self.client.status(text!("game against {}: agreed", "{} と対局：合意済み", summary.opponent()));
        Ok(None)
    }

    /// Rejects the offered game for this reason.
    fn reject(&mut self, reason: SessionError) -> Step {
        let line = self.protocol.reject().map_err(lost)?;
        self.send(&line)?;
        Err(reason)
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
                    self.client.notice(fault);
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
            let error = reason(&error);
            let text =
                text!("the journal of the record cannot be written: {error}", "棋譜の控えを書き込めません：{error}");
            self.client.notice(text);
        }
        let (number, id, opponent) = (self.client.tally.games + 1, &summary.game_id, summary.opponent());
        let [english, japanese] = sides(summary.your_turn);
        let side = pick(english, japanese);
        let text =
            text!("game {number}: {id} as {side} against {opponent}", "第{number}局：{id}、{side}番、相手 {opponent}");
        self.client.notice(text);
        self.turn(at)
    }

    /// Begins the turn after a move: thinks, or resigns if there is a reason to.
    fn turn(&mut self, at: Instant) -> Result<(), SessionError> {
        let (Some(game), Some(playing)) = (self.protocol.game(), &self.playing) else { return Ok(()) };
        let (opponent, moves) = (game.summary.opponent(), game.line().count());
        let text = text!("game against {opponent}: move {moves}", "{opponent} と対局：{moves}手目").to_string();
        let is_own = game.is_own_turn();
        let must_resign = playing.fault.is_some() || self.halted.is_some();
        let declares = playing.declares && is_won(game);
        let clock = game::clock(game, None, self.client.cut_ms());
        let request = game::request(game, &[], clock, game.turn_began.min(at));
        self.client.status(text);
        match request {
            _ if !is_own => Ok(()),
            _ if must_resign => self.resign(),
            _ if declares => self.declare(),
            Some(request) => self.client.thinker.think(request).or_else(|error| self.fault(error)),
            None => Ok(()),
        }
    }

    /// Takes the answer of the engine, if there is one, and plays it.
    fn take_answer(&mut self) -> Result<(), SessionError> {
        match self.client.thinker.poll() {
            Ok(Some(answer)) => self.answer(answer),
            Ok(None) => Ok(()),
            Err(error) if self.playing.as_ref().is_some_and(|playing| playing.fault.is_none()) => self.fault(error),
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
            Err(text) => self.fault(text!(
                "the engine answered `{text}`, which is no move",
                "エンジンの応答 `{text}` は指し手ではありません"
            )),
        }
    }

    fn play_move(&mut self, best: Move, ponder: Option<Move>, report: &LastReport) -> Result<(), SessionError> {
        let Some(game) = self.protocol.game() else { return Ok(()) };
        let analysis = game::analysis(game, best, report);
        let comment = analysis.as_ref().filter(|_| game.summary.is_floodgate());
        let comment = comment.and_then(|analysis| game::comment(game, best, analysis));
        let Ok(line) = self.protocol.play(best, comment.as_deref()) else {
            return self.fault(text!("the engine played {best}, which is illegal", "エンジンの手 {best} は反則です"));
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
        self.client.thinker.ponder(&request).or_else(|error| self.fault(error))
    }

    /// Lets an engine that declared a win which the rules do not give search again without
    /// declarations. If it declares once more, the first move of its line is played.
    fn think_again(&mut self, report: &LastReport) -> Result<(), SessionError> {
        let fault = text!(
            "the engine declared a win that the rules do not give",
            "エンジンが条件を満たさない入玉宣言をしました"
        );
        let (Some(game), Some(playing)) = (self.protocol.game(), &mut self.playing) else { return Ok(()) };
        let (max_moves, line) = (game.summary.max_moves, report.pv.first().copied());
        let line = line.filter(|&mv| game.position.is_legal(mv));
        if !std::mem::replace(&mut playing.declares, true) {
            playing.is_hurried = false;
            playing.record.comment(&Language::English.render(&fault));
            self.client
                .notice(text!("{fault}; it searches again without declarations", "{fault}。宣言なしで考え直します"));
            return match self.set_rules(max_moves, EnteringKingRule::NoEnteringKing) {
                Ok(_) => self.turn(Instant::now()),
                Err(error) => self.fault(error),
            };
        }
        match line {
            Some(mv) => self.play_move(mv, None, report),
            None => self.fault(fault),
        }
    }

    fn declare(&mut self) -> Result<(), SessionError> {
        let line = self.protocol.declare().map_err(lost)?;
        self.send(line)
    }

    fn resign(&mut self) -> Result<(), SessionError> {
        // The engine may still think; its answer is void.
        let _ = self.client.thinker.abandon();
        // Refused where it was sent before, or the opponent is to move.
        self.protocol.resign().map_or(Ok(()), |line| self.send(line))
    }

    /// Notes a fault of the own engine, and resigns now or on the next own turn.
    fn fault(&mut self, text: impl Display) -> Result<(), SessionError> {
        let Some(playing) = &mut self.playing else { return Ok(()) };
        if playing.fault.is_none() {
            let english = Language::English.render(&text);
            playing.record.comment(&self.client.settings.password.masked(&english));
            playing.fault = Some(english);
            self.client.tally.faults += 1;
            self.client.notice(text!("{text}; the game is resigned", "{text}。投了します"));
        }
        self.resign()
    }

    /// Notes an illegal move that the server relayed. No line answers it: the verdict is the server's.
    fn illegal(&mut self, line: &str, reason: &Both, at: Instant) -> Result<(), SessionError> {
        let text = text!("illegal move {line}: {reason}", "反則の手 {line}：{reason}");
        let english = self.client.settings.password.masked(&Language::English.render(&text));
        let _ = self.client.thinker.abandon();
        if let Some(playing) = &mut self.playing {
            playing.record.comment(&english);
            playing.heard = at;
            playing.foul = Some(english);
        }
        self.client.notice(text);
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
            self.client.notice(text!(
                "the program ends after this game; interrupt again to resign",
                "この対局が終わったら終了します。もう一度中断すると投了します"
            ));
            return Ok(None);
        }
        if self.halted.is_none() {
            self.halted = Some(Instant::now());
            self.client.notice(pick("resigning", "投了します"));
            if let Some(playing) = &mut self.playing {
                playing.record.comment("interrupted by the user");
            }
            self.resign()?;
        }
        Ok(None)
    }

    /// Ends the game that is in progress, if there is one: writes the record and reports the game.
    fn finish(&mut self, outcome: Option<GameOutcome>, why: &Both, reason: Option<&Reason>) {
        let (Some(playing), Some(game)) = (self.playing.take(), self.protocol.game()) else { return };
        let (end, comment) = match (outcome, reason) {
            (Some(outcome), Some(reason)) => game::verdict(game, outcome, reason),
            // The game continues without this client.
            _ => (End { kind: EndKind::Abort, result: None }, Some(why.english.clone())),
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
        let [result, japanese] = outcome.map_or(["unknown", "結果なし"], GameOutcome::words);
        let report = GameReport {
            game: client.tally.games,
            server: client.server(),
            game_id: masked(&summary.game_id),
            opponent: masked(summary.opponent()),
            side: sides(summary.your_turn)[0],
            result: result.to_owned(),
            reason: masked(&why.english),
            verdict: Both {
                english: format!("{result} ({})", masked(&why.english)),
                japanese: format!("{japanese}（{}）", masked(&why.japanese)),
            },
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
            let error = enbu_files::reason(&error);
            client.notice(text!("the record cannot be written: {error}", "棋譜を書き込めません：{error}"));
        }
        let tally = client.tally;
        client.listener.game(&report, &tally);
    }

    fn send(&mut self, line: &str) -> Result<(), SessionError> {
        self.client.trace(Direction::Sent, line);
        self.last_sent = self.connection.send(line).map_err(|error| self.broken(reason(&error)))?;
        Ok(())
    }

    /// Reports an oddity of the server, the first ones only.
    fn report(&mut self, text: impl Display) {
        self.notices += 1;
        if self.notices <= MAX_NOTICES {
            self.client.notice(text);
        }
    }

    fn broken(&self, reason: impl Display) -> SessionError {
        self.lost_game(text!("connection lost: {reason}", "接続が切れました：{reason}"))
    }

    fn lost_game(&self, reason: impl Display) -> SessionError {
        SessionError::Lost { reason: Both::of(reason), game_was_begun: self.playing.is_some() }
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
    let server = client.server();
    client.status(text!("connecting to {server}", "{server} に接続中"));
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
        Err(error) if client.was_logged_in => {
            Err(lost(text!("cannot connect: {}", "接続できません：{}", reason(&error))))
        }
        Err(error) => Err(SessionError::Fatal(ClientError::Connect(client.server(), reason(&error).to_string()))),
    }
}

fn lost(reason: impl Display) -> SessionError {
    SessionError::Lost { reason: Both::of(reason), game_was_begun: false }
}

/// Returns true if the side to move wins by declaring.
fn is_won(game: &Game) -> bool {
    game.position.declaration(game.summary.declaration) == Declaration::Win
}

/// Name of a side in files, and in Japanese.
const fn sides(color: Color) -> [&'static str; 2] {
    color.select([["black", "先手"], ["white", "後手"]])
}

/// The local time, as records hold it.
fn now() -> String {
    Zoned::now().datetime().strftime("%Y/%m/%d %H:%M:%S").to_string()
}
