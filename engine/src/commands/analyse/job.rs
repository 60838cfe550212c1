//! The work on every game, and its destination.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use enbu_analysis::html::PageLanguage;
use enbu_analysis::{Earlier, Language, OpeningCache, Settings};
use enbu_eval::Evaluation;
use enbu_files::Existing;
use enbu_kifu::ScoreStyle;

use super::Kind;
use crate::commands::inputs::Target;
use crate::commands::shard::Shard;

/// The work on every game.
pub(super) struct Job {
    pub(super) settings: Settings,
    /// Program and evaluation.
    pub(super) engine: String,
    pub(super) evaluation: Evaluation,
    pub(super) kinds: Vec<Kind>,
    pub(super) target: Target,
    /// Treatment of a file that exists, outside a folder to write to.
    pub(super) existing: Existing,
    pub(super) scores: ScoreStyle,
    pub(super) comments: Language,
    /// Treatment of comments that a record holds already.
    pub(super) earlier: Earlier,
    pub(super) pages: PageLanguage,
    pub(super) shard: Shard,
    pub(super) openings: Arc<OpeningCache>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Job {
    /// The options of the output in one line.
    pub(super) fn output(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        let Self { scores, comments, earlier, pages, .. } = self;
        format!("{} {scores:?} {comments:?} {earlier:?} {pages:?}", kinds.join(","))
    }
}

/// Returns true for a file that an earlier run may have written into `folder`, a canonical
/// path.
pub(super) fn contains(folder: &Path, path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder))
}
