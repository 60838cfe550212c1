//! Damaged network files, and the contract of the reader for any bytes.
//!
//! The fuzz target `tests/fuzz/fuzz_targets/networks.rs` and a test with seeded
//! damage drive the same function.

use std::sync::Arc;

use enbu_eval::nnue::{Network, NetworkError, Simd, own};
use enbu_eval::{Evaluation, Evaluator, MAX_VALUE};
use enbu_movegen::Position;
use rand::{Rng, RngExt};

use super::{FNV_OFFSET, fnv1a};

/// Reads `bytes` as a network, which must not panic whatever they are.
///
/// An accepted network must give values within the limits, equal on every path; a refusal
/// must be one line, with an offset within the file.
///
/// # Errors
/// The reader's.
///
/// # Panics
/// If any of that does not hold.
pub fn examine(bytes: &[u8]) -> Result<(), NetworkError> {
    let network = match Network::from_bytes(bytes, Simd::SCALAR) {
        Ok(network) => network,
        Err(error) => {
            check_refusal(&error, bytes.len());
            return Err(error);
        }
    };
    assert!(!network.shape().to_string().is_empty());
    let by_scalar = value(network);
    let by_best = value(Network::from_bytes(bytes, Simd::best())?);
    assert_eq!(by_scalar, by_best);
    assert!(by_scalar.1.abs() <= MAX_VALUE);
    Ok(())
}

/// Output and value of the start position after a move.
fn value(network: Network) -> (Option<i32>, i32) {
    let scale = network.default_scale();
    let evaluation = Evaluation::Network { network: Arc::new(network), scale };
    let mut position = Position::startpos();
    let mut evaluator = Evaluator::with(&evaluation, &position);
    evaluator.evaluate(&position);
    if let Ok(delta) = "7g7f".parse().map(|mv| position.do_move(mv)) {
        evaluator.push(&position, &delta);
    }
    (evaluator.raw(&position), evaluator.evaluate(&position))
}

fn check_refusal(error: &NetworkError, length: usize) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.contains('\n') && text.is_ascii(), "{text:?}");
    let offset = match error {
        NetworkError::Truncated { offset, .. }
        | NetworkError::TooMuch { offset, .. }
        | NetworkError::Field { offset, .. }
        | NetworkError::UnknownShape { offset, .. }
        | NetworkError::Length { offset, .. }
        | NetworkError::Compressed { offset, .. }
        | NetworkError::Checksum { offset, .. } => *offset,
        _ => return,
    };
    assert!(offset <= length, "{text}: there are {length} bytes");
    assert!(text.contains(&format!("offset {offset}")), "{text}");
}

/// `good` with one to five faults, most of them where sizes, hashes, marks and
/// descriptions stand.
pub fn damaged(good: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..random.random_range(1..6) {
        let near = random.random_range(0..300.min(bytes.len()));
        let at = match random.random_range(0..3) {
            0 => random.random_range(0..bytes.len()),
            1 => near,
            _ => bytes.len() - 1 - near,
        };
        match random.random_range(0..5) {
            0 => bytes[at] = random.random(),
            1 => bytes[at] ^= 1 << random.random_range(0..8),
            2 => bytes[at..].iter_mut().take(4).for_each(|byte| *byte = 0xFF),
            3 => bytes.truncate(at.max(1)),
            _ => drop(bytes.splice(at..at, [0; 4])),
        }
    }
    bytes
}

/// Rewrites the checksum of a file of Enbu's own formats (a network, games), so that damage
/// elsewhere has to be found by other means.
pub fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    const CHECKSUM: std::ops::Range<usize> = 32..40;
    if (bytes.starts_with(&own::MAGIC) || bytes.starts_with(b"ENBUGAME")) && bytes.len() >= CHECKSUM.end {
        let counted = bytes[..CHECKSUM.start].iter().chain(&bytes[CHECKSUM.end..]);
        let sum = fnv1a(FNV_OFFSET, counted);
        bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}
