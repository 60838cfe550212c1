//! The table of short records: what is read from a text, what is warned of, and what CSA V3.0
//! then holds.

use std::fs;
use std::path::Path;

use enbu_kifu::{Mode, csa, read_any, usi};

/// Warnings and games in the words of the table.
fn read(text: &str) -> (String, String, String) {
    let (_, reading) = match read_any(text.as_bytes(), Mode::Tolerant) {
        Ok(found) if found.1.errors.is_empty() => found,
        Ok((_, reading)) => return (format!("error: {}", reading.errors.first().unwrap()), "-".into(), String::new()),
        Err(error) => return (format!("error: {error}"), "-".into(), String::new()),
    };
    let games: Vec<String> = reading.records.iter().map(|record| usi::write(record, usi::Ends::Words)).collect();
    let warnings: Vec<String> = reading.warnings.iter().map(ToString::to_string).collect();
    let warnings = if warnings.is_empty() { "-".to_owned() } else { warnings.join("; ") };
    (games.join(" | "), warnings, csa::write_all(&reading.records, csa::FileVersion::V3_0))
}

#[test]
fn every_text_of_the_table_is_read_as_it_says() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/record-lines.tsv");
    let table = fs::read_to_string(table).unwrap();
    let mut wrong = Vec::new();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert!(rows.len() >= 45);
    for row in rows {
        let [case, text, games, warnings, csa, _source] = row[..] else { panic!("{row:?}") };
        let (found, told, written) = read(&text.replace("\\n", "\n"));
        let is_error = games.starts_with("error: ") && found.starts_with("error: ") && {
            found.contains(games.trim_start_matches("error: "))
        };
        let has_csa = csa == "-" || written.contains(&csa.replace("\\n", "\n"));
        let told = if warnings == "strict" { warnings.to_owned() } else { told };
        if !((found == games || is_error)
            && (told == warnings || warnings != "-" && told.contains(warnings))
            && has_csa)
        {
            wrong.push(format!("{case}\n  {found}\n  {told}\n  {}", if has_csa { "" } else { &written }));
        }
        // A deviation is an error in strict mode, and nothing else is.
        let is_strict = read_any(text.replace("\\n", "\n").as_bytes(), Mode::Strict).is_ok();
        if is_strict != (warnings == "-" && !games.starts_with("error: ")) {
            wrong.push(format!("{case}: strict"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
