//! The command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    analyse, bench, book, completions, convert, csa, doctor, man, matches, mate, openings, options, perft, ratings,
    selfplay, suite, train, tune,
};
use crate::locale::{Group, translated};
use crate::terminal::Content;

/// A USI shogi engine. Without a command it speaks USI on standard input and
/// output, as GUIs expect ‖ USI 対応の将棋エンジン「演武」。コマンドなしで起動すると、標準入出力を通じて GUI と USI で通信
#[derive(Parser)]
#[command(name = "enbu", version = crate::identity::version(), after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Language of help and messages; default: that of the system ‖ 説明とメッセージの言語。省略時はシステムの言語
    #[arg(long, global = true, value_name = "LANG", value_parser = ["ja", "en"], display_order = 900)]
    lang: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "Examples: ‖ 例：
  enbu                              speak USI (register this file in your GUI) ‖ USI で通信（GUI にはこのファイルを登録）
  enbu analyse games/ -o report/    analyse games, with pages to look at ‖ 棋譜を解析し、ブラウザで見るページを作る
  enbu mate problems.sfen           solve mate problems, one SFEN a line ‖ 詰将棋を解く（1行1局面の SFEN）
  enbu convert game.kif --to csa    convert game records and positions ‖ 棋譜や局面の形式を変換
  enbu book make games/ -o book.db  make an opening book ‖ 棋譜から定跡を作る
  enbu book convert book.bin -o book.db
                                    convert, sort, merge and check opening books ‖ 定跡の変換・並べ替え・統合・検査
  enbu options                      list the USI options ‖ USI オプションの一覧
  enbu doctor                       check this installation ‖ 動作環境を診断
  enbu match --engine self --engine ./other --tc 10+0.1
                                    play a match ‖ 連続対局
  enbu suite problems.tsv --engine self --tc nodes=20000
                                    let engines solve problems ‖ 問題集をエンジンに解かせる
  enbu csa --config csa.toml        play on a CSA server ‖ CSA サーバーで対局
  enbu openings random:16,80        make openings for matches ‖ 連続対局用の開始局面を作る
  enbu bench                        measure speed and print the signature ‖ 速度を測り、署名を表示
  enbu perft 5                      count the game tree of the start position ‖ 初期局面から合法手の木を数える
  enbu tune --engine self --param all --tc nodes=20000 --iterations 5000
                                    tune the search (a build with --features tune) ‖ 探索を調整（--features tune のビルドが必要）
  enbu selfplay --games 1000 --out data/selfplay
                                    make games to learn from ‖ 学習用の自己対局
  enbu train data/selfplay --out data/my.nnue
                                    train a network on them ‖ その対局から評価関数を学習";

/// The commands by their users, each group under a heading.
pub(crate) const GROUPS: [Group; 3] = [
    ("For players: ‖ 棋譜・詰将棋・設定：", &["analyse", "mate", "convert", "book", "options", "doctor"]),
    ("Matches: ‖ 対局：", &["match", "ratings", "suite", "csa", "openings"]),
    ("Development: ‖ 開発：", &["bench", "perft", "tune", "selfplay", "train", "completions", "man"]),
];

/// Commands that serve development and speak English alone.
pub(crate) const ENGLISH: [&str; 8] = ["bench", "perft", "tune", "openings", "selfplay", "train", "completions", "man"];

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Search fixed positions with one thread; print nodes, speed and signature ‖ 決まった局面を1スレッドで探索し、ノード数・速度・署名を表示
    #[command(after_help = bench::EXAMPLES)]
    Bench(bench::BenchArgs),
    /// Count the leaves of the game tree ‖ 合法手の木の末端を数える（perft）
    #[command(after_help = perft::EXAMPLES)]
    Perft(perft::PerftArgs),
    /// Play matches between USI engines ‖ USI エンジン同士の連続対局
    #[command(after_help = matches::EXAMPLES, args_override_self = true)]
    Match(Box<matches::MatchArgs>),
    /// Rate players by their games: results of matches, game records ‖ 対局結果や棋譜から対局者のレートを求める
    #[command(after_help = ratings::EXAMPLES)]
    Ratings(ratings::RatingsArgs),
    /// Put next-move and mate problems to USI engines, and compare them ‖ 次の一手問題や詰将棋を USI エンジンに解かせて比べる
    #[command(after_help = suite::EXAMPLES, args_override_self = true)]
    Suite(Box<suite::SuiteArgs>),
    /// Play on a CSA server ‖ CSA サーバーで対局
    #[command(after_help = csa::EXAMPLES, args_override_self = true)]
    Csa(Box<csa::CsaArgs>),
    /// Tune parameters of an engine by games against itself ‖ 自己対局でエンジンのパラメータを調整
    #[command(after_help = tune::EXAMPLES)]
    Tune(Box<tune::TuneArgs>),
    /// Make a file of even openings ‖ 互角な開始局面のファイルを作る
    #[command(after_help = openings::EXAMPLES)]
    Openings(openings::OpeningsArgs),
    /// Make games of the engine against itself, to learn from ‖ 学習用の自己対局を行う
    #[command(after_help = selfplay::EXAMPLES, args_conflicts_with_subcommands = true)]
    Selfplay(Box<selfplay::SelfplayArgs>),
    /// Train a network on games, or fit the piece-square tables ‖ 対局から評価関数を学習、または駒位置評価を調整
    #[command(after_help = train::EXAMPLES)]
    Train(Box<train::TrainArgs>),
    /// Solve mate problems; exit code 0 when all are settled, 1 when some are left open ‖ 詰将棋を解く（終了コード：すべて結論が出れば 0、未解決があれば 1）
    #[command(after_help = mate::EXAMPLES)]
    Mate(mate::MateArgs),
    /// Convert game records and positions from any format into any other ‖ 棋譜や局面をほかの形式に変換
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::ConvertArgs),
    /// Analyse games: mistakes, better moves, missed mates; as pages, records or JSON ‖ 棋譜を解析：悪手、最善の手順、詰み逃し（ページ・棋譜・JSON）
    #[command(after_help = analyse::EXAMPLES, alias = "analyze")]
    Analyse(Box<analyse::AnalyseArgs>),
    /// Check this installation: one page to paste into a question ‖ 動作環境を診断：質問に貼り付けられる結果を表示
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorArgs),
    /// Make, convert, merge and check opening books ‖ 定跡の作成・変換・統合・検査
    Book(book::BookArgs),
    /// List the USI options as a Markdown table ‖ USI オプションの一覧を Markdown の表で表示
    #[command(after_help = options::EXAMPLES)]
    Options(options::OptionsArgs),
    /// Print a script with which a shell completes the command line ‖ シェルの補完スクリプトを表示
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Print the manual page ‖ マニュアルページを表示
    #[command(after_help = man::EXAMPLES)]
    Man(man::ManArgs),
}

impl Command {
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
            Self::Ratings(args) => ratings::run(&args, out),
            Self::Suite(args) => suite::run(&args, out),
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
