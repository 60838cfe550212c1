//! The self-test: move generation, search, kernels, mates and records on known cases.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use enbu_eval::nnue::{Network, Simd, embedded};
use enbu_eval::{Evaluation, Evaluator};
use enbu_kifu::{Encoding, Event, Format, Mode, Record, WriteOptions, encoding, read_any};
use enbu_mate::{Limits, Solver, Verdict};
use enbu_movegen::perft::perft;
use enbu_movegen::{Move, MoveList, Position, Setup};

use super::report::{Check, Text, Topic};
use crate::commands::bench::{self, Bench};
use crate::commands::bench_positions::POSITIONS;
use crate::evaluation::Choice;
use crate::identity;
use crate::options::Options;

/// Time after which the searches end; the others take little.
const SEARCH_TIME: Duration = Duration::from_secs(3);

/// Depth of perft and of the searches; builds with debug assertions are some ten times slower.
const PERFT: (u32, u64) = if cfg!(debug_assertions) { (3, 25_470) } else { (5, 19_861_490) };
const DEPTH: u32 = if cfg!(debug_assertions) { 2 } else { bench::DEPTH };

/// The position known as matsuri, with drops, and its perft of depth 2.
const MATSURI: (&str, u64) = ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", 28_684);

/// A mate of `tests/data/tsume.tsv` and its plies.
const MATE: (&str, usize) = ("2+P4G1/n4kr1P/2Pp4s/4PG2g/p6pl/1l5rl/s1pKN1p2/1p+s6/2g5+l b BNPbsn7p 203", 11);

/// A game with captures, promotions and drops.
const GAME: &str = "7g7f 3c3d 8h2b+ 3a2b B*4e 2b3c 4e3d 3c4b 3d4c+ 4b4c 2g2f B*5e";

/// Formats that hold a whole game.
const FORMATS: [Format; 6] = [Format::Kif, Format::Ki2, Format::Csa, Format::Usi, Format::Pgn, Format::Jkf];

/// Results of the self-test, and its measurements.
pub(super) struct SelfTest {
    results: Vec<(Text, bool)>,
    signature: Signature,
    /// Leaves of perft in a second of processor time; the faster of two runs.
    pub(super) leaves_per_second: u64,
    /// Nodes of the search in a second, waiting for a processor included.
    pub(super) nodes_per_second: u64,
    /// The kernels of that search; `None` for piece-square tables.
    pub(super) kernels: Option<&'static str>,
    /// Share of the time in which the search waited for a processor, in percent.
    pub(super) waited_percent: Option<u64>,
    time: Duration,
}

/// Outcome of the searches of `enbu bench`.
enum Signature {
    /// All were searched to the depth of `enbu bench`.
    Complete(u64),
    /// Searched to a lower depth, in a build with debug assertions.
    Shallow,
    /// The time ran out.
    OutOfTime,
}

impl SelfTest {
    /// Runs all tests.
    pub(super) fn run() -> Self {
        let started = Instant::now();
        let (counts, first) = move_generation();
        let evaluation = built_in();
        let kernels = match &evaluation {
            Evaluation::Network { network, .. } => Some(network.simd().name()),
            Evaluation::PieceSquare => None,
        };
        let mut bench = Bench::new(evaluation).ok();
        let waited = Waited::now();
        let signature = bench.as_mut().map_or(Signature::OutOfTime, search);
        let waited_percent = waited.and_then(|before| Waited::now()?.percent_since(&before));
        let (_, second) = move_generation();
        // Without a network there are no kernels to compare.
        let kernels_agree = embedded::load(Simd::SCALAR).is_none_or(|network| network.is_ok_and(kernels_agree));
        let results = vec![
            (Text::new("perft", "perft"), counts),
            (Text::new("kernels", "カーネル"), kernels_agree),
            (Text::new("mate", "詰み"), finds_mate()),
            (Text::new("records", "棋譜"), records_survive()),
        ];
        Self {
            results,
            signature,
            leaves_per_second: first.max(second),
            nodes_per_second: bench.as_ref().map_or(Default::default(), Bench::nodes_per_second),
            kernels,
            waited_percent,
            time: started.elapsed(),
        }
    }

