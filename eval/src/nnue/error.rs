//! Errors of network files.

use std::collections::TryReserveError;
use std::io;

/// The reason why a network cannot be used. Offsets are in bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The file ends too early.
    #[error("the file ends too early: {part} at offset {offset} needs {needed} bytes, {left} are left")]
    Truncated {
        /// The part that is cut off.
        part: &'static str,
        /// The offset of the part.
        offset: usize,
        /// Its length in bytes.
        needed: usize,
        /// The bytes left in the file.
        left: usize,
    },
    /// Bytes follow the end of the network.
    #[error("the file has {extra} bytes too many, from offset {offset} on")]
    TooMuch {
        /// The end of the network.
        offset: usize,
        /// The number of bytes after it.
        extra: usize,
    },
    /// The version is unknown.
    #[error(
        "not a network of a known version: it begins with {found:08x} at offset 0, not with 7af32f16 or an Enbu network's magic"
    )]
    Version {
        /// The first four bytes, as a little-endian number.
        found: u32,
    },
    /// A field is out of range.
    #[error("{part} at offset {offset} is {value}, not {expected}")]
    Field {
        /// The name of the field.
        part: &'static str,
        /// Its offset.
        offset: usize,
        /// Its value.
        value: i64,
        /// The allowed values.
        expected: &'static str,
    },
    /// The length fits no shape, or one that the hashes contradict.
    #[error("unknown shape: {length} bytes follow the description, which ends at offset {offset}")]
    UnknownShape {
        /// The end of the description.
        offset: usize,
        /// The number of bytes after it.
        length: usize,
    },
    /// The hash belongs to a shape of another length.
    #[error(
        "{found} bytes follow the description from offset {offset} on, not the {expected} of {shape}, to which the hash belongs"
    )]
    Length {
        /// The end of the description.
        offset: usize,
        /// The shape.
        shape: String,
        /// The length of that shape.
        expected: usize,
        /// The number of bytes after the description.
        found: usize,
    },
    /// Compressed numbers are damaged.
    #[error("the compressed numbers of the {part} are damaged at offset {offset}: {reason}")]
    Compressed {
        /// The part of the network.
        part: &'static str,
        /// The offset of the damage.
        offset: usize,
        /// The kind of damage.
        reason: &'static str,
    },
    /// The checksum does not match.
    #[error("the file is damaged: its checksum is {found:016x}, not {expected:016x} as at offset {offset}")]
    Checksum {
        /// The offset of the checksum.
        offset: usize,
        /// The checksum in the file.
        expected: u64,
        /// The checksum of its bytes.
        found: u64,
    },
    /// The network cannot be allocated.
    #[error("not enough memory for the network: {0}")]
    Memory(#[from] TryReserveError),
}
