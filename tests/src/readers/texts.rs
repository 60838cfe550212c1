//! Files of text that commands read: openings, engines, results of matches, states of
//! tunings, reports of analyses.

use std::fs;

use enbu_analysis::GameReport;
use enbu_arena::openings::{self, Opening};
use enbu_arena::spsa::State;
use enbu_arena::{EngineSpec, Rules, results};

use super::check_message;

pub(super) fn examine(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match openings::read(&text, Rules::default()) {
        Ok(found) => found.iter().for_each(written_again),
        Err(error) => check_message(error),
    }
    if let Err(error) = EngineSpec::from_words(text.split_whitespace()) {
        check_message(error);
    }
    if let Ok(report) = GameReport::from_json(&text) {
        assert!(GameReport::from_json(&report.to_json()).is_ok());
    }
    let file = tempfile::NamedTempFile::new().unwrap_or_else(|error| panic!("{error}"));
    fs::write(file.path(), bytes).unwrap_or_else(|error| panic!("{error}"));
    match results::read(file.path()) {
        // A record whose moves are illegal has no CSA form.
        Ok(contents) => contents.games.iter().for_each(|game| drop(game.to_csa())),
        Err(error) => check_message(error),
    }
    if let Err(error) = State::load(file.path()) {
        check_message(error);
    }
}

fn written_again(opening: &Opening) {
    assert_eq!(opening.to_string().parse::<Opening>().as_ref(), Ok(opening));
}

/// A line of the results of a match.
const GAME: &str = concat!(
    r#"{"match":"861112c5d9f6658a","game":0,"pair":0,"name1":"new","name2":"old","tc1":"nodes=500","tc2":"nodes=500","#,
    r#""black":"old","white":"new","engine1":"w","score1":0.0,"reason":"resign","plies":3,"opening":"startpos","#,
    r#""opening_moves":1,"moves":"7g7f 3c3d 2g2f","log":[{"move":"3c3d","ms":12.4,"score":"35","depth":3,"nodes":500},"#,
    r##"{"move":"2g2f","ms":99.6,"score":"#-4"},{"move":"resign","ms":3.0}],"over_ms":0.0,"stall_ms":2.5,"text":"","##,
    r#""faults1":{},"faults2":{"bad_pv":2}}"#,
    "\n"
);

/// The state of a tuning.
const STATE: &str = r#"{"format":"enbu tune","version":1,"conditions":{"engine":"Enbu"},
"plan":{"iterations":10,"pairs":1,"seed":3,"rate":0.002},"done":1,"games":{"won":1,"drawn":0,"lost":1},
"parameters":[{"name":"a","start":10,"min":0,"max":20,"step":2.0}],"values":[10.5]}"#;

pub(super) fn seeds() -> Vec<Vec<u8>> {
    [
        "# openings\nstartpos moves 7g7f 3c3d\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n",
        "[[engine]]\nname = \"a\"\ncommand = \"./enbu\"\ntc = \"10+0.1\"\nponder = true\n\n[engine.options]\nHash = 64\n",
        "./enbu name=a tc=nodes=100 option.USI_Hash=16 dir=/tmp ponder=on\n",
        GAME,
        STATE,
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
