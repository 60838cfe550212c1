//! `enbu openings`: a file of even openings, made by our own search or by an engine.

mod engine;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use enbu_arena::openings::{Candidate, Judge, Opening, RandomOpenings};
use enbu_language::pick;
use enbu_movegen::Position;
use enbu_search::{Limits, Listener, Options, Score, Search};

use super::failure::{Force, cancel_on_signal, check_writable, failed};
use super::lines::{Line, Lines};
use super::progress::bar;
use engine::EngineJudge;

/// Nodes for choosing a move; the choice is loose, so few are enough.
const CHOICE_NODES: u64 = 2_000;
/// Nodes for judging the final position.
const VERDICT_NODES: u64 = 50_000;
/// Number of candidate moves.
const CHOICES: usize = 8;
/// Score of a mate, in centipawns.
const MATE_CP: i32 = 30_000;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu openings random:16,80 --count 1000 --seed 7 --out openings.sfen
  enbu openings random:16,80 --engine ./referee tc=nodes=100000 --out openings.sfen";

#[derive(Args)]
pub(crate) struct OpeningsArgs {
    /// random:PLIES,CP: openings of PLIES plies with a score of at most CP centipawns for either side
    #[arg(value_name = "random:PLIES,CP")]
    kind: RandomOpenings,
    /// Number of openings; 500 take one or two minutes
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Seed; the same seed gives the same openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// An engine that judges instead of Enbu's own search: its command, then words option.X=V, dir=D and tc=nodes=N or tc=movetime=S, the limit of a verdict (nodes=50000)
    #[arg(long, num_args = 1.., value_names = ["CMD", "WORD"])]
    engine: Vec<String>,
    /// File to write; default: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::MateIn(_) => MATE_CP,
        Score::MatedIn(_) => -MATE_CP,
    }
}

pub(crate) struct SearchJudge(Search);

impl SearchJudge {
    pub(crate) fn new() -> io::Result<Self> {
        Search::new().map(Self).map_err(io::Error::other)
    }

    fn search(&mut self, position: &Position, nodes: u64, multi_pv: usize) -> Vec<Candidate> {
        // The result must not depend on earlier searches.
        self.0.new_game();
        let lines = Arc::new(Lines::default());
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let options = Options { multi_pv, ..Options::default() };
        self.0.start(position, limits, options, Instant::now(), Arc::clone(&lines) as Arc<dyn Listener>);
        self.0.wait();
        let candidate = |line: Line| Candidate { mv: line.mv, score_cp: centipawns(line.score) };
        lines.take().into_iter().map(candidate).collect()
    }
}

impl Judge for SearchJudge {
    fn candidates(&mut self, position: &Position) -> Vec<Candidate> {
        self.search(position, CHOICE_NODES, CHOICES)
    }

    fn score_cp(&mut self, position: &Position) -> i32 {
        self.search(position, VERDICT_NODES, 1).first().map_or(-MATE_CP, |best| best.score_cp)
    }
}

/// Makes openings, with progress on a terminal; `go_on` may break after each one.
pub(crate) fn generate(
    judge: &mut dyn Judge,
    kind: RandomOpenings,
    count: usize,
    seed: u64,
    go_on: impl Fn() -> ControlFlow<()>,
) -> io::Result<Vec<Opening>> {
    let form = pick("openings {pos}/{len} {wide_bar} {eta}", "開始局面 {pos}/{len} {wide_bar} 残り {eta}");
    let bar = bar(Some(count as u64), form);
    let openings = kind.generate(count, seed, judge, |made| {
        bar.set_position(made as u64);
        go_on()
    });
    bar.finish_and_clear();
    openings.map_err(io::Error::other)
}

pub(crate) fn run(args: &OpeningsArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let OpeningsArgs { kind, count, seed, .. } = args;
    if let Some(path) = &args.out {
        check_writable(path, args.force.existing())?;
    }
    let make = |judge: &mut dyn Judge| generate(judge, *kind, *count as usize, *seed, || ControlFlow::Continue(()));
    let (openings, judge) = if args.engine.is_empty() {
        (make(&mut SearchJudge::new()?)?, String::new())
    } else {
        let cancel = cancel_on_signal()?;
        let mut judge = EngineJudge::start(&args.engine, &cancel)?;
        let openings = make(&mut judge);
        if let Some(error) = judge.failure.take() {
            return Err(failed(format_args!("{}: {error}", judge.name())));
        }
        (openings?, format!(" with {}", judge.name()))
    };
    let mut text = format!(
        "# {} openings made by enbu {}{judge}: random:{},{} --seed {seed}\n",
        openings.len(),
        env!("CARGO_PKG_VERSION"),
        kind.plies,
        kind.bound_cp
    );
    for opening in &openings {
        text.push_str(&format!("{opening}\n"));
    }
    args.force.write(args.out.as_deref(), &text, out)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use enbu_movegen::MoveList;

    use super::*;

    #[test]
    fn candidates_are_different_legal_moves_and_the_same_every_time() {
        let mut judge = SearchJudge(Search::new().unwrap());
        let position = Position::startpos();
        let first = judge.candidates(&position);
        assert_eq!(first.len(), CHOICES);
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        for (index, candidate) in first.iter().enumerate() {
            assert!(legal.contains(&candidate.mv));
            assert!(first[..index].iter().all(|other| other.mv != candidate.mv));
        }
        judge.score_cp(&position);
        assert_eq!(judge.candidates(&position), first);
    }

    #[test]
    fn openings_are_even_by_the_search_that_made_them() {
        let kind = RandomOpenings { plies: 6, bound_cp: 100 };
        let openings = generate(&mut SearchJudge::new().unwrap(), kind, 3, 1, || ControlFlow::Continue(())).unwrap();
        let mut judge = SearchJudge(Search::new().unwrap());
        assert_eq!(openings.len(), 3);
        assert!(openings.iter().all(|opening| judge.score_cp(opening.position()).abs() <= 100));
        let stopped = generate(&mut SearchJudge::new().unwrap(), kind, 3, 1, || ControlFlow::Break(())).unwrap();
        assert_eq!(stopped, openings[..1]);
    }
}
