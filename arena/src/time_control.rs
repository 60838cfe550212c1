//! Time controls, and the clock of one side in one game.
//!
//! | text | meaning |
//! |---|---|
//! | `10+0.1` | 10 s for the game and 0.1 s more for each move (Fischer) |
//! | `0+1b` | 1 s for each move (byoyomi), no main time |
//! | `300+10b` | 300 s, then 10 s for each move |
//! | `300` | 300 s for the whole game (sudden death) |
//! | `1:30+0.5` | minutes and seconds |
//! | `movetime=0.1` | `go movetime`: 0.1 s for each move |
//! | `nodes=20000` | `go nodes`: no clock |
//! | `depth=8` | `go depth`: no clock |
//!
//! All times are in seconds, down to a millisecond.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use enbu_kifu::csa::{exact_seconds, seconds_text};
use enbu_language::text;
use enbu_movegen::Color;
use enbu_usi::{Clock, GoRequest};

/// A limit on thinking: a clock, or a fixed effort for each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeControl {
    /// A clock for the game; times in milliseconds.
    Clock {
        /// Time for the whole game.
        main_ms: u64,
        /// Time for each move once the main time is used up.
        byoyomi_ms: u64,
        /// Time added for each move.
        increment_ms: u64,
    },
    /// Milliseconds for each move.
    MoveTime(u64),
    /// Nodes for each move, in any time.
    Nodes(u64),
    /// Depth of each search in plies, in any time.
    Depth(u32),
}

/// The first 40 characters of a text that is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!(
    "`{}` is not a time control (such as 10+0.1, 0+1b, 300, movetime=0.1, nodes=20000, depth=8)",
    "`{}` は持ち時間の指定ではありません（例：10+0.1、0+1b、300、movetime=0.1、nodes=20000、depth=8）", .0
))]
pub struct TimeControlError(String);

/// When a side may use the increment of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncrementUse {
    /// In that very move, as USI, Shogidokoro and the floodgate server have it.
    Before,
    /// Only in the moves after it, as in chess.
    After,
}

impl TimeControl {
    /// Returns true if the limit does not depend on the clock, so that an engine may play
    /// the same game again.
    pub const fn is_deterministic(self) -> bool {
        matches!(self, Self::Nodes(_) | Self::Depth(_))
    }

    fn is_playable(&self) -> bool {
        match *self {
            Self::Clock { main_ms, byoyomi_ms, increment_ms } => main_ms + byoyomi_ms + increment_ms > 0,
            Self::MoveTime(count) | Self::Nodes(count) => count > 0,
            Self::Depth(depth) => depth > 0,
        }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    /// Reads a time control. A clock without time for any move is refused.
    ///
    /// ```
    /// use enbu_arena::TimeControl;
    /// let fischer: TimeControl = "10+0.1".parse()?;
    /// assert_eq!(fischer, TimeControl::Clock { main_ms: 10_000, byoyomi_ms: 0, increment_ms: 100 });
    /// assert_eq!("0+1b".parse::<TimeControl>()?.to_string(), "0+1b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, TimeControlError> {
        let error = || TimeControlError(text.chars().take(40).collect());
        let control = match text.split_once('=') {
            Some(("nodes", count)) => count.parse().ok().map(Self::Nodes),
            Some(("depth", plies)) => plies.parse().ok().map(Self::Depth),
            Some(("movetime", seconds)) => milliseconds(seconds).map(Self::MoveTime),
            Some(_) => None,
            None => parse_clock(text),
        };
        control.filter(Self::is_playable).ok_or_else(error)
    }
}

fn parse_clock(text: &str) -> Option<TimeControl> {
    let (main, extra) = text.split_once('+').unwrap_or((text, "0"));
    let main_ms = match main.split_once(':') {
        Some((minutes, seconds)) => {
            let minutes = minutes.parse::<u64>().ok()?.checked_mul(60_000)?;
            minutes.checked_add(milliseconds(seconds)?).filter(|&ms| ms <= MAX_MS)?
        }
        None => milliseconds(main)?,
    };
    Some(match extra.strip_suffix('b') {
        Some(byoyomi) => TimeControl::Clock { main_ms, byoyomi_ms: milliseconds(byoyomi)?, increment_ms: 0 },
        None => TimeControl::Clock { main_ms, byoyomi_ms: 0, increment_ms: milliseconds(extra)? },
    })
}

/// The longest time, about 30 years.
const MAX_MS: u64 = 999_999_999_999;

