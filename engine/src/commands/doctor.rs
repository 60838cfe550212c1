//! `enbu doctor`: one page about this installation, for a question about it.
//!
//! | module | contents |
//! |---|---|
//! | `report` | checks and their findings; the page and its JSON |
//! | `machine` | processor and kernels, threads, the transposition table and its huge pages |
//! | `files` | `engine_options.txt`, the network, the book, folders |

mod files;
mod machine;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use self::report::{Check, Report, Topic};
use super::failure::usage;
use crate::options::Options;
use clap::{Args, ValueEnum as _};

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu doctor                             a page to paste into a question ‖ 質問に貼り付けられる診断結果
  enbu doctor --lang ja                   the page in Japanese ‖ 日本語で表示
  enbu doctor --option USI_Hash=4096 --option EvalDir=nets
                                          with the options as the GUI sets them ‖ GUI での設定を指定して診断
  enbu doctor --only network,folders      some of the checks ‖ 一部の項目だけ
  enbu doctor --json                      the same for programs ‖ 同じ内容をプログラム向けに";

#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// Set a USI option, as in the GUI (repeatable) ‖ USI オプションを GUI と同じように設定（繰り返し可）
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Do only these checks, separated by commas ‖ 指定した項目だけを調べる（カンマ区切り）
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CHECK,...")]
    only: Vec<Topic>,
    /// Print JSON ‖ JSON で表示
    #[arg(long)]
    json: bool,
}

/// Checks this installation and prints the page; exit code 1 if something is wrong.
pub(crate) fn run(args: &DoctorArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let options = options(&args.options)?;
    let topics = if args.only.is_empty() { Topic::value_variants() } else { &args.only };
    let checks = topics.iter().map(|&topic| check(topic, &options)).collect();
    let report = Report { checks };
    if args.json {
        writeln!(out, "{:#}", report.json())?;
    } else {
        write!(out, "{report}")?;
    }
    Ok(if report.has_faults() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The options as the engine has them after the GUI has set `settings`.
fn options(settings: &[String]) -> io::Result<Options> {
    let mut options = Options::load();
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        let result = options.set(name, Some(value));
        result.map_err(|error| usage::<DoctorArgs>("doctor", error))?;
    }
    Ok(options)
}

fn check(topic: Topic, options: &Options) -> Check {
    let mut check = Check::new(topic);
    match topic {
        Topic::Processor => machine::processor(&mut check),
        Topic::Threads => machine::threads(&mut check, options),
        Topic::Hash => machine::hash(&mut check, options),
        Topic::OptionsFile => files::options_file(&mut check, options),
        Topic::Network => files::network(&mut check, options),
        Topic::Book => files::book(&mut check, options),
        Topic::Folders => files::folders(&mut check, options),
    }
    check
}
