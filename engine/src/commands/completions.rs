//! `enbu completions`: scripts with which shells complete the command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

pub(crate) const EXAMPLES: &str = "Examples:
  enbu completions bash > ~/.local/share/bash-completion/completions/enbu
  enbu completions fish > ~/.config/fish/completions/enbu.fish
  enbu completions powershell >> $PROFILE";

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// Shell that reads the script
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for one shell.
pub(crate) fn run(args: &CompletionsArgs, mut command: Command, out: &mut impl Write) -> io::Result<ExitCode> {
    // Written as a whole: the generator panics if the reader closes the pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "enbu", &mut script);
    out.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueEnum};

    use super::*;

    #[test]
    fn every_shell_learns_every_command() {
        for &shell in Shell::value_variants() {
            let mut script = Vec::new();
            let args = CompletionsArgs { shell };
            run(&args, crate::cli::Cli::command(), &mut script).expect("written");
            let script = String::from_utf8(script).expect("text");
            for command in crate::cli::Cli::command().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }
}
