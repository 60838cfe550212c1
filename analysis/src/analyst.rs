//! The judgement of one position: search and mate solver.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use enbu_eval::Evaluation;
use enbu_language::messages;
use enbu_mate::{FirstMove, Refinement, Solver, Verdict};
use enbu_movegen::{Color, EnteringKingRule, Move, MoveList, Position, Ruling, Setup};
use enbu_search::{BestMove, HashError, Limits, ThreadError};
use enbu_search::{Bound, Instant, LineEnd, Lines, Listener, Options, Progress, Report, Search, Solo};
use parking_lot::Mutex;

use crate::cache::OpeningCache;
use crate::curve::Curve;
use crate::judged::{Judged, Line};
use crate::report::Score;
use crate::settings::{Limit, Settings};

/// Rules of a game that change the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GameRules {
    pub(crate) entering_king: EnteringKingRule,
    pub(crate) max_moves: u32,
}

messages! {
/// Reason why an analyst could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AnalystError {
    /// The transposition table could not be allocated.
    Hash(#[from] error: HashError) =>
        "not enough memory for a table of {} MB", "置換表（{} MB）のメモリが足りません", error.asked_mb;
    /// The table of the mate solver could not be allocated.
    Mate(#[from] error: enbu_mate::OutOfMemory) => "{error}", "{error}";
    /// The search threads could not be started.
    Threads(#[from] error: ThreadError) =>
        "only {} of {} search threads could be started", "起動できた探索スレッドは {} 個です（指定は {} 個）", error.got, error.asked;
}}

/// A search on the caller's thread, or on threads of its own.
enum Searcher {
    Solo(Box<Solo>),
    Threads(Box<Search>),
}

impl Searcher {
    fn new(settings: &Settings, hash_mb: usize, evaluation: &Evaluation) -> Result<Self, AnalystError> {
        if settings.threads <= 1 {
            return Ok(Self::Solo(Box::new(Solo::new(hash_mb, evaluation.clone())?)));
        }
        let mut search = Search::new()?;
        search.set_hash_mb(hash_mb)?;
        search.set_threads(settings.threads)?;
        search.set_evaluation(evaluation.clone());
        Ok(Self::Threads(Box::new(search)))
    }

    fn new_game(&mut self) {
        match self {
            Self::Solo(solo) => solo.new_game(),
            Self::Threads(search) => search.new_game(),
        }
    }

    fn search(&mut self, position: &Position, limits: Limits, options: Options, listener: Arc<dyn Listener>) {
        match self {
            Self::Solo(solo) => {
                solo.analyse(position, limits, options, listener);
            }
            Self::Threads(search) => {
                search.start(position, limits, options, Instant::now(), listener);
                search.wait();
            }
        }
    }
}

/// The last reports of each rank, and the counters.
#[derive(Default)]
struct Heard(Mutex<(Vec<Report>, u64)>);

impl Listener for Heard {
    fn report(&self, report: &Report) {
        let reports = &mut self.0.lock().0;
        match reports.iter_mut().find(|known| known.multi_pv == report.multi_pv) {
            // A bound replaces only another bound: its score is not that of its line.
            Some(known) if report.bound == Bound::Exact || known.bound != Bound::Exact => known.clone_from(report),
            Some(_) => {}
            None => reports.push(report.clone()),
        }
    }

    fn totals(&self, totals: &Progress) {
        self.0.lock().1 = totals.nodes;
    }

    fn notice(&self, _: &str) {}

    fn finished(&self, _: &BestMove) {}
}

/// Nodes of the mate solver for a threat, and for the proof that a mate is the shortest.
const QUICK_NODES: u64 = 1000;

/// Treatment of a position that another game searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfBusy {
    /// Leave it for later.
    Skip,
    /// Wait for its judgement.
    Wait,
}

/// Search and mate solver with their tables.
struct Tables {
    searcher: Searcher,
    solver: Option<Solver>,
}

/// Judges positions: one search and one mate solver, for one game at a time.
///
/// A thread that uses one should have a stack of [`STACK_BYTES`](Self::STACK_BYTES).
pub struct Analyst {
    /// The settings.
    pub settings: Settings,
    /// The curve of win probability.
    pub curve: Curve,
    game: Tables,
    /// For opening positions, each searched from empty tables.
    apart: Tables,
    openings: Arc<OpeningCache>,
    /// Name of program and evaluation.
    pub engine: String,
}

impl Analyst {
    /// Stack that a search needs.
    pub const STACK_BYTES: usize = Solo::STACK_BYTES;

    /// An analyst; `engine` names program and evaluation in reports.
    ///
    /// # Errors
    /// When there is not enough memory, or a thread cannot be started.
    pub fn new(
        settings: &Settings,
        evaluation: &Evaluation,
        engine: impl Into<String>,
        openings: Arc<OpeningCache>,
    ) -> Result<Self, AnalystError> {
        const BYTES_PER_NODE: u64 = 16;
        let (hash_mb, settings) = (settings.hash_mb.max(1), settings.clone());
        // An empty table for each position must be cheap.
        let apart_mb = match settings.limit {
            Limit::Nodes(nodes) => usize::try_from(nodes.saturating_mul(BYTES_PER_NODE) >> 20).unwrap_or(hash_mb),
            Limit::Time(_) | Limit::Depth(_) => 16,
        };
        let apart_mb = apart_mb.clamp(1, hash_mb);
        let solver = |mb| (settings.mate_nodes > 0).then(|| Solver::new(mb)).transpose();
        let nodes_mb = usize::try_from(settings.mate_nodes >> 12).unwrap_or(hash_mb);
        Ok(Self {
            curve: Curve::of(evaluation),
            game: Tables {
                searcher: Searcher::new(&settings, hash_mb, evaluation)?,
                solver: solver(nodes_mb.clamp(1, hash_mb))?,
            },
            apart: Tables { searcher: Searcher::new(&settings, apart_mb, evaluation)?, solver: solver(1)? },
            openings,
            engine: engine.into(),
            settings,
        })
    }

    /// Forgets the last game.
    pub(crate) fn new_game(&mut self) {
        self.game.clear();
    }

    /// Win probability of a score for one side.
    pub(crate) fn win_of(&self, side: Color, score: Score) -> f64 {
        let black = self.win(score);
        if side == Color::Black { black } else { 1.0 - black }
    }

    /// Black's win probability of a score.
    pub(crate) fn win(&self, score: Score) -> f64 {
        use crate::report::Side;
        match score {
            Score::Cp(cp) => self.curve.win_probability(cp),
            Score::Mate { winner: Side::Black, .. } => 1.0,
            Score::Mate { winner: Side::White, .. } => 0.0,
        }
    }

    /// Judges a position of a game; `None` while another game searches it, unless
    /// `if_busy` is [`IfBusy::Wait`].
    pub(crate) fn judge(
        &mut self,
        position: &Position,
        start: &Setup,
        rules: GameRules,
        if_busy: IfBusy,
    ) -> Option<Judged> {
        // A rule has ended the game.
        let over = match position.repetition() {
            Ruling::None => None,
            Ruling::Draw => Some(Score::Cp(0)),
            Ruling::Win(color) => Some(Score::Mate { winner: color.into(), plies: 0 }),
        };
        if over.is_some() {
            return Some(Judged { over, ..Judged::default() });
        }
        let Some(key) = self.opening_key(position, start, rules) else {
            return Some(self.game.judge(&self.settings, position, rules));
        };
        let slot = self.openings.slot(key);
        let mut known = match if_busy {
            IfBusy::Wait => slot.lock(),
            IfBusy::Skip => slot.try_lock()?,
        };
        if known.is_none() {
            self.apart.clear();
            *known = Some(self.apart.judge(&self.settings, &position.without_history(), rules));
        }
        known.clone()
    }

    /// Judges the moves of a position but one; `None` if there is no other.
    pub(crate) fn judge_without(&mut self, position: &Position, mv: Move, rules: GameRules) -> Option<Judged> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let others: Vec<Move> = moves.into_iter().filter(|&other| other != mv).collect();
        if others.is_empty() {
            return None;
        }
        Some(self.game.search(&self.settings, position, rules, others))
    }

    /// Returns the length and the line of the mate if every reply to a check can be answered by a mate;
    /// `position` is the one after the check. `None` if that is not known.
    pub(crate) fn mates_all_replies(&mut self, position: &Position, stop: &AtomicBool) -> Option<(u16, Vec<Move>)> {
        let solver = self.game.solver.as_mut()?;
        let mut longest = (0, Vec::new());
        let mut replies = MoveList::new();
        position.legal_moves(&mut replies);
        for reply in &replies {
            let mut after = position.without_history();
            after.play(reply).ok()?;
            let limits = mate_limits(&self.settings);
            let Verdict::Mate(mate) = solver.solve(&after, &limits, stop, &mut |_| {}).verdict else { return None };
            if mate.plies >= longest.0 {
                longest = (mate.plies + 1, [&[reply], &mate.line[..]].concat());
            }
        }
        Some(longest)
    }

    /// All first moves that mate by consecutive checks, with their lines, as far as they are found.
    pub(crate) fn mating_moves(&mut self, position: &Position, stop: &AtomicBool) -> Vec<Line> {
        let Some(solver) = self.game.solver.as_mut() else { return Vec::new() };
        let limits = enbu_mate::Limits { refinement: Refinement::None, ..mate_limits(&self.settings) };
        let moves = solver.first_moves(position, &limits, stop, &mut |_| {});
        let line = |first: FirstMove| {
            let mut after = position.without_history();
            after.play(first.mv).ok()?;
            let known = self.mates_all_replies(&after, stop);
            let (plies, replies) = known.map_or((first.plies?, Vec::new()), |(plies, line)| (plies + 1, line));
            let score = Score::Mate { winner: position.turn().into(), plies };
            Some(Line { score, moves: [&[first.mv], &replies[..]].concat(), declares: false })
        };
        moves.into_iter().filter(|first| first.plies.is_some()).filter_map(line).collect()
    }

    /// The verdict of a quick search for a mate by consecutive checks, within `plies` if given.
    pub(crate) fn quick_verdict(&mut self, position: &Position, plies: Option<u16>) -> Option<Verdict> {
        let nodes = Some(self.settings.mate_nodes.min(QUICK_NODES));
        let limits = enbu_mate::Limits { nodes, plies, refinement: Refinement::None, ..Default::default() };
        let solver = self.game.solver.as_mut()?;
        Some(solver.solve(position, &limits, &AtomicBool::new(false), &mut |_| {}).verdict)
    }

    /// The key of a position that is searched apart from its game: one of the first plies
    /// of an even game, which no repetition can concern.
    fn opening_key(&self, position: &Position, start: &Setup, rules: GameRules) -> Option<String> {
        let plies = position.plies_played();
        if plies > self.settings.book_plies || *start != Setup::startpos() {
            return None;
        }
        let mut earlier = position.clone();
        while earlier.undo_move().is_some() {
            if earlier.board_key() == position.board_key() {
                return None;
            }
        }
        Some(format!("{} {:?} {}", position.to_setup(), rules.entering_king, rules.max_moves))
    }
}

