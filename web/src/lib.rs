//! The engine as WebAssembly: lines of USI in and out, and the questions of a page.
//!
//! | module | contents |
//! |---|---|
//! | `session` | [`Session`]: USI in one thread; [`Host`], its surroundings |
//! | `options` | the options of this session |
//! | `page` | [`answer`]: boards, records, texts of moves and whole games for a page, as JSON |
//! | `abi` | the functions that a module exports and needs, on WebAssembly |
//!
//! `js/enbu.js` loads the module and is the engine for programs of JavaScript.

mod options;
mod page;
mod session;

#[cfg(target_arch = "wasm32")]
mod abi;

pub use page::answer;
pub use session::{Host, Session, Signal};
