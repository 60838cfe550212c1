//! `enbu match`: matches between USI engines.

mod args;
mod config;
mod page;

use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Once;
use std::time::{Duration, Instant};

use enbu_arena::report::Report;
use enbu_arena::results::{self, ResultsFile};
use enbu_arena::{Bracket, Contest, ContestError, GameRecord, MatchEvent, Scores, Sprt, chart};
use enbu_files::Existing;
use enbu_language::{Both, pick, text};
use serde_json::{Value, json};

use super::failure::{INTERRUPTED, cancel_on_signal, check_writable, failed, named, write_file};
use super::game_args;
use super::inputs::listed;
use super::progress::{Progress, time_left};
use crate::terminal::notice;
pub(in crate::commands) use args::EngineArgs;
pub(crate) use args::MatchArgs;
use page::{Page, Stage};

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu match --engine ./new name=new --engine ./old name=old --tc 10+0.1 --openings openings.sfen
  enbu match --engine self option.USI_Hash=64 --engine ./other --tc nodes=20000 --games 400 --concurrency 2
  enbu match --engine ./new --engine ./old --tc 0+1b --sprt 0 5 --games 20000 --resume --chart match.svg
  enbu match --engine ./a --engine ./b --tc 10+0.1 --shard 3/8 --out part3.jsonl
  enbu match tournament.toml --resume
  enbu match --merge part*.jsonl --out all.jsonl";

/// Interval between two drawings of the chart during a match.
const CHART_INTERVAL: Duration = Duration::from_secs(30);

pub(crate) fn run(args: &MatchArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    if let Some(path) = args.file() {
        return run(&config::complete(path, args.given())?, out);
    }
    if args.merge.is_empty() { play(args, out) } else { merge(args, out) }
}

/// Puts files of results together.
fn merge(args: &MatchArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let contents = results::merge(&args.merge).map_err(io::Error::other)?;
    for path in &contents.torn {
        let path = path.display();
        notice(text!(
            "{path}: the last line is torn; its game is left out",
            "{path}：最終行が途中で切れているため、その対局は除きます"
        ));
    }
    if contents.games.is_empty() {
        let names = listed(&args.merge);
        return Err(failed(text!("no games in {names}", "対局がありません：{names}")));
    }
    let sprt = args.sprt()?;
    let existing = args.force.existing();
    args.out.iter().chain(&args.chart).try_for_each(|path| check_writable(path, existing))?;
    if let Some(path) = &args.out {
        let lines = contents.games.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let text: String = lines.into_iter().map(|line| line + "\n").collect();
        write_file(path, text, existing)?;
    }
    if let Some(dir) = &args.csa {
        for game in &contents.games {
            save_csa(dir, game)?;
        }
    }
    if let Some(path) = &args.chart {
        draw(path, &contents.games, sprt.as_ref())?;
    }
    let report = Report::of(&contents.games);
    if let Some(dir) = &args.page {
        page::check(dir, existing)?;
        let names: Vec<String> = report.standings().into_iter().map(|standing| standing.name).collect();
        Page::begin(dir, &names.join(" – "), None, report.games(), sprt, &contents.games)?.finish(Stage::Over)?;
    }
    finish(args, &report, None, sprt.as_ref(), out)
}

fn scores(games: &[GameRecord]) -> Scores {
    games.iter().map(|game| (game.game, game.score1)).collect()
}

