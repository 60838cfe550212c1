//! Archives of a release: equal bytes for equal content.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::stage::{Generated, Stage, pages, root};
use crate::tool::{self, At, Outcome};

/// Packs the stage into a `tar.gz` with the stage's folder as its only entry at the top.
pub(crate) fn tar(stage: &Stage, archive: &Path, epoch: u64) -> Outcome {
    stage.finish()?;
    let (parent, name) = split(stage.folder());
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=ustar", "--sort=name", "--owner=root:0", "--group=root:0"]);
    tar.arg(format!("--mtime=@{epoch}")).arg("--directory").arg(parent).arg(name);
    compress(&tool::output(&mut tar)?, archive)
}

/// Writes the source archive of the commit.
pub(crate) fn source(version: &str, archive: &Path) -> Outcome {
    let mut git = Command::new("git");
    git.current_dir(root()).args(["archive", "--format=tar"]).arg(format!("--prefix=enbu-{version}/"));
    compress(&tool::output(git.arg("HEAD"))?, archive)
}

/// Writes `bytes` compressed, without name and time.
fn compress(bytes: &[u8], archive: &Path) -> Outcome {
    let packed = tool::filter(Command::new("gzip").args(["-9", "--no-name"]), bytes)?;
    fs::write(archive, packed).at(archive)
}

/// Packs the stage into a zip file with the stage's folder as its only entry at the top.
pub(crate) fn zip(stage: &Stage, archive: &Path) -> Outcome {
    let (parent, _) = split(stage.folder());
    let files = stage.finish()?;
    let names: String = files
        .iter()
        .filter_map(|path| path.strip_prefix(&parent).ok())
        .map(|path| format!("{}\n", path.display()))
        .collect();
    if archive.exists() {
        fs::remove_file(archive).at(archive)?;
    }
    // `-X`: without owners and the exact times; the times left are in UTC.
    let mut zip = Command::new("zip");
    zip.current_dir(parent).env("TZ", "UTC").args(["-q", "-9", "-X", "-@"]).arg(archive);
    tool::filter(&mut zip, names.as_bytes()).map(drop)
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
pub(crate) fn debian_files(
    stage: &Stage,
    version: &str,
    date: &str,
    program: &[u8],
    licences: &str,
    generated: &Generated,
) -> Outcome {
    let docs = Path::new("usr/share/doc/enbu");
    stage.add_program("usr/bin/enbu", program)?;
    for (name, bytes) in &generated.manual {
        stage.add(Path::new("usr/share/man/man1").join(format!("{name}.gz")), packed(bytes)?)?;
    }
    for (name, bytes) in &generated.completions {
        let path = match *name {
            "enbu.bash" => "usr/share/bash-completion/completions/enbu",
            "_enbu" => "usr/share/zsh/vendor-completions/_enbu",
            "enbu.fish" => "usr/share/fish/vendor_completions.d/enbu.fish",
            _ => continue,
        };
        stage.add(path, bytes)?;
    }
    for (path, bytes) in pages(licences)? {
        match path.to_string_lossy().as_ref() {
            // Part of `copyright`, and the common text of the system.
            "LICENSE-MIT" | "LICENSE-APACHE" => {}
            "CHANGELOG.md" => stage.add(docs.join("changelog.gz"), packed(&bytes)?)?,
            "THIRD-PARTY-LICENSES.txt" => stage.add(docs.join("THIRD-PARTY-LICENSES.txt.gz"), packed(&bytes)?)?,
            _ => stage.add(docs.join(path), bytes)?,
        }
    }
    let mit = fs::read_to_string(root().join("LICENSE-MIT")).at(Path::new("LICENSE-MIT"))?;
    stage.add(docs.join("copyright"), copyright(&mit))?;
    let changes = format!(
        "enbu ({version}-1) unstable; urgency=medium\n\n  * Version {version}: see changelog.gz.\n\n -- {MAINTAINER}  {date}\n"
    );
    stage.add(docs.join("changelog.Debian.gz"), packed(changes.as_bytes())?)
}

fn packed(bytes: &[u8]) -> Outcome<Vec<u8>> {
    tool::filter(Command::new("gzip").args(["-9", "--no-name"]), bytes)
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
pub(crate) fn debian(stage: &Stage, version: &str, epoch: u64, package: &Path) -> Outcome {
    let files = stage.finish()?;
    let mut sums = String::new();
    let mut bytes = 0;
    for path in &files {
        let sum = tool::line(Command::new("md5sum").arg("--binary").arg(path))?;
        let (sum, name) =
            (sum.split(' ').next().unwrap_or_default(), path.strip_prefix(stage.folder()).unwrap_or(path));
        let _ = writeln!(sums, "{sum}  {}", name.display());
        bytes += fs::metadata(path).at(path)?.len();
    }
    let size = bytes.div_ceil(1024);
    let control = format!(
        "Package: enbu\nVersion: {version}-1\nArchitecture: amd64\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\n\
         Section: misc\nPriority: optional\nDescription: USI shogi engine\n \
         Enbu plays and analyses shogi in programs that speak USI (Universal Shogi\n \
         Interface). It also solves mate problems, converts game records, judges\n games and runs matches between engines.\n"
    );
    stage.add("DEBIAN/control", control)?;
    stage.add("DEBIAN/md5sums", sums)?;
    stage.finish()?;
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.env("SOURCE_DATE_EPOCH", epoch.to_string());
    // One thread: the number of threads changes the bytes.
    dpkg.args(["--root-owner-group", "-Zxz", "--threads-max=1", "--build"]).arg(stage.folder()).arg(package);
    tool::output(&mut dpkg).map(drop)
}

/// Writes the sums of all files of the folder.
pub(crate) fn sums(folder: &Path) -> Outcome<Vec<String>> {
    let path = folder.join("SHA256SUMS");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).at(folder)? {
        let name = entry.at(folder)?.file_name().to_string_lossy().into_owned();
        if name != "SHA256SUMS" {
            names.push(name);
        }
    }
    names.sort();
    let text = tool::output(Command::new("sha256sum").current_dir(folder).args(&names))?;
    fs::write(&path, text).at(&path)?;
    Ok(names)
}
