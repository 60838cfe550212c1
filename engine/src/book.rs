//! The opening book in play: opening it, and the answers out of it.
//!
//! | `go` | with a hit |
//! |---|---|
//! | with a limit, `ponder` | a move by the rules of `enbu_book::choose`, at once |
//! | `infinite`, without a limit | the moves are shown, and the search begins |
//!
//! A move is played only if it is legal and does not lose by repetition. Entries that
//! cannot be used are named once.
//!
//! Each position is looked up on a thread of its own, and the search waits for it no longer than
//! [`LOOKUP_TIME`], and for a part of the clock: a disk or a network may not answer.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};

use enbu_book::choose::{Rules, best_first};
use enbu_book::{Book, BookError, Entry, OpenOptions, Page};
use enbu_movegen::{Move, MoveList, Position, Ruling};
use enbu_usi::{BestMove, Event, EventSender, GoRequest, Info, Outcome, Score};
use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::paths;

/// Faults of one book that are named.
const MAX_NAMED: usize = 20;

/// Moves of a position that are listed in the message of an analysis.
const MAX_LISTED: usize = 10;

/// Largest seed of a game: that of the option `SkillSeed`.
const MAX_SEED: u64 = 1_000_000_000;

/// Value of a mate at once, by the convention of books; one in `n` plies is `n` less.
const MATE_CP: u32 = 32_000;

/// Lowest value that is a mate.
const MIN_MATE_CP: u32 = 31_000;

/// The book that the user selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BookFile {
    pub(crate) path: PathBuf,
    /// The user named it: then a missing file is an error.
    pub(crate) is_named: bool,
    pub(crate) options: OpenOptions,
}

/// Rules by which book moves are played and shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BookRules {
    pub(crate) choice: Rules,
    /// Last ply of the game that is played from the book.
    pub(crate) last_ply: u32,
    /// Chance that the book is ignored, in percent.
    pub(crate) ignore_percent: u32,
    /// Length of the lines that are shown, in plies.
    pub(crate) line_plies: usize,
    /// Number of moves that are shown.
    pub(crate) lines: usize,
    /// Positions are found with the sides exchanged as well.
    pub(crate) is_flipped: bool,
    /// Seed of the choice; `None` for one that is new in each game.
    pub(crate) seed: Option<u64>,
}

/// Longest time for a look-up.
const LOOKUP_TIME: Duration = Duration::from_secs(1);

/// Part of the time for a move that a look-up may take.
const LOOKUP_SHARE: u32 = 4;

/// Time between two tests of the stop flag during a look-up.
const POLL: Duration = Duration::from_millis(2);

/// A `go` that may be answered from the book.
pub(crate) struct Query {
    pub(crate) position: Position,
    pub(crate) request: GoRequest,
    pub(crate) rules: BookRules,
    pub(crate) started: Instant,
}

pub(crate) struct CurrentBook {
    opened: Option<Arc<Opened>>,
    seed: u64,
    /// Held by the last look-up until it knows its answer.
    running: Weak<()>,
}

struct Opened {
    file: BookFile,
    stamp: Option<paths::Stamp>,
    book: Result<Option<Book>, BookError>,
    named: Mutex<HashSet<String>>,
}

/// The look-up of a position.
pub(crate) struct Lookup {
    /// Its reports and its answer; `Err` with the reason if none can come.
    replies: Result<Receiver<Event>, String>,
    deadline: Instant,
}

impl Lookup {
    /// Waits for the answer, and sends it with its reports. `None` if the search is to answer: also
    /// when the time is over, or once `is_stopped`.
    pub(crate) fn answer(&self, is_stopped: &dyn Fn() -> bool, events: &EventSender) -> Option<BestMove> {
        let refused = |reason: &str| events.notice(format!("book: {reason}; searching without it"));
        let replies = self.replies.as_ref().map_err(|reason| refused(reason)).ok()?;
        let mut reports = Vec::new();
        loop {
            match replies.recv_timeout(POLL) {
                Ok(Event::Done(outcome)) => {
                    reports.into_iter().for_each(|report| events.send(report));
                    let Outcome::BestMove(best) = outcome else { return None };
                    return Some(best);
                }
                Ok(report) => reports.push(report),
                Err(_) if is_stopped() => return None,
                Err(RecvTimeoutError::Timeout) if Instant::now() < self.deadline => {}
                Err(_) => {
                    refused("no answer in time");
                    return None;
                }
            }
        }
    }
}

impl CurrentBook {
    pub(crate) fn new() -> Self {
        Self { opened: None, seed: fresh_seed(), running: Weak::new() }
    }

