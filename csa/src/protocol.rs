//! The client's side of the protocol as a state machine: lines in, lines out.
//!
//! | state | lines that may be sent | left by |
//! |---|---|---|
//! | [`LoggedOut`](State::LoggedOut) | `LOGIN` | `LOGIN` sent |
//! | [`LoggingIn`](State::LoggingIn) | none | `LOGIN:user OK`, `LOGIN:incorrect` |
//! | [`Waiting`](State::Waiting) | keep-alive, `LOGOUT` | `END Game_Summary` |
//! | [`Offered`](State::Offered) | `AGREE`, `REJECT`, keep-alive, `LOGOUT` | `AGREE` or `REJECT` sent, `REJECT:` |
//! | [`Agreed`](State::Agreed) | keep-alive | `START:`, `REJECT:` |
//! | [`Playing`](State::Playing) | on the own turn one move, `%TORYO` or `%KACHI`; keep-alive | a result |
//! | [`Over`](State::Over) | none | the next offer |
//!
//! The methods that return a line refuse every other one with [`WrongState`]: a line sent early costs time on
//! shogi-server for the rest of the game, and one sent twice may lose it. A move is played
//! when the server's echo arrives. Input of any kind changes nothing but by this table;
//! lines without a meaning are [`Event::Unknown`].

use std::sync::Arc;
use std::time::Instant;

use enbu_kifu::csa;
use enbu_language::{Both, text};
use enbu_movegen::{Color, Move, Position};

use crate::summary::{Reader, Summary, SummaryError};

/// A line that the state does not permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text!("{} cannot be sent in this state", "{} は今は送れません", .0))]
pub struct WrongState(
    /// The line, without its arguments.
    pub &'static str,
);

/// Reason for the end of a game, from its `#` line.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// `#RESIGN`, or a lost connection.
    Resign,
    TimeUp,
    /// `#ILLEGAL_MOVE`: also a false declaration.
    IllegalMove,
    IllegalAction,
    #[strum(serialize = "SENNICHITE")]
    Repetition,
    /// `#OUTE_SENNICHITE`: perpetual check.
    #[strum(serialize = "OUTE_SENNICHITE")]
    PerpetualCheck,
    /// `#JISHOGI`: a declaration.
    #[strum(serialize = "JISHOGI")]
    Declaration,
    MaxMoves,
    #[strum(serialize = "CHUDAN")]
    Interrupted,
    /// Another reason, or none.
    #[strum(default)]
    Other(String),
}

/// Result of a game for this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::EnumString)]
#[strum(serialize_all = "UPPERCASE")]
pub enum GameOutcome {
    Win,
    Lose,
    Draw,
    /// `#CENSORED`: broken off by the limit of moves.
    Censored,
    #[strum(serialize = "CHUDAN")]
    Interrupted,
}

impl GameOutcome {
    /// The result in English, as in files, and in Japanese.
    pub(crate) const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Win => ["win", "勝ち"],
            Self::Lose => ["lose", "負け"],
            Self::Draw => ["draw", "引き分け"],
            Self::Censored => ["censored", "手数制限で打ち切り"],
            Self::Interrupted => ["interrupted", "中断"],
        }
    }
}

impl Reason {
    /// The reason in Japanese.
    pub(crate) fn japanese(&self) -> &str {
        match self {
            Self::Resign => "投了",
            Self::TimeUp => "時間切れ",
            Self::IllegalMove | Self::IllegalAction => "反則",
            Self::Repetition => "千日手",
            Self::PerpetualCheck => "連続王手の千日手",
            Self::Declaration => "入玉宣言",
            Self::MaxMoves => "手数制限",
            Self::Interrupted => "中断",
            Self::Other(text) if text == NO_REASON => "理由は示されていません",
            Self::Other(text) => text,
        }
    }
}

/// Reason of an end for which the server gave none.
const NO_REASON: &str = "no reason given";

/// Meaning of a line of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `LOGIN:user OK`.
    LoggedIn,
    /// `LOGIN:incorrect`: a wrong password, or a name in use.
    LoginRefused,
    /// A game is offered; an older offer is void.
    Offered(Arc<Summary>),
    /// An offer that cannot be played; [`Protocol::reject`] answers it.
    BadOffer(SummaryError),
    /// The game was refused by this player or the server.
    Rejected(String),
    /// The game has begun.
    Started,
    /// A move was played.
    Moved(Moved),
    /// `%TORYO`, `%KACHI` or another special line, without `%` and its time.
    Special(String),
    /// The line of an illegal move, and the reason; the server's verdict is awaited.
    Illegal(String, Both),
    /// The game has ended.
    Ended(GameOutcome, Reason),
    /// `LOGOUT:completed`.
    LoggedOut,
    /// An error line of shogi-server, without `##[ERROR] `.
    Error(String),
    /// A blank line: the answer to a keep-alive.
    KeptAlive,
    /// Part of an offer or of an end; nothing to do yet.
    Partial,
    /// A line without a meaning in this state.
    Unknown(String),
}

