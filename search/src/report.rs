//! Reports and answers of a search.

use std::time::Duration;

use enbu_movegen::{Cycle, Move};

use crate::limits::Options;
use crate::value::Score;

/// A line of play and its score: after an iteration, and within one when the best move
/// changes or its score leaves the search window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The iteration that found the line, in plies; 0 when the side to move is mated.
    pub depth: u32,
    /// Deepest ply reached, quiescence included; at least `depth`.
    pub selective_depth: u32,
    /// Rank of the line, from 1.
    pub multi_pv: usize,
    /// Score of the line, for the side to move at the root.
    pub score: Score,
    /// Relation of the score to the true one.
    pub bound: Bound,
    /// Counters at this moment.
    pub progress: Progress,
    /// The line, every move legal after the ones before; empty only when `end` is not.
    pub pv: Vec<Move>,
    /// The end of the game after the line; `None` if only the search ends.
    pub end: Option<LineEnd>,
}

/// The counters of a running search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Positions visited so far.
    pub nodes: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// Share of the transposition table with entries of this search, in permille.
    pub hashfull: u32,
    /// The root move being searched.
    pub root_move: Option<Move>,
}

/// The end of a line, in place of a move of the side to move there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// Declaring a win by entering king.
    Win,
    /// Resigning, without a legal move.
    Resign,
    /// A repetition, by the rules or as the search takes it.
    Repetition(Cycle),
}

/// Relation of a score to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// It is the search's score.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// The answer of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestMove {
    /// Play a legal move; `ponder` is the expected reply, legal after it.
    #[expect(missing_docs, reason = "described above")]
    Play { best: Move, ponder: Option<Move> },
    /// Declare a win by entering king.
    Win,
    /// Resign: no legal move, or hopeless.
    Resign,
}

/// Receiver of reports and the answer; called from the search's threads.
pub trait Listener: Send + Sync {
    /// An answer without a search, such as a move of a book. Called first, on the search's thread,
    /// which may block here until `is_stopped` returns `true`.
    fn known(&self, is_stopped: &dyn Fn() -> bool) -> Option<BestMove> {
        let _ = is_stopped;
        None
    }
    /// A line of play; never after [`finished`](Self::finished).
    fn report(&self, report: &Report);
    /// The counters: each [`heartbeat`](crate::Options::heartbeat) without a report.
    fn progress(&self, _progress: &Progress) {}
    /// The counters of the whole search, after its last report.
    fn totals(&self, _totals: &Progress) {}
    /// Something a user should know, ASCII.
    fn notice(&self, text: &str);
    /// Returns true once the search should end; asked every few hundred positions. For a
    /// [`Solo`](crate::Solo), which no other thread can stop.
    fn wants_stop(&self) -> bool {
        false
    }
    /// Returns true once the pondered move was played: the clock of a [`Solo`](crate::Solo) that
    /// ponders starts then.
    fn has_hit(&self) -> bool {
        false
    }
    /// The answer, exactly once for each start.
    fn finished(&self, best: &BestMove);
}

/// Spaces out the reports of one search thread and drops repeated ones.
#[derive(Default)]
pub(crate) struct ReportGate {
    interval: Duration,
    pub(crate) heartbeat: Option<Duration>,
    /// Number of reported lines; 0 in a helper and if the answer suffices.
    pub(crate) lines: usize,
    last_report: Duration,
    /// Time of the last report or heartbeat.
    last_sign: Duration,
    /// Rank and nodes of the last report; `None` after a heartbeat.
    last: Option<(usize, u64)>,
    /// The newest report of each rank.
    reported: Vec<Report>,
}

impl ReportGate {
    /// For a thread that reports `lines` lines and begins to search after `elapsed`.
    pub(crate) fn new(options: &Options, lines: usize, elapsed: Duration) -> Self {
        Self {
            interval: options.report_interval,
            heartbeat: options.heartbeat.filter(|_| lines > 0),
            lines,
            last_sign: elapsed,
            ..Self::default()
        }
    }

