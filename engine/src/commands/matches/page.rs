//! The page of a match, for those who watch.
//!
//! A thread writes it anew at most twice a second: a script with data, which draws everything. From a
//! disk, where a browser lets no script read files, the page loads itself again; from a server it
//! fetches itself and takes the data.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use enbu_analysis::html::{BOARD_SCRIPT, Fetches, fill, head, in_script};
use enbu_arena::report::{Pairing, Report, Standing, is_meaningful, sprt_text};
use enbu_arena::{GameRecord, LiveGame, LoggedMove, Points, Sprt};
use enbu_files::Existing;
use enbu_kifu::markup::escape;
use enbu_kifu::svg;
use enbu_language::{Both, Language, pick, text};
use enbu_movegen::{Move, Setup};
use enbu_usi::client::LastReport;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::failure::{check_writable, named};
use crate::commands::progress::time_left;
use crate::locale::named_language;

/// Interval between two writings.
const INTERVAL: Duration = Duration::from_millis(500);
/// Finished games and faults on the page.
const LISTED: usize = 20;
/// Moves of a line of play.
const PV_MOVES: usize = 12;

type Games = Arc<Mutex<BTreeMap<usize, LiveGame>>>;

/// State of a match: games follow, may follow, do not.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    Live,
    Stopped,
    Over,
}

/// The page, and the thread that writes it.
pub(super) struct Page {
    contents: Arc<Contents>,
    writer: Option<(Sender<()>, JoinHandle<()>)>,
}

struct Contents {
    path: PathBuf,
    /// The page before and after its data.
    frame: [String; 2],
    live: Option<Games>,
    results: Mutex<Results>,
}

/// Contents that change with each finished game.
struct Results {
    report: Report,
    sprt: Option<Sprt>,
    /// Games of this match, and those played before.
    all: u64,
    before: u64,
    started: Instant,
    /// The last games and the last faults, newest first.
    last: VecDeque<String>,
    faults: VecDeque<String>,
}

/// Makes the folder, and fails where the page could not be written or another file would be lost.
pub(super) fn check(dir: &Path, existing: Existing) -> io::Result<()> {
    std::fs::create_dir_all(dir).map_err(|error| named(dir, &error))?;
    check_writable(&dir.join("index.html"), existing)
}

impl Page {
    /// A page in a folder with the games played so far of all; written while there are games to watch.
    pub(super) fn begin(
        dir: &Path,
        title: &str,
        live: Option<Games>,
        all: u64,
        sprt: Option<Sprt>,
        games: &[GameRecord],
    ) -> io::Result<Self> {
        let (before, started) = (games.len() as u64, Instant::now());
        let (report, last, faults) = Default::default();
        let results = Mutex::new(Results { report, sprt, all, before, started, last, faults });
        let contents = Arc::new(Contents { path: dir.join("index.html"), frame: frame(title), live, results });
        let mut page = Self { contents: Arc::clone(&contents), writer: None };
        games.iter().for_each(|game| page.add(game, None));
        if contents.live.is_some() {
            contents.write(Stage::Live)?;
            let (sender, ended) = bounded(0);
            let writer = thread::Builder::new().name("page".into()).spawn(move || contents.follow(&ended))?;
            page.writer = Some((sender, writer));
        }
        Ok(page)
    }

    /// Adds a finished game, with the remark about it.
    pub(super) fn add(&self, game: &GameRecord, remark: Option<&Both>) {
        let mut results = self.contents.results.lock();
        results.report.add(game);
        results.last.push_front(finished(game));
        fault(game, remark).into_iter().for_each(|fault| results.faults.push_front(fault));
        results.last.truncate(LISTED);
        results.faults.truncate(LISTED);
    }

    /// Ends the thread and writes the page for the last time.
    pub(super) fn finish(self, stage: Stage) -> io::Result<()> {
        if let Some((sender, writer)) = self.writer {
            drop(sender);
            // A panic of the thread is printed; the page is written once more anyhow.
            let _ = writer.join();
        }
        self.contents.write(stage)
    }
}

/// The page before and after its data.
fn frame(title: &str) -> [String; 2] {
    let title = escape(title);
    let page = [
        ("head", head(&title, named_language(), include_str!("page/page.css"), Fetches::Own)),
        ("title", title),
        ("board", svg::board(&Setup::empty(), None)),
        ("data", "\0".to_owned()),
        ("script", [BOARD_SCRIPT, include_str!("page/page.js")].concat()),
    ];
    let page = fill(include_str!("page/page.html"), &page);
    let (before, after) = page.split_once('\0').unwrap_or_default();
    [before, after].map(str::to_owned)
}

impl Contents {
    /// Writes the page while the match is played, until `ended` has no sender.
    fn follow(&self, ended: &Receiver<()>) {
        while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            // The last writing, after the match, reports its error.
            let _ = self.write(Stage::Live);
        }
    }

    fn write(&self, stage: Stage) -> io::Result<()> {
        let live: Vec<String> =
            self.live.iter().flat_map(|games| games.lock().iter().map(running).collect::<Vec<_>>()).collect();
        let data = self.results.lock().data(stage, &live.join(","));
        let [before, after] = &self.frame;
        let page = [before, data.as_str(), after].concat();
        enbu_files::write_unsynced(&self.path, page.as_bytes()).map_err(|error| named(&self.path, &error))
    }
}

