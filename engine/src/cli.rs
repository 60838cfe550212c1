//! The command line.

use clap::{Parser, Subcommand};
use once_cell::sync::Lazy;

/// A USI shogi engine. Without a command it speaks USI on standard input and
/// output, as GUIs expect.
#[derive(Parser)]
#[command(name = "enbu", version = version(), about, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "Examples:
  enbu                              speak USI (register this file in your GUI)
  enbu bench                        measure speed and print the signature
  enbu perft 5                      count the game tree of the start position
  enbu match --engine self --engine ./other --tc 10+0.1
                                    play a match
  enbu tune --engine self --param all --tc nodes=20000 --iterations 5000
                                    tune the search (a build with --features tune)
  enbu openings random:16,80        make openings for matches
  enbu mate problems.sfen           solve mate problems, one SFEN a line
  enbu convert game.kif --to csa    convert game records and positions
  enbu selfplay --games 1000 --out data/selfplay
                                    make games to learn from
  enbu train data/selfplay --out data/my.nnue
                                    train a network on them
  enbu options                      list the USI options";

const MATCH_EXAMPLES: &str = "Examples:
  enbu match --engine ./new name=new --engine ./old name=old --tc 10+0.1 --openings openings.sfen
  enbu match --engine self option.USI_Hash=64 --engine ./other --tc nodes=20000 --games 400 --concurrency 2
  enbu match --engine ./new --engine ./old --tc 0+1b --sprt 0 5 --games 20000 --resume --chart match.svg
  enbu match --engine ./a --engine ./b --tc 10+0.1 --shard 3/8 --out part3.jsonl
  enbu match --merge part*.jsonl --out all.jsonl";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Search fixed positions with one thread; print nodes, speed and signature
    #[command(
        after_help = "Examples:\n  enbu bench\n  enbu bench --depth 6 --hash 64\n  enbu bench --network eval/nn.bin"
    )]
    Bench {
        /// Depth of each search, in plies
        #[arg(long, default_value_t = crate::bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
        depth: u32,
        /// Size of the transposition table, in MB
        #[arg(long, default_value_t = crate::bench::HASH_MB, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
        hash: u32,
        /// Evaluate by the network in this file; default: what is built in
        #[arg(long, value_name = "FILE")]
        network: Option<std::path::PathBuf>,
    },
    /// Count the leaves of the game tree
    #[command(
        after_help = "Examples:\n  enbu perft 5\n  enbu perft 3 --divide --sfen \"4k4/9/9/9/9/9/9/9/4K4 b R2p 1\"\n  enbu perft 4 --lists --repeat 100"
    )]
    Perft {
        /// Depth in plies
        #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
        depth: u32,
        /// Position to start from; default: the start position of the game
        #[arg(long)]
        sfen: Option<String>,
        /// Print the count of each first move
        #[arg(long)]
        divide: bool,
        /// Write every move of the last ply into a list instead of counting sets of moves
        #[arg(long, conflicts_with = "divide")]
        lists: bool,
        /// Count the tree this many times over, to measure small trees
        #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "divide", value_parser = clap::value_parser!(u32).range(1..))]
        repeat: u32,
    },
    /// Play matches between USI engines
    #[command(after_help = MATCH_EXAMPLES, args_override_self = true)]
    Match(Box<crate::match_command::MatchArgs>),
    /// Tune parameters of an engine by games against itself
    #[command(after_help = crate::tune_command::EXAMPLES)]
    Tune(Box<crate::tune_command::TuneArgs>),
    /// Make a file of even openings
    #[command(after_help = "Examples:\n  enbu openings random:16,80 --count 1000 --seed 7 --out openings.sfen")]
    Openings(crate::openings_command::OpeningsArgs),
    /// Make games of the engine against itself, to learn from
    #[command(after_help = crate::selfplay_command::EXAMPLES, args_conflicts_with_subcommands = true)]
    Selfplay(Box<crate::selfplay_command::SelfplayArgs>),
    /// Train a network on games, or fit the piece-square tables
    #[command(after_help = crate::train_command::EXAMPLES)]
    Train(Box<crate::train_command::TrainArgs>),
    /// Solve mate problems; exit code 0 when all are settled, 1 when some are left open
    #[command(
        after_help = "Examples:\n  enbu mate \"7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1\"\n  enbu mate problems.sfen --time 60 --hash 4096\n  enbu mate problems.sfen --all --refine shortest --json"
    )]
    Mate(crate::mate_command::MateArgs),
    /// Convert game records and positions from any format into any other
    #[command(after_help = crate::convert::EXAMPLES)]
    Convert(crate::convert::ConvertArgs),
    /// List the USI options as a Markdown table
    Options,
}

/// Version, commit and the CPU features found.
fn version() -> &'static str {
    static TEXT: Lazy<String> =
        Lazy::new(|| format!("{} ({}; {})", env!("CARGO_PKG_VERSION"), env!("ENBU_COMMIT"), cpu_features()));
    &TEXT
}

fn cpu_features() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let mut found = vec!["x86-64"];
        macro_rules! detect {
            ($($feature:tt)*) => { $(if is_x86_feature_detected!($feature) { found.push($feature); })* };
        }
        detect!("popcnt" "avx2" "bmi2" "avx512vnni");
        found.join(" ")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::env::consts::ARCH.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
        assert!(version().starts_with(env!("CARGO_PKG_VERSION")));
    }
}
