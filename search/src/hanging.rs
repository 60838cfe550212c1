//! Correction of evaluations by pieces that hang, with weights learned during the search.
//!
//! A network whose inputs are pieces on squares does not see that a piece can be taken. The share
//! of its value that such a piece should lose depends on the network: none, if attacks are among
//! its inputs. So the weights are those of a regression of the evaluation's errors (least
//! squares, older errors forgotten), and count only if they explain enough of these.
//!
//! Only exact values are noted, those of principal variations. Bounds show an error of one sign
//! only, which biases the weights (`docs/evidence.md`, "Hanging pieces").

use enbu_eval::piece_value::exchange;
use enbu_isa::multiversion;
use enbu_movegen::{Attacked, Color, PieceType, Position, Square};

use crate::params;
use crate::value::Value;

/// Terms of the regression: a constant, and for each side the two of [`hanging`].
const TERMS: usize = 5;
/// Terms, and the error.
const COLUMNS: usize = TERMS + 1;

/// Terms of one position, in exchange units.
type Terms = [Value; TERMS];

/// The constant term: the size of the others.
const CONSTANT: Value = 100;
/// Weights count these parts.
const SCALE: Value = 1024;
/// The largest correction, in centipawns.
const LIMIT: Value = 500;
/// The largest error that is noted, in centipawns.
const ERROR_LIMIT: Value = 1000;
const TERM_LIMIT: Value = 1500;
/// Errors noted between two regressions.
const INTERVAL: u32 = 512;
/// Share of the moments that is kept after each.
const KEPT: f64 = 1.0 - 1.0 / 15.0;
/// Added to the sum of the squares of each term (ridge regression): as much as a thousand terms
/// of 100.
const RIDGE: f64 = 1e7;

/// Weights of one thread for its evaluation, and the moments of which they are computed.
pub(crate) struct Hanging {
    /// Sums of the products of two columns, below the diagonal and on it.
    moments: [[f64; COLUMNS]; COLUMNS],
    /// Errors noted since the last regression.
    noted: u32,
    /// `None` while they explain too little.
    weights: Option<Terms>,
}

impl Hanging {
    pub(crate) fn new() -> Self {
        Self { moments: [[0.0; COLUMNS]; COLUMNS], noted: 0, weights: None }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Correction of the evaluation of `position` for its side to move, in centipawns. Kept with
    /// the evaluation in the table, without later changes of the weights.
    ///
    /// Last test: see `hanging_share`; kept in the table against found again, with the changes of
    /// `only_checks_count`, +6 ± 60 (120 games, 100 000 nodes, network 7).
    #[inline]
    pub(crate) fn correction(&self, position: &Position) -> Value {
        let Some(weights) = self.weights else { return 0 };
        let sum: Value = terms(position).into_iter().zip(weights).map(|(term, weight)| term * weight).sum();
        (sum / SCALE).clamp(-LIMIT, LIMIT)
    }

    /// Notes that the search found a value `error` above the evaluation of `position` without
    /// this correction.
    pub(crate) fn note(&mut self, position: &Position, error: Value) {
        let mut row = [0.0; COLUMNS];
        for (column, term) in row.iter_mut().zip(terms(position)) {
            *column = f64::from(term);
        }
        row[TERMS] = f64::from(error.clamp(-ERROR_LIMIT, ERROR_LIMIT));
        for (i, sums) in self.moments.iter_mut().enumerate() {
            for (sum, column) in sums.iter_mut().zip(row).take(i + 1) {
                *sum += row[i] * column;
            }
        }
        self.noted += 1;
        if self.noted == INTERVAL {
            self.noted = 0;
            self.weights = self.regression();
            self.moments.iter_mut().flatten().for_each(|sum| *sum *= KEPT);
        }
    }

    /// The weights that explain most of the errors, `None` if that is too little.
    fn regression(&self) -> Option<Terms> {
        // Cholesky's decomposition. The last row holds the errors: the square of its last entry is
        // the part of their square that the terms leave.
        let mut lower = [[0.0_f64; COLUMNS]; COLUMNS];
        for i in 0..COLUMNS {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
                let ridge = if i == j && i < TERMS { RIDGE } else { 0.0 };
                let rest = self.moments[i][j] + ridge - known;
                lower[i][j] = if i == j { rest.max(0.0).sqrt() } else { rest / lower[j][j] };
            }
        }
        let (all, left) = (self.moments[TERMS][TERMS], lower[TERMS][TERMS] * lower[TERMS][TERMS]);
        // Beyond the share of the constant, which has nothing to do with hanging pieces.
        let explained = all - left - lower[TERMS][0] * lower[TERMS][0];
        // The share that meaningless terms explain falls with the number of errors.
        let number = self.moments[0][0] / f64::from(CONSTANT * CONSTANT);
        let needed = f64::from(params::hanging_share()) / 1000.0 + (2 * TERMS) as f64 / number;
        if explained < all * needed {
            return None;
        }
        let mut weights = [0.0; TERMS];
        for i in (0..TERMS).rev() {
            let known: f64 = (i + 1..TERMS).map(|k| lower[k][i] * weights[k]).sum();
            weights[i] = (lower[TERMS][i] - known) / lower[i][i];
        }
        Some(weights.map(|weight| (weight * f64::from(SCALE)) as Value))
    }
}

