//! Files: `engine_options.txt`, the network, the book, and the folders that options name.

use std::io;
use std::path::{Path, PathBuf};

use enbu_book::Book;
use enbu_eval::Evaluation;
use enbu_files::{Existing, reason};
use enbu_language::text;

use super::report::Check;
use crate::evaluation::{self, Choice};
use crate::options::{Id, Options, file};
use crate::paths;

/// `path` as a user would write it, with `~` for the home folder.
fn shown(path: &Path) -> String {
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf)) {
        Some(rest) if path.is_absolute() => Path::new("~").join(rest).display().to_string(),
        _ => paths::shown(path),
    }
}

/// Reports that a file which may be absent is.
fn absent(check: &mut Check, name: &str) {
    check.fine(text!("no file {name}", "{name} はありません"));
}

/// The options that `engine_options.txt` sets, and its errors.
pub(super) fn options_file(check: &mut Check, options: &Options) {
    let name = file::NAME;
    match options.frozen_text() {
        Some(text) => check.fine(text!(
            "{name} sets {text}; the GUI cannot change them",
            "{name} により {text}（将棋ソフトからは変更できません）"
        )),
        None if options.file_faults.is_empty() => check.fine(text!("no {name}", "{name} はありません")),
        None => {}
    }
    for fault in &options.file_faults {
        check.fault(
            fault,
            text!(
                "Correct or remove the line; `enbu options` lists names and values.",
                "その行を直すか削除してください。名前と値は `enbu options` で表示されます。"
            ),
        );
    }
}

/// The evaluation that the options select, loaded as at `isready`.
pub(super) fn network(check: &mut Check, options: &Options) {
    let choice = options.evaluation();
    match evaluation::load(&choice, options.limit(Id::FvScale)) {
        Ok(evaluation) => describe(check, &choice, &evaluation),
        Err(error) => {
            let instead = evaluation::load(&Choice::BuiltIn, None).unwrap_or_default();
            check.fault(
                text!("{error}; the engine plays with {instead} instead", "{error}。代わりに {instead} で指します"),
                text!(
                    "Copy the file again, complete and unpacked, or correct Eval, EvalDir and EvalFile.",
                    "ファイルを展開して丸ごとコピーし直すか、Eval、EvalDir、EvalFile を直してください。"
                ),
            );
        }
    }
    if matches!(choice, Choice::BuiltIn) && matches!(options.word(Id::Eval), "Auto" | "File") {
        stray_files(check, options);
    }
}

fn describe(check: &mut Check, choice: &Choice, evaluation: &Evaluation) {
    match choice {
        Choice::File(path) => check.fine(text!("{evaluation} from {}", "{evaluation}（{}）", shown(path))),
        Choice::BuiltIn => check.fine(text!("{evaluation} (built in)", "{evaluation}（内蔵）")),
        Choice::PieceSquare => check.fine(text!("{evaluation} (by Eval)", "{evaluation}（Eval で指定）")),
    }
    let Evaluation::Network { network, scale } = evaluation else { return };
    if network.takes_scale() {
        check.fine(format_args!("FV_SCALE {scale}"));
    }
    if !network.hashes_agree() {
        check.note(
            text!("the hashes in the file are not those of its shape", "ファイル内のハッシュ値が構造と一致しません"),
            text!(
                "Other programs write such files; if the moves are strange, copy the file again.",
                "ほかのソフトが書いたファイルではよくあります。指し手がおかしければコピーし直してください。"
            ),
        );
    }
}

/// Names network files that are near the place where one is looked for.
fn stray_files(check: &mut Check, options: &Options) {
    let wanted = options.network_path();
    absent(check, &shown(&wanted));
    let folders = [wanted.parent().map(Path::to_path_buf), paths::beside_executable("")];
    let Some(found) = folders.into_iter().flatten().flat_map(|folder| networks_in(&folder)).next() else { return };
    let parent = wanted.parent().map_or_else(String::new, shown);
    check.note(
        text!("there is {found}, which is not used", "{found} がありますが、使われません"),
        text!(
            "To use it, name it nn.bin in the folder {parent}, or set EvalDir and EvalFile.",
            "使うには、{parent} フォルダに nn.bin として置くか、EvalDir と EvalFile を設定してください。"
        ),
    );
}

/// Files in `folder` with the names that networks have; Apery's books are called `book.bin`.
fn networks_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = enbu_files::entries(folder) else { return Vec::new() };
    let is_network = |path: &PathBuf| {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let is_book = path.file_stem().is_some_and(|stem| stem.to_string_lossy().to_lowercase().contains("book"));
        extension.is_some_and(|extension| extension == "bin" || extension == "nnue") && !is_book && path.is_file()
    };
    entries.into_iter().filter(is_network).map(|path| shown(&path)).collect()
}

