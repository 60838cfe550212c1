//! The user's pages: links, limits of the READMEs, the tables of options, and commands.
//!
//! Each fenced block with an `enbu` command is run by a shell, page by page in one
//! folder with the files of [`fixtures`]. HTML comments before a block change that:
//!
//! | comment | effect |
//! |---|---|
//! | `<!-- not run: REASON -->` | the block is skipped |
//! | `<!-- run with: A => B -->` | `A`, which must occur, is replaced by `B` (repeatable) |
//!
//! Blocks marked `usi` are sessions: lines that begin with `<` are expected from the
//! engine, up to `...`; the others are sent.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use enbu_tests::binary::{enbu, workspace_root};
use enbu_tests::has_slow_rows;
use enbu_tests::session::Session;

/// Set to rewrite the tables of options in place of comparing them.
const UPDATE: &str = "ENBU_UPDATE_DOCS";

const README_LINES: usize = 120;

/// Characters of a line of a user's page.
const WIDTH: usize = 160;

/// Records of the project, with wide tables.
const RECORDS: [&str; 2] = ["docs/evidence.md", "docs/networks-history.md"];

/// Folders without pages of ours.
const SKIPPED: [&str; 5] = [".git", "target", "data", "node_modules", "corpus"];

/// A fenced block of code.
struct Block {
    /// The word after the fence.
    language: String,
    text: String,
    /// The HTML comments directly before the fence.
    comments: Vec<String>,
    line: usize,
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).replace('\r', "")
}

/// All Markdown files of the repository.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![workspace_root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // `tests/data` has a page as well, unlike the folder of games at the root.
            let is_skipped = SKIPPED.contains(&name.as_str()) && !path.ends_with("tests/data");
            if path.is_dir() && !path.is_symlink() && !is_skipped {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The fenced blocks of a page.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut comments = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                let comments = std::mem::take(&mut comments);
                open = Some(Block { language: language.into(), text: String::new(), comments, line: index + 1 });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text += &format!("{line}\n"),
            (None, None) => match line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
                Some(comment) => comments.push(comment.to_owned()),
                None => comments.clear(),
            },
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// The text without fenced blocks and code spans.
fn prose(text: &str) -> String {
    let mut in_block = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// Targets of the links and pictures of a page.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let pictures = prose.split("src=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(target, _)| target);
    inline.chain(pictures).map(str::to_owned).collect()
}

/// The anchors that a forge makes of the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut in_block = false;
    for line in text.lines() {
        in_block ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if in_block || heading == line || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        let anchor: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        assert!(anchors.insert(anchor), "two headings have the anchor of {line}");
    }
    anchors
}

/// Returns true for a link from a page, as a forge shows it (`blob/BRANCH/PAGE`), to the releases.
fn is_releases(page: &Path, link: &str) -> bool {
    let depth = page.parent().unwrap().strip_prefix(workspace_root()).unwrap().components().count();
    link == format!("{}releases", "../".repeat(depth + 2))
}

#[test]
fn relative_links_and_anchors_lead_somewhere() {
    for page in pages() {
        let text = read(&page);
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if is_releases(&page, path) {
                continue;
            }
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link} does not exist", page.display());
            if !anchor.is_empty() {
                assert!(anchors(&read(&target)).contains(anchor), "{}: no heading for {link}", page.display());
            }
        }
    }
}

#[test]
fn links_and_anchors_are_recognised() {
    let page = "# One two\n[a](b.md#c) `[no](code)` ![p](d.svg)\n```\n# no\n[no](block)\n```\n## 詰み（`go mate`）\n<img src=\"e.png\">";
    assert_eq!(links(page), ["b.md#c", "d.svg", "e.png"]);
    assert_eq!(anchors(page), BTreeSet::from(["one-two".to_owned(), "詰みgo-mate".to_owned()]));
}

