//! Fields that a format cannot hold.

use std::fmt;

use enbu_language::{pick, text};

use crate::error::{BookError, Fault};
use crate::page::{Entry, Page};

/// Numbers of fields that were left out of a written book because its format has no place
/// for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Losses {
    /// Positions: not enough bits, or another position has the same key.
    pub positions: u64,
    pub plies: u64,
    pub replies: u64,
    pub values: u64,
    pub depths: u64,
    pub counts: u64,
    pub comments: u64,
    pub judgements: u64,
    /// Results of games.
    pub games: u64,
    pub analyses: u64,
    /// Numbers that were written as the nearest one in range.
    pub clamped: u64,
}

impl Losses {
    /// Returns the key of a page with moves that follows the `last` one of a file; `None` for one
    /// that is not written: another page of its key is lost, and one without a key.
    pub(crate) fn accept<K: PartialOrd + Copy>(
        &mut self,
        last: &mut Option<K>,
        key: Option<K>,
        page: &Page,
    ) -> Result<Option<K>, BookError> {
        if page.entries.is_empty() {
            self.without_extras(page);
            return Ok(None);
        }
        if key.is_none() || key == *last {
            self.positions += 1;
            return Ok(None);
        }
        if *last > key {
            return Err(BookError::file(Fault::Unsorted(page.position.to_string())));
        }
        self.without_extras(page);
        *last = key;
        Ok(key)
    }

    /// Counts the fields of a page, its entries apart, that only `.sbk` and `.db` hold.
    pub(crate) fn without_extras(&mut self, page: &Page) {
        self.comments += u64::from(page.comment.is_some());
        self.without_results(page);
    }

    /// Counts the fields of an entry that neither of the formats of records holds.
    pub(crate) fn without_texts(&mut self, entry: &Entry) {
        self.replies += u64::from(entry.ponder.is_some());
        self.comments += u64::from(entry.comment.is_some());
        self.judgements += u64::from(entry.judgement.is_some());
    }

    /// Counts the fields of a page, its entries apart, that only `.sbk` holds.
    pub(crate) fn without_results(&mut self, page: &Page) {
        self.games += u64::from(page.games.is_some());
        self.analyses += page.analyses.len() as u64;
    }
}

impl fmt::Display for Losses {
    /// A list such as `3 replies, 1 comment`; empty if nothing was lost.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = [
            (self.positions, "position", "局面"),
            (self.plies, "ply", "手数"),
            (self.replies, "reply", "応手"),
            (self.values, "value", "評価値"),
            (self.depths, "depth", "深さ"),
            (self.counts, "count", "出現回数"),
            (self.comments, "comment", "コメント"),
            (self.judgements, "judgement", "評価"),
            (self.games, "result", "勝敗"),
            (self.analyses, "analysis", "解析"),
            (self.clamped, "number out of range", "範囲外の数値"),
        ];
        let mut separator = "";
        for (count, name, japanese) in fields.into_iter().filter(|&(count, ..)| count > 0) {
            let english = match (count, name) {
                (1, name) => name.to_owned(),
                (_, "analysis") => "analyses".to_owned(),
                (_, "number out of range") => "numbers out of range".to_owned(),
                (_, name) => name.strip_suffix('y').map_or_else(|| format!("{name}s"), |stem| format!("{stem}ies")),
            };
            text!("{separator}{count} {english}", "{separator}{japanese} {count} 件").fmt(f)?;
            separator = pick(", ", "、");
        }
        Ok(())
    }
}
