//! Commands that print an answer and end.

use std::hint::black_box;
use std::io::{self, Write};

use enbu_movegen::perft::{LastPly, divide, perft_with};
use enbu_movegen::{Position, Setup};

/// What `enbu perft` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Perft {
    /// The count of each first move, then their sum.
    Divide,
    /// The count alone.
    Total {
        /// How the last ply is counted.
        last_ply: LastPly,
        /// How often the tree is counted: small trees are over before a clock has
        /// moved.
        times: u32,
    },
}

/// `enbu perft`: the last line is `nodes N`.
pub(crate) fn run_perft(position: &mut Position, depth: u32, what: Perft, out: &mut impl Write) -> io::Result<()> {
    let nodes = match what {
        Perft::Divide => {
            let mut nodes = 0;
            for (mv, count) in divide(position, depth) {
                writeln!(out, "{mv}: {count}")?;
                nodes += count;
            }
            if depth == 0 { 1 } else { nodes }
        }
        Perft::Total { last_ply, times } => {
            for _ in 1..times {
                black_box(perft_with(position, depth, last_ply));
            }
            perft_with(position, depth, last_ply)
        }
    };
    writeln!(out, "nodes {nodes}")
}

/// The position of an SFEN, with or without the word `sfen`; the start position
/// when there is none.
pub(crate) fn position(sfen: Option<&str>) -> Result<Position, String> {
    let text = match sfen.map(str::trim) {
        None | Some("startpos") => return Ok(Position::startpos()),
        Some(text) => text.strip_prefix("sfen ").unwrap_or(text),
    };
    let setup: Setup = text.parse().map_err(|error| format!("{error}"))?;
    Position::from_setup(&setup).map_err(|error| error.to_string())
}
