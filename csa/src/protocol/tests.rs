//! Conversations by hand, and every recorded session of a real server.

pub(crate) mod sessions;

use sessions::sessions;

use super::*;
use crate::summary::MAX_BYTES;

const OFFER: &str = "BEGIN Game_Summary\nProtocol_Version:1.2\nGame_ID:g1\nName+:enbu\nName-:other\nYour_Turn:+\n\
    To_Move:+\nBEGIN Time\nTime_Unit:1sec\nTotal_Time:60\nIncrement:2\nEND Time\nBEGIN Position\nPI\n+\nEND Position\n\
    END Game_Summary";

fn waiting() -> Protocol {
    let mut protocol = Protocol::new("enbu");
    protocol.login("secret").unwrap();
    feed(&mut protocol, "LOGIN:enbu OK");
    protocol
}

/// The last event of the lines.
fn feed(protocol: &mut Protocol, lines: &str) -> Event {
    let at = Instant::now();
    lines.split('\n').map(|line| protocol.receive(line, at)).last().unwrap()
}

fn playing(offer: &str) -> Protocol {
    let mut protocol = waiting();
    assert!(matches!(feed(&mut protocol, offer), Event::Offered(_)));
    assert_eq!(protocol.agree().unwrap(), "AGREE g1");
    assert_eq!(feed(&mut protocol, "START:g1"), Event::Started);
    protocol
}

fn mv(text: &str) -> Move {
    text.parse().unwrap()
}

#[test]
fn nothing_can_be_sent_in_a_wrong_state() {
    let refuses_moves = |protocol: &mut Protocol| {
        protocol.play(mv("7g7f"), None).is_err()
            && protocol.resign().is_err()
            && protocol.declare().is_err()
            && protocol.special("%CHUDAN").is_err()
    };
    let mut protocol = Protocol::new("enbu");
    assert!(refuses_moves(&mut protocol) && protocol.keep_alive().is_err() && protocol.logout().is_err());
    protocol.login("x").unwrap();
    assert!(protocol.login("x").is_err() && refuses_moves(&mut protocol) && protocol.keep_alive().is_err());
    feed(&mut protocol, "LOGIN:enbu OK");
    assert!(protocol.agree().is_err() && protocol.reject().is_err() && refuses_moves(&mut protocol));
    assert!(protocol.keep_alive().is_ok() && protocol.logout().is_ok());
    feed(&mut protocol, OFFER);
    assert!(refuses_moves(&mut protocol) && protocol.keep_alive().is_ok());
    protocol.agree().unwrap();
    assert!(refuses_moves(&mut protocol) && protocol.agree().is_err() && protocol.logout().is_err());
    feed(&mut protocol, "START:g1");
    assert!(protocol.play(mv("3c3d"), None).is_err(), "the opponent's move");
    assert!(protocol.play(mv("7g7e"), None).is_err(), "illegal");
    assert_eq!(protocol.play(mv("7g7f"), None).unwrap(), "+7776FU");
    assert!(refuses_moves(&mut protocol), "answered");
    feed(&mut protocol, "+7776FU,T3");
    assert!(refuses_moves(&mut protocol), "the opponent's turn");
    feed(&mut protocol, "-3334FU,T0");
    assert_eq!(protocol.resign().unwrap(), "%TORYO");
    assert!(refuses_moves(&mut protocol));
    feed(&mut protocol, "%TORYO\n#RESIGN\n#LOSE");
    assert_eq!(protocol.state(), State::Over);
    assert!(refuses_moves(&mut protocol) && protocol.keep_alive().is_err());
}

#[test]
fn a_login_is_refused_or_is_of_another_user() {
    let mut protocol = Protocol::new("enbu");
    protocol.login("x").unwrap();
    assert_eq!(feed(&mut protocol, "LOGIN:other OK"), Event::Unknown("LOGIN:other OK".to_owned()));
    assert_eq!(feed(&mut protocol, "LOGIN:incorrect\r"), Event::LoginRefused);
    assert_eq!(protocol.state(), State::LoggedOut);
}

#[test]
fn an_offer_is_replaced_by_the_next_one() {
    let mut protocol = waiting();
    feed(&mut protocol, OFFER);
    feed(&mut protocol, &OFFER.replace("g1", "g2"));
    assert_eq!(protocol.agree().unwrap(), "AGREE g2");
    assert!(matches!(feed(&mut protocol, "START:g1"), Event::Unknown(_)));
    assert_eq!(feed(&mut protocol, "START:g2"), Event::Started);
    assert!(matches!(feed(&mut protocol, OFFER), Event::Unknown(_)), "in a game");
}

