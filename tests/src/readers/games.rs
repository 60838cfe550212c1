//! Files of self-play games and packed positions.

use std::fs;

use enbu_learn::source::{self, Format};
use enbu_learn::{Ending, Game, GameFile, GameResult, Record, ScoredMove, decode_pack, encode_pack};
use enbu_movegen::{Move, Setup};

use super::check_message;
use crate::networks::damage::resealed;

pub(super) fn examine(bytes: &[u8]) {
    for bytes in [bytes, &resealed(bytes.to_vec())] {
        match GameFile::decode(bytes) {
            Ok(file) => games(&file),
            Err(error) => check_message(error),
        }
    }
    match decode_pack(bytes) {
        Ok(games) => games.iter().for_each(replay),
        Err(error) => check_message(error),
    }
    records(bytes);
}

/// Asserts that games survive writing and reading.
fn games(file: &GameFile) {
    file.games.iter().for_each(replay);
    if let Ok(bytes) = file.encode() {
        assert_eq!(GameFile::decode(&bytes).as_ref().ok(), Some(file));
    }
    if let Ok(bytes) = file.encode_archive() {
        let again = GameFile::decode(&bytes).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.games.len(), file.games.len());
    }
}

fn replay(game: &Game) {
    if let Err(error) = game.replay(|_, _| ()) {
        check_message(error);
    }
}

/// Packed positions, by the extensions of their files.
fn records(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    for extension in ["psv", "hcpe"] {
        let path = folder.path().join("a").with_extension(extension);
        assert!(Format::of(&path).is_some());
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{error}"));
        let read = source::read(&path, |sample| {
            // Boards with other numbers of pieces can be read and not packed.
            let record = sample.to_record();
            let _ = (record.to_psv(), record.to_hcpe());
        });
        if let Err(error) = read {
            check_message(error);
        }
    }
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mv = |text: &str| text.parse::<Move>().unwrap_or_else(|error| panic!("{text}: {error}"));
    let setup = |text: &str| text.parse::<Setup>().unwrap_or_else(|error| panic!("{text}: {error}"));
    let moves = |list: &[(&str, i16)]| list.iter().map(|&(text, score)| ScoredMove { mv: mv(text), score }).collect();
    let first = Game {
        start: None,
        opening: vec![mv("7g7f"), mv("3c3d")],
        moves: moves(&[("8h2b+", 30), ("3a2b", -25), ("B*4e", 40)]),
        result: GameResult::Draw,
        ending: Ending::MoveLimit,
    };
    let second = Game {
        start: Some(Box::new(setup("4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1"))),
        opening: Vec::new(),
        moves: moves(&[("G*5b", 31_999)]),
        ..first.clone()
    };
    let file = GameFile { settings: "nodes 100".to_owned(), games: vec![first.clone(), second] };
    let mut pack = Vec::new();
    encode_pack(&Game { opening: Vec::new(), moves: moves(&[("7g7f", 10), ("3c3d", 0)]), ..first }, &mut pack)
        .unwrap_or_else(|error| panic!("{error}"));
    let record = Record { setup: Setup::startpos(), score: 12, mv: Some(mv("7g7f")), result: GameResult::Draw };
    vec![
        file.encode().unwrap_or_else(|error| panic!("{error}")),
        file.encode_archive().unwrap_or_else(|error| panic!("{error}")),
        pack,
        record.to_psv().unwrap_or_else(|error| panic!("{error}")).to_vec(),
        record.to_hcpe().unwrap_or_else(|error| panic!("{error}")).to_vec(),
    ]
}
