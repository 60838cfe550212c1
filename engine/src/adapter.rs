//! The engine behind the USI session: options, search, evaluation, book and mate solver.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use enbu_adapter::{MateRequest, answer, counters, for_request, moves_only, report};
use enbu_kifu::csa::FileVersion;
use enbu_movegen::{Color, Position};
use enbu_search::{Limits, Listener, Progress, Report, Search, ThreadError};
use enbu_usi::{
    BestMove, Checkmate, CsaSettings, Engine, EventSender, GoRequest, Identity, Info, OptionError, OptionSpec, Outcome,
    Rules,
};

use crate::book::{CurrentBook, Lookup, Query};
use crate::evaluation::Current;
use crate::mate_search::MateSearch;
use crate::options::{Id, Options};

/// Most search threads for each processor. More of them find nothing sooner, and everything waits
/// for its turn among them: with 32 for each, `stop` was answered after seconds, and the process
/// ended even later.
const THREADS_PER_PROCESSOR: usize = 2;

/// Enbu as the USI session sees it.
pub(crate) struct Enbu {
    options: Options,
    /// The options that `engine_options.txt` sets have not been named to the user yet.
    names_frozen: bool,
    search: Search,
    evaluation: Current,
    book: CurrentBook,
    mate: MateSearch,
    /// Whose clock a `ponderhit` updates.
    side: Color,
    /// The request that begins when a stochastic ponder ends.
    expected: Option<Expected>,
}

/// A `go ponder` whose position the opponent has not brought about yet, while his
/// choice is searched instead (`Stochastic_Ponder`).
struct Expected {
    position: Position,
    request: GoRequest,
    events: EventSender,
}

impl Enbu {
    /// An engine with the options of its file.
    pub(crate) fn new() -> Result<Self, ThreadError> {
        Ok(Self {
            options: Options::load(),
            names_frozen: true,
            search: Search::new()?,
            evaluation: Current::default(),
            book: CurrentBook::new(),
            mate: MateSearch::default(),
            side: Color::Black,
            expected: None,
        })
    }

    /// Sets the number of threads: that of the option, up to what the processors can run.
    fn set_threads(&mut self, notice: &mut dyn FnMut(&str)) {
        let (asked, processors) = (self.options.number::<usize>(Id::Threads), crate::machine::processors());
        let threads = asked.min(THREADS_PER_PROCESSOR * processors);
        if threads < asked {
            notice(&format!("Threads {asked}: {threads} search on {processors} processors"));
        }
        if let Err(error) = self.search.set_threads(threads) {
            notice(&format!("error: {error}"));
        }
    }

    /// Starts a search, which asks the book first.
    fn search_for(&mut self, position: &Position, request: &GoRequest, started: Instant, events: EventSender) {
        let limits = self.limits(request);
        let options = for_request(self.options.for_search(), request);
        let clock = limits.clock.and_then(|clock| enbu_search::last_moment(&clock, &options.timing));
        let rules = self.options.book_rules();
        let query = Query { position: position.clone(), request: request.clone(), rules, started };
        let book = self.book.look_up(query, limits.movetime.or(clock));
        let listener = ReportForwarder { book, ..self.forwarder(events) };
        self.search.start(position, limits, options, started, Arc::new(listener));
    }

    fn forwarder(&self, events: EventSender) -> ReportForwarder {
        ReportForwarder {
            events,
            shows_root_move: self.options.is_on(Id::ShowCurrentMove),
            shows_line_ends: self.options.is_on(Id::ShowLineEnds),
            book: None,
            is_muted: false,
        }
    }

    /// The limits of the search: those of the request, and those of the options where it names none.
    fn limits(&self, request: &GoRequest) -> Limits {
        let limits = enbu_adapter::limits(request, self.side);
        Limits {
            depth: limits.depth.or(self.options.limit(Id::DepthLimit)),
            nodes: limits.nodes.or(self.options.limit(Id::NodesLimit)),
            ..limits
        }
    }
}

