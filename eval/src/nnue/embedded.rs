//! The network in the binary.
//!
//! `eval/networks/embedded.nnue` is compiled into the binary; an empty file means no
//! network. To embed another one, replace the file (in the format of
//! [`own`], or any `nn.bin`) and rebuild.

use super::error::NetworkError;
use super::format::own;
use super::network::Network;
use super::simd::Simd;

static BYTES: &[u8] = include_bytes!("../../networks/embedded.nnue");

/// True if a network is embedded.
pub const IS_THERE: bool = !BYTES.is_empty();

/// Reads the embedded network; `None` without one.
///
/// # Errors
/// [`NetworkError`] when it cannot be allocated.
pub fn load(simd: Simd) -> Option<Result<Network, NetworkError>> {
    IS_THERE.then(|| read(BYTES, simd))
}

/// Reads a network that is compiled into a program: it goes by its name and not by its shape, and a test of the
/// program has compared its checksum.
///
/// # Errors
/// [`NetworkError`] when it cannot be allocated, or is no network.
pub fn read(bytes: &[u8], simd: Simd) -> Result<Network, NetworkError> {
    match own::name(bytes) {
        Some(name) => Ok(Network { shape: name.to_owned(), ..own::read(bytes, simd, |_| Ok(()))? }),
        None => Network::from_bytes(bytes, simd),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_network_can_be_read_and_has_its_checksum() {
        let network = load(Simd::best());
        assert_eq!(network.is_some(), IS_THERE);
        assert!(network.is_none_or(|network| network.is_ok()));
        assert!(!IS_THERE || Network::from_bytes(BYTES, Simd::best()).is_ok());
    }
}
