//! The work on every game, and its destination.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use enbu_analysis::{Earlier, OpeningCache, Settings};
use enbu_eval::Evaluation;
use enbu_files::Existing;
use enbu_kifu::ScoreStyle;
use enbu_language::Language;

use super::{EARLIER, Kind};
use crate::commands::choices::{SCORES, word};
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
    pub(super) pages: Option<Language>,
    pub(super) shard: Shard,
    pub(super) openings: Arc<OpeningCache>,
    pub(super) stop: Arc<AtomicBool>,
}

impl Job {
    /// The options of the output in one line, as the command line has them.
    pub(super) fn output(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        let [scores, comments] = [word(SCORES, &self.scores), word(EARLIER, &self.earlier)];
        let pages = self.pages.map_or("auto", Language::name);
        let (kinds, language) = (kinds.join(","), self.comments.name());
        format!("{kinds} --scores {scores} --comments {comments} --lang {pages} ({language})")
    }
}

/// Returns true for a file that an earlier run may have written into `folder`, a canonical
/// path.
pub(super) fn contains(folder: &Path, path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder))
}
