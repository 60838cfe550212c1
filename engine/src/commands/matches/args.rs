//! The arguments of `enbu match`, and the settings they make.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use enbu_arena::{EloModel, EngineSpec, MatchSettings, OpeningOrder, Ponder, Processes, Spectators, Sprt, Tournament};
use enbu_language::text;
use enbu_usi::client::Cancel;

use crate::commands::choices::{Choice, one_of};
use crate::commands::failure::{Force, usage};
use crate::commands::game_args::{self, ClockArgs, RuleArgs};
use crate::commands::shard::Shard;

#[derive(Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    engines: EngineArgs,
    /// TOML file with these options and more engines, a table `engine` for each ‖ 以下のオプションと追加のエンジン（1つにつき `engine` テーブル1つ）を書いた TOML ファイル
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Another way to name the file ‖ 同じファイルの別の指定方法
    #[arg(long, value_name = "FILE", alias = "engines-file", conflicts_with = "file")]
    config: Option<PathBuf>,
    /// Let all engines ponder ‖ すべてのエンジンで先読み（ponder）を使う
    #[arg(long, help_heading = "Engines")]
    ponder: bool,
    /// Restart engines for every game ‖ 1局ごとにエンジンを再起動
    #[arg(long, help_heading = "Engines")]
    restart: bool,

    #[command(flatten)]
    clock: ClockArgs,

    /// Games of each pairing, rounded up to pairs with colours swapped ‖ 各組み合わせの対局数。先後を入れ替えた2局1組に切り上げる
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Games")]
    games: u32,
    /// Pairings ‖ 組み合わせ方（round-robin は総当たり）
    #[arg(long, default_value = "round-robin", value_parser = one_of(TOURNAMENTS), help_heading = "Games")]
    format: Tournament,
    /// Rounds of a Swiss tournament [default: as many as a knock-out has] ‖ スイス式の回戦数 [既定値：トーナメントの場合と同じ]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Games")]
    rounds: Option<u16>,
    /// Openings: a file, or random:PLIES,CP; default: the start position ‖ 開始局面：ファイル、または random:手数,評価値の上限。省略時は平手の初期局面
    #[arg(long, value_name = "FILE", help_heading = "Games")]
    openings: Option<String>,
    /// Order of the openings ‖ 開始局面の順番（random：ランダム、sequential：ファイルの順）
    #[arg(long, default_value = "random", value_parser = one_of(ORDERS), help_heading = "Games")]
    order: OpeningOrder,
    /// Seed of that order, and of random openings ‖ その順番とランダムな開始局面の乱数の種
    #[arg(long, default_value_t = 1, help_heading = "Games")]
    seed: u64,
    /// Games at once ‖ 同時対局数
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Games")]
    concurrency: u16,
    /// Play only the i-th of n parts of the match ‖ 連続対局を n 個に分けた i 番目だけを指す
    #[arg(long, value_name = "i/n", default_value = "1/1", hide_default_value = true, help_heading = "Games")]
    shard: Shard,

    #[command(flatten)]
    rules: RuleArgs,

    /// Stop when a sequential test (SPRT) of these differences is decided ‖ この Elo 差の逐次検定（SPRT）の結論が出たら終了
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true, help_heading = "Statistics")]
    sprt: Vec<f64>,
    /// Rate at which the test may accept ELO1 wrongly ‖ 検定が誤って ELO1 を採択する確率の上限
    #[arg(long, default_value_t = 0.05, help_heading = "Statistics")]
    alpha: f64,
    /// Rate at which the test may accept ELO0 wrongly ‖ 検定が誤って ELO0 を採択する確率の上限
    #[arg(long, default_value_t = 0.05, help_heading = "Statistics")]
    beta: f64,
    /// Unit of the test's differences ‖ 検定での差の単位
    #[arg(long, default_value = "logistic", value_parser = one_of(MODELS), help_heading = "Statistics")]
    elo_model: EloModel,

    /// File of results, one game a line in JSON [default: match.jsonl] ‖ 結果のファイル（1局1行の JSON）[既定値：match.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) out: Option<PathBuf>,
    /// Continue the file of results ‖ 結果のファイルの続きから再開
    #[arg(long, help_heading = "Output")]
    pub(super) resume: bool,
    /// Merge files of results instead of playing ‖ 対局せず、結果のファイルをまとめる
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Output", conflicts_with_all = ["engine", "resume"])]
    pub(super) merge: Vec<PathBuf>,
    /// Folder for a CSA record of every game ‖ 全対局の棋譜を CSA 形式で保存するフォルダ
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) csa: Option<PathBuf>,
    /// SVG chart of Elo and LLR over the games ‖ Elo と LLR（対数尤度比）の推移のグラフ（SVG）
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) chart: Option<PathBuf>,
    /// Folder for a page that shows the match while it is played ‖ 対局中の連続対局を見るページのフォルダ
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) page: Option<PathBuf>,
    /// Least time of a move in seconds, for spectators; no clock runs in the rest of it ‖ 観戦用の1手の最短時間（秒）。余りの時間に時計は進まない
    #[arg(long, value_name = "S", value_parser = game_args::seconds, help_heading = "Output")]
    pace: Option<Duration>,
    /// File for the lines between the referee and the engines, up to 16 MiB from each engine in a game ‖ エンジンとの通信を記録するファイル（1局につき各エンジンから 16 MiB まで）
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) log: Option<PathBuf>,
    #[command(flatten)]
    pub(super) force: Force,
    /// Print the summary as JSON ‖ 集計を JSON で表示
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
    /// No progress, only notices and the summary ‖ 途中経過を表示せず、通知と集計だけにする
    #[arg(long, help_heading = "Output")]
    pub(super) quiet: bool,
    /// End with exit code 1 after any fault of an engine ‖ エンジンに異常が1つでもあれば、終了コードを 1 にする
    #[arg(long, help_heading = "Output")]
    pub(super) strict: bool,
}

