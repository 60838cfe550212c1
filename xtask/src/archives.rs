//! Archives of a release: equal bytes for equal content.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::stage::{Contents, Stage, pages, root};
use crate::tool::Outcome;

/// Packs the stage into a `tar.gz` with the stage's folder as its only entry at the top.
pub(crate) fn tar(sh: &Shell, stage: &Stage, archive: &Path, epoch: u64) -> Outcome {
    stage.finish(sh)?;
    let (parent, name) = split(&stage.folder);
    let (time, owner) = (format!("--mtime=@{epoch}"), ["--owner=root:0", "--group=root:0"]);
    let tar = cmd!(sh, "tar --create --format=ustar --sort=name {owner...} {time} --directory {parent} {name}");
    compress(sh, &tar.quiet().output()?.stdout, archive)
}

/// Writes the source archive of the commit.
pub(crate) fn source(sh: &Shell, version: &str, archive: &Path) -> Outcome {
    let git = cmd!(sh, "git archive --format=tar --prefix=enbu-{version}/ HEAD");
    compress(sh, &git.quiet().output()?.stdout, archive)
}

fn compress(sh: &Shell, bytes: &[u8], archive: &Path) -> Outcome {
    Ok(sh.write_file(archive, packed(sh, bytes)?)?)
}

/// The bytes compressed, without name and time.
fn packed(sh: &Shell, bytes: &[u8]) -> Outcome<Vec<u8>> {
    Ok(cmd!(sh, "gzip -9 --no-name").quiet().stdin(bytes).output()?.stdout)
}

/// Packs the stage into a zip file with the stage's folder as its only entry at the top.
pub(crate) fn zip(sh: &Shell, stage: &Stage, archive: &Path) -> Outcome {
    let (parent, _) = split(&stage.folder);
    let files = stage.finish(sh)?;
    let inside = files.iter().filter_map(|path| path.strip_prefix(&parent).ok());
    let names: String = inside.map(|path| format!("{}\n", path.display())).collect();
    sh.remove_path(archive)?;
    let _parent = sh.push_dir(parent);
    // `-X`: without owners and the exact times; the times left are in UTC.
    Ok(cmd!(sh, "zip -q -9 -X -@ {archive}").quiet().env("TZ", "UTC").stdin(names).run()?)
}

/// A folder's parent and its name.
fn split(folder: &Path) -> (PathBuf, PathBuf) {
    let parent = folder.parent().unwrap_or(folder).to_owned();
    (parent, folder.file_name().map(PathBuf::from).unwrap_or_default())
}

/// Maintainer of the Debian package, in the form of its control file.
const MAINTAINER: &str = "The Enbu developers <enbu@localhost.invalid>";

/// Fills the stage with the files of the Debian package. The program is static, so the
/// package depends on nothing.
pub(crate) fn debian_files(sh: &Shell, stage: &Stage, date: &str, contents: &Contents<'_>) -> Outcome {
    let Contents { program, licences, generated, .. } = contents;
    let version = env!("CARGO_PKG_VERSION");
    let docs = Path::new("usr/share/doc/enbu");
    stage.add_program(sh, "usr/bin/enbu", program)?;
    for (name, bytes) in &generated.manual {
        stage.add(sh, Path::new("usr/share/man/man1").join(format!("{name}.gz")), packed(sh, bytes)?)?;
    }
    for (name, bytes) in &generated.completions {
        let path = match *name {
            "enbu.bash" => "usr/share/bash-completion/completions/enbu",
            "_enbu" => "usr/share/zsh/vendor-completions/_enbu",
            "enbu.fish" => "usr/share/fish/vendor_completions.d/enbu.fish",
            _ => continue,
        };
        stage.add(sh, path, bytes)?;
    }
    for (path, bytes) in pages(sh, licences)? {
        match path.to_string_lossy().as_ref() {
            // Part of `copyright`, and the common text of the system.
            "LICENSE-MIT" | "LICENSE-APACHE" => {}
            "CHANGELOG.md" => stage.add(sh, docs.join("changelog.gz"), packed(sh, &bytes)?)?,
            "THIRD-PARTY-LICENSES.txt" => {
                stage.add(sh, docs.join("THIRD-PARTY-LICENSES.txt.gz"), packed(sh, &bytes)?)?;
            }
            _ => stage.add(sh, docs.join(path), bytes)?,
        }
    }
    stage.add(sh, docs.join("copyright"), copyright(&sh.read_file(root().join("LICENSE-MIT"))?))?;
    let changes = format!(
        "enbu ({version}-1) unstable; urgency=medium\n\n  * Version {version}: see changelog.gz.\n\n -- {MAINTAINER}  {date}\n"
    );
    stage.add(sh, docs.join("changelog.Debian.gz"), packed(sh, changes.as_bytes())?)
}

