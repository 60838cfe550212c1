//! Commands that print an answer and end.

use std::io::{self, Write};

use enbu_movegen::perft::{divide, perft};
use enbu_movegen::{Position, Setup};

/// `enbu perft`: the last line is `nodes N`.
pub(crate) fn run_perft(position: &mut Position, depth: u32, split: bool, out: &mut impl Write) -> io::Result<()> {
    let nodes = if split {
        let mut nodes = 0;
        for (mv, count) in divide(position, depth) {
            writeln!(out, "{mv}: {count}")?;
            nodes += count;
        }
        if depth == 0 { 1 } else { nodes }
    } else {
        perft(position, depth)
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
