//! `enbu suite`: problems with known answers, solved by any engines.

mod table;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use clap::Args;
use enbu_arena::suite::{Attempt, Candidate, Problem, Suite, Task, Verdict as Judged};
use enbu_arena::{ContestError, EngineSpec, names};
use enbu_files::FileKind;
use enbu_language::text;
use enbu_mate::{Limits, Refinement, Solver, Verdict};
use enbu_movegen::{Move, MoveList, Position};

use super::choices::{Choice, of_extension};
use super::failure::{Force, INTERRUPTED, cancel_on_signal, check_writable, failed, named, usage};
use super::game_args::{self, ClockArgs};
use super::matches::EngineArgs;
use super::progress::{Progress, time_left};
use crate::terminal::notice;
use table::{Entrant, Results, Score};

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu suite problems.tsv --engine self --tc nodes=20000
  enbu suite problems.json --engine ./new name=new --engine ./old name=old --tc movetime=1 -o suite.md
  enbu suite tsume.sfen --mate --engine self --tc movetime=10 --min-solved 190
Exit code: 0; 1 after a fault of an engine, for a line that is no problem, and below --min-solved. ‖ 終了コードは 0。エンジンの異常や問題として読めない行があるとき、--min-solved に届かないときは 1。";

#[derive(Args)]
pub(crate) struct SuiteArgs {
    /// Problems: SFENs with `bm`, `am` or `mate N`, one a line, as `enbu analyse --problems` writes them; ShogiHome's next-move problems ‖ 問題：`bm`、`am`、`mate 手数` を付けた SFEN（1行1問）、`enbu analyse --problems` の出力、ShogiHome の次の一手問題集
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Take lines without an answer for mate problems (`go mate`) ‖ 正解のない行を詰将棋として扱う（`go mate` で解かせる）
    #[arg(long)]
    mate: bool,
    #[command(flatten)]
    engines: EngineArgs,
    #[command(flatten)]
    clock: ClockArgs,
    /// End with exit code 1 if an engine solves fewer problems ‖ 正解数がこれに満たないエンジンがあれば、終了コードを 1 にする
    #[arg(long, value_name = "N", help_heading = "Output")]
    min_solved: Option<usize>,
    /// File to write instead of a table on the terminal: .md or .json ‖ 端末の表の代わりに書くファイル：.md、.json
    #[arg(short, long, value_name = "OUT", help_heading = "Output")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
    /// Print JSON ‖ JSON で表示
    #[arg(long, help_heading = "Output", conflicts_with = "output")]
    json: bool,
    /// File for the lines to and from the engines ‖ エンジンとの通信を記録するファイル
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    log: Option<PathBuf>,
    /// No progress ‖ 途中経過を表示しない
    #[arg(long, help_heading = "Output")]
    quiet: bool,
}

