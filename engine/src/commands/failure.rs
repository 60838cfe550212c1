//! Failures of commands: errors in the arguments, errors of files, interruptions.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::ErrorKind;
use clap::{Args, Command};
use enbu_files::{Existing, Refusal, reason};
use enbu_language::{pick, text};
use enbu_usi::client::Cancel;

/// Exit code of a program that was interrupted, as shells expect it.
pub(in crate::commands) const INTERRUPTED: u8 = 130;

/// An error in the arguments `A` of `subcommand`: printed with its usage, exit code 2.
pub(in crate::commands) fn usage<A: Args>(subcommand: &'static str, message: impl Display) -> io::Error {
    let command = Command::new(subcommand).bin_name(format!("enbu {subcommand}"));
    io::Error::other(A::augment_args(command).error(ErrorKind::ValueValidation, message))
}

/// The exit code of work that is complete or was interrupted; then prints that the same command continues.
pub(in crate::commands) fn ended(is_complete: bool, out: &mut impl Write) -> io::Result<ExitCode> {
    if is_complete {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{}",
        pick("interrupted; the same command continues", "中断しました。同じコマンドで続きから再開します")
    )?;
    Ok(ExitCode::from(INTERRUPTED))
}

/// An error with this text.
pub(in crate::commands) fn failed(text: impl Display) -> io::Error {
    io::Error::other(text.to_string())
}

/// Breaks once `stop` is set.
pub(in crate::commands) fn go_on(stop: &AtomicBool) -> ControlFlow<()> {
    if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// A flag that Ctrl-C sets.
pub(in crate::commands) fn stop_on_signal() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::<AtomicBool>::default();
    let on_signal = Arc::clone(&stop);
    ctrlc::set_handler(move || on_signal.store(true, Ordering::Relaxed)).map_err(io::Error::other)?;
    Ok(stop)
}

/// A cancellation of engines that Ctrl-C sets.
pub(in crate::commands) fn cancel_on_signal() -> io::Result<Cancel> {
    let cancel = Cancel::default();
    let on_signal = cancel.clone();
    ctrlc::set_handler(move || on_signal.cancel()).map_err(io::Error::other)?;
    Ok(cancel)
}

/// The error of the system with the path it concerns.
pub(in crate::commands) fn named(path: &Path, error: &io::Error) -> io::Error {
    let refusal = error.get_ref().and_then(|error| error.downcast_ref());
    let text = match refusal {
        Some(Refusal::Exists) => {
            let path = path.display();
            text!("{path} exists; --force overwrites it", "{path} はすでにあります。--force で上書きします").to_string()
        }
        Some(refusal) => text!("{}: {refusal}", "{}：{refusal}", path.display()).to_string(),
        None => text!("{}: {}", "{}：{}", path.display(), reason(error)).to_string(),
    };
    io::Error::new(error.kind(), text)
}

/// Success, or the error that inputs had faults.
pub(in crate::commands) fn with_failures(failures: usize) -> io::Result<ExitCode> {
    match failures {
        0 => Ok(ExitCode::SUCCESS),
        1 => Err(failed(text!("1 input had errors", "入力 1 件にエラーがありました"))),
        failures => Err(failed(text!("{failures} inputs had errors", "入力 {failures} 件にエラーがありました"))),
    }
}

/// Permission to replace files.
#[derive(Args, Clone, Copy)]
pub(in crate::commands) struct Force {
    /// Overwrite files that exist ‖ 既存のファイルを上書き
    #[arg(long)]
    force: bool,
}

impl Force {
    pub(in crate::commands) fn existing(self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }

    /// Writes a text to a file, or to `out` where none is named.
    pub(in crate::commands) fn write(self, path: Option<&Path>, text: &str, out: &mut impl Write) -> io::Result<()> {
        path.map_or_else(|| out.write_all(text.as_bytes()), |path| write_file(path, text, self.existing()))
    }
}

/// Fails now if a file could not be written to `path` after long work.
pub(in crate::commands) fn check_writable(path: &Path, existing: Existing) -> io::Result<()> {
    enbu_files::check_writable(path, existing).map_err(|error| named(path, &error))
}

/// Writes a file whole or not at all.
pub(in crate::commands) fn write_file(path: &Path, bytes: impl AsRef<[u8]>, existing: Existing) -> io::Result<()> {
    enbu_files::write(path, bytes, existing).map_err(|error| named(path, &error))
}