impl Tables {
    fn clear(&mut self) {
        self.searcher.new_game();
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
    }

    /// Judges the moves of a position, or some of them, by the search.
    fn search(&mut self, settings: &Settings, position: &Position, rules: GameRules, root_moves: Vec<Move>) -> Judged {
        let options = Options {
            multi_pv: settings.multi_pv.max(1),
            entering_king: rules.entering_king,
            max_moves: rules.max_moves,
            lines: Lines::Continued,
            // Only the last report of a line is of use.
            report_interval: Duration::from_secs(3600),
            heartbeat: None,
            ..Options::default()
        };
        let mut limits = Limits { root_moves, ..Limits::default() };
        match settings.limit {
            Limit::Time(time) => limits.movetime = Some(time),
            Limit::Nodes(nodes) => limits.nodes = Some(nodes),
            Limit::Depth(depth) => limits.depth = Some(depth.max(1)),
        }
        let heard = Arc::new(Heard::default());
        self.searcher.search(position, limits, options, Arc::clone(&heard) as Arc<dyn Listener>);
        let mut heard = heard.0.lock();
        heard.0.sort_by_key(|report| report.multi_pv);
        let (turn, depth) = (position.turn(), heard.0.first().map_or(0, |report| report.depth));
        let mut judged = Judged { depth, nodes: heard.1, ..Judged::default() };
        for report in &heard.0 {
            let score = match report.score {
                enbu_search::Score::Cp(cp) => Score::Cp(if turn == Color::Black { cp } else { -cp }),
                enbu_search::Score::MateIn(plies) => Score::Mate { winner: turn.into(), plies },
                enbu_search::Score::MatedIn(plies) => Score::Mate { winner: (!turn).into(), plies },
            };
            match report.end {
                Some(LineEnd::Resign) => judged.over = Some(score),
                end => judged.lines.push(Line { score, moves: report.pv.clone(), declares: end == Some(LineEnd::Win) }),
            }
        }
        judged
    }

