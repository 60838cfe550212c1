//! An engine in this process.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, unbounded};
use enbu_usi::client::LastReport;
use enbu_usi::{Clock, Engine, Event, EventSender, GameResult, OptionSpec, Outcome};

use super::{Answer, Player, PlayerError, Pondering, Request, Waker};

/// A USI engine without a process of its own.
pub struct Inside<E> {
    engine: E,
    waker: Waker,
    sender: Sender<(u64, Event)>,
    events: Receiver<(u64, Event)>,
    /// Number of the current search; events of others are late.
    search: u64,
    report: LastReport,
    notice: Box<dyn FnMut(&str)>,
}

impl<E: Engine> Inside<E> {
    /// Plays by `engine`, whose messages go to `notice`.
    pub fn new(engine: E, waker: Waker, notice: impl FnMut(&str) + 'static) -> Self {
        let (sender, events) = unbounded();
        let notice = Box::new(notice);
        Self { engine, waker, sender, events, search: 0, report: LastReport::default(), notice }
    }
}

impl<E: Engine> Player for Inside<E> {
    fn options(&self) -> Vec<OptionSpec> {
        self.engine.options()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), PlayerError> {
        Ok(self.engine.set_option(name, value)?)
    }

    fn option_text(&self, name: &str) -> Option<String> {
        self.engine.option_text(name)
    }

    fn prepare(&mut self) -> Result<(), PlayerError> {
        self.engine.prepare(&AtomicBool::new(false), &mut self.notice);
        self.engine.new_game();
        Ok(())
    }

    fn revive(&mut self) -> Result<(), PlayerError> {
        self.search += 1;
        Ok(())
    }

    fn go(&mut self, request: &Request, ponder: Pondering) -> Result<(), PlayerError> {
        self.search += 1;
        self.report = LastReport::default();
        let (sender, waker, search) = (self.sender.clone(), self.waker.clone(), self.search);
        let events = EventSender::new(move |event| {
            // The player is gone only at the end of the program.
            let _ = sender.send((search, event));
            waker();
        });
        let go = request.go(ponder == Pondering::Yes);
        self.engine.go(&request.position, &go, request.started, events);
        Ok(())
    }

    fn ponder_hit(&mut self, clock: &Clock, at: Instant) -> Result<(), PlayerError> {
        self.engine.ponderhit(Some(clock), at);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), PlayerError> {
        self.engine.stop();
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Answer>, PlayerError> {
        while let Ok((search, event)) = self.events.try_recv() {
            match event {
                _ if search != self.search => {}
                Event::Info(info) => self.report.update(info, None),
                Event::Notice(text) => (self.notice)(&text),
                Event::Done(Outcome::BestMove(best)) => {
                    return Ok(Some(Answer { best: Ok(best), report: std::mem::take(&mut self.report) }));
                }
                Event::Done(_) => return Err(PlayerError::Died("ended its search without an answer".to_owned())),
            }
        }
        Ok(None)
    }

    fn game_over(&mut self, _: GameResult) {}
}