/// The engines of the command line, each a command and words; derived parsers cannot
/// assign words to occurrences.
pub(in crate::commands) struct EngineArgs {
    engines: Vec<Vec<String>>,
    /// The whole command line, for a file to complete.
    given: ArgMatches,
}

impl EngineArgs {
    /// The engines with their programs, or the fault of the first that is none.
    pub(in crate::commands) fn specs<A: Args>(&self, subcommand: &'static str) -> io::Result<Vec<EngineSpec>> {
        let wrong = |error| usage::<A>(subcommand, text!("--engine: {error}", "--engine：{error}"));
        let specs: Result<Vec<_>, _> = self.engines.iter().map(EngineSpec::from_words).collect();
        let mut specs = specs.map_err(wrong)?;
        specs.iter_mut().try_for_each(|engine| game_args::find_program(&mut engine.launch))?;
        Ok(specs)
    }
}

impl Args for EngineArgs {
    fn augment_args(command: Command) -> Command {
        let engine = Arg::new("engine").long("engine").num_args(1..).action(ArgAction::Append);
        let engine = engine.value_names(["CMD", "WORD"]).help(
            "An engine: its command (self: this program), then words name=N option.X=V tc=T dir=D ponder=on|off; repeatable. Engines play with Threads=1 and USI_Hash=256 unless options say otherwise ‖ エンジン：コマンド（self：このプログラム）、続けて name=名前 option.X=値 tc=持ち時間 dir=フォルダ ponder=on|off。繰り返し可。指定がなければ Threads=1、USI_Hash=256 で対局",
        );
        let each = Arg::new("each").long("each").num_args(1..).action(ArgAction::Append).value_name("WORD");
        let each = each.help("Words for every engine of the command line ‖ コマンドラインの全エンジンに共通の指定");
        command.arg(engine.help_heading("Engines")).arg(each.help_heading("Engines"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EngineArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let each: Vec<&String> = matches.get_many("each").unwrap_or_default().collect();
        let engines = matches.get_occurrences("engine").unwrap_or_default().map(|words| {
            let words: Vec<&String> = words.collect();
            let (command, own) = words.split_at(1.min(words.len()));
            // An engine's own words come last, so that they win.
            [command, &each, own].concat().into_iter().cloned().collect()
        });
        Ok(Self { engines: engines.collect(), given: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|args| *self = args)
    }
}

const TOURNAMENTS: &[Choice<Tournament>] = &[
    ("round-robin", "", Tournament::RoundRobin),
    (
        "gauntlet",
        "The first engine against each of the others ‖ 最初のエンジン対ほかの各エンジン",
        Tournament::Gauntlet,
    ),
    (
        "swiss",
        "Rounds in which engines with equal scores meet ‖ スイス式（毎回、得点の近いエンジン同士が対局）",
        Tournament::Swiss,
    ),
    ("knockout", "The loser of a meeting is out ‖ トーナメント（勝ち抜き）", Tournament::Knockout),
];

const ORDERS: &[Choice<OpeningOrder>] =
    &[("random", "", OpeningOrder::Random), ("sequential", "", OpeningOrder::Sequential)];

const MODELS: &[Choice<EloModel>] = &[("logistic", "", EloModel::Logistic), ("normalized", "", EloModel::Normalised)];

fn wrong(message: impl Display) -> io::Error {
    usage::<MatchArgs>("match", message)
}

impl MatchArgs {
    /// The file that completes the command line, if one is named.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref().or(self.config.as_deref())
    }

    pub(super) const fn given(&self) -> &ArgMatches {
        &self.engines.given
    }

    pub(super) fn sprt(&self) -> io::Result<Option<Sprt>> {
        let &[elo0, elo1] = self.sprt.as_slice() else { return Ok(None) };
        let sprt = Sprt::new(elo0, elo1, self.alpha, self.beta, self.elo_model);
        sprt.map(Some).map_err(|error| wrong(text!("--sprt: {error}", "--sprt：{error}")))
    }

    /// The settings of the match, with openings read or generated.
    pub(super) fn settings(&self, cancel: &Cancel) -> io::Result<MatchSettings> {
        let mut engines = self.engines.specs::<Self>("match")?;
        if self.ponder {
            engines.iter_mut().for_each(|engine| engine.ponder = Ponder::On);
        }
        if engines.len() < 2 {
            return Err(wrong(text!(
                "a match needs at least two engines: --engine for each, or tables `[[engine]]` in a file",
                "エンジンが2つ以上必要です。--engine で1つずつ、またはファイルの `[[engine]]` で指定してください"
            )));
        }
        if !self.sprt.is_empty() && engines.len() != 2 {
            let text = text!("--sprt needs exactly two engines", "--sprt を使えるのはエンジンが2つのときだけです");
            return Err(wrong(text));
        }
        let swiss_rounds = self.swiss_rounds(engines.len())?;
        let time_control = self.clock.time_control(&engines).ok_or_else(|| wrong(game_args::no_time_control()))?;
        let rules = self.rules.rules();
        let rounds = self.games.div_ceil(2) as usize;
        let openings = self.format.openings(engines.len(), rounds, swiss_rounds);
        Ok(MatchSettings {
            engines,
            time_control,
            increment_use: self.clock.increment,
            format: self.format,
            rounds,
            swiss_rounds,
            openings: game_args::openings(self.openings.as_deref(), rules, openings, self.seed, cancel)?,
            order: self.order,
            seed: self.seed,
            part: self.shard.part(),
            rules,
            adjudication: self.rules.adjudication(),
            facts: self.rules.facts(),
            slack: self.clock.slack(),
            patience: self.clock.patience(),
            concurrency: usize::from(self.concurrency),
            processes: if self.restart { Processes::Restarted } else { Processes::Kept },
            spectators: Spectators {
                pace: self.pace.unwrap_or_default(),
                games: self.page.is_some().then(Arc::default),
            },
        })
    }

    /// The rounds of a Swiss tournament; refuses options that do not go with the format.
    fn swiss_rounds(&self, engines: usize) -> io::Result<usize> {
        if self.rounds.is_some() && self.format != Tournament::Swiss {
            let text = text!("--rounds goes with --format swiss only", "--rounds は --format swiss でだけ使えます");
            return Err(wrong(text));
        }
        if self.format.depends_on_results() && !self.shard.is_whole() {
            return Err(wrong(text!(
                "--shard: the pairings of swiss and knockout depend on the results of all games, so their parts cannot be played apart",
                "--shard：swiss と knockout は全対局の結果で組み合わせが決まるため、分けて対局できません"
            )));
        }
        Ok(self.rounds.map_or(Tournament::levels(engines), usize::from))
    }
}
