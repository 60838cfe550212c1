//! Books in every format: the contract of `enbu_tests::readers`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| enbu_tests::readers::examine("books", bytes));
