//! Lines of GUIs and engines, positions, moves and time controls: the contract of `enbu_tests::readers`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| enbu_tests::readers::examine("lines", bytes));
