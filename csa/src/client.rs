//! The client: logs in, plays, writes records, and logs in again.
//!
//! | end of a session | next login |
//! |---|---|
//! | the game ended with a result | at once |
//! | connection lost, game refused, silence | after a pause that grows from 10 s to 5 min |
//! | the first connection or login refused, unknown game, engine that cannot be started | none: an error |
//! | interrupted, or all games played | none |
//!
//! The socket is closed without `LOGOUT`, as floodgate wants it. An interruption first ends
//! the program after the game; a second one resigns on the own turn, or closes the
//! connection if that turn is not near.

mod game;
mod report;
mod session;

use std::fmt::Display;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};
use enbu_language::{messages, pick, text};
use enbu_movegen::EnteringKingRule;

use crate::player::{Player, PlayerError, Pondering, Thinker};
use crate::record::{RecordFiles, recover};
use crate::secret::Secret;
use crate::timing::{Backoff, EchoDelay, Pauses};

pub use report::{GameReport, Tally};

use session::{Session, SessionEnd, SessionError};

/// Settings of the client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Host name or address of the server.
    pub host: String,
    /// Port of the server.
    pub port: u16,
    /// Name on the server.
    pub user: String,
    /// Password, on floodgate the trip.
    pub password: Secret,
    /// Game on shogi-server, such as `floodgate-300-10F`; sent before the password.
    pub game: Option<String>,
    /// Number of games; `None` for no end.
    pub games: Option<u32>,
    /// Folder of records; `None` for no records.
    pub records: Option<RecordFiles>,
    /// Thinking on the opponent's time.
    pub ponder: Pondering,
    /// Least margin for the network with engines that have no option `NetworkDelay2`.
    pub margin: Duration,
    /// Silence after which a blank line is sent.
    pub keepalive: Duration,
    /// Pauses after errors.
    pub backoff: Backoff,
    /// Longest silence of the server and the engine.
    pub limits: Limits,
    /// Seed of the jitter of the pauses.
    pub seed: u64,
}

/// Longest silence of the server and the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the answer to `LOGIN`.
    pub login: Duration,
    /// From `AGREE` to `START`. shogi-server rejects after 120 s.
    pub start: Duration,
    /// Silence of the server past a side's time that means the end of the connection.
    /// shogi-server notices a silent player 60 s after his last line.
    pub server: Duration,
    /// Time past the own clock after which the engine counts as silent.
    pub engine: Duration,
    /// For the server's verdict on an illegal move.
    pub verdict: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let [one_minute, three_minutes] = [60, 180].map(Duration::from_secs);
        Self { login: one_minute, start: three_minutes, server: three_minutes, engine: one_minute, verdict: one_minute }
    }
}

/// Port of CSA servers.
pub const DEFAULT_PORT: u16 = 4081;

/// Least interval of keep-alive lines that the protocol permits.
pub const LEAST_KEEPALIVE: Duration = Duration::from_secs(30);

/// Size of the lines of one connection from the server that a [`Listener`] gets, in bytes.
const MAX_TRACE_BYTES: usize = 16 << 20;

/// Longest name or game of the protocol, in bytes.
const MAX_NAME_BYTES: usize = 32;

impl Settings {
    /// Checks the names: the login line holds no blanks, and a game name that shogi-server
    /// does not understand would silently become another game.
    pub fn check(&self) -> Result<(), ClientError> {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-@.".contains(letter);
        if self.user.is_empty() || self.user.len() > MAX_NAME_BYTES || !self.user.chars().all(is_word) {
            return Err(ClientError::User(cut(&self.user)));
        }
        match &self.game {
            Some(game) if !is_game_name(game) => Err(ClientError::UnknownGame(cut(game))),
            Some(game) if game.starts_with("floodgate-") && (game.ends_with("-B") || game.ends_with("-W")) => {
                Err(ClientError::NoWish(cut(game)))
            }
            _ => Ok(()),
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(40).collect()
}

/// Returns true for `NAME-SECONDS-SECONDS[F][-B|-W]`.
fn is_game_name(text: &str) -> bool {
    let stem = text.strip_suffix("-B").or(text.strip_suffix("-W")).unwrap_or(text);
    let stem = stem.strip_suffix('F').unwrap_or(stem);
    let mut parts = stem.rsplitn(3, '-');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let are_numbers = is_number(parts.next()) && is_number(parts.next());
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    are_numbers && parts.next().is_some_and(is_name)
}

/// Interruption by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Halt {
    /// Stop after the game.
    AfterGame,
    /// Resign and stop.
    Now,
}

/// Direction of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the server.
    Sent,
    /// From the server.
    Received,
}

