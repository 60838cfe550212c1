//! The network inside the program.
//!
//! `eval/networks/embedded.nnue` is compiled into the program; an empty file means
//! that there is none. To embed another network, put its file (in the format of
//! [`own`](super::own), or any `nn.bin`) in that place and build again.

use super::error::NetworkError;
use super::network::Network;
use super::simd::Simd;

static BYTES: &[u8] = include_bytes!("../../networks/embedded.nnue");

/// Whether a network is embedded.
pub const IS_THERE: bool = !BYTES.is_empty();

/// The embedded network; `None` where there is none.
///
/// # Errors
/// [`NetworkError`] when it cannot be used: there is no memory.
pub fn load(simd: Simd) -> Option<Result<Network, NetworkError>> {
    IS_THERE.then(|| Network::from_bytes(BYTES, simd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_embedded_network_can_be_read() {
        let network = load(Simd::best());
        assert_eq!(network.is_some(), IS_THERE);
        assert!(network.is_none_or(|network| network.is_ok()));
    }
}
