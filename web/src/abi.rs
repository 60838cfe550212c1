//! The functions between the module and its host.
//!
//! | function | by | effect |
//! |---|---|---|
//! | `reserve(len)` | module | memory for the next input; 0: refused |
//! | `line()` | module | obeys the input as a line of USI |
//! | `ask()` | module | answers the input as a question of the page |
//! | `emit(kind, text, len)` | host | takes a line (0), an answer (1), or progress (2); UTF-8 |
//! | `signal()` | host | the message to the search: 0 none, 1 stop, 2 ponder hit, -1 never any |
//! | `now()` | host | milliseconds of a clock that never goes back |

#![expect(unsafe_code, reason = "the host knows functions by their names alone")]

use std::cell::RefCell;
use std::panic;
use std::sync::Arc;

use crate::page;
use crate::session::{Host, Session, Signal};

#[link(wasm_import_module = "env")]
// SAFETY: a host without these functions cannot load the module; it reads the text of `emit`
// before it returns.
unsafe extern "C" {
    safe fn emit(kind: u32, text: *const u8, len: usize);
    safe fn signal() -> i32;
}

/// The host of the module.
struct Page;

impl Page {
    fn say(kind: u32, text: &str) {
        emit(kind, text.as_ptr(), text.len());
    }
}

impl Host for Page {
    fn emit(&self, line: &str) {
        Self::say(0, line);
    }

    fn signal(&self) -> Signal {
        match signal() {
            1 => Signal::Stop,
            2 => Signal::Hit,
            -1 => Signal::Never,
            _ => Signal::None,
        }
    }
}

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Session> = {
        // The module is gone after a panic; its reason stays.
        panic::set_hook(Box::new(|info| Page.emit(&format!("info string error: internal: {info}").replace('\n', " "))));
        RefCell::new(Session::new(Arc::new(Page)))
    };
}

/// Returns the place for an input of `len` bytes; null without the memory.
// SAFETY: no other function of the module has the name.
#[unsafe(no_mangle)]
extern "C" fn reserve(len: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = Vec::new();
        if input.try_reserve_exact(len).is_err() {
            return std::ptr::null_mut();
        }
        input.resize(len, 0);
        input.as_mut_ptr()
    })
}

/// Obeys the input as a line.
// SAFETY: no other function of the module has the name.
#[unsafe(no_mangle)]
extern "C" fn line() {
    let input = INPUT.take();
    SESSION.with_borrow_mut(|session| session.line(&String::from_utf8_lossy(&input)));
}

/// Answers the input as a question.
// SAFETY: no other function of the module has the name.
#[unsafe(no_mangle)]
extern "C" fn ask() {
    let input = INPUT.take();
    Page::say(1, &page::answer(&input, &Page, &mut |progress| Page::say(2, progress)));
}