/// A form of the results.
type Form = fn(&Results<'_>) -> String;

const FORMS: &[Choice<Form>] = &[("md", "", table::markdown), ("json", "", table::json)];

pub(crate) fn run(args: &SuiteArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let form = match &args.output {
        Some(path) => of_extension::<SuiteArgs, _>("suite", path, FORMS)?,
        None if args.json => table::json,
        None => table::markdown,
    };
    args.output.iter().try_for_each(|path| check_writable(path, args.force.existing()))?;
    let engines = args.engines.specs::<SuiteArgs>("suite")?;
    if engines.is_empty() {
        let text = text!("an engine is needed: --engine", "エンジンが必要です：--engine");
        return Err(usage::<SuiteArgs>("suite", text));
    }
    let control = args.clock.time_control(&engines);
    let control = control.ok_or_else(|| usage::<SuiteArgs>("suite", game_args::no_time_control()))?;
    let suite = read(args)?;
    let (cancel, log) = (cancel_on_signal()?, game_args::traffic_log(args.log.as_deref())?);
    let names = match names(&engines, args.clock.patience(), &cancel, log.as_ref()) {
        Err(ContestError::Cancelled) => return Ok(ExitCode::from(INTERRUPTED)),
        names => names.map_err(io::Error::other)?,
    };
    let entrant = |(name, engine): (&String, &EngineSpec)| {
        let control = engine.time_control.unwrap_or(control);
        let (limit, is_deterministic) = (args.clock.words(control), control.is_deterministic());
        Entrant { name: name.clone(), limit, is_deterministic }
    };
    let mut results = Results { engines: names.iter().zip(&engines).map(entrant).collect(), rows: Vec::new() };
    let of = (args.clock.patience(), args.clock.slack());
    let candidate = |each| Candidate::new(each, control, of, &cancel, log.as_ref());
    let candidates = names.iter().map(String::as_str).zip(&engines).map(candidate).collect();
    let ended = solve(&suite.problems, candidates, &mut results, args.quiet);
    let text = form(&results);
    args.force.write(args.output.as_deref(), &text, out)?;
    if cancel.is_cancelled() {
        notice(text!("interrupted", "中断しました"));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    ended?;
    let has_failed = |score: &Score<'_>| score.faults > 0 || Some(score.solved) < args.min_solved;
    let failed = !suite.faults.is_empty() || results.scores().iter().any(has_failed);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The problems of all files; what is none is reported.
fn read(args: &SuiteArgs) -> io::Result<Suite> {
    let mut all = Suite::default();
    for path in &args.files {
        let text = enbu_files::read_text(path, FileKind::Record).map_err(|error| named(path, &error))?;
        let suite = Suite::read(&text, &path.display().to_string(), args.mate.then_some(Task::Mate));
        suite.faults.iter().for_each(|fault| notice(format_args!("enbu: {fault}")));
        all.problems.extend(suite.problems);
        all.faults.extend(suite.faults);
    }
    if all.problems.is_empty() {
        return Err(failed(text!("there are no problems to solve", "解く問題がありません")));
    }
    Ok(all)
}

/// Puts every problem to every engine, up to an interruption or an engine that cannot be started.
fn solve<'s>(
    problems: &'s [Problem],
    mut candidates: Vec<Candidate<'_>>,
    results: &mut Results<'s>,
    quiet: bool,
) -> io::Result<()> {
    let (started, all) = (std::time::Instant::now(), problems.len() as u64);
    let mut progress = if quiet { Progress::quiet() } else { Progress::new(all) };
    let mut checker = Solver::new(CHECKER_MB).map_err(io::Error::other)?;
    for (problem, done) in problems.iter().zip(1..) {
        let attempts = candidates.iter_mut().map(|candidate| {
            let mut attempt = candidate.attempt(problem).map_err(io::Error::other)?;
            let first = attempt.line.first().filter(|_| problem.task == Task::Mate);
            if first.is_some_and(|&first| is_refuted(&mut checker, problem.position(), first)) {
                (attempt.verdict, attempt.stable) = (Judged::Wrong, None);
            }
            Ok(attempt)
        });
        let attempts = attempts.collect::<io::Result<Vec<Attempt>>>()?;
        for (engine, attempt) in results.engines.iter().zip(&attempts) {
            if let Judged::Fault(fault) = &attempt.verdict {
                let (problem, name) = (&problem.name, &engine.name);
                progress.notice(text!("{problem}: {name}: {fault}", "{problem}：{name}：{fault}"));
            }
        }
        results.rows.push((problem, attempts));
        progress.show(done, || {
            let scores = results.scores();
            let solved: Vec<String> = scores.iter().map(|score| format!("{} {}", score.name, score.solved)).collect();
            let (solved, left) = (solved.join(", "), time_left(started.elapsed(), done, all - done));
            text!("{done}/{all} problems{left}; solved: {solved}", "{done}/{all}問{left}、正解：{solved}").to_string()
        });
    }
    progress.finish();
    candidates.iter_mut().for_each(Candidate::dismiss);
    Ok(())
}

/// Table of the solver that checks mates.
const CHECKER_MB: usize = 64;

/// Returns true for a first move after which the defender has a reply that is proven to end the mate: a line of
/// checks to a mate may only show a helpful defence.
fn is_refuted(solver: &mut Solver, position: &Position, first: Move) -> bool {
    /// Nodes for each reply.
    const NODES: u64 = 100_000;
    let limits = Limits { nodes: Some(NODES), refinement: Refinement::None, ..Limits::default() };
    let mut after = position.without_history();
    if after.play(first).is_err() {
        return false;
    }
    let mut replies = MoveList::new();
    after.legal_moves(&mut replies);
    solver.clear();
    replies.into_iter().any(|reply| {
        let mut next = after.without_history();
        next.do_move(reply);
        solver.solve(&next, &limits, &AtomicBool::new(false), &mut |_| {}).verdict == Verdict::NoMate
    })
}
