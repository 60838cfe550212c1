//! Deeply searched positions, to compare evaluations by.
//!
//! The losses of networks on their own games are not comparable: labels come from
//! different searches. A yardstick is one set of positions with scores of a search far
//! deeper than that of self-play.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Args, value_parser};
use enbu_eval::Evaluation;
use enbu_movegen::{Move, Position};
use enbu_search::{BestMove, Options, Solo};
use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::play::written;
use super::run::{RunError, of_settings};
use super::{limits, megabytes};
use crate::error::FileError;
use crate::filter::{Filter, Loud};
use crate::game::{Ending, Game, GameResult, ScoredMove};
use crate::game_file::GameFile;
use crate::source;

/// Positions for each thread between two reports.
const PART: usize = 8;

/// A position of a game, the move that was played, and the result of the game.
type Chosen = (Position, Move, GameResult);

/// A set of deeply searched positions to be made, most of it arguments of a command.
#[derive(Args, Clone, Debug)]
pub struct Yardstick {
    // Its games have one move.
    /// File to write, .games; an interrupted run goes on with it
    #[arg(long = "out", value_name = "FILE")]
    pub file: PathBuf,
    /// Number of positions
    #[arg(long, default_value_t = 10_000, value_parser = value_parser!(u64).range(1..=10_000_000))]
    pub positions: u64,
    /// Nodes after which a search begins no further iteration
    #[arg(long, default_value_t = 20_000, value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// Transposition table of each search, in MB
    #[arg(long = "hash", value_name = "HASH", default_value_t = 4, value_parser = megabytes())]
    pub hash_mb: usize,
    /// Seed; the same seed gives the same positions
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The evaluation of the search.
    #[arg(skip)]
    pub evaluation: Evaluation,
    /// The program and the evaluation as text.
    #[arg(skip)]
    pub origin: String,
}

impl Yardstick {
    /// The settings in the file, without the sources.
    fn description(&self, found: u64) -> String {
        let Self { positions, seed, nodes, hash_mb, origin, .. } = self;
        format!("{origin} yardstick={positions} of={found} seed={seed} nodes={nodes} hash={hash_mb}")
    }

    /// Chooses the positions: each that is not in check and whose score is not extreme is
    /// equally likely (Vitter's algorithm R). Returns them with the number there were.
    ///
    /// # Errors
    /// [`FileError`] with the first fault of a file.
    pub fn choose(&self, files: &[PathBuf]) -> Result<(Vec<Chosen>, u64), FileError> {
        let filter = Filter { captures: Loud::Keep, ..Filter::default() };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let (mut chosen, mut seen) = (Vec::new(), 0);
        for path in files {
            source::read(path, |sample| {
                let Some(mv) = sample.mv.filter(|_| filter.verdict(sample).is_none()) else { return };
                seen += 1;
                let new = || (sample.position.without_history(), mv, sample.result);
                if (chosen.len() as u64) < self.positions {
                    chosen.push(new());
                } else if let Some(place) = chosen.get_mut(random.random_range(0..seen) as usize) {
                    *place = new();
                }
            })?;
        }
        Ok((chosen, seen))
    }

    /// Searches the chosen positions in the current rayon pool, whose threads need stacks of
    /// [`Solo::STACK_BYTES`], and writes them; goes on with the file if there is one. Calls
    /// `report` with the number of positions done; if it breaks, they are written and the rest
    /// is left. Returns the number of positions in the file.
    ///
    /// # Errors
    /// [`RunError`].
    pub fn search(
        &self,
        (chosen, found): &(Vec<Chosen>, u64),
        mut report: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<u64, RunError> {
        let threads = rayon::current_num_threads();
        let solo = || Solo::new(self.hash_mb, self.evaluation.clone()).map(Mutex::new);
        let solos = (0..threads).map(|_| solo()).collect::<Result<Vec<_>, _>>()?;
        let settings = self.description(*found);
        let mut file = if self.file.exists() {
            of_settings(&self.file, &settings)?
        } else {
            GameFile { settings, games: Vec::new() }
        };
        let mut saved = std::time::Instant::now();
        let done = file.games.len().min(chosen.len());
        for part in chosen[done..].chunks(PART * threads) {
            if report(file.games.len() as u64).is_break() {
                break;
            }
            file.games.par_extend(part.par_iter().map(|chosen| {
                let solo = &solos[rayon::current_thread_index().unwrap_or(0) % threads];
                self.game(&mut solo.lock(), chosen)
            }));
            if saved.elapsed() >= SAVE_INTERVAL {
                file.write(&self.file)?;
                saved = std::time::Instant::now();
            }
        }
        file.write(&self.file)?;
        Ok(file.games.len() as u64)
    }

    /// A position with the result of its search as a game of one move.
    fn game(&self, solo: &mut Solo, (position, played, result): &Chosen) -> Game {
        solo.new_game();
        let found = solo.search(position, limits(self.nodes), Options::default());
        let mv = if let BestMove::Play { best, .. } = found.best { best } else { *played };
        Game {
            start: Some(Box::new(position.to_setup())),
            opening: Vec::new(),
            moves: vec![ScoredMove { mv, score: written(found.score) }],
            result: *result,
            ending: Ending::Unknown,
        }
    }
}

/// Interval between two writings of the file.
const SAVE_INTERVAL: std::time::Duration = std::time::Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{Player, Settings};

    #[test]
    fn an_interrupted_yardstick_is_that_of_an_uninterrupted_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let mut player = Player::new(settings, Evaluation::PieceSquare).expect("memory");
        let games = folder.path().join("a.games");
        let played = (0..6).map(|number| player.game(number)).collect();
        GameFile { settings: "test".into(), games: played }.write(&games).expect("written");
        let yardstick = |name: &str, seed| Yardstick {
            positions: 60,
            seed,
            nodes: 200,
            hash_mb: 1,
            evaluation: Evaluation::PieceSquare,
            origin: "test".into(),
            file: folder.path().join(name),
        };
        let make = |yardstick: &Yardstick, threads, most: u64| {
            let chosen = yardstick.choose(std::slice::from_ref(&games)).expect("sound");
            assert!(chosen.1 > 100 && chosen.0.len() == 60);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(Solo::STACK_BYTES);
            let pool = pool.build().expect("threads");
            let report = |done| if done >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            pool.install(|| yardstick.search(&chosen, report))?;
            Ok::<_, RunError>(GameFile::read(&yardstick.file).expect("a file"))
        };
        let whole = make(&yardstick("whole.games", 1), 3, u64::MAX).expect("made");
        assert_eq!(whole.positions(), 60);
        let some = make(&yardstick("parts.games", 1), 1, 20).expect("made");
        assert!((20..60).contains(&some.positions()), "{}", some.positions());
        assert_eq!(make(&yardstick("parts.games", 1), 2, u64::MAX).expect("made"), whole);
        let other = make(&yardstick("parts.games", 2), 1, u64::MAX).expect_err("other settings");
        assert!(other.to_string().contains("parts.games: made with `"), "{other}");
        assert_ne!(make(&yardstick("other.games", 2), 1, u64::MAX).expect("made").games, whole.games);
    }
}