    /// Opens `file` unless it is open; `None` closes the book.
    pub(crate) fn update(&mut self, file: Option<BookFile>, notice: &mut dyn FnMut(&str)) {
        let Some(file) = file else {
            self.opened = None;
            return;
        };
        let stamp = paths::stamp(&file.path);
        let is_open = self.opened.as_ref().is_some_and(|opened| opened.file == file && opened.stamp == stamp);
        if !is_open {
            // The old book goes first: two large ones may not fit into memory.
            self.opened = None;
            let book = match stamp {
                None if !file.is_named => Ok(None),
                _ => Book::open(&file.path, &file.options).map(Some),
            };
            self.opened = Some(Arc::new(Opened { file, stamp, book, named: Mutex::default() }));
        }
        let Some(opened) = &self.opened else { return };
        match &opened.book {
            // An error is reported at each game, not only when the option is set.
            Err(error) => notice(&format!("error: {}: {error}; playing without a book", opened.name())),
            Ok(Some(book)) if !is_open => opened_notices(&opened.name(), book, notice),
            Ok(_) => {}
        }
    }

    /// Begins a game, with another seed.
    pub(crate) fn new_game(&mut self) {
        self.seed = fresh_seed();
    }

    /// Begins to look a position up, which may take the search up to `last_moment`; `None` without
    /// a book for it.
    pub(crate) fn look_up(&mut self, query: Query, last_moment: Option<Duration>) -> Option<Lookup> {
        let opened = self.opened.as_ref().filter(|opened| matches!(opened.book, Ok(Some(_))))?;
        if u32::from(query.position.ply()) > query.rules.last_ply {
            return None;
        }
        let time = last_moment.map_or(LOOKUP_TIME, |time| LOOKUP_TIME.min(time / LOOKUP_SHARE));
        let deadline = query.started + time;
        if self.running.strong_count() > 0 {
            return Some(Lookup { replies: Err("the last look-up has not ended".to_owned()), deadline });
        }
        let (sender, replies) = unbounded();
        let events = EventSender::new(move |event| {
            // A search that went on without the book listens no more.
            let _ = sender.send(event);
        });
        let (opened, seed) = (Arc::clone(opened), query.rules.seed.unwrap_or(self.seed));
        let held = Arc::new(());
        self.running = Arc::downgrade(&held);
        let run = move || {
            let best = opened.consult(&query, seed, &events);
            // Before the answer: the next `go` may come before this thread has ended.
            drop(held);
            if let Some(best) = best {
                events.done(Outcome::BestMove(best));
            }
        };
        let started = thread::Builder::new().name("book".into()).spawn(run);
        Some(Lookup { replies: started.map(|_| replies).map_err(|error| format!("no thread: {error}")), deadline })
    }
}

impl Opened {
    /// The answer, with its reports; `None` if the search is to answer.
    fn consult(&self, query: &Query, seed: u64, events: &EventSender) -> Option<BestMove> {
        let Ok(Some(book)) = &self.book else { return None };
        let Query { position, request, .. } = query;
        let shown = Shown { book, query, events };
        let fault = |text: String| self.report_once(text, events);
        let page = shown.page(position).map_err(|error| fault(error.to_string())).ok().flatten()?;
        let mut entries = legal(page, position, fault);
        entries.retain(|entry| request.searchmoves.is_empty() || request.searchmoves.contains(&entry.mv));
        if entries.is_empty() {
            return None;
        }
        if request.runs_until_stop() {
            shown.analysis(&entries);
            return None;
        }
        shown.play(&entries, seed)
    }

    /// Reports a fault unless it was reported before.
    fn report_once(&self, fault: String, events: &EventSender) {
        let mut named = self.named.lock();
        if named.len() < MAX_NAMED && named.insert(fault.clone()) {
            events.notice(format!("error: {}: {fault}", self.name()));
        }
    }

    fn name(&self) -> String {
        format!("book {}", paths::shown(&self.file.path))
    }
}

fn fresh_seed() -> u64 {
    // The only source of randomness in the standard library.
    1 + RandomState::new().build_hasher().finish() % MAX_SEED
}

/// Reports a book that was opened, and its faults.
fn opened_notices(name: &str, book: &Book, notice: &mut dyn FnMut(&str)) {
    match book.positions() {
        Some(positions) => notice(&format!("{name}: {positions} positions")),
        None => notice(&format!("{name}: searched on disk")),
    }
    let faults = &book.faults;
    faults.first.iter().for_each(|fault| notice(&format!("error: {name}: {fault}")));
    let more = faults.count.saturating_sub(faults.first.len() as u64);
    if more > 0 {
        notice(&format!("error: {name}: {more} more faulty entries"));
    }
}

