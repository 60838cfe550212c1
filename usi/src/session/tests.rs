//! The session against a fake engine that the test controls.
//!
//! Nothing here sleeps: that a line is *not* said is shown by asking a question
//! (`side`) whose answer then comes first. Events that the engine sent before a line
//! was written are heard before that line, so such tests cannot pass by luck.

mod console;
mod exhaustive;
mod fake;
mod faults;
mod races;
mod soup;
