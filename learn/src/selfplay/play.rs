//! One game.

use std::sync::Arc;

use enbu_eval::Evaluation;
use enbu_movegen::{Color, MoveList, Position, Ruling, Setup};
use enbu_search::{BestMove, Found, Options, Score, Solo};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Settings, Starts, limits};
use crate::game::{Ending, Game, GameResult, MATE_SCORE, ScoredMove};

/// Plays games by their numbers.
pub struct Player {
    settings: Settings,
    /// Positions that half of its games start from.
    pub(super) starts: Option<Arc<Starts>>,
    solo: Solo,
    /// Nodes searched so far.
    pub nodes: u64,
}

/// The longest mate in plies that a score can express.
const MATE: i32 = 32_000;

/// The score in the 16 bits of a file.
pub(super) fn written(score: Score) -> i16 {
    let value = match score {
        Score::Cp(cp) => cp.clamp(1 - i32::from(MATE_SCORE), i32::from(MATE_SCORE) - 1),
        Score::MateIn(plies) => (MATE - i32::from(plies)).max(MATE_SCORE.into()),
        Score::MatedIn(plies) => (i32::from(plies) - MATE).min((-MATE_SCORE).into()),
    };
    value as i16
}

/// Adjudicates games with a lasting advantage or a mate score.
struct Adjudicator {
    score: i16,
    plies: u8,
    /// Consecutive scores with Black, White ahead.
    ahead: [u8; 2],
}

impl Adjudicator {
    /// Notes the score for `side`, which is to move; returns the result if it ends the game.
    fn note(&mut self, side: Color, score: i16) -> Option<(GameResult, Ending)> {
        if score.unsigned_abs() >= MATE_SCORE.unsigned_abs() {
            return Some((GameResult::from_side(score.signum() as i8, side), Ending::Mate));
        }
        for color in Color::ALL {
            let for_color = if color == side { score } else { -score };
            let streak = &mut self.ahead[color];
            *streak = if for_color >= self.score { *streak + 1 } else { 0 };
            if *streak >= self.plies {
                return Some((GameResult::Win(color), Ending::Score));
            }
        }
        None
    }
}

/// The result of a game by the rules, before a move.
fn ended(position: &Position, settings: &Settings) -> Option<(GameResult, Ending)> {
    match position.repetition() {
        Ruling::Draw => return Some((GameResult::Draw, Ending::Repetition)),
        Ruling::Win(color) => return Some((GameResult::Win(color), Ending::PerpetualCheck)),
        Ruling::None => {}
    }
    match position.max_moves(settings.max_plies.into()) {
        Ruling::Draw => Some((GameResult::Draw, Ending::MoveLimit)),
        Ruling::Win(color) => Some((GameResult::Win(color), Ending::Mate)),
        Ruling::None => None,
    }
}

impl Player {
    /// A player with a search of its own.
    ///
    /// # Errors
    /// When its transposition table cannot be allocated.
    pub fn new(settings: Settings, evaluation: Evaluation) -> Result<Self, enbu_search::HashError> {
        Ok(Self { settings, starts: None, solo: Solo::new(settings.hash_mb, evaluation)?, nodes: 0 })
    }

    /// Plays game `number` of the run.
    ///
    /// ```
    /// use enbu_eval::Evaluation;
    /// use enbu_learn::selfplay::{Player, Settings};
    /// let settings = Settings { nodes: 50, max_plies: 40, ..Settings::default() };
    /// let player = || Player::new(settings, Evaluation::PieceSquare).expect("memory");
    /// assert_eq!(player().game(7), player().game(7));
    /// ```
    pub fn game(&mut self, number: u64) -> Game {
        let settings = self.settings;
        self.solo.new_game();
        let seed = settings.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (start, mut position, first) = self.open(&mut random);
        let adjudicated = random.random_range(0..100) >= settings.played_out;
        let opening = position.history().collect();
        let mut adjudicator = Adjudicator { score: settings.win_score, plies: settings.win_plies, ahead: [0; 2] };
        let mut moves = Vec::with_capacity(160);
        let mut asked = Some(first);
        let (result, ending) = loop {
            if let Some(end) = ended(&position, &settings) {
                break end;
            }
            let side = position.turn();
            let found = asked.take().unwrap_or_else(|| self.search(&position));
            let best = match found.best {
                BestMove::Play { best, .. } => best,
                BestMove::Win => break (GameResult::Win(side), Ending::Declaration),
                BestMove::Resign => break (GameResult::Win(!side), Ending::Mate),
            };
            let score = written(found.score);
            moves.push(ScoredMove { mv: best, score });
            if let Some(end) = adjudicator.note(side, score).filter(|_| adjudicated) {
                break end;
            }
            position.do_move(best);
        };
        Game { start, opening, moves, result, ending }
    }

    /// A start position (`None` for that of an even game), the position after its random moves,
    /// which is within the bound, and the search result of that.
    fn open(&mut self, random: &mut Xoshiro256PlusPlus) -> (Option<Box<Setup>>, Position, Found) {
        loop {
            let earlier = self.starts.as_ref().filter(|_| random.random_bool(0.5));
            let (start, plies) = match earlier.and_then(|starts| starts.choose(random)) {
                Some(position) => (Some(position), 1),
                None => (None, self.settings.opening_plies.saturating_sub(u8::from(random.random_bool(0.5)))),
            };
            let setup = start.as_ref().map(|position| Box::new(position.to_setup()));
            let Some(position) = walk(start.unwrap_or_else(Position::startpos), plies, random) else { continue };
            let found = self.search(&position);
            let even = written(found.score).unsigned_abs() <= self.settings.opening_bound.unsigned_abs();
            if even && matches!(found.best, BestMove::Play { .. }) {
                return (setup, position, found);
            }
        }
    }

