//! `enbu csa`: games on CSA servers.

mod config;
mod console;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use crossbeam_channel::{Sender, bounded, unbounded};
use enbu_csa::{
    Backoff, Client, DEFAULT_PORT, Halt, LEAST_KEEPALIVE, Limits, Notice, Player, PlayerError, Pondering, Process,
    RecordFiles, Secret, Settings, Waker,
};
use enbu_files::FileKind;
use enbu_language::{Both, text};
use enbu_usi::client::{Cancel, Launch};

use super::failure::{failed, named, usage};
use super::game_args::find_program;
use crate::terminal::notice;
use config::{Account, Config, Play, Records, Server};
use console::Console;

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu csa --host 127.0.0.1 --user enbu --password-file trip.txt --game floodgate-300-10F --games 0
                                    play until interrupted ‖ 中断するまで対局
  enbu csa --config csa.toml        settings from a file (examples/csa/csa.toml) ‖ 設定ファイルを使う（examples/csa/csa.toml）
  enbu csa --config csa.toml --engine ./other option.Threads=4 --games 1

Ctrl-C ends the program after the game; twice, or SIGTERM, resigns. Exit code 1: login refused, no connection, or a fault of the engine. ‖ Ctrl-C で対局後に終了、2回押すか SIGTERM で投了します。終了コード 1：ログイン拒否、接続不能、エンジンの異常。";

#[derive(Args)]
pub(crate) struct CsaArgs {
    /// Settings in TOML; options of the command line replace them ‖ TOML の設定ファイル。コマンドラインの指定が優先
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    server: Server,
    #[command(flatten)]
    account: Account,

    /// Engine: `self`, or a command, and words option.X=V and dir=D [default: self] ‖ エンジン：`self` またはコマンド、続けて option.X=値 や dir=フォルダ [既定値：self]
    #[arg(long, value_names = ["COMMAND", "WORD"], num_args = 1.., help_heading = "Engine")]
    engine: Vec<String>,
    /// Milliseconds kept for the network, for engines without the option NetworkDelay2 [default: 200] ‖ 通信の遅れのために残すミリ秒数（NetworkDelay2 オプションのないエンジン用）[既定値：200]
    #[arg(long, value_name = "MS", help_heading = "Engine")]
    margin: Option<u64>,

    #[command(flatten)]
    play: Play,
    #[command(flatten)]
    records: Records,
}

