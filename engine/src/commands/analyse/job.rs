//! The work on every game, and its destination.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use enbu_analysis::html::PageLanguage;
use enbu_analysis::{Earlier, Language, OpeningCache, Settings};
use enbu_eval::Evaluation;
use enbu_files::Existing;
use enbu_kifu::ScoreStyle;

use super::Kind;
use crate::commands::failure::{check_writable, named};
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

/// Destination of the output.
pub(super) enum Target {
    Stdout,
    File(PathBuf),
    Folder(PathBuf),
}

impl Target {
    /// Fails now where nothing could be written after the work.
    pub(super) fn prepare(&self, existing: Existing) -> io::Result<()> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(path) => check_writable(path, existing),
            Self::Folder(folder) => {
                fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
                check_writable(&folder.join("index.html"), Existing::Replace)
            }
        }
    }

    /// The canonical path of the folder to write to, if it is one.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        let Self::Folder(folder) = self else { return None };
        fs::canonicalize(folder).ok()
    }
}

/// Returns true for a file that an earlier run may have written into `folder`, a canonical
/// path.
pub(super) fn contains(folder: &Path, path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| path.starts_with(folder))
}
