//! The network in the binary.
//!
//! `eval/networks/embedded.nnue` is compiled into the binary; an empty file means no
//! network. To embed another one, replace the file (in the format of
//! [`own`], or any `nn.bin`) and rebuild.

use enbu_language::Words;

use super::error::NetworkError;
use super::format::cursor::Cursor;
use super::format::own;
use super::memory::Constants;
use super::network::Network;
use super::simd::Simd;

static BYTES: &Program<[u8]> = &Program(*include_bytes!("../../networks/embedded.nnue"));

/// A file in a program, from the beginning of a cache line on.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Program<T: ?Sized>(pub T);

/// True if a network is embedded.
pub const IS_THERE: bool = !BYTES.0.is_empty();

/// The name of the embedded network; `None` without one.
pub fn name() -> Option<String> {
    let shape = || load(Simd::SCALAR)?.ok().map(|network| network.shape().to_owned());
    own::name(&BYTES.0).map(str::to_owned).or_else(shape)
}

/// Reads the embedded network; `None` without one.
///
/// # Errors
/// [`NetworkError`] when it cannot be allocated.
pub fn load(simd: Simd) -> Option<Result<Network, NetworkError>> {
    IS_THERE.then(|| read(BYTES, simd))
}

/// Reads a network that is compiled into a program: it goes by its name and not by its shape, a test of the
/// program has compared its checksum, and the rows of its pieces are used where they are.
///
/// # Errors
/// [`NetworkError`] when it cannot be allocated, or is no network.
pub fn read(Program(bytes): &'static Program<[u8]>, simd: Simd) -> Result<Network, NetworkError> {
    match own::name(bytes) {
        Some(name) => Ok(Network { shape: name.to_owned(), ..own::read(bytes, simd, |_| Ok(()), words)? }),
        None => Network::from_bytes(bytes, simd),
    }
}

/// The next `count` 16-bit numbers, not copied if they can be used where they are.
fn words(cursor: &mut Cursor<'static>, count: usize, part: Words) -> Result<Constants<i16>, NetworkError> {
    let bytes = cursor.clone().take(count.saturating_mul(size_of::<i16>()), part)?;
    match Constants::in_place(bytes) {
        Some(numbers) => cursor.take(bytes.len(), part).map(|_| numbers),
        None => cursor.words(count, part).map(Constants::Read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_network_can_be_read_and_has_its_checksum() {
        let network = load(Simd::best());
        assert_eq!(network.is_some(), IS_THERE);
        let is_own = own::name(&BYTES.0).is_some();
        let is_in_place = |network: Network| matches!(network.transformer.rows, Constants::InPlace(_)) == is_own;
        assert!(network.is_none_or(|network| network.is_ok_and(is_in_place)));
        assert!(!IS_THERE || Network::from_bytes(&BYTES.0, Simd::best()).is_ok());
    }
}
