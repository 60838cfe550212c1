//! Times: the margin for the network, and the pauses before a new login.

use std::collections::VecDeque;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Number of echoes that the margin follows.
const SAMPLES: usize = 32;

/// Delays between the own line and the server's echo.
#[derive(Clone, Debug, Default)]
pub(crate) struct EchoDelay {
    samples: VecDeque<Duration>,
}

impl EchoDelay {
    pub(crate) fn observe(&mut self, delay: Duration) {
        self.samples.truncate(SAMPLES - 1);
        self.samples.push_front(delay);
    }

    /// Largest of the last delays.
    pub(crate) fn worst(&self) -> Duration {
        self.samples.iter().max().copied().unwrap_or_default()
    }

    /// Margin to keep: a quarter above the worst delay seen, never below `floor`.
    pub(crate) fn margin(&self, floor: Duration) -> Duration {
        (self.worst() * 5 / 4).max(floor)
    }
}

/// Pauses between logins after errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Pause after the first error.
    pub first: Duration,
    /// Longest pause.
    pub longest: Duration,
}

/// Successive pauses: doubled after each error, with up to a fifth added by chance so that
/// the clients of a restarted server do not return all at once.
#[derive(Clone, Debug)]
pub(crate) struct Pauses {
    backoff: Backoff,
    errors: u32,
    rng: Xoshiro256PlusPlus,
}

impl Pauses {
    pub(crate) fn new(backoff: Backoff, seed: u64) -> Self {
        Self { backoff, errors: 0, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Begins again with the first pause.
    pub(crate) const fn reset(&mut self) {
        self.errors = 0;
    }

    /// Returns the pause after another error.
    pub(crate) fn next(&mut self) -> Duration {
        let factor = 1 << self.errors.min(16);
        self.errors += 1;
        let pause = self.backoff.first.saturating_mul(factor).min(self.backoff.longest);
        pause + pause.mul_f64(self.rng.random_range(0.0..0.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_follows_the_worst_of_the_last_echoes() {
        let ms = Duration::from_millis;
        let mut delay = EchoDelay::default();
        assert_eq!(delay.margin(ms(100)), ms(100));
        delay.observe(ms(400));
        assert_eq!((delay.worst(), delay.margin(ms(100)), delay.margin(ms(900))), (ms(400), ms(500), ms(900)));
        (0..SAMPLES).for_each(|_| delay.observe(ms(8)));
        assert_eq!(delay.margin(ms(1)), ms(10));
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let mut pauses = Pauses::new(Backoff { first: Duration::from_secs(10), longest: Duration::from_secs(300) }, 1);
        let found: Vec<u64> = (0..40).map(|_| pauses.next().as_secs()).collect();
        for (pause, base) in found.iter().zip([10, 20, 40, 80, 160, 300, 300, 300]) {
            assert!((base..=base * 6 / 5).contains(pause), "{found:?}");
        }
        assert!(found.iter().all(|&pause| pause <= 360));
        assert!(found.windows(2).skip(6).any(|pair| pair[0] != pair[1]), "no jitter");
        pauses.reset();
        assert!(pauses.next() < Duration::from_secs(13));
    }
}