impl Results {
    /// The data of the script.
    ///
    /// | name | value |
    /// |---|---|
    /// | `at` `state` | time of writing; `live`, `stopped` or `over` |
    /// | `facts` | games played, time left, state of a test |
    /// | `standings` | name, games, Elo if it means something, faults of each engine |
    /// | `pairings` | names and games of two engines |
    /// | `live` `last` `faults` | games in progress; the last games and faults, newest first |
    fn data(&self, stage: Stage, live: &str) -> String {
        let standing = |Standing { name, games, pairs, elo, faults }: &Standing| {
            let faults = faults.iter().map(|(fault, times)| (in_both(|| fault.name()), times));
            let elo = is_meaningful(pairs).then_some(elo);
            json!({ "name": name, "games": games, "elo": elo, "faults": faults.collect::<Vec<_>>() })
        };
        let pairing = |one: &Pairing| json!({ "names": one.names, "games": one.all });
        let head = json!({
            "at": epoch_ms(SystemTime::now()), "state": stage, "facts": in_both(|| self.facts(stage)),
            "standings": self.report.standings().iter().map(standing).collect::<Value>(),
            "pairings": self.report.pairings.iter().map(pairing).collect::<Value>(),
        });
        let list = |list: &VecDeque<String>| list.iter().map(String::as_str).collect::<Vec<_>>().join(",");
        let (last, faults) = (list(&self.last), list(&self.faults));
        let head = in_script(head.to_string().trim_end_matches('}'));
        format!("{head},\"live\":[{live}],\"last\":[{last}],\"faults\":[{faults}]}}")
    }

    fn facts(&self, stage: Stage) -> String {
        let (done, all) = (self.report.games(), self.all);
        let left = match stage {
            Stage::Live => time_left(self.started.elapsed(), done - self.before, all.saturating_sub(done)),
            Stage::Stopped => pick(", interrupted", "、中断").to_owned(),
            Stage::Over => pick(", finished", "、終了").to_owned(),
        };
        let test = self.sprt.zip(self.report.pairings.first());
        let test = test.map(|(sprt, one)| format!(" · SPRT {}", sprt_text(&sprt, &one.pairs))).unwrap_or_default();
        text!("{done}/{all} games{left}{test}", "{done}/{all}局{left}{test}").to_string()
    }
}

/// A text, made once in Japanese and once in English.
fn in_both(text: impl Fn() -> String) -> [String; 2] {
    [Language::Japanese, Language::English].map(|language| language.render(fmt::from_fn(|f| f.write_str(&text()))))
}

fn epoch_ms(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// A game for the script, with more fields.
///
/// | name | value |
/// |---|---|
/// | `n` `b` `w` | its number, the names of Black and White |
/// | `s` `m` `o` | start as SFEN or `startpos`, moves as in USI, number of those of the opening |
/// | `v` `t` | scores of the answers for the mover, `-` without one; their milliseconds |
/// | `end` | result of a finished game |
/// | `left` `since` | of one in progress: main time and byoyomi left, start of the clock that runs |
/// | `lines` | last reports: score, depth, nodes, line of play, number of moves before it |
fn game(mut fields: Value, log: &[LoggedMove]) -> String {
    let scores: Vec<&str> = log.iter().map(|answer| answer.score.as_deref().unwrap_or("-")).collect();
    let times: Vec<String> = log.iter().map(|answer| format!("{:.0}", answer.ms)).collect();
    if let Some(fields) = fields.as_object_mut() {
        fields.extend([("v".to_owned(), scores.join(" ").into()), ("t".to_owned(), times.join(" ").into())]);
    }
    in_script(&fields.to_string())
}

fn finished(record: &GameRecord) -> String {
    let GameRecord { game: number, black, white, opening, moves, opening_moves, log, .. } = record;
    let end = in_both(|| {
        let reason = record.reason.name();
        match record.black_points() {
            Points::Win => text!("▲{black} wins ({reason})", "▲{black} の勝ち（{reason}）").to_string(),
            Points::Draw => text!("draw ({reason})", "引き分け（{reason}）").to_string(),
            Points::Loss => text!("△{white} wins ({reason})", "△{white} の勝ち（{reason}）").to_string(),
        }
    });
    let start = opening.trim_start_matches("sfen ");
    game(json!({ "n": number, "b": black, "w": white, "s": start, "m": moves, "o": opening_moves, "end": end }), log)
}

fn running((number, live): (&usize, &LiveGame)) -> String {
    let LiveGame { names: [black, white], opening, moves, log, left_ms, lines, since } = live;
    let words = |moves: &[Move]| moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
    let lines = lines.each_ref().map(|line| {
        let LastReport { depth, nodes, pv, .. } = &line.report;
        let pv = words(pv.get(..PV_MOVES).unwrap_or(pv));
        json!({ "v": line.score(), "d": depth, "n": nodes, "pv": pv, "at": line.at })
    });
    let (start, moves, since) = (opening.setup().to_string(), words(moves), since.map(epoch_ms));
    let opening = opening.moves().len();
    let fields = json!({ "n": number, "b": black, "w": white, "s": start, "m": moves, "o": opening,
        "left": left_ms, "since": since, "lines": lines });
    game(fields, log)
}

/// The faults of a game and the remark about them; of a game played before, the remark is in English.
fn fault(game: &GameRecord, remark: Option<&Both>) -> Option<String> {
    let sides = [(&game.name1, &game.faults1), (&game.name2, &game.faults2)];
    let text = in_both(|| {
        let all = sides.iter().flat_map(|(name, faults)| faults.iter().map(move |(fault, times)| (name, fault, times)));
        let counts = all.map(|(name, fault, times)| format!("{name}{}{} {times}", pick(": ", "："), fault.name()));
        let remark = remark.map_or_else(|| game.text.clone(), ToString::to_string);
        counts.chain([remark]).collect::<Vec<_>>().join(pick(". ", "。"))
    });
    let is_clean = sides.iter().all(|(_, faults)| faults.is_empty());
    (!is_clean).then(|| in_script(&json!([game.game, text]).to_string()))
}
