//! Errors of network files.

use std::collections::TryReserveError;
use std::io;

/// The reason why a network cannot be used. Offsets are in bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe the fields")]
pub enum NetworkError {
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("the file ends too early: {part} at offset {offset} needs {needed} bytes, {left} are left")]
    Truncated { part: &'static str, offset: usize, needed: usize, left: usize },
    #[error("the file has {extra} bytes too many, from offset {offset} on")]
    TooMuch { offset: usize, extra: usize },
    #[error(
        "not a network of a known version: it begins with {found:08x} at offset 0, not with 7af32f16 or an Enbu network's magic"
    )]
    Version { found: u32 },
    #[error("{part} at offset {offset} is {value}, not {expected}")]
    Field { part: &'static str, offset: usize, value: i64, expected: &'static str },
    #[error("unknown shape: {length} bytes follow the description, which ends at offset {offset}")]
    UnknownShape { offset: usize, length: usize },
    #[error(
        "{found} bytes follow the description from offset {offset} on, not the {expected} of {shape}, to which the hash belongs"
    )]
    Length { offset: usize, shape: String, expected: usize, found: usize },
    #[error("the compressed numbers of the {part} are damaged at offset {offset}: {reason}")]
    Compressed { part: &'static str, offset: usize, reason: &'static str },
    #[error("the file is damaged: its checksum is {found:016x}, not {expected:016x} as at offset {offset}")]
    Checksum { offset: usize, expected: u64, found: u64 },
    #[error("not enough memory for the network: {0}")]
    Memory(#[from] TryReserveError),
}
