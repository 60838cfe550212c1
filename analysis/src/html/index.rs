//! The index of a folder: summaries of its players, and a table of games that can be sorted.

use std::path::{Component, Path, PathBuf};

use enbu_kifu::markup::escape;
use enbu_language::Language;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::player::{self, Played};
use super::{Fetches, Words, bilingual, day, fill, head, shortened, shown, words_of};
use crate::report::{GameReport, Side, SideReport};

/// A game in the index.
#[derive(Clone, Debug)]
pub struct IndexRow {
    page: PathBuf,
    html: String,
    played: [Played; 2],
}

impl IndexRow {
    /// The row of a game whose page is at a path from the index.
    pub fn new(report: &GameReport, page: PathBuf) -> Self {
        let url = url(&page);
        Self {
            html: row(report, &url),
            played: [Side::Black, Side::White].map(|side| Played::of(report, side, &url)),
            page,
        }
    }
}

/// A path as a URL: everything but letters, digits and a few signs in percent encoding,
/// whatever the bytes of its names are.
fn url(path: &Path) -> String {
    // A first segment with a colon would be a scheme; none is left unescaped.
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');
    let name = |part: Component<'_>| part.as_os_str().as_encoded_bytes().to_owned();
    percent_encode(&path.components().map(name).collect::<Vec<_>>().join(&b'/'), ESCAPED).to_string()
}

/// The index of some games, sorted by file.
pub fn index(rows: &[IndexRow], language: Option<Language>) -> String {
    let mut sorted: Vec<&IndexRow> = rows.iter().collect();
    sorted.sort_by(|one, other| one.page.cmp(&other.page));
    let values = [
        ("head", head("Enbu", language, "", Fetches::Nothing)),
        ("count", rows.len().to_string()),
        ("players", player::summaries(rows.iter().flat_map(|row| &row.played))),
        ("rows", sorted.into_iter().map(|row| row.html.as_str()).collect()),
        ("script", include_str!("index.js").to_owned()),
    ];
    fill(include_str!("index.html"), &values)
}

fn row(report: &GameReport, url: &str) -> String {
    let text = |text: &str| format!("<td class=\"l\" data-v=\"{0}\">{0}</td>", escape(&shortened(text)));
    let number = |value: usize| format!("<td data-v=\"{value}\">{value}</td>");
    let accuracy =
        |side: &SideReport| format!("<td data-v=\"{}\">{}</td>", side.accuracy.unwrap_or(-1.0), shown(side.accuracy));
    let bad = |side: &SideReport| {
        let [.., mistakes, blunders] = side.classes;
        number(mistakes + blunders)
    };
    let opening = Words::of(report).odds.or_else(|| report.names.opening.as_ref().map(words_of)).unwrap_or_default();
    let [key, _] = &opening;
    let opening = format!("<td class=\"l\" data-v=\"{}\">{}</td>", escape(key), bilingual(&opening));
    let file = match report.source.game {
        0 | 1 => report.source.file.clone(),
        game => format!("{} #{game}", report.source.file),
    };
    let winner = match report.winner {
        Some(Side::Black) => "▲",
        Some(Side::White) => "△",
        None => "",
    };
    let (black, white) = (&report.black, &report.white);
    let cells = [
        text(&report.black_name),
        text(&report.white_name),
        text(day(report)),
        opening,
        text(winner),
        number(report.moves.len()),
        accuracy(black),
        accuracy(white),
        bad(black),
        bad(white),
        number(black.missed_mates + white.missed_mates),
    ];
    let file = escape(&file);
    format!("<tr><td class=\"l\" data-v=\"{file}\"><a href=\"{url}\">{file}</a></td>{}</tr>\n", cells.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_urls() {
        assert_eq!(url(Path::new("a b/棋.html")), "a%20b/%E6%A3%8B.html");
        assert_eq!(url(Path::new("javascript:x\".html")), "javascript%3Ax%22.html");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            assert_eq!(url(Path::new(std::ffi::OsStr::from_bytes(b"a/\x8b\xff\\.html"))), "a/%8B%FF%5C.html");
        }
    }
}
