//! Quiet moves with a purpose that can be seen at once: they attack a large piece, or save one.
//!
//! Their places in the order, and the depths they are searched to, rise as by a good history: a
//! regression on 2.5 million moves of inner nodes (`docs/evidence.md`) ranks both, for moves whose
//! exchange does not lose, among the surest signs of a move that beats alpha. Stockfish orders by
//! threats of lesser pieces.

use enbu_eval::piece_value::exchange;
use enbu_movegen::attacks::Origins;
use enbu_movegen::{Attacked, Bitboard, Move, PieceType, Position, Square};

use crate::{params, see};

/// The purposes of the quiet moves of one position.
pub(crate) struct Threats {
    /// Squares from which to attack golds and silvers, promoted or not.
    on_generals: Origins,
    /// Squares from which to attack bishops and rooks, promoted or not.
    on_majors: Origins,
    /// Own generals, bishops and rooks that are attacked.
    in_danger: Bitboard,
    /// The squares that own pieces attack, if there is a piece to drop there.
    supported: Bitboard,
    /// The squares that the opponent's pieces attack.
    theirs: Bitboard,
    by_their_pawns: Bitboard,
}

/// Purposes of the moves of one piece.
pub(crate) struct Purpose {
    /// The squares from which it attacks a general.
    generals: Bitboard,
    /// The squares from which it attacks a bishop or rook.
    majors: Bitboard,
    /// Merit of leaving its square.
    rescue: i32,
    /// The squares without an attacker.
    safe: Bitboard,
    /// The squares on which the exchange may not lose.
    doubtful: Bitboard,
    /// The squares of drops without an attacker: no exchange begins there.
    pub(crate) quiet_drops: Bitboard,
}

impl Threats {
    /// No threats: no move has a purpose.
    pub(crate) const NONE: Self = Self {
        on_generals: Origins::NONE,
        on_majors: Origins::NONE,
        in_danger: Bitboard::EMPTY,
        supported: Bitboard::EMPTY,
        theirs: Bitboard::ALL,
        by_their_pawns: Bitboard::EMPTY,
    };

    /// Those in `position`, where the opponent attacks the squares `theirs`.
    #[inline(always)]
    pub(crate) fn new(position: &Position, theirs: &Attacked) -> Self {
        use PieceType::{Bishop, Dragon, Gold, Horse, ProSilver, Rook, Silver};
        let all = |kinds: &[PieceType]| kinds.iter().fold(Bitboard::EMPTY, |set, &kind| set | position.by_kind(kind));
        let (generals, majors) = (all(&[Silver, Gold, ProSilver]), all(&[Bishop, Rook, Horse, Dragon]));
        let (us, them) = (position.turn(), !position.turn());
        Self {
            on_generals: Origins::of_any(us, generals & position.by_color(them), position.occupied()),
            on_majors: Origins::of_any(us, majors & position.by_color(them), position.occupied()),
            in_danger: (generals | majors) & position.by_color(us) & theirs.all,
            supported: if position.hand(us).is_empty() { Bitboard::EMPTY } else { Attacked::by(position, us).all },
            by_their_pawns: theirs.by_pawns,
            theirs: theirs.all,
        }
    }

    #[inline(always)]
    pub(crate) fn of_drops(&self, kind: PieceType) -> Purpose {
        let purpose = self.of(kind, self.supported);
        Purpose { quiet_drops: purpose.safe, ..purpose }
    }

    /// Purposes of the moves of pawns that will be of kind `placed`.
    #[inline(always)]
    pub(crate) fn of_pawns(&self, placed: PieceType) -> Purpose {
        self.of(placed, !Bitboard::EMPTY)
    }

    /// Purposes of the moves of the piece on `from` that will be of kind `placed`.
    #[inline(always)]
    pub(crate) fn of_piece(&self, position: &Position, placed: PieceType, from: Square) -> Purpose {
        let saved = if self.in_danger.contains(from) { position.piece_at(from) } else { None };
        let rescue = saved.map_or(0, |piece| exchange(piece.kind) * params::rescue_weight() / 1000);
        Purpose { rescue, ..self.of(placed, !Bitboard::EMPTY) }
    }

