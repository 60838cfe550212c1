//! `stop` is answered whenever it comes: once, and without delay.
//!
//! `ENBU_STOPS=5000 cargo test --release -p enbu-tests stop:: -- --nocapture --test-threads=1`
//! stops 5000 searches and prints the response times; so does `scripts/soak.sh time`. No test
//! asserts a time: that would say more about the machine than about the engine.
//! `ENBU_SEED=N` repeats the delays of a run with that seed.

use std::time::{Duration, Instant};

use enbu_tests::session::Session;
use enbu_tests::table::rows;
use enbu_tests::{fewer, number, seed};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Stops of one test, unless `ENBU_STOPS` says otherwise.
const STOPS: u64 = 60;

/// Searches are stopped at the latest after this.
const LONGEST: Duration = Duration::from_millis(60);

/// A kind of search.
#[derive(Clone, Copy)]
struct Search {
    go: &'static str,
    /// The word of its answer.
    answer: &'static str,
    /// The word that must not come before the stop; other searches may find their end.
    waits: Option<&'static str>,
}

const SEARCHES: [Search; 4] = [
    Search { go: "go infinite", answer: "bestmove", waits: Some("bestmove") },
    Search { go: "go ponder btime 60000 wtime 60000 byoyomi 1000", answer: "bestmove", waits: Some("bestmove") },
    Search { go: "go btime 600000 wtime 600000 byoyomi 30000", answer: "bestmove", waits: None },
    Search { go: "go mate infinite", answer: "checkmate", waits: None },
];

/// Positions in which a search does much work between two reads of the stop flag, or has
/// none left to do.
fn positions() -> Vec<String> {
    let fixed = [
        // Quiet.
        "startpos",
        "sfen l4kgnl/1r1sg1s2/p1np1p1pp/2p1p1p2/1p5P1/2PP1PP2/PPS1P1N1P/2G1GS1R1/LN2K3L b Bb 31",
        // The end of a game, with many drops (matsuri), and two with next to all moves that can be.
        "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        "sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "sfen 9/9/9/4k4/9/4K4/9/9/9 b R2B4G4S4N4L18Pr 1",
        // Kings in mating nets: mated, mating, and one legal move.
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "sfen 7nl/7k1/6p2/9/6N2/9/9/9/4K4 b GS 1",
        "sfen 8k/7+R1/9/9/9/9/9/9/K8 w - 1",
    ];
    let hard = rows("tsume.tsv").into_iter().find(|row| row.text("mate_plies") == "published 69");
    let hard = hard.map(|row| format!("sfen {}", row.text("sfen"))).expect("Zuko no. 1");
    fixed.into_iter().map(str::to_owned).chain([hard]).collect()
}

/// A delay before `stop`: none, hardly any, or up to [`LONGEST`].
fn delay(random: &mut Xoshiro256PlusPlus) -> Duration {
    let longest = [Duration::ZERO, Duration::from_millis(2), LONGEST, LONGEST][random.random_range(0..4)];
    longest.mul_f64(random.random_range(0.0..=1.0))
}

/// Begins a search, stops it after `delay` and sees that it is answered once; how long
/// the answer took if it had to be waited for.
fn stopped(session: &mut Session, search: Search, delay: Duration) -> Option<Duration> {
    session.send(search.go);
    let before = session.silent_on(search.waits.unwrap_or("error"), delay);
    let sent = Instant::now();
    session.send("stop");
    let is_answer = |line: &String| line.starts_with("bestmove ") || line.starts_with("checkmate ");
    let early = before.iter().filter(|line| is_answer(line)).count();
    let took = (early == 0).then(|| {
        session.until(search.answer);
        sent.elapsed()
    });
    session.send("isready");
    let late = session.until("readyok").iter().filter(|line| is_answer(line)).count();
    let answers = early + usize::from(took.is_some()) + late;
    if answers != 1 {
        session.fail(&format!("{answers} answers"));
    }
    took
}

/// Summary of the response times to `stop`, or to another end.
fn distribution(event: &str, mut times: Vec<(Duration, String)>) -> String {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize].0.as_secs_f64() * 1000.0;
    let worst =
        times.iter().rev().take(3).map(|(time, what)| format!("\n  {:.2} ms: {what}", time.as_secs_f64() * 1e3));
    format!(
        "{} answers to {event}: p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, worst {:.2} ms{}",
        times.len(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        worst.collect::<String>()
    )
}

#[expect(clippy::print_stderr, reason = "the seed repeats a failure, and the times are for people")]
fn stops_are_answered(threads: usize) {
    let seed = seed();
    eprintln!("{threads} threads: ENBU_SEED={seed}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let stops = usize::try_from(number("ENBU_STOPS").unwrap_or(fewer(STOPS))).expect("a count");
    let positions = positions();
    let mut session = Session::start();
    session.send("setoption name USI_Hash value 64");
    session.send(&format!("setoption name Threads value {threads}"));
    session.send("isready");
    session.until("readyok");
    let mut times = Vec::with_capacity(stops);
    for number in 0..stops {
        let position = &positions[number % positions.len()];
        let search = SEARCHES[random.random_range(0..SEARCHES.len())];
        if random.random_range(0..20) == 0 {
            // Emptying the table takes its time, which is not the search's.
            session.send("usinewgame");
            session.send("isready");
            session.until("readyok");
        }
        session.send(&format!("position {position}"));
        let delay = delay(&mut random);
        if let Some(time) = stopped(&mut session, search, delay) {
            times.push((time, format!("{} after {delay:.1?} at {position}", search.go)));
        }
    }
    if number("ENBU_STOPS").is_some() {
        eprintln!("{threads} threads, {}", distribution("`stop`", times));
    }
    session.send("quit");
    session.exits_cleanly();
}

#[test]
fn every_stop_of_one_thread_is_answered_once() {
    stops_are_answered(1);
}

#[test]
fn every_stop_of_two_threads_is_answered_once() {
    stops_are_answered(2);
}

/// Ends processes in the middle of a search, by `quit` or by the end of input.
#[expect(clippy::print_stderr, reason = "the seed repeats a failure, and the times are for people")]
fn ends_are_obeyed(event: &str) {
    let ends = number("ENBU_STOPS").map_or(3, |stops| stops / 25);
    let seed = seed();
    eprintln!("{event}: ENBU_SEED={seed}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut times = Vec::new();
    for number in 0..ends {
        let threads = 1 + number % 2;
        let mut session = Session::start();
        session.send("setoption name USI_Hash value 64");
        session.send(&format!("setoption name Threads value {threads}"));
        session.send("isready");
        session.until("readyok");
        session.send("go infinite");
        session.silent_on("bestmove", delay(&mut random));
        let sent = Instant::now();
        if event == "`quit`" {
            session.send("quit");
        } else {
            session.close_input();
        }
        session.exits_cleanly();
        times.push((sent.elapsed(), format!("{threads} threads")));
    }
    if number("ENBU_STOPS").is_some() {
        eprintln!("ends of the process, read every 5 ms: {}", distribution(event, times));
    }
}

#[test]
fn quit_ends_a_search() {
    ends_are_obeyed("`quit`");
}

#[test]
fn the_end_of_input_ends_a_search() {
    ends_are_obeyed("the end of input");
}
