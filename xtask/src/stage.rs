//! Folders as users unpack them.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::builds::Target;
use crate::tool::{self, At, Outcome};

/// Files at the root of the repository that every package contains.
const FILES: [&str; 5] = ["README.md", "README.ja.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Folders of the repository that every package contains.
const FOLDERS: [&str; 2] = ["docs", "examples"];

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// The user's pages and the licences, by their paths in a package.
pub(crate) fn pages(licences: &str) -> Outcome<Vec<(PathBuf, Vec<u8>)>> {
    let listed = tool::text(Command::new("git").current_dir(root()).args(["ls-files", "--"]).args(FOLDERS))?;
    let paths: Vec<PathBuf> = FILES.into_iter().chain(listed.lines()).map(PathBuf::from).collect();
    let mut files = vec![(PathBuf::from("THIRD-PARTY-LICENSES.txt"), licences.as_bytes().to_owned())];
    for path in &paths {
        let bytes = fs::read(root().join(path)).at(path)?;
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        let exists = |target: &Path| paths.iter().any(|other| other == target || other.starts_with(target));
        let bytes = if is_page { unlinked(path, &String::from_utf8_lossy(&bytes), exists).into_bytes() } else { bytes };
        files.push((path.clone(), bytes));
    }
    Ok(files)
}

/// The page with plain text in place of links to files that the package does not contain.
fn unlinked(page: &Path, text: &str, exists: impl Fn(&Path) -> bool) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (head, tail) = (&rest[..middle], &rest[middle + 2..]);
        let (Some(start), Some(end)) = (head.rfind('['), tail.find(')')) else {
            result += &rest[..middle + 2];
            rest = tail;
            continue;
        };
        let target = tail[..end].split('#').next().unwrap_or_default();
        let is_kept = target.is_empty() || target.contains("://") || exists(&joined(page, target));
        if is_kept {
            result += &rest[..middle + 3 + end];
        } else {
            result += &head[..start];
            result += &head[start + 1..];
        }
        rest = &tail[end + 1..];
    }
    result + rest
}

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

/// A folder with the files of a package.
pub(crate) struct Stage {
    folder: PathBuf,
    time: SystemTime,
}

impl Stage {
    /// An empty folder. Its files have the time `epoch` (seconds since 1970).
    pub(crate) fn new(folder: PathBuf, epoch: u64) -> Outcome<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder).at(&folder)?;
        }
        fs::create_dir_all(&folder).at(&folder)?;
        Ok(Self { folder, time: SystemTime::UNIX_EPOCH + Duration::from_secs(epoch) })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a file that is no program.
    pub(crate) fn add(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Outcome {
        self.write(path.as_ref(), bytes.as_ref(), 0o644)
    }

    /// Adds a program.
    pub(crate) fn add_program(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Outcome {
        self.write(path.as_ref(), bytes.as_ref(), 0o755)
    }

    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Outcome {
        let path = self.folder.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).at(folder)?;
        }
        fs::write(&path, bytes).at(&path)?;
        set_mode(&path, mode)?;
        let file = fs::File::options().write(true).open(&path).at(&path)?;
        file.set_modified(self.time).at(&path)
    }

    /// Gives folders their permissions, whatever those of the user's files are, and
    /// returns the paths of all files, sorted.
    pub(crate) fn finish(&self) -> Outcome<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut open = vec![self.folder.clone()];
        while let Some(folder) = open.pop() {
            set_mode(&folder, 0o755)?;
            for entry in fs::read_dir(&folder).at(&folder)? {
                let path = entry.at(&folder)?.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

fn set_mode(path: &Path, mode: u32) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).at(path)
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
pub(crate) fn generate(program: &Path, folder: &Path) -> Outcome<Generated> {
    let pages = folder.join("man1");
    if pages.exists() {
        fs::remove_dir_all(&pages).at(&pages)?;
    }
    tool::run(Command::new(program).args(["man", "--out"]).arg(&pages))?;
    let mut manual = Vec::new();
    for entry in fs::read_dir(&pages).at(&pages)? {
        let path = entry.at(&pages)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        manual.push((name, fs::read(&path).at(&path)?));
    }
    manual.sort();
    let script = |(shell, name): (&str, &'static str)| {
        Ok((name, tool::output(Command::new(program).args(["completions", shell]))?))
    };
    Ok(Generated { manual, completions: SHELLS.into_iter().map(script).collect::<Outcome<_>>()? })
}

/// The folder for a target, as users unpack it.
pub(crate) fn portable(
    stage: &Stage,
    target: &Target,
    program: &[u8],
    licences: &str,
    generated: &Generated,
) -> Outcome {
    stage.add_program(target.program, program)?;
    for (path, bytes) in pages(licences)? {
        stage.add(path, bytes)?;
    }
    let is_windows = target.triple.contains("windows");
    for (name, bytes) in &generated.completions {
        if is_windows == name.ends_with("ps1") {
            stage.add(Path::new("completions").join(name), bytes)?;
        }
    }
    for (name, bytes) in generated.manual.iter().filter(|_| !is_windows) {
        stage.add(Path::new("man/man1").join(name), bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_become_text() {
        let exists = |path: &Path| [Path::new("docs/gui.md"), Path::new("README.md")].contains(&path);
        let page = Path::new("docs/mates.md");
        for (text, expected) in [
            ("a [b](gui.md#c) d", "a [b](gui.md#c) d"),
            ("a [b](../README.md) d", "a [b](../README.md) d"),
            ("a [b](../ARCHITECTURE.md) d [e](gui.md)", "a b d [e](gui.md)"),
            ("[b](https://example.org/x.md) [c](#d)", "[b](https://example.org/x.md) [c](#d)"),
            ("no](link", "no](link"),
        ] {
            assert_eq!(unlinked(page, text, exists), expected);
        }
    }

    #[test]
    fn pages_link_only_to_files_of_the_package() {
        let pages = pages("none").expect("the pages");
        let paths: Vec<&PathBuf> = pages.iter().map(|(path, _)| path).collect();
        for (page, bytes) in &pages {
            let text = String::from_utf8_lossy(bytes);
            for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
                let target = if target.is_empty() || target.contains("://") { continue } else { joined(page, target) };
                let exists = paths.iter().any(|path| path.starts_with(&target));
                assert!(exists || page.extension().is_none_or(|kind| kind != "md"), "{page:?}: {target:?}");
            }
        }
    }

    #[test]
    fn files_have_the_same_time_and_mode_everywhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let stage = Stage::new(folder.path().join("stage"), 1_000_000).expect("a stage");
        stage.add("docs/a", "a").expect("written");
        stage.add_program("b", "b").expect("written");
        let files = stage.finish().expect("files");
        let names: Vec<_> = files.iter().filter_map(|path| path.strip_prefix(stage.folder()).ok()).collect();
        assert_eq!(names, [Path::new("b"), Path::new("docs/a")]);
        use std::os::unix::fs::PermissionsExt;
        let modes = files.iter().map(|path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777);
        assert_eq!(modes.collect::<Vec<_>>(), [0o755, 0o644]);
    }
}
