//! The USI session of one thread: a line in, its answers out.
//!
//! A search blocks the session; its end comes from a limit or from a [`Signal`] of the host. Else
//! the order of events is that of `usi::session`: one answer for each `go`, held back while the
//! protocol forbids it, refused commands named and without effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use enbu_adapter::{MateRequest, MateSolver, answer, counters, for_request, limits, moves_only, report};
use enbu_eval::Evaluation;
use enbu_eval::nnue::Simd;
use enbu_eval::nnue::embedded::{self, Program};
use enbu_search::{Instant, Listener, Progress, Report, Solo};
use enbu_usi::{
    Checkmate, Clock, Command, Event, EventSender, Game, GoRequest, OptionError, Outcome, PositionCommand, Reply, Rules,
};

use crate::options::Options;

/// The author, as `usi` names him.
const AUTHOR: &str = "the Enbu developers";

/// Sizes of the table, in MB, tried after the one that the option names.
const SMALLER_MB: [usize; 2] = [16, 1];

/// A message to a search that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// None so far.
    None,
    /// Stop.
    Stop,
    /// The pondered move was played.
    Hit,
    /// The host cannot send any: it shares no memory.
    Never,
}

/// The surroundings of a session.
pub trait Host: Send + Sync {
    /// Takes a line of the engine.
    fn emit(&self, line: &str);
    /// The message to the running search.
    fn signal(&self) -> Signal;
}

/// An answer that the protocol forbids yet.
enum Held {
    /// The answer of a search that has ended, until `stop`; until `ponderhit` as well unless it is
    /// infinite.
    Answer { reply: Reply, infinite: bool },
    /// A `go ponder` that waits for its hit, where no signal could tell a search of it.
    Ponder(Box<GoRequest>),
}

/// A USI session; lines that are due appear at its host before a call returns.
pub struct Session {
    host: Arc<dyn Host>,
    options: Options,
    game: Game,
    evaluation: Evaluation,
    /// The search and the size of its table that was asked for; `None` until it is needed.
    solo: Option<(Solo, usize)>,
    mate: Option<MateSolver>,
    held: Option<Held>,
    has_quit: bool,
}

impl Session {
    /// A session with the embedded network.
    pub fn new(host: Arc<dyn Host>) -> Self {
        let evaluation = evaluation(&*host);
        Self {
            host,
            options: Options::default(),
            game: Game::default(),
            evaluation,
            solo: None,
            mate: None,
            held: None,
            has_quit: false,
        }
    }

    fn send(&self, reply: &Reply) {
        self.host.emit(&reply.to_string());
    }

    fn refuse(&self, text: impl Into<String>) {
        self.send(&Reply::Error(text.into()));
    }