/// A move that the server confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The move.
    pub mv: Move,
    /// Its side.
    pub color: Color,
    /// Time charged in milliseconds.
    pub charged_ms: u64,
}

/// A game in progress.
#[derive(Clone, Debug)]
pub struct Game {
    /// The offer that the game began with.
    pub summary: Arc<Summary>,
    /// The position after the last confirmed move, with its history.
    pub position: Position,
    /// The confirmed moves since the start of this game.
    pub moves: Vec<Moved>,
    remaining_ms: [Option<u64>; 2],
    /// Arrival time of the line that began the current turn.
    pub turn_began: Instant,
    /// A line was sent on this turn and has not been echoed.
    is_answered: bool,
    is_broken: bool,
    reason: Option<Reason>,
}

impl Game {
    fn new(summary: Arc<Summary>, position: Position, at: Instant) -> Self {
        let remaining_ms = summary.remaining_ms();
        let moves = Vec::new();
        let (is_answered, is_broken, reason) = (false, false, None);
        Self { summary, position, moves, remaining_ms, turn_began: at, is_answered, is_broken, reason }
    }

    /// All moves since the start position of the offer.
    pub fn line(&self) -> impl Iterator<Item = Move> + '_ {
        self.summary.moves.iter().map(|&(mv, _)| mv).chain(self.moves.iter().map(|moved| moved.mv))
    }

    /// Main time left to `color` in milliseconds; `None` without limit.
    pub const fn remaining_ms(&self, color: Color) -> Option<u64> {
        color.select(self.remaining_ms)
    }

    /// Returns true if this client is to move and has not answered yet.
    pub fn is_own_turn(&self) -> bool {
        self.position.turn() == self.summary.your_turn && !self.is_answered && !self.is_broken
    }

    /// Main time that a side has after a move charged with `charged_ms`.
    pub fn remaining_after(&self, color: Color, charged_ms: u64) -> Option<u64> {
        Some(self.summary.clock(color).after(self.remaining_ms(color)?, charged_ms))
    }

    fn play(&mut self, text: &str, charged_ms: Option<u64>, at: Instant) -> Result<Moved, Both> {
        let mv = csa::legal_move(&self.position, text)?;
        let color = self.position.turn();
        let rules = self.summary.clock(color);
        let elapsed = at.saturating_duration_since(self.turn_began).as_millis();
        let estimate = || rules.charged_ms(u64::try_from(elapsed).unwrap_or(u64::MAX));
        let charged_ms = charged_ms.unwrap_or_else(estimate);
        let left = self.remaining_after(color, charged_ms);
        let [black_left, white_left] = &mut self.remaining_ms;
        *(if color == Color::Black { black_left } else { white_left }) = left;
        self.position.play(mv).map_err(Both::of)?;
        let moved = Moved { mv, color, charged_ms };
        self.moves.push(moved);
        self.turn_began = at;
        self.is_answered &= color != self.summary.your_turn;
        Ok(moved)
    }
}

/// State of the conversation, with its data.
#[derive(Clone, Debug, strum::EnumDiscriminants)]
#[strum_discriminants(name(State), vis(pub(crate)))]
enum Stage {
    LoggedOut,
    LoggingIn,
    Waiting,
    Offered { game_id: Option<String>, offer: Option<Arc<Summary>> },
    Agreed(Arc<Summary>),
    Playing(Box<Game>),
    Over(Option<Box<Game>>),
}

/// The client's side of a connection.
#[derive(Clone, Debug)]
pub struct Protocol {
    user: String,
    stage: Stage,
    /// The offer that is being received, and the arrival time of its first line.
    offer: Option<(Instant, Box<Reader>)>,
}

impl Protocol {
    /// The conversation of `user` on a new connection.
    pub fn new(user: impl Into<String>) -> Self {
        Self { user: user.into(), stage: Stage::LoggedOut, offer: None }
    }

    pub(crate) fn state(&self) -> State {
        State::from(&self.stage)
    }

