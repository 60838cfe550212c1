//! Arguments of every command that plays games: clocks, rules, openings.

use std::fmt::Display;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use enbu_arena::openings::{self, Opening, RandomOpenings};
use enbu_arena::{
    Adjudication, DrawAdjudication, EngineSpec, Facts, IncrementUse, MatedSide, Patience, Rules, TimeControl,
    TrafficLog, WinAdjudication,
};
use enbu_files::FileKind;
use enbu_language::{pick, text};
use enbu_movegen::EnteringKingRule;
use enbu_usi::client::Cancel;

use super::choices::{Choice, one_of, word};
use super::failure::{failed, named};
use super::openings::{SearchJudge, generate};
pub(crate) use super::program::find_program;

/// The message for games without a limit of time, nodes or depth.
pub(crate) fn no_time_control() -> impl Display {
    text!(
        "a time control is needed: --tc, or tc= for every engine",
        "持ち時間の指定が必要です：--tc、または各エンジンの tc="
    )
}

pub(crate) fn repeated_games() -> impl Display {
    text!(
        "warning: more pairs than openings, and a limit in nodes or depth: engines may repeat their games move for move; \
         `enbu openings random:16,80 --out FILE` makes openings",
        "注意：対局の組が開始局面より多く、制限がノード数か深さなので、同じ手順の対局が繰り返されることがあります。\
         開始局面は `enbu openings random:16,80 --out FILE` で作れます"
    )
}

// Not a documentation comment: clap would show it as the description of the command.
// Time limits of engines.
#[derive(Args)]
pub(crate) struct ClockArgs {
    /// Time control: 10+0.1, 0+1b, 300+10b, 300, movetime=0.1, nodes=20000, depth=8 (seconds) ‖ 持ち時間（秒）：10+0.1（1手ごとに加算）、0+1b・300+10b（秒読み）、300（切れ負け）、movetime=0.1、nodes=20000、depth=8
    #[arg(long, value_name = "TC", help_heading = "Time")]
    tc: Option<TimeControl>,
    /// Tolerance past the time for each move, in milliseconds ‖ 1手ごとに許す時間超過（ミリ秒）
    #[arg(long, value_name = "MS", default_value_t = 0, help_heading = "Time")]
    slack: u32,
    /// Use of an increment: in its own move, or only after it ‖ 加算時間を使える時点（before：その手から、after：次の手から）
    #[arg(long, default_value = "before", value_parser = one_of(INCREMENTS), help_heading = "Time")]
    pub(crate) increment: IncrementUse,
    /// Silence past the time for a move that counts as a hang, in seconds ‖ 時間を過ぎても応答がないとき、ハングとみなすまでの秒数
    #[arg(long, value_name = "S", default_value = "30", value_parser = seconds, help_heading = "Time")]
    hang: Duration,
    /// Time from start to usiok, in seconds ‖ 起動から usiok までの制限時間（秒）
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds, help_heading = "Time")]
    start_timeout: Duration,
    /// Time from isready to readyok, in seconds ‖ isready から readyok までの制限時間（秒）
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds, help_heading = "Time")]
    ready_timeout: Duration,
}

impl ClockArgs {
    /// The time control of the engines that have none of their own; `None` if one is
    /// needed and missing.
    pub(crate) fn time_control(&self, engines: &[EngineSpec]) -> Option<TimeControl> {
        // Unused when every engine has its own.
        let unused = engines.iter().all(|engine| engine.time_control.is_some()).then_some(TimeControl::Nodes(1));
        self.tc.or(unused)
    }

    /// The time control with the other limits of a move, in words.
    pub(crate) fn words(&self, control: TimeControl) -> String {
        let slack = if self.slack == 0 { String::new() } else { format!(" slack={}", self.slack) };
        let increment = if self.increment == IncrementUse::After { " increment=after" } else { "" };
        format!("{control}{slack}{increment}")
    }

    /// Tolerance past the time for each move.
    pub(crate) fn slack(&self) -> Duration {
        Duration::from_millis(u64::from(self.slack))
    }

    /// Time limits of engines for everything but moves.
    pub(crate) fn patience(&self) -> Patience {
        Patience { start: self.start_timeout, ready: self.ready_timeout, hang: self.hang, ..Patience::default() }
    }
}