#[test]
fn readmes_are_short_and_link_each_other() {
    for (name, other) in [("README.md", "README.ja.md"), ("README.ja.md", "README.md")] {
        let text = read(&workspace_root().join(name));
        assert!(text.lines().count() <= README_LINES, "{name} has {} lines", text.lines().count());
        assert!(links(text.lines().nth(2).unwrap()).iter().any(|link| link == other), "line 3 of {name}");
        assert!(
            links(&text).iter().any(|link| link.ends_with(".svg") || link.ends_with(".png")),
            "no picture in {name}"
        );
        assert!(text.contains("`cargo install --path engine`"), "{name} puts no `enbu` on the PATH");
    }
}

/// Value of `key` in a line of YAML.
fn yaml<'t>(line: &'t str, key: &str) -> Option<&'t str> {
    line.trim().strip_prefix(key)?.strip_prefix(": ").map(|value| value.trim_matches('"'))
}

#[test]
fn examples_for_shogiarena_set_options_of_the_binary() {
    let options: serde_json::Value = serde_json::from_str(&stdout(&["options", "--json"])).expect("JSON");
    let kind = |name: &str| {
        let option = options.as_array().unwrap().iter().find(|option| option["name"] == name);
        option.unwrap_or_else(|| panic!("no option {name}"))["type"].as_str().unwrap().to_owned()
    };
    let folder = workspace_root().join("examples/shogiarena");
    for name in ["enbu.yaml", "enbu-depth3.yaml"] {
        let text = read(&folder.join(name));
        let (head, set) = text.split_once("\noptions:\n").expect("options");
        let program = head.lines().find_map(|line| yaml(line, "engine_path")).unwrap();
        assert_eq!(program, "target/release/enbu");
        let mut session = Session::start();
        for line in set.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let (option, value) = line.trim().split_once(": ").expect("an option");
            kind(option);
            session.accepts(&format!("setoption name {option} value {value}"));
        }
    }
    let space = read(&folder.join("spsa-space.yaml"));
    let tuned: Vec<&str> = space.lines().filter_map(|line| yaml(line, "option")).collect();
    assert!(!tuned.is_empty() && tuned.iter().all(|option| kind(option) == "spin"), "{tuned:?}");
    // The button is called `Clear_Hash`: ShogiHome loses names with blanks.
    assert!(read(&folder.join("spsa.yaml")).contains("      clear_hash: false\n"));
}

#[test]
fn lines_of_the_users_pages_are_short() {
    let (root, docs) = (workspace_root(), workspace_root().join("docs"));
    let is_users = |page: &&PathBuf| page.parent().is_some_and(|folder| folder == root || folder == docs);
    let is_record = |page: &PathBuf| RECORDS.iter().any(|record| page.ends_with(record));
    for page in pages().iter().filter(is_users).filter(|page| !is_record(page)) {
        for line in read(page).lines() {
            let width = line.chars().count();
            assert!(width <= WIDTH, "{}: {width} characters: {line}", page.display());
        }
    }
}

#[test]
fn pages_of_both_languages_link_each_other() {
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".ja.md") {
            let english = page.with_file_name(format!("{stem}.md"));
            assert!(links(&read(&page)).contains(&format!("{stem}.md")), "{name}");
            assert!(links(&read(&english)).contains(&name), "{}", english.display());
        }
    }
}