    /// Arrival time of the first line of an unfinished offer.
    pub fn offer_began(&self) -> Option<Instant> {
        self.offer.as_ref().map(|&(at, _)| at)
    }

    /// The game in progress, or the one that has just ended.
    pub const fn game(&self) -> Option<&Game> {
        match &self.stage {
            Stage::Playing(game) | Stage::Over(Some(game)) => Some(game),
            _ => None,
        }
    }

    /// Returns the `LOGIN` line.
    pub fn login(&mut self, password: &str) -> Result<String, WrongState> {
        let Stage::LoggedOut = self.stage else { return Err(WrongState("LOGIN")) };
        self.stage = Stage::LoggingIn;
        Ok(format!("LOGIN {} {password}", self.user))
    }

    /// Returns the line that accepts the offer.
    pub fn agree(&mut self) -> Result<String, WrongState> {
        match std::mem::replace(&mut self.stage, Stage::Waiting) {
            Stage::Offered { offer: Some(offer), .. } => {
                let line = format!("AGREE {}", offer.game_id);
                self.stage = Stage::Agreed(offer);
                Ok(line)
            }
            stage => {
                self.stage = stage;
                Err(WrongState("AGREE"))
            }
        }
    }

    /// Returns the line that refuses the offer.
    pub fn reject(&mut self) -> Result<String, WrongState> {
        let Stage::Offered { game_id, .. } = &self.stage else { return Err(WrongState("REJECT")) };
        let line = game_id.as_ref().map_or_else(|| "REJECT".to_owned(), |id| format!("REJECT {id}"));
        self.stage = Stage::Waiting;
        Ok(line)
    }

    /// Returns the line of a move, with a comment as floodgate takes them.
    /// Refused when this client is not to move, has already answered, or the move is illegal.
    pub fn play(&mut self, mv: Move, comment: Option<&str>) -> Result<String, WrongState> {
        let game = self.own_turn("a move")?;
        if game.position.clone().play(mv).is_err() {
            return Err(WrongState("a move"));
        }
        game.is_answered = true;
        let text = csa::move_text(&game.position, mv);
        // A comma would end the comment on shogi-server, a line feed the line everywhere.
        let clean = |comment: &str| comment.replace(|letter: char| letter == ',' || letter.is_control(), " ");
        Ok(comment.map_or_else(|| text.clone(), |comment| format!("{text},'* {}", clean(comment))))
    }

