//! `enbu man`: the manual pages, from the definition of the command line.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use enbu_files::Existing;

use super::failure::{named, write_file};

pub(crate) const EXAMPLES: &str = "Examples:
  enbu man | man -l -               read the page of enbu
  enbu man --out man1               write the pages of all commands";

#[derive(Args)]
pub(crate) struct ManArgs {
    /// Write one page a command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the page of the program, or writes the pages of all commands.
pub(crate) fn run(args: &ManArgs, command: Command, out: &mut impl Write) -> io::Result<ExitCode> {
    // Without commit and processor: the pages are equal wherever they are made.
    let mut command = command
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .mut_subcommands(|command| command.disable_help_subcommand(true));
    command.build();
    match &args.out {
        None => write!(out, "{}", page(command)?)?,
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
            let mut open = vec![command];
            while let Some(command) = open.pop() {
                open.extend(command.get_subcommands().cloned());
                let path = folder.join(format!("{}.1", full_name(&command)));
                write_file(&path, page(command)?, Existing::Replace)?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The name that the page of a command has: `enbu-bench`.
fn full_name(command: &Command) -> String {
    command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned()
}

/// The page of a command, in roff.
fn page(command: Command) -> io::Result<String> {
    let name = full_name(&command);
    let examples = command.get_after_help().map(ToString::to_string);
    let has_arguments = command.get_arguments().any(|argument| !argument.is_hide_set());
    let has_commands = command.has_subcommands();
    let man = Man::new(command).source(concat!("Enbu ", env!("CARGO_PKG_VERSION"))).manual("Enbu");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if has_arguments {
        man.render_options_section(&mut page)?;
    }
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    let mut roff = Roff::default();
    if let Some(examples) = examples {
        // The text after the options of the help, line by line as it is there.
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.lines().skip_while(|line| *line == "Examples:") {
            roff.text([roman(line)]);
        }
        roff.control("fi", []);
    }
    if name != "enbu" {
        roff.control("SH", ["SEE ALSO"]).text([roman("enbu(1)")]);
    }
    roff.to_writer(&mut page)?;
    String::from_utf8(page).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn each_command_has_a_page_with_its_examples() {
        let folder = tempfile::tempdir().expect("a folder");
        let args = ManArgs { out: Some(folder.path().join("man1")) };
        run(&args, crate::cli::Cli::command(), &mut Vec::new()).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join("man1").join(name)).expect("a page");
        for command in crate::cli::Cli::command().get_subcommands() {
            let page = read(&format!("enbu-{}.1", command.get_name()));
            assert!(page.contains(".SH SYNOPSIS") && page.contains("enbu(1)"), "{page}");
            assert_eq!(page.contains(".SH EXAMPLES"), command.get_after_help().is_some(), "{page}");
        }
        let whole = read("enbu.1");
        assert!(whole.contains(".SH SUBCOMMANDS") && whole.contains("enbu perft 5"), "{whole}");
        assert!(!whole.contains(env!("ENBU_COMMIT")), "{whole}");
        assert!(read("enbu-selfplay-stats.1").contains("selfplay"));
    }
}
