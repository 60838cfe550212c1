//! A process together with the processes that it starts.
//!
//! On Unix they are a process group of their own. On Windows they are found by their
//! parents when they are to end; a process whose parent has already ended is missed.

use std::io;
use std::process::{Child, Command};

/// Starts the command as the first of its family.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn()
}

/// Ends the process and its family; no error if they have ended.
#[cfg(unix)]
pub(super) fn kill(leader: &mut Child) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    if let Ok(id) = i32::try_from(leader.id()) {
        // Fails if the group has no process left.
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
    // It may have left its group.
    let _ = leader.kill();
}

/// Ends the process and its family; no error if they have ended.
#[cfg(not(unix))]
pub(super) fn kill(leader: &mut Child) {
    // One that has ended has no family that could be found.
    if matches!(leader.try_wait(), Ok(None)) {
        // The full path: a bare name would be looked for in the current folder as well.
        let root = std::env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
        let program = std::path::Path::new(&root).join("System32").join("taskkill.exe");
        let id = leader.id().to_string();
        let mut ends = Command::new(program);
        ends.args(["/F", "/T", "/PID", &id]);
        ends.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let _ = ends.status();
    }
    let _ = leader.kill();
}
