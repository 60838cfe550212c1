//! Mates in one by direct check.
//!
//! Most kings have flight squares that no single piece covers, so the flights are
//! computed first, from the few pieces near the king. Each flight then restricts, for
//! every kind of piece, the squares that attack it *and* the king: a handful of table
//! lookups, after which most positions have no candidate. The candidates are decided on
//! bitboards, without making a move.

use enbu_isa::multiversion;
use enbu_movegen::attacks::{Origins, attacks, gold, king, knight, pawn, silver};
use enbu_movegen::rays::{between, bishop_cross, lone_blockers, rook_cross};
use enbu_movegen::{Bitboard, Color, HandPiece, Move, PieceType, Position, Square, dead_squares, sliders};

use super::lines::{BISHOP_REACH, KNIGHT_REACH, LANCE_REACH, ROOK_REACH, SURROUNDINGS};

/// The surroundings of the king to mate: flights, attacks and candidate squares.
pub(super) struct Net<'a> {
    pub(super) position: &'a Position,
    us: Color,
    king: Square,
    /// Flights: squares next to the king without a piece of its side and not attacked by us.
    pub(super) flights: Bitboard,
    /// Our attacks near the king, with the king itself transparent to sliders.
    attacked: Bitboard,
    /// Attacks of our sliders that reach the king's neighbourhood: a piece that leaves such a
    /// square opens a line.
    slid_over: Bitboard,
    /// Our pieces that are the only blocker between one of our sliders and the king: their
    /// moves are left to the discovered-check code.
    pub(super) discoverers: Bitboard,
    /// The squares from which our pieces attack the king.
    checking: Origins,
    /// The squares from which they may attack the king and every flight.
    covering: Origins,
}

/// The checking move under test.
struct Landing {
    /// Origin as a set; empty for a drop.
    from: Bitboard,
    placed: PieceType,
    to: Square,
}

/// Answer of the defender to a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// No answer: mate.
    None,
    /// At most a pawn drop that gives check in turn, which may be uchifuzume.
    CheckingPawn,
    /// A legal answer exists.
    Some,
}

