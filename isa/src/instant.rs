//! The clock of the host, where the standard library has none.

use std::ops::Add;
use std::time::Duration;

#[link(wasm_import_module = "env")]
#[expect(unsafe_code, reason = "declares a function of the host")]
// SAFETY: the host gives a function of this type, or the module is not loaded at all.
unsafe extern "C" {
    /// Milliseconds since some beginning; never fewer than before.
    safe fn now() -> f64;
}

/// An instant of the host's clock, with what the search uses of the standard type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(Duration);

impl Instant {
    /// The present.
    pub fn now() -> Self {
        Self(Duration::from_micros((now() * 1000.0) as u64))
    }

    /// Time from this instant to the present; zero before it.
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// Time from `earlier` to this instant; zero before it.
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// The instant after `time`; `None` beyond the range of the clock.
    pub fn checked_add(&self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0 + time)
    }
}