impl Engine for Enbu {
    fn identity(&self) -> Identity {
        crate::identity::identity(&self.evaluation.name(&self.options.evaluation()))
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.options.specs()
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    fn option_text(&self, name: &str) -> Option<String> {
        self.options.text(name)
    }

    fn prepare(&mut self, _cancel: &AtomicBool, notice: &mut dyn FnMut(&str)) {
        if let Some(text) = self.options.frozen_text().filter(|_| std::mem::take(&mut self.names_frozen)) {
            notice(&format!("{} sets {text}", crate::options::file::NAME));
        }
        // Its errors are reported each time.
        self.options.file_faults.iter().for_each(|fault| notice(&format!("error: {fault}")));
        if let Err(error) = self.search.set_hash_mb(self.options.number(Id::Hash)) {
            notice(&format!("error: {error}"));
        }
        self.set_threads(notice);
        let (choice, scale) = (self.options.evaluation(), self.options.limit(Id::FvScale));
        self.evaluation.update(choice, scale, &mut self.search, notice);
        self.book.update(self.options.book_file(), notice);
        if std::mem::take(&mut self.options.clears_hash) {
            self.new_game();
        }
    }

    fn new_game(&mut self) {
        self.search.new_game();
        self.mate.forget();
        self.book.new_game();
    }

    fn go(&mut self, position: &Position, request: &GoRequest, started: Instant, events: EventSender) {
        if request.mate.is_some() && !request.searchmoves.is_empty() {
            events.notice("error: go mate: searchmoves is refused, a mate is looked for among all checks");
            events.done(Outcome::Checkmate(Checkmate::NotImplemented));
            return;
        }
        if let Some(limit) = request.mate {
            let nodes = request.nodes.or(self.options.limit(Id::NodesLimit));
            let request = MateRequest { limit, nodes, hash_mb: self.options.number(Id::Hash), started };
            self.mate.start(position, request, events);
            return;
        }
        self.side = position.turn();
        self.expected = None;
        let mut before = position.clone();
        if request.ponder && self.options.is_on(Id::StochasticPonder) && before.undo_move().is_some() {
            let limits = Limits { ponder: true, ..Limits::default() };
            let listener = Arc::new(ReportForwarder { is_muted: true, ..self.forwarder(events.clone()) });
            self.search.start(&before, limits, self.options.for_search(), started, listener);
            self.expected = Some(Expected { position: position.clone(), request: request.clone(), events });
            return;
        }
        self.search_for(position, request, started, events);
    }

    fn deadline(&self, turn: Color, clock: &enbu_usi::Clock, started: Instant) -> Option<Instant> {
        let timing = self.options.for_search().timing;
        enbu_search::last_moment(&enbu_adapter::clock(clock, turn), &timing).map(|moment| started + moment)
    }

    fn best_so_far(&self) -> Option<(BestMove, Info)> {
        // A stochastic ponder searches another position.
        let (best, line) = self.search.best().filter(|_| self.expected.is_none())?;
        let info = report(&line);
        Some((answer(best), if self.options.is_on(Id::ShowLineEnds) { info } else { moves_only(info) }))
    }

    fn stop(&mut self) {
        if let Some(Expected { position, request, events }) = self.expected.take() {
            // The ponder search looked at another position: a glance at the right one
            // gives the answer that every `go` is owed.
            let glance = GoRequest { ponder: false, depth: Some(1), ..request };
            self.search_for(&position, &glance, Instant::now(), events);
        }
        self.search.stop();
        self.mate.stop();
    }

    fn ponderhit(&mut self, clock: Option<&enbu_usi::Clock>, at: Instant) {
        if let Some(Expected { position, request, events }) = self.expected.take() {
            let clock = clock.copied().unwrap_or(request.clock);
            self.search_for(&position, &GoRequest { ponder: false, clock, ..request }, at, events);
            return;
        }
        self.search.ponderhit(clock.map(|clock| enbu_adapter::clock(clock, self.side)), at);
    }

    fn evaluate(&mut self, position: &Position) -> Vec<String> {
        self.evaluation.explain(position)
    }

    fn rules(&self) -> Rules {
        Rules { entering_king: self.options.entering_king(), max_moves: self.options.number(Id::MaxMovesToDraw) }
    }

    fn csa(&self) -> CsaSettings {
        CsaSettings {
            readout: self.options.is_on(Id::CsaReadout),
            log_dir: self.options.path(Id::CsaLogDir),
            version: if self.options.word(Id::CsaVersion) == "2.2" { FileVersion::V2_2 } else { FileVersion::V3_0 },
            opponent: self.options.opponent(),
        }
    }

    fn traffic_log(&self) -> Option<PathBuf> {
        self.options.path(Id::DebugLogFile)
    }
}

/// Forwards the reports and the answer of a search to the session.
struct ReportForwarder {
    events: EventSender,
    /// Counters come with `currmove`, which some clients do not know.
    shows_root_move: bool,
    /// Lines end in words such as `win` and `rep_inf`: cshogi's match runner stops at one, where it
    /// writes CSA comments.
    shows_line_ends: bool,
    /// The look-up that may answer.
    book: Option<Lookup>,
    /// The answer belongs to no `go`.
    is_muted: bool,
}

impl Listener for ReportForwarder {
    fn known(&self, is_stopped: &dyn Fn() -> bool) -> Option<enbu_search::BestMove> {
        // A book neither resigns nor declares.
        let BestMove::Play { best, ponder } = self.book.as_ref()?.answer(is_stopped, &self.events)? else {
            return None;
        };
        Some(enbu_search::BestMove::Play { best, ponder })
    }

    fn report(&self, line: &Report) {
        self.events.info(if self.shows_line_ends { report(line) } else { moves_only(report(line)) });
    }

    fn progress(&self, progress: &Progress) {
        let currmove = progress.root_move.filter(|_| self.shows_root_move);
        self.events.info(Info { currmove, ..counters(progress) });
    }

    fn notice(&self, text: &str) {
        self.events.notice(text);
    }

    fn finished(&self, best: &enbu_search::BestMove) {
        if !self.is_muted {
            self.events.done(Outcome::BestMove(answer(*best)));
        }
    }
}