    fn search(&mut self, position: &Position) -> Found {
        let limits = limits(self.settings.nodes);
        let options = Options { max_moves: self.settings.max_plies.into(), ..Options::default() };
        let found = self.solo.search(position, limits, options);
        self.nodes += found.nodes;
        found
    }
}

/// `position` after `plies` random moves; `None` if the game ends before.
fn walk(mut position: Position, plies: u8, random: &mut Xoshiro256PlusPlus) -> Option<Position> {
    for _ in 0..plies {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        position.do_move(*legal.choose(random)?);
    }
    position.has_legal_move().then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> Settings {
        Settings { nodes: 60, hash_mb: 1, ..Settings::default() }
    }

    #[test]
    fn a_game_follows_from_its_number_alone() {
        let mut player = Player::new(quick(), Evaluation::PieceSquare).expect("memory");
        let games: Vec<Game> = (0..6).map(|number| player.game(number)).collect();
        for (number, game) in games.iter().enumerate().rev() {
            assert_eq!(player.game(number as u64), *game);
        }
        assert!(games.windows(2).all(|pair| pair[0].opening != pair[1].opening));
        let other = Player::new(Settings { seed: 2, ..quick() }, Evaluation::PieceSquare).expect("memory").game(0);
        assert_ne!(other.opening, games[0].opening);
    }

    #[test]
    fn games_are_legal_and_have_the_result_of_their_ending() {
        let mut player = Player::new(quick(), Evaluation::PieceSquare).expect("memory");
        let mut endings = std::collections::HashSet::new();
        for number in 0..30 {
            let game = player.game(number);
            assert!([7, 8].contains(&game.opening.len()));
            let mut last = None;
            game.replay(|position, scored| last = Some((position.clone(), scored))).expect("legal");
            let (mut position, scored) = last.expect("a move");
            endings.insert(game.ending);
            let side = position.turn();
            match game.ending {
                Ending::Score => assert_eq!(game.result, GameResult::from_side(scored.score.signum() as i8, side)),
                Ending::MoveLimit => {
                    position.do_move(scored.mv);
                    assert_eq!(u32::from(position.ply()), u32::from(quick().max_plies) + 1);
                    assert_eq!(game.result, GameResult::Draw);
                }
                Ending::Repetition => {
                    position.do_move(scored.mv);
                    assert_eq!(position.repetition(), Ruling::Draw);
                }
                Ending::Mate if scored.score.abs() < MATE_SCORE => {
                    position.do_move(scored.mv);
                    assert!(!position.has_legal_move());
                    assert_eq!(game.result, GameResult::Win(side));
                }
                Ending::Mate => assert_eq!(game.result, GameResult::from_side(scored.score.signum() as i8, side)),
                Ending::PerpetualCheck | Ending::Declaration => assert_ne!(game.result, GameResult::Draw),
                Ending::Unknown => panic!("an ending is always known"),
            }
        }
        assert!(endings.len() >= 2, "{endings:?}");
    }

    #[test]
    fn games_that_are_played_out_end_by_the_rules() {
        let settings = Settings { played_out: 100, max_plies: 200, ..quick() };
        let mut player = Player::new(settings, Evaluation::PieceSquare).expect("memory");
        let games: Vec<Game> = (0..6).map(|number| player.game(number)).collect();
        assert!(games.iter().all(|game| game.ending != Ending::Score));
        let last = |game: &Game| game.moves.last().map(|scored| scored.score.abs());
        assert!(games.iter().filter(|game| game.ending == Ending::Mate).all(|game| last(game) >= Some(MATE_SCORE)));
        assert!(games.iter().any(|game| game.ending == Ending::Mate && game.moves.len() > 20));
    }

    #[test]
    fn adjudication_needs_lasting_scores_of_both_sides() {
        let new = || Adjudicator { score: 1000, plies: 3, ahead: [0; 2] };
        let verdict = |scores: &[i16]| {
            let mut adjudicator = new();
            let mut sides = [Color::Black, Color::White].into_iter().cycle();
            scores.iter().find_map(|&score| adjudicator.note(sides.next().expect("endless"), score))
        };
        assert_eq!(verdict(&[1000, -1000, 1500]), Some((GameResult::Win(Color::Black), Ending::Score)));
        assert_eq!(verdict(&[-1000, 1000, -1500]), Some((GameResult::Win(Color::White), Ending::Score)));
        assert_eq!(verdict(&[1000, 1000, 1000, 1000]), None);
        assert_eq!(verdict(&[1000, -999, 1000, -1000]), None);
        assert_eq!(verdict(&[0, MATE_SCORE]), Some((GameResult::Win(Color::White), Ending::Mate)));
        assert_eq!(verdict(&[-31_990]), Some((GameResult::Win(Color::White), Ending::Mate)));
    }

    #[test]
    fn scores_of_mates_are_out_of_the_range_of_others() {
        assert_eq!([written(Score::MateIn(3)), written(Score::MatedIn(2))], [31_997, -31_998]);
        assert_eq!([written(Score::Cp(31_500)), written(Score::Cp(-40_000))], [MATE_SCORE - 1, 1 - MATE_SCORE]);
        assert_eq!(written(Score::MateIn(5000)), MATE_SCORE);
    }
}
