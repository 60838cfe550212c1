//! The command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    analyse, bench, book, completions, convert, csa, doctor, man, matches, mate, openings, options, perft, selfplay,
    train, tune,
};
use crate::locale::{Group, translated};
use crate::terminal::Content;

/// A USI shogi engine. Without a command it speaks USI on standard input and
/// output, as GUIs expect.
#[derive(Parser)]
#[command(name = "enbu", version = crate::identity::version(), about, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Language of help and messages; default: that of the system ‖ 説明とメッセージの言語。省略時はシステムの言語
    #[arg(long, global = true, value_name = "LANG", value_parser = ["ja", "en"], display_order = 900)]
    lang: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "Examples:
  enbu                              speak USI (register this file in your GUI)
  enbu bench                        measure speed and print the signature
  enbu perft 5                      count the game tree of the start position
  enbu match --engine self --engine ./other --tc 10+0.1
                                    play a match
  enbu csa --config csa.toml        play on a CSA server
  enbu tune --engine self --param all --tc nodes=20000 --iterations 5000
                                    tune the search (a build with --features tune)
  enbu openings random:16,80        make openings for matches
  enbu mate problems.sfen           solve mate problems, one SFEN a line
  enbu convert game.kif --to csa    convert game records and positions
  enbu analyse games/ -o report/    analyse games, with pages to look at
  enbu book make games/ -o book.db  make an opening book
  enbu book convert book.bin -o book.db
                                    convert, sort, merge and check opening books
  enbu selfplay --games 1000 --out data/selfplay
                                    make games to learn from
  enbu train data/selfplay --out data/my.nnue
                                    train a network on them
  enbu doctor                       check this installation
  enbu options                      list the USI options";

/// The commands by their users, each group under a heading.
pub(crate) const GROUPS: [Group; 3] = [
    ("For players: ‖ 棋譜・詰将棋・設定：", &["analyse", "mate", "convert", "book", "options", "doctor"]),
    ("Matches: ‖ 対局：", &["match", "csa", "openings"]),
    ("Development: ‖ 開発：", &["bench", "perft", "tune", "selfplay", "train", "completions", "man"]),
];

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Search fixed positions with one thread; print nodes, speed and signature
    #[command(after_help = bench::EXAMPLES)]
    Bench(bench::BenchArgs),
    /// Count the leaves of the game tree
    #[command(after_help = perft::EXAMPLES)]
    Perft(perft::PerftArgs),
    /// Play matches between USI engines
    #[command(after_help = matches::EXAMPLES, args_override_self = true)]
    Match(Box<matches::MatchArgs>),
    /// Play on a CSA server
    #[command(after_help = csa::EXAMPLES, args_override_self = true)]
    Csa(Box<csa::CsaArgs>),
    /// Tune parameters of an engine by games against itself
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<tune::TuneArgs>),
    /// Make a file of even openings
    #[command(after_help = openings::EXAMPLES)]
    Openings(openings::OpeningsArgs),
    /// Make games of the engine against itself, to learn from
    #[command(after_help = selfplay::EXAMPLES, args_conflicts_with_subcommands = true)]
    Selfplay(Box<selfplay::SelfplayArgs>),
    /// Train a network on games, or fit the piece-square tables
    #[command(after_help = train::EXAMPLES)]
    Train(Box<train::TrainArgs>),
    /// Solve mate problems; exit code 0 when all are settled, 1 when some are left open
    #[command(after_help = mate::EXAMPLES)]
    Mate(mate::MateArgs),
    /// Convert game records and positions from any format into any other
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::ConvertArgs),
    /// Analyse games: scores, mistakes, better moves, missed mates; as pages, records or JSON
    #[command(after_help = analyse::EXAMPLES, alias = "analyze")]
    Analyse(Box<analyse::AnalyseArgs>),
    /// Check this installation: one page to paste into a question
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorArgs),
    /// Make, convert, merge and check opening books
    Book(book::BookArgs),
    /// List the USI options as a Markdown table ‖ USI オプションの一覧を Markdown の表で表示
    #[command(after_help = options::EXAMPLES)]
    Options(options::OptionsArgs),
    /// Print a script with which a shell completes the command line
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Print the manual page
    #[command(after_help = man::EXAMPLES)]
    Man(man::ManArgs),
}

impl Command {
    /// Returns true for commands that serve development and speak English alone.
    pub(crate) const fn is_for_developers(&self) -> bool {
        matches!(
            self,
            Self::Bench(_)
                | Self::Perft(_)
                | Self::Tune(_)
                | Self::Openings(_)
                | Self::Selfplay(_)
                | Self::Train(_)
                | Self::Completions(_)
                | Self::Man(_)
        )
    }

    /// Content of its standard output.
    pub(crate) const fn content(&self) -> Content {
        match self {
            Self::Analyse(_) | Self::Convert(_) | Self::Completions(_) | Self::Man(_) => Content::Data,
            _ => Content::Text,
        }
    }

    /// Runs the command and returns its exit code.
    pub(crate) fn run(self, out: &mut impl Write) -> io::Result<ExitCode> {
        match self {
            Self::Bench(args) => bench::run(&args, out),
            Self::Perft(args) => perft::run(&args, out),
            Self::Match(args) => matches::run(&args, out),
            Self::Csa(args) => csa::run(&args, out),
            Self::Tune(args) => tune::run(&args, out),
            Self::Openings(args) => openings::run(&args, out),
            Self::Selfplay(args) => selfplay::run(&args, out),
            Self::Train(args) => train::run(&args, out),
            Self::Mate(args) => mate::run(&args, out),
            Self::Analyse(args) => analyse::run(*args, out),
            Self::Convert(args) => convert::run(args, out),
            Self::Doctor(args) => doctor::run(&args, out),
            Self::Book(args) => book::run(&args, out),
            Self::Options(args) => options::run(&args, out),
            Self::Completions(args) => completions::run(&args, translated(Cli::command()), out),
            Self::Man(args) => man::run(&args, translated(Cli::command()), out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
