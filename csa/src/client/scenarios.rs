//! The client against a scripted server over loopback sockets.

mod broken;
mod games;
mod recorded;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded, unbounded};
use enbu_usi::client::{Answer, LastReport};
use enbu_usi::{BestMove, Clock, GameResult, OptionKind, OptionSpec, OptionValue, Score};
use parking_lot::Mutex;

use super::*;
use crate::player::{Request, Waker};

/// The password in every scenario; it must not appear anywhere.
const PASSWORD: &str = "trip-of-a-test";

/// Longer than anything here can take; only a failing test waits so long.
const PATIENCE: Duration = Duration::from_mins(2);

/// One act of the server.
#[derive(Clone, Debug)]
enum Step {
    /// Waits for a connection.
    Accept,
    /// Sends lines, each with its line feed.
    Send(String),
    /// Sends bytes as they are.
    Raw(Vec<u8>),
    /// Waits for a line; it must begin so. Blank lines are passed over.
    Expect(String),
    /// Checks that no line arrives for 150 ms.
    Silence,
    /// Waits.
    Pause(u64),
    /// Closes the connection.
    Close,
    /// Waits until the client has closed the connection.
    AwaitClose,
    /// Refuses connections for a time in milliseconds.
    Away(u64),
    /// Interrupts the client.
    Halt(Halt),
}

use Step::{Accept, Close, Expect, Pause, Raw, Send, Silence};

fn send(text: &str) -> Step {
    Send(text.to_owned())
}

fn expect(text: &str) -> Step {
    Expect(text.to_owned())
}

/// Login and answer.
fn login() -> Vec<Step> {
    vec![Accept, expect("LOGIN enbu "), send("LOGIN:enbu OK")]
}

/// The lines of an offer; `extra` replaces the clock.
fn offer(id: &str, side: char, clock: &str) -> String {
    format!(
        "BEGIN Game_Summary\nProtocol_Version:1.2\nFormat:Shogi 1.0\nDeclaration:Jishogi 1.1\nGame_ID:{id}\nName+:A\nName-:B\n\
         Your_Turn:{side}\nTo_Move:+\nMax_Moves:256\n{clock}\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary"
    )
}

const CLOCK: &str = "BEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nByoyomi:10\nEND Time";

/// Offer, agreement and start.
fn begin(id: &str, side: char) -> Vec<Step> {
    vec![send(&offer(id, side, CLOCK)), expect(&format!("AGREE {id}")), send(&format!("START:{id}"))]
}

/// A game that the client loses by resigning at once, or after the first move as White.
fn short_game(id: &str, side: char) -> Vec<Step> {
    let mut steps = begin(id, side);
    if side == '-' {
        steps.push(send("+7776FU,T1"));
    }
    steps.extend([expect("%TORYO"), send("%TORYO\n#RESIGN\n#LOSE"), Close]);
    steps
}

/// Engine whose answers are a list: moves, `resign`, `win`, `dies`, or any other text.
/// An answer `A>B` ponders on B; `hangs` gives none before `stop`, `mute` none at all. At the end of the list it resigns.
struct Scripted {
    answers: VecDeque<String>,
    calls: Arc<Mutex<Vec<String>>>,
    clocks: Arc<Mutex<Vec<Clock>>>,
    ready: Option<String>,
    waker: Waker,
    pondering: bool,
    is_mute: bool,
}

impl Scripted {
    fn give(&mut self) {
        self.ready = Some(self.answers.pop_front().unwrap_or_else(|| "resign".to_owned()));
        (self.waker)();
    }
}

