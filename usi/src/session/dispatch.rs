//! Execution of the commands.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use enbu_language::pick;

use crate::command::{Clock, Command, GoRequest, PositionCommand};
use crate::option::OptionError;
use crate::readout;
use crate::reply::{BestMove, Reply};
use crate::session::engine::{Engine, Event, EventSender, Outcome};
use crate::session::game::{self, Game};
use crate::session::job::{JobContext, JobKind};
use crate::session::search::{Purpose, Search, Stage};
use crate::session::traffic::TrafficLog;
use crate::session::{Exit, Message, Queued, Session, perft};

impl<E: Engine> Session<E> {
    /// Executes a line from the queue, while the session is not busy.
    pub(super) fn execute(&mut self, line: Queued) -> ControlFlow<Exit> {
        let ends_search = matches!(
            line.parsed.command,
            Some(Command::Go(_) | Command::UsiNewGame | Command::GameOver(_) | Command::Quit)
        );
        if ends_search && self.search.is_some() {
            self.abandon_search();
            // The answer may have been sent; otherwise the line is queued until then.
            self.queued_bytes += line.bytes;
            self.queue.push_front(line);
            return ControlFlow::Continue(());
        }
        for problem in &line.parsed.problems {
            self.send(Reply::Error(problem.to_string()));
        }
        let Some(command) = line.parsed.command else { return ControlFlow::Continue(()) };
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.get_ready(),
            Command::SetOption { name, value } => self.set_option(name, value),
            Command::UsiNewGame => self.new_game(),
            Command::Position(position) => self.set_position(position),
            Command::Go(request) => self.go(request, line.at),
            Command::Stop => {
                self.search.iter_mut().for_each(|search| search.stopped = Some(line.at));
                self.stop();
            }
            Command::PonderHit(clock) => self.ponderhit(clock.as_ref(), line.at),
            Command::GameOver(result) => self.game_over(result, line.at),
            Command::Quit => {
                self.write_log();
                return ControlFlow::Break(Exit::Quit);
            }
            Command::Help => Command::HELP.iter().for_each(|(words, english, japanese)| {
                self.send(Reply::Console(format!("{words:<18}{}", pick(english, japanese))));
            }),
            Command::Side => self.send(Reply::Console(game::side(&self.game.position))),
            Command::Moves => self.send(Reply::Console(game::legal_moves(&self.game.position))),
            Command::Display => self.display(),
            Command::Eval => self.evaluate(),
            Command::Csa => self.show_record(),
            Command::Perft(depth) => self.perft(depth),
            Command::GetOption(name) => self.show_options(name.as_deref()),
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self) {
        if let Some(identity) = self.call_engine("identity", |engine| engine.identity()) {
            self.send(Reply::IdName(identity.name));
            self.send(Reply::IdAuthor(identity.author));
        }
        for spec in self.call_engine("options", |engine| engine.options()).unwrap_or_default() {
            self.send(Reply::Option(spec));
        }
        self.send(Reply::UsiOk);
    }

    // --- options ---

    /// Sets an option now, or after the answer of the running search: until then
    /// nothing is sent about it, because no client expects a line in its middle.
    fn set_option(&mut self, name: String, value: Option<String>) {
        if self.search.is_some() {
            self.late_options.push((name, value));
        } else {
            self.set_option_now(&name, value.as_deref());
        }
    }

    fn set_option_now(&mut self, name: &str, value: Option<&str>) {
        match self.call_engine("setoption", |engine| engine.set_option(name, value)) {
            Some(Ok(())) => {
                self.prepared = false;
                self.choose_traffic_log();
            }
            Some(Err(unknown @ OptionError::Unknown(_))) => self.send(Reply::Text(unknown.to_string())),
            Some(Err(refused)) => self.send(Reply::Error(format!("setoption: {refused}"))),
            None => {}
        }
    }

