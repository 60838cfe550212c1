//! The offer of a game: the lines from `BEGIN Game_Summary` to `END Game_Summary`.
//!
//! | section | keys |
//! |---|---|
//! | summary | `Declaration` `Jishogi_Declaration` `Game_ID` `Name+` `Name-` `Your_Turn` `To_Move` `Max_Moves` |
//! | `Time`, `Time+`, `Time-` | `Time_Unit` `Total_Time` `Byoyomi` `Delay` `Increment` `Least_Time_Per_Move` `Time_Roundup` |
//! | `Position` | a CSA position, and the moves that were played from it |
//!
//! The order of keys is free. Others (`Protocol_Version`, `Rematch_On_Draw`) do not change
//! the play and are skipped, as are other sections. `To_Move` counts only where the position does not name its side:
//! servers disagree on its meaning after moves, the position does not. Lines are read as
//! they arrive, up to 256 KiB. A position that no game may begin with is an error.

use enbu_kifu::{Mode, csa};
use enbu_language::{Both, messages, text};
use enbu_movegen::{Color, EnteringKingRule, HandPiece, Move, PieceType, Position, Setup, Square};

use crate::secret::Secret;

/// Largest size of an offer in bytes, line feeds included.
pub(crate) const MAX_BYTES: usize = 256 * 1024;

messages! {
/// Fault in the offer of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum SummaryError {
    Missing(key: &'static str) => "the game summary has no {key}", "対局条件に {key} がありません";
    Value(key: String, value: String) => "the game summary has {key}:{value}", "対局条件の {key}:{value} は正しくありません";
    Position(fault: Both) => "the position of the game summary: {fault}", "対局条件の局面：{fault}";
    TooLong => "the game summary has more than {} KiB", "対局条件が {} KiB を超えています", MAX_BYTES / 1024;
}}

/// Clock of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeRules {
    /// The unit in milliseconds.
    pub unit_ms: u64,
    /// Time for the whole game; `None` for a game without limit.
    pub total_ms: Option<u64>,
    /// Time per move once the total is used up.
    pub byoyomi_ms: u64,
    /// Time per move that is not charged.
    pub delay_ms: u64,
    /// Time added per move, usable in that move.
    pub increment_ms: u64,
    /// Least time charged per move.
    pub least_ms: u64,
    /// Fractions of the unit count whole (`Time_Roundup:YES`); otherwise they are free.
    pub rounds_up: bool,
}

impl TimeRules {
    /// Returns the time charged for a move that took `elapsed_ms`.
    pub const fn charged_ms(&self, elapsed_ms: u64) -> u64 {
        let unit = if self.unit_ms == 0 { 1 } else { self.unit_ms };
        let units = if self.rounds_up { elapsed_ms.div_ceil(unit) } else { elapsed_ms / unit };
        let charged = units.saturating_mul(unit);
        if charged < self.least_ms { self.least_ms } else { charged }
    }

    /// Returns the main time after a move charged with `charged_ms`, of `before_ms` before it.
    pub const fn after(&self, before_ms: u64, charged_ms: u64) -> u64 {
        before_ms.saturating_add(self.increment_ms).saturating_sub(charged_ms.saturating_sub(self.delay_ms))
    }

    /// Takes a value as it was sent, in the unit of the clock.
    fn set(&mut self, key: &str, value: &str) -> Result<(), SummaryError> {
        let wrong = || bad(key, value);
        let number = || value.trim().parse::<u64>().ok().filter(|&number| number <= MAX_TIME).ok_or_else(wrong);
        match key {
            "Time_Unit" => self.unit_ms = unit_ms(value).ok_or_else(wrong)?,
            "Total_Time" => self.total_ms = Some(number()?),
            "Byoyomi" => self.byoyomi_ms = number()?,
            "Delay" => self.delay_ms = number()?,
            "Increment" => self.increment_ms = number()?,
            "Least_Time_Per_Move" => self.least_ms = number()?,
            "Time_Roundup" => match value.trim() {
                "YES" => self.rounds_up = true,
                "NO" => self.rounds_up = false,
                _ => return Err(bad("YES or NO expected", value)),
            },
            _ => {}
        }
        Ok(())
    }