    /// Purposes of the moves to `supported` of pieces that will be of kind `placed`.
    #[inline(always)]
    fn of(&self, placed: PieceType, supported: Bitboard) -> Purpose {
        use PieceType::{Bishop, Dragon, Horse, King, Pawn, Rook};
        let doubtful = match placed {
            Bishop | Rook | Horse | Dragon | King => Bitboard::EMPTY,
            Pawn => self.theirs & supported,
            _ => self.theirs.without(self.by_their_pawns) & supported,
        };
        Purpose {
            generals: self.on_generals.by(placed),
            majors: self.on_majors.by(placed),
            rescue: 0,
            safe: !self.theirs,
            doubtful,
            quiet_drops: Bitboard::EMPTY,
        }
    }
}

impl Purpose {
    /// The destinations among `to` with a purpose, exchanges aside.
    #[inline(always)]
    pub(crate) fn squares(&self, to: Bitboard) -> Bitboard {
        let purposeful = if self.rescue == 0 { to & (self.generals | self.majors) } else { to };
        purposeful & (self.safe | self.doubtful)
    }

    /// Addition to the history of the move `mv`, whose destination is among
    /// [`squares`](Self::squares); 0 if its exchange loses.
    ///
    /// Last test: +38 ± 36 (343 games, 25 000 nodes), +9 ± 48 (200 games, 100 000 nodes); with the
    /// exchange on every square and merits in proportion to values +42 ± 29 (520 games).
    #[inline(always)]
    pub(crate) fn merit(&self, position: &Position, mv: Move) -> i32 {
        let threat = match (self.majors.contains(mv.to()), self.generals.contains(mv.to())) {
            (true, _) => params::threat_on_major(),
            (false, true) => params::threat_on_general(),
            (false, false) => 0,
        };
        let holds = self.safe.contains(mv.to()) || see::reaches(position, mv, 0);
        if holds { threat + self.rescue } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addition to the history of `mv`, a quiet move.
    fn merit(sfen: &str, mv: &str) -> i32 {
        let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
        let mv: Move = mv.parse().expect("a move");
        assert!(position.is_legal(mv) && position.piece_at(mv.to()).is_none());
        let placed = match mv.dropped() {
            Some(piece) => piece.piece_type(),
            None => mv.from().and_then(|from| position.piece_at(from)).expect("a piece").kind,
        };
        let threats = Threats::new(&position, &Attacked::by(&position, !position.turn()));
        let purpose = match mv.from() {
            Some(from) if placed != PieceType::Pawn => threats.of_piece(&position, placed, from),
            Some(_) => threats.of_pawns(placed),
            None => threats.of_drops(placed),
        };
        if purpose.squares(Bitboard::of(mv.to())).is_empty() { 0 } else { purpose.merit(&position, mv) }
    }

    #[test]
    fn a_fork_counts_by_its_largest_target() {
        assert_eq!(merit("4k4/9/9/3r1g3/9/9/9/9/4K4 b N 1", "N*5f"), params::threat_on_major());
        assert_eq!(merit("4k4/9/9/3s1g3/9/9/9/9/4K4 b N 1", "N*5f"), params::threat_on_general());
    }

    #[test]
    fn a_threat_that_loses_its_piece_is_none() {
        assert_eq!(merit("4k4/9/9/3r5/9/9/9/9/4K4 b G 1", "G*6e"), 0, "the rook takes it");
        assert_eq!(merit("4k4/9/9/3s5/9/9/9/9/4K4 b P 1", "P*6e"), 0, "the silver takes it");
        assert_eq!(merit("4k4/9/9/3s5/9/3L5/9/9/4K4 b P 1", "P*6e"), params::threat_on_general(), "the lance retakes");
    }

    #[test]
    fn a_rook_leaves_the_attack_of_a_pawn() {
        let worth = exchange(PieceType::Rook) * params::rescue_weight() / 1000;
        assert_eq!(merit("7k1/9/9/9/4p4/4R4/9/9/K8 b - 1", "5f9f"), worth);
        assert_eq!(merit("7k1/9/9/9/9/4R4/9/9/K8 b - 1", "5f9f"), 0, "no attack, nothing saved");
        assert_eq!(merit("7k1/9/9/s8/4p4/4R4/9/9/8K b - 1", "5f9f"), worth + params::threat_on_general());
    }
}