    fn console(&self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|line| self.send(&Reply::Console(line)));
    }

    /// Obeys a line. After `quit` nothing is.
    pub fn line(&mut self, text: &str) {
        let parsed = Command::parse(text);
        if self.has_quit {
            return;
        }
        parsed.problems.iter().for_each(|problem| self.refuse(problem.to_string()));
        if let Some(command) = parsed.command {
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Usi => self.identify(),
            Command::IsReady => {
                if self.held.is_none() {
                    self.prepare();
                    self.new_game();
                }
                self.send(&Reply::ReadyOk);
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::UsiNewGame => {
                self.stop();
                self.game = Game::default();
                self.new_game();
            }
            Command::Position(command) => self.set_position(command),
            Command::Go(request) => {
                self.stop();
                self.go(request);
            }
            Command::Stop | Command::GameOver(_) => self.stop(),
            Command::PonderHit(clock) => self.ponderhit(clock),
            Command::Quit => self.has_quit = true,
            Command::Side => self.console([enbu_usi::side(&self.game.position)]),
            Command::Moves => self.console([enbu_usi::legal_moves(&self.game.position)]),
            Command::Display => {
                let rules = Rules { entering_king: self.options.entering_king(), max_moves: self.options.max_moves() };
                self.console(enbu_usi::display(&self.game.position, rules));
            }
            Command::GetOption(name) => {
                let lines = self.options.shown(name.as_deref());
                if let Some(name) = name.filter(|_| lines.is_empty()) {
                    self.refuse(format!("getoption: {}", OptionError::Unknown(name)));
                }
                self.console(lines);
            }
            command @ (Command::Help | Command::Eval | Command::Csa | Command::Perft(_)) => {
                self.refuse(format!("{command}: only the program for the command line has it"));
            }
        }
    }

    fn identify(&self) {
        let name = format!("Enbu {} ({})", env!("CARGO_PKG_VERSION"), self.evaluation);
        [Reply::IdName(name), Reply::IdAuthor(AUTHOR.to_owned())].iter().for_each(|reply| self.send(reply));
        self.options.specs().for_each(|spec| self.send(&Reply::Option(spec.clone())));
        self.send(&Reply::UsiOk);
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match self.options.set(name, value) {
            Ok(()) => {}
            Err(unknown @ OptionError::Unknown(_)) => self.send(&Reply::Text(unknown.to_string())),
            Err(refused) => self.refuse(format!("setoption: {refused}")),
        }
    }

    /// Makes the table of the size that the option names, or of a smaller one, unless it is there.
    fn prepare(&mut self) {
        let asked_mb = self.options.hash_mb();
        if self.solo.as_ref().is_some_and(|(_, known)| *known == asked_mb) {
            return;
        }
        // The old one first: a page may not have the memory of both.
        self.solo = None;
        let sizes = std::iter::once(asked_mb).chain(SMALLER_MB.into_iter().filter(|&size| size < asked_mb));
        for size in sizes {
            if let Ok(solo) = Solo::new(size, self.evaluation.clone()) {
                if size != asked_mb {
                    self.refuse(format!("no memory for a hash of {asked_mb} MB, using {size} MB"));
                }
                self.solo = Some((solo, asked_mb));
                return;
            }
        }
        self.refuse("no memory for the search");
    }

    fn new_game(&mut self) {
        if let Some((solo, _)) = &mut self.solo {
            solo.new_game();
        }
        self.mate = None;
    }

    fn set_position(&mut self, command: PositionCommand) {
        match self.game.enter(command) {
            Ok(oddities) => oddities.for_each(|text| self.send(&Reply::Text(text))),
            Err(refusal) => self.refuse(refusal.to_string()),
        }
    }

    fn go(&mut self, mut request: GoRequest) {
        let position = &self.game.position;
        if let Some(illegal) = request.searchmoves.iter().find(|&&mv| !position.is_legal(mv)) {
            self.refuse(format!("go searchmoves: illegal move {illegal}"));
        }
        request.searchmoves.retain(|&mv| position.is_legal(mv));
        if let Some(depth) = request.perft {
            self.refuse(format!("go perft {depth}: only the program for the command line has it"));
        } else if request.ponder && self.host.signal() == Signal::Never {
            self.held = Some(Held::Ponder(Box::new(request)));
        } else {
            let reply = self.search(&request);
            let signal = self.host.signal();
            let is_hit = signal == Signal::Hit && !request.infinite;
            if (request.ponder || request.infinite) && signal != Signal::Stop && !is_hit {
                self.held = Some(Held::Answer { reply, infinite: request.infinite });
            } else {
                self.send(&reply);
            }
        }
    }

    /// Searches, and returns the answer.
    fn search(&mut self, request: &GoRequest) -> Reply {
        if request.mate.is_some() {
            return self.search_for_mate(request);
        }
        self.prepare();
        let position = &self.game.position;
        let Some((solo, _)) = &mut self.solo else { return Reply::BestMove(enbu_usi::BestMove::Resign) };
        let limits = limits(request, position.turn());
        let options = for_request(self.options.for_search(), request);
        let best = solo.analyse(position, limits, options, Arc::new(Reports(Arc::clone(&self.host))));
        Reply::BestMove(answer(best))
    }

    fn search_for_mate(&mut self, request: &GoRequest) -> Reply {
        let Some(limit) = request.mate.filter(|_| request.searchmoves.is_empty()) else {
            self.refuse("go mate: searchmoves is refused, a mate is looked for among all checks");
            return Reply::Checkmate(Checkmate::NotImplemented);
        };
        let (host, stop) = (Arc::clone(&self.host), Arc::new(AtomicBool::new(false)));
        let (reply, stopped) = (Arc::new(parking_lot::Mutex::new(Checkmate::Timeout)), Arc::clone(&stop));
        let found = Arc::clone(&reply);
        let events = EventSender::new(move |event| match event {
            Event::Info(info) => {
                stopped.store(host.signal() == Signal::Stop, Ordering::Relaxed);
                host.emit(&Reply::Info(info).to_string());
            }
            Event::Notice(text) => host.emit(&Reply::Text(text).to_string()),
            Event::Done(Outcome::Checkmate(checkmate)) => *found.lock() = checkmate,
            Event::Done(_) => {}
        });
        let request =
            MateRequest { limit, nodes: request.nodes, hash_mb: self.options.hash_mb(), started: Instant::now() };
        self.mate = MateSolver::search(self.mate.take(), &self.game.position, &request, &stop, &events);
        let checkmate = reply.lock().clone();
        Reply::Checkmate(checkmate)
    }

    /// Answers what is held back.
    fn stop(&mut self) {
        match self.held.take() {
            Some(Held::Answer { reply, .. }) => self.send(&reply),
            Some(Held::Ponder(request)) => {
                let glance = GoRequest { ponder: false, infinite: false, depth: Some(1), ..*request };
                let reply = self.search(&glance);
                self.send(&reply);
            }
            None => {}
        }
    }

    fn ponderhit(&mut self, clock: Option<Clock>) {
        match self.held.take() {
            Some(Held::Answer { reply, infinite: false }) => self.send(&reply),
            Some(Held::Ponder(request)) => {
                let clock = clock.unwrap_or(request.clock);
                self.go(GoRequest { ponder: false, clock, ..*request });
            }
            other => self.held = other,
        }
    }
}

/// Forwards reports of a search to the host, and its signals to the search.
struct Reports(Arc<dyn Host>);

impl Listener for Reports {
    fn report(&self, line: &Report) {
        self.0.emit(&Reply::Info(moves_only(report(line))).to_string());
    }

    fn progress(&self, progress: &Progress) {
        self.0.emit(&Reply::Info(counters(progress)).to_string());
    }

    fn notice(&self, text: &str) {
        self.0.emit(&Reply::Text(text.to_owned()).to_string());
    }

    fn finished(&self, _: &enbu_search::BestMove) {}

    fn wants_stop(&self) -> bool {
        self.0.signal() == Signal::Stop
    }

    fn has_hit(&self) -> bool {
        self.0.signal() == Signal::Hit
    }
}

/// The network of pages, network 12: half the size of the one in the program, so that the module stays below 3 MB.
static NETWORK: &Program<[u8]> = &Program(*include_bytes!("../network.nnue"));

/// The network of pages; piece-square tables, and a word about it, without the memory for it.
pub(crate) fn evaluation(host: &dyn Host) -> Evaluation {
    match embedded::read(NETWORK, Simd::best()) {
        Ok(network) => Evaluation::Network { scale: network.default_scale(), network: Arc::new(network) },
        Err(error) => {
            host.emit(&Reply::Error(format!("the network: {error}")).to_string());
            Evaluation::PieceSquare
        }
    }
}
