//! The arguments of `enbu match`, and the settings they make.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use enbu_arena::openings::{self, RandomOpenings};
use enbu_arena::{
    Adjudication, DrawAdjudication, EloModel, EngineSpec, Format, IncrementUse, MatedSide, Opening, OpeningOrder,
    Patience, Ponder, Processes, Rules, Settings, Shard, Sprt, TimeControl, WinAdjudication,
};
use enbu_movegen::EnteringKingRule;
use enbu_usi::client::Cancel;

use crate::openings_command;

/// Where results go unless told otherwise.
const DEFAULT_RESULTS: &str = "match.jsonl";

#[derive(Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    engines: EngineArgs,
    /// TOML file with more engines, a table `engine` for each
    #[arg(long, value_name = "FILE", help_heading = "Engines")]
    engines_file: Option<PathBuf>,
    /// Let all engines think on their opponents' time
    #[arg(long, help_heading = "Engines")]
    ponder: bool,
    /// Start engines anew for every game
    #[arg(long, help_heading = "Engines")]
    restart: bool,

    /// Time control: 10+0.1, 0+1b, 300+10b, 300, movetime=0.1, nodes=20000, depth=8 (seconds)
    #[arg(long, value_name = "TC", help_heading = "Time")]
    tc: Option<TimeControl>,
    /// Forgiven time for each move, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0, help_heading = "Time")]
    slack: u32,
    /// When an increment may be used: in its own move, or only after it
    #[arg(long, value_enum, default_value_t = Increment::Before, help_heading = "Time")]
    increment: Increment,
    /// Silence past the time for a move that counts as a hang, in seconds
    #[arg(long, value_name = "S", default_value_t = 30.0, value_parser = seconds, help_heading = "Time")]
    hang: f64,
    /// Time from start to usiok, in seconds
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds, help_heading = "Time")]
    start_timeout: f64,
    /// Time from isready to readyok, in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds, help_heading = "Time")]
    ready_timeout: f64,

    /// Games of each pairing, rounded up to pairs with colours swapped
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Games")]
    games: u32,
    /// Who plays whom
    #[arg(long, value_enum, default_value_t = Tournament::RoundRobin, help_heading = "Games")]
    format: Tournament,
    /// Openings: a file, or random:PLIES,CP; default: the start position
    #[arg(long, value_name = "FILE", help_heading = "Games")]
    openings: Option<String>,
    /// Order of the openings
    #[arg(long, value_enum, default_value_t = Order::Random, help_heading = "Games")]
    order: Order,
    /// Seed of that order, and of random openings
    #[arg(long, default_value_t = 1, help_heading = "Games")]
    seed: u64,
    /// Games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Games")]
    concurrency: u16,
    /// Play only the i-th of n parts of the match
    #[arg(long, value_name = "i/n", default_value = "1/1", hide_default_value = true, help_heading = "Games")]
    shard: Shard,

    /// Draw after this move of the game; 0: never
    #[arg(long, value_name = "N", default_value_t = 320, help_heading = "Rules")]
    max_moves: u32,
    /// Entering king rule
    #[arg(long, value_enum, default_value_t = Declaration::Rule27, help_heading = "Rules")]
    rule: Declaration,
    /// Ask a mated side for its move: it must resign
    #[arg(long, help_heading = "Rules")]
    ask_mated: bool,
    /// End a game that both engines see won by CP centipawns for N moves each
    #[arg(long, value_name = "CP,N", value_parser = parse_win, help_heading = "Rules")]
    adjudicate: Option<WinAdjudication>,
    /// End a game after MOVE moves that both see within CP centipawns of even for N moves each
    #[arg(long, value_name = "MOVE,N,CP", value_parser = parse_draw, help_heading = "Rules")]
    adjudicate_draw: Option<DrawAdjudication>,

    /// Stop when a sequential test of these differences is decided
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true, help_heading = "Statistics")]
    sprt: Vec<f64>,
    /// How often the test may accept ELO1 wrongly
    #[arg(long, default_value_t = 0.05, help_heading = "Statistics")]
    alpha: f64,
    /// How often the test may accept ELO0 wrongly
    #[arg(long, default_value_t = 0.05, help_heading = "Statistics")]
    beta: f64,
    /// What the test's differences are measured in
    #[arg(long, value_enum, default_value_t = Model::Logistic, help_heading = "Statistics")]
    elo_model: Model,

    /// File of results, one game a line in JSON [default: match.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) out: Option<PathBuf>,
    /// Go on with the file of results
    #[arg(long, help_heading = "Output")]
    pub(super) resume: bool,
    /// Put files of results together instead of playing
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Output", conflicts_with_all = ["engine", "engines_file", "resume"])]
    pub(super) merge: Vec<PathBuf>,
    /// Folder for a CSA record of every game
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) csa: Option<PathBuf>,
    /// SVG chart of Elo and LLR over the games
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) chart: Option<PathBuf>,
    /// File for all that is said between the referee and the engines
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) log: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
    /// No progress, only notices and the summary
    #[arg(long, help_heading = "Output")]
    pub(super) quiet: bool,
    /// End with exit code 1 if an engine did anything wrong
    #[arg(long, help_heading = "Output")]
    pub(super) strict: bool,
}

