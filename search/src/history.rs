//! What worked before: killers and the butterfly history.

use enbu_movegen::{Color, Move, MoveParts};

use crate::params;

/// Origin (81 squares or 7 hand pieces) and destination.
const SLOTS: usize = (81 + 7) * 81;

/// How often quiet moves caused a cut, by side, origin and destination.
///
/// Each entry moves towards a limit: `h += bonus - h * |bonus| / limit`
/// (gravity, as in Stockfish), so that old news fades.
pub(crate) struct Histories {
    quiet: [Box<[i16; SLOTS]>; 2],
}

impl Histories {
    pub(crate) fn new() -> Self {
        Self { quiet: [Box::new([0; SLOTS]), Box::new([0; SLOTS])] }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for table in &mut self.quiet {
            table.fill(0);
        }
    }

    /// How well a quiet move did, within ±[`params::HISTORY_LIMIT`].
    #[inline]
    pub(crate) fn quiet(&self, color: Color, mv: Move) -> i32 {
        i32::from(self.quiet[color][slot(mv)])
    }

    /// After a cut by `best` at `depth`: rewards it and blames the quiet moves
    /// that were searched before it.
    pub(crate) fn update(&mut self, color: Color, best: Move, tried: impl Iterator<Item = Move>, depth: i32) {
        let bonus = (16 * depth * depth + 32 * depth).min(params::HISTORY_BONUS_LIMIT);
        self.adjust(color, best, bonus);
        for mv in tried {
            self.adjust(color, mv, -bonus);
        }
    }

    fn adjust(&mut self, color: Color, mv: Move, bonus: i32) {
        let entry = &mut self.quiet[color][slot(mv)];
        let value = i32::from(*entry);
        *entry = (value + bonus - value * bonus.abs() / params::HISTORY_LIMIT) as i16;
    }
}

#[inline]
fn slot(mv: Move) -> usize {
    let (origin, to) = match mv.parts() {
        MoveParts::Board { from, to, .. } => (from.index(), to),
        MoveParts::Drop { piece, to } => (81 + piece as usize, to),
    };
    origin * 81 + to.index()
}

/// The two quiet moves that last caused a cut at one ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Killers([Option<Move>; 2]);

impl Killers {
    /// Puts `mv` first.
    #[inline]
    pub(crate) fn add(&mut self, mv: Move) {
        if self.0[0] != Some(mv) {
            self.0 = [Some(mv), self.0[0]];
        }
    }

    /// The killers, newest first.
    #[inline]
    pub(crate) fn moves(self) -> [Option<Move>; 2] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_stays_within_its_limit_and_fades() {
        let mut histories = Histories::new();
        let good: Move = "7g7f".parse().expect("a move");
        let bad: Move = "P*5e".parse().expect("a move");
        for _ in 0..1000 {
            histories.update(Color::Black, good, [bad].into_iter(), 30);
        }
        let high = histories.quiet(Color::Black, good);
        assert!(high > params::HISTORY_LIMIT * 8 / 10 && high <= params::HISTORY_LIMIT);
        assert!(histories.quiet(Color::Black, bad) < -params::HISTORY_LIMIT * 8 / 10);
        assert_eq!(histories.quiet(Color::White, good), 0);
        histories.update(Color::Black, bad, [good].into_iter(), 30);
        assert!(histories.quiet(Color::Black, good) < high);
    }
}
