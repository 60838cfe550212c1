//! Games side by side: workers that read the inputs in turn, and the sink of their results.
//!
//! A worker that needs a game reads the next input itself, so that a run of one job keeps one
//! core busy and a run of two keeps two. What no other game depends on, such as the digest of
//! a record, is done after the queue is unlocked.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use enbu_analysis::html::{self, IndexRow};
use enbu_analysis::{Analyst, Curve, GameError, GameReport, Problem, Source, analyse, collection, problems, summary};
use enbu_files::Existing;
use enbu_kifu::Record;
use enbu_language::{pick, text};
use parking_lot::Mutex;

use super::display::Meter;
use super::product;
use super::units::{ReadInput, Reader, Unit};
use super::{Job, Kind, write_file};
use crate::commands::failure::{INTERRUPTED, with_failures};
use crate::commands::inputs::{Input, Target, extension};
use crate::terminal::{message, notice};

/// Games whose summaries are shown beside a file, and the bad moves in each.
const MOST_SUMMARIES: usize = 3;
const WORST_MOVES: usize = 3;

enum News {
    /// An input was read: its messages and fault, and the positions of its games.
    Read(ReadInput, u64),
    Done(Box<Done>),
}

/// A game that was analysed, or could not be.
#[derive(Default)]
struct Done {
    /// Its number among the games of this shard.
    number: u64,
    name: String,
    positions: u64,
    failed: bool,
    /// No search was needed.
    known: bool,
    messages: Vec<String>,
    row: Option<IndexRow>,
    problems: Vec<Problem>,
    /// For one file or standard output.
    game: Option<(Record, GameReport)>,
}

/// Analyses the games of `files` and gives them to `sink`.
pub(super) fn run(job: &Job, files: &[Input], sink: &mut Sink<'_>, out: &mut impl Write) -> io::Result<()> {
    let (jobs, counter) = (job.args.jobs(), AtomicU64::new(0));
    let (to_sink, news) = bounded(4 * jobs);
    let queue = Mutex::new(Queue {
        job,
        files: files.iter(),
        reader: Reader::new(job.settings.from),
        ready: VecDeque::new(),
        taken: 0,
    });
    thread::scope(|scope| {
        for number in 0..jobs {
            let to_sink = to_sink.clone();
            let (queue, counter) = (&queue, &counter);
            let worker = thread::Builder::new().name(format!("game {number}")).stack_size(Analyst::STACK_BYTES);
            let spawned = worker.spawn_scoped(scope, move || work(job, queue, &to_sink, counter));
            match spawned {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(error),
                // Those that run do the work.
                Err(_) => break,
            }
        }
        drop(to_sink);
        let result = sink.take_all(&news, &counter, out);
        // After a failure of the output the workers have nothing to do.
        job.stop.store(job.stop.load(Ordering::Relaxed) || result.is_err(), Ordering::Relaxed);
        drop(news);
        result
    })
}

/// The games that no worker has taken.
struct Queue<'j> {
    job: &'j Job,
    files: slice::Iter<'j, Input>,
    reader: Reader,
    /// The other games of the input read last.
    ready: VecDeque<Unit>,
    /// Number of games taken.
    taken: u64,
}

impl Queue<'_> {
    /// The next game with its number in this shard; `None` after the last one, after an
    /// interruption or a failure of the output. Inputs that are read are announced to `sink` in
    /// their order.
    fn next(&mut self, sink: &Sender<News>) -> Option<(u64, Unit)> {
        while self.ready.is_empty() {
            if self.job.stop.load(Ordering::Relaxed) {
                return None;
            }
            let mut found = self.reader.read(self.files.next()?);
            let is_empty = found.units.is_empty();
            found.units.retain(|unit| self.job.args.shard.contains(unit.number));
            let positions = found.units.iter().map(|unit| positions_of(&unit.record)).sum();
            // Messages are those of one shard only.
            let is_ours = !found.units.is_empty() || (is_empty && self.job.args.shard.contains(0));
            if !is_ours {
                (found.messages, found.failed) = Default::default();
            }
            self.ready = std::mem::take(&mut found.units).into();
            sink.send(News::Read(found, positions)).ok()?;
        }
        self.taken += 1;
        Some((self.taken - 1, self.ready.pop_front()?))
    }
}

fn positions_of(record: &Record) -> u64 {
    record.moves().count() as u64 + 1
}