// The rules of the game, and when games are ended early.
#[derive(Args)]
pub(crate) struct RuleArgs {
    /// Draw after this move of the game; 0: never ‖ 引き分けにする手数。0 は無制限
    #[arg(long, value_name = "N", default_value_t = 320, help_heading = "Rules")]
    max_moves: u32,
    /// Entering king rule ‖ 入玉ルール（27：27点法、24：24点法、27h・24h：その駒落ち用、try：トライルール、none：なし）
    #[arg(long, default_value = "27", value_parser = one_of(RULES), help_heading = "Rules")]
    rule: EnteringKingRule,
    /// Send `go` to a mated side, which must resign ‖ 詰まされた側にも `go` を送り、投了させる
    #[arg(long, help_heading = "Rules")]
    ask_mated: bool,
    /// End a game that both engines score as won by CP centipawns for N moves each ‖ 両エンジンがそろって N 手続けて一方の CP 以上の優勢と評価したら、その側の勝ちとして終局
    #[arg(long, value_name = "CP,N", value_parser = parse_win, help_heading = "Rules")]
    adjudicate: Option<WinAdjudication>,
    /// End a game after MOVE moves that both score within CP centipawns of even for N moves each ‖ MOVE 手目以降、両エンジンの評価値がそろって N 手続けて ±CP 以内なら、引き分けとして終局
    #[arg(long, value_name = "MOVE,N,CP", value_parser = parse_draw, help_heading = "Rules")]
    adjudicate_draw: Option<DrawAdjudication>,
    /// End a game whose side to move can declare a win or has a mate that Enbu's solver proves in 10 000 nodes ‖ 手番側が入玉宣言で勝てるか、Enbu の詰将棋ソルバーが 10000 ノード以内に詰みを証明したら、その側の勝ちとして終局
    #[arg(long, help_heading = "Rules")]
    adjudicate_facts: bool,
}

impl RuleArgs {
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            max_moves: self.max_moves,
            entering_king: self.rule,
            mated: if self.ask_mated { MatedSide::MustResign } else { MatedSide::HasLost },
        }
    }

    pub(crate) fn words(&self) -> String {
        let mut words = format!("max-moves={} rule={}", self.max_moves, word(RULES, &self.rule));
        if self.ask_mated {
            words += " ask-mated";
        }
        if let Some(win) = self.adjudicate {
            words += &format!(" adjudicate={},{}", win.bound_cp, win.moves);
        }
        if let Some(draw) = self.adjudicate_draw {
            words += &format!(" adjudicate-draw={},{},{}", draw.from_move, draw.moves, draw.bound_cp);
        }
        if self.adjudicate_facts {
            words += " adjudicate-facts";
        }
        words
    }

    /// Conditions for ending games early.
    pub(crate) const fn adjudication(&self) -> Adjudication {
        Adjudication { win: self.adjudicate, draw: self.adjudicate_draw }
    }

    /// Treatment of positions that are won.
    pub(crate) const fn facts(&self) -> Facts {
        if self.adjudicate_facts { Facts::Decide } else { Facts::PlayedOut }
    }
}

const INCREMENTS: &[Choice<IncrementUse>] = &[("before", "", IncrementUse::Before), ("after", "", IncrementUse::After)];

const RULES: &[Choice<EnteringKingRule>] = &[
    ("27", "", EnteringKingRule::Csa27),
    ("24", "", EnteringKingRule::Csa24),
    ("27h", "", EnteringKingRule::Csa27Handicap),
    ("24h", "", EnteringKingRule::Csa24Handicap),
    ("try", "", EnteringKingRule::Try),
    ("none", "", EnteringKingRule::NoEnteringKing),
];

/// Seconds of patience, at most a day.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| pick("not a number of seconds", "秒数ではありません"))?;
    let refused = pick("0.001 to 86400 seconds are needed", "0.001～86400 秒の範囲で指定してください");
    if (0.001..=86_400.0).contains(&value) { Ok(Duration::from_secs_f64(value)) } else { Err(refused.to_owned()) }
}

