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
  enbu options                      list the USI options";

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
        after_help = "Examples:\n  enbu perft 5\n  enbu perft 3 --divide --sfen \"4k4/9/9/9/9/9/9/9/4K4 b R2p 1\""
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
    },
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