    /// Begins or ends the log of everything received and sent, as the options have it now.
    pub(super) fn choose_traffic_log(&mut self) {
        let wanted = self.call_engine("traffic_log", |engine| engine.traffic_log()).flatten();
        if wanted.as_ref() == self.traffic.as_ref().map(|(path, _)| path) {
            return;
        }
        self.traffic = wanted.map(|path| {
            let sender = self.sender.clone();
            let log = TrafficLog::start(path.clone(), self.traffic_end.clone(), move |error| {
                // Fails only after the end of the session.
                let _ = sender.send(Message::JobLine(Reply::Error(format!("log: {error}"))));
            });
            self.traffic_end = log.end();
            (path, log)
        });
        self.output.set_log(self.traffic.as_ref().map(|(_, log)| log.clone()));
    }

    fn show_options(&self, name: Option<&str>) {
        let declared = self.call_engine("options", |engine| engine.options()).unwrap_or_default();
        let mut names: Vec<String> = declared.into_iter().map(|spec| spec.name).collect();
        if let Some(name) = name {
            // An engine may know names that it does not declare.
            let spelling = names.into_iter().find(|declared| declared.eq_ignore_ascii_case(name));
            names = vec![spelling.unwrap_or_else(|| name.to_owned())];
        }
        for name in names {
            match self.call_engine("getoption", |engine| engine.option_text(&name)).flatten() {
                Some(value) => self.send(Reply::Console(format!("{name} {value}"))),
                None => self.send(Reply::Error(format!("getoption: {}", OptionError::Unknown(name)))),
            }
        }
    }

    // --- jobs ---

    /// Forgets the last game before `readyok`: clients start the clock right after
    /// `usinewgame`, which then finds nothing left to forget.
    fn get_ready(&mut self) {
        if self.search.is_some() {
            self.send(Reply::ReadyOk);
            return;
        }
        let engine = Arc::clone(&self.engine);
        self.start_job(JobKind::Ready, move |context| {
            let mut engine = engine.lock();
            prepare(&mut *engine, context);
            engine.new_game();
        });
    }

    fn new_game(&mut self) {
        self.write_log();
        self.game = Game::default();
        self.start_log();
        let engine = Arc::clone(&self.engine);
        self.start_job(JobKind::NewGame, move |_| engine.lock().new_game());
    }

    fn evaluate(&mut self) {
        if self.search.is_some() {
            self.send(Reply::Error("eval: a search is running".to_owned()));
            return;
        }
        let (engine, position) = (Arc::clone(&self.engine), self.game.position.clone());
        self.start_job(JobKind::Eval, move |context| {
            let mut engine = engine.lock();
            prepare(&mut *engine, context);
            engine.evaluate(&position).into_iter().for_each(|line| context.send(Reply::Console(line)));
        });
    }

    fn perft(&mut self, depth: u32) {
        if self.search.is_some() {
            self.send(Reply::Error("perft: a search is running".to_owned()));
            return;
        }
        let mut position = self.game.position.clone();
        self.start_job(JobKind::Perft, move |context| {
            perft::run(&mut position, depth, &context.cancel, &mut |line| context.send(Reply::Console(line)));
        });
    }

    pub(super) fn finish_job(&mut self, failure: Option<String>) {
        let Some(job) = self.job.take() else { return };
        let prepares = matches!(job.kind, JobKind::Ready | JobKind::Go { .. } | JobKind::Answered | JobKind::Eval);
        if prepares {
            self.prepared = failure.is_none() && !job.is_cancelled();
        }
        if let Some(failure) = failure {
            self.send(Reply::Error(format!("internal: {failure}")));
        }
        match job.kind {
            JobKind::Ready => self.send(Reply::ReadyOk),
            JobKind::Go { request, at } => self.start_search(*request, at),
            JobKind::Answered | JobKind::NewGame | JobKind::Eval | JobKind::Perft => {}
        }
    }

