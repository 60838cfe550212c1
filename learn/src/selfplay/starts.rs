//! Start positions out of earlier games.
//!
//! Random openings lead to few of the middlegames that players reach; positions of earlier
//! games do, and one random move more keeps the new game from repeating the old one.

use std::path::PathBuf;

use enbu_movegen::{Packing, Position};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::error::FileError;
use crate::game::Game;
use crate::source;

/// Start positions, at most one of each game and at most [`CAPACITY`](Self::CAPACITY).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Starts {
    pub(super) positions: Vec<([u8; 32], u16)>,
    /// Of all positions.
    pub(super) digest: u64,
}

impl Starts {
    /// The largest number of positions, 34 bytes each: every game of the sources has an equal
    /// chance to be among them (Vitter's algorithm R).
    pub const CAPACITY: usize = 1 << 20;

    /// The plies between which a position is drawn: later than random openings, earlier than
    /// most decisions.
    const PLIES: std::ops::RangeInclusive<usize> = 20..=100;

    /// Draws positions whose score is at most `bound` centipawns for either side.
    ///
    /// # Errors
    /// [`FileError`] with the first fault of a file, or for a file of single positions.
    pub fn draw(files: &[PathBuf], seed: u64, bound: i16) -> Result<Self, FileError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut positions, mut seen) = (Vec::new(), 0);
        for path in files {
            for game in source::read_games(path)? {
                let Some(start) = position_of(&game, bound, &mut random) else { continue };
                seen += 1;
                if positions.len() < Self::CAPACITY {
                    positions.push(start);
                } else if let Some(place) = positions.get_mut(random.random_range(0..seen)) {
                    *place = start;
                }
            }
        }
        let bytes: Vec<u8> = positions.iter().flat_map(|(packed, _)| *packed).collect();
        Ok(Self { positions, digest: enbu_files::fnv1a(&bytes) })
    }

    /// Returns true without any position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// One of the positions; `None` without any.
    pub(super) fn choose(&self, random: &mut impl Rng) -> Option<Position> {
        let (packed, ply) = self.positions.choose(random)?;
        let setup = Packing::Sfen.unpack(packed).ok()?;
        Position::from_setup(&enbu_movegen::Setup { ply: *ply, ..setup }).ok()
    }
}

/// A random position of `game`; `None` where the score there exceeds the bound, or the game
/// is too short or holds an illegal move.
fn position_of(game: &Game, bound: i16, random: &mut impl Rng) -> Option<([u8; 32], u16)> {
    let first = game.opening.len() + game.start.as_ref().map_or(1, |setup| usize::from(setup.ply));
    let plies = first.max(*Starts::PLIES.start())..(first + game.moves.len()).min(*Starts::PLIES.end() + 1);
    if plies.is_empty() {
        return None;
    }
    let index = random.random_range(plies) - first;
    if game.moves[index].score.unsigned_abs() > bound.unsigned_abs() {
        return None;
    }
    let mut position = game.after_opening().ok()?;
    for scored in &game.moves[..index] {
        position.play(scored.mv).ok()?;
    }
    Some((Packing::Sfen.pack(&position.to_setup()).ok()?, position.ply()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_file::GameFile;
    use crate::selfplay::{Player, Settings};

    #[test]
    fn positions_are_of_the_games_within_the_bound_and_repeat_from_the_seed() {
        let settings = Settings { nodes: 30, hash_mb: 1, ..Settings::default() };
        let mut player = Player::new(settings, enbu_eval::Evaluation::PieceSquare).expect("memory");
        let games: Vec<Game> = (0..40).map(|number| player.game(number)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.games");
        GameFile { settings: String::new(), games: games.clone() }.write(&path).expect("written");
        let draw = |seed, bound| Starts::draw(std::slice::from_ref(&path), seed, bound).expect("sound files");
        let starts = draw(1, 600);
        assert!((3..40).contains(&starts.positions.len()), "{}", starts.positions.len());
        assert_eq!((starts.digest, starts.clone()), (draw(1, 600).digest, draw(1, 600)));
        assert_ne!(starts.digest, draw(2, 600).digest);
        assert!(draw(1, 100).positions.len() < draw(1, 3000).positions.len());
        let mut of_games = std::collections::HashSet::new();
        for game in &games {
            let note = |position: &Position, scored: crate::ScoredMove| {
                if scored.score.abs() <= 600 && Starts::PLIES.contains(&usize::from(position.ply())) {
                    of_games.insert((Packing::Sfen.pack(&position.to_setup()).expect("a set"), position.ply()));
                }
            };
            game.replay(note).expect("legal");
        }
        assert!(starts.positions.iter().all(|(packed, ply)| of_games.contains(&(*packed, *ply))));
    }

    #[test]
    fn half_of_the_games_start_from_the_positions_and_repeat() {
        let settings = Settings { nodes: 30, hash_mb: 1, played_out: 0, ..Settings::default() };
        let player = || Player::new(settings, enbu_eval::Evaluation::PieceSquare).expect("memory");
        let (mut plain, games) = (player(), tempfile::tempdir().expect("a folder"));
        let path = games.path().join("a.games");
        let games = (0..20).map(|number| plain.game(number)).collect();
        GameFile { settings: String::new(), games }.write(&path).expect("written");
        let starts = Starts::draw(&[path], 1, 600).expect("sound files");
        let mut player = player();
        player.starts = Some(std::sync::Arc::new(starts.clone()));
        let games: Vec<Game> = (0..40).map(|number| player.game(number)).collect();
        assert_eq!(player.game(7), games[7]);
        let from: Vec<&Game> = games.iter().filter(|game| game.start.is_some()).collect();
        assert!((8..32).contains(&from.len()), "{}", from.len());
        for game in from {
            assert_eq!(game.opening.len(), 1);
            assert!(game.moves[0].score.abs() <= settings.opening_bound);
            let start = game.start.as_deref().expect("a start");
            let packed = Packing::Sfen.pack(start).expect("a set");
            assert!(starts.positions.contains(&(packed, start.ply)));
        }
    }
}