/// The book that the options select, opened as at `isready`.
pub(super) fn book(check: &mut Check, options: &Options) {
    let Some(file) = options.book_file() else {
        return check.fine(text!("none, by USI_OwnBook or BookFile", "なし（USI_OwnBook か BookFile で指定）"));
    };
    let place = shown(&file.path);
    if !file.is_named && paths::stamp(&file.path).is_none() {
        return absent(check, &place);
    }
    let book = match Book::open(&file.path, &file.options) {
        Ok(book) => book,
        Err(error) => {
            return check.fault(
                text!("book {place}: {error}; playing without a book", "{place}：{error}。定跡を使わずに指します"),
                text!(
                    "Correct BookFile and BookDir, or set BookFile to no_book.",
                    "BookFile と BookDir を直すか、BookFile を no_book にしてください。"
                ),
            );
        }
    };
    match book.positions() {
        Some(positions) => check.fine(text!("book {place}: {positions} positions", "{place}：{positions} 局面")),
        None => check.fine(text!("book {place}: searched on disk", "{place}：ディスク上で検索")),
    }
    if let Some(fault) = book.faults.first.first() {
        let count = book.faults.count;
        check.note(
            text!("book {place}: {count} faulty entries; {fault}", "{place}：誤りのある登録 {count} 件。{fault}"),
            text!("The other positions of the book are used.", "定跡のほかの局面は使われます。"),
        );
    }
}

/// Access to a file or folder that an option names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Files in the folder are read, if it exists.
    ReadFolder,
    /// New files are written into the folder, which is made if needed.
    WriteFolder,
    /// Lines are appended to the file, which is made if needed.
    AppendFile,
}

const PLACES: [(&str, Id, Access); 4] = [
    ("EvalDir", Id::EvalDir, Access::ReadFolder),
    ("BookDir", Id::BookDir, Access::ReadFolder),
    ("CsaLogDir", Id::CsaLogDir, Access::WriteFolder),
    ("DebugLogFile", Id::DebugLogFile, Access::AppendFile),
];

/// The folder of the executable, and the permissions of the files and folders that options name.
pub(super) fn folders(check: &mut Check, options: &Options) {
    if let Some(folder) = paths::beside_executable("") {
        // It is not shown relative to itself, which would be nothing.
        let text = Some(shown(&folder)).filter(|text| !text.is_empty()).unwrap_or(folder.display().to_string());
        check.fine(text!("executable in {text}", "実行ファイルの場所：{text}"));
    }
    for (option, id, access) in PLACES {
        let is_used = |path: &PathBuf| access != Access::ReadFolder || path.exists();
        let Some(place) = options.path(id).filter(is_used) else { continue };
        let path = shown(&place);
        let Err(error) = permission(&place, access) else {
            check.fine(format_args!("{option} {path}"));
            continue;
        };
        let is_read = access == Access::ReadFolder;
        let english = if is_read { "cannot be read" } else { "cannot be written" };
        let japanese = if is_read { "を読み取れません" } else { "に書き込めません" };
        let error = reason(&error);
        check.fault(
            text!("{option} {path} {english}: {error}", "{option} {path} {japanese}：{error}"),
            text!(
                "Give your user the permission for it, or choose another place for {option}.",
                "このユーザーに権限を与えるか、{option} に別の場所を指定してください。"
            ),
        );
    }
}

/// Tries the access that the engine needs; leaves nothing changed.
fn permission(path: &Path, access: Access) -> io::Result<()> {
    match access {
        Access::ReadFolder => enbu_files::entries(path).map(drop),
        Access::WriteFolder => enbu_files::check_writable(&existing(path).join("enbu-doctor"), Existing::Replace),
        Access::AppendFile if path.is_file() => enbu_files::edit(path).map(drop),
        Access::AppendFile => enbu_files::check_writable(path, Existing::Replace),
    }
}

/// The folder, or the nearest one above it that exists: the engine makes the others.
fn existing(folder: &Path) -> &Path {
    let above = folder.ancestors().find(|folder| folder.exists() && !folder.as_os_str().is_empty());
    above.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn permissions_are_tried_without_a_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "text").expect("a file");
        let allows = |access, path: PathBuf| permission(&path, access).is_ok();
        assert!(allows(Access::WriteFolder, folder.path().to_path_buf()));
        assert!(allows(Access::WriteFolder, folder.path().join("new/folder")));
        assert!(!allows(Access::WriteFolder, file.join("folder")));
        assert!(!allows(Access::WriteFolder, file.clone()));
        assert!(allows(Access::AppendFile, file.clone()) && allows(Access::AppendFile, folder.path().join("log")));
        assert!(
            !allows(Access::AppendFile, file.join("log")) && !allows(Access::AppendFile, folder.path().join("no/log"))
        );
        assert!(allows(Access::ReadFolder, folder.path().to_path_buf()) && !allows(Access::ReadFolder, file.clone()));
        assert_eq!(fs::read_to_string(&file).expect("a file"), "text");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn files_of_networks_are_found_by_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.NNUE", "a.bin", "readme.txt", "Book.bin"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        let found = networks_in(folder.path());
        assert_eq!(found.len(), 2);
        assert!(found.iter().zip(["a.bin", "b.NNUE"]).all(|(path, name)| path.ends_with(name)), "{found:?}");
        assert!(networks_in(&folder.path().join("none")).is_empty());
    }
}