#[test]
fn offers_are_rejected_by_either_side() {
    let mut protocol = waiting();
    feed(&mut protocol, OFFER);
    assert_eq!(protocol.reject().unwrap(), "REJECT g1");
    feed(&mut protocol, OFFER);
    protocol.agree().unwrap();
    assert!(protocol.reject().is_err());
    assert_eq!(feed(&mut protocol, "REJECT:g1 by other"), Event::Rejected("other".to_owned()));
    assert_eq!(protocol.state(), State::Waiting);
    assert!(matches!(feed(&mut protocol, &OFFER.replace("PI", "P1-OU")), Event::BadOffer(_)));
    assert!(protocol.agree().is_err());
    assert_eq!(protocol.reject().unwrap(), "REJECT g1");
}

#[test]
fn clocks_follow_the_times_charged() {
    let mut protocol = playing(OFFER);
    protocol.play(mv("7g7f"), None).unwrap();
    let Event::Moved(moved) = feed(&mut protocol, "+7776FU,T12") else { panic!() };
    assert_eq!((moved.color, moved.charged_ms), (Color::Black, 12_000));
    feed(&mut protocol, "-3334FU,T3.5");
    let game = protocol.game().unwrap();
    assert_eq!((game.remaining_ms(Color::Black), game.remaining_ms(Color::White)), (Some(50_000), Some(58_500)));
    feed(&mut protocol, "+2726FU");
    assert_eq!(protocol.game().unwrap().remaining_ms(Color::Black), Some(52_000), "no time: measured here");
    assert_eq!(
        [charged_ms("T1."), charged_ms("'* x,T2"), charged_ms("Tx"), charged_ms("")],
        [Some(1000), Some(2000), None, None]
    );
}

#[test]
fn comments_stay_on_their_line() {
    let mut protocol = playing(OFFER);
    assert_eq!(protocol.play(mv("7g7f"), Some("30 -3334FU,\n%TORYO")).unwrap(), "+7776FU,'* 30 -3334FU  %TORYO");
}

#[test]
fn every_end_is_known() {
    for (lines, outcome, reason) in [
        ("%TORYO\n#RESIGN\n#WIN", GameOutcome::Win, "RESIGN"),
        ("%TORYO,T3\n#RESIGN\n#LOSE", GameOutcome::Lose, "RESIGN"),
        ("#TIME_UP\n#LOSE", GameOutcome::Lose, "TIME_UP"),
        ("#ILLEGAL_MOVE\n#WIN", GameOutcome::Win, "ILLEGAL_MOVE"),
        ("#ILLEGAL_ACTION\n#WIN", GameOutcome::Win, "ILLEGAL_ACTION"),
        ("#SENNICHITE\n#DRAW", GameOutcome::Draw, "SENNICHITE"),
        ("#OUTE_SENNICHITE\n#LOSE", GameOutcome::Lose, "OUTE_SENNICHITE"),
        ("%KACHI,T5\n%KACHI\n#JISHOGI\n#WIN", GameOutcome::Win, "JISHOGI"),
        ("#MAX_MOVES\n#CENSORED", GameOutcome::Censored, "MAX_MOVES"),
        ("#CHUDAN", GameOutcome::Interrupted, "CHUDAN"),
        ("#JISHOGI\n#DRAW", GameOutcome::Draw, "JISHOGI"),
        ("#SOMETHING\n#WIN", GameOutcome::Win, "SOMETHING"),
        ("#LOSE", GameOutcome::Lose, "no reason given"),
    ] {
        let mut protocol = playing(OFFER);
        let Event::Ended(found, why) = feed(&mut protocol, lines) else { panic!("{lines}") };
        assert_eq!((found, why.to_string().as_str()), (outcome, reason));
        assert_eq!(protocol.state(), State::Over);
    }
}

#[test]
fn an_illegal_echo_stops_the_game_until_the_verdict() {
    let mut protocol = playing(&OFFER.replace("Your_Turn:+", "Your_Turn:-"));
    let Event::Illegal(line, reason) = feed(&mut protocol, "+7775FU,T1") else { panic!() };
    assert_eq!(line, "+7775FU,T1");
    assert!(!reason.english.is_empty() && !reason.japanese.is_ascii());
    assert!(protocol.resign().is_err());
    assert!(matches!(feed(&mut protocol, "#ILLEGAL_MOVE\n#WIN"), Event::Ended(GameOutcome::Win, _)));
}

#[test]
fn arbitrary_lines_change_nothing() {
    for mut protocol in [Protocol::new("enbu"), waiting(), playing(OFFER)] {
        let state = protocol.state();
        for line in
            ["", " ", "##[ERROR] x", "##[CHAT] x", "#", "%", "+", "-", "BEGIN Time", "START:", "\u{fffd}", "END x"]
        {
            feed(&mut protocol, line);
        }
        feed(&mut protocol, &"あ".repeat(30_000));
        if state != State::Playing {
            assert_eq!(protocol.state(), state);
        }
    }
    let mut protocol = waiting();
    feed(&mut protocol, "BEGIN Game_Summary");
    feed(&mut protocol, "Game_ID:g");
    for _ in 0..=MAX_BYTES / 1024 {
        feed(&mut protocol, &"x".repeat(1023));
    }
    assert_eq!(feed(&mut protocol, "END Game_Summary"), Event::BadOffer(SummaryError::TooLong));
    assert_eq!(protocol.reject().unwrap(), "REJECT g");
}

