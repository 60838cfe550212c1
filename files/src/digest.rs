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
