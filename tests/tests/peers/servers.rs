//! Hostile servers of `enbu csa`, and engines that leave it alone in a game.

use super::*;
use crate::csa::{Link, QUICK, Server, csa};

/// The moment that ends a row.
#[derive(Clone, Copy)]
enum Until {
    /// The text of the verdict, some seconds after the server has played its part.
    Says(f64),
    /// The end of the program after SIGTERM, which is sent when the text was seen.
    Terminated(f64),
}

use Until::{Says, Terminated};

/// Seconds from SIGTERM to the end: for the server and `stop`, and for an engine that ignores `quit`.
const LEAVES: Until = Terminated(3.0);
const KILLS: Until = Terminated(3.0 + 2.0);

/// The engine of a row: Enbu itself, or a fault of `misbehaving`.
const SELF: Option<&str> = None;

/// A name, the engine, the server's part, the text of the verdict, and the end.
type Row = (&'static str, Option<&'static str>, fn(&Server) -> Option<Link>, &'static str, Until);

/// The lines of an offer up to its position.
const OFFER: &str = "BEGIN Game_Summary\nDeclaration:Jishogi 1.1\nGame_ID:g\nName+:A\nName-:B\nYour_Turn:+\nTo_Move:+";

/// Sends an offer with other lines and another position.
fn offer(server: &Server, lines: &str, position: &str) -> Link {
    let mut link = logged_in(server);
    link.send(&format!("{OFFER}\n{lines}\nBEGIN Position\n{position}\nEND Position\nEND Game_Summary"));
    link
}

/// An offer that must be rejected.
fn rejected(server: &Server, lines: &str, position: &str) -> Option<Link> {
    offer(server, lines, position).expect("REJECT g");
    None
}

/// An offer that must be accepted and played.
fn played(server: &Server, lines: &str, answers: &str) -> Option<Link> {
    let mut link = offer(server, lines, "PI\n+");
    link.expect("AGREE g");
    link.send("START:g");
    link.expect("+");
    link.send(answers);
    Some(link)
}

fn logged_in(server: &Server) -> Link {
    let mut link = server.login();
    link.send("LOGIN:enbu OK");
    link
}

/// Sends `text` until `bytes` are sent or the client has gone.
fn flood(link: &mut Link, text: &str, bytes: usize) {
    for _ in 0..bytes / text.len() {
        if !link.try_send(text) {
            return;
        }
    }
}

/// The rows that end in seconds.
const ROWS: &[Row] = &[
    (
        "closes at once",
        SELF,
        |server| {
            drop(server.login());
            None
        },
        "connection lost: closed by the server",
        LEAVES,
    ),
    (
        "closes in a line",
        SELF,
        |server| {
            server.login().try_send("LOGIN:en");
            None
        },
        "8 bytes into a line",
        LEAVES,
    ),
    (
        "one line of 64 MiB",
        SELF,
        |server| {
            let mut link = server.login();
            flood(&mut link, &"x".repeat(1 << 20), 64 << 20);
            None
        },
        "connection lost",
        LEAVES,
    ),
    (
        "lines of 64 KiB",
        SELF,
        |server| {
            let mut link = logged_in(server);
            flood(&mut link, &format!("{}\n", "x".repeat(65_000)), 64 << 20);
            Some(link)
        },
        "are left out",
        LEAVES,
    ),
    (
        "a flood of lines",
        SELF,
        |server| {
            let mut link = logged_in(server);
            flood(&mut link, "##[CHAT] hello\n", 17 << 20);
            Some(link)
        },
        "are left out",
        LEAVES,
    ),
    (
        "a flood of blank lines",
        SELF,
        |server| {
            let mut link = logged_in(server);
            flood(&mut link, &"\n".repeat(1000), 4 << 20);
            Some(link)
        },
        "logged in",
        LEAVES,
    ),
    (
        "random bytes",
        SELF,
        |server| {
            let mut link = logged_in(server);
            flood(&mut link, "\u{1b}[2J\u{7}\u{202e}\r\0", 1 << 20);
            Some(link)
        },
        "logged in",
        LEAVES,
    ),
    (
        "an offer of 20 000 lines of 64 KiB",
        SELF,
        |server| {
            let mut link = logged_in(server);
            link.send(OFFER);
            flood(&mut link, &format!("{}\n", "x".repeat(65_000)), 96 << 20);
            link.send("END Game_Summary");
            link.expect("REJECT g");
            None
        },
        "the game summary has more than 256 KiB",
        LEAVES,
    ),
    (
        "an offer of 300 000 blank lines",
        SELF,
        |server| {
            let mut link = logged_in(server);
            link.send(OFFER);
            flood(&mut link, &" \n".repeat(1000), 600_000);
            link.send("END Game_Summary");
            link.expect("REJECT g");
            None
        },
        "the game summary has more than 256 KiB",
        LEAVES,
    ),
    (
        "an offer without an id",
        SELF,
        |server| {
            let mut link = logged_in(server);
            link.send("BEGIN Game_Summary\nEND Game_Summary");
            link.expect("REJECT");
            None
        },
        "the game summary has no Position",
        LEAVES,
    ),
    (
        "1000 offers",
        SELF,
        |server| {
            let mut link = logged_in(server);
            flood(&mut link, &format!("{OFFER}\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary\n"), 150_000);
            link.expect("AGREE g");
            Some(link)
        },
        "AGREE g",
        LEAVES,
    ),
    (
        "no own king",
        SELF,
        |server| rejected(server, "", "P1 *  *  *  * -OU *  *  *  * \n+"),
        "Black has no king",
        LEAVES,
    ),
    ("nifu", SELF, |server| rejected(server, "", "PI\nP+55FU\n+"), "two pawns on file 5 (nifu)", LEAVES),
    (
        "the opponent in check",
        SELF,
        |server| rejected(server, "", "P-51OU\nP+59OU52HI\n+"),
        "opponent in check",
        LEAVES,
    ),
    ("a dead piece", SELF, |server| rejected(server, "", "P-51OU\nP+59OU11KE\n+"), "can never move", LEAVES),
    ("an illegal move", SELF, |server| rejected(server, "", "PI\n+\n+7775FU"), "illegal move 7g7e", LEAVES),
    (
        "20 000 moves",
        SELF,
        |server| rejected(server, "", &format!("PI\n+\n{}", "+7776FU,T1\n-3334FU,T1\n".repeat(20_000))),
        "more than 256 KiB",
        LEAVES,
    ),
    ("Max_Moves:100001", SELF, |server| played(server, "Max_Moves:100001", "#TIME_UP\n#WIN"), "win (TIME_UP)", LEAVES),
    (
        "Max_Moves of 30 digits",
        SELF,
        |server| played(server, &format!("Max_Moves:{}", "9".repeat(30)), "#TIME_UP\n#WIN"),
        "win (TIME_UP)",
        LEAVES,
    ),
    (
        "the largest clock",
        SELF,
        |server| {
            played(
                server,
                "BEGIN Time\nTime_Unit:86400000min\nTotal_Time:1099511627776\nByoyomi:1099511627776\nIncrement:1099511627776\nDelay:1099511627776\nEND Time",
                "#TIME_UP\n#WIN",
            )
        },
        "win (TIME_UP)",
        LEAVES,
    ),
    (
        "the largest charges",
        SELF,
        |server| {
            let mut link = played(server, "BEGIN Time\nTotal_Time:60\nEND Time", "").unwrap();
            link.send("+5958OU,T999999999\n-5152OU,T999999999\n#TIME_UP\n#WIN");
            Some(link)
        },
        "win (TIME_UP)",
        LEAVES,
    ),
    (
        "another move confirmed",
        SELF,
        |server| played(server, "", "+9998KY,T1\n#TIME_UP\n#WIN"),
        "the server confirmed 9i9h in place of",
        LEAVES,
    ),
    (
        "a move that was not sent",
        Some("silent"),
        |server| {
            let mut link = server.game("g", '+');
            link.send("+9998KY,T1\n#TIME_UP\n#WIN");
            Some(link)
        },
        "the server confirmed 9i9h, and no move was sent",
        LEAVES,
    ),
    ("an illegal move confirmed", SELF, |server| played(server, "", "+9995KY,T1"), "illegal move +9995KY,T1", LEAVES),
    (
        "results before a game",
        SELF,
        |server| {
            let mut link = logged_in(server);
            link.send("#WIN\n#RESIGN\n#LOSE\nSTART:g\n%TORYO");
            Some(link)
        },
        "logged in",
        LEAVES,
    ),
    ("START twice", SELF, |server| played(server, "", "START:g\nSTART:g\n#TIME_UP\n#WIN"), "win (TIME_UP)", LEAVES),
    (
        "a name of 60 kB",
        SELF,
        |server| {
            let mut link = logged_in(server);
            link.send(&format!(
                "{}\nBEGIN Position\nPI\n+\nEND Position\nEND Game_Summary",
                OFFER.replace("Name-:B", &format!("Name-:{}", "B".repeat(60_000)))
            ));
            link.expect("AGREE g");
            Some(link)
        },
        "AGREE g",
        LEAVES,
    ),
    ("silent in the game", SELF, |server| Some(server.game("g", '-')), "resigning", LEAVES),
    (
        "a flood in the game",
        SELF,
        |server| {
            let mut link = server.game("g", '-');
            flood(&mut link, "%TORYO\n#RESIGN\n", 4 << 20);
            Some(link)
        },
        "resigning",
        LEAVES,
    ),
    ("engine: no bestmove in csa", Some("silent"), |server| Some(server.game("g", '+')), "resigning", LEAVES),
    ("engine: a flood in csa", Some("flood"), |server| Some(server.game("g", '+')), "resigning", KILLS),
    (
        "engine: dies in csa, its child holds the pipes",
        Some("forks"),
        |server| {
            let mut link = server.game("g", '+');
            link.resigned();
            Some(link)
        },
        "the engine ended with exit status: 0",
        LEAVES,
    ),
    (
        "engine: no readyok in csa",
        Some("no-readyok"),
        |_| {
            thread::sleep(Duration::from_millis(500));
            None
        },
        "",
        KILLS,
    ),
];

/// The rows that wait for the client's longest limits.
const SLOW: &[Row] = &[
    (
        "no answer to the login",
        SELF,
        |server| {
            drop(logged_in(server));
            Some(server.login())
        },
        "does not answer the login",
        Says(60.0),
    ),
    (
        "no END of the offer",
        SELF,
        |server| {
            let mut link = logged_in(server);
            link.send(OFFER);
            Some(link)
        },
        "the offer of a game does not end",
        Says(180.0),
    ),
    (
        "no START",
        SELF,
        |server| {
            let mut link = offer(server, "", "PI\n+");
            link.expect("AGREE g");
            Some(link)
        },
        "the game does not start",
        Says(180.0),
    ),
    (
        "no verdict on an illegal move",
        SELF,
        |server| played(server, "", "+9995KY,T1"),
        "no verdict on an illegal move",
        Says(60.0),
    ),
    (
        "silent on the opponent's turn",
        SELF,
        |server| {
            let mut link = offer(server, "Your_Turn:-\nBEGIN Time\nTotal_Time:0\nByoyomi:1\nEND Time", "PI\n+");
            link.expect("AGREE g");
            link.send("START:g");
            Some(link)
        },
        "the server is silent",
        Says(181.0),
    ),
    (
        "engine: silent for its time in csa",
        Some("silent"),
        |server| {
            let mut link = offer(server, "BEGIN Time\nTotal_Time:0\nByoyomi:1\nEND Time", "PI\n+");
            link.expect("AGREE g");
            link.send("START:g");
            Some(link)
        },
        "the engine does not answer",
        Says(61.0),
    ),
];

fn play((name, engine, part, says, until): &Row) {
    let server = Server::new();
    let fault = engine.map(|fault| format!("'{}' {fault}", env!("CARGO_BIN_EXE_misbehaving")));
    let invocation = csa(server.port()).with(&["--games", "0"]);
    let invocation = invocation.with(&fault.as_deref().map_or(QUICK.to_vec(), |fault| vec!["--engine", fault]));
    let mut run = Run::start(&invocation);
    let _link = part(&server);
    let seen = || left(&invocation).contains(says);
    let name = if name.starts_with("engine: ") { (*name).to_owned() } else { format!("server: {name}") };
    let (deadline, time) = match *until {
        Says(deadline) => {
            run.since = Instant::now();
            (deadline, run.wait(&name, deadline, seen))
        }
        Terminated(deadline) => {
            // A game in progress is resigned in answer to the signal.
            let begun = || left(&invocation).contains("START:g");
            run.wait(&name, 0.0, || if *says == "resigning" { begun() } else { seen() });
            run.signal("-TERM");
            (deadline, run.wait(&name, deadline, || false))
        }
    };
    judge(&name, &invocation, &run, deadline, time, says);
}

#[test]
fn no_server_delays_or_fills_a_client() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    for_each(ROWS, play);
}

#[test]
fn every_wait_of_a_client_has_a_deadline() {
    if enbu_tests::has_slow_rows() {
        // They only wait.
        thread::scope(|scope| SLOW.iter().for_each(|row| _ = scope.spawn(|| play(row))));
    }
}