/// Analyses one game after the other.
fn work(job: &Job, queue: &Mutex<Queue<'_>>, sink: &Sender<News>, counter: &AtomicU64) {
    let mut analyst = None;
    loop {
        let next = queue.lock().next(sink);
        let Some((number, unit)) = next.filter(|_| !job.stop.load(Ordering::Relaxed)) else { return };
        let Some(done) = one(job, number, unit, &mut analyst, counter) else { return };
        if sink.send(News::Done(Box::new(done))).is_err() {
            return;
        }
    }
}

/// Analyses a game and writes its files; `None` for an interruption.
fn one(job: &Job, number: u64, unit: Unit, analyst: &mut Option<Analyst>, counter: &AtomicU64) -> Option<Done> {
    let folder = if let Target::Folder(folder) = &job.target { Some(folder) } else { None };
    let source = unit.source();
    let known = folder.and_then(|folder| product::known(job, folder, &unit, &source));
    let is_complete = known.as_ref().is_some_and(|&(_, is_complete)| is_complete);
    let done = Done { number, known: known.is_some(), positions: positions_of(&unit.record), ..Done::default() };
    let failed = |name, message| Done { number, name, failed: true, messages: vec![message], ..Done::default() };
    let report = match known {
        Some((report, _)) => report,
        None => match searched(job, &unit, source, analyst, counter) {
            Ok(report) => report,
            Err(reason) => return reason.map(|message| failed(unit.name, message)),
        },
    };
    let mut messages = Vec::new();
    if let Some(folder) = folder.filter(|_| !is_complete) {
        match product::write(job, folder, &unit, &report) {
            Ok(warnings) => messages.extend(warnings),
            Err(error) => return Some(failed(unit.name, error.to_string())),
        }
    }
    if !done.known {
        let japanese = report.positions.len().saturating_sub(1);
        messages.extend(report.broken_off.iter().map(|english| {
            text!("analysed up to the fault: {english}", "反則手の前の {japanese} 手目まで解析しました").to_string()
        }));
    }
    Some(Done {
        messages,
        row: folder.map(|_| product::row(&unit.base, &report)),
        problems: problems(&report),
        name: unit.name,
        game: folder.is_none().then_some((unit.record, report)),
        ..done
    })
}

/// Searches the positions of a game; `None` for an interruption.
fn searched(
    job: &Job,
    unit: &Unit,
    source: Source,
    analyst: &mut Option<Analyst>,
    counter: &AtomicU64,
) -> Result<GameReport, Option<String>> {
    let analyst = match analyst {
        Some(analyst) => analyst,
        None => {
            let made = Analyst::new(&job.settings, &job.evaluation, job.engine.clone(), Arc::clone(&job.openings));
            analyst.insert(made.map_err(|error| Some(error.to_string()))?)
        }
    };
    let mut count = || {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    match analyse(&unit.record, analyst, &job.stop, &mut count) {
        Ok(report) => Ok(GameReport { source, ..report }),
        Err(GameError::Interrupted) => Err(None),
        Err(error) => Err(Some(error.to_string())),
    }
}

/// Collects the results in the order of the games.
pub(super) struct Sink<'j> {
    job: &'j Job,
    meter: Meter,
    failures: usize,
    rows: Vec<IndexRow>,
    problems: Vec<Problem>,
    /// Results that wait for those of games before them.
    waiting: BTreeMap<u64, Box<Done>>,
    next: u64,
    games: Vec<(Record, GameReport)>,
}

impl<'j> Sink<'j> {
    pub(super) fn new(job: &'j Job, inputs: usize) -> Self {
        Self {
            job,
            meter: Meter::new(inputs),
            failures: 0,
            rows: Vec::new(),
            problems: Vec::new(),
            waiting: BTreeMap::new(),
            next: 0,
            games: Vec::new(),
        }
    }

    fn take_all(&mut self, news: &Receiver<News>, counter: &AtomicU64, out: &mut impl Write) -> io::Result<()> {
        const INTERVAL: Duration = Duration::from_millis(250);
        loop {
            match news.recv_timeout(INTERVAL) {
                Ok(news) => self.take(news, out)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.meter.show(counter.load(Ordering::Relaxed));
        }
        self.meter.finish(counter.load(Ordering::Relaxed));
        // After an interruption games are missing; those after them are written as well.
        std::mem::take(&mut self.waiting).into_values().try_for_each(|done| self.put(*done, out))
    }

    fn take(&mut self, news: News, out: &mut impl Write) -> io::Result<()> {
        match news {
            News::Read(found, positions) => {
                self.meter.read(positions);
                found.messages.iter().for_each(|message| self.meter.notice(&found.name, message));
                self.failures += usize::from(found.failed);
            }
            News::Done(done) => {
                self.failures += usize::from(done.failed);
                self.meter.games += u64::from(!done.failed);
                if done.known {
                    self.meter.skip(done.positions);
                }
                done.messages.iter().for_each(|message| self.meter.notice(&done.name, message));
                self.waiting.insert(done.number, done);
            }
        }
        while let Some(done) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.put(*done, out)?;
        }
        Ok(())
    }