/// Whole numbers between commas.
fn numbers<const N: usize>(text: &str) -> Result<[u32; N], String> {
    let parsed: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    parsed.ok().and_then(|list| list.try_into().ok()).ok_or_else(|| {
        text!("{N} whole numbers between commas are needed", "整数を {N} 個、カンマ区切りで指定してください")
            .to_string()
    })
}

fn centipawns(value: u32) -> Result<i32, String> {
    let most = || pick("at most 100000 centipawns", "評価値は 100000 以下で指定してください").to_owned();
    i32::try_from(value).ok().filter(|&cp| cp <= 100_000).ok_or_else(most)
}

fn parse_win(text: &str) -> Result<WinAdjudication, String> {
    let [bound, moves] = numbers(text)?;
    if bound == 0 || moves == 0 {
        return Err(pick("neither may be 0", "どちらも 1 以上で指定してください").to_owned());
    }
    Ok(WinAdjudication { bound_cp: centipawns(bound)?, moves })
}

fn parse_draw(text: &str) -> Result<DrawAdjudication, String> {
    let [from_move, moves, bound] = numbers(text)?;
    if moves == 0 {
        return Err(pick("the number of moves may not be 0", "手数は 1 以上で指定してください").to_owned());
    }
    Ok(DrawAdjudication { from_move, moves, bound_cp: centipawns(bound)? })
}

/// Opens the log of all lines to and from engines; lines are appended.
pub(crate) fn traffic_log(path: Option<&Path>) -> io::Result<Option<TrafficLog>> {
    let Some(path) = path else { return Ok(None) };
    let file = enbu_files::append(path).map_err(|error| named(path, &error))?;
    Ok(Some(TrafficLog::new(file)))
}

/// The openings of a file, or `count` random ones; without a source the start position.
pub(crate) fn openings(
    source: Option<&str>,
    rules: Rules,
    count: usize,
    seed: u64,
    cancel: &Cancel,
) -> io::Result<Vec<Opening>> {
    let Some(source) = source else { return Ok(vec![Opening::startpos()]) };
    if source.starts_with("random:") {
        let kind: RandomOpenings = source.parse().map_err(io::Error::other)?;
        let go_on = || if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        return generate(&mut SearchJudge::new()?, kind, count, seed, go_on);
    }
    let path = Path::new(source);
    let text = enbu_files::read_text(path, FileKind::Record).map_err(|error| named(path, &error))?;
    openings::read(&text, rules).map_err(|error| failed(text!("{}: {error}", "{}：{error}", path.display())))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Both {
        #[command(flatten)]
        clock: ClockArgs,
        #[command(flatten)]
        rules: RuleArgs,
    }

    fn words(arguments: &[&str]) -> (String, String) {
        let both = Both::try_parse_from(["x"].iter().chain(arguments)).unwrap();
        (both.clock.words(both.clock.time_control(&[]).unwrap()), both.rules.words())
    }

    #[test]
    fn words_name_everything_that_decides_games() {
        assert_eq!(words(&["--tc", "10+0.1"]), ("10+0.1".to_owned(), "max-moves=320 rule=27".to_owned()));
        let clock = ["--tc", "nodes=5", "--slack", "3", "--increment", "after"];
        let rules = ["--rule", "24h", "--max-moves", "0", "--ask-mated", "--adjudicate", "600,4"];
        let all: Vec<&str> =
            clock.into_iter().chain(rules).chain(["--adjudicate-draw", "80,8,10", "--adjudicate-facts"]).collect();
        let expected = "max-moves=0 rule=24h ask-mated adjudicate=600,4 adjudicate-draw=80,8,10 adjudicate-facts";
        assert_eq!(words(&all), ("nodes=5 slack=3 increment=after".to_owned(), expected.to_owned()));
    }

    #[test]
    fn a_clock_is_needed_unless_every_engine_has_its_own() {
        let clock = Both::parse_from(["x"]).clock;
        let own = EngineSpec::from_words(["e", "tc=depth=3"]).unwrap();
        let none = EngineSpec::from_words(["e"]).unwrap();
        assert!(clock.time_control(std::slice::from_ref(&own)).is_some());
        assert!(clock.time_control(&[own, none]).is_none());
    }
}