    /// Returns `%TORYO`.
    pub fn resign(&mut self) -> Result<&'static str, WrongState> {
        self.special("%TORYO")
    }

    /// Returns `%KACHI`, the declaration of a win.
    pub fn declare(&mut self) -> Result<&'static str, WrongState> {
        self.special("%KACHI")
    }

    /// Returns the keep-alive: an empty line.
    /// Refused before the login, where it would be taken for a wrong one, and after a game.
    pub const fn keep_alive(&self) -> Result<&'static str, WrongState> {
        match self.stage {
            Stage::Waiting | Stage::Offered { .. } | Stage::Agreed(_) | Stage::Playing(_) => Ok(""),
            Stage::LoggedOut | Stage::LoggingIn | Stage::Over(_) => Err(WrongState("a blank line")),
        }
    }

    /// Returns `LOGOUT`. Floodgate wants the connection closed without it; after `AGREE` it would resign.
    pub const fn logout(&self) -> Result<&'static str, WrongState> {
        match self.stage {
            Stage::Waiting | Stage::Offered { .. } => Ok("LOGOUT"),
            _ => Err(WrongState("LOGOUT")),
        }
    }

    fn own_turn(&mut self, line: &'static str) -> Result<&mut Game, WrongState> {
        match &mut self.stage {
            Stage::Playing(game) if game.is_own_turn() => Ok(game),
            _ => Err(WrongState(line)),
        }
    }

    fn special(&mut self, line: &'static str) -> Result<&'static str, WrongState> {
        self.own_turn(line)?.is_answered = true;
        Ok(line)
    }

    /// Takes a line of the server, without its line feed, that arrived at `at`.
    pub fn receive(&mut self, line: &str, at: Instant) -> Event {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(event) = self.offer_line(line, at) {
            return event;
        }
        if line.trim().is_empty() {
            return Event::KeptAlive;
        }
        if let Some(error) = line.strip_prefix("##[ERROR]") {
            return Event::Error(printable(error.trim()));
        }
        self.answer(line, at).unwrap_or_else(|| Event::Unknown(printable(line)))
    }

    /// Takes a line of an offer; `None` if it is no part of one.
    fn offer_line(&mut self, line: &str, at: Instant) -> Option<Event> {
        if line == "BEGIN Game_Summary" {
            // In an offer, the end of the one before was lost.
            let is_free = !matches!(self.stage, Stage::LoggedOut | Stage::LoggingIn | Stage::Playing(_));
            self.offer = is_free.then(|| (at, Box::default()));
            return is_free.then_some(Event::Partial);
        }
        let (_, reader) = self.offer.as_mut()?;
        if line != "END Game_Summary" {
            reader.take(line);
            return Some(Event::Partial);
        }
        let (_, reader) = self.offer.take()?;
        let game_id = reader.game_id.clone();
        let (event, offer) = match reader.finish().map(Arc::new) {
            Ok(summary) => (Event::Offered(Arc::clone(&summary)), Some(summary)),
            Err(error) => (Event::BadOffer(error), None),
        };
        self.stage = Stage::Offered { game_id, offer };
        Some(event)
    }

    /// Takes a line that answers the state; `None` if it has no meaning there.
    fn answer(&mut self, line: &str, at: Instant) -> Option<Event> {
        if line == "LOGOUT:completed" {
            if !matches!(self.stage, Stage::Playing(_)) {
                self.stage = Stage::LoggedOut;
            }
            return Some(Event::LoggedOut);
        }
        match &mut self.stage {
            Stage::LoggingIn => {
                let answer = line.strip_prefix("LOGIN:")?;
                if answer == "incorrect" {
                    self.stage = Stage::LoggedOut;
                    return Some(Event::LoginRefused);
                }
                (answer.strip_suffix(" OK")? == self.user).then(|| {
                    self.stage = Stage::Waiting;
                    Event::LoggedIn
                })
            }
            Stage::Offered { .. } | Stage::Agreed(_) if line.starts_with("REJECT:") => {
                self.stage = Stage::Waiting;
                Some(Event::Rejected(printable(line.split_once(" by ").map_or("", |(_, by)| by))))
            }
            Stage::Agreed(offer) => {
                line.strip_prefix("START:").filter(|id| *id == offer.game_id)?;
                let position = offer.position().ok()?;
                self.stage = Stage::Playing(Box::new(Game::new(offer.clone(), position, at)));
                Some(Event::Started)
            }
            Stage::Playing(game) => match line.as_bytes().first()? {
                b'+' | b'-' => Some(moved(game, line, at)),
                b'%' => Some(Event::Special(printable(line.strip_prefix('%')?.split(',').next()?))),
                b'#' => self.verdict(line.strip_prefix('#')?),
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes a `#` line of a game, without the `#`.
    fn verdict(&mut self, word: &str) -> Option<Event> {
        let Stage::Playing(game) = &mut self.stage else { return None };
        let word = word.trim_end();
        if word.starts_with('#') {
            return None;
        }
        let Ok(outcome) = word.parse() else {
            let cut: String = word.chars().take(40).collect();
            game.reason = cut.parse().ok().filter(|_| !cut.is_empty());
            return Some(Event::Partial);
        };
        let unknown = || match outcome {
            GameOutcome::Interrupted => Reason::Interrupted,
            _ => Reason::Other(NO_REASON.to_owned()),
        };
        let reason = game.reason.take().unwrap_or_else(unknown);
        let Stage::Playing(game) = std::mem::replace(&mut self.stage, Stage::Over(None)) else { return None };
        self.stage = Stage::Over(Some(game));
        Some(Event::Ended(outcome, reason))
    }
}

fn moved(game: &mut Game, line: &str, at: Instant) -> Event {
    if game.is_broken {
        return Event::Unknown(printable(line));
    }
    let (text, rest) = line.split_once(',').unwrap_or((line, ""));
    match game.play(text, charged_ms(rest), at) {
        Ok(moved) => Event::Moved(moved),
        Err(reason) => {
            game.is_broken = true;
            Event::Illegal(printable(line), reason)
        }
    }
}

/// Parses the time in the words after a move, `T12` or `T3.5`: seconds, whatever the unit of the clock.
fn charged_ms(words: &str) -> Option<u64> {
    let time = words.split(',').find_map(|word| word.strip_prefix('T'))?;
    csa::exact_seconds(time.trim_end())
}

/// `text` for messages: no control characters, at most 200 characters.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).take(200).collect()
}

#[cfg(test)]
pub(crate) mod tests;
