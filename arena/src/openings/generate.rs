//! Making openings: short random games that a search finds even.
//!
//! Each ply is chosen at random among the moves that the search finds nearly as good
//! as the best one, so that the positions differ and still look like shogi. A game
//! that ends within the bound in a new position is kept. Everything follows from the seed.

use std::collections::HashSet;
use std::str::FromStr;

use enbu_language::messages;
use enbu_movegen::{Move, MoveList, Position};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Opening;

/// Largest loss of a chosen move against the best one, in centipawns.
const WINDOW_CP: i32 = 60;

/// One ply in this number is any legal move, which adds openings that a search would
/// never choose.
const WILD_ONE_IN: u32 = 8;

/// Attempts for one opening before the generation fails.
const MAX_TRIES: u32 = 200;

/// A move with its score by a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Its score in centipawns for the side to move, mates clamped to large numbers.
    pub score_cp: i32,
}

/// A search that scores moves and positions. Its answers should depend on
/// the position alone, or else the same seed gives other openings.
pub trait Judge {
    /// Some of the best moves of a position that has moves, best first.
    fn candidates(&mut self, position: &Position) -> Vec<Candidate>;

    /// The score of a position in centipawns for the side to move, by a longer search.
    fn score_cp(&mut self, position: &Position) -> i32;
}

/// Parameters of generated openings: `random:PLIES,CP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RandomOpenings {
    /// Length of each, in plies from the start position.
    pub plies: u16,
    /// Largest absolute value of the final score, in centipawns.
    pub bound_cp: i32,
}

messages! {
/// Reasons why openings could not be generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what it is")]
pub enum GenerateError {
    Syntax(text: String) =>
        "`{text}` is not random:PLIES,CP with 1 to 200 plies and a bound of 1 to 10000 (such as random:16,80)", "`{text}` は random:手数,評価値 ではありません（手数は 1～200、評価値の上限は 1～10000、例：random:16,80）";
    Exhausted(found: usize) =>
        "only {found} different openings found; fewer openings, more plies or a wider bound are needed", "異なる開始局面が {found} 個しか見つかりません。個数を減らすか、手数を増やすか、評価値の上限を広げてください";
}}

impl FromStr for RandomOpenings {
    type Err = GenerateError;

    /// Reads `random:PLIES,CP`.
    ///
    /// ```
    /// use enbu_arena::openings::RandomOpenings;
    /// assert_eq!("random:16,80".parse(), Ok(RandomOpenings { plies: 16, bound_cp: 80 }));
    /// assert!("random:16".parse::<RandomOpenings>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let parsed = text.strip_prefix("random:").and_then(|rest| rest.split_once(',')).and_then(|(plies, bound)| {
            let (plies, bound_cp) = (plies.parse().ok()?, bound.parse().ok()?);
            ((1..=200).contains(&plies) && (1..=10_000).contains(&bound_cp)).then_some(Self { plies, bound_cp })
        });
        parsed.ok_or_else(|| GenerateError::Syntax(text.chars().take(40).collect()))
    }
}

impl RandomOpenings {
    /// Makes `count` openings, no two of which lead to the same position. After each
    /// one `progress` receives their number; it breaks to stop early.
    pub fn generate(
        self,
        count: usize,
        seed: u64,
        judge: &mut dyn Judge,
        mut progress: impl FnMut(usize) -> std::ops::ControlFlow<()>,
    ) -> Result<Vec<Opening>, GenerateError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut seen = HashSet::new();
        let mut openings = Vec::new();
        while openings.len() < count {
            let found =
                (0..MAX_TRIES).find_map(|_| self.walk(&mut random, judge).filter(|walk| seen.insert(walk.key())));
            let walk = found.ok_or(GenerateError::Exhausted(openings.len()))?;
            let moves = walk.history().collect();
            let setup = enbu_movegen::Setup::startpos();
            openings.push(Opening { setup, position: walk, moves });
            if progress(openings.len()).is_break() {
                break;
            }
        }
        Ok(openings)
    }

    /// One walk; `None` when it ends too early or unevenly.
    fn walk(self, random: &mut Xoshiro256PlusPlus, judge: &mut dyn Judge) -> Option<Position> {
        let mut position = Position::startpos();
        for _ in 0..self.plies {
            let mv = choose(&position, random, judge)?;
            position.do_move(mv);
        }
        // A side in check or without moves is no place to begin.
        let quiet = !position.in_check() && position.has_legal_move();
        (quiet && judge.score_cp(&position).abs() <= self.bound_cp).then_some(position)
    }
}

fn choose(position: &Position, random: &mut Xoshiro256PlusPlus, judge: &mut dyn Judge) -> Option<Move> {
    if random.random_range(0..WILD_ONE_IN) == 0 {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        return legal.choose(random).copied();
    }
    let candidates = judge.candidates(position);
    let best = candidates.iter().map(|candidate| candidate.score_cp).max()?;
    let near: Vec<Move> =
        candidates.iter().filter(|one| one.score_cp.saturating_add(WINDOW_CP) >= best).map(|one| one.mv).collect();
    near.choose(random).copied()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    /// Prefers moves with small bits; the score of a position comes from its key.
    struct Fake;

    impl Judge for Fake {
        fn candidates(&mut self, position: &Position) -> Vec<Candidate> {
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let mut moves = legal.to_vec();
            moves.sort_by_key(|mv| mv.raw());
            moves.iter().enumerate().map(|(index, &mv)| Candidate { mv, score_cp: -20 * index as i32 }).collect()
        }

        fn score_cp(&mut self, position: &Position) -> i32 {
            (position.key() % 400) as i32 - 200
        }
    }

    fn generate(text: &str, count: usize, seed: u64) -> Result<Vec<Opening>, GenerateError> {
        text.parse::<RandomOpenings>()?.generate(count, seed, &mut Fake, |_| ControlFlow::Continue(()))
    }

    #[test]
    fn openings_are_even_different_and_of_the_length_asked_for() {
        let openings = generate("random:8,50", 100, 7).unwrap();
        assert_eq!(openings.len(), 100);
        let keys: HashSet<u64> = openings.iter().map(|opening| opening.position().key()).collect();
        assert_eq!(keys.len(), 100);
        for opening in &openings {
            assert_eq!(opening.moves().len(), 8);
            assert!(Fake.score_cp(opening.position()).abs() <= 50);
            assert_eq!(opening.to_string().parse::<Opening>().as_ref(), Ok(opening));
        }
    }

    #[test]
    fn the_seed_decides_and_more_of_them_begin_with_fewer() {
        let twenty = generate("random:6,100", 20, 1).unwrap();
        assert_eq!(generate("random:6,100", 20, 1).unwrap(), twenty);
        assert_eq!(generate("random:6,100", 30, 1).unwrap()[..20], twenty);
        assert_ne!(generate("random:6,100", 20, 2).unwrap(), twenty);
    }

    #[test]
    fn a_bound_that_nothing_fits_is_an_error() {
        // After one ply there are 30 positions.
        let error = generate("random:1,10000", 31, 1).unwrap_err();
        assert!(matches!(error, GenerateError::Exhausted(4..=30)), "{error}");
    }

    #[test]
    fn descriptions_out_of_range_are_refused() {
        for text in ["random:0,50", "random:201,50", "random:8,0", "random:8,10001", "random:8", "random:x,5", "8,5"] {
            assert!(text.parse::<RandomOpenings>().is_err(), "{text}");
        }
    }
}