    /// The results as a check, with a test of the kernels on the network that the options select.
    pub(super) fn check(&self, options: &Options) -> Check {
        let mut check = Check::new(Topic::SelfTest);
        let mut results = self.results.clone();
        if let Choice::File(path) = options.evaluation()
            && let Ok(network) = Network::load(&path, Simd::best())
        {
            let name = Text::new("kernels on the network file", "評価関数ファイルでのカーネル");
            results.push((name, kernels_agree(network)));
        }
        for (name, passed) in &results {
            check.set(name.of(crate::options::Language::En), *passed);
            if !passed {
                check.fault(Text::new("failed: ", "失敗: ").then(name), broken());
            }
        }
        let passed: Vec<&Text> = results.iter().filter(|(_, passed)| *passed).map(|(name, _)| name).collect();
        if passed.is_empty() {
            return check;
        }
        let milliseconds = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX);
        check.set("time_ms", milliseconds);
        let seconds = format!("{}.{} s", milliseconds / 1000, milliseconds / 100 % 10);
        let time = Text::new(format!(" passed in {seconds}"), format!(" 合格（{seconds}）"));
        check.fine(joined(&passed).then(&time));
        self.judge_signature(&mut check);
        check
    }

    /// Compares the signature of the search with that of the commit of the build.
    fn judge_signature(&self, check: &mut Check) {
        let logged = identity::signature();
        check.set("expected_signature", logged);
        match (&self.signature, logged) {
            (Signature::Complete(found), Some(logged)) if *found == logged => {
                check.set("signature", *found);
                check.fine(Text::new(
                    format!("signature {found}, as of the commit"),
                    format!("シグネチャ {found}（コミットと一致）"),
                ));
            }
            (Signature::Complete(found), Some(logged)) => {
                check.set("signature", *found);
                check.fault(
                    Text::new(
                        format!("signature {found}, but {logged} by the log of the commit"),
                        format!("シグネチャ {found} がコミットの {logged} と異なります"),
                    ),
                    broken(),
                );
            }
            (Signature::Complete(found), None) => {
                check.set("signature", *found);
                check.fine(Text::new(
                    format!("signature {found}; this build does not know its commit's"),
                    format!("シグネチャ {found}（比較する値のないビルド）"),
                ));
            }
            (Signature::Shallow, _) => check.fine(Text::new(
                "signature not compared: a build with debug assertions",
                "シグネチャは比較していません（デバッグビルド）",
            )),
            (Signature::OutOfTime, _) => check.note(
                Text::new(
                    "signature not compared: the searches ran out of time",
                    "シグネチャは時間内に終わりませんでした",
                ),
                Text::new(
                    format!("`enbu bench` prints it last: {} is right.", logged.map_or("?".into(), |n| n.to_string())),
                    format!(
                        "`enbu bench` の最後の値が {} なら正常です。",
                        logged.map_or("?".into(), |n| n.to_string())
                    ),
                ),
            ),
        }
    }
}

/// Advice for a test that fails, which happens on no healthy machine.
fn broken() -> Text {
    Text::new(
        "Copy the program again; if it fails again, the memory or the processor is at fault, or Enbu: report this page.",
        "実行ファイルをコピーし直します。それでも失敗するなら、メモリか CPU の故障、または Enbu の不具合です。このページを添えて報告してください。",
    )
}

/// The texts with commas between them.
fn joined(texts: &[&Text]) -> Text {
    let mut all = Text::new("", "");
    for (number, text) in texts.iter().enumerate() {
        if number > 0 {
            all = all.then(&Text::new(", ", "、"));
        }
        all = all.then(text);
    }
    all
}

/// The built-in evaluation on the kernels that the environment selects, or else the best.
fn built_in() -> Evaluation {
    let simd = crate::evaluation::kernels().unwrap_or_else(|_| Simd::best());
    match embedded::load(simd) {
        Some(Ok(network)) => {
            let scale = network.default_scale();
            Evaluation::Network { network: Arc::new(network), scale }
        }
        _ => Evaluation::PieceSquare,
    }
}

fn position(sfen: &str) -> Option<Position> {
    let setup: Setup = sfen.parse().ok()?;
    Position::from_setup(&setup).ok()
}

/// Counts two trees; returns true if the counts are right, and the leaves per second.
fn move_generation() -> (bool, u64) {
    let (depth, leaves) = PERFT;
    let (started, waited) = (Instant::now(), Waited::now());
    let counted = perft(&mut Position::startpos(), depth);
    let micros = started.elapsed().as_micros().max(1);
    let waited_percent = waited.and_then(|before| Waited::now()?.percent_since(&before));
    let drops = position(MATSURI.0).map(|mut position| perft(&mut position, 2));
    let speed = u64::try_from(u128::from(leaves) * 1_000_000 / micros).unwrap_or(u64::MAX);
    (counted == leaves && drops == Some(MATSURI.1), without_waiting(speed, waited_percent))
}

/// Searches the positions of `enbu bench`.
fn search(bench: &mut Bench) -> Signature {
    if bench.set_hash_mb(bench::HASH_MB).is_err() {
        return Signature::OutOfTime;
    }
    for sfen in POSITIONS {
        if bench.time > SEARCH_TIME || bench.search(sfen, DEPTH).is_err() {
            return Signature::OutOfTime;
        }
    }
    if DEPTH == bench::DEPTH { Signature::Complete(bench.nodes) } else { Signature::Shallow }
}