/// Receives the reports of the client. No text contains the password.
pub trait Listener {
    /// Something for a person to read.
    fn notice(&mut self, text: &str);
    /// The state, for a line that is replaced by the next one.
    fn status(&mut self, text: &str);
    /// A line to or from the server.
    fn line(&mut self, direction: Direction, text: &str);
    /// A game has ended.
    fn game(&mut self, report: &GameReport, tally: &Tally);
}

messages! {
/// Reason for the end of the client before its games were played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum ClientError {
    User(user: String) =>
        "user `{user}`: 1 to 32 letters, digits or _ - @ . are needed", "ログイン名 `{user}`：半角英数字と _ - @ . で 1～32 文字にしてください";
    UnknownGame(game: String) =>
        "unknown game `{game}`: a name like floodgate-300-10F is needed (NAME-SECONDS-BYOYOMI or NAME-SECONDS-INCREMENTF)",
        "ゲーム名 `{game}`：floodgate-300-10F のような名前にしてください（名前-持ち時間の秒数-秒読み、または名前-持ち時間の秒数-加算F）";
    NoWish(game: String) => "game `{game}`: floodgate takes no wish for a side", "ゲーム名 `{game}`：floodgate では先後を希望できません";
    Connect(server: String, reason: String) => "cannot connect to {server}: {reason}", "{server} に接続できません：{reason}";
    Login(server: String, user: String) =>
        "{server} refused the login of {user}: wrong password, or the name is in use", "{server} が {user} のログインを拒否しました：パスワードが違うか、名前が使用中です";
    Refused(server: String, reason: String) => "{server}: {reason}", "{server}：{reason}";
    Engine(#[from] error: PlayerError) => "{error}", "{error}";
    Records(text: String) => "records: {text}", "棋譜：{text}";
}}

/// A client and its engine.
pub struct Client<'l> {
    settings: Settings,
    thinker: Thinker,
    wake: Receiver<()>,
    halts: Receiver<Halt>,
    listener: &'l mut dyn Listener,
    delay: EchoDelay,
    tally: Tally,
    halt: Option<Halt>,
    was_logged_in: bool,
    /// Largest delay that the engine itself keeps free, if it has the option.
    own_margin: Option<Duration>,
    /// Limit of moves and rule of declarations that the engine was given.
    rules: Option<(Option<u32>, EnteringKingRule)>,
    trace_room: usize,
}

impl<'l> Client<'l> {
    /// A client that plays by `player`, which wakes it through `wake`, until `halts`
    /// interrupts it.
    pub fn new(
        settings: Settings,
        player: Box<dyn Player>,
        wake: Receiver<()>,
        halts: Receiver<Halt>,
        listener: &'l mut dyn Listener,
    ) -> Result<Self, ClientError> {
        settings.check()?;
        let own_margin = player.option_text("NetworkDelay2").and_then(|text| text.parse().ok());
        let own_margin = own_margin.map(Duration::from_millis);
        Ok(Self {
            settings,
            thinker: Thinker::new(player),
            wake,
            halts,
            listener,
            delay: EchoDelay::default(),
            tally: Tally::default(),
            halt: None,
            was_logged_in: false,
            own_margin,
            rules: None,
            trace_room: MAX_TRACE_BYTES,
        })
    }

