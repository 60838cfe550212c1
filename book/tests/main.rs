//! Tests of the book formats through the public interface, as one program.

mod faults;
mod mutations;
mod round_trips;
mod sample;
