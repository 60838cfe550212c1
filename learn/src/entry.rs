//! A position to learn from, in memory.
//!
//! It takes 88 bytes: its inputs in the view of the side to move, and its label. A table gives
//! the other side's inputs.

use enbu_eval::nnue::own::Place;
use enbu_eval::nnue::{classic, own};
use enbu_movegen::{Color, Position, Setup};

use crate::source::Sample;

/// The most active inputs of a position: a full set with both kings.
pub(crate) const MAX_INPUTS: usize = 40;

/// A position to learn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The first `count` are inputs in the view of the side to move.
    inputs: [u16; MAX_INPUTS],
    /// Centipawns for the side to move.
    pub(crate) score: i16,
    /// 1 won, 0 drawn, -1 lost, for the side to move.
    pub(crate) result: i8,
    count: u8,
    /// True if the own view is mirrored.
    pub(crate) is_mirrored: bool,
    /// True if only one of the two views is mirrored.
    other_is_mirrored: bool,
    /// Pieces in hand, both sides.
    pub(crate) held: u8,
    /// Number of the move, at most 255.
    pub(crate) ply: u8,
}

/// Inputs in the other side's view, not mirrored and mirrored.
static TURNED: [[u16; own::INPUTS]; 2] = {
    let mut table = [[0; own::INPUTS]; 2];
    let mut input = 0;
    while input < own::INPUTS {
        table[0][input] = own::turned(input as u16);
        table[1][input] = own::mirrored(table[0][input]);
        input += 1;
    }
    table
};

/// Inputs of K-P networks, which do not mirror: indexed by the mirroring of the own view and
/// by side, the side to move first.
static K_P: [[[u16; own::INPUTS]; 2]; 2] = {
    let mut table = [[[0; own::INPUTS]; 2]; 2];
    let mut input = 0;
    while input < own::INPUTS as u16 {
        let mut mirrored = 0;
        while mirrored < 2 {
            let plain = if mirrored == 1 { own::mirrored(input) } else { input };
            table[mirrored][0][input as usize] = classic::k_p_input(plain);
            table[mirrored][1][input as usize] = classic::k_p_input(own::turned(plain));
            mirrored += 1;
        }
        input += 1;
    }
    table
};

/// The first input of kings in K-P networks.
const K_P_KINGS: u16 = classic::k_p_input(7 * 81);
/// Pieces of a set besides the kings; each one that is not in play is input 0.
const SET: usize = 38;

impl Entry {
    pub(crate) fn new(sample: &Sample<'_>) -> Self {
        let Sample { position, score, result, .. } = *sample;
        let side = position.turn();
        let held = Color::ALL.iter().flat_map(|&color| position.hand(color).iter()).map(|(_, count)| u32::from(count));
        let mut entry = Self {
            inputs: [0; MAX_INPUTS],
            score,
            result: result.for_side(side),
            count: 0,
            is_mirrored: is_mirrored(position, side),
            other_is_mirrored: is_mirrored(position, side) != is_mirrored(position, !side),
            held: held.sum::<u32>().min(u32::from(u8::MAX)) as u8,
            ply: position.ply().min(u16::from(u8::MAX)) as u8,
        };
        // Pieces beyond a set (composed diagrams) are dropped.
        own::inputs(position, side, |input| {
            if let Some(place) = entry.inputs.get_mut(usize::from(entry.count)) {
                *place = input;
                entry.count += 1;
            }
        });
        entry
    }

    /// The diagram, with the side to move as Black.
    pub(crate) fn setup(&self) -> Setup {
        let mut setup = Setup::empty();
        for &input in self.own_view() {
            match own::place(if self.is_mirrored { own::mirrored(input) } else { input }) {
                Place::Board(piece, square) => setup.board[square] = Some(piece),
                Place::Hand(color, piece, _) => setup.hands[color] = setup.hands[color].with(piece),
            }
        }
        setup
    }

    /// The inputs in the view of the side to move.
    #[inline(always)]
    pub(crate) fn own_view(&self) -> &[u16] {
        &self.inputs[..usize::from(self.count).min(MAX_INPUTS)]
    }

    /// The inputs in the other side's view, at the start of `view`.
    #[inline(always)]
    pub(crate) fn other_view<'a>(&self, view: &'a mut [u16; MAX_INPUTS]) -> &'a [u16] {
        let table = &TURNED[usize::from(self.other_is_mirrored)];
        let count = usize::from(self.count).min(MAX_INPUTS);
        for (place, &input) in view.iter_mut().zip(&self.inputs[..count]) {
            *place = table[usize::from(input)];
        }
        &view[..count]
    }

    /// The inputs of a K-P network in both views, the side to move first, at the start of
    /// `views`.
    #[inline(always)]
    pub(crate) fn k_p_views<'a>(&self, views: [&'a mut [u16; MAX_INPUTS]; 2]) -> [&'a [u16]; 2] {
        let inputs = self.own_view();
        let mut tables = K_P[usize::from(self.is_mirrored)].iter();
        views.map(|view| {
            let (mut kings, table) = (0, tables.next().unwrap_or(&K_P[0][0]));
            for (place, &input) in view.iter_mut().zip(inputs) {
                *place = table[usize::from(input)];
                kings += usize::from(*place >= K_P_KINGS);
            }
            let count = inputs.len().max((SET + kings).min(MAX_INPUTS));
            view[inputs.len()..count].fill(0);
            &view[..count]
        })
    }
}

/// Returns true if a side's view is mirrored.
fn is_mirrored(position: &Position, side: Color) -> bool {
    position.king(side).is_some_and(|king| king.relative(side).file() >= 6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameResult;
    use crate::selfplay::{Player, Settings};
    use enbu_eval::Evaluation;

    #[test]
    fn both_views_are_those_of_the_evaluation() {
        let settings = Settings { nodes: 20, hash_mb: 1, ..Settings::default() };
        let mut player = Player::new(settings, Evaluation::PieceSquare).expect("memory");
        let mut seen = 0;
        for number in 0..4 {
            let game = player.game(number);
            let show = |position: &Position, _| {
                let entry = Entry::new(&Sample { position, score: 0, mv: None, result: GameResult::Draw });
                let view = |color| {
                    let mut view = Vec::new();
                    own::inputs(position, color, |input| view.push(input));
                    view.sort_unstable();
                    view
                };
                let mut other = [0; MAX_INPUTS];
                let mut other = entry.other_view(&mut other).to_vec();
                other.sort_unstable();
                let mut own = entry.own_view().to_vec();
                own.sort_unstable();
                assert_eq!(own, view(position.turn()), "{position}");
                assert_eq!(other, view(!position.turn()), "{position}");
                seen += 1;
            };
            game.replay(show).expect("legal");
        }
        assert!(seen > 100);
    }
}
