//! The program of an engine: this one, a file, or a name for the PATH.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use enbu_language::text;
use enbu_usi::client::Launch;

use super::failure::failed;

/// Replaces the program of an engine by its path: this program for `self`, and for a
/// bare file name a file in the engine's folder or the current one before the PATH.
/// Fails for a folder, one word of a path with blanks, and `self` with arguments.
pub(crate) fn find_program(engine: &mut Launch) -> io::Result<()> {
    if engine.command == ["self"] {
        engine.command = vec![utf8(std::env::current_exe()?)?];
        return Ok(());
    }
    let command = engine.command.join(" ");
    let Some(program) = engine.command.first_mut() else { return Ok(()) };
    let path = Path::new(program.as_str());
    let is_bare = path.components().count() == 1 && !program.contains(['/', '\\']);
    let here = engine.dir.as_deref().unwrap_or(Path::new("")).join(path);
    let place = if is_bare { here } else { path.to_owned() };
    if is_bare && place.is_file() {
        *program = utf8(std::path::absolute(place)?)?;
        return Ok(());
    }
    if *program == "self" {
        return Err(failed(text!(
            "`self` takes no arguments; settings are words of their own: --engine {command}",
            "`self` に引数は付けられません。設定は別の語にしてください：--engine {command}"
        )));
    }
    if !place.is_file() && *program != command && Path::new(&command).is_file() {
        return Err(failed(text!(
            "`{program}` is not a program; a path with blanks needs quotes of its own: --engine \"'{command}'\"",
            "`{program}` というプログラムはありません。空白を含むパスは引用符で囲んでください：--engine \"'{command}'\""
        )));
    }
    if place.is_dir() {
        return Err(failed(text!(
            "`{program}` is a folder, not the program of an engine",
            "`{program}` はフォルダです。エンジンの実行ファイルを指定してください"
        )));
    }
    Ok(())
}

fn utf8(path: PathBuf) -> io::Result<String> {
    let wrong = |path: OsString| failed(text!("{}: not UTF-8", "{}：UTF-8 のパスではありません", path.display()));
    path.into_os_string().into_string().map_err(wrong)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(words: &[&str]) -> io::Result<Vec<String>> {
        let mut engine = Launch::from_words(words).unwrap();
        find_program(&mut engine).map(|()| engine.command)
    }

    #[test]
    fn programs_are_looked_for_in_their_folder_before_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        fs::write(path("ls"), "").unwrap();
        fs::write(path("a b"), "").unwrap();
        let dir = format!("dir={}", folder.path().display());
        assert_eq!(found(&["ls --x", &dir]).unwrap(), [path("ls"), "--x".to_owned()]);
        assert_eq!(found(&["other", &dir]).unwrap(), ["other"], "left to the PATH");
        assert_eq!(found(&[&format!("'{}'", path("a b"))]).unwrap(), [path("a b")]);
        let cut = found(&[&path("a b")]).unwrap_err().to_string();
        assert!(cut.ends_with(&format!("--engine \"'{}'\"", path("a b"))), "{cut}");
        let refused = found(&[&format!("'{}'", folder.path().display())]).unwrap_err().to_string();
        assert!(refused.ends_with("is a folder, not the program of an engine"), "{refused}");
        assert_eq!(found(&["self"]).unwrap(), [std::env::current_exe().unwrap().to_str().unwrap()]);
    }
}
