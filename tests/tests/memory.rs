//! Memory limits of the engine: `USI_Hash`, 64 MB, and a fixed amount for each thread.
//!
//! Read from `/proc`, so only where there is one.
#![cfg(target_os = "linux")]

use std::fs;

use enbu_tests::session::Session;

/// The limit without the hash table and the threads, in MB.
const BASE_MB: u64 = 64;

/// Memory of each thread in MB: histories, a stack, an evaluator. Documented in `docs/networks.md`.
const THREAD_MB: u64 = 16;

/// A field of `/proc/PID/status`, in MB.
fn status_mb(session: &Session, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", session.id())).expect("the process runs");
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).expect(field);
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

/// Lets the system count the peak anew.
fn forget_peak(session: &Session) {
    fs::write(format!("/proc/{}/clear_refs", session.id()), "5").expect("own processes may be asked");
}

/// Sees that neither now nor since the last [`forget_peak`] more memory was held than a
/// table of `hash_mb` and this number of threads may take. Returns the peak, in MB.
fn stays_within(session: &Session, hash_mb: u64, threads: u64, when: &str) -> u64 {
    let allowed = hash_mb + BASE_MB + THREAD_MB * threads;
    let peak = status_mb(session, "VmHWM");
    assert!(peak <= allowed, "{hash_mb} MB, {threads} threads, {when}: {peak} MB at the peak, {allowed} allowed");
    peak
}

/// Sets an option and returns the engine's reply. A loaded machine may take its time,
/// which the session allows.
fn set(session: &mut Session, name: &str, value: u64) -> Vec<String> {
    let mut said = session.reply(&format!("setoption name {name} value {value}"));
    said.retain(|line| line != "info string still working");
    said
}

/// Gives the table another size, which there is memory for.
fn set_hash(session: &mut Session, hash_mb: u64) {
    assert_eq!(set(session, "USI_Hash", hash_mb), [""; 0]);
}

/// Searches that fill the histories, a deep line and many moves among them.
fn think(session: &mut Session) {
    let nodes = if enbu_tests::has_slow_rows() { 20_000 } else { 5_000 };
    for position in [
        "startpos",
        "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "sfen 7k1/9/7P1/9/9/9/9/9/K8 b 2G 1",
    ] {
        session.send(&format!("position {position}"));
        session.send(&format!("go nodes {nodes}"));
        session.until("bestmove");
    }
}

#[test]
fn memory_is_what_the_hash_and_the_threads_may_take() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    for threads in [1, 2, 4] {
        let mut session = Session::start();
        session.send(&format!("setoption name Threads value {threads}"));
        set_hash(&mut session, 16);
        let sizes = [(16, "first"), (64, "larger"), (256, "larger again"), (64, "smaller"), (16, "smallest")];
        for (hash_mb, when) in sizes {
            set_hash(&mut session, hash_mb);
            if when.starts_with("small") {
                // Memory of the larger table is not part of it.
                forget_peak(&session);
            }
            stays_within(&session, hash_mb, threads, when);
            think(&mut session);
            let peak = stays_within(&session, hash_mb, threads, &format!("{when}, after searches"));
            // Pages are provided when they are touched, by these searches at the latest:
            // less would mean that nothing is measured.
            assert!(peak >= hash_mb / 4, "{hash_mb} MB, {threads} threads, {when}: only {peak} MB at the peak");
            session.send("usinewgame");
            think(&mut session);
            stays_within(&session, hash_mb, threads, &format!("{when}, in the next game"));
        }
        session.send("quit");
        session.exits_cleanly();
    }
}

#[test]
fn threads_give_back_what_they_held() {
    let mut session = Session::start();
    set_hash(&mut session, 16);
    for threads in [4, 1] {
        assert_eq!(set(&mut session, "Threads", threads), [""; 0]);
        think(&mut session);
        let held = status_mb(&session, "VmRSS");
        assert!(held <= 16 + BASE_MB + THREAD_MB * threads, "{threads} threads hold {held} MB");
        forget_peak(&session);
    }
}

#[test]
fn a_hash_that_no_machine_has_is_refused_and_the_old_one_kept() {
    let mut session = Session::start();
    session.send("setoption name Threads value 1");
    set_hash(&mut session, 32);
    // 32 TB, the largest value of the option.
    let told = set(&mut session, "USI_Hash", 33_554_432);
    assert_eq!(told, ["info string error: no memory for a hash of 33554432 MB, using 32 MB"]);
    think(&mut session);
    stays_within(&session, 32, 1, "after the refusal");
    set_hash(&mut session, 16);
    forget_peak(&session);
    stays_within(&session, 16, 1, "after another size");
    session.send("quit");
    session.exits_cleanly();
}
