//! Whole games of the binary against itself, refereed by movegen.
//!
//! Every answer legal, every line of every report playable, every game ended by a rule.
//!
//! `ENBU_GAMES=5000 cargo test --release -p enbu-tests selfplay:: -- --nocapture` plays as many
//! with each limit, and checks the memory of the processes.

use std::time::Instant;

use enbu_movegen::{Declaration, EnteringKingRule, Move, Position, Ruling};
use enbu_tests::positions::{Walk, legal_moves};
use enbu_tests::session::Session;

const MAX_PLIES: u32 = 320;
/// Memory that a process may add after the first tenth of a long run, in kB.
const GROWTH_KB: u64 = 8 << 10;
/// Plies of each opening that are chosen at random, so that the games differ.
const RANDOM_PLIES: usize = 6;

#[derive(Debug, PartialEq, Eq)]
enum End {
    Mate,
    Resignation,
    Declaration,
    Repetition(Ruling),
    MoveLimit,
}

/// A game in progress and the line that describes it.
struct Game {
    position: Position,
    line: String,
    moves: usize,
}

impl Game {
    fn opened(seed: u64) -> Self {
        let mut game = Self { position: Position::startpos(), line: "position startpos moves".to_owned(), moves: 0 };
        let mut walk = Walk::new(seed);
        for _ in 0..RANDOM_PLIES {
            let moves = legal_moves(&game.position);
            game.play(moves[walk.below(moves.len())]);
        }
        game
    }

    fn play(&mut self, mv: Move) {
        self.position.play(mv).unwrap_or_else(|error| panic!("{}: {error}", self.line));
        self.line = format!("{} {mv}", self.line);
        self.moves += 1;
    }

    /// The result of the game, if a rule ends it here.
    fn end(&self) -> Option<End> {
        if legal_moves(&self.position).is_empty() {
            return Some(End::Mate);
        }
        match (self.position.repetition(), self.position.max_moves(MAX_PLIES)) {
            (Ruling::None, Ruling::None) => None,
            (Ruling::None, _) => Some(End::MoveLimit),
            (verdict, _) => Some(End::Repetition(verdict)),
        }
    }

    /// Every line of play in the reports must be playable from here.
    fn check_reports(&self, lines: &[String]) {
        for line in lines {
            let Some((_, pv)) = line.split_once(" pv ") else { continue };
            let mut position = self.position.clone();
            for word in pv.split(' ') {
                // Some engines close a line with a word such as rep_draw; none of them is a move.
                let Ok(mv) = word.parse() else { break };
                position.play(mv).unwrap_or_else(|error| panic!("{}: `{line}`: {error}", self.line));
            }
        }
    }
}

fn engine() -> Session {
    let mut session = Session::start();
    session.send("usi");
    session.until("usiok");
    session.send("setoption name Threads value 1");
    session.send("setoption name USI_Hash value 16");
    session.send("setoption name NetworkDelay value 0");
    session.send("setoption name NetworkDelay2 value 0");
    session.send(&format!("setoption name MaxMovesToDraw value {MAX_PLIES}"));
    session.send("isready");
    session.until("readyok");
    session
}

fn play(players: &mut [Session; 2], seed: u64, go: &str) -> End {
    let mut game = Game::opened(seed);
    for player in players.iter_mut() {
        player.send("usinewgame");
    }
    let end = loop {
        if let Some(end) = game.end() {
            break end;
        }
        let player = &mut players[game.moves % 2];
        player.send(&game.line);
        player.send(go);
        let lines = player.until("bestmove");
        game.check_reports(&lines);
        let answer = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
        match answer.as_str() {
            "resign" => break End::Resignation,
            "win" => {
                let claim = game.position.declaration(EnteringKingRule::Csa27);
                assert_eq!(claim, Declaration::Win, "a false declaration: {}", game.line);
                break End::Declaration;
            }
            mv => game.play(mv.parse().unwrap_or_else(|error| panic!("{}: {error}", game.line))),
        }
    };
    for player in players.iter_mut() {
        let lines = player.reply("gameover draw");
        assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{lines:?}");
    }
    end
}

/// Resident memory of the engine's process in kB, where the system shows it.
fn memory_kb(player: &Session) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", player.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Plays games, `ENBU_GAMES` if that is set, with the same two processes, and returns their ends.
#[expect(clippy::print_stderr, reason = "the figures of a long run are for people")]
fn tournament(games: u64, go: &str) -> Vec<End> {
    let wanted = std::env::var("ENBU_GAMES").ok();
    let games = wanted.as_ref().map_or(games, |games| games.parse().expect("a number"));
    let mut players = [engine(), engine()];
    let mut ends = Vec::new();
    let (mut early_kb, mut began) = (None, Instant::now());
    for seed in 0..games {
        ends.push(play(&mut players, seed, go));
        if wanted.is_some() && (seed + 1) % games.div_ceil(10) == 0 {
            let kb = players.each_ref().map(|player| memory_kb(player).unwrap_or_default());
            eprintln!("{} games, {kb:?} kB, {:.1} s for the last tenth", seed + 1, began.elapsed().as_secs_f64());
            began = Instant::now();
            let early = *early_kb.get_or_insert(kb);
            // The first tenth fills the tables; later ones add nothing but fragments.
            assert!(kb.iter().zip(early).all(|(now, early)| *now <= early + GROWTH_KB), "{early:?} to {kb:?} kB");
        }
    }
    assert_eq!(ends.len() as u64, games);
    for mut player in players {
        player.send("quit");
        player.exits_cleanly();
    }
    ends
}

#[test]
fn games_at_fixed_nodes_have_no_fault() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    let ends = tournament(
        if cfg!(debug_assertions) { 1 } else { 8 },
        if cfg!(debug_assertions) { "go nodes 300" } else { "go nodes 4000" },
    );
    // An engine that plays shogi brings games to a decision before 320 moves now and then.
    assert!(ends.iter().any(|end| *end != End::MoveLimit), "{ends:?}");
}

#[test]
fn games_at_a_short_byoyomi_have_no_fault() {
    if !enbu_tests::has_slow_rows() {
        return;
    }
    tournament(2, "go btime 0 wtime 0 byoyomi 20");
}