    /// Returns true when the last report was long enough before `elapsed`.
    pub(crate) fn is_due(&self, elapsed: Duration) -> bool {
        self.lines > 0 && elapsed >= self.last_report + self.interval
    }

    /// Notes `report` as sent. Returns false for a repeat of the last report of its rank; a mate is
    /// a repeat at any depth, since deeper searches only repeat the line.
    pub(crate) fn passes(&mut self, report: &Report) -> bool {
        let known = self.reported.iter_mut().find(|known| known.multi_pv == report.multi_pv);
        match known {
            Some(known) if known.says_the_same(report) => return false,
            Some(known) => known.clone_from(report),
            None => self.reported.push(report.clone()),
        }
        self.last_report = report.progress.elapsed;
        self.last_sign = report.progress.elapsed;
        self.last = Some((report.multi_pv, report.progress.nodes));
        true
    }

    /// Returns true, and notes the heartbeat as sent, if one is due after `elapsed`, which is called
    /// only with heartbeats on.
    #[inline]
    pub(crate) fn beats(&mut self, elapsed: impl FnOnce() -> Duration) -> bool {
        let Some(heartbeat) = self.heartbeat else { return false };
        let elapsed = elapsed();
        let due = elapsed >= self.last_sign + heartbeat;
        if due {
            self.last_sign = elapsed;
            self.last = None;
        }
        due
    }

    /// Like [`passes`](Self::passes), for the report that ends a search: only a repeat of the very last
    /// report, counters included, is dropped.
    pub(crate) fn passes_at_end(&mut self, report: &Report) -> bool {
        self.passes(report) || self.last != Some((report.multi_pv, report.progress.nodes))
    }
}

