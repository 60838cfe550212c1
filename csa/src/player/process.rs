//! An engine in a process of its own, by USI.

use std::path::PathBuf;
use std::process::Command as ProcessCommand;
use std::time::{Duration, Instant};

use enbu_usi::client::{Cancel, Client, ClientError, LastReport};
use enbu_usi::{Clock, Command, GameResult, OptionKind, OptionSpec, PositionCommand};

use super::{Answer, Player, PlayerError, Pondering, Request, Waker};

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

/// The command of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    /// Program.
    pub program: String,
    /// Arguments.
    pub arguments: Vec<String>,
    /// Folder in which it runs; the caller's if absent.
    pub dir: Option<PathBuf>,
}

/// A USI engine in a process.
pub struct Process {
    command: EngineCommand,
    waker: Waker,
    client: Client,
    /// Options that were set, for a new start.
    set: Vec<(String, Option<String>)>,
    report: LastReport,
    cancel: Cancel,
}

impl Process {
    /// Starts the engine. `cancel` ends its waiting.
    ///
    /// # Errors
    /// [`PlayerError`] when it cannot be started or sends no `usiok`.
    pub fn start(command: EngineCommand, waker: Waker, cancel: Cancel) -> Result<Self, PlayerError> {
        let client = start(&command, &waker, &cancel)?;
        Ok(Self { command, waker, client, set: Vec::new(), report: LastReport::default(), cancel })
    }

    fn send_option(&mut self, name: &str, value: Option<&str>) -> Result<(), PlayerError> {
        let command = Command::SetOption { name: name.to_owned(), value: value.map(str::to_owned) };
        self.client.send(&command).map_err(|error| fault(&error))
    }
}

fn start(command: &EngineCommand, waker: &Waker, cancel: &Cancel) -> Result<Client, PlayerError> {
    let mut process = ProcessCommand::new(&command.program);
    process.args(&command.arguments);
    if let Some(dir) = &command.dir {
        process.current_dir(dir);
    }
    let mut client = Client::start(process, START_LIMIT, cancel, None).map_err(|error| fault(&error))?;
    client.limit_writing(WRITE_LIMIT);
    let waker = waker.clone();
    client.set_waker(move || waker());
    Ok(client)
}

fn fault(error: &ClientError) -> PlayerError {
    match error {
        ClientError::Silent { .. } => PlayerError::Silent(error.to_string()),
        error => PlayerError::Died(error.to_string()),
    }
}

impl Player for Process {
    fn name(&self) -> String {
        let name = &self.client.identity().name;
        if name.is_empty() { self.command.program.clone() } else { name.clone() }
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.client.identity().options.clone()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), PlayerError> {
        if !self.options().iter().any(|option| option.name.eq_ignore_ascii_case(name)) {
            let reason = format!("{} does not declare it", self.name());
            return Err(PlayerError::Option { name: name.to_owned(), reason });
        }
        self.send_option(name, value)?;
        self.set.retain(|(known, _)| known != name);
        self.set.push((name.to_owned(), value.map(str::to_owned)));
        Ok(())
    }

    fn option_text(&self, name: &str) -> Option<String> {
        if let Some((_, value)) = self.set.iter().find(|(known, _)| known == name) {
            return value.clone();
        }
        let option = self.options().into_iter().find(|option| option.name == name)?;
        match option.kind {
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Combo { default, .. } | OptionKind::Text { default } => Some(default),
            _ => None,
        }
    }

    fn prepare(&mut self) -> Result<(), PlayerError> {
        self.client.new_game(READY_LIMIT).map_err(|error| fault(&error))
    }

    fn revive(&mut self) -> Result<(), PlayerError> {
        let client = start(&self.command, &self.waker, &self.cancel)?;
        std::mem::replace(&mut self.client, client).quit(Duration::ZERO);
        for (name, value) in self.set.clone() {
            self.send_option(&name, value.as_deref())?;
        }
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
        self.client.go(&position.to_string(), &go.to_string()).map(drop).map_err(|error| fault(&error))
    }

    fn ponder_hit(&mut self, clock: &Clock, _: Instant) -> Result<(), PlayerError> {
        // Times after `ponderhit` are an extension that other engines may misread.
        let with_times = self.client.identity().name.starts_with("Enbu");
        let hit = Command::PonderHit(with_times.then_some(*clock));
        self.client.send(&hit).map_err(|error| fault(&error))
    }

    fn stop(&mut self) -> Result<(), PlayerError> {
        self.client.send(&Command::Stop).map_err(|error| fault(&error))
    }

    fn poll(&mut self) -> Result<Option<Answer>, PlayerError> {
        let answer = self.client.poll_answer(&mut self.report).map_err(|error| fault(&error))?;
        Ok(answer.map(|answer| Answer { best: answer.best, report: answer.report }))
    }

    fn game_over(&mut self, result: GameResult) {
        // An engine that has ended is noticed when it is made ready for the next game.
        let _ = self.client.game_over(result);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.client.quit(QUIT_LIMIT);
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