/// The legal moves of a page; the others are faults.
fn legal(page: Page, position: &Position, fault: impl Fn(String)) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for entry in page.entries {
        match position.clone().play(entry.mv) {
            Err(illegal) => fault(format!("{illegal} in {}", position.to_setup())),
            Ok(_) if entries.iter().any(|earlier| earlier.mv == entry.mv) => {
                fault(format!("{} occurs twice in {}", entry.mv, position.to_setup()));
            }
            Ok(_) => entries.push(entry),
        }
    }
    entries
}

/// The answer to a query out of a book.
struct Shown<'s> {
    book: &'s Book,
    query: &'s Query,
    events: &'s EventSender,
}

impl Shown<'_> {
    /// The page of a position, as the rules want the book to be read.
    fn page(&self, position: &Position) -> Result<Option<Page>, BookError> {
        let setup = position.to_setup();
        let page = self.book.probe(&setup)?;
        if page.is_some() || !self.query.rules.is_flipped {
            return Ok(page);
        }
        Ok(self.book.probe(&setup.flipped())?.map(Page::flipped))
    }

    /// The line that begins with a book move: the expected replies, and the best moves where
    /// none is given. Every move is legal.
    fn line(&self, position: &Position, entry: &Entry, plies: usize) -> Vec<Move> {
        let mut position = position.clone();
        position.do_move(entry.mv);
        let (mut line, mut expected) = (vec![entry.mv], entry.ponder);
        while line.len() < plies {
            let entries = self.page(&position).ok().flatten().map(|page| page.entries).unwrap_or_default();
            let legal = |mv: &Move| position.is_legal(*mv);
            let best = || best_first(&entries).into_iter().map(|entry| entry.mv).find(legal);
            let Some(mv) = expected.filter(legal).or_else(best) else { break };
            expected = entries.iter().find(|entry| entry.mv == mv).and_then(|entry| entry.ponder);
            position.do_move(mv);
            line.push(mv);
        }
        line
    }

    /// Shows the moves of the position, best first.
    fn analysis(&self, entries: &[Entry]) {
        let best = best_first(entries);
        let text = |entry: &&Entry| match entry.value {
            Some(value) => format!("{} {value}", entry.mv),
            None => entry.mv.to_string(),
        };
        let listed: Vec<String> = best.iter().take(MAX_LISTED).map(text).collect();
        self.events.notice(format!("book: {} moves: {}", best.len(), listed.join(", ")));
        self.lines(&best);
    }

    /// Chooses a move; `None`, with the reason, if none may be played.
    fn play(&self, entries: &[Entry], seed: u64) -> Option<BestMove> {
        let Query { position, rules, .. } = self.query;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ position.key() ^ u64::from(position.ply()),
        );
        if random.random_range(0..100) < rules.ignore_percent {
            self.events.notice(format!("book: ignored by BookIgnoreRate {}, seed {seed}", rules.ignore_percent));
            return None;
        }
        let playable = entries.iter().filter(|entry| {
            let loses = loses_by_repetition(position, entry.mv);
            if loses {
                self.events.notice(format!("book: {} loses by repetition and is not played", entry.mv));
            }
            !loses
        });
        let playable: Vec<&Entry> = playable.collect();
        let selection = rules.choice.select(playable.iter().copied(), position.turn());
        let refused = |refusal| self.events.notice(format!("book: no move played: {refusal}"));
        let kept = selection.map_err(refused).ok()?;
        let chosen = *kept.get(rules.choice.draw(&kept, &mut random)?)?;
        let candidates = kept.len();
        self.events.notice(format!("book: {}, one of {candidates} moves, seed {seed}", chosen.mv));
        let others = best_first(playable).into_iter().filter(|entry| entry.mv != chosen.mv);
        self.lines(&std::iter::once(chosen).chain(others).collect::<Vec<_>>());
        let ponder = self.line(position, chosen, 2).get(1).copied();
        Some(BestMove::Play { best: chosen.mv, ponder })
    }

    /// Reports the first lines, the first one last: clients take the last one.
    fn lines(&self, entries: &[&Entry]) {
        let Query { position, rules, started, .. } = self.query;
        let time_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        for (index, entry) in entries.iter().enumerate().take(rules.lines).rev() {
            self.events.info(Info {
                depth: entry.depth,
                multipv: u32::try_from(index + 1).ok().filter(|_| rules.lines > 1),
                score: entry.value.map(score),
                pv: self.line(position, entry, rules.line_plies),
                ..Info::counters(0, time_ms, 0)
            });
        }
    }
}