    /// Plays until the games are played, the user interrupts, or an error permits no further game.
    pub fn run(mut self) -> Result<Tally, ClientError> {
        self.recover()?;
        let mut pauses = Pauses::new(self.settings.backoff, self.settings.seed);
        loop {
            self.take_halts();
            if self.halt.is_some() || self.settings.games.is_some_and(|games| self.tally.games >= games) {
                return Ok(self.tally);
            }
            if let Err(error) = self.thinker.prepare() {
                self.take_halts();
                return if self.halt.is_some() { Ok(self.tally) } else { Err(error.into()) };
            }
            match Session::run(&mut self) {
                Ok(SessionEnd::Played) => pauses.reset(),
                Ok(SessionEnd::Halted) => return Ok(self.tally),
                Err(SessionError::Fatal(error)) => return Err(error),
                Err(SessionError::Lost { reason, game_was_begun }) => {
                    if game_was_begun {
                        pauses.reset();
                    }
                    let pause = pauses.next();
                    let seconds = pause.as_secs_f64().ceil();
                    let text = text!("{reason}; next login in {seconds} s", "{reason}。{seconds} 秒後に再ログイン");
                    self.notice(text);
                    if self.wait(pause) {
                        return Ok(self.tally);
                    }
                }
            }
        }
    }

    fn recover(&mut self) -> Result<(), ClientError> {
        let Some(files) = &self.settings.records else { return Ok(()) };
        let wrong = |error| ClientError::Records(format!("{}: {}", files.dir.display(), enbu_files::reason(&error)));
        std::fs::create_dir_all(&files.dir).map_err(wrong)?;
        enbu_files::check_writable(&files.dir.join("enbu.check"), enbu_files::Existing::Keep).map_err(wrong)?;
        for path in recover(&files.dir).map_err(wrong)? {
            self.notice(text!("recovered {}", "中断された対局の棋譜を復元しました：{}", path.display()));
        }
        Ok(())
    }

    /// Pauses before a new login; returns true if the user interrupts.
    fn wait(&mut self, pause: Duration) -> bool {
        self.status(pick("waiting for the next login", "次のログインまで待機中"));
        let halt = self.halts.recv_timeout(pause);
        if halt == Err(RecvTimeoutError::Disconnected) {
            std::thread::sleep(pause);
        }
        self.halt = halt.ok().or(self.halt);
        halt.is_ok()
    }

    fn take_halts(&mut self) {
        while let Ok(halt) = self.halts.try_recv() {
            self.halt = self.halt.max(Some(halt));
        }
    }

    fn server(&self) -> String {
        format!("{}:{}", self.settings.host, self.settings.port)
    }

    fn notice(&mut self, text: impl Display) {
        self.listener.notice(&self.settings.password.masked(&text.to_string()));
    }

    fn status(&mut self, text: impl Display) {
        self.listener.status(&self.settings.password.masked(&text.to_string()));
    }

    fn trace(&mut self, direction: Direction, line: &str) {
        if direction == Direction::Received {
            let had_room = self.trace_room > 0;
            self.trace_room = self.trace_room.saturating_sub(line.len() + 1);
            if self.trace_room == 0 {
                if had_room {
                    let text =
                        format!("the other lines of this connection after {} MiB are left out", MAX_TRACE_BYTES >> 20);
                    self.listener.line(direction, &text);
                }
                return;
            }
        }
        self.listener.line(direction, &self.settings.password.masked(line));
    }
}

#[cfg(test)]
mod scenarios;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_names_are_those_of_shogi_server() {
        for name in ["floodgate-300-10F", "test-60-10", "t-1-0-B", "hcrook_x-60-10-W", "a-b-1500-060", "x-0-1F-B"] {
            assert!(is_game_name(name), "{name}");
        }
        for name in ["", "floodgate", "floodgate-300", "floodgate-300-10f", "t-60-10-X", "-60-10", "t--10", "t 1-2-3"] {
            assert!(!is_game_name(name), "{name}");
        }
    }
}
