//! Time management.
//!
//! The options have YaneuraOu's names and meanings. Two margins guard against
//! lateness: `network_delay` is kept at the end of every planned think,
//! `network_delay2` at the hard limit. If the whole clock is shorter than such a margin, a
//! fixed share of it is kept instead, so that short time controls are played, not forfeited.

use std::time::Duration;

use enbu_isa::Instant;

use crate::limits::{Clock, Rounding, Timing};
use crate::value::Value;

/// Time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Stop after an iteration beyond this.
    pub(crate) optimum: Duration,
    /// Stop at once at this.
    pub(crate) maximum: Duration,
    rounding: Rounding,
    unused: Unused,
    network_delay: Duration,
}

/// Fate of time that a move does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unused {
    /// It stays on the clock.
    Kept,
    /// It is gone: a fixed time for each move, or byoyomi without main time.
    Lost,
}

/// Expected further moves of one side at the start of a game, and late in it. More than will follow, so that
/// moves take longer up to about the 40th, as more depends on them (docs/evidence.md, "The clock").
/// Last test: against 67 and 27, falling by a third a ply, 2 s + 0.02 s, 600 games, +316 =6 -278, +22 ± 27.
const HORIZON: u32 = 130;
const LATE_HORIZON: u32 = 20;

/// Share of a short clock that is used when a margin would not fit, in percent.
const SHORT_CLOCK_SHARE: u32 = 60;

/// Time for a move on an empty clock.
const NO_TIME: Duration = Duration::from_millis(20);

impl Budget {
    pub(crate) fn fixed(movetime: Duration, timing: &Timing) -> Self {
        Self::exactly(movetime - Duration::from_millis(10).min(movetime / 10), timing)
    }

    fn exactly(time: Duration, timing: &Timing) -> Self {
        let network_delay = Duration::from_millis(u64::from(timing.network_delay_ms));
        Self { optimum: time, maximum: time, rounding: Rounding::Exact, unused: Unused::Lost, network_delay }
    }

    /// The budget for one move by `clock`, `ply` moves into a game that is a draw after `most` (0: never).
    pub(crate) fn new(clock: &Clock, timing: &Timing, ply: u16, most: u32) -> Self {
        let network_delay = Duration::from_millis(u64::from(timing.network_delay_ms));
        let per_move = clock.byoyomi;
        let usable = usable(clock);
        if usable.is_zero() {
            return Self::exactly(NO_TIME, timing);
        }
        let maximum = hard_limit(usable, timing);
        // Clocks that show fractions of a second count them too.
        let whole_seconds = [clock.time, per_move, clock.increment].iter().all(|time| time.subsec_millis() == 0);
        let rounding = if whole_seconds { timing.rounding } else { Rounding::Exact };

        let mut moves_left = HORIZON.saturating_sub(u32::from(ply) * 11 / 10).max(LATE_HORIZON);
        if most > 0 {
            // Own moves to the limit, this one included, and one in reserve: time left at the end is lost.
            moves_left = moves_left.min(most.saturating_sub(u32::from(ply)) / 2 + 2);
        }
        let share = (clock.time / moves_left + clock.increment * 3 / 5) * timing.slow_mover / 100;
        let share = if timing.ponder { share * 5 / 4 } else { share };
        let minimum = Duration::from_millis(u64::from(timing.minimum_thinking_time_ms)).min(clock.time / 20);
        let planned = (share.max(minimum) + per_move).min(maximum);
        // Byoyomi with hardly any main time left: nothing is saved by stopping early.
        let last_push = !per_move.is_zero() && clock.time < per_move / 5 * 6;
        if last_push {
            return Self::exactly(maximum, timing);
        }
        let longest = (share * 5).max(planned).min(clock.time * 3 / 10 + per_move).max(planned).min(maximum);
        Self { optimum: planned, maximum: longest, rounding, unused: Unused::Kept, network_delay }
    }

    /// The instant, counted from the start, at which a search that wants to stop
    /// at `elapsed` should stop: later when the clock counts full seconds.
    pub(crate) fn rounded(&self, elapsed: Duration) -> Duration {
        match self.rounding {
            Rounding::Exact => elapsed,
            Rounding::UpToFullSecond => {
                let seconds = (elapsed + self.network_delay).as_millis().div_ceil(1000) as u64;
                let end = Duration::from_secs(seconds.max(1)).saturating_sub(self.network_delay);
                end.max(elapsed).min(self.maximum.max(elapsed))
            }
        }
    }
}

fn usable(clock: &Clock) -> Duration {
    let all = clock.time + clock.byoyomi;
    // The increment can be used before the move on every USI server, but not
    // under every match runner; it is touched only when nothing else is left.
    if all < clock.increment / 4 { clock.increment / 2 } else { all }
}