fn score(value_cp: i32) -> Score {
    match (value_cp.unsigned_abs(), value_cp > 0) {
        (MIN_MATE_CP..=MATE_CP, true) => Score::MateIn(MATE_CP - value_cp.unsigned_abs()),
        (MIN_MATE_CP..=MATE_CP, false) => Score::MatedIn(MATE_CP - value_cp.unsigned_abs()),
        _ => Score::Cp(value_cp),
    }
}

/// Returns true if the mover loses by perpetual check after `mv`: at once, after a reply,
/// or by going on as since the last occurrence of the position.
fn loses_by_repetition(position: &Position, mv: Move) -> bool {
    let lost = Ruling::Win(!position.turn());
    let mut after = position.clone();
    after.do_move(mv);
    if after.repetition() == lost || after.perpetual_checker() == Some(position.turn()) {
        return true;
    }
    let mut replies = MoveList::new();
    after.legal_moves(&mut replies);
    replies.iter().any(|&reply| {
        after.do_move(reply);
        let loses = after.repetition() == lost;
        after.undo_move();
        loses
    })
}

#[cfg(test)]
mod tests {
    use enbu_book::choose::Weight;
    use enbu_movegen::Setup;

    use super::*;

    fn played(sfen: &str, moves: &str) -> Position {
        let mut position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        for mv in moves.split_whitespace() {
            position.play(mv.parse().expect("a move")).expect("legal");
        }
        position
    }

    #[test]
    fn perpetual_check_is_recognised_before_it_loses() {
        let sfen = "k8/9/9/9/9/9/9/9/1R2K4 b - 1";
        let mv = |text: &str| text.parse().expect("a move");
        assert!(!loses_by_repetition(&played(sfen, ""), mv("8i9i")));
        let again = played(sfen, "8i9i 9a8a 9i8i 8a9a");
        assert!(loses_by_repetition(&again, mv("8i9i")));
        assert!(!loses_by_repetition(&again, mv("8i7i")));
        // A reply that repeats a position for the fourth time ends the game as well.
        let round = "8i9i 9a8a 9i8i 8a9a";
        let long = played(sfen, &format!("{round} {round} 8i9i 9a8b 9i8i 8b9b 8i9i 9b8a 9i8i"));
        assert!(long.in_check());
        let long = played(sfen, &format!("{round} {round} 8i9i 9a8b 9i8i 8b9b 8i9i 9b8a"));
        assert!(loses_by_repetition(&long, mv("9i8i")));
    }

    #[test]
    fn values_of_mates_are_mates() {
        assert_eq!(score(31_990), Score::MateIn(10));
        assert_eq!(score(-31_991), Score::MatedIn(9));
        assert_eq!(score(i32::MIN), Score::Cp(i32::MIN));
        assert_eq!(score(30_999), Score::Cp(30_999));
    }

    #[test]
    fn a_look_up_is_over_when_it_has_answered() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.db");
        let start = Position::startpos();
        let text = format!("#YANEURAOU-DB2016 1.00\nsfen {}\n1g1f none 0 20 1\n", Setup::startpos());
        std::fs::write(&path, text).expect("written");
        let mut book = CurrentBook::new();
        let options = OpenOptions { on_the_fly: false, ignore_ply: true };
        book.update(Some(BookFile { path, is_named: true, options }), &mut |_| {});
        let choice = Rules {
            eval_diff_cp: 100,
            eval_limits_cp: [-30_000; 2],
            min_depth: 0,
            is_narrow: false,
            weight: Weight::Equal,
        };
        let rules = BookRules {
            choice,
            last_ply: 10,
            ignore_percent: 0,
            line_plies: 1,
            lines: 1,
            is_flipped: false,
            seed: None,
        };
        for number in 0..1000 {
            let request = GoRequest { nodes: Some(1), ..GoRequest::default() };
            let (position, started) = (start.clone(), Instant::now());
            let found = book.look_up(Query { position, request, rules, started }, None).expect("a book");
            let replies = found.replies.unwrap_or_else(|reason| panic!("{number}: {reason}"));
            assert!(replies.iter().any(|event| matches!(event, Event::Done(Outcome::BestMove(_)))), "{number}");
        }
    }

    #[test]
    fn seeds_of_games_are_values_of_the_option() {
        assert!((0..100).all(|_| (1..=MAX_SEED).contains(&fresh_seed())));
    }
}
