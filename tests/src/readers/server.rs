//! Lines of a CSA server, as a client meets them.

use std::time::Instant;

use enbu_csa::{Event, Protocol, Summary};

use super::check_message;
use crate::positions::legal_moves;

pub(super) fn examine(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    if let Err(error) = Summary::parse(&lines) {
        check_message(error);
    }
    let now = Instant::now();
    for agrees in [true, false] {
        let mut protocol = Protocol::new("enbu");
        protocol.login("secret").unwrap_or_else(|error| panic!("{error}"));
        for line in &lines {
            match protocol.receive(line, now) {
                Event::Offered(_) if agrees => drop(protocol.agree()),
                Event::Offered(_) | Event::BadOffer(_) => drop(protocol.reject()),
                Event::Illegal(line, reason) => [line, reason.english, reason.japanese].iter().for_each(check_message),
                Event::Error(text) | Event::Unknown(text) => assert!(!text.contains(char::is_control), "{text:?}"),
                _ => answer(&mut protocol),
            }
        }
    }
}

/// Answers on the own turn, as an engine does.
fn answer(protocol: &mut Protocol) {
    let Some(game) = protocol.game().filter(|game| game.is_own_turn()) else { return };
    let sent = match legal_moves(&game.position).first() {
        Some(&mv) => protocol.play(mv, Some("30 7g7f")),
        None => protocol.resign().map(str::to_owned),
    };
    // After the end of a game there is nothing to say.
    if let Ok(line) = sent {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

const OFFER: &str = "LOGIN:enbu OK
BEGIN Game_Summary
Protocol_Version:1.2
Protocol_Mode:Server
Format:Shogi 1.0
Declaration:Jishogi 1.1
Game_ID:test-60-10+enbu+other+20261122
Name+:enbu
Name-:other
Your_Turn:+
Rematch_On_Draw:NO
To_Move:+
Max_Moves:256
BEGIN Time
Time_Unit:1sec
Total_Time:60
Byoyomi:10
Increment:0
Least_Time_Per_Move:0
END Time
BEGIN Position
PI
+
+2726FU,T12
-3334FU,T6
END Position
END Game_Summary
";

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let games = [
        "START:test-60-10+enbu+other+20261122\n+7776FU,T3\n-8384FU,T4\n+2625FU,T1\n%TORYO,T2\n#RESIGN\n#WIN\n",
        "START:test-60-10+enbu+other+20261122\n\n+9796FU,T0\n#TIME_UP\n#LOSE\n",
        "REJECT:test-60-10+enbu+other+20261122 by other\n##[ERROR] no\nLOGOUT:completed\n",
        "START:test-60-10+enbu+other+20261122\n+1716FU,T1\n-4344FU,T1\n#SENNICHITE\n#DRAW\n#MAX_MOVES\n#CENSORED\n",
    ];
    games.map(|game| format!("{OFFER}{game}").into_bytes()).to_vec()
}
