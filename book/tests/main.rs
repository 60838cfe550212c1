//! Tests of the book formats through the public interface, as one program.

mod faults;
mod round_trips;
mod sample;
