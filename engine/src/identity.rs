//! Name and author of the engine, or those that `engine_name.txt` gives it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use enbu_usi::Identity;

/// The file beside the executable whose first line is the name and whose second, if
/// there is one, the author. YaneuraOu reads the same file.
const FILE: &str = "engine_name.txt";

/// Bytes of the file that are read; a name is shorter.
const MAX_BYTES: u64 = 1024;

/// Longest name, in characters.
const MAX_CHARS: usize = 100;

/// The engine's name with that of its evaluation, unless the user chose another.
pub(crate) fn identity(evaluation: &str) -> Identity {
    let own = Identity {
        name: format!("Enbu {} ({evaluation})", env!("CARGO_PKG_VERSION")),
        author: "the Enbu developers".into(),
    };
    match crate::paths::beside_executable(FILE).as_deref().and_then(read) {
        Some(bytes) => renamed(own, &bytes),
        None => own,
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// `own` with the lines of a file in its place; empty lines change nothing.
fn renamed(mut own: Identity, bytes: &[u8]) -> Identity {
    let text = enbu_kifu::encoding::decode(bytes).text;
    let mut lines = text.lines().map(|line| line.trim().chars().take(MAX_CHARS).collect::<String>());
    for field in [&mut own.name, &mut own.author] {
        if let Some(line) = lines.next().filter(|line| !line.is_empty()) {
            *field = line;
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(bytes: &[u8]) -> [String; 2] {
        let own = Identity { name: "Enbu".into(), author: "developers".into() };
        let Identity { name, author } = renamed(own, bytes);
        [name, author]
    }

    #[test]
    fn the_first_line_is_the_name_and_the_second_the_author() {
        assert_eq!(given(b"My Enbu\nme\nmore"), ["My Enbu", "me"]);
        assert_eq!(given(b"  My Enbu \r\n"), ["My Enbu", "developers"]);
        assert_eq!(given(b"\nme"), ["Enbu", "me"]);
        assert_eq!(given(b""), ["Enbu", "developers"]);
        let japanese = "\u{6f14}\u{6b66} 2";
        assert_eq!(given(japanese.as_bytes())[0], japanese);
        assert_eq!(given(&[b"\xef\xbb\xbf", japanese.as_bytes()].concat())[0], japanese);
        // Shift_JIS, as old editors write it.
        assert_eq!(given(b"\x89\x89\x95\x90 2")[0], japanese);
        assert_eq!(given(&[b'x'; 1000])[0].len(), MAX_CHARS);
    }

    #[test]
    fn the_own_name_has_version_and_evaluation() {
        assert_eq!(identity("enbu-64").name, format!("Enbu {} (enbu-64)", env!("CARGO_PKG_VERSION")));
    }
}
