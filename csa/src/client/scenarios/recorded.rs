//! The recorded sessions of a real server, line by line.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::protocol::tests::sessions::sessions;

/// The part of one client in a session: the server's steps, the engine's answers, and the
/// ends of its games. `None` where the client did what this one never does.
struct Part {
    steps: Vec<Step>,
    answers: Vec<String>,
    results: Vec<String>,
    /// Games begun, those that a broken connection ended among them.
    games: u32,
    user: String,
    password: String,
}

impl Part {
    fn of(rows: &[[String; 3]], client: &str) -> Option<Self> {
        let mut part = Self {
            steps: Vec::new(),
            answers: Vec::new(),
            results: Vec::new(),
            games: 0,
            user: String::new(),
            password: String::new(),
        };
        let mut protocol = crate::Protocol::new("");
        for [_, way, line] in rows.iter().filter(|[name, ..]| name == client) {
            let at = Instant::now();
            match (way.as_str(), line.as_str()) {
                ("---", "[connect]") => part.steps.push(Accept),
                // This client closes both directions at once.
                ("---", "[shutdown]") => return None,
                // Where the client broke the connection, the server does so here.
                ("---", _) => part.steps.push(Close),
                ("S>C", line) => {
                    part.steps.push(send(line));
                    match protocol.receive(line, at) {
                        crate::Event::Started => part.games += 1,
                        crate::Event::Ended(outcome, reason) => {
                            part.results.push(format!("{} {reason}", outcome.words()[0]));
                        }
                        // A first login that is refused ends the program.
                        crate::Event::LoginRefused => return None,
                        _ => {}
                    }
                }
                ("C>S", "") => {}
                // The end of the script; this client closes the socket in place of it.
                ("C>S", "LOGOUT") if protocol.logout().is_ok() => break,
                ("C>S", line) => {
                    let words: Vec<&str> = line.split(' ').collect();
                    match words[..] {
                        ["LOGIN", user, password] => {
                            if !part.user.is_empty() && part.password != password {
                                return None;
                            }
                            protocol = crate::Protocol::new(user);
                            protocol.login(password).ok()?;
                            (part.user, part.password) = (user.to_owned(), password.to_owned());
                            part.steps.push(expect(line));
                        }
                        ["AGREE", id] => {
                            if protocol.agree().ok()? != format!("AGREE {id}") {
                                return None;
                            }
                            part.steps.push(expect(line));
                        }
                        ["%TORYO"] => {
                            protocol.resign().ok()?;
                            part.answers.push("resign".to_owned());
                            part.steps.push(expect(line));
                        }
                        ["%KACHI"] => {
                            let game = protocol.game()?;
                            let is_won = game.position.declaration(game.summary.declaration);
                            if is_won != enbu_movegen::Declaration::Win {
                                return None;
                            }
                            protocol.declare().ok()?;
                            part.answers.push("win".to_owned());
                            part.steps.push(expect(line));
                        }
                        _ => {
                            let text = line.split(',').next()?;
                            let mv = enbu_kifu::csa::legal_move(&protocol.game()?.position, text).ok()?;
                            protocol.play(mv, None).ok()?;
                            part.answers.push(mv.to_string());
                            part.steps.push(expect(text));
                        }
                    }
                }
                _ => return None,
            }
        }
        (!part.user.is_empty() && !part.steps.is_empty()).then_some(part)
    }
}

/// Plays the part of one client of a session; returns the number of its results.
fn play_part(name: &str, part: Part) -> usize {
    let expected = part.results;
    let mut scenario = Scenario::new(part.steps).games(part.games.max(1));
    scenario.answers = part.answers;
    (scenario.user, scenario.password) = (part.user, part.password);
    let found = scenario.play();
    let with_result: Vec<String> =
        found.results().into_iter().filter(|result| !result.starts_with("unknown")).collect();
    assert_eq!(with_result, expected, "{name}: {:?}", found.notices);
    for record in &found.records {
        let reading = enbu_kifu::csa::read(record, enbu_kifu::Mode::Strict).unwrap();
        assert!(reading.records.len() == 1 && reading.errors.is_empty(), "{name}");
    }
    expected.len()
}

#[test]
fn the_client_plays_every_recorded_session_that_keeps_the_protocol() {
    // The sessions wait more than they work.
    const THREADS: usize = 16;
    let sessions = sessions();
    let parts = sessions.iter().flat_map(|(name, rows)| {
        ["a", "b", "c"].iter().filter_map(move |client| Some((format!("{name} {client}"), Part::of(rows, client)?)))
    });
    let parts = Mutex::new(parts.collect::<Vec<_>>());
    let (played, results) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let Some((name, part)) = parts.lock().pop() else { break };
                    results.fetch_add(play_part(&name, part), Ordering::Relaxed);
                    played.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let (played, results) = (played.into_inner(), results.into_inner());
    let count = sessions.len();
    assert!(played >= 100 && results >= 100, "{played} parts of {count} sessions, {results} results");
}
