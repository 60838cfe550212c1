//! Folders as users unpack them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xshell::{Shell, cmd};

use crate::builds::Target;
use crate::tool::Outcome;

/// Files at the root of the repository that every package contains.
const FILES: [&str; 8] = [
    "README.md",
    "README.ja.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Folders of the repository that every package contains.
const FOLDERS: [&str; 2] = ["docs", "examples"];

pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// The user's pages and the licences, by their paths in a package.
pub(crate) fn pages(sh: &Shell, licences: &str) -> Outcome<Vec<(PathBuf, Vec<u8>)>> {
    let _root = sh.push_dir(root());
    let listed = cmd!(sh, "git ls-files -- {FOLDERS...}").quiet().read()?;
    let paths = FILES.into_iter().chain(listed.lines()).map(PathBuf::from);
    let page = |path: PathBuf| Ok((path.clone(), sh.read_binary_file(path)?));
    let mut files = paths.map(page).collect::<Outcome<Vec<_>>>()?;
    files.push((PathBuf::from("THIRD-PARTY-LICENSES.txt"), licences.as_bytes().to_owned()));
    Ok(files)
}

/// A folder with the files of a package.
pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
    time: SystemTime,
}

impl Stage {
    /// An empty folder. Its files have the time `epoch` (seconds since 1970).
    pub(crate) fn new(sh: &Shell, folder: PathBuf, epoch: u64) -> Outcome<Self> {
        sh.remove_path(&folder)?;
        sh.create_dir(&folder)?;
        Ok(Self { folder, time: SystemTime::UNIX_EPOCH + Duration::from_secs(epoch) })
    }

    pub(crate) fn add(&self, sh: &Shell, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Outcome {
        self.write(sh, path.as_ref(), bytes.as_ref(), 0o644)
    }

    pub(crate) fn add_program(&self, sh: &Shell, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Outcome {
        self.write(sh, path.as_ref(), bytes.as_ref(), 0o755)
    }

    fn write(&self, sh: &Shell, path: &Path, bytes: &[u8], mode: u32) -> Outcome {
        let path = self.folder.join(path);
        sh.write_file(&path, bytes)?;
        set_mode(&path, mode)?;
        Ok(fs::File::options().write(true).open(&path)?.set_modified(self.time)?)
    }

    /// Gives folders their permissions, whatever those of the user's files are, and
    /// returns the paths of all files, sorted.
    pub(crate) fn finish(&self, sh: &Shell) -> Outcome<Vec<PathBuf>> {
        let (mut files, mut open) = (Vec::new(), vec![self.folder.clone()]);
        while let Some(folder) = open.pop() {
            set_mode(&folder, 0o755)?;
            let (folders, others): (Vec<_>, Vec<_>) = sh.read_dir(&folder)?.into_iter().partition(|path| path.is_dir());
            open.extend(folders);
            files.extend(others);
        }
        files.sort();
        Ok(files)
    }
}

fn set_mode(path: &Path, mode: u32) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(mode))?)
}

/// Files that the program itself writes: manual pages and completions.
pub(crate) struct Generated {
    /// File name and text of each manual page.
    pub(crate) manual: Vec<(String, Vec<u8>)>,
    /// File name and text of each completion script.
    pub(crate) completions: Vec<(&'static str, Vec<u8>)>,
}

/// Shells, with the names that their scripts have.
const SHELLS: [(&str, &str); 4] =
    [("bash", "enbu.bash"), ("zsh", "_enbu"), ("fish", "enbu.fish"), ("powershell", "_enbu.ps1")];

/// Asks a program that runs here for its manual pages and completions.
pub(crate) fn generate(sh: &Shell, program: &Path, folder: &Path) -> Outcome<Generated> {
    let pages = folder.join("man1");
    sh.remove_path(&pages)?;
    cmd!(sh, "{program} man --out {pages}").quiet().run()?;
    let page = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok((name, sh.read_binary_file(path)?))
    };
    let manual = sh.read_dir(&pages)?.into_iter().map(page).collect::<Outcome<_>>()?;
    let script = |(shell, name): (&str, &'static str)| {
        Ok((name, cmd!(sh, "{program} completions {shell}").quiet().output()?.stdout))
    };
    Ok(Generated { manual, completions: SHELLS.into_iter().map(script).collect::<Outcome<_>>()? })
}

/// The contents of the packages for a target.
pub(crate) struct Contents<'a> {
    pub(crate) target: &'a Target,
    pub(crate) program: &'a [u8],
    pub(crate) licences: &'a str,
    pub(crate) generated: &'a Generated,
}

/// The folder for a target, as users unpack it.
pub(crate) fn portable(sh: &Shell, stage: &Stage, contents: &Contents<'_>) -> Outcome {
    let Contents { target, program, licences, generated } = contents;
    stage.add_program(sh, target.program, program)?;
    for (path, bytes) in pages(sh, licences)? {
        stage.add(sh, path, bytes)?;
    }
    let is_windows = target.triple.contains("windows");
    for (name, bytes) in &generated.completions {
        if is_windows == name.ends_with("ps1") {
            stage.add(sh, Path::new("completions").join(name), bytes)?;
        }
    }
    for (name, bytes) in generated.manual.iter().filter(|_| !is_windows) {
        stage.add(sh, Path::new("man/man1").join(name), bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Component;

    use super::*;

    /// Path that a link of a page names, from the root.
    fn joined(page: &Path, target: &str) -> PathBuf {
        let mut path = page.parent().map(Path::to_owned).unwrap_or_default();
        for part in Path::new(target).components() {
            match part {
                Component::ParentDir => drop(path.pop()),
                Component::CurDir => {}
                part => path.push(part),
            }
        }
        path
    }

    #[test]
    fn pages_link_only_to_files_of_the_package() {
        let pages = pages(&Shell::new().expect("a shell"), "none").expect("the pages");
        let paths: Vec<&PathBuf> = pages.iter().map(|(path, _)| path).collect();
        for (page, bytes) in &pages {
            let text = String::from_utf8_lossy(bytes);
            for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
                // The releases are the forge's.
                let is_outside = target.contains("://") || target.ends_with("../releases");
                let target = if target.is_empty() || is_outside { continue } else { joined(page, target) };
                let exists = paths.iter().any(|path| path.starts_with(&target));
                assert!(exists || page.extension().is_none_or(|kind| kind != "md"), "{page:?}: {target:?}");
            }
        }
    }

    #[test]
    fn files_have_the_same_time_and_mode_everywhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let sh = &Shell::new().expect("a shell");
        let stage = Stage::new(sh, folder.path().join("stage"), 1_000_000).expect("a stage");
        stage.add(sh, "docs/a", "a").expect("written");
        stage.add_program(sh, "b", "b").expect("written");
        let files = stage.finish(sh).expect("files");
        let names: Vec<_> = files.iter().filter_map(|path| path.strip_prefix(&stage.folder).ok()).collect();
        assert_eq!(names, [Path::new("b"), Path::new("docs/a")]);
        use std::os::unix::fs::PermissionsExt;
        let modes = files.iter().map(|path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777);
        assert_eq!(modes.collect::<Vec<_>>(), [0o755, 0o644]);
    }
}
