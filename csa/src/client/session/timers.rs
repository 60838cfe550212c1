//! Deadlines of a session: keep-alive lines, the end of the own time, silence.

use std::time::{Duration, Instant};

use super::super::game;
use super::{HALT_LIMIT, Session, SessionEnd, SessionError, Step, lost};
use enbu_language::{Both, text};

use crate::player::Request;
use crate::protocol::State;

/// Kept free at least at the end of the own time, besides the delay of the network.
const LAST: Duration = Duration::from_millis(30);

impl Session<'_, '_> {
    pub(super) fn next_timer(&self) -> Instant {
        let keep_alive = self.protocol.keep_alive().ok().map(|_| self.last_sent + self.client.settings.keepalive);
        let halt = self.halted.map(|at| at + HALT_LIMIT);
        let latest = Instant::now() + Duration::from_millis(500);
        [keep_alive, self.hurry_at(), halt].into_iter().flatten().fold(latest, Instant::min)
    }

    /// Time at which the engine must answer: the end of the own time, less the delay of the network.
    fn hurry_at(&self) -> Option<Instant> {
        let game = self.protocol.game().filter(|game| game.is_own_turn())?;
        self.playing.as_ref().filter(|playing| !playing.is_hurried)?;
        let available = game::available(game, game.summary.your_turn)?;
        // Half of the margin, so that an engine that keeps the margin itself is not hurried.
        let kept = self.client.delay.worst() + (self.client.floor() / 2).max(LAST);
        Some(game.turn_began + available.saturating_sub(kept).max(available / 2))
    }

    pub(super) fn timers(&mut self) -> Step {
        let now = Instant::now();
        if self.protocol.keep_alive().is_ok() && now >= self.last_sent + self.client.settings.keepalive {
            self.send("")?;
        }
        if self.hurry_at().is_some_and(|at| now >= at) {
            if let Some(playing) = &mut self.playing {
                playing.is_hurried = true;
            }
            if let Err(error) = self.client.thinker.hurry() {
                self.fault(error)?;
            }
        }
        if self.halted.is_some_and(|at| now >= at + HALT_LIMIT) {
            // The server counts a closed connection as resignation.
            self.finish(None, &Both::of(text!("the program was interrupted", "中断されました")), None);
            return Ok(Some(SessionEnd::Halted));
        }
        self.check_silence(now)?;
        Ok(None)
    }

    /// Ends the session when the server or the engine is silent for too long.
    fn check_silence(&mut self, now: Instant) -> Result<(), SessionError> {
        let limits = self.client.settings.limits;
        let waited = now.saturating_duration_since(self.since);
        if self.protocol.offer_began().is_some_and(|at| now.saturating_duration_since(at) > limits.start) {
            return Err(lost(text!("the offer of a game does not end", "対局条件の送信が終わりません")));
        }
        match self.protocol.state() {
            State::LoggingIn if waited > limits.login => {
                return Err(lost(text!("the server does not answer the login", "サーバーがログインに応答しません")));
            }
            State::Agreed if waited > limits.start => {
                return Err(lost(text!("the game does not start", "対局が始まりません")));
            }
            State::Playing => {}
            _ => return Ok(()),
        }
        let (Some(game), Some(playing)) = (self.protocol.game(), &self.playing) else { return Ok(()) };
        let silence = now.saturating_duration_since(playing.heard);
        if playing.foul.is_some() {
            let fault = text!("no verdict on an illegal move", "反則手の裁定がありません");
            return if silence > limits.verdict { Err(self.lost_game(fault)) } else { Ok(()) };
        }
        let turn = game.position.turn();
        if game.is_own_turn() {
            let time = game::available(game, turn).unwrap_or(Request::WITHOUT_CLOCK);
            let is_silent = now > game.turn_began + time + limits.engine && playing.fault.is_none();
            let fault = text!("the engine does not answer", "エンジンが応答しません");
            return if is_silent { self.fault(fault) } else { Ok(()) };
        }
        let limit = game::available(game, turn).map(|time| time + limits.server);
        if limit.is_some_and(|limit| silence > limit) {
            return Err(self.lost_game(text!("the server is silent", "サーバーからの通信が途絶えました")));
        }
        Ok(())
    }
}
