//! Perft of other shogi libraries, measured the way `enbu perft` measures ours.
//!
//! `yardsticks perft LIBRARY DEPTH TIMES SFEN` counts the leaves below SFEN on one
//! thread, TIMES over, each library in the fastest way that it documents, and ends
//! with `nodes N`. The libraries:
//!
//! - `haitaka` hands out sets of destinations: the last ply is counted by the size
//!   of the sets.
//! - `haitaka-lists`: the same, but every move of the last ply is written into a list.
//! - `rsshogi`: its own perft, which lists the moves of the last ply.
//!
//! haitaka 0.3.2 lists some pawn-drop mates as legal: its counts are no yardstick on
//! positions where a pawn can be dropped before the king.

use std::hint::black_box;
use std::process::ExitCode;

const USAGE: &str = "usage: yardsticks perft haitaka|haitaka-lists|rsshogi DEPTH TIMES SFEN";

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
    let [command, library, depth, times, sfen @ ..] = arguments else { return Err(USAGE.to_owned()) };
    if command != "perft" || sfen.is_empty() {
        return Err(USAGE.to_owned());
    }
    let depth: u8 = depth.parse().map_err(|_| format!("`{depth}` is not a depth from 0 to 255"))?;
    let times: u32 = times.parse().map_err(|_| format!("`{times}` is not a number of times"))?;
    let sfen = sfen.join(" ");
    let count: Box<dyn Fn() -> Result<u64, String>> = match library.as_str() {
        "haitaka" => {
            let board = haitaka_board(&sfen)?;
            Box::new(move || Ok(count_sets(&board, depth)))
        }
        "haitaka-lists" => {
            let board = haitaka_board(&sfen)?;
            Box::new(move || Ok(count_lists(&board, depth, &mut Vec::with_capacity(1000))))
        }
        "rsshogi" => rsshogi_perft(&sfen, depth)?,
        other => return Err(format!("`{other}` is not a library known here; {USAGE}")),
    };
    for _ in 1..times {
        black_box(count()?);
    }
    Ok(format!("nodes {}", count()?))
}

fn haitaka_board(sfen: &str) -> Result<haitaka::Board, String> {
    haitaka::Board::from_sfen(sfen).map_err(|error| format!("haitaka refuses `{sfen}`: {error:?}"))
}

/// Leaves below `board`, copying it for every move and counting the last ply by set sizes.
/// The iterator's length counts promotions; the length of a set counts destinations only.
fn count_sets(board: &haitaka::Board, depth: u8) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => nodes = 1,
        1 => {
            board.generate_moves(|set| {
                nodes += set.into_iter().len() as u64;
                false
            });
        }
        _ => for_each_child(board, |child| nodes += count_sets(child, depth - 1)),
    }
    nodes
}

/// Leaves below `board`; the moves of the last ply are written into `list`.
fn count_lists(board: &haitaka::Board, depth: u8, list: &mut Vec<haitaka::Move>) -> u64 {
    let mut nodes = 0;
    match depth {
        0 => nodes = 1,
        1 => {
            list.clear();
            board.generate_moves(|set| {
                list.extend(set);
                false
            });
            nodes = black_box(&*list).len() as u64;
        }
        _ => for_each_child(board, |child| nodes += count_lists(child, depth - 1, list)),
    }
    nodes
}

fn for_each_child(board: &haitaka::Board, mut visit: impl FnMut(&haitaka::Board)) {
    board.generate_moves(|set| {
        for mv in set {
            let mut child = board.clone();
            child.play_unchecked(mv);
            visit(&child);
        }
        false
    });
}

fn rsshogi_perft(sfen: &str, depth: u8) -> Result<Box<dyn Fn() -> Result<u64, String>>, String> {
    let position =
        rsshogi::board::Position::from_sfen(sfen).map_err(|error| format!("rsshogi refuses `{sfen}`: {error:?}"))?;
    Ok(Box::new(move || match rsshogi::board::perft::perft(&position, depth) {
        Ok(result) => Ok(result.nodes),
        Err(error) => Err(format!("rsshogi: {error}")),
    }))
}
