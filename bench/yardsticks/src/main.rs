//! Perft of other shogi libraries, measured the way `enbu perft` measures ours.
//!
//! `yardsticks perft haitaka|rsshogi DEPTH SFEN` counts the leaves below SFEN on
//! one thread, each library in the fastest way that it documents, and ends with
//!
//! ```text
//! nodes N
//! time_ms T
//! ```
//!
//! haitaka hands out sets of destinations, so the last ply is counted by the size
//! of the sets; rsshogi's own perft lists the moves of the last ply. haitaka 0.3.2
//! lists some pawn-drop mates as legal: compare its speed, never its counts, on
//! positions where a pawn can be dropped before the king.

use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: yardsticks perft haitaka|rsshogi DEPTH SFEN";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("yardsticks: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let [command, library, depth, sfen @ ..] = arguments else { return Err(USAGE.to_owned()) };
    if command != "perft" || sfen.is_empty() {
        return Err(USAGE.to_owned());
    }
    let depth: u8 = depth.parse().map_err(|_| format!("`{depth}` is not a depth from 0 to 255"))?;
    let sfen = sfen.join(" ");
    match library.as_str() {
        "haitaka" => perft_haitaka(&sfen, depth),
        "rsshogi" => perft_rsshogi(&sfen, depth),
        other => Err(format!("`{other}` is not a library known here; {USAGE}")),
    }
}

fn perft_haitaka(sfen: &str, depth: u8) -> Result<String, String> {
    let board = haitaka::Board::from_sfen(sfen).map_err(|error| format!("haitaka refuses `{sfen}`: {error:?}"))?;
    Ok(timed(|| count_haitaka(&board, depth)))
}

/// Leaves below `board`, copying it for every move and counting the last ply by set sizes.
/// The iterator's length counts promotions; the length of a set counts destinations only.
fn count_haitaka(board: &haitaka::Board, depth: u8) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => nodes = 1,
        1 => {
            board.generate_moves(|set| {
                nodes += set.into_iter().len() as u64;
                false
            });
        }
        _ => {
            board.generate_moves(|set| {
                for mv in set {
                    let mut child = board.clone();
                    child.play_unchecked(mv);
                    nodes += count_haitaka(&child, depth - 1);
                }
                false
            });
        }
    }
    nodes
}

fn perft_rsshogi(sfen: &str, depth: u8) -> Result<String, String> {
    let position =
        rsshogi::board::Position::from_sfen(sfen).map_err(|error| format!("rsshogi refuses `{sfen}`: {error:?}"))?;
    let mut failure = None;
    let report = timed(|| match rsshogi::board::perft::perft(&position, depth) {
        Ok(result) => result.nodes,
        Err(error) => {
            failure = Some(format!("rsshogi: {error}"));
            0
        }
    });
    failure.map_or(Ok(report), Err)
}

fn timed(count: impl FnOnce() -> u64) -> String {
    let start = Instant::now();
    let nodes = count();
    format!("nodes {nodes}\ntime_ms {}", start.elapsed().as_millis())
}