    /// Answers a `go` that was stopped while the engine prepares for it, by any legal move. The
    /// engine, which the job holds, is not asked.
    pub(super) fn answer_unprepared(&mut self) {
        let Some(job) = &mut self.job else { return };
        job.deadline = None;
        let JobKind::Go { request, at } = std::mem::replace(&mut job.kind, JobKind::Answered) else { return };
        let search = Search::new(0, self.game.position.clone(), &request, at);
        let reply = search.fallback();
        if let Reply::BestMove(best) = reply {
            self.send(Reply::Info(search.line_of(best, None)));
        }
        self.send(reply);
    }

    // --- positions ---

    fn set_position(&mut self, command: PositionCommand) {
        match self.game.enter(command) {
            Ok(oddities) => {
                oddities.for_each(|text| self.send(Reply::Text(text)));
                self.begin_log_after_end();
            }
            Err(refusal) => self.send(Reply::Error(refusal.to_string())),
        }
    }

    fn display(&self) {
        let rules = self.call_engine("rules", |engine| engine.rules()).unwrap_or_default();
        game::display(&self.game.position, rules).into_iter().for_each(|line| self.send(Reply::Console(line)));
    }

    // --- searching ---

    fn go(&mut self, request: GoRequest, at: Instant) {
        match request.perft {
            Some(depth) => self.perft(depth),
            None if self.prepared => self.start_search(request, at),
            None => {
                let engine = Arc::clone(&self.engine);
                let kind = JobKind::Go { request: Box::new(request), at };
                self.start_job(kind, move |context| prepare(&mut *engine.lock(), context));
            }
        }
    }

    fn start_search(&mut self, mut request: GoRequest, at: Instant) {
        self.keep_legal(&mut request);
        self.searches += 1;
        let number = self.searches;
        let mut search = Search::new(number, self.game.position.clone(), &request, at);
        if search.purpose == Purpose::Play {
            self.follow_go(&request.clock);
            search.deadline = self.deadline(&search);
        }
        self.search = Some(search);
        let sender = self.sender.clone();
        let events = EventSender::new(move |event| {
            // Fails only after the end of the session.
            let _ = sender.send(Message::Search(number, event));
        });
        let position = self.game.position.clone();
        // If this panics, the sender is dropped without an outcome, which ends the search.
        self.call_engine("go", |engine| engine.go(&position, &request, at, events));
    }

    /// The instant at which the session answers instead of `search`; `None`: never.
    fn deadline(&self, search: &Search) -> Option<Instant> {
        let (clock, turn, started) = (search.clock?, search.position.turn(), search.clock_start);
        self.call_engine("deadline", |engine| engine.deadline(turn, &clock, started)).flatten()
    }

    /// Strikes illegal moves out of `searchmoves`.
    fn keep_legal(&self, request: &mut GoRequest) {
        let position = &self.game.position;
        if let Some(illegal) = request.searchmoves.iter().find(|&&mv| !position.is_legal(mv)) {
            self.send(Reply::Error(format!("go searchmoves: illegal move {illegal}")));
        }
        request.searchmoves.retain(|&mv| position.is_legal(mv));
    }

    pub(super) fn handle_event(&mut self, number: u64, event: Event) {
        let Some(search) = self.search.as_mut().filter(|search| search.number == number) else { return };
        match event {
            Event::Info(info) => {
                search.note(&info);
                self.send(Reply::Info(info));
            }
            Event::Notice(text) => {
                search.note_text();
                self.send(Reply::Text(text));
            }
            Event::Done(outcome) if search.holds_back() => search.stage = Stage::Held(outcome),
            Event::Done(outcome) => self.answer(outcome),
        }
    }

    fn stop(&mut self) {
        let Some(search) = &mut self.search else { return };
        match std::mem::replace(&mut search.stage, Stage::Stopping) {
            Stage::Running => {
                let patience = Instant::now() + self.timing.stop;
                search.deadline = Some(search.deadline.map_or(patience, |deadline| deadline.min(patience)));
                if self.call_engine("stop", E::stop).is_none() {
                    self.answer(Outcome::Lost);
                }
            }
            Stage::Held(outcome) => self.answer(outcome),
            Stage::Stopping => {}
        }
    }

