//! Helpers for the tests in `tests/tests`.
//!
//! Those tests check agreement between the crates and drive the binary end to end.
//!
//! - [`table`]: the tables in `tests/data`, each run through [`table::check`].
//! - [`positions`]: positions in the notation of the tests, and snapshots that compare them.
//! - [`binary`]: the path of the built `enbu`; it is built on first use.
//! - [`claims`]: a referee for the reasons of mistakes.
//! - [`faults`]: faults of the system below the binary.
//! - [`files`]: the files below a folder.
//! - [`installation`]: the executable in a folder of its own, as a user unpacks it.
//! - [`invocation`]: one command of the binary, run in a folder of its own.
//! - [`modules`]: the import circles between the modules of a crate.
//! - [`networks`]: random networks in every kind of file.
//! - [`readers`]: the contracts of the readers for any bytes.
//! - [`session`]: a running `enbu`, spoken to over its pipes, with deadlines.
//!
//! Environment: `ENBU_SLOW_TESTS=1` adds the rows that [`has_slow_rows`] decides on (some
//! minutes); `ENBU_REQUIRE=all` fails tests that lack a compiler or a browser, which are
//! [`skipped`] otherwise; `ENBU_BIN=PATH` tests that executable instead of building one; `ENBU_SEED=N`
//! repeats a run of those that choose at random.

#![forbid(unsafe_code)]

use std::io::{self, Write as _};
use std::time::SystemTime;

pub mod binary;
pub mod claims;
pub mod faults;
pub mod files;
pub mod installation;
pub mod invocation;
pub mod modules;
pub mod networks;
pub mod positions;
pub mod readers;
pub mod session;
pub mod table;

/// Returns `true` if all rows of the tests are to run: `ENBU_SLOW_TESTS` is set, as in
/// `.ci/run`. Otherwise tests of many seconds choose rows that end soon.
pub fn has_slow_rows() -> bool {
    std::env::var_os("ENBU_SLOW_TESTS").is_some()
}

/// The number of rows of a test: `all`, or a third of them without [`has_slow_rows`].
pub fn fewer(all: u64) -> u64 {
    if has_slow_rows() { all } else { all.div_ceil(3) }
}

/// Reports on stderr, past the capture of the test runner, that a test cannot run here.
///
/// # Panics
/// If `ENBU_REQUIRE` is `all`, as in `.ci/run`.
pub fn skipped(reason: &str) {
    let _ = writeln!(io::stderr(), "skipped: {reason}");
    assert_ne!(std::env::var("ENBU_REQUIRE").as_deref(), Ok("all"), "{reason}");
}

/// The number in an environment variable; `None` without it.
///
/// # Panics
/// When it is no number.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|error| panic!("{variable}={text}: {error}")))
}

/// The seed in `ENBU_SEED`, or one that no other run had.
///
/// # Panics
/// When `ENBU_SEED` is no number.
pub fn seed() -> u64 {
    number("ENBU_SEED").unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        u64::from(since.subsec_nanos())
    })
}