fn stdout(arguments: &[&str]) -> String {
    let output = Command::new(enbu()).args(arguments).current_dir(workspace_root()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn option_pages_hold_the_tables_of_the_binary() {
    for (name, language) in [("docs/options.md", "en"), ("docs/options.ja.md", "ja")] {
        let (path, table) = (workspace_root().join(name), stdout(&["options", "--lang", language]));
        let (begin, end) = ("<!-- options:begin -->\n", "<!-- options:end -->");
        let text = read(&path);
        let (head, rest) = text.split_once(begin).expect("the begin of the table");
        let (listed, tail) = rest.split_once(end).expect("the end of the table");
        if std::env::var_os(UPDATE).is_some() {
            fs::write(&path, format!("{head}{begin}{table}{end}{tail}")).unwrap();
        } else {
            assert!(listed == table, "{name} is out of date: {UPDATE}=1 cargo test -p enbu-tests option_pages");
        }
    }
}

#[test]
fn pictures_are_made_by_their_commands() {
    let marks = ["--mark", "B*6f,R6f3c,[3c]", "--caption", "Diagram 1: after {move}"];
    let western = [&["--flip", "--letters", "western"][..], &marks].concat();
    for (file, ply, options) in [("docs/board.svg", "60", &[][..]), ("docs/board-western.svg", "22", &western)] {
        let made = stdout(&[&["convert", "docs/game.kif", "--to", "svg", "--ply", ply], options].concat());
        let path = workspace_root().join(file);
        if std::env::var_os(UPDATE).is_some() {
            fs::write(&path, made).unwrap();
        } else {
            assert!(made == read(&path), "{file} is out of date: {UPDATE}=1 cargo test -p enbu-tests pictures");
        }
    }
}

/// True for a line with an `enbu` command, alone or at the end of a pipe.
#[cfg(unix)]
fn runs_enbu(line: &str) -> bool {
    line.trim_start().starts_with("enbu ") || line.contains("| enbu")
}

/// Files that commands in the pages read.
#[cfg(unix)]
fn fixtures(folder: &Path) {
    let game = workspace_root().join("docs/game.kif");
    let problem = "7nl/7k1/6p2/9/6N2/9/9/9/9 b GS 1\n";
    for part in ["docs", "games"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    for copy in ["docs/game.kif", "game.kif", "games/first.kif", "games/second.kif"] {
        fs::copy(&game, folder.join(copy)).unwrap();
    }
    fs::write(folder.join("problems.sfen"), problem).unwrap();
    let problems = folder.join("problems.sfen");
    fs::write(folder.join("problem.kif"), stdout(&["convert", &problems.to_string_lossy(), "--to", "kif"])).unwrap();
}

/// The script of a block with its documented substitutions; `None` if it is not to be run.
#[cfg(unix)]
fn script(block: &Block, place: &str) -> Option<String> {
    let mut script = block.text.clone();
    for comment in &block.comments {
        if let Some(reason) = comment.strip_prefix("not run: ") {
            assert!(!reason.trim().is_empty(), "{place}: no reason");
            return None;
        }
        if let Some((from, to)) = comment.strip_prefix("run with: ").and_then(|rule| rule.split_once(" => ")) {
            assert!(script.contains(from), "{place}: {from} does not occur");
            script = script.replace(from, to);
        }
    }
    Some(script)
}

/// Runs a script by `sh`, with the built `enbu` first on the path.
#[cfg(unix)]
fn run_script(script: &str, folder: &Path, place: &str) {
    let program = enbu();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-euc", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{place}: {}\n{script}\n{out}\n{err}", output.status);
}

#[test]
#[cfg(unix)]
fn commands_in_the_pages_run() {
    let mut run = 0;
    let is_door = |page: &PathBuf| page.file_name().is_some_and(|name| name.to_string_lossy().starts_with("README"));
    for page in pages().into_iter().filter(|page| has_slow_rows() || is_door(page)) {
        let folder = tempfile::tempdir().unwrap();
        fixtures(folder.path());
        for block in blocks(&read(&page)) {
            let place = format!("{}:{}", page.display(), block.line);
            if block.language == "usi" || !block.text.lines().any(runs_enbu) {
                continue;
            }
            if let Some(script) = script(&block, &place) {
                run_script(&script, folder.path(), &place);
                run += 1;
            }
        }
    }
    assert!(run >= if has_slow_rows() { 10 } else { 2 }, "only {run} blocks were run");
}

#[test]
fn sessions_in_the_pages_go_as_written() {
    if !has_slow_rows() {
        return;
    }
    let mut run = 0;
    for page in pages() {
        for block in blocks(&read(&page)).iter().filter(|block| block.language == "usi") {
            let mut session = Session::start();
            session.send("setoption name USI_Hash value 16");
            session.send("setoption name Threads value 1");
            for line in block.text.lines() {
                match line.strip_prefix("< ") {
                    Some(expected) => drop(session.until(expected.split("...").next().unwrap().trim_end())),
                    None => session.send(line),
                }
            }
            session.exits_cleanly();
            run += 1;
        }
    }
    assert!(run >= 2, "only {run} sessions were run");
}