multiversion! {
    /// Terms of `position`, those of its side to move first.
    fn terms(position: &Position) -> Terms = terms_inline;
}

#[inline(always)]
fn terms_inline(position: &Position) -> Terms {
    let (us, them) = (position.turn(), !position.turn());
    let (by_us, by_them) = (Attacked::by(position, us), Attacked::by(position, them));
    let [own, theirs] = [hanging(position, us, &by_us, &by_them), hanging(position, them, &by_them, &by_us)];
    [CONSTANT, own.0, own.1, theirs.0, theirs.1]
}

/// Pieces of `color` that are attacked: the exchange values of those without protection, and the
/// excess of the others over their cheapest attacker. Kings do not count.
#[inline(always)]
fn hanging(position: &Position, color: Color, protected: &Attacked, attacked: &Attacked) -> (Value, Value) {
    let of = |kind| position.by_kind(kind);
    let ours = (position.by_color(color) & attacked.all).without(of(PieceType::King));
    let value = |square| position.piece_at(square).map_or(0, |piece| exchange(piece.kind));
    let loose: Value = ours.without(protected.all).into_iter().map(value).sum();
    // No attacker is cheaper than a pawn; only large pieces are worth more than a gold.
    let large = of(PieceType::Bishop) | of(PieceType::Rook) | of(PieceType::Horse) | of(PieceType::Dragon);
    let dear = ours & protected.all & (attacked.by_light.without(of(PieceType::Pawn)) | large);
    let cheapest = |square| cheapest_attacker(position, !color, attacked, square);
    let gain = |square| cheapest(square).map_or(0, |cheapest| (value(square) - cheapest).max(0));
    let dear: Value = dear.into_iter().map(gain).sum();
    (loose.min(TERM_LIMIT), dear.min(TERM_LIMIT))
}

/// Kinds of attackers, cheapest first; a promoted minor piece counts as a gold, a horse as a
/// bishop, a dragon as a rook.
const ATTACKERS: [PieceType; 8] = {
    use PieceType::{Bishop, Gold, Knight, Lance, Pawn, ProPawn, Rook, Silver};
    [Pawn, ProPawn, Lance, Knight, Silver, Gold, Bishop, Rook]
};

