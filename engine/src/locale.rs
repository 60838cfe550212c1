//! The command line in the language of the user.
//!
//! Every text of it is written in both languages: in one paragraph or line, English first,
//! with ` ‖ ` between. [`localized`] keeps one of them, [`rendered`] writes the errors.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use enbu_language::{Language, pick, text};

/// Between the English text of a paragraph or line and the Japanese.
const BETWEEN: &str = " ‖ ";

/// A heading and the commands below it.
pub(crate) type Group = (&'static str, &'static [&'static str]);

/// Headings of options.
const HEADINGS: [(&str, &str); 9] = [
    ("Diagrams", "局面図"),
    ("Engine", "エンジン"),
    ("Engines", "エンジン"),
    ("Games", "対局"),
    ("Output", "出力"),
    ("Rules", "ルール"),
    ("Server", "サーバー"),
    ("Statistics", "統計"),
    ("Time", "時間"),
];

/// The command of which a file or folder without one is the input, and its option that shows the result.
const DROPPED: [&str; 2] = ["analyse", "--open"];

/// Name of the environment variable that chooses the language.
const VARIABLE: &str = "ENBU_LANG";

/// The language that the user has named, or else that of the system: Japanese or English.
pub(crate) fn language() -> Language {
    let of_system = || {
        let locale = sys_locale::get_locale().unwrap_or_default().to_ascii_lowercase();
        if locale.starts_with("ja") { Language::Japanese } else { Language::English }
    };
    named_language().unwrap_or_else(of_system)
}

/// The language that the user has named, on the command line or in the environment.
pub(crate) fn named_language() -> Option<Language> {
    let mut arguments = std::env::args_os().skip(1);
    let mut named = std::env::var(VARIABLE).ok();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--") => break,
            Some("--lang") => named = arguments.next().and_then(|name| name.into_string().ok()),
            Some(text) if text.starts_with("--lang=") => named = text.split_once('=').map(|(_, name)| name.to_owned()),
            _ => {}
        }
    }
    named.and_then(|name| Language::named(&name))
}

/// The arguments of the process, and whether they name files without a command, as when these are
/// dropped on the program: then with the command that shows their analysis.
pub(crate) fn arguments(command: &Command) -> (Vec<OsString>, bool) {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    let is_dropped = arguments.get(1).is_some_and(|first| {
        let is_command = first == "help" || command.find_subcommand(first).is_some();
        !is_command && !first.as_encoded_bytes().starts_with(b"-") && Path::new(first).exists()
    });
    if is_dropped {
        arguments.splice(1..1, DROPPED.map(OsString::from));
    }
    (arguments, is_dropped)
}

/// The first line of a session on a terminal.
pub(crate) fn greeting() -> String {
    let version = env!("CARGO_PKG_VERSION");
    text!(
        "Enbu {version}: a USI engine. `help` lists the commands, `quit` ends; `enbu --help` lists the rest.",
        "Enbu {version}（演武）：USI エンジンです。help でコマンド一覧、quit で終了。棋譜の解析などは enbu --help をご覧ください。"
    )
    .to_string()
}