/// Plays some moves from the positions of `enbu bench` and evaluates each position on every
/// path, incrementally; returns true if each value is that of the scalar path.
fn kernels_agree(network: Network) -> bool {
    const EACH: usize = 8;
    let starts: Vec<Position> = POSITIONS.iter().step_by(EACH).filter_map(|sfen| position(sfen)).collect();
    let values = |network: &Arc<Network>| -> Vec<Option<i32>> {
        let evaluation = Evaluation::Network { network: Arc::clone(network), scale: network.default_scale() };
        starts.iter().flat_map(|start| walk(&evaluation, start.clone())).collect()
    };
    let mut network = Arc::new(network.with_simd(Simd::SCALAR));
    let scalar = values(&network);
    for simd in Simd::all() {
        // The evaluators of the last path are gone, so that no other owner is left.
        let Some(owned) = Arc::into_inner(network) else { return false };
        network = Arc::new(owned.with_simd(simd));
        if values(&network) != scalar {
            return false;
        }
    }
    !scalar.is_empty() && scalar.iter().all(Option::is_some)
}

/// Outputs of the network along a line of fixed, arbitrary moves.
fn walk(evaluation: &Evaluation, mut position: Position) -> Vec<Option<i32>> {
    const PLIES: usize = 12;
    /// Steps through the lists of moves; prime, so that all kinds of moves occur.
    const STRIDE: usize = 37;
    let mut evaluator = Evaluator::with(evaluation, &position);
    let mut values = vec![evaluator.raw(&position)];
    for ply in 1..=PLIES {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let moves: Vec<Move> = moves.into_iter().collect();
        let Some(&mv) = (ply * STRIDE).checked_rem(moves.len()).and_then(|index| moves.get(index)) else { break };
        let delta = position.do_move(mv);
        evaluator.push(&position, &delta);
        values.push(evaluator.raw(&position));
    }
    values
}

/// Solves a mate and plays its moves.
fn finds_mate() -> bool {
    let (Some(mut position), Ok(mut solver)) = (position(MATE.0), Solver::new(1)) else { return false };
    let solution = solver.solve(&position, &Limits::default(), &AtomicBool::new(false), &mut |_| {});
    let Verdict::Mate(mate) = solution.verdict else { return false };
    let are_legal = mate.line.iter().all(|&mv| position.play(mv).is_ok());
    let mut replies = MoveList::new();
    position.legal_moves(&mut replies);
    are_legal && mate.line.len() == MATE.1 && replies.into_iter().next().is_none()
}

/// Writes a game in every format and encoding, and reads it again.
fn records_survive() -> bool {
    let Ok(moves) = GAME.split(' ').map(str::parse).collect::<Result<Vec<Move>, _>>() else { return false };
    let mut record = Record::new(Position::startpos().to_setup());
    let mut last = record.root();
    for &mv in &moves {
        last = record.add(last, Event::Move(mv));
    }
    let records = [record];
    let survives = |format: Format, encoding: Encoding| {
        let text = format.write(&records, WriteOptions::default());
        let bytes = encoding::encode(&text, encoding, "\r\n").bytes;
        read_any(&bytes, Mode::Strict).is_ok_and(|(found, reading)| {
            let first = reading.records.first();
            found == format && first.is_some_and(|record| record.moves().eq(moves.iter().copied()))
        })
    };
    FORMATS.into_iter().all(|format| survives(format, Encoding::Utf8)) && survives(Format::Kif, Encoding::ShiftJis)
}

/// A speed in processor time, of a task that waited for a processor for this share of the time.
pub(super) fn without_waiting(speed: u64, waited_percent: Option<u64>) -> u64 {
    let ran = 100_u64.saturating_sub(waited_percent.unwrap_or(0)).max(1);
    speed.saturating_mul(100) / ran
}

/// Time that the threads of this process ran and waited for a processor, in nanoseconds.
struct Waited {
    ran: u64,
    waited: u64,
}

impl Waited {
    /// The sums over the present threads; `None` where the system does not count them.
    fn now() -> Option<Self> {
        let mut sums = Self { ran: 0, waited: 0 };
        for task in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
            let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
            let mut numbers = text.split_ascii_whitespace().map_while(|word| word.parse::<u64>().ok());
            sums.ran += numbers.next()?;
            sums.waited += numbers.next()?;
        }
        Some(sums)
    }

    fn percent_since(&self, before: &Self) -> Option<u64> {
        let (ran, waited) = (self.ran.checked_sub(before.ran)?, self.waited.checked_sub(before.waited)?);
        waited.saturating_mul(100).checked_div(ran + waited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheap_tests_pass() {
        assert!(finds_mate() && records_survive());
        assert!(embedded::load(Simd::best()).is_none_or(|network| kernels_agree(network.expect("a network"))));
    }

    #[test]
    fn time_without_a_processor_is_a_share() {
        let before = Waited { ran: 100, waited: 0 };
        assert_eq!(Waited { ran: 400, waited: 100 }.percent_since(&before), Some(25));
        assert_eq!(Waited { ran: 100, waited: 0 }.percent_since(&before), None);
        assert_eq!([None, Some(0), Some(75), Some(100)].map(|waited| without_waiting(10, waited)), [10, 10, 40, 1000]);
    }
}
