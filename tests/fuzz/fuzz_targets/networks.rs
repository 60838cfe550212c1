//! The readers of network files, on any bytes.
//!
//! ```sh
//! cargo run --release -p enbu-tests --example write_network kp-32x2-8-16 tests/fuzz/corpus/networks/kp
//! cargo run --release -p enbu-tests --example write_network sfnn-ka2-64-7-8-progress4 tests/fuzz/corpus/networks/sfnn
//! cargo run --release -p enbu-tests --example write_network enbu-64-b2 tests/fuzz/corpus/networks/enbu
//! cargo +nightly fuzz run --fuzz-dir tests/fuzz networks -- -max_len=700000 -max_total_time=300
//! ```

#![no_main]

use enbu_tests::networks::damage::{examine, resealed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Most bytes are refused; the target searches for panics.
    let _ = examine(bytes);
    let _ = examine(&resealed(bytes.to_vec()));
});
