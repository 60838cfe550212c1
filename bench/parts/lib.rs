//! Benchmarks of `movegen` and `mate`, part by part: see `benches/`.
