//! Keys of groups of pieces, updated move by move.
//!
//! Histories and corrections look positions up by some of their pieces. Like a position's own key,
//! each key is the exclusive or of a constant for every piece of its group and its square (Zobrist
//! 1970), so that a move changes it by a few operations.

use enbu_movegen::{Delta, Origin, Piece, PieceType, Position, Square, piece_square_key};

/// A group of pieces of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Pawns,
    /// Kings, golds and silvers.
    Castle,
    /// Kings, rooks, bishops, and these promoted.
    Large,
    /// Lances and knights.
    Cavalry,
}

impl Group {
    const COUNT: usize = 4;

    /// All groups, in discriminant order.
    const ALL: [Self; Self::COUNT] = [Self::Pawns, Self::Castle, Self::Large, Self::Cavalry];

    /// Returns `true` if pieces of `kind` belong to the group.
    const fn contains(self, kind: PieceType) -> bool {
        use PieceType::{Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, Rook, Silver};
        match self {
            Self::Pawns => matches!(kind, Pawn),
            Self::Castle => matches!(kind, King | Gold | Silver),
            Self::Large => matches!(kind, King | Rook | Dragon | Bishop | Horse),
            Self::Cavalry => matches!(kind, Lance | Knight),
        }
    }
}

/// For each kind of piece and each group all bits, or none: a member's constant counts.
static MEMBERS: [[u64; Group::COUNT]; PieceType::COUNT] = {
    let mut members = [[0; Group::COUNT]; PieceType::COUNT];
    let mut kind = 0;
    while kind < PieceType::COUNT {
        let mut group = 0;
        while group < Group::COUNT {
            if Group::ALL[group].contains(PieceType::ALL[kind]) {
                members[kind][group] = u64::MAX;
            }
            group += 1;
        }
        kind += 1;
    }
    members
};

/// The keys of all groups in one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys([u64; Group::COUNT]);

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

    /// The keys after a move.
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

    /// The key of one group: bits that depend on each of its pieces.
    #[inline(always)]
    pub(crate) fn group(self, group: Group) -> u64 {
        self.0[group as usize]
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
            let (first, second) = (keys(first), keys(second));
            Group::ALL.into_iter().filter(|&group| first.group(group) != second.group(group)).collect::<Vec<_>>()
        };
        let cases: [(&str, &str, &[Group]); 5] = [
            ("4k4/9/9/2P6/9/9/9/9/4K4 b - 1", "4k4/9/9/9/2P6/9/9/9/4K4 b - 1", &[Group::Pawns]),
            ("4k4/9/9/2S6/9/9/9/9/4K4 b - 1", "4k4/9/9/9/2S6/9/9/9/4K4 b - 1", &[Group::Castle]),
            ("4k4/9/9/2R6/9/9/9/9/4K4 b - 1", "4k4/9/9/2+R6/9/9/9/9/4K4 b - 1", &[Group::Large]),
            ("4k4/9/9/2L6/9/9/9/9/4K4 b - 1", "4k4/9/9/9/2L6/9/9/9/4K4 b - 1", &[Group::Cavalry]),
            ("4k4/9/9/2L6/9/9/9/9/4K4 b - 1", "3k5/9/9/2L6/9/9/9/9/4K4 b P 1", &[Group::Castle, Group::Large]),
        ];
        for (first, second, groups) in cases {
            assert_eq!(differing(first, second), groups, "{first}, {second}");
        }
    }
}
