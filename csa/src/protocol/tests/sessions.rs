//! The recorded sessions of a real server, from `tests/data`.

use std::collections::BTreeMap;

/// The rows of each recorded session: client, way, line.
pub(crate) fn sessions() -> BTreeMap<String, Vec<[String; 3]>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/csa-sessions.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let macros: BTreeMap<&str, Vec<&str>> = BTreeMap::from([
        (
            "{head}",
            vec![
                "BEGIN Game_Summary",
                "Protocol_Version:1.2",
                "Protocol_Mode:Server",
                "Format:Shogi 1.0",
                "Declaration:Jishogi 1.1",
            ],
        ),
        ("{board}", vec!["PI", "+"]),
    ]);
    let mut sessions: BTreeMap<String, Vec<[String; 3]>> = BTreeMap::new();
    let mut name = String::new();
    for row in text.lines() {
        if let Some(next) = row.strip_prefix("= ") {
            next.clone_into(&mut name);
            continue;
        }
        let cells: Vec<&str> = row.split('\t').collect();
        let [_, client, way, line] = cells[..] else { panic!("{row}") };
        let lines = macros.get(line).cloned().unwrap_or_else(|| vec![line]);
        let rows = sessions.entry(name.clone()).or_default();
        rows.extend(lines.into_iter().map(|line| [client.to_owned(), way.to_owned(), line.replace("\\x0d", "\r")]));
    }
    for rows in sessions.values_mut() {
        *rows = put_together(rows);
    }
    sessions
}

/// Puts lines that were sent in pieces (`C>S~`) together.
fn put_together(rows: &[[String; 3]]) -> Vec<[String; 3]> {
    let mut begun: BTreeMap<&str, String> = BTreeMap::new();
    let mut whole = Vec::new();
    for [client, way, line] in rows {
        let begun = begun.entry(client).or_default();
        if way == "C>S" || way == "C>S~" {
            *begun += &line.replace("\\x0a", "\n");
            *begun += if way == "C>S" { "\n" } else { "" };
            while let Some((line, rest)) = begun.split_once('\n') {
                whole.push([client.clone(), "C>S".to_owned(), line.trim_end_matches('\r').to_owned()]);
                *begun = rest.to_owned();
            }
        } else {
            whole.push([client.clone(), way.clone(), line.clone()]);
        }
    }
    whole
}