/// The exchange value of the cheapest attacker of `square` among the pieces of `color`, which
/// attack the squares `attacked`; `None` if no piece but the king attacks it.
#[inline]
fn cheapest_attacker(position: &Position, color: Color, attacked: &Attacked, square: Square) -> Option<Value> {
    use PieceType::{Bishop, Dragon, Gold, Horse, Pawn, Rook};
    if attacked.by_pawns.contains(square) {
        return Some(exchange(Pawn));
    }
    let attackers = position.attackers(square, color, position.occupied());
    let of = |kind| position.by_kind(kind);
    let found = ATTACKERS.into_iter().find(|&kind| {
        let pieces = match kind {
            Gold => position.golds(),
            Bishop => of(Bishop) | of(Horse),
            Rook => of(Rook) | of(Dragon),
            kind => of(kind),
        };
        pieces.intersects(attackers)
    });
    found.map(exchange)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::MoveList;

    fn position(sfen: &str) -> Position {
        Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable")
    }

    #[test]
    fn pieces_hang_that_nothing_protects_or_that_a_cheaper_one_attacks() {
        let worth = exchange;
        use PieceType::{Knight, Pawn, Rook, Silver};
        let cases = [
            ("4k4/9/9/9/4s4/4P4/9/9/K8 b - 1", [worth(Pawn), 0, worth(Silver), 0]),
            ("4k4/9/9/9/4s4/4P4/9/9/K8 w - 1", [worth(Silver), 0, worth(Pawn), 0]),
            ("4k4/9/9/9/4s4/5N3/6N2/9/K8 b - 1", [worth(Knight), 0, 0, 0]),
            ("4k4/9/9/4p4/4s4/4P4/9/9/K8 b - 1", [worth(Pawn), 0, 0, worth(Silver) - worth(Pawn)]),
            ("4k4/9/9/4p4/4p4/4R4/9/9/K8 b - 1", [worth(Rook).min(TERM_LIMIT), 0, 0, 0]),
        ];
        for (sfen, expected) in cases {
            assert_eq!(terms(&position(sfen))[1..], expected, "{sfen}");
        }
    }

    #[test]
    fn attackers_are_listed_from_the_cheapest() {
        assert!(ATTACKERS.is_sorted_by_key(|&kind| exchange(kind)));
        let position = position("4k4/9/9/9/4s4/4P4/3G5/9/4R3K b - 1");
        let attacked = Attacked::by(&position, Color::Black);
        let cheapest = |square| cheapest_attacker(&position, Color::Black, &attacked, square);
        assert_eq!(cheapest(Square::S55), Some(exchange(PieceType::Pawn)));
        assert_eq!(cheapest(Square::S56), Some(exchange(PieceType::Gold)));
        assert_eq!(cheapest(Square::S58), Some(exchange(PieceType::Rook)));
        assert_eq!(cheapest(Square::S18), None, "only the king");
    }

    #[test]
    fn no_dear_piece_is_overlooked() {
        for position in positions() {
            for color in Color::ALL {
                let (protected, attacked) = (Attacked::by(&position, color), Attacked::by(&position, !color));
                let (mut loose, mut dear) = (0, 0);
                for square in position.by_color(color) & attacked.all {
                    let Some(piece) = position.piece_at(square).filter(|piece| piece.kind != PieceType::King) else {
                        continue;
                    };
                    match cheapest_attacker(&position, !color, &attacked, square) {
                        _ if !protected.all.contains(square) => loose += exchange(piece.kind),
                        Some(cheapest) => dear += (exchange(piece.kind) - cheapest).max(0),
                        None => {}
                    }
                }
                let found = hanging(&position, color, &protected, &attacked);
                assert_eq!(found, (loose.min(TERM_LIMIT), dear.min(TERM_LIMIT)), "{position:?} {color:?}");
            }
        }
    }

    /// Positions of a game with random moves.
    fn positions() -> Vec<Position> {
        let (mut position, mut list) = (Position::startpos(), MoveList::new());
        let mut found = Vec::new();
        for ply in 0..400_usize {
            list.clear();
            position.legal_moves(&mut list);
            let Some(&mv) = list.get(ply * 7919 % list.len().max(1)) else { break };
            position.do_move(mv);
            if !position.in_check() {
                found.push(position.clone());
            }
        }
        assert!(found.len() > 50, "the game ended early");
        found
    }

    #[test]
    fn weights_follow_the_errors_and_vanish_without_cause() {
        let positions = positions();
        let mut learned = Hanging::new();
        let lost = |position: &Position| -terms(position)[1] / 5 - terms(position)[2] / 10 + 30;
        for position in positions.iter().cycle().take(20_000) {
            learned.note(position, lost(position));
        }
        for position in &positions {
            let (expected, found) = (lost(position), learned.correction(position));
            assert!((expected - found).abs() <= 10 + expected.abs() / 4, "{expected}, {found}");
        }
        // Errors that have nothing to do with the position.
        for (number, position) in positions.iter().cycle().take(40_000).enumerate() {
            learned.note(position, (number as Value * 7919) % 401 - 200);
        }
        assert_eq!(learned.weights, None);
        learned.clear();
        assert_eq!(learned.correction(&positions[0]), 0);
    }
}
