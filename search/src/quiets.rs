//! Quiet moves, scored piece by piece.

use enbu_movegen::{Bitboard, Move, Position, Square};

use crate::scored::{CHECK_BONUS, Scored};
use crate::threat::Purpose;
use crate::{params, see};

/// The list of quiet moves of one node.
pub(crate) struct Quiets<'a> {
    pub(crate) position: &'a Position,
    pub(crate) moves: &'a mut Vec<Scored>,
    pub(crate) table_move: Option<Move>,
    /// Destinations of the wanted moves that give no check: all or none.
    pub(crate) non_check_targets: Bitboard,
}

impl Quiets<'_> {
    /// Pushes the wanted moves of one piece to the squares `to`, the table move excepted; it gives check
    /// from the squares `checking`. Checks that lose little are first; moves with a purpose rise by
    /// its merit. Purpose and scores are found only for pieces with a wanted move.
    #[inline(always)]
    pub(crate) fn push<S: Fn(Square) -> i32>(
        &mut self,
        to: Bitboard,
        checking: Bitboard,
        purpose: impl FnOnce() -> Purpose,
        mv: impl Fn(Square) -> Move,
        score: impl FnOnce() -> S,
    ) {
        let to = to & (checking | self.non_check_targets);
        if to.is_empty() {
            return;
        }
        let (purpose, score) = (purpose(), score());
        let known = self.table_move.filter(|known| to.contains(known.to()) && mv(known.to()) == *known);
        let to = known.map_or(to, |known| to.without(Bitboard::of(known.to())));
        let start = self.moves.len();
        for to in to {
            self.moves.push(Scored::new(mv(to), score(to), self.moves.len()));
        }
        // In the order in which they were pushed.
        let mut pushed = self.moves[start..].iter_mut();
        let purposeful = purpose.squares(to);
        for to in purposeful | (to & checking) {
            let mv = mv(to);
            let Some(scored) = pushed.find(|scored| scored.is(mv)) else { return };
            if purposeful.contains(to) {
                scored.add(purpose.merit(self.position, mv));
            }
            if !checking.contains(to) {
                continue;
            }
            scored.mark_check();
            let keeps = || purpose.quiet_drops.contains(to) || see::reaches(self.position, mv, -params::check_loss());
            if keeps() {
                scored.add(CHECK_BONUS);
            }
        }
    }
}
