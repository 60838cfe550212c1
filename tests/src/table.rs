//! Tab-separated tables in `tests/data`, one test case a row.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One row of a table: cells named by the header.
#[derive(Clone, Debug)]
pub struct Row {
    line: usize,
    cells: Vec<(String, String)>,
}

impl Row {
    /// The cell under `column`.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn text(&self, column: &str) -> &str {
        match self.cells.iter().find(|(name, _)| name == column) {
            Some((_, value)) => value,
            None => panic!("line {}: no column `{column}`", self.line),
        }
    }

    /// The cell under `column`, read as a number.
    ///
    /// # Panics
    /// If there is no such column or it does not hold a whole number.
    pub fn number(&self, column: &str) -> u64 {
        let text = self.text(column);
        text.parse().unwrap_or_else(|_| panic!("line {}: `{text}` under {column} is not a number", self.line))
    }

    /// The part after `key=` of a `params` cell such as `move=P*5e`.
    ///
    /// # Panics
    /// If the cell has another form.
    pub fn parameter(&self, key: &str) -> &str {
        let params = self.text("params");
        let value = params.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
        value.unwrap_or_else(|| panic!("line {}: `{params}` is not {key}=...", self.line))
    }
}

/// The rows of `tests/data/<table>`, in file order.
///
/// # Panics
/// If the file is missing, has no rows, or a row has more or fewer cells than the header.
pub fn rows(table: &str) -> Vec<Row> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(table);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let rows: Vec<Row> = lines.map(|(index, line)| row(table, &header, index + 1, line)).collect();
    assert!(!rows.is_empty(), "{table} has no rows");
    rows
}

fn row(table: &str, header: &[&str], line: usize, text: &str) -> Row {
    let cells: Vec<&str> = text.split('\t').collect();
    assert_eq!(cells.len(), header.len(), "{table} line {line}: cells");
    Row { line, cells: header.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect() }
}

/// Runs `case` on every row of `table` for which `selected` holds, on all cores, and
/// reports every row that fails.
///
/// A case fails by returning a message or by panicking.
///
/// # Panics
/// If any row fails, or if no row is selected.
pub fn check_rows(table: &str, selected: impl Fn(&Row) -> bool, case: impl Fn(&Row) -> Result<(), String> + Sync) {
    let rows: Vec<Row> = rows(table).into_iter().filter(|row| selected(row)).collect();
    assert!(!rows.is_empty(), "no row of {table} is selected");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(message) = run(&case, row) {
                        let mut failures = failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                        failures.push(format!("{table} line {}: {message}", row.line));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert!(failures.is_empty(), "{} of {} rows fail:\n{}", failures.len(), rows.len(), failures.join("\n"));
}

/// [`check_rows`] on the whole table.
///
/// # Panics
/// If any row fails.
pub fn check(table: &str, case: impl Fn(&Row) -> Result<(), String> + Sync) {
    check_rows(table, |_| true, case);
}

fn run(case: &(impl Fn(&Row) -> Result<(), String> + Sync), row: &Row) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| case(row))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        Err(format!("panicked: {}", text.unwrap_or("(no message)")))
    })
}

/// `Ok` when both are equal, else a message that begins with the name given.
///
/// # Errors
/// The message, when `actual` differs from `expected`.
pub fn equal<T: PartialEq + std::fmt::Debug>(what: &str, actual: T, expected: T) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("{what}: {actual:?}, expected {expected:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failing_row_is_reported() {
        let report = catch_unwind(|| check("rules.tsv", |row| equal("kind", row.text("kind"), "move")));
        let report = report.unwrap_err();
        let text = report.downcast_ref::<String>().unwrap();
        assert!(text.starts_with("26 of 46 rows fail:"), "{text}");
    }

    #[test]
    fn a_panicking_case_is_a_failing_row() {
        let report = catch_unwind(|| check_rows("rules.tsv", |row| row.text("id") == "nifu", |_| panic!("oh")));
        let report = report.unwrap_err();
        assert_eq!(report.downcast_ref::<String>().unwrap(), "1 of 1 rows fail:\nrules.tsv line 20: panicked: oh");
    }

    #[test]
    #[should_panic(expected = "no row of rules.tsv is selected")]
    fn selecting_nothing_is_no_success() {
        check_rows("rules.tsv", |_| false, |_| Ok(()));
    }
}
