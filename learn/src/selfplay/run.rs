//! Many games, on many threads, into files.
//!
//! A file is the unit of work: one thread plays its games and writes it atomically. Files in
//! the folder are therefore complete, and a resumed run plays only the missing ones.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use enbu_eval::Evaluation;
use enbu_search::{HashError, Solo};
use parking_lot::Mutex;
use rayon::prelude::*;

use super::{Player, Settings, Starts};
use crate::error::{FileError, FileErrorKind};
use crate::game_file::{EXTENSION, GameFile};

/// Many games to be played.
#[derive(Clone, Debug)]
pub struct Run {
    /// The settings of the games.
    pub settings: Settings,
    /// Positions that half of the games start from; without them all games start from random
    /// openings.
    pub starts: Option<Arc<Starts>>,
    /// The evaluation of both players.
    pub evaluation: Evaluation,
    /// The program and the evaluation as text; with the settings it must be equal in all
    /// files of a folder.
    pub origin: String,
    /// The number of games.
    pub games: u64,
    /// The number of games in a file, at least 1.
    pub games_per_file: u64,
    /// Number of the first file to play, and distance to the next; (0, 1) for all.
    pub part: (u64, u64),
    /// The folder of the files.
    pub folder: PathBuf,
}

/// The progress since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Games.
    pub games: u64,
    /// Scored positions.
    pub positions: u64,
    /// Nodes searched.
    pub nodes: u64,
    /// Completed files.
    pub files: u64,
}

impl std::ops::AddAssign for Progress {
    fn add_assign(&mut self, other: Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.nodes += other.nodes;
        self.files += other.files;
    }
}

