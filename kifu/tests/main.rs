//! Tests of the record formats through the public interface, as one program.
//!
//! One program links the libraries once; one file a subject, each with a line below.

mod bad_inputs;
mod corpus;
mod csa_bad_inputs;
mod csa_details;
mod csa_properties;
mod diagrams;
mod dialects;
mod lines;
mod losses;
mod mutations;
mod names;
mod round_trips;
mod scaling;

/// Returns `true` if all rows of the tests are to run, as in `.ci/run`.
fn has_slow_rows() -> bool {
    std::env::var_os("ENBU_SLOW_TESTS").is_some()
}