/// The time less the margin at the hard limit; a share of it if the margin does not fit.
fn hard_limit(time: Duration, timing: &Timing) -> Duration {
    let margin = Duration::from_millis(u64::from(timing.network_delay2_ms));
    let share = time * SHORT_CLOCK_SHARE / 100;
    time.saturating_sub(margin).max(share.min(margin))
}

/// The time after which a move must be on its way: in the middle between the hard limit of
/// the search and the flag. `None` for a clock that shows nothing.
pub fn last_moment(clock: &Clock, timing: &Timing) -> Option<Duration> {
    let usable = usable(clock);
    (!usable.is_zero()).then(|| (usable + hard_limit(usable, timing)) / 2)
}

/// Factor on the planned time: larger if the best move has changed often of late (`changes`, of which each
/// iteration halves the earlier ones) and its value has fallen by `drop` centipawns, smaller if it takes
/// most of the `effort` (its share of all positions visited, 0 to 1).
///
/// The three grounds are Stockfish's (changes of the best move, falling evaluation, node effort);
/// the formula is ours.
pub(crate) fn doubt(changes: f64, drop: Value, effort: f64) -> f64 {
    let unstable = 0.8 + 0.6 * changes;
    let falling = 1.0 + f64::from(drop.clamp(-50, 150)) / 200.0;
    let unsure = 1.5 - 0.75 * effort.clamp(0.0, 1.0);
    (unstable * falling * unsure).clamp(0.45, 2.5)
}

/// The running clock of one search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer {
    /// Begin of the move's time: at `go`, or at the ponder hit.
    pub(crate) started: Instant,
    /// Thinking time on the opponent's clock before that. It counts for the planned time, not for the
    /// hard limit.
    pub(crate) pondered: Duration,
    /// Time for the move; `None`: no limit of time.
    pub(crate) budget: Option<Budget>,
    /// Set once the search has decided when to stop.
    pub(crate) stop_at: Option<Duration>,
}

impl Timer {
    pub(crate) fn new(started: Instant, budget: Option<Budget>) -> Self {
        Self { started, budget, pondered: Duration::ZERO, stop_at: None }
    }

    /// A timer from a ponder hit on, after `pondered` of thinking. `scale` is the doubt after the last
    /// finished iteration, if any: if that iteration would have ended the search, it ends now. (As in
    /// Stockfish and YaneuraOu: stop on ponder hit.)
    pub(crate) fn after_ponder(
        started: Instant,
        budget: Option<Budget>,
        pondered: Duration,
        scale: Option<f64>,
    ) -> Self {
        let enough = budget
            .zip(scale)
            .is_some_and(|(budget, scale)| budget.unused == Unused::Kept && pondered >= budget.optimum.mul_f64(scale));
        Self { started, budget, pondered, stop_at: enough.then_some(Duration::ZERO) }
    }

    /// Returns true when time is up in the middle of an iteration.
    pub(crate) fn is_over(&self) -> bool {
        let Some(budget) = self.budget else { return false };
        let elapsed = self.started.elapsed();
        elapsed >= self.stop_at.unwrap_or(budget.maximum).min(budget.maximum)
    }