impl Report {
    fn says_the_same(&self, other: &Self) -> bool {
        let is_mate = !matches!(self.score, Score::Cp(_));
        (is_mate || self.depth == other.depth)
            && (self.score, self.bound) == (other.score, other.bound)
            && self.pv == other.pv
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use enbu_movegen::{EnteringKingRule, Position};
    use parking_lot::Mutex;

    use super::*;
    use crate::level::Level;
    use crate::limits::Limits;
    use crate::search::Search;

    const QUIET: &str = "l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31";

    const MATSURI: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

    /// Remembers what it hears.
    #[derive(Default)]
    struct Log {
        reports: Mutex<Vec<Report>>,
        beats: Mutex<Vec<Progress>>,
        totals: Mutex<Vec<u64>>,
        answers: Mutex<Vec<BestMove>>,
    }

    impl Listener for Log {
        fn report(&self, report: &Report) {
            self.reports.lock().push(report.clone());
        }

        fn progress(&self, progress: &Progress) {
            self.beats.lock().push(*progress);
        }

        fn totals(&self, totals: &Progress) {
            self.totals.lock().push(totals.nodes);
        }

        fn notice(&self, _: &str) {}

        fn finished(&self, best: &BestMove) {
            self.answers.lock().push(*best);
        }
    }

    /// The reports, the number of heartbeats, and the positions visited.
    fn search(sfen: &str, depth: u32, options: Options) -> (Vec<Report>, usize, u64) {
        let mut engine = Search::new().expect("a thread");
        let log = Arc::new(Log::default());
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        engine.start(&position, limits, options, Instant::now(), Arc::clone(&log) as Arc<dyn Listener>);
        engine.wait();
        let totals = log.totals.lock();
        assert_eq!(totals.len(), 1);
        (std::mem::take(&mut log.reports.lock()), log.beats.lock().len(), totals[0])
    }

    fn report(depth: u32, score: Score, ms: u64) -> Report {
        let progress = Progress { nodes: ms, elapsed: Duration::from_millis(ms), hashfull: 0, root_move: None };
        let pv = vec!["7g7f".parse().expect("a move")];
        Report { depth, selective_depth: depth, multi_pv: 1, score, bound: Bound::Exact, progress, pv, end: None }
    }

    #[test]
    fn what_was_reported_is_not_reported_again() {
        let mut gate = ReportGate::new(&Options::default(), 2, Duration::ZERO);
        assert!(gate.passes(&report(3, Score::Cp(7), 0)));
        assert!(!gate.passes(&report(3, Score::Cp(7), 900)));
        assert!(gate.passes(&Report { bound: Bound::Lower, ..report(3, Score::Cp(7), 900) }));
        assert!(gate.passes(&Report { multi_pv: 2, ..report(3, Score::Cp(7), 900) }));
        assert!(gate.passes(&report(4, Score::Cp(7), 900)));
        assert!(gate.passes(&report(5, Score::MateIn(1), 900)));
        assert!(!gate.passes(&report(6, Score::MateIn(1), 900)));
    }

    #[test]
    fn reports_keep_their_interval_and_heartbeats_fill_the_gaps() {
        let ms = Duration::from_millis;
        let options = Options { report_interval: ms(300), heartbeat: Some(ms(1000)), ..Options::default() };
        let mut gate = ReportGate::new(&options, 1, ms(50));
        assert!(!gate.is_due(ms(299)) && gate.is_due(ms(300)));
        assert!(gate.passes(&report(3, Score::Cp(7), 400)));
        assert!(!gate.is_due(ms(699)) && gate.is_due(ms(700)));
        assert!(!gate.beats(|| ms(1399)) && gate.beats(|| ms(1400)) && !gate.beats(|| ms(2399)));
        // After a heartbeat the last line is repeated for who reads the last one only.
        assert!(!gate.passes(&report(3, Score::Cp(7), 1500)));
        assert!(gate.passes_at_end(&report(3, Score::Cp(7), 1500)));
    }

    #[test]
    fn helpers_report_nothing() {
        let mut gate =
            ReportGate::new(&Options { heartbeat: Some(Duration::ZERO), ..Options::default() }, 0, Duration::ZERO);
        assert!(!gate.is_due(Duration::MAX) && !gate.beats(|| Duration::MAX));
    }

    #[test]
    fn iterations_report_when_the_best_move_changes_or_leaves_the_window() {
        let start = Position::startpos().to_setup().to_string();
        let (mut reports, beats, _) = search(&start, 9, Options::default());
        assert_eq!((beats, reports.last().map(|report| report.depth)), (0, Some(9)));
        reports.extend(search(MATSURI, 9, Options::default()).0);
        let within = |bound| reports.iter().filter(|report| report.bound == bound).count();
        assert!(within(Bound::Lower) > 0 && within(Bound::Upper) > 0, "{reports:#?}");
        let exact: Vec<&Report> = reports.iter().filter(|report| report.bound == Bound::Exact).collect();
        assert!(exact.windows(2).any(|pair| pair[0].depth == pair[1].depth && pair[0].pv[0] != pair[1].pv[0]));
    }

    #[test]
    fn no_line_is_reported_twice() {
        for multi_pv in [1, 4] {
            let (reports, ..) = search(QUIET, 9, Options { multi_pv, ..Options::default() });
            for (index, report) in reports.iter().enumerate() {
                let before = reports[..index].iter().rev().find(|before| before.multi_pv == report.multi_pv);
                // The line that ends the search has the last counters.
                let is_end = index + 1 == reports.len();
                let is_known = before.is_some_and(|before| {
                    before.says_the_same(report) && !(is_end && before.progress.nodes < report.progress.nodes)
                });
                assert!(!is_known, "{report:?}");
            }
        }
    }

    #[test]
    fn a_finished_line_is_reported_before_the_next_one_is_searched() {
        let (reports, ..) = search(QUIET, 6, Options { multi_pv: 4, ..Options::default() });
        let of_depth = |rank| reports.iter().find(|report| report.depth == 6 && report.multi_pv == rank);
        let nodes = [1, 2, 3, 4].map(|rank| of_depth(rank).map(|report| report.progress.nodes));
        assert!(nodes.is_sorted_by(|one, next| one < next) && nodes[0].is_some(), "{nodes:?}");
    }

    #[test]
    fn reports_do_not_change_the_search() {
        let zero = Duration::ZERO;
        let silent = Options { report_interval: Duration::from_secs(3600), ..Options::default() };
        let (reports, beats, nodes) = search(QUIET, 8, silent);
        assert_eq!((reports.len(), beats), (1, 0));
        let (reports, beats, same) = search(QUIET, 8, Options { heartbeat: Some(zero), ..Options::default() });
        assert!(reports.len() >= 8 && beats > 0 && same == nodes);
    }

    #[test]
    fn the_deepest_ply_is_never_below_the_depth() {
        let (reports, ..) = search("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 5, Options::default());
        assert!(reports.iter().all(|report| report.selective_depth >= report.depth));
        let mates = reports.iter().filter(|report| report.score == Score::MateIn(1));
        assert!((1..=2).contains(&mates.count()), "once, and at the end with the last counters");
    }

    #[test]
    fn the_last_report_is_the_move_played_with_the_last_counters() {
        let mut engine = Search::new().expect("a thread");
        let position = Position::from_setup(&QUIET.parse().expect("an SFEN")).expect("playable");
        let nodes = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
        let depth = |depth| Limits { depth: Some(depth), ..Limits::default() };
        let mut others = 0;
        for threads in [1, 3] {
            engine.set_threads(threads).expect("threads");
            for seed in 0..8 {
                let level = Level::new(seed as u8, seed);
                let interval = Duration::from_millis(300);
                for (limits, multi_pv, level) in [
                    (nodes(20_000 + 1000 * seed), 1, None),
                    (nodes(5_000), 3, None),
                    (depth(7), 1, None),
                    (depth(6), 1, level),
                    (depth(5), 4, level),
                ] {
                    let options = Options { multi_pv, level, report_interval: interval, ..Options::default() };
                    let log = Arc::new(Log::default());
                    let wanted = limits.depth;
                    engine.start(&position, limits, options, Instant::now(), Arc::clone(&log) as Arc<dyn Listener>);
                    engine.wait();
                    let reports = log.reports.lock();
                    let last = reports.last().expect("a report");
                    let BestMove::Play { best, ponder } = log.answers.lock()[0] else { panic!("no move") };
                    assert_eq!((last.multi_pv, last.pv[0]), (1, best), "{threads} threads, {multi_pv}, {level:?}");
                    assert!(last.pv.get(1).is_none_or(|&reply| ponder == Some(reply)));
                    if threads == 1 {
                        assert_eq!(last.progress.nodes, log.totals.lock()[0]);
                    }
                    match wanted {
                        Some(depth) if level.is_none() => assert_eq!(last.depth, depth, "{threads} threads"),
                        _ => others += usize::from(level.is_some() && reports.iter().any(|one| one.pv[0] != best)),
                    }
                }
            }
        }
        assert!(others > 0, "no level played another move than the best");
    }

    #[test]
    fn answers_without_a_search_are_reported_too() {
        let entered = "+R+B2K2+B+R/+P+P+P+P+P+P3/9/9/9/9/9/9/4k4 b 2P4g4s4n4l10p 1";
        let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2";
        let (csa, tried) = (EnteringKingRule::Csa27, EnteringKingRule::Try);
        let cases = [
            (mated, csa, 0, Score::MatedIn(0), Some(LineEnd::Resign), ""),
            (entered, csa, 1, Score::MateIn(1), Some(LineEnd::Win), ""),
            ("9/4K4/9/9/9/9/9/9/4k4 b - 1", tried, 1, Score::MateIn(1), None, "5b5a"),
        ];
        for (sfen, entering_king, depth, score, end, line) in cases {
            let (reports, _, nodes) = search(sfen, 1, Options { entering_king, ..Options::default() });
            let [report] = &reports[..] else { panic!("{sfen}: {reports:?}") };
            assert_eq!((report.depth, report.score, report.end, nodes), (depth, score, end, 0));
            let moves: Vec<String> = report.pv.iter().map(ToString::to_string).collect();
            assert_eq!(moves.join(" "), line);
        }
    }
}
