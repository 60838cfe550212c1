//! FNV-1a, the checksum of files and the digest that names matches and lists of openings.

/// The 64-bit FNV-1a digest of `bytes`; equal on every machine, and not made to resist
/// forgery.
///
/// ```
/// assert_eq!(enbu_files::fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
/// ```
pub fn fnv1a<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> u64 {
    let bytes = bytes.into_iter();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The digest of all `bytes` of a file except the eight from `at` on, which hold it.
pub fn checksum(bytes: &[u8], at: usize) -> u64 {
    let (before, after) = bytes.split_at(at.min(bytes.len()));
    fnv1a(before.iter().chain(after.iter().skip(8)))
}

/// The bytes of a file with their [`checksum`] at offset `at`, little-endian.
pub fn sealed(mut bytes: Vec<u8>, at: usize) -> Vec<u8> {
    let sum = checksum(&bytes, at);
    bytes[at..at + 8].copy_from_slice(&sum.to_le_bytes());
    bytes
}
