//! The arguments of `enbu tune`.

use std::io;
use std::path::PathBuf;

use clap::{ArgAction, Args};
use enbu_arena::spsa::{Plan, Wanted};
use enbu_arena::{EngineSpec, TimeControl};

use crate::commands::failure::usage;
use crate::commands::game_args::{self, ClockArgs, RuleArgs};

#[derive(Args)]
pub(crate) struct TuneArgs {
    /// The engine: its command (self: this program), then words option.X=V tc=T dir=D ponder=on|off; parameters begin with the values given here
    #[arg(long, action = ArgAction::Set, num_args = 1.., value_names = ["CMD", "WORD"], required_unless_present = "show", help_heading = "Engine")]
    engine: Vec<String>,
    /// Parameter to tune: a spin option of the engine, with its perturbation at the end (NAME:STEP), or `all` for those in lower case; repeatable
    #[arg(long = "param", value_name = "NAME[:STEP]|all", required_unless_present = "show", help_heading = "Tuning")]
    pub(super) wanted: Vec<Wanted>,
    /// Number of iterations: each perturbs the parameters and learns from games
    #[arg(long, value_name = "N", required_unless_present = "show", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000), help_heading = "Tuning")]
    iterations: Option<u64>,
    /// Pairs of games in each iteration, with colours swapped on the same opening [default: --concurrency]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Tuning")]
    pairs: Option<u32>,
    /// Share of its step by which a parameter moves for each game won, at the end
    #[arg(long, default_value_t = 0.002, help_heading = "Tuning")]
    rate: f64,
    /// File of the state, written after each iteration; an existing one is continued
    #[arg(long, value_name = "FILE", default_value = "tune.json", help_heading = "Tuning")]
    pub(super) state: PathBuf,
    /// Print the table of parameters from the file, and play nothing
    #[arg(long, help_heading = "Tuning")]
    pub(super) show: bool,

    #[command(flatten)]
    pub(super) clock: ClockArgs,

    /// Openings: a file, or random:PLIES,CP; default: the start position
    #[arg(long, value_name = "FILE", help_heading = "Games")]
    pub(super) openings: Option<String>,
    /// Seed of the perturbations, of the order of openings, and of random openings
    #[arg(long, default_value_t = 1, help_heading = "Games")]
    pub(super) seed: u64,
    /// Games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Games")]
    pub(super) concurrency: u16,

    #[command(flatten)]
    pub(super) rules: RuleArgs,

    /// File for all lines between the referee and the engines
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) log: Option<PathBuf>,
    /// No progress, only notices and the table
    #[arg(long, help_heading = "Output")]
    pub(super) quiet: bool,
}

impl TuneArgs {
    pub(super) fn engine(&self) -> io::Result<EngineSpec> {
        let wrong = |error| usage::<Self>("tune", format!("--engine: {error}"));
        let mut engine = EngineSpec::from_words(&self.engine).map_err(wrong)?;
        game_args::find_program(&mut engine.launch)?;
        Ok(engine)
    }

    /// The time control of games without one of the engine's own.
    pub(super) fn time_control(&self, engine: &EngineSpec) -> io::Result<TimeControl> {
        let control = self.clock.time_control(std::slice::from_ref(engine));
        control.ok_or_else(|| usage::<Self>("tune", game_args::no_time_control()))
    }

    pub(super) fn plan(&self) -> Plan {
        Plan {
            iterations: self.iterations.unwrap_or_default(),
            pairs: self.pairs.unwrap_or_else(|| self.concurrency.into()),
            seed: self.seed,
            rate: self.rate,
        }
    }
}