/// The engines of the command line, each a command and words; derived parsers cannot
/// tell which words belong to which occurrence.
struct EngineArgs {
    engines: Vec<EngineSpec>,
    each: Vec<String>,
}

impl Args for EngineArgs {
    fn augment_args(command: Command) -> Command {
        let engine = Arg::new("engine").long("engine").num_args(1..).action(ArgAction::Append);
        let engine = engine.value_names(["CMD", "WORD"]).help(
            "An engine: its command (self: this program), then words name=N option.X=V tc=T dir=D ponder=on|off; repeatable",
        );
        let each = Arg::new("each").long("each").num_args(1..).action(ArgAction::Append).value_name("WORD");
        let each = each.help("Words that hold for every engine of the command line");
        command.arg(engine.help_heading("Engines")).arg(each.help_heading("Engines"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EngineArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut args = Self { engines: Vec::new(), each: Vec::new() };
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.each = matches.get_many::<String>("each").unwrap_or_default().cloned().collect();
        self.engines.clear();
        for words in matches.get_occurrences::<String>("engine").unwrap_or_default() {
            let words: Vec<&String> = words.collect();
            let (command, own) = words.split_at(1.min(words.len()));
            // An engine's own words come last, so that they win.
            let words = command.iter().copied().chain(&self.each).chain(own.iter().copied());
            let spec = EngineSpec::from_words(words).map_err(|error| {
                clap::Error::raw(clap::error::ErrorKind::InvalidValue, format!("--engine: {error}\n"))
            })?;
            self.engines.push(spec);
        }
        Ok(())
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Increment {
    Before,
    After,
}

#[derive(Clone, Copy, ValueEnum)]
enum Tournament {
    RoundRobin,
    /// The first engine against each of the others
    Gauntlet,
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    Random,
    Sequential,
}

#[derive(Clone, Copy, ValueEnum)]
enum Declaration {
    #[value(name = "27")]
    Rule27,
    #[value(name = "24")]
    Rule24,
    #[value(name = "27h")]
    Rule27Handicap,
    #[value(name = "24h")]
    Rule24Handicap,
    Try,
    None,
}

#[derive(Clone, Copy, ValueEnum)]
enum Model {
    Logistic,
    Normalized,
}

/// Seconds of patience, at most a day.
fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if (0.001..=86_400.0).contains(&value) { Ok(value) } else { Err("0.001 to 86400 seconds are needed".to_owned()) }
}

/// Whole numbers between commas.
fn numbers<const N: usize>(text: &str) -> Result<[u32; N], String> {
    let parsed: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    parsed
        .ok()
        .and_then(|list| list.try_into().ok())
        .ok_or_else(|| format!("{N} whole numbers between commas are needed"))
}

fn centipawns(value: u32) -> Result<i32, String> {
    i32::try_from(value).ok().filter(|&cp| cp <= 100_000).ok_or_else(|| "at most 100000 centipawns".to_owned())
}

fn parse_win(text: &str) -> Result<WinAdjudication, String> {
    let [bound, moves] = numbers(text)?;
    if bound == 0 || moves == 0 {
        return Err("neither may be 0".to_owned());
    }
    Ok(WinAdjudication { bound_cp: centipawns(bound)?, moves })
}

fn parse_draw(text: &str) -> Result<DrawAdjudication, String> {
    let [from_move, moves, bound] = numbers(text)?;
    if moves == 0 {
        return Err("the number of moves may not be 0".to_owned());
    }
    Ok(DrawAdjudication { from_move, moves, bound_cp: centipawns(bound)? })
}

impl MatchArgs {
    /// The file of results.
    pub(super) fn results_path(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| DEFAULT_RESULTS.into())
    }

    /// The test, if one was asked for.
    pub(super) fn sprt(&self) -> io::Result<Option<Sprt>> {
        let &[elo0, elo1] = self.sprt.as_slice() else { return Ok(None) };
        let model = match self.elo_model {
            Model::Logistic => EloModel::Logistic,
            Model::Normalized => EloModel::Normalised,
        };
        Sprt::new(elo0, elo1, self.alpha, self.beta, model).map(Some).map_err(io::Error::other)
    }

    /// What to play. Makes random openings if they were asked for.
    pub(super) fn settings(&self, cancel: &Cancel) -> io::Result<Settings> {
        let engines = self.engine_specs()?;
        if !self.sprt.is_empty() && engines.len() != 2 {
            return Err(io::Error::other("--sprt needs exactly two engines"));
        }
        let unlimited = engines.iter().any(|engine| engine.time_control.is_none());
        let time_control = match self.tc {
            Some(control) => control,
            // Nobody uses it when every engine has its own.
            None if !unlimited => TimeControl::Nodes(1),
            None => return Err(io::Error::other("a time control is needed: --tc, or tc= for every engine")),
        };
        let rules = self.rules();
        let rounds = self.games.div_ceil(2) as usize;
        Ok(Settings {
            engines,
            time_control,
            increment_use: match self.increment {
                Increment::Before => IncrementUse::Before,
                Increment::After => IncrementUse::After,
            },
            format: match self.format {
                Tournament::RoundRobin => Format::RoundRobin,
                Tournament::Gauntlet => Format::Gauntlet,
            },
            rounds,
            openings: self.openings(rules, rounds, cancel)?,
            order: match self.order {
                Order::Random => OpeningOrder::Random,
                Order::Sequential => OpeningOrder::Sequential,
            },
            seed: self.seed,
            shard: self.shard,
            rules,
            adjudication: Adjudication { win: self.adjudicate, draw: self.adjudicate_draw },
            slack: Duration::from_millis(u64::from(self.slack)),
            patience: Patience {
                start: Duration::from_secs_f64(self.start_timeout),
                ready: Duration::from_secs_f64(self.ready_timeout),
                hang: Duration::from_secs_f64(self.hang),
                ..Patience::default()
            },
            concurrency: usize::from(self.concurrency),
            processes: if self.restart { Processes::Restarted } else { Processes::Kept },
        })
    }

    fn rules(&self) -> Rules {
        Rules {
            max_moves: self.max_moves,
            entering_king: match self.rule {
                Declaration::Rule27 => EnteringKingRule::Csa27,
                Declaration::Rule24 => EnteringKingRule::Csa24,
                Declaration::Rule27Handicap => EnteringKingRule::Csa27Handicap,
                Declaration::Rule24Handicap => EnteringKingRule::Csa24Handicap,
                Declaration::Try => EnteringKingRule::Try,
                Declaration::None => EnteringKingRule::NoEnteringKing,
            },
            mated: if self.ask_mated { MatedSide::MustResign } else { MatedSide::HasLost },
        }
    }

    fn engine_specs(&self) -> io::Result<Vec<EngineSpec>> {
        let mut engines = self.engines.engines.clone();
        if let Some(path) = &self.engines_file {
            let wrong = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
            let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
            engines.extend(EngineSpec::from_toml(&text).map_err(|error| wrong(&error))?);
        }
        for engine in &mut engines {
            if let [program] = engine.command.as_mut_slice()
                && program == "self"
            {
                *program = this_program()?;
            }
            if self.ponder {
                engine.ponder = Ponder::On;
            }
        }
        Ok(engines)
    }

    fn openings(&self, rules: Rules, rounds: usize, cancel: &Cancel) -> io::Result<Vec<Opening>> {
        let Some(source) = &self.openings else { return Ok(vec![Opening::startpos()]) };
        if source.starts_with("random:") {
            let kind: RandomOpenings = source.parse().map_err(io::Error::other)?;
            let go_on = || if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            return openings_command::generate(kind, rounds, self.seed, go_on).map_err(io::Error::other);
        }
        let path = Path::new(source);
        let wrong = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
        openings::read(&text, rules).map_err(|error| wrong(&error))
    }
}

fn this_program() -> io::Result<String> {
    let path = std::env::current_exe()?;
    path.into_os_string().into_string().map_err(|path| io::Error::other(format!("{}: not UTF-8", path.display())))
}