/// The file `copyright` of the Debian package.
fn copyright(mit: &str) -> String {
    let mut text = String::from(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Enbu\n\n\
         Files: *\nCopyright: 2026 The Enbu developers\nLicense: Expat or Apache-2.0\n\
         Comment: The licences of the libraries in the program are in THIRD-PARTY-LICENSES.txt.gz.\n\n\
         License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n\nLicense: Expat\n",
    );
    for line in mit.trim_end().lines() {
        let _ = writeln!(text, " {}", if line.is_empty() { "." } else { line });
    }
    text
}

/// Packs the stage, which has the files of the package, into the Debian package.
pub(crate) fn debian(sh: &Shell, stage: &Stage, epoch: u64, package: &Path) -> Outcome {
    let (version, files, folder) = (env!("CARGO_PKG_VERSION"), stage.finish(sh)?, &stage.folder);
    let (mut sums, mut bytes) = (String::new(), 0);
    for path in &files {
        let sum = cmd!(sh, "md5sum --binary {path}").quiet().read()?;
        let name = path.strip_prefix(folder).unwrap_or(path).display();
        let _ = writeln!(sums, "{}  {name}", sum.split(' ').next().unwrap_or_default());
        bytes += fs::metadata(path)?.len();
    }
    let size = bytes.div_ceil(1024);
    let control = format!(
        "Package: enbu\nVersion: {version}-1\nArchitecture: amd64\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\n\
         Section: misc\nPriority: optional\nDescription: USI shogi engine\n \
         Enbu plays and analyses shogi in programs that speak USI (Universal Shogi\n \
         Interface). It also solves mate problems, converts game records, judges\n games and runs matches between engines.\n"
    );
    stage.add(sh, "DEBIAN/control", control)?;
    stage.add(sh, "DEBIAN/md5sums", sums)?;
    stage.finish(sh)?;
    // One thread: the number of threads changes the bytes.
    let dpkg = cmd!(sh, "dpkg-deb --root-owner-group -Zxz --threads-max=1 --build {folder} {package}");
    Ok(dpkg.quiet().env("SOURCE_DATE_EPOCH", epoch.to_string()).ignore_stdout().run()?)
}

/// Writes the sums of all files of the folder; returns their names.
pub(crate) fn sums(sh: &Shell, folder: &Path) -> Outcome<Vec<String>> {
    let names =
        sh.read_dir(folder)?.into_iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let names: Vec<String> = names.filter(|name| name != "SHA256SUMS").collect();
    let (_folder, listed) = (sh.push_dir(folder), &names);
    let text = cmd!(sh, "sha256sum {listed...}").quiet().output()?.stdout;
    sh.write_file("SHA256SUMS", text)?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_equal_stages_are_equal_and_hold_their_files() {
        let sh = &Shell::new().expect("a shell");
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let made: Vec<[Vec<u8>; 3]> = ["one", "two"]
            .into_iter()
            .map(|name| {
                let stage = Stage::new(sh, at("stages").join(name).join("enbu"), 1_000_000).expect("a stage");
                stage.add_program(sh, "enbu", "program").expect("written");
                stage.add(sh, "docs/page.md", "text").expect("written");
                sh.create_dir(at(name)).expect("a folder");
                let paths = ["a.tar.gz", "a.zip", "a.deb"].map(|archive| at(name).join(archive));
                tar(sh, &stage, &paths[0], 1_000_000).expect("a tar");
                zip(sh, &stage, &paths[1]).expect("a zip");
                debian(sh, &stage, 1_000_000, &paths[2]).expect("a package");
                paths.map(|path| fs::read(path).expect("an archive"))
            })
            .collect();
        assert!(made[0] == made[1]);
        assert_eq!(sums(sh, &at("one")).expect("sums"), ["a.deb", "a.tar.gz", "a.zip"]);
        let archive = at("one").join("a.tar.gz");
        let listed = cmd!(sh, "tar --list --verbose --file {archive}").quiet().read().expect("a list");
        assert!(listed.contains("-rwxr-xr-x root/root         7 1970-01-12 "), "{listed}");
        assert!(listed.contains("-rw-r--r--") && listed.contains(" enbu/docs/page.md"), "{listed}");
        let package = at("two").join("a.deb");
        let listed = cmd!(sh, "dpkg-deb --contents {package}").quiet().read().expect("a list");
        assert!(listed.contains(" ./docs/page.md") && !listed.contains("DEBIAN"), "{listed}");
    }
}