/// The reason why games cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file of the folder is damaged or of another run, or the folder cannot be written to.
    #[error(transparent)]
    File(#[from] FileError),
    /// A transposition table cannot be allocated.
    #[error(transparent)]
    Memory(#[from] HashError),
}

/// The games of a file with these settings.
pub(super) fn of_settings(path: &Path, wanted: &str) -> Result<GameFile, FileError> {
    let file = GameFile::read(path)?;
    if file.settings == wanted {
        return Ok(file);
    }
    Err(FileError::of(path)(FileErrorKind::Settings { found: file.settings, wanted: wanted.to_owned() }))
}

impl Run {
    /// The settings in the files of this run.
    pub fn description(&self) -> String {
        let Self { origin, settings, games_per_file, .. } = self;
        let starts = |starts: &Arc<Starts>| format!(" starts={}:{:016x}", starts.positions.len(), starts.digest);
        let starts = self.starts.as_ref().map_or(String::new(), starts);
        format!("{origin} {settings}{starts} games-per-file={games_per_file}")
    }

    /// The numbers of the files to play, in order.
    fn files(&self) -> impl Iterator<Item = u64> {
        let count = self.games.div_ceil(self.games_per_file.max(1));
        let (first, distance) = self.part;
        (first..count).step_by(usize::try_from(distance.max(1)).unwrap_or(usize::MAX))
    }

    fn path(&self, file: u64) -> PathBuf {
        self.folder.join(format!("{file:06}.{EXTENSION}"))
    }

    /// The missing files, and the counts of the others, which are all read and compared.
    ///
    /// # Errors
    /// [`FileError`] for a damaged file or one of another run.
    pub fn missing(&self) -> Result<(Vec<u64>, Progress), FileError> {
        let wanted = self.description();
        let mut done = Progress::default();
        let mut missing = Vec::new();
        for file in self.files() {
            let path = self.path(file);
            if !path.exists() {
                missing.push(file);
                continue;
            }
            let shard = of_settings(&path, &wanted)?;
            done += Progress { games: shard.games.len() as u64, positions: shard.positions(), nodes: 0, files: 1 };
        }
        Ok((missing, done))
    }

    /// Plays the missing files. Calls `report` after each game and each file; if it breaks,
    /// incomplete files are discarded.
    ///
    /// # Errors
    /// [`RunError`]; completed files stay.
    pub fn play(
        &self,
        missing: &[u64],
        threads: usize,
        report: impl FnMut(Progress) -> ControlFlow<()> + Send,
    ) -> Result<(), RunError> {
        let io = FileError::of::<io::Error>(&self.folder);
        fs::create_dir_all(&self.folder).map_err(&io)?;
        let threads = threads.clamp(1, missing.len().max(1));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(Solo::STACK_BYTES);
        let pool = pool.build().map_err(|error| io(io::Error::other(error)))?;
        let (stop, report) = (AtomicBool::new(false), Mutex::new(report));
        let tell = |progress| stop.fetch_or(report.lock()(progress).is_break(), Ordering::Relaxed);
        pool.install(|| {
            missing.par_iter().with_max_len(1).try_for_each(|&file| {
                let played = self.file(file, &stop, &tell);
                stop.fetch_or(played.is_err(), Ordering::Relaxed);
                played
            })
        })
    }

    /// Plays the games of one file and writes them, unless it is stopped before.
    fn file(&self, file: u64, stop: &AtomicBool, tell: &dyn Fn(Progress) -> bool) -> Result<(), RunError> {
        let first = file * self.games_per_file;
        let mut shard = GameFile { settings: self.description(), games: Vec::new() };
        let mut player = Player::new(self.settings, self.evaluation.clone())?;
        player.starts.clone_from(&self.starts);
        for number in first..(first + self.games_per_file).min(self.games) {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let before = player.nodes;
            let game = player.game(number);
            let (positions, nodes) = (game.moves.len() as u64, player.nodes - before);
            tell(Progress { games: 1, positions, nodes, files: 0 });
            shard.games.push(game);
        }
        shard.write(&self.path(file))?;
        tell(Progress { files: 1, ..Progress::default() });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(folder: &Path) -> Run {
        Run {
            settings: Settings { nodes: 30, hash_mb: 1, max_plies: 60, ..Settings::default() },
            starts: None,
            evaluation: Evaluation::PieceSquare,
            origin: "test".into(),
            games: 10,
            games_per_file: 3,
            part: (0, 1),
            folder: folder.to_owned(),
        }
    }

    fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let files = crate::source::files(&[folder.to_owned()]).expect("a folder");
        let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
        files.iter().map(|path| (name(path), fs::read(path).expect("a file"))).collect()
    }

    fn play(run: &Run, threads: usize) -> Progress {
        let (missing, mut done) = run.missing().expect("sound files");
        run.play(&missing, threads, |progress| {
            done += progress;
            ControlFlow::Continue(())
        })
        .expect("played");
        done
    }

    #[test]
    fn threads_and_shards_make_no_difference() {
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
        let done = play(&run(folders[0].path()), 1);
        assert_eq!((done.games, done.files), (10, 4));
        play(&run(folders[1].path()), 3);
        for first in [1, 2, 0] {
            play(&Run { part: (first, 3), ..run(folders[2].path()) }, 1);
        }
        let whole = contents(folders[0].path());
        assert_eq!(whole.len(), 4);
        assert_eq!(contents(folders[1].path()), whole);
        assert_eq!(contents(folders[2].path()), whole);
    }

    #[test]
    fn a_resumed_run_gives_the_files_of_an_uninterrupted_one() {
        let (whole, broken) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        play(&run(whole.path()), 1);
        let run = run(broken.path());
        let (missing, _) = run.missing().expect("empty");
        let mut games = 0;
        run.play(&missing, 1, |progress| {
            games += progress.games;
            if games >= 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("stopped");
        let standing = contents(broken.path()).len();
        assert!((1..4).contains(&standing), "{standing}");
        let done = play(&run, 2);
        assert_eq!((done.games, done.files), (10, 4));
        assert_eq!(contents(broken.path()), contents(whole.path()));
    }

    #[test]
    fn files_that_are_damaged_or_of_another_run_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = run(folder.path());
        play(&run, 1);
        let other = Run { settings: Settings { nodes: 31, ..run.settings }, ..run.clone() };
        assert!(matches!(other.missing(), Err(FileError { kind: FileErrorKind::Settings { .. }, .. })));
        let path = run.path(2);
        let mut bytes = fs::read(&path).expect("a file");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, bytes).expect("written");
        let error = run.missing().expect_err("damaged").to_string();
        assert!(error.contains("000002.games: the file is damaged: its checksum is"), "{error}");
    }
}