multiversion! {
    /// Decides the defender's answer to the check.
    fn answer(net: &Net<'_>, landing: &Landing) -> Answer = Net::answer;
}

impl<'a> Net<'a> {
    #[inline(always)]
    pub(super) fn new(position: &'a Position) -> Option<Self> {
        let us = position.turn();
        let target = position.king(!us)?;
        let occupied = position.occupied();
        let behind_king = occupied.without(Bitboard::of(target));
        let near = SURROUNDINGS[target];
        let ours = position.by_color(us);
        let mut attacked = position.pieces(us, PieceType::Pawn).forward(us);
        for from in position.golds() & ours & near {
            attacked |= gold(us, from);
        }
        for from in position.pieces(us, PieceType::Silver) & near {
            attacked |= silver(us, from);
        }
        for from in position.pieces(us, PieceType::Knight) & KNIGHT_REACH[us][target] {
            attacked |= knight(us, from);
        }
        let (horse, dragon) = (position.by_kind(PieceType::Horse), position.by_kind(PieceType::Dragon));
        for from in (position.by_kind(PieceType::King) | horse | dragon) & ours & near {
            attacked |= king(from);
        }
        // Only sliders that can reach a square next to the king matter: the others neither
        // cover a flight nor open a line to one.
        let mut slid_over = Bitboard::EMPTY;
        let mut aligned = Bitboard::EMPTY;
        for from in position.pieces(us, PieceType::Lance) & LANCE_REACH[target] {
            slid_over |= sliders::lance(us, from, behind_king);
            aligned |= Bitboard::of(from) & sliders::lance(!us, target, Bitboard::EMPTY);
        }
        let bishops = (position.by_kind(PieceType::Bishop) | horse) & ours & BISHOP_REACH[target];
        for from in bishops {
            slid_over |= sliders::bishop(from, behind_king);
        }
        let rooks = (position.by_kind(PieceType::Rook) | dragon) & ours & ROOK_REACH[target];
        for from in rooks {
            slid_over |= sliders::rook(from, behind_king);
        }
        aligned |= bishops & bishop_cross(target) | rooks & rook_cross(target);
        let discoverers = lone_blockers(target, aligned, occupied) & ours;
        attacked |= slid_over;
        let flights = king(target).without(position.by_color(!us)).without(attacked);
        let checking = Origins::of(us, target, occupied);
        let mut covering = checking;
        for flight in flights {
            covering = covering.and_neighbour(us, flight);
        }
        Some(Self { position, us, king: target, flights, attacked, slid_over, discoverers, checking, covering })
    }

    /// A legal mating move without discovered check.
    #[inline(always)]
    pub(super) fn find(&self) -> Option<Move> {
        if let Some(mv) = self.mating_drop() {
            return Some(mv);
        }
        // A piece must cover all flights itself, or open a line of a slider that covers them.
        for from in self.movers() & (self.coverers() | self.slid_over) {
            if let Some(mv) = self.mating_move(from) {
                return Some(mv);
            }
        }
        None
    }

    /// Upper bound on the number of direct checks: pins, checks to our own king and
    /// uchifuzume are ignored.
    #[inline(always)]
    pub(super) fn count_checks(&self) -> u32 {
        let mut count = 0;
        for from in self.movers() {
            let Some((kind, plain, promote)) = self.destinations(from) else { continue };
            count += (plain & self.checking.by(kind)).count();
            if let Some(promoted) = kind.promoted() {
                count += (promote & self.checking.by(promoted)).count();
            }
        }
        let hand = self.position.hand(self.us);
        let empty = !self.position.occupied();
        for piece in HandPiece::ALL {
            if hand.has(piece) {
                let nifu = piece == HandPiece::Pawn
                    && self.position.pieces(self.us, PieceType::Pawn).intersects(Bitboard::file_of(self.king));
                let drops = self.checking.by(piece.piece_type()) & empty;
                count += if nifu { 0 } else { drops.count() };
            }
        }
        count
    }

    #[inline(always)]
    fn mating_drop(&self) -> Option<Move> {
        let hand = self.position.hand(self.us);
        if hand.is_empty() || self.covering.by_any().is_empty() {
            return None;
        }
        // Next to the king the dropped piece must be protected, or the king captures it.
        let empty = (!self.position.occupied()).without(king(self.king).without(self.attacked));
        // No pawns: a pawn drop that mates is uchifuzume.
        for piece in HandPiece::ALL {
            if piece == HandPiece::Pawn || !hand.has(piece) {
                continue;
            }
            let placed = piece.piece_type();
            for to in self.covering.by(placed) & empty {
                let mv = Move::drop(piece, to);
                if self.mates(&Landing { from: Bitboard::EMPTY, placed, to }, mv) {
                    return Some(mv);
                }
            }
        }
        None
    }

    /// Our pieces that may give a direct check.
    #[inline(always)]
    fn movers(&self) -> Bitboard {
        let by_kind = |kind| self.position.by_kind(kind);
        let far = by_kind(PieceType::Lance) & LANCE_REACH[self.king]
            | by_kind(PieceType::Knight) & KNIGHT_REACH[self.us][self.king]
            | by_kind(PieceType::Bishop)
            | by_kind(PieceType::Rook)
            | by_kind(PieceType::Horse)
            | by_kind(PieceType::Dragon);
        let near = SURROUNDINGS[self.king].without(by_kind(PieceType::King));
        self.position.by_color(self.us).without(self.discoverers) & (far | near)
    }

    /// Pieces of kinds that may cover every flight from some square.
    #[inline(always)]
    fn coverers(&self) -> Bitboard {
        let by_kind = |kind| self.position.by_kind(kind);
        let covering = |kind| self.covering.by(kind);
        let mut coverers = Bitboard::EMPTY;
        let mut add = |covering: Bitboard, pieces: Bitboard| {
            if !covering.is_empty() {
                coverers |= pieces;
            }
        };
        let (bishops, rooks) = (by_kind(PieceType::Bishop), by_kind(PieceType::Rook));
        add(covering(PieceType::Horse), bishops | by_kind(PieceType::Horse));
        add(covering(PieceType::Dragon), rooks | by_kind(PieceType::Dragon));
        add(covering(PieceType::Silver), by_kind(PieceType::Silver));
        // All promotable pieces except bishop and rook promote to a gold's moves.
        let [golds, pawns] = [PieceType::Gold, PieceType::Pawn].map(covering);
        let [lances, knights] = [PieceType::Lance, PieceType::Knight].map(covering);
        add(golds | pawns | lances | knights, !(bishops | rooks));
        coverers
    }

    /// The kind of the piece on `from` and its destinations without and with promotion,
    /// dead squares not excluded.
    #[inline(always)]
    fn destinations(&self, from: Square) -> Option<(PieceType, Bitboard, Bitboard)> {
        let kind = self.position.piece_at(from)?.kind;
        let to = attacks(kind, self.us, from, self.position.occupied()).without(self.position.by_color(self.us));
        let zone = Bitboard::zone(self.us);
        let promote = match kind.promoted() {
            Some(_) if zone.contains(from) => to,
            Some(_) => to & zone,
            None => Bitboard::EMPTY,
        };
        Some((kind, to, promote))
    }

    #[inline(always)]
    fn mating_move(&self, from: Square) -> Option<Move> {
        // After opening a line the slider may cover the flights: any direct check qualifies.
        let aims = if self.slid_over.contains(from) { &self.checking } else { &self.covering };
        let (kind, plain, promote) = self.destinations(from)?;
        let origin = Bitboard::of(from);
        if let Some(promoted) = kind.promoted() {
            for to in promote & aims.by(promoted) {
                let mv = Move::promotion(from, to);
                if self.mates(&Landing { from: origin, placed: promoted, to }, mv) {
                    return Some(mv);
                }
            }
        }
        for to in plain & aims.by(kind) {
            let mv = Move::board(from, to);
            if self.mates(&Landing { from: origin, placed: kind, to }, mv) {
                return Some(mv);
            }
        }
        None
    }

    /// Returns true if `mv`, described by `landing`, is legal and mates. Legality is tested
    /// last: few candidates get that far.
    fn mates(&self, landing: &Landing, mv: Move) -> bool {
        match answer(self, landing) {
            Answer::Some => false,
            Answer::None => self.position.is_legal(mv),
            Answer::CheckingPawn => {
                self.position.is_legal(mv) && {
                    let mut board = self.position.without_history();
                    board.do_move(mv);
                    !board.has_legal_move()
                }
            }
        }
    }

    /// Tests the answers in order of cost: king moves, captures, interpositions, drops.
    #[inline(always)]
    fn answer(&self, landing: &Landing) -> Answer {
        let &Landing { from, placed, to } = landing;
        let occupied = self.position.occupied().without(from) | Bitboard::of(to);
        if self.can_step(landing, occupied) {
            return Answer::Some;
        }
        let takers = self.defenders(to, occupied);
        let line = match placed {
            PieceType::Lance | PieceType::Bishop | PieceType::Rook | PieceType::Horse | PieceType::Dragon => {
                between(self.king, to)
            }
            _ => Bitboard::EMPTY,
        };
        if takers.is_empty() && line.is_empty() {
            return Answer::None;
        }
        let pinned = self.pinned(landing, occupied);
        for taker in takers {
            if !pinned.contains(taker) || between(self.king, taker).contains(to) {
                return Answer::Some;
            }
        }
        // The captured piece no longer defends.
        let busy = pinned | Bitboard::of(to);
        for square in line {
            if !self.defenders(square, occupied).without(busy).is_empty() {
                return Answer::Some;
            }
        }
        self.drop_between(line, to)
    }

    /// Returns true if the king can move, captures included.
    #[inline(always)]
    fn can_step(&self, landing: &Landing, occupied: Bitboard) -> bool {
        let &Landing { from, placed, to } = landing;
        let us = self.us;
        let behind_king = occupied.without(Bitboard::of(self.king));
        let landed = attacks(placed, us, to, behind_king);
        // A captured piece no longer blocks the king.
        let theirs = self.position.by_color(!us).without(Bitboard::of(to));
        let steps = king(self.king).without(theirs).without(landed);
        // Only a piece that leaves a line opens it, and so attacks a flight from afar.
        if !from.intersects(self.slid_over) && steps.intersects(self.flights) {
            return true;
        }
        // A drop takes away no attack that does not pass over its square.
        if from.is_empty() && !self.slid_over.contains(to) {
            return false;
        }
        for step in steps {
            if self.position.attackers(step, us, behind_king).without(from).is_empty() {
                return true;
            }
        }
        false
    }

    /// The defender's pieces, except the king, that attack `square`.
    #[inline(always)]
    fn defenders(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.position.attackers(square, !self.us, occupied).without(Bitboard::of(self.king))
    }

    /// The defender's pieces that our sliders pin to its king after the move.
    #[inline(always)]
    fn pinned(&self, landing: &Landing, occupied: Bitboard) -> Bitboard {
        let sliders = self.position.aligned_sliders(self.king, self.us).without(landing.from);
        lone_blockers(self.king, sliders, occupied) & self.position.by_color(!self.us)
    }

    /// The defender's answers by a drop on `line`, the squares between its king and the
    /// checker on `to`.
    #[inline(always)]
    fn drop_between(&self, line: Bitboard, to: Square) -> Answer {
        let them = !self.us;
        let hand = self.position.hand(them);
        let mut answer = Answer::None;
        for (piece, _) in hand.iter() {
            let mut open = line.without(dead_squares(them, piece.piece_type()));
            if piece == HandPiece::Pawn {
                open &= self.position.pieces(them, PieceType::Pawn).without(Bitboard::of(to)).free_files();
                let checks = self.position.king(self.us).map_or(Bitboard::EMPTY, |ours| pawn(self.us, ours));
                if open.intersects(checks) {
                    answer = Answer::CheckingPawn;
                }
                open = open.without(checks);
            }
            if !open.is_empty() {
                return Answer::Some;
            }
        }
        answer
    }
}