    /// Turns the values as they were sent into milliseconds.
    fn in_ms(self) -> Self {
        // No sum of a few of them overflows.
        let ms = |time: u64| time.saturating_mul(self.unit_ms).min(MAX_MS);
        let total = self.total_ms.unwrap_or(0);
        let has_limit = total > 0 || self.byoyomi_ms > 0 || self.increment_ms > 0;
        Self {
            total_ms: has_limit.then(|| ms(total)),
            byoyomi_ms: ms(self.byoyomi_ms),
            delay_ms: ms(self.delay_ms),
            increment_ms: ms(self.increment_ms),
            least_ms: ms(self.least_ms),
            ..self
        }
    }
}

/// A move with its time in milliseconds.
type TimedMove = (Move, Option<u64>);

/// An offer of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Identifier of the game, to be repeated in `AGREE`.
    pub game_id: String,
    /// Names of Black and White.
    pub names: [String; 2],
    /// The side of this client.
    pub your_turn: Color,
    /// The rule of declarations, from `Declaration` or `Jishogi_Declaration`.
    pub declaration: EnteringKingRule,
    /// Move at which the game is broken off; `None` for never.
    pub max_moves: Option<u32>,
    /// Clocks of Black and White.
    pub clocks: [TimeRules; 2],
    /// Start position.
    pub setup: Setup,
    /// Moves played before this game began, with their times in milliseconds.
    pub moves: Vec<TimedMove>,
}

impl Summary {
    /// Returns the offer as records hold it: a server that repeats the password cannot bring it there.
    pub(crate) fn masked(&self, password: &Secret) -> Self {
        let names = self.names.each_ref().map(|name| password.masked(name));
        Self { names, game_id: password.masked(&self.game_id), ..self.clone() }
    }

    /// Returns the position in which the game begins, with the moves before it as history.
    pub fn position(&self) -> Result<Position, SummaryError> {
        let wrong = |error: &dyn std::fmt::Display| SummaryError::Position(Both::of(error));
        if let Some(fault) = illegal_start(&self.setup) {
            return Err(SummaryError::Position(fault));
        }
        let mut position = Position::from_setup(&self.setup).map_err(|error| wrong(&error))?;
        for &(mv, _) in &self.moves {
            position.play(mv).map_err(|error| wrong(&error))?;
        }
        Ok(position)
    }

    /// Returns the main times in milliseconds that the moves before this game leave to Black and
    /// White; `None` without limit. A move without a time is charged as one that took none. The
    /// opening moves of shogi-server's buoy games have times, which that server does not charge.
    pub fn remaining_ms(&self) -> [Option<u64>; 2] {
        let is_charged = !self.game_name().is_some_and(|name| name.starts_with("buoy_"));
        Color::ALL.map(|color| {
            let rules = self.clock(color);
            let own = self.moves.iter().skip(usize::from(color != self.setup.turn)).step_by(2).filter(|_| is_charged);
            let charges = own.map(|&(_, time_ms)| time_ms.unwrap_or_else(|| rules.charged_ms(0)));
            Some(charges.fold(rules.total_ms?, |left, charged| rules.after(left, charged)))
        })
    }

    /// Returns the clock of `color`.
    pub const fn clock(&self, color: Color) -> &TimeRules {
        color.select(self.clocks.each_ref())
    }

    /// Returns the name of the game on shogi-server: the second part of `Game_ID`.
    pub fn game_name(&self) -> Option<&str> {
        self.game_id.split('+').nth(1)
    }

    /// Returns true for a game of floodgate, where comments may follow moves.
    pub fn is_floodgate(&self) -> bool {
        self.game_name().is_some_and(|name| name.starts_with("floodgate-"))
    }

    /// Returns the opponent's name.
    pub fn opponent(&self) -> &str {
        let [black, white] = &self.names;
        self.your_turn.select([white, black])
    }

