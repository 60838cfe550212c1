//! Why a network cannot be used.

use std::collections::TryReserveError;
use std::io;

/// Why a network cannot be used. Offsets count bytes from the start of the file.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The system does not let us read it.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is a folder (or something else that is not a file).
    #[error("is not a file")]
    NotAFile,
    /// No network is so long.
    #[error("has {length} bytes, no network has more than {most}")]
    TooLong {
        /// Its length in bytes.
        length: u64,
        /// The length of the longest that is read.
        most: u64,
    },
    /// It ends too early.
    #[error("ends too early: {part} at offset {offset} needs {needed} bytes, {left} are left")]
    Truncated {
        /// What should stand there.
        part: &'static str,
        /// Where it begins.
        offset: usize,
        /// How long it is.
        needed: usize,
        /// What the file still has there.
        left: usize,
    },
    /// It goes on after its end.
    #[error("has {extra} bytes too many, from offset {offset} on")]
    TooMuch {
        /// Where the network ends.
        offset: usize,
        /// How many bytes follow.
        extra: usize,
    },
    /// It begins with another number than networks do.
    #[error(
        "is no network of a known version: at offset 0 it begins with {found:08x}, not with 7af32f16 or an Enbu network's mark"
    )]
    Version {
        /// The first four bytes, as a little-endian number.
        found: u32,
    },
    /// A number in it is outside its range.
    #[error("{part} at offset {offset} is {value}, not {expected}")]
    Field {
        /// What the number says.
        part: &'static str,
        /// Where it stands.
        offset: usize,
        /// The number.
        value: i64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Its length fits no shape, or one that its hashes deny.
    #[error("has no known shape: {length} bytes follow the description that ends at offset {offset}")]
    UnknownShape {
        /// Where the description ends.
        offset: usize,
        /// How many bytes follow.
        length: usize,
    },
    /// Its hash names a shape that has another length.
    #[error(
        "has {found} bytes behind its description, from offset {offset} on, instead of the {expected} of {shape}, the shape its hash names"
    )]
    Length {
        /// Where the description ends.
        offset: usize,
        /// The shape.
        shape: String,
        /// How many bytes that shape has.
        expected: usize,
        /// How many bytes follow the description.
        found: usize,
    },
    /// Compressed numbers are not what they should be.
    #[error("the compressed numbers of the {part} are damaged at offset {offset}: {reason}")]
    Compressed {
        /// What they are.
        part: &'static str,
        /// Where.
        offset: usize,
        /// How.
        reason: &'static str,
    },
    /// Its bytes are not those that were written.
    #[error("is damaged: checksum {found:016x}, not {expected:016x} as at offset {offset}")]
    Checksum {
        /// Where the checksum stands.
        offset: usize,
        /// The checksum it carries.
        expected: u64,
        /// The checksum of its bytes.
        found: u64,
    },
    /// There is not enough memory for it.
    #[error("does not fit into memory: {0}")]
    Memory(#[from] TryReserveError),
}