/// Seconds with up to three decimals, as milliseconds; at most [`MAX_MS`].
fn milliseconds(text: &str) -> Option<u64> {
    exact_seconds(text).filter(|&ms| ms <= MAX_MS)
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Clock { main_ms, byoyomi_ms: 0, increment_ms: 0 } => f.write_str(&seconds_text(main_ms)),
            Self::Clock { main_ms, byoyomi_ms: 0, increment_ms } => {
                write!(f, "{}+{}", seconds_text(main_ms), seconds_text(increment_ms))
            }
            Self::Clock { main_ms, byoyomi_ms, .. } => {
                write!(f, "{}+{}b", seconds_text(main_ms), seconds_text(byoyomi_ms))
            }
            Self::MoveTime(ms) => write!(f, "movetime={}", seconds_text(ms)),
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::Depth(depth) => write!(f, "depth={depth}"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct GameClock {
    pub(crate) control: TimeControl,
    increment_use: IncrementUse,
    left_ms: u64,
}

impl GameClock {
    /// A clock at the start of a game.
    pub(crate) const fn new(control: TimeControl, increment_use: IncrementUse) -> Self {
        let left_ms = if let TimeControl::Clock { main_ms, .. } = control { main_ms } else { 0 };
        Self { control, increment_use, left_ms }
    }

    /// The time for the next move; `None` without a clock.
    pub(crate) fn budget(&self) -> Option<Duration> {
        match self.control {
            TimeControl::Clock { byoyomi_ms, increment_ms, .. } => {
                let usable = if self.increment_use == IncrementUse::Before { increment_ms } else { 0 };
                Some(Duration::from_millis(self.left_ms + byoyomi_ms + usable))
            }
            TimeControl::MoveTime(ms) => Some(Duration::from_millis(ms)),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => None,
        }
    }

    /// Main time and byoyomi that are left for the next move, in milliseconds; `None` without a clock.
    pub(crate) fn left(&self) -> Option<[u64; 2]> {
        let all = u64::try_from(self.budget()?.as_millis()).unwrap_or(u64::MAX);
        let byoyomi = if let TimeControl::Clock { byoyomi_ms, .. } = self.control { byoyomi_ms } else { all };
        Some([all - byoyomi, byoyomi])
    }

    /// Takes the time of a move off the clock, rounded up to whole milliseconds, and
    /// adds the increment.
    pub(crate) fn spend(&mut self, elapsed: Duration) {
        let TimeControl::Clock { increment_ms, .. } = self.control else { return };
        let spent = u64::try_from(elapsed.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        self.left_ms = match self.increment_use {
            IncrementUse::Before => (self.left_ms + increment_ms).saturating_sub(spent),
            IncrementUse::After => self.left_ms.saturating_sub(spent) + increment_ms,
        };
    }
}

/// The `go` command for the side `turn` with these clocks of Black and White.
///
/// A USI `go` carries either a byoyomi or increments: those of the side to move.
pub(crate) fn go_request(clocks: &[GameClock; 2], turn: Color) -> GoRequest {
    let mut request = GoRequest::default();
    match clocks[turn].control {
        TimeControl::MoveTime(ms) => request.movetime_ms = Some(ms),
        TimeControl::Nodes(nodes) => request.nodes = Some(nodes),
        TimeControl::Depth(depth) => request.depth = Some(depth),
        TimeControl::Clock { byoyomi_ms, .. } => {
            let increment = |color: Color| match clocks[color].control {
                TimeControl::Clock { increment_ms, .. } => increment_ms,
                _ => 0,
            };
            let [black, white] = Color::ALL.map(increment);
            let fischer = byoyomi_ms == 0 && black + white > 0;
            request.clock = Clock {
                black_ms: Some(clocks[Color::Black].left_ms),
                white_ms: Some(clocks[Color::White].left_ms),
                byoyomi_ms: (!fischer).then_some(byoyomi_ms),
                black_increment_ms: fischer.then_some(black),
                white_increment_ms: fischer.then_some(white),
            };
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn every_form_is_read_and_printed() {
        for text in ["10+0.1", "0+1b", "300+10b", "300", "0.05", "movetime=0.1", "nodes=20000", "depth=8"] {
            assert_eq!(control(text).to_string(), text);
        }
        assert_eq!(control("1:30+0.5").to_string(), "90+0.5");
        assert_eq!(control("10+0b").to_string(), "10");
    }

    #[test]
    fn nonsense_is_refused() {
        let long = "9".repeat(100);
        // The sum is beyond 64 bits.
        let minutes = format!("{}:999999999", u64::MAX / 60_000);
        assert!(minutes.parse::<TimeControl>().is_err());
        // More seconds than can be read again.
        assert!("20000000:0".parse::<TimeControl>().is_err());
        for text in
            ["", "0", "0+0", "+1", "10+", "10+b", "10+1s", "-1", "1e3", "0.0001", "nodes=0", "nodes=", "mate=3", &long]
        {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_increment_is_usable_before_or_after_the_move() {
        let mut before = GameClock::new(control("1+0.5"), IncrementUse::Before);
        let mut after = GameClock::new(control("1+0.5"), IncrementUse::After);
        assert_eq!(before.budget(), Some(Duration::from_millis(1500)));
        assert_eq!(after.budget(), Some(Duration::from_millis(1000)));
        for clock in [&mut before, &mut after] {
            clock.spend(Duration::from_micros(800_001));
            assert_eq!(clock.left_ms, 699);
        }
        before.spend(Duration::from_millis(1199));
        assert_eq!(before.left_ms, 0);
    }

    #[test]
    fn byoyomi_is_there_for_every_move() {
        let mut clock = GameClock::new(control("1+2b"), IncrementUse::Before);
        for left in [0, 0] {
            clock.spend(Duration::from_millis(1700));
            assert_eq!((clock.left_ms, clock.budget()), (left, Some(Duration::from_millis(2000))));
        }
    }

    #[test]
    fn go_says_what_the_side_to_move_has() {
        let clocks = |black, white| [control(black), control(white)].map(|c| GameClock::new(c, IncrementUse::Before));
        for (black, white, turn, text) in [
            ("10+0.1", "5+0.2", Color::Black, "go btime 10000 wtime 5000 binc 100 winc 200"),
            ("10+0.1", "5+1b", Color::White, "go btime 10000 wtime 5000 byoyomi 1000"),
            ("10+0.1", "5+1b", Color::Black, "go btime 10000 wtime 5000 binc 100 winc 0"),
            ("60", "60", Color::Black, "go btime 60000 wtime 60000 byoyomi 0"),
            ("nodes=500", "60", Color::Black, "go nodes 500"),
            ("nodes=500", "60", Color::White, "go btime 0 wtime 60000 byoyomi 0"),
            ("depth=3", "movetime=0.25", Color::Black, "go depth 3"),
            ("depth=3", "movetime=0.25", Color::White, "go movetime 250"),
        ] {
            assert_eq!(enbu_usi::Command::Go(go_request(&clocks(black, white), turn)).to_string(), text);
        }
    }
}