impl Player for Scripted {
    fn options(&self) -> Vec<OptionSpec> {
        let choices = ["NoEnteringKing", "CSARule24", "CSARule27"].map(str::to_owned).to_vec();
        vec![
            OptionSpec::new("MaxMovesToDraw", OptionKind::Spin { min: 0, max: 1000 }, OptionValue::Spin(0)),
            OptionSpec::new("EnteringKingRule", OptionKind::Combo(choices), OptionValue::Text("CSARule24".to_owned())),
        ]
    }
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), PlayerError> {
        self.calls.lock().push(format!("{name}={}", value.unwrap_or_default()));
        Ok(())
    }
    fn option_text(&self, name: &str) -> Option<String> {
        (name == "NetworkDelay2").then(|| "100".to_owned())
    }
    fn prepare(&mut self) -> Result<(), PlayerError> {
        self.calls.lock().push("prepare".to_owned());
        Ok(())
    }
    fn revive(&mut self) -> Result<(), PlayerError> {
        self.calls.lock().push("revive".to_owned());
        self.ready = None;
        self.is_mute = false;
        Ok(())
    }
    fn go(&mut self, request: &Request, ponder: Pondering) -> Result<(), PlayerError> {
        let last = request.moves.last().map(ToString::to_string).unwrap_or_default();
        self.calls.lock().push(format!("go {ponder:?} {last}"));
        self.clocks.lock().push(request.clock);
        self.pondering = ponder == Pondering::Yes;
        if !self.pondering {
            self.give();
        }
        Ok(())
    }
    fn ponder_hit(&mut self, clock: &Clock, _: Instant) -> Result<(), PlayerError> {
        self.calls.lock().push("hit".to_owned());
        self.clocks.lock().push(*clock);
        self.pondering = false;
        self.give();
        Ok(())
    }
    fn stop(&mut self) -> Result<(), PlayerError> {
        self.calls.lock().push("stop".to_owned());
        if !self.is_mute {
            self.ready = Some("9i9h".to_owned());
            (self.waker)();
        }
        Ok(())
    }
    fn poll(&mut self) -> Result<Option<Answer>, PlayerError> {
        let Some(text) = self.ready.take() else { return Ok(None) };
        let (text, expected) = text.split_once('>').map_or((text.as_str(), None), |(mv, reply)| (mv, Some(reply)));
        let mut report = LastReport { score: Some(Score::Cp(55)), ..LastReport::default() };
        let best = match text {
            "dies" => return Err(PlayerError::Died(enbu_language::Both::of("ended with signal 6"))),
            "hangs" => return Ok(None),
            "mute" => {
                self.is_mute = true;
                return Ok(None);
            }
            "resign" => Ok(BestMove::Resign),
            "win" => Ok(BestMove::Win),
            text => text.parse().map_err(|_| text.to_owned()).map(|best| {
                report.pv = std::iter::once(best).chain(expected.map(|text| text.parse().unwrap())).collect();
                BestMove::Play { best, ponder: expected.map(|text| text.parse().unwrap()) }
            }),
        };
        Ok(Some(Answer { best, ponder_fault: None, at: Instant::now(), report }))
    }
    fn game_over(&mut self, result: GameResult) {
        self.calls.lock().push(format!("gameover {result:?}"));
    }
}

/// Everything that the client reported.
#[derive(Default)]
struct Heard {
    notices: Vec<String>,
    lines: Vec<String>,
    games: Vec<GameReport>,
}

impl Listener for Heard {
    fn notice(&mut self, text: &str) {
        self.notices.push(text.to_owned());
    }
    fn status(&mut self, _: &str) {}
    fn line(&mut self, _: Direction, text: &str) {
        self.lines.push(text.to_owned());
    }
    fn game(&mut self, report: &GameReport, tally: &Tally) {
        assert!(report.line(tally).contains("rating gain unknown"));
        self.games.push(report.clone());
    }
}

/// Result of a scenario.
struct Played {
    result: Result<Tally, ClientError>,
    notices: Vec<String>,
    games: Vec<GameReport>,
    calls: Vec<String>,
    clocks: Vec<Clock>,
    records: Vec<String>,
    /// Lines that the server received.
    received: Vec<String>,
}

impl Played {
    fn tally(&self) -> Tally {
        *self.result.as_ref().unwrap()
    }

    /// Results of the games, as `result reason`.
    fn results(&self) -> Vec<String> {
        self.games.iter().map(|game| format!("{} {}", game.result, game.reason)).collect()
    }

    fn noticed(&self, text: &str) -> bool {
        self.notices.iter().any(|notice| notice.contains(text))
    }
}

/// A scenario: the acts of the server, the answers of the engine, the number of games.
struct Scenario {
    steps: Vec<Step>,
    answers: Vec<String>,
    games: u32,
    game: Option<String>,
    ponder: Pondering,
    user: String,
    password: String,
    limits: Limits,
    backoff: Backoff,
}

impl Scenario {
    fn new(steps: Vec<Step>) -> Self {
        Self {
            steps,
            answers: Vec::new(),
            games: 1,
            game: None,
            ponder: Pondering::No,
            user: "enbu".to_owned(),
            password: PASSWORD.to_owned(),
            limits: Limits::default(),
            backoff: Backoff { first: Duration::from_millis(5), longest: Duration::from_millis(20) },
        }
    }

    /// With limits of `ms` for everything.
    fn impatient(self, ms: u64) -> Self {
        let limit = Duration::from_millis(ms);
        let limits = Limits { login: limit, start: limit, server: limit, engine: limit, verdict: limit };
        Self { limits, ..self }
    }

    fn answers(mut self, answers: &[&str]) -> Self {
        self.answers = answers.iter().map(|&answer| answer.to_owned()).collect();
        self
    }

    fn games(self, games: u32) -> Self {
        Self { games, ..self }
    }

