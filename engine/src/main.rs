//! The `enbu` binary.
fn main() {}