    /// Stops a search whose answer will not be played.
    pub(super) fn abandon_search(&mut self) {
        if let Some(search) = &mut self.search {
            search.purpose = Purpose::Abandoned;
        }
        self.stop();
    }

    fn ponderhit(&mut self, clock: Option<&Clock>, at: Instant) {
        let Some(search) = &mut self.search else { return };
        let Purpose::Ponder { infinite } = search.purpose else { return };
        search.clock_start = at;
        search.purpose = if infinite { Purpose::Infinite } else { Purpose::Play };
        search.clock = search.clock.map(|before| clock.copied().unwrap_or(before));
        let running = search.stage == Stage::Running;
        // An infinite search keeps its held outcome until `stop`.
        let held = if infinite || running { None } else { Some(std::mem::replace(&mut search.stage, Stage::Stopping)) };
        self.follow_game();
        if let Some(Stage::Held(outcome)) = held {
            self.answer(outcome);
        } else if running && self.call_engine("ponderhit", |engine| engine.ponderhit(clock, at)).is_none() {
            // It does not know of the hit and would ponder until the flag falls.
            self.stop();
        }
        if let Some(search) = self.search.as_ref().filter(|search| search.purpose == Purpose::Play) {
            let deadline = self.deadline(search);
            self.search.iter_mut().for_each(|search| search.deadline = deadline);
        }
    }

    /// Sends the answer to the running search, which ends it.
    fn answer(&mut self, outcome: Outcome) {
        let Some(mut search) = self.search.take() else { return };
        let (reply, complaint) = search.verify(outcome);
        if let Some(complaint) = complaint {
            search.note_text();
            self.send(Reply::Error(complaint));
        }
        self.send_answer(search, reply);
    }

    /// Answers in place of a search whose deadline has passed, and stops it. Its outcome will be
    /// dropped.
    pub(super) fn answer_late_search(&mut self) {
        let Some(mut search) = self.search.take() else { return };
        search.note_text();
        self.send(Reply::Text("the search is late: the answer is its best move so far".to_owned()));
        let known = self.call_engine("best_so_far", |engine| engine.best_so_far()).flatten();
        let reply = known.map_or_else(|| search.fallback(), |(best, _)| search.verify(Outcome::BestMove(best)).0);
        if search.stage == Stage::Running {
            self.call_engine("stop", E::stop);
        }
        self.send_answer(search, reply);
    }

    fn send_answer(&mut self, mut search: Search, reply: Reply) {
        if let Reply::BestMove(best) = reply {
            self.send_last_line(&mut search, best);
        }
        if search.purpose == Purpose::Play {
            self.log.add_answer(&search, &reply);
        }
        self.send(reply);
        for (name, value) in std::mem::take(&mut self.late_options) {
            self.set_option_now(&name, value.as_deref());
        }
    }

    /// Sends the line of the answer unless it was the last one: match runners and GUIs read the last
    /// line before the answer. A CSA comment precedes it.
    fn send_last_line(&self, search: &mut Search, best: BestMove) {
        let readout = self.csa_settings().readout;
        if search.ends_with_line_of(best) && !readout {
            return;
        }
        let known = if search.ends_with_line_of(best) {
            None
        } else {
            self.call_engine("best_so_far", |engine| engine.best_so_far()).flatten()
        };
        let line = search.line_of(best, known);
        if readout && line.score.is_some() {
            self.send(Reply::Text(readout::info_line(&search.position, &line)));
        }
        search.note(&line);
        self.send(Reply::Info(line));
    }
}

fn prepare<E: Engine>(engine: &mut E, context: &JobContext) {
    engine.prepare(&context.cancel, &mut |text| context.send(Reply::Text(text.to_owned())));
}