    /// Returns true if the search stops after an iteration. May instead fix a later instant.
    pub(crate) fn ends_after_iteration(&mut self, scale: f64) -> bool {
        let Some(budget) = self.budget else { return false };
        let elapsed = self.started.elapsed();
        let saves = budget.unused == Unused::Kept;
        if saves && self.stop_at.is_none() && self.pondered + elapsed >= budget.optimum.mul_f64(scale) {
            self.stop_at = Some(budget.rounded(elapsed));
        }
        self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn clock(time: u64, byoyomi: u64, increment: u64) -> Clock {
        Clock { time: ms(time), byoyomi: ms(byoyomi), increment: ms(increment) }
    }

    #[test]
    fn the_hard_limit_never_reaches_the_clock() {
        let exact = Timing { network_delay_ms: 0, network_delay2_ms: 20, ..Timing::default() };
        for timing in [Timing::default(), exact] {
            for time in [0, 1, 50, 100, 900, 1000, 10_000, 600_000] {
                for byoyomi in [0, 10, 100, 1000, 1120, 1121, 10_000] {
                    for increment in [0, 100, 5000] {
                        if time + byoyomi + increment == 0 {
                            continue;
                        }
                        let budget = Budget::new(&clock(time, byoyomi, increment), &timing, 40, 0);
                        assert!(budget.optimum <= budget.maximum);
                        assert!(budget.maximum < ms(time + byoyomi + increment), "{time} {byoyomi} {increment}");
                        let clock = clock(time, byoyomi, increment);
                        let last = last_moment(&clock, &timing).expect("there is time");
                        assert!(hard_limit(usable(&clock), &timing) < last && last < usable(&clock));
                        assert!(budget.maximum < last, "{time} {byoyomi} {increment}");
                        if time + byoyomi >= 200 + increment {
                            assert!(budget.maximum < ms(time + byoyomi));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn doubt_grows_with_its_grounds() {
        let calm = doubt(0.0, 0, 0.9);
        assert!(calm < 0.8);
        assert!(doubt(1.0, 0, 0.9) > calm && doubt(0.0, 120, 0.9) > calm && doubt(0.0, 0, 0.2) > calm);
        assert!(doubt(0.0, -5000, 1.0) < 0.5);
        assert_eq!(doubt(1.0, 5000, 0.0), 2.5);
    }

    #[test]
    fn an_empty_clock_means_move_quickly() {
        assert_eq!(Budget::new(&clock(0, 0, 0), &Timing::default(), 1, 0).maximum, NO_TIME);
        assert_eq!(last_moment(&clock(0, 0, 0), &Timing::default()), None);
    }

    #[test]
    fn the_last_moves_before_the_limit_share_the_clock() {
        let optimum = |ply, most| Budget::new(&clock(60_000, 0, 0), &Timing::default(), ply, most).optimum;
        assert_eq!(optimum(40, 320), optimum(40, 0));
        assert!(optimum(312, 320) > 3 * optimum(312, 0));
        assert!(optimum(320, 320) <= ms(30_000), "the last move");
        assert_eq!(optimum(500, 320), optimum(320, 320));
    }

    #[test]
    fn the_opening_leaves_time_for_the_middle_of_the_game() {
        for (time, increment) in [(2_000, 20), (10_000, 100), (60_000, 0), (600_000, 5_000)] {
            let mut left = ms(time);
            let planned: Vec<Duration> = (0..35)
                .map(|number| {
                    let timing = Timing { network_delay2_ms: 20, ..Timing::default() };
                    let game = Clock { time: left, ..clock(0, 0, increment) };
                    let optimum = Budget::new(&game, &timing, 17 + 2 * number, 320).optimum;
                    // A search ends half as late again, with the iteration that it is in.
                    left = left + ms(increment) - optimum * 3 / 2;
                    optimum
                })
                .collect();
            assert!(planned[25] > planned[0], "{time} {planned:?}");
            assert!(left > ms(time / 10) && left < ms(time / 2), "{time} {left:?}");
        }
    }

    #[test]
    fn byoyomi_is_used_up_to_the_margin() {
        let timing = Timing { network_delay2_ms: 100, ..Timing::default() };
        let budget = Budget::new(&clock(0, 5000, 0), &timing, 60, 0);
        assert_eq!((budget.optimum, budget.maximum), (ms(4900), ms(4900)));
    }

    #[test]
    fn time_that_would_be_lost_is_used() {
        let ends = |budget| {
            let started = Instant::now().checked_sub(ms(150)).expect("the clock has run for longer");
            Timer::new(started, Some(budget)).ends_after_iteration(0.45)
        };
        let timing = Timing { network_delay2_ms: 20, ..Timing::default() };
        assert!(!ends(Budget::new(&clock(0, 200, 0), &timing, 60, 0)));
        assert!(!ends(Budget::fixed(ms(200), &timing)));
        let saving = Budget::new(&clock(6_000, 0, 100), &timing, 60, 0);
        assert!(saving.optimum < ms(330) && ends(saving));
    }

    #[test]
    fn time_pondered_counts_for_the_decision_but_not_for_the_limit() {
        let timing = Timing { network_delay2_ms: 20, ..Timing::default() };
        let budget = Budget::new(&clock(6_000, 0, 100), &timing, 60, 0);
        let timer = |pondered, scale| Timer::after_ponder(Instant::now(), Some(budget), pondered, Some(scale));
        assert!(timer(budget.optimum, 1.0).is_over(), "thought enough before the hit");
        let mut unsure = timer(budget.optimum, 2.0);
        assert!(!unsure.is_over());
        assert!(unsure.ends_after_iteration(1.0), "the next iteration made sure");
        assert!(!timer(budget.maximum * 3, 100.0).is_over(), "the limit counts from the hit");
        let lost = Budget::new(&clock(0, 5_000, 0), &timing, 60, 0);
        assert!(
            !Timer::after_ponder(Instant::now(), Some(lost), ms(60_000), Some(0.5)).is_over(),
            "byoyomi is used up"
        );
    }

    #[test]
    fn whole_second_clocks_round_up_and_others_do_not() {
        let timing = Timing::default();
        let whole = Budget::new(&clock(600_000, 10_000, 0), &timing, 20, 0);
        assert_eq!(whole.rounded(ms(13_200)), ms(13_880));
        assert_eq!(whole.rounded(ms(13_900)), ms(14_880));
        let fraction = Budget::new(&clock(600_100, 10_000, 0), &timing, 20, 0);
        assert_eq!(fraction.rounded(ms(13_200)), ms(13_200));
    }
}
