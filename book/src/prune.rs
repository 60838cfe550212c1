//! Leaving out moves.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use enbu_movegen::Position;

use crate::page::{Entry, Page};

/// Conditions of the moves that stay in a book, as arguments of a command. Moves and positions
/// without a number pass the conditions on it, but for counts and depths.
#[derive(Args, Clone, Debug, Default)]
pub struct Filter {
    /// Least count of a move; without a count it is 1 ‖ 指し手の出現回数の下限。出現回数のない指し手は 1 とみなす
    #[arg(long, value_name = "N")]
    pub min_count: Option<u64>,
    /// Least depth of a move; without a depth it is 0 ‖ 指し手の深さの下限。深さのない指し手は 0 とみなす
    #[arg(long, value_name = "PLIES")]
    pub min_depth: Option<u32>,
    /// Least value of a move from the side that moves ‖ 指し手の評価値の下限（手番側から見た値）
    #[arg(long, value_name = "CP", allow_negative_numbers = true)]
    pub min_value: Option<i32>,
    /// Largest difference to the best value of the position ‖ 局面の最善の評価値との差の上限
    #[arg(long, value_name = "CP")]
    pub max_loss: Option<u32>,
    /// Largest ply of a position ‖ 局面の手数の上限
    #[arg(long, value_name = "PLY")]
    pub max_ply: Option<u32>,
    /// Most moves of a position: those with the largest counts, then the best values ‖ 1局面の指し手の数の上限。出現回数、評価値の順に残す
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=u64::from(u32::MAX)))]
    pub max_moves: Option<usize>,
    /// Drop illegal and repeated moves, illegal replies, and positions that cannot be played ‖ 反則手、重複した指し手、反則の応手、指せない局面を取り除く
    #[arg(long)]
    pub legal: bool,
}

impl Filter {
    /// The page with the moves that stay, in their order; `None` if none does.
    pub fn apply(&self, mut page: Page) -> Option<Page> {
        if self.max_ply.is_some_and(|max| page.ply.is_some_and(|ply| ply > max)) {
            return None;
        }
        if self.legal {
            keep_legal(&mut page)?;
        }
        let best = page.entries.iter().filter_map(|entry| entry.value).max();
        page.entries.retain(|entry| self.keeps(entry, best));
        if let Some(max) = self.max_moves.filter(|&max| page.entries.len() > max) {
            let mut sorted = page.clone();
            sorted.sort();
            sorted.entries.truncate(max);
            page.entries.retain(|entry| sorted.entries.contains(entry));
        }
        Some(page).filter(|page| !page.entries.is_empty())
    }

    fn keeps(&self, entry: &Entry, best: Option<i32>) -> bool {
        let loses = |max: u32| match (best, entry.value) {
            (Some(best), Some(value)) => best.abs_diff(value) > max,
            _ => false,
        };
        self.min_count.is_none_or(|min| entry.count.unwrap_or(1) >= min)
            && self.min_depth.is_none_or(|min| entry.depth.unwrap_or(0) >= min)
            && self.min_value.is_none_or(|min| entry.value.is_none_or(|value| value >= min))
            && !self.max_loss.is_some_and(loses)
    }
}

/// Drops illegal and repeated moves and illegal replies; `None` if the position cannot be played.
fn keep_legal(page: &mut Page) -> Option<()> {
    let mut position = Position::from_setup(&page.position.to_setup()).ok()?;
    let mut seen = Vec::new();
    page.entries.retain_mut(|entry| {
        if seen.contains(&entry.mv) {
            return false;
        }
        seen.push(entry.mv);
        let is_legal = position.play(entry.mv).is_ok();
        if is_legal {
            entry.ponder = entry.ponder.filter(|&reply| position.is_legal(reply));
            position.undo_move();
        }
        is_legal
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PositionKey;

    fn kept(filter: &Filter) -> String {
        let (key, _) = PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 b").expect("an SFEN");
        let mut page = Page { ply: Some(9), ..Page::new(key) };
        for (mv, value, depth, count) in [
            ("5i5h", Some(10), Some(20), Some(5)),
            ("5i4h", Some(-90), Some(9), Some(50)),
            ("5i6h", None, None, None),
            ("P*5e", Some(-10), Some(30), Some(1)),
        ] {
            let ponder = "5a5b".parse().ok();
            page.entries.push(Entry { ponder, value, depth, count, ..Entry::new(mv.parse().expect("a move")) });
        }
        let moves = filter.apply(page).map(|page| page.entries).unwrap_or_default();
        moves.iter().map(|entry| entry.mv.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_condition_drops_its_moves() {
        let all = Filter::default();
        assert_eq!(kept(&all), "5i5h 5i4h 5i6h P*5e");
        assert_eq!(kept(&Filter { min_count: Some(2), ..all.clone() }), "5i5h 5i4h");
        assert_eq!(kept(&Filter { min_depth: Some(10), ..all.clone() }), "5i5h P*5e");
        assert_eq!(kept(&Filter { min_value: Some(0), ..all.clone() }), "5i5h 5i6h");
        assert_eq!(kept(&Filter { max_loss: Some(20), ..all.clone() }), "5i5h 5i6h P*5e");
        assert_eq!(kept(&Filter { max_moves: Some(2), ..all.clone() }), "5i5h 5i4h");
        assert_eq!(kept(&Filter { legal: true, ..all.clone() }), "5i5h 5i4h 5i6h");
        assert_eq!(kept(&Filter { max_ply: Some(9), ..all.clone() }), "5i5h 5i4h 5i6h P*5e");
        assert_eq!(kept(&Filter { max_ply: Some(8), ..all.clone() }), "");
        assert_eq!(kept(&Filter { min_count: Some(100), ..all }), "");
    }
}