/// Plays a match, or the rest of one.
fn play(args: &MatchArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let cancel = cancel_on_signal()?;
    let sprt = args.sprt()?;
    let existing = if args.resume { Existing::Replace } else { args.force.existing() };
    args.chart.iter().try_for_each(|path| check_writable(path, existing))?;
    args.page.iter().try_for_each(|dir| page::check(dir, existing))?;
    let settings = args.settings(&cancel)?;
    if settings.repeats_games() {
        notice(game_args::repeated_games());
    }
    let log = game_args::traffic_log(args.log.as_deref())?;
    let live = settings.spectators.games.clone();
    let contest = match Contest::prepare(settings, &cancel, log.as_ref()) {
        Ok(contest) => contest,
        Err(ContestError::Cancelled) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(error) => return Err(io::Error::other(error)),
    };
    let path = args.out.clone().unwrap_or_else(|| "match.jsonl".into());
    let (mut file, games) = open_results(args, &path, &contest)?;
    let all = contest.games() as u64;
    let title = &contest.names.join(" – ");
    let page = args.page.as_ref().map(|dir| Page::begin(dir, title, live, all, sprt, &games)).transpose()?;
    let mut state = State::new(args, all, sprt, games, page);
    state.catch_up();
    let result = contest.play(scores(&state.games), &cancel, log.as_ref(), |news| match news {
        MatchEvent::Game(game, remark) => state.take(*game, remark.as_ref(), &mut file),
        MatchEvent::UnsolicitedOutput(name, faults) => {
            for (fault, times) in faults.iter() {
                let fault = fault.name();
                let text =
                    text!("{name} after its last game: {fault} ({times})", "{name}（終局後）：{fault} {times} 回");
                state.progress.notice(text);
            }
            ControlFlow::Continue(())
        }
    });
    state.progress.finish();
    let saved = file.save();
    let charted = args.chart.as_ref().map_or(Ok(()), |chart| draw(chart, &state.games, sprt.as_ref()));
    let stage = if result.is_err() { Stage::Stopped } else { Stage::Over };
    let shown = state.page.take().map_or(Ok(()), |page| page.finish(stage));
    let bracket = contest.bracket(&scores(&state.games));
    let code = finish(args, &state.report, bracket.as_ref(), sprt.as_ref(), out)?;
    if let Err(error) = saved {
        return Err(lost(&file, &error, out));
    }
    charted.and(shown)?;
    match result {
        Ok(()) => Ok(code),
        Err(ContestError::Cancelled) => {
            let path = path.display();
            let text = text!(
                "interrupted; go on with --resume (results in {path})",
                "中断しました。--resume で続きから再開します（結果は {path}）"
            );
            state.progress.notice(text);
            Ok(ExitCode::from(INTERRUPTED))
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Prints games that could not be saved to standard output, the last place left.
fn lost(file: &ResultsFile, error: &results::ResultsError, out: &mut impl Write) -> io::Error {
    let unsaved = &file.unsaved;
    let written = unsaved.iter().try_for_each(|line| writeln!(out, "{line}"));
    let place = match written {
        Ok(()) => pick("they are printed above, one a line", "上に1局1行で出力しました"),
        Err(_) => pick("they are lost", "失われました"),
    };
    let games = unsaved.len();
    failed(text!("{error}; {games} games could not be saved, {place}", "{error}。{games}局を保存できず、{place}"))
}

fn open_results(args: &MatchArgs, path: &Path, contest: &Contest) -> io::Result<(ResultsFile, Vec<GameRecord>)> {
    if !args.resume {
        return Ok((ResultsFile::create(path).map_err(io::Error::other)?, Vec::new()));
    }
    let (file, contents) = ResultsFile::resume(path).map_err(io::Error::other)?;
    if let Some(other) = contents.games.iter().find(|game| game.match_id != contest.id) {
        return Err(failed(text!(
            "{}: game {} belongs to a match with other engines, options, openings, rules or seed",
            "{}：対局 {} はエンジン、オプション、開始局面、ルール、乱数の種のどれかが違う連続対局です",
            path.display(),
            other.game
        )));
    }
    if contents.torn.as_ref().is_some_and(|torn| !torn.is_empty()) {
        // Printed before any progress is shown.
        let path = path.display();
        notice(text!(
            "{path}: the last line was torn; its game is played again",
            "{path}：最終行が途中で切れているため、その対局を指し直します"
        ));
    }
    Ok((file, contents.games))
}

/// A match in progress, as the user sees it.
struct State<'m> {
    args: &'m MatchArgs,
    report: Report,
    /// Games of this match, and those played before.
    all: u64,
    resumed: u64,
    started: Instant,
    games: Vec<GameRecord>,
    sprt: Option<Sprt>,
    page: Option<Page>,
    progress: Progress,
    charted: Instant,
    /// A full disk stays full: its notice is printed once.
    file_trouble: Once,
    csa_trouble: Once,
}

impl<'m> State<'m> {
    fn new(args: &'m MatchArgs, all: u64, sprt: Option<Sprt>, games: Vec<GameRecord>, page: Option<Page>) -> Self {
        Self {
            args,
            report: Report::of(&games),
            all,
            resumed: games.len() as u64,
            started: Instant::now(),
            games,
            sprt,
            page,
            progress: if args.quiet { Progress::quiet() } else { Progress::new(all) },
            charted: Instant::now(),
            file_trouble: Once::new(),
            csa_trouble: Once::new(),
        }
    }

    fn show(&mut self) {
        let (done, all) = (self.report.games(), self.all);
        let left = time_left(self.started.elapsed(), done - self.resumed, all.saturating_sub(done));
        let has_bar = self.progress.has_bar();
        self.progress.show(done, || {
            // On the line of their number for two engines, as a table below it for more.
            let line = match &self.report.pairings[..] {
                [one] => format!("  {}", one.line(self.sprt.as_ref())),
                _ => format!("\n{}", self.report.table()),
            };
            if has_bar {
                return line.trim_start().to_owned();
            }
            text!("{done}/{all} games{left}{line}", "{done}/{all}局{left}{line}").to_string()
        });
    }

    /// Shows the state of a resumed match, and writes the records that it lacks.
    fn catch_up(&mut self) {
        if !self.games.is_empty() {
            let games = self.resumed;
            self.progress.notice(text!("{games} games were played before", "以前に{games}局対局済み"));
            self.show();
        }
        if let Some(dir) = &self.args.csa {
            let mut missing = self.games.iter().filter(|game| !csa_path(dir, game).exists());
            if let Err(error) = missing.try_for_each(|game| save_csa(dir, game)) {
                self.report_csa(&error);
            }
        }
    }

    /// Reports the first record that cannot be written.
    fn report_csa(&self, error: &io::Error) {
        let text = text!(
            "{error}; --resume or --merge can write the records later",
            "{error}。棋譜は後から --resume か --merge で書けます"
        );
        self.csa_trouble.call_once(|| self.progress.notice(&text));
    }

    /// Saves and shows a game; breaks to end the match.
    fn take(&mut self, game: GameRecord, remark: Option<&Both>, file: &mut ResultsFile) -> ControlFlow<()> {
        let saved = file.append(&game);
        if let Err(error) = &saved {
            let text = text!("{error}; the match ends after the games in progress", "{error}。対局中の分で終了します");
            self.file_trouble.call_once(|| self.progress.notice(&text));
        }
        if let Some(dir) = &self.args.csa
            && let Err(error) = save_csa(dir, &game)
        {
            self.report_csa(&error);
        }
        if let Some(remark) = remark.filter(|_| !game.reason.is_fact()) {
            let (number, reason) = (game.game, game.reason.name());
            let text = text!("game {number}: {reason}: {remark}", "対局 {number}（{reason}）：{remark}");
            self.progress.notice(&text);
        }
        if let Some(page) = &self.page {
            page.add(&game, remark);
        }
        self.report.add(&game);
        self.games.push(game);
        self.show();
        if let Some(path) = self.args.chart.as_ref().filter(|_| self.charted.elapsed() >= CHART_INTERVAL) {
            // The last drawing, after the match, reports its errors.
            let _ = draw(path, &self.games, self.sprt.as_ref());
            self.charted = Instant::now();
        }
        let test = self.sprt.zip(self.report.pairings.first());
        let is_decided = test.is_some_and(|(sprt, pairing)| sprt.decision(&pairing.pairs).is_some());
        if saved.is_err() || is_decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn draw(path: &Path, games: &[GameRecord], sprt: Option<&Sprt>) -> io::Result<()> {
    write_file(path, chart::svg(games, sprt), Existing::Replace)
}

/// The record of a game: `NUMBER-BLACK-WHITE.csa`.
fn csa_path(dir: &Path, game: &GameRecord) -> PathBuf {
    let plain = |name: &str| -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
        name.chars().take(40).map(plain).collect()
    };
    dir.join(format!("{:06}-{}-{}.csa", game.game, plain(&game.black), plain(&game.white)))
}

fn save_csa(dir: &Path, game: &GameRecord) -> io::Result<()> {
    let path = csa_path(dir, game);
    fs::create_dir_all(dir).map_err(|error| named(dir, &error))?;
    let text = game.to_csa().map_err(io::Error::other)?;
    write_file(&path, text, Existing::Replace)
}

/// Prints the summary and returns the exit code.
fn finish(
    args: &MatchArgs,
    report: &Report,
    bracket: Option<&Bracket>,
    sprt: Option<&Sprt>,
    out: &mut impl Write,
) -> io::Result<ExitCode> {
    if args.json {
        let standings = report.standings();
        let mut summary = json!({ "pairings": machine(report, sprt), "standings": standings, "tournament": bracket });
        summary.as_object_mut().into_iter().for_each(|all| all.retain(|_, value| !value.is_null()));
        writeln!(out, "{summary}")?;
    } else if report.games() > 0 {
        match bracket {
            None => writeln!(out, "{}", report.summary(sprt))?,
            Some(bracket) => writeln!(out, "{}\n\n{}", bracket.text(), report.table())?,
        }
    }
    let faulty = report.pairings.iter().any(|pairing| pairing.faults.iter().any(|faults| !faults.is_empty()));
    Ok(if args.strict && faulty { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The pairings with their estimates, for other programs.
fn machine(report: &Report, sprt: Option<&Sprt>) -> Value {
    let pairings = report.pairings.iter().map(|pairing| {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(pairing) else { return Value::Null };
        let pairs = &pairing.pairs;
        fields.insert("elo".to_owned(), json!(pairs.elo()));
        fields.insert("normalised_elo".to_owned(), json!(pairs.normalised_elo()));
        fields.insert("los".to_owned(), json!(pairs.los()));
        if let Some(sprt) = sprt {
            let (lower, upper) = sprt.bounds();
            let test = json!({
                "elo0": sprt.elo0, "elo1": sprt.elo1, "model": sprt.model, "llr": sprt.llr(pairs),
                "lower": lower, "upper": upper, "decision": sprt.decision(pairs),
            });
            fields.insert("sprt".to_owned(), test);
        }
        Value::Object(fields)
    });
    pairings.collect()
}