    /// Reads the lines between `BEGIN Game_Summary` and `END Game_Summary`.
    pub fn parse<S: AsRef<str>>(lines: &[S]) -> Result<Self, SummaryError> {
        let mut reader = Reader::default();
        lines.iter().for_each(|line| reader.take(line.as_ref()));
        reader.finish()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Section {
    /// Both clocks, or the clock of one side.
    Time(Option<Color>),
    Position,
    Other,
}

impl Default for TimeRules {
    /// A game without limit, in seconds.
    fn default() -> Self {
        let (byoyomi_ms, delay_ms, increment_ms, least_ms) = (0, 0, 0, 0);
        Self { unit_ms: 1000, total_ms: None, byoyomi_ms, delay_ms, increment_ms, least_ms, rounds_up: false }
    }
}

/// Largest time that is accepted, in its unit.
const MAX_TIME: u64 = 1 << 40;

/// Longest time of a clock in milliseconds; longer ones, of thousands of years, become this.
const MAX_MS: u64 = 1 << 48;

fn bad(key: &str, value: &str) -> SummaryError {
    let cut = |text: &str| text.chars().filter(|letter| !letter.is_control()).take(40).collect::<String>();
    SummaryError::Value(cut(key), cut(value))
}

/// Parses a unit such as `1sec`, `100msec` or `min`.
fn unit_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let letters = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = text.strip_suffix(letters)?;
    let number = if digits.is_empty() { 1 } else { digits.parse::<u64>().ok()? };
    let factor = match letters {
        "msec" => 1,
        "sec" => 1000,
        "min" => 60_000,
        _ => return None,
    };
    (1..=86_400_000).contains(&number).then_some(number * factor)
}

fn side(key: &str, value: &str) -> Result<Color, SummaryError> {
    match value.trim() {
        "+" => Ok(Color::Black),
        "-" => Ok(Color::White),
        _ => Err(bad(key, value)),
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Reader {
    bytes: usize,
    fault: Option<SummaryError>,
    sections: Vec<Section>,
    pub(crate) game_id: Option<String>,
    names: [String; 2],
    your_turn: Option<Color>,
    declaration: EnteringKingRule,
    to_move: Option<Color>,
    max_moves: Option<u32>,
    /// Clocks as they were sent, in their units.
    common: TimeRules,
    own: [Option<TimeRules>; 2],
    position: PositionText,
}

impl Reader {
    /// Takes a line. After a fault only the identifier of the game is still read.
    pub(crate) fn take(&mut self, line: &str) {
        self.bytes = self.bytes.saturating_add(line.len() + 1);
        let read = if self.bytes > MAX_BYTES {
            Err(SummaryError::TooLong)
        } else if self.fault.is_some() {
            let id = line.strip_prefix("Game_ID:").map(str::to_owned);
            self.game_id = self.game_id.take().or(id);
            Ok(())
        } else {
            self.line(line)
        };
        if let Err(fault) = read {
            self.position = PositionText::default();
            self.fault = Some(self.fault.take().unwrap_or(fault));
        }
    }

    fn line(&mut self, line: &str) -> Result<(), SummaryError> {
        if let Some(name) = line.strip_prefix("BEGIN ") {
            self.sections.push(match name.trim_end() {
                "Time" => Section::Time(None),
                "Time+" => Section::Time(Some(Color::Black)),
                "Time-" => Section::Time(Some(Color::White)),
                "Position" => Section::Position,
                _ => Section::Other,
            });
            return Ok(());
        }
        if line.starts_with("END ") {
            self.sections.pop();
            return Ok(());
        }
        match (self.sections.last(), line.split_once(':')) {
            (Some(Section::Position), _) => self.position.push(line),
            (Some(&Section::Time(color)), Some((key, value))) => self.clock(color).set(key, value)?,
            (None, Some((key, value))) => self.key(key, value)?,
            _ => {}
        }
        Ok(())
    }

    fn clock(&mut self, color: Option<Color>) -> &mut TimeRules {
        let [black, white] = &mut self.own;
        match color {
            None => &mut self.common,
            Some(Color::Black) => black.get_or_insert_with(TimeRules::default),
            Some(Color::White) => white.get_or_insert_with(TimeRules::default),
        }
    }

    fn key(&mut self, key: &str, value: &str) -> Result<(), SummaryError> {
        let [black, white] = &mut self.names;
        match key {
            "Game_ID" => self.game_id = Some(value.to_owned()),
            "Name+" => value.clone_into(black),
            "Name-" => value.clone_into(white),
            "Your_Turn" => self.your_turn = Some(side(key, value)?),
            "To_Move" => self.to_move = Some(side(key, value)?),
            "Declaration" | "Jishogi_Declaration" => self.declaration = declaration(value),
            "Max_Moves" => {
                let digits = value.trim();
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(bad(key, value));
                }
                // A game of more moves than that does not end by them.
                self.max_moves = digits.parse().ok().filter(|&moves: &u32| moves > 0);
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<Summary, SummaryError> {
        self.fault.map_or(Ok(()), Err)?;
        let (setup, moves) = self.position.read(self.to_move)?;
        let clocks = self.own.map(|own| own.unwrap_or(self.common).in_ms());
        let summary = Summary {
            game_id: self.game_id.filter(|id| !id.is_empty()).ok_or(SummaryError::Missing("Game_ID"))?,
            names: self.names,
            your_turn: self.your_turn.ok_or(SummaryError::Missing("Your_Turn"))?,
            declaration: self.declaration,
            max_moves: self.max_moves,
            clocks,
            setup,
            moves,
        };
        summary.position()?;
        Ok(summary)
    }
}

/// Parses the rule of declarations: `Jishogi 1.1`, which is the rule of an offer that names
/// none as well, has 27 points, and a value that names 24 points or a try those. Under a rule
/// of another kind no win is declared.
fn declaration(value: &str) -> EnteringKingRule {
    let value = value.trim();
    match value {
        _ if value.contains("24") => EnteringKingRule::Csa24,
        _ if value.eq_ignore_ascii_case("try") => EnteringKingRule::Try,
        _ if value.starts_with("Jishogi") || value.contains("27") || value == "1.1" => EnteringKingRule::Csa27,
        _ => EnteringKingRule::NoEnteringKing,
    }
}

#[derive(Clone, Debug, Default)]
struct PositionText {
    text: String,
    has_side: bool,
    /// Offset of the first move.
    moves: Option<usize>,
}

impl PositionText {
    fn push(&mut self, line: &str) {
        if line.len() >= 7 && line.starts_with(['+', '-']) {
            self.moves.get_or_insert(self.text.len());
        }
        self.has_side |= self.moves.is_none() && (line == "+" || line == "-");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Returns the start position, and the moves with their times in milliseconds.
    fn read(mut self, to_move: Option<Color>) -> Result<(Setup, Vec<TimedMove>), SummaryError> {
        if self.text.is_empty() {
            return Err(SummaryError::Missing("Position"));
        }
        if !self.has_side {
            let side = if to_move == Some(Color::White) { "-\n" } else { "+\n" };
            self.text.insert_str(self.moves.unwrap_or(self.text.len()), side);
        }
        let wrong = |error: &dyn std::fmt::Display| SummaryError::Position(Both::of(error));
        let reading = csa::read(&self.text, Mode::Tolerant).map_err(|error| wrong(&error))?;
        if let Some(error) = reading.errors.first() {
            return Err(wrong(error));
        }
        let record = reading.records.first().ok_or(SummaryError::Missing("Position"))?;
        let line = record.main_line().map(|id| record.node(id));
        let moves = line.filter_map(|node| Some((node.event().played()?, node.time_ms))).collect();
        Ok((record.setup().clone(), moves))
    }
}

/// Returns the rule that a start position breaks and diagrams of problems may: a king is
/// missing, nifu, a piece that can never move, more pieces than a set has.
fn illegal_start(setup: &Setup) -> Option<Both> {
    for color in Color::ALL {
        let (mut has_king, mut last_pawn) = (false, None);
        let pieces = Square::ALL.into_iter().zip(setup.board);
        for (square, piece) in pieces.filter_map(|(square, piece)| piece.map(|piece| (square, piece))) {
            match (piece.kind, square.relative_rank(color)) {
                _ if piece.color != color => {}
                (PieceType::King, _) => has_king = true,
                (PieceType::Pawn | PieceType::Lance, 1) | (PieceType::Knight, 1 | 2) => {
                    return Some(Both::of(text!(
                        "the {piece} of {side} on {square} can never move",
                        "{side}の {square} の{piece}は行き所がありません",
                        piece = piece.kind.hand_piece().map_or('-', HandPiece::name),
                        side = color.name(),
                        square = square.name()
                    )));
                }
                // Squares are in the order of their files.
                (PieceType::Pawn, _) if last_pawn.replace(square.file()) == Some(square.file()) => {
                    let file = square.file();
                    let nifu =
                        text!("{} has two pawns on file {file} (nifu)", "{}の {file} 筋が二歩です", color.name());
                    return Some(Both::of(nifu));
                }
                _ => {}
            }
        }
        if !has_king {
            return Some(Both::of(text!("{} has no king", "{}の玉がありません", color.name())));
        }
    }
    HandPiece::ALL.into_iter().find_map(|piece| {
        let (count, set) = (setup.count(piece.piece_type()), u32::from(piece.set_count()));
        let excess =
            text!("{count} of {} (a set has {set})", "{}が {count} 枚あります（一式は {set} 枚）", piece.name());
        (count > set).then(|| Both::of(excess))
    })
}

#[cfg(test)]
mod tests;