pub(crate) fn run(args: &CsaArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let config = args.config.as_deref().map(Config::read).transpose()?.unwrap_or_default();
    let settings = settings(args, &config)?;
    settings.check().map_err(wrong)?;
    let engine = if args.engine.is_empty() {
        config.engine.launch()?
    } else {
        Launch::from_words(&args.engine).map_err(io::Error::other)?
    };
    let log = args.records.log.as_deref().or(config.records.log.as_deref());
    let trace = args.records.trace.as_deref().or(config.records.trace.as_deref());
    let mut console = Console::new(out, log, trace)?;
    let ((halted, halts), cancel) = (unbounded(), Cancel::default());
    listen(halted, cancel.clone())?;
    let (waker, wakes) = bounded(1);
    // A full channel wakes the client as well.
    let wake = Arc::new(move || _ = waker.try_send(()));
    let player = player(engine, settings.ponder, wake, cancel).map_err(io::Error::other)?;
    let client = Client::new(settings, player, wakes, halts, &mut console).map_err(io::Error::other)?;
    let result = client.run();
    console.finish()?;
    let tally = result.map_err(io::Error::other)?;
    Ok(if tally.faults > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn wrong(message: impl Display) -> io::Error {
    usage::<CsaArgs>("csa", message)
}

fn settings(args: &CsaArgs, config: &Config) -> io::Result<Settings> {
    let missing = |name: &str| {
        wrong(text!("--{name} is needed, or a --config with it", "--{name} か、それを書いた --config が必要です"))
    };
    let host = args.server.host.clone().or(config.server.host.clone()).ok_or_else(|| missing("host"))?;
    let user = args.account.user.clone().or(config.account.user.clone()).ok_or_else(|| missing("user"))?;
    let games = args.play.games.or(config.play.games).unwrap_or(1);
    let dir = args.records.dir.clone().or(config.records.dir.clone());
    let kif = args.records.kif || config.records.kif;
    let ponder = args.play.ponder || config.play.ponder;
    let seconds = |argument: Option<f64>, file: Option<f64>, default: f64| {
        let value = argument.or(file).unwrap_or(default);
        let wrong = |_| failed(text!("{value} is no number of seconds", "{value} は秒数ではありません"));
        Duration::try_from_secs_f64(value).map_err(wrong)
    };
    let keepalive = seconds(args.server.keepalive, config.server.keepalive, 40.0)?;
    if keepalive < LEAST_KEEPALIVE {
        let text = text!("--keepalive: at least 30 seconds are needed", "--keepalive は 30 秒以上にしてください");
        return Err(wrong(text));
    }
    Ok(Settings {
        host,
        port: args.server.port.or(config.server.port).unwrap_or(DEFAULT_PORT),
        user,
        password: password(args, config)?,
        game: args.play.game.clone().or(config.play.game.clone()),
        games: (games > 0).then_some(games),
        records: dir.map(|dir| RecordFiles { dir, kif }),
        ponder: if ponder { Pondering::Yes } else { Pondering::No },
        margin: Duration::from_millis(args.margin.or(config.engine.margin).unwrap_or(200)),
        keepalive,
        backoff: Backoff {
            first: seconds(args.server.retry, config.server.retry, 10.0)?,
            longest: seconds(args.server.retry_max, config.server.retry_max, 300.0)?,
        },
        limits: Limits::default(),
        seed: SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs()),
    })
}

/// The password from its file or variable. No message contains it.
fn password(args: &CsaArgs, config: &Config) -> io::Result<Secret> {
    let own = &args.account;
    let account = if own.password_file.is_some() || own.password_env.is_some() { own } else { &config.account };
    let (text, source) = match (&account.password_file, &account.password_env) {
        (Some(path), None) => {
            let text = enbu_files::read_text(path, FileKind::Settings).map_err(|error| named(path, &error))?;
            (text.lines().next().unwrap_or_default().to_owned(), path.display().to_string())
        }
        (None, Some(name)) => {
            let unset = |_| failed(text!("the variable {name} is not set", "環境変数 {name} が設定されていません"));
            (std::env::var(name).map_err(unset)?, text!("the variable {name}", "環境変数 {name}").to_string())
        }
        (Some(_), Some(_)) => {
            return Err(failed(text!(
                "the settings name a password file and a variable; one is needed",
                "パスワードのファイルと環境変数の両方が設定されています。どちらか一方にしてください"
            )));
        }
        (None, None) => {
            return Err(wrong(text!(
                "--password-file or --password-env is needed, or a --config with one of them",
                "--password-file か --password-env、またはどちらかを書いた --config が必要です"
            )));
        }
    };
    Secret::new(&text).map_err(|error| failed(text!("{source}: {error}", "{source}：{error}")))
}

/// The engine, with its options set.
fn player(mut launch: Launch, ponder: Pondering, wake: Waker, cancel: Cancel) -> Result<Box<dyn Player>, PlayerError> {
    // The messages of this program are shown, as in other commands.
    let shown: Option<Notice> =
        (launch.command == ["self"]).then_some(|line| notice(text!("{line}", "エンジン：{line}")));
    let options = std::mem::take(&mut launch.options);
    find_program(&mut launch).map_err(|error| PlayerError::Died(Both::of(error)))?;
    let mut player: Box<dyn Player> = Box::new(Process::start(launch, wake, cancel, shown)?);
    for (name, value) in &options {
        player.set_option(name, value.as_deref())?;
    }
    if player.options().iter().any(|option| option.name == "USI_Ponder") {
        player.set_option("USI_Ponder", Some(if ponder == Pondering::Yes { "true" } else { "false" }))?;
    }
    Ok(player)
}

/// Listens for interruptions: SIGINT after the game, twice or SIGTERM at once. The second one also
/// ends the waiting for an engine.
///
/// Called before the first thread starts: threads and the listener share the blocked signals,
/// which otherwise end the program.
#[cfg(unix)]
fn listen(sender: Sender<Halt>, cancel: Cancel) -> io::Result<()> {
    use nix::sys::signal::{SigSet, Signal};
    let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
    signals.thread_block()?;
    let listener = move || {
        let mut count = 0;
        while let Ok(signal) = signals.wait() {
            count += 1;
            let halt = if signal == Signal::SIGINT && count == 1 { Halt::AfterGame } else { Halt::Now };
            halted(&sender, halt, count, &cancel);
        }
    };
    std::thread::Builder::new().name("csa-signals".into()).spawn(listener).map(drop)
}

#[cfg(not(unix))]
fn listen(sender: Sender<Halt>, cancel: Cancel) -> io::Result<()> {
    let count = std::sync::atomic::AtomicU32::new(0);
    ctrlc::set_handler(move || {
        let count = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        halted(&sender, if count == 1 { Halt::AfterGame } else { Halt::Now }, count, &cancel);
    })
    .map_err(io::Error::other)
}

/// Interruptions after which the waiting for an engine ends.
const PATIENCE: u32 = 3;

/// Time from the order to end at once to the end of the waiting for an engine.
const GRACE: Duration = Duration::from_secs(5);

fn halted(sender: &Sender<Halt>, halt: Halt, count: u32, cancel: &Cancel) {
    // The client is gone only at the end of the program.
    let _ = sender.send(halt);
    if count >= PATIENCE {
        cancel.cancel();
    } else if halt == Halt::Now {
        let cancel = cancel.clone();
        let end = move || {
            std::thread::sleep(GRACE);
            cancel.cancel();
        };
        // Without a thread the next interruption does it.
        let _ = std::thread::Builder::new().name("csa-grace".into()).spawn(end);
    }
}