    fn play(self) -> Played {
        let dir = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (halt, halts) = unbounded();
        let server = serve(listener, self.steps, halt.clone());
        let (wake, wakes) = bounded(1);
        let (calls, clocks) = (Arc::default(), Arc::default());
        let player = Scripted {
            answers: self.answers.into(),
            calls: Arc::clone(&calls),
            clocks: Arc::clone(&clocks),
            ready: None,
            waker: Arc::new(move || _ = wake.try_send(())),
            pondering: false,
            is_mute: false,
        };
        let settings = Settings {
            host: "127.0.0.1".to_owned(),
            port,
            user: self.user,
            password: Secret::new(&self.password).unwrap(),
            game: self.game,
            games: Some(self.games),
            records: Some(RecordFiles { dir: dir.path().to_owned(), kif: true }),
            ponder: self.ponder,
            margin: Duration::from_millis(100),
            keepalive: LEAST_KEEPALIVE,
            backoff: self.backoff,
            limits: self.limits,
            seed: 1,
        };
        let mut heard = Heard::default();
        // The client ends when the script has, in case it waits for more.
        let (done, is_done) = unbounded();
        let waiter = thread::spawn(move || {
            let received = server.join();
            let _ = is_done.recv_timeout(Duration::from_millis(1500));
            let _ = halt.send(Halt::Now);
            let _ = halt.send(Halt::Now);
            received
        });
        let result = Client::new(settings, Box::new(player), wakes, halts, &mut heard).and_then(Client::run);
        let _ = done.send(());
        let received = waiter.join().unwrap().unwrap_or_else(|fault| std::panic::resume_unwind(fault));
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(paths.iter().all(|path| path.extension().is_some_and(|end| end == "csa" || end == "kif")), "{paths:?}");
        let csa = paths.iter().filter(|path| path.extension().is_some_and(|end| end == "csa"));
        let records: Vec<String> = csa.map(|path| std::fs::read_to_string(path).unwrap()).collect();
        let Heard { notices, lines, games } = heard;
        let reports: Vec<String> = games.iter().map(|game| serde_json::to_string(game).unwrap()).collect();
        for text in notices.iter().chain(&lines).chain(&records).chain(&reports) {
            assert!(!text.contains(PASSWORD), "{text}");
        }
        let (calls, clocks) = (calls.lock().clone(), clocks.lock().clone());
        Played { result, notices, games, calls, clocks, records, received }
    }
}

/// The next connection, which must come within [`PATIENCE`].
fn accept(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            return stream;
        }
        assert!(Instant::now() < deadline, "the client does not connect");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Plays the server's part in a thread, and returns the lines received.
fn serve(mut listener: TcpListener, steps: Vec<Step>, halt: Sender<Halt>) -> JoinHandle<Vec<String>> {
    thread::spawn(move || {
        let mut received = Vec::new();
        let mut connection: Option<(TcpStream, BufReader<TcpStream>)> = None;
        for step in steps {
            match step {
                Accept => {
                    let stream = accept(&listener);
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                    stream.set_nodelay(true).unwrap();
                    connection = Some((stream.try_clone().unwrap(), BufReader::new(stream)));
                }
                Send(text) => {
                    // A client that has left is found by the next expectation.
                    let _ = connection.as_mut().unwrap().0.write_all(format!("{text}\n").as_bytes());
                }
                Raw(bytes) => _ = connection.as_mut().unwrap().0.write_all(&bytes),
                Expect(start) => {
                    let mut line = String::new();
                    while line.trim().is_empty() {
                        line.clear();
                        let count = connection.as_mut().unwrap().1.read_line(&mut line).unwrap();
                        assert!(count > 0, "the client left before {start}; it sent {received:?}");
                    }
                    let line = line.trim_end_matches('\n').to_owned();
                    assert!(line.starts_with(&start), "{line} in place of {start}");
                    received.push(line);
                }
                Silence => {
                    let stream = &connection.as_ref().unwrap().0;
                    stream.set_read_timeout(Some(Duration::from_millis(150))).unwrap();
                    let mut line = String::new();
                    let read = connection.as_mut().unwrap().1.read_line(&mut line);
                    assert!(!matches!(read, Ok(count) if count > 0), "{line} in place of silence");
                    let stream = &connection.as_ref().unwrap().0;
                    stream.set_read_timeout(Some(PATIENCE)).unwrap();
                }
                Pause(ms) => thread::sleep(Duration::from_millis(ms)),
                Close => connection = None,
                Step::AwaitClose => {
                    let mut line = String::new();
                    while connection.as_mut().unwrap().1.read_line(&mut line).is_ok_and(|count| count > 0) {
                        received.push(std::mem::take(&mut line));
                    }
                }
                Step::Away(ms) => {
                    let address = listener.local_addr().unwrap();
                    connection = None;
                    drop(listener);
                    thread::sleep(Duration::from_millis(ms));
                    listener = TcpListener::bind(address).unwrap();
                }
                Step::Halt(how) => halt.send(how).unwrap(),
            }
        }
        received
    })
}
