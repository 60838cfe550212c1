//! Keys of groups of pieces, updated move by move.
//!
//! Histories and corrections look positions up by some of their pieces. Like a position's own key,
//! each key is the exclusive or of a constant for every piece of its group and its square (Zobrist
//! 1970), so that a move changes it by a few operations.

use enbu_movegen::PieceType::{Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, Rook, Silver};
use enbu_movegen::{Delta, Origin, Piece, PieceType, Position, Square, piece_square_key};

/// The groups, of pieces of both sides: pawns; kings with golds and silvers; kings with large pieces;
/// lances with knights.
const GROUPS: [&[PieceType]; 4] =
    [&[Pawn], &[King, Gold, Silver], &[King, Rook, Dragon, Bishop, Horse], &[Lance, Knight]];

/// For each kind of piece and each group all bits, or none: a member's constant counts.
static MEMBERS: [[u64; GROUPS.len()]; PieceType::COUNT] = {
    let mut members = [[0; GROUPS.len()]; PieceType::COUNT];
    let mut group = 0;
    while group < GROUPS.len() {
        let mut at = 0;
        while at < GROUPS[group].len() {
            members[GROUPS[group][at] as usize][group] = u64::MAX;
            at += 1;
        }
        group += 1;
    }
    members
};

/// The keys of all groups in one position: bits that depend on each of the group's pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys(pub(crate) [u64; GROUPS.len()]);

impl Keys {
    /// The keys of `position`, computed afresh.
    pub(crate) fn of(position: &Position) -> Self {
        let mut keys = Self::default();
        for square in position.occupied() {
            if let Some(piece) = position.piece_at(square) {
                keys.toggle(piece, square);
            }
        }
        keys
    }

    #[inline(always)]
    pub(crate) fn after(mut self, delta: &Delta) -> Self {
        let own = |kind| Piece::new(delta.mover, kind);
        if let Origin::Board { from, kind } = delta.from {
            self.toggle(own(kind), from);
        }
        if let Some(captured) = delta.captured {
            self.toggle(Piece::new(!delta.mover, captured.kind), delta.to);
        }
        self.toggle(own(delta.placed), delta.to);
        self
    }

    /// Puts a piece on a square, or takes it off.
    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let constant = piece_square_key(piece, square);
        for (key, member) in self.0.iter_mut().zip(&MEMBERS[piece.kind as usize]) {
            *key ^= constant & member;
        }
    }

    #[inline(always)]
    pub(crate) fn pawns(self) -> u64 {
        self.0[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enbu_movegen::MoveList;

    #[test]
    fn keys_kept_along_a_game_are_those_of_its_positions() {
        let mut position = Position::startpos();
        let mut keys = Keys::of(&position);
        let mut list = MoveList::new();
        for ply in 0..300_usize {
            list.clear();
            position.legal_moves(&mut list);
            let Some(&mv) = list.get(ply * 7919 % list.len().max(1)) else { break };
            keys = keys.after(&position.do_move(mv));
            assert_eq!(keys, Keys::of(&position), "after ply {ply}");
        }
        assert!(position.plies_played() > 50, "the game ended early");
    }

    #[test]
    fn a_group_is_told_apart_by_its_own_pieces_only() {
        let keys = |sfen: &str| {
            let position = Position::from_setup(&sfen.parse().expect("an SFEN")).expect("playable");
            Keys::of(&position)
        };
        let differing = |first: &str, second: &str| {
            let (first, second) = (keys(first).0, keys(second).0);
            (0..GROUPS.len()).filter(|&group| first[group] != second[group]).collect::<Vec<_>>()
        };
        let cases: [(&str, &str, &[usize]); 5] = [
            ("4k4/9/9/2P6/9/9/9/9/4K4 b - 1", "4k4/9/9/9/2P6/9/9/9/4K4 b - 1", &[0]),
            ("4k4/9/9/2S6/9/9/9/9/4K4 b - 1", "4k4/9/9/9/2S6/9/9/9/4K4 b - 1", &[1]),
            ("4k4/9/9/2R6/9/9/9/9/4K4 b - 1", "4k4/9/9/2+R6/9/9/9/9/4K4 b - 1", &[2]),
            ("4k4/9/9/2L6/9/9/9/9/4K4 b - 1", "4k4/9/9/9/2L6/9/9/9/4K4 b - 1", &[3]),
            ("4k4/9/9/2L6/9/9/9/9/4K4 b - 1", "3k5/9/9/2L6/9/9/9/9/4K4 b P 1", &[1, 2]),
        ];
        for (first, second, groups) in cases {
            assert_eq!(differing(first, second), groups, "{first}, {second}");
        }
    }
}
