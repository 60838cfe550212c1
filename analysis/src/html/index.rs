//! The index of a folder: a table of games that can be sorted.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use enbu_kifu::markup::escape;

use super::{PageLanguage, fill, head, shortened};
use crate::report::{GameReport, Side};

/// A game in the index.
#[derive(Clone, Debug)]
pub struct IndexRow {
    page: PathBuf,
    file: String,
    names: [String; 2],
    date: String,
    winner: Option<Side>,
    moves: usize,
    accuracy: [Option<f64>; 2],
    blunders: [usize; 2],
    missed_mates: usize,
}

impl IndexRow {
    /// The row of a game whose page is at a path from the index.
    pub fn new(report: &GameReport, page: PathBuf) -> Self {
        let sides = [&report.black, &report.white];
        Self {
            page,
            file: match report.source.game {
                0 | 1 => report.source.file.clone(),
                game => format!("{} #{game}", report.source.file),
            },
            names: [shortened(&report.black_name), shortened(&report.white_name)],
            date: shortened(&report.date),
            winner: report.winner,
            moves: report.moves.len(),
            accuracy: sides.map(|side| side.accuracy),
            blunders: sides.map(|side| side.classes.last().copied().unwrap_or(0)),
            missed_mates: sides.iter().map(|side| side.missed_mates).sum(),
        }
    }
}

/// A path as a URL: everything but letters, digits and a few signs in percent encoding,
/// whatever the bytes of its names are.
fn url(path: &Path) -> String {
    let mut url = String::new();
    let name = |part: Component<'_>| part.as_os_str().as_encoded_bytes().to_owned();
    for byte in path.components().map(name).collect::<Vec<_>>().join(&b'/') {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            url.push(char::from(byte));
        } else {
            let _ = write!(url, "%{byte:02X}");
        }
    }
    // A first segment with a colon would be a scheme; none is left unescaped.
    url
}

/// The index of some games, sorted by file.
pub fn index(rows: &[IndexRow], language: PageLanguage) -> String {
    let mut sorted: Vec<&IndexRow> = rows.iter().collect();
    sorted.sort_by(|one, other| one.page.cmp(&other.page));
    let mut table = String::new();
    sorted.into_iter().for_each(|row| push_row(&mut table, row));
    let values = [
        ("head", head("Enbu", language)),
        ("count", rows.len().to_string()),
        ("rows", table),
        ("script", include_str!("index.js").to_owned()),
    ];
    fill(include_str!("index.html"), &values)
}

fn push_row(page: &mut String, row: &IndexRow) {
    let text = |text: &str| format!("<td class=\"l\" data-v=\"{0}\">{0}</td>", escape(text));
    let number = |value: usize| format!("<td data-v=\"{value}\">{value}</td>");
    let accuracy = |value: Option<f64>| {
        let shown = value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
        format!("<td data-v=\"{}\">{shown}</td>", value.unwrap_or(-1.0))
    };
    let winner = match row.winner {
        Some(Side::Black) => "▲",
        Some(Side::White) => "△",
        None => "",
    };
    let [black, white] = &row.names;
    let _ = writeln!(
        page,
        "<tr><td class=\"l\" data-v=\"{0}\"><a href=\"{1}\">{0}</a></td>{2}{3}{4}{5}{6}{7}{8}{9}{10}{11}</tr>",
        escape(&row.file),
        url(&row.page),
        text(black),
        text(white),
        text(&row.date),
        text(winner),
        number(row.moves),
        accuracy(row.accuracy[0]),
        accuracy(row.accuracy[1]),
        number(row.blunders[0]),
        number(row.blunders[1]),
        number(row.missed_mates),
    );
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