/// Follows one client of a session, sending what it sent as far as the protocol permits it.
/// Returns the events that matter and the lines refused.
fn follow(rows: &[[String; 3]], client: &str) -> (Vec<Event>, Vec<String>) {
    let mut protocol = Protocol::new("");
    let (mut events, mut refused) = (Vec::new(), Vec::new());
    let at = Instant::now();
    for [_, way, line] in rows.iter().filter(|[name, ..]| name == client) {
        match way.as_str() {
            "---" if line == "[connect]" => protocol = Protocol::new(""),
            "S>C" => match protocol.receive(line, at) {
                Event::Partial | Event::KeptAlive => {}
                event => events.push(event),
            },
            "C>S" => {
                let words: Vec<&str> = line.split(' ').collect();
                let sent = match words[..] {
                    ["LOGIN", user, password, ..] => {
                        if protocol.state() == State::LoggedOut {
                            protocol = Protocol::new(user);
                        }
                        protocol.login(password)
                    }
                    ["AGREE", ..] => protocol.agree(),
                    ["REJECT", ..] => protocol.reject(),
                    ["%TORYO"] => protocol.resign().map(str::to_owned),
                    ["%KACHI"] => protocol.declare().map(str::to_owned),
                    ["%CHUDAN"] => protocol.special("%CHUDAN").map(str::to_owned),
                    ["LOGOUT"] => protocol.logout().map(str::to_owned),
                    [""] => protocol.keep_alive().map(str::to_owned),
                    _ if line.starts_with(['+', '-']) => {
                        let (text, comment) =
                            line.split_once(",'* ").map_or((line.as_str(), None), |(a, b)| (a, Some(b)));
                        let mv = protocol.game().and_then(|game| csa::legal_move(&game.position, text).ok());
                        match mv {
                            Some(mv) => protocol.play(mv, comment),
                            None => Err(WrongState("a move")),
                        }
                    }
                    _ => Err(WrongState("unknown")),
                };
                match sent {
                    Ok(sent)
                        if sent == *line
                            || line.contains("comma cuts")
                            || line.starts_with("AGREE")
                            || line.starts_with("REJECT") => {}
                    Ok(sent) if line.starts_with("LOGIN") => assert!(line.starts_with(&sent)),
                    Ok(sent) => panic!("{sent} in place of {line}"),
                    Err(_) => refused.push(line.clone()),
                }
            }
            _ => {}
        }
    }
    (events, refused)
}

/// The ends of each recorded game, as the server stated them.
fn ends(rows: &[[String; 3]], client: &str) -> usize {
    let results = ["#WIN", "#LOSE", "#DRAW", "#CENSORED"];
    rows.iter().filter(|[name, way, line]| name == client && way == "S>C" && results.contains(&line.as_str())).count()
}

#[test]
fn every_recorded_session_is_followed_to_its_end() {
    let sessions = sessions();
    assert_eq!(sessions.len(), 104);
    let (mut games, mut moves, mut offers) = (0, 0, 0);
    for (name, rows) in &sessions {
        // Extended mode sends offers and games of others to its monitor.
        for client in ["a", "b", "c"] {
            if name == "x1-two-games" && client == "c" {
                continue;
            }
            let (events, _) = follow(rows, client);
            let ended = events.iter().filter(|event| matches!(event, Event::Ended(..))).count();
            assert_eq!(ended, ends(rows, client), "{name} {client}");
            for event in &events {
                match event {
                    Event::Illegal(..) | Event::BadOffer(_) => panic!("{name} {client}: {event:?}"),
                    Event::Unknown(line) => {
                        let is_extra = line.starts_with("##") || line.starts_with("type ") || line.starts_with('#');
                        let is_late = line.starts_with("REJECT:") || line.starts_with("LOGIN:");
                        assert!(is_extra || is_late, "{name} {client}: {line}");
                    }
                    Event::Moved(_) => moves += 1,
                    Event::Offered(_) => offers += 1,
                    _ => {}
                }
            }
            games += ended;
        }
    }
    assert_eq!((games, moves, offers), (163, 1170, 210));
}

#[test]
fn lines_that_lost_recorded_games_are_refused_here() {
    let sessions = sessions();
    for (name, client, line) in [
        ("move-early", "b", "-3334FU"),
        ("move-before-start", "a", "+7776FU"),
        ("move-sent-twice-late", "a", "+7776FU"),
        ("toryo-out-of-turn", "b", "%TORYO"),
        ("chudan-out-of-turn", "b", "%CHUDAN"),
        ("logout-own-turn", "a", "LOGOUT"),
        ("illegal-nifu-black", "a", "+0075FU"),
        ("illegal-trailing-space-black", "a", "+7776FU "),
        ("login-wrong", "a", ""),
    ] {
        let (_, refused) = follow(&sessions[name], client);
        assert!(refused.contains(&line.to_owned()), "{name}: {refused:?}");
    }
}