    /// Judges a position by the search, and adds the mate that the solver finds, as the best line where
    /// the search knows no shorter one.
    fn judge(&mut self, settings: &Settings, position: &Position, rules: GameRules) -> Judged {
        let mut judged = self.search(settings, position, rules, Vec::new());
        let Some(solver) = self.solver.as_mut().filter(|_| judged.over.is_none()) else { return judged };
        let limits = mate_limits(settings);
        let solution = solver.solve(position, &limits, &AtomicBool::new(false), &mut |_| {});
        let Verdict::Mate(mate) = solution.verdict else { return judged };
        let winner = position.turn().into();
        let found = Score::Mate { winner, plies: mate.plies };
        let is_shorter = |known: Score| match known {
            Score::Mate { winner: other, plies } if other == winner => mate.plies < plies,
            _ => true,
        };
        if judged.score().is_none_or(is_shorter) {
            judged.lines.retain(|line| line.moves.first() != mate.line.first());
            judged.lines.insert(0, Line { score: found, moves: mate.line.clone(), declares: false });
            judged.lines.truncate(settings.multi_pv.max(1));
        }
        judged.mate = Some(mate.line);
        judged
    }
}

fn mate_limits(settings: &Settings) -> enbu_mate::Limits {
    enbu_mate::Limits {
        nodes: Some(settings.mate_nodes),
        refinement: Refinement::Affordable,
        ..enbu_mate::Limits::default()
    }
}