/// The part of a text that is in the language of the user.
pub(crate) fn part(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.split_once(BETWEEN) {
        None => line.to_owned(),
        Some((english, japanese)) => pick(english.to_owned(), in_place(english, japanese)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The Japanese text of a line, after the column that stands before the English one.
fn in_place(english: &str, japanese: &str) -> String {
    english.rsplit_once("  ").map_or_else(|| japanese.to_owned(), |(column, _)| format!("{column}  {japanese}"))
}

/// The command line, with all that the library adds, in the language of the user.
pub(crate) fn localized(mut command: Command, groups: &[Group]) -> Command {
    command.build();
    let (groups, options) = (list(&command, groups), pick("Options:", "オプション："));
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{groups}\n{options}\n{{options}}{{after-help}}");
    let command = translated(command);
    let command = if Language::current() == Language::Japanese { japanese(command) } else { command };
    command.help_template(template.replace("{usage-heading} ", pick("Usage: ", "使い方：")))
}

/// The commands with their texts, by their users.
fn list(command: &Command, groups: &[Group]) -> String {
    let mut text = String::new();
    for (heading, names) in groups {
        let _ = write!(text, "\n{}\n", part(heading));
        for command in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = command.get_about().map(|about| part(&about.to_string())).unwrap_or_default();
            let _ = writeln!(text, "  {:<13}{about}", command.get_name());
        }
    }
    text
}

/// A command with its texts in the language of the user.
pub(crate) fn translated(mut command: Command) -> Command {
    let texts = [command.get_about(), command.get_long_about(), command.get_after_help()];
    let [about, long, examples] = texts.map(|text| text.map(|text| part(&text.to_string())));
    command = about.into_iter().fold(command, Command::about);
    command = long.into_iter().fold(command, Command::long_about);
    command = examples.into_iter().fold(command, Command::after_help);
    command.mut_args(argument).mut_subcommands(translated)
}

/// A command with the words of the library in Japanese, too.
fn japanese(mut command: Command) -> Command {
    const TEMPLATE: &str = "{about-with-newline}\n使い方：{usage}\n\n{all-args}{after-help}";
    let usage = command.render_usage().to_string();
    if command.get_name() == "help" {
        command = command.about("この説明、またはコマンドの説明を表示");
    }
    let usage = in_japanese(usage.trim_start_matches("Usage: "));
    let command = command.override_usage(usage).help_template(TEMPLATE).subcommand_help_heading("コマンド");
    command.mut_subcommands(japanese)
}

/// The words of a usage line that the library writes, in Japanese.
fn in_japanese(usage: &str) -> String {
    usage.replace("[OPTIONS]", "[オプション]").replace("[COMMAND]", "[コマンド]").replace("<COMMAND>", "<コマンド>")
}

/// An argument with its help in the language of the user.
fn argument(mut argument: Arg) -> Arg {
    let [help, long] =
        [argument.get_help(), argument.get_long_help()].map(|text| text.map(|text| part(&text.to_string())));
    if Language::current() == Language::English {
        argument = help.into_iter().fold(argument, Arg::help);
        return long.into_iter().fold(argument, Arg::long_help);
    }
    let (help, long) = match argument.get_id().as_str() {
        "help" => (Some("説明を表示".to_owned()), None),
        "version" => (Some("バージョンを表示".to_owned()), None),
        _ => (help, long),
    };
    let (words, lines) = values(&argument);
    let usual = if argument.is_positional() { "引数" } else { "オプション" };
    let heading = argument.get_help_heading().map_or(Some(usual), |heading| {
        HEADINGS.iter().find(|(english, _)| *english == heading).map(|(_, japanese)| *japanese)
    });
    argument = argument.hide_default_value(true).hide_possible_values(true);
    argument = heading.into_iter().fold(argument, Arg::help_heading);
    let long = long.or_else(|| help.clone()).unwrap_or_default();
    argument = argument.long_help(format!("{long}{words}{lines}"));
    help.into_iter().fold(argument, |argument, help| argument.help(format!("{help}{words}")))
}

/// Default and values of an argument for its help: in its line, and in lines below it.
fn values(argument: &Arg) -> (String, String) {
    let (mut words, mut lines) = (String::new(), String::new());
    let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && argument.get_action().takes_values() && !argument.is_hide_default_value_set() {
        words = format!(" [既定値：{}]", defaults.join(","));
    }
    let values: Vec<_> = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    if argument.get_action().takes_values() && !values.is_empty() {
        let names: Vec<_> = values.iter().map(|value| value.get_name()).collect();
        let _ = write!(words, " [値：{}]", names.join("、"));
        for value in values.iter().filter(|value| value.get_help().is_some()) {
            let help = value.get_help().map(|help| part(&help.to_string())).unwrap_or_default();
            let _ = write!(lines, "\n- {}：{help}", value.get_name());
        }
    }
    (words, lines)
}

/// The text of an error of usage, in the language of the user.
pub(crate) fn rendered(error: &clap::Error) -> String {
    let english = error.render().to_string();
    // A command without its subcommand shows its help, which is translated already.
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || Language::current() == Language::English {
        return english;
    }
    let sentence = sentence(error).unwrap_or_else(|| raw(&english).to_owned());
    let usage =
        english.split_once("\nUsage: ").map(|(_, usage)| usage.split("\n\n").next().unwrap_or_default().trim_end());
    let usage = usage.map(|usage| format!("\n使い方：{}\n", in_japanese(usage))).unwrap_or_default();
    format!("エラー：{sentence}\n{usage}\n詳しくは --help をご覧ください。\n")
}

/// The message of an error of usage on one line, in the language of the user.
pub(crate) fn reason(error: &clap::Error) -> String {
    let japanese = if Language::current() == Language::English { None } else { sentence(error) };
    japanese.unwrap_or_else(|| raw(&error.render().to_string()).to_owned()).replace("\n ", "")
}

/// The message of an error of ours.
fn raw(english: &str) -> &str {
    let message = english.strip_prefix("error: ").unwrap_or(english);
    message.split("\n\n").next().unwrap_or_default().trim_end()
}

/// The Japanese sentence for an error that the library has found.
fn sentence(error: &clap::Error) -> Option<String> {
    let find = |kind| {
        error.get(kind).map(|value| match value {
            ContextValue::Strings(texts) => texts.join("、"),
            other => other.to_string(),
        })
    };
    let argument = find(ContextKind::InvalidArg);
    let value = find(ContextKind::InvalidValue).unwrap_or_default();
    let mut text = match (error.kind(), argument) {
        (ErrorKind::UnknownArgument, Some(argument)) => format!("'{argument}' というオプションや引数はありません"),
        (ErrorKind::InvalidSubcommand, _) => {
            format!("'{}' というコマンドはありません", find(ContextKind::InvalidSubcommand)?)
        }
        (ErrorKind::MissingSubcommand, _) => "コマンドを指定してください".to_owned(),
        (ErrorKind::InvalidValue, Some(argument)) if value.is_empty() => format!("'{argument}' の値がありません"),
        (ErrorKind::InvalidValue, Some(argument)) => format!("'{argument}' に '{value}' は指定できません"),
        (ErrorKind::ValueValidation, Some(argument)) => {
            let reason = std::error::Error::source(error).map(|reason| reason_of(&reason.to_string()));
            format!("'{argument}' に '{value}' は指定できません：{}", reason?)
        }
        (ErrorKind::ArgumentConflict, Some(argument)) => match find(ContextKind::PriorArg) {
            Some(prior) if prior != argument => format!("'{argument}' と '{prior}' は同時に指定できません"),
            _ => format!("'{argument}' は1回だけ指定できます"),
        },
        (ErrorKind::MissingRequiredArgument, Some(arguments)) => format!("次の引数が必要です：{arguments}"),
        (ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues | ErrorKind::TooFewValues, Some(argument)) => {
            format!("'{argument}' の値の数が違います")
        }
        (ErrorKind::NoEquals, Some(argument)) => format!("'{argument}' の値は = に続けて書いてください"),
        (ErrorKind::InvalidUtf8, _) => "引数の文字コードが正しくありません".to_owned(),
        _ => return None,
    };
    if let Some(values) = find(ContextKind::ValidValue).filter(|values| !values.is_empty()) {
        let _ = write!(text, "\n  指定できる値：{values}");
    }
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    for near in kinds.into_iter().filter_map(find).filter(|near| !near.is_empty()) {
        let _ = write!(text, "\n  もしかして：{near}");
    }
    Some(text)
}

/// The Japanese reason for which a value is refused; those of our own parsers are already in Japanese.
fn reason_of(reason: &str) -> String {
    /// Reasons of the standard library.
    const REASONS: [(&str, &str); 6] = [
        ("invalid digit found in string", "整数ではありません"),
        ("cannot parse integer from empty string", "整数ではありません"),
        ("number too large to fit in target type", "大きすぎます"),
        ("number too small to fit in target type", "小さすぎます"),
        ("invalid float literal", "数ではありません"),
        ("cannot parse float from empty string", "数ではありません"),
    ];
    if let Some((_, range)) = reason.split_once(" is not in ") {
        return match range.split_once("..=").or_else(|| range.split_once("..")) {
            Some((least, "")) => format!("{least} 以上を指定してください"),
            Some((least, most)) => format!("{least}～{most} の範囲で指定してください"),
            None => range.to_owned(),
        };
    }
    REASONS.iter().find(|(english, _)| *english == reason).map_or(reason, |(_, japanese)| japanese).to_owned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::{Cli, ENGLISH};

    /// The texts of a command and of its arguments, each with its place; the help of values is
    /// in one language already.
    fn texts(command: &Command, place: &str, texts: &mut Vec<(String, String)>) {
        let place = format!("{place} {}", command.get_name());
        for text in [command.get_about(), command.get_long_about(), command.get_after_help()].into_iter().flatten() {
            texts.push((place.clone(), text.to_string()));
        }
        for argument in command.get_arguments() {
            for text in argument.get_help().into_iter().chain(argument.get_long_help()) {
                texts.push((format!("{place} {}", argument.get_id()), text.to_string()));
            }
        }
    }

    #[test]
    fn every_text_for_players_is_in_both_languages() {
        let mut all = Vec::new();
        let mut open = vec![Cli::command()];
        while let Some(command) = open.pop() {
            if ENGLISH.contains(&command.get_name()) {
                all.extend(command.get_about().map(|about| (command.get_name().to_owned(), about.to_string())));
            } else {
                texts(&command, "", &mut all);
                open.extend(command.get_subcommands().cloned());
            }
        }
        for (place, text) in &all {
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                // A line of examples may be a command alone.
                let command = line.starts_with("  ") && !line.contains(BETWEEN);
                assert!(command || line.matches(BETWEEN).count() == 1, "{place}: {line}");
                let japanese = line.split_once(BETWEEN).map_or("", |(_, japanese)| japanese);
                assert!(command || !japanese.is_ascii(), "{place}: {line}");
            }
        }
    }

    #[test]
    fn a_line_keeps_its_column() {
        assert_eq!(in_place("  enbu doctor     a page", "ページ"), "  enbu doctor     ページ");
        assert_eq!(in_place("Examples:", "例："), "例：");
    }
}
