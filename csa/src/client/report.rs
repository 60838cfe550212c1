//! Results: one game as a line of JSON, and the sum of all games.

use enbu_language::{Both, pick, text};
use serde::Serialize;

use crate::protocol::GameOutcome;

/// A game that has ended, as `--log` writes it.
#[derive(Clone, Debug, Serialize)]
pub struct GameReport {
    /// Number of the game, from 1.
    pub game: u32,
    /// Host and port.
    pub server: String,
    /// `Game_ID`.
    pub game_id: String,
    /// The opponent's name.
    pub opponent: String,
    /// `black` or `white`.
    pub side: &'static str,
    /// `win`, `lose`, `draw`, `censored`, `interrupted`, or `unknown` after a lost connection.
    pub result: String,
    /// Reason of the server, or the fault of the connection.
    pub reason: String,
    /// Moves played in this game.
    pub moves: usize,
    /// Local time of the start.
    pub start: String,
    /// Local time of the end.
    pub end: String,
    /// Time charged to this client in milliseconds.
    pub own_ms: u64,
    /// Largest delay of the last echoes in milliseconds.
    pub echo_ms: u64,
    /// Moves of the opponent that the engine pondered on.
    pub ponder_hits: u32,
    /// Path of the record.
    pub record: Option<String>,
    /// Fault of the own engine, or an illegal move of the opponent.
    pub fault: Option<String>,
    /// Result and reason, for people.
    #[serde(skip)]
    pub verdict: Both,
}

impl GameReport {
    /// The report as a line of statistics.
    pub fn line(&self, tally: &Tally) -> String {
        let Self { game, verdict, side, opponent, moves, .. } = self;
        let side = pick(*side, if *side == "black" { "先手" } else { "後手" });
        text!(
            "game {game}: {verdict} as {side} against {opponent}, {moves} moves; {tally}; rating gain unknown",
            "第{game}局：{verdict}、{side}番、相手 {opponent}、{moves}手。{tally}。レーティングの増減は不明"
        )
        .to_string()
    }
}

/// Sum of the games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games begun.
    pub games: u32,
    /// Won.
    pub wins: u32,
    /// Lost.
    pub losses: u32,
    /// Drawn, censored games included.
    pub draws: u32,
    /// Without a result.
    pub unknown: u32,
    /// Games in which the own engine failed.
    pub faults: u32,
}

impl Tally {
    pub(crate) const fn count(&mut self, outcome: Option<GameOutcome>) {
        self.games += 1;
        match outcome {
            Some(GameOutcome::Win) => self.wins += 1,
            Some(GameOutcome::Lose) => self.losses += 1,
            Some(GameOutcome::Draw | GameOutcome::Censored) => self.draws += 1,
            Some(GameOutcome::Interrupted) | None => self.unknown += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { wins, losses, draws, unknown, .. } = self;
        text!("{wins} won, {losses} lost, {draws} drawn", "{wins}勝{losses}敗{draws}引き分け").fmt(f)?;
        if *unknown > 0 {
            text!(", {unknown} without a result", "（ほかに結果なし {unknown}局）").fmt(f)?;
        }
        Ok(())
    }
}
