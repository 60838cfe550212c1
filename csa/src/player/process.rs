//! An engine in a process of its own, by USI.

use std::time::{Duration, Instant};

use enbu_usi::client::{Answer, Cancel, Driver, LastReport, Launch, Wiretap};
use enbu_usi::{Clock, Command, GameResult, OptionSpec, PositionCommand};

use super::{Player, PlayerError, Pondering, Request, Waker};

/// Limit from the start to `usiok`.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Limit from `isready` to `readyok`.
const READY_LIMIT: Duration = Duration::from_secs(120);

/// Limit for the reading of a line: the own clock may run.
const WRITE_LIMIT: Duration = Duration::from_secs(1);

/// Limit from `quit` to the end.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// Delay of `go` that is not taken off the clock: whole seconds stay whole.
const FREE_DELAY: Duration = Duration::from_millis(20);

/// A USI engine in a process.
pub struct Process {
    /// With the options that were set, for a new start.
    launch: Launch,
    waker: Waker,
    driver: Driver,
    report: LastReport,
    cancel: Cancel,
    notice: Option<Notice>,
}

/// Receiver of the messages of an engine.
pub type Notice = fn(&str);

struct Messages(Notice);

impl Wiretap for Messages {
    fn sent(&mut self, _: &str) {}

    fn heard(&mut self, line: &str) {
        line.strip_prefix("info string ").into_iter().for_each(self.0);
    }
}

impl Process {
    /// Starts the engine. `cancel` ends its waits, and `notice` gets its messages.
    pub fn start(launch: Launch, waker: Waker, cancel: Cancel, notice: Option<Notice>) -> Result<Self, PlayerError> {
        let driver = start(&launch, &waker, &cancel, notice)?;
        Ok(Self { launch, waker, driver, report: LastReport::default(), cancel, notice })
    }
}

fn start(launch: &Launch, waker: &Waker, cancel: &Cancel, notice: Option<Notice>) -> Result<Driver, PlayerError> {
    let tap = notice.map(|notice| Box::new(Messages(notice)) as Box<dyn Wiretap>);
    let mut driver = Driver::start(launch, START_LIMIT, cancel, tap)?;
    driver.write_limit = WRITE_LIMIT;
    let waker = waker.clone();
    driver.set_waker(move || waker());
    Ok(driver)
}

impl Player for Process {
    fn options(&self) -> Vec<OptionSpec> {
        self.driver.identity.options.clone()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), PlayerError> {
        self.driver.set_option(name, value)?;
        self.launch.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.launch.options.push((name.to_owned(), value.map(str::to_owned)));
        Ok(())
    }

    fn option_text(&self, name: &str) -> Option<String> {
        let set = self.launch.options.iter().find(|(known, _)| known == name);
        let default = || self.driver.identity.option(name).map(|option| option.default.to_string());
        set.map_or_else(default, |(_, value)| value.clone())
    }

    fn prepare(&mut self) -> Result<(), PlayerError> {
        Ok(self.driver.new_game(READY_LIMIT)?)
    }

    fn revive(&mut self) -> Result<(), PlayerError> {
        let driver = start(&self.launch, &self.waker, &self.cancel, self.notice)?;
        std::mem::replace(&mut self.driver, driver).quit(Duration::ZERO);
        Ok(())
    }

    fn go(&mut self, request: &Request, ponder: Pondering) -> Result<(), PlayerError> {
        let mut request = request.clone();
        let late = request.started.elapsed();
        if ponder == Pondering::No && late > FREE_DELAY {
            let late_ms = u64::try_from(late.as_millis()).unwrap_or(u64::MAX);
            request.clock = shortened(request.clock, request.position.turn(), late_ms);
        }
        let moves = request.moves.clone();
        let position = Command::Position(PositionCommand { setup: request.setup.clone(), moves, tail: None });
        let go = Command::Go(request.go(ponder == Pondering::Yes));
        self.report = LastReport::default();
        Ok(self.driver.go(&position.to_string(), &go.to_string()).map(drop)?)
    }

    fn ponder_hit(&mut self, clock: &Clock, _: Instant) -> Result<(), PlayerError> {
        // Times after `ponderhit` are an extension that other engines may misread.
        let with_times = self.driver.identity.name.starts_with("Enbu");
        Ok(self.driver.send(&Command::PonderHit(with_times.then_some(*clock)))?)
    }

    fn stop(&mut self) -> Result<(), PlayerError> {
        Ok(self.driver.send(&Command::Stop)?)
    }

    fn poll(&mut self) -> Result<Option<Answer>, PlayerError> {
        Ok(self.driver.poll_answer(&mut self.report)?)
    }

    fn game_over(&mut self, result: GameResult) {
        // An engine that has ended is noticed when it is made ready for the next game.
        let _ = self.driver.send(&Command::GameOver(Some(result)));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.driver.quit(QUIT_LIMIT);
    }
}

/// `clock` with `ms` less for `turn`.
pub(crate) fn shortened(mut clock: Clock, turn: enbu_movegen::Color, ms: u64) -> Clock {
    let main = match turn {
        enbu_movegen::Color::Black => &mut clock.black_ms,
        enbu_movegen::Color::White => &mut clock.white_ms,
    };
    match main {
        Some(time) if *time >= ms => *time -= ms,
        _ => {
            // Half of a byoyomi is left even where the network is slower than that.
            clock.byoyomi_ms = clock.byoyomi_ms.map(|time| time.saturating_sub(ms).max(time / 2));
        }
    }
    clock
}