    /// Takes the next game in order.
    fn put(&mut self, done: Done, out: &mut impl Write) -> io::Result<()> {
        self.rows.extend(done.row);
        if self.job.args.problems.is_some() {
            self.problems.extend(done.problems);
        }
        let Some((record, report)) = done.game else { return Ok(()) };
        match (&self.job.target, self.job.kinds.first()) {
            // Records may have one head for all games of a file.
            (Target::Stdout, Some(kind @ (Kind::Json | Kind::Text))) => {
                out.write_all(&product::render(self.job, *kind, &[(&record, &report)]).0)?;
                out.flush()
            }
            _ => {
                self.games.push((record, report));
                Ok(())
            }
        }
    }

    /// Writes the results that all games share, and ends the command.
    pub(super) fn finish(mut self, out: &mut impl Write) -> io::Result<ExitCode> {
        self.write_together(out)?;
        if let Target::Folder(folder) = &self.job.target {
            let rows =
                if self.job.args.shard.is_whole() { std::mem::take(&mut self.rows) } else { product::rows(folder) };
            writeln!(out, "{}", message(&folder.display().to_string()))?;
            if self.job.kinds.contains(&Kind::Html) {
                let index = html::index(&rows, self.job.pages);
                write_file(&folder.join("index.html"), index.as_bytes(), Existing::Replace)?;
            }
        }
        if let Some(path) = &self.job.args.problems {
            write_file(path, self.collected(path).as_bytes(), Existing::Replace)?;
        }
        let page = match &self.job.target {
            Target::Folder(folder) => Some(folder.join("index.html")),
            Target::File(path) => Some(path.clone()),
            Target::Stdout => None,
        };
        if let Some(page) = page.filter(|page| self.job.args.open && page.exists()) {
            super::open(&page);
        }
        // Totals are for people; where results go to standard output they would be in the way.
        notice(self.meter.line());
        if self.job.stop.load(Ordering::Relaxed) {
            notice(match self.job.target {
                Target::Folder(_) => {
                    pick("interrupted; the same command continues", "中断しました。同じコマンドで続きから再開します")
                }
                Target::File(_) | Target::Stdout => pick("interrupted", "中断しました"),
            });
            return Ok(ExitCode::from(INTERRUPTED));
        }
        with_failures(self.failures)
    }

    /// The file of problems: a collection of ShogiHome where its name ends in `.json`, else lines.
    fn collected(&self, path: &Path) -> String {
        if !extension(path).is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            return self.problems.iter().map(|problem| format!("{}\n", problem.line)).collect();
        }
        let title = path.file_stem().unwrap_or_default().to_string_lossy();
        let made = jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        let Job { engine, settings, evaluation, .. } = self.job;
        collection(&self.problems, &title, &made, engine, settings, Curve::of(evaluation).scale_cp())
    }

    fn write_together(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(&kind) = self.job.kinds.first().filter(|_| !self.games.is_empty()) else { return Ok(()) };
        if kind == Kind::Html && self.games.len() > 1 {
            return Err(io::Error::other(pick(
                "pages of several games need a folder: -o OUT/",
                "複数の対局のページには、フォルダを指定してください：-o OUT/",
            )));
        }
        let games: Vec<(&Record, &GameReport)> = self.games.iter().map(|(record, report)| (record, report)).collect();
        let (bytes, messages) = product::render(self.job, kind, &games);
        messages.iter().for_each(|message| self.meter.notice("output", message));
        match &self.job.target {
            Target::File(path) => {
                write_file(path, &bytes, self.job.existing)?;
                for (_, report) in games.iter().take(MOST_SUMMARIES) {
                    write!(out, "{}", message(&summary(report, WORST_MOVES)))?;
                }
                writeln!(out, "{}", message(&path.display().to_string()))
            }
            Target::Stdout | Target::Folder(_) => out.write_all(&bytes),
        }
    }
}
