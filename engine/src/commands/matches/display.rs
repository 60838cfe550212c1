//! The state of a match: a line or a table for people, JSON for programs.

use enbu_arena::report::Report;
use enbu_arena::{Pentanomial, Sprt};
use serde_json::{Value, json};

/// One line for two engines, a table for more.
pub(super) fn state(report: &Report, sprt: Option<&Sprt>) -> String {
    match report.pairings() {
        [one] => one.line(sprt),
        _ => report.table(),
    }
}

/// The pairings with their estimates, for other programs.
pub(super) fn machine(report: &Report, sprt: Option<&Sprt>) -> Value {
    let pairings = report.pairings().iter().map(|pairing| {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(pairing) else { return Value::Null };
        let pairs = &pairing.pairs;
        fields.insert("elo".to_owned(), json!(pairs.elo()));
        fields.insert("normalised_elo".to_owned(), json!(pairs.normalised_elo()));
        fields.insert("los".to_owned(), json!(pairs.los()));
        fields.extend(sprt.map(|sprt| ("sprt".to_owned(), machine_sprt(sprt, pairs))));
        Value::Object(fields)
    });
    pairings.collect()
}

fn machine_sprt(sprt: &Sprt, pairs: &Pentanomial) -> Value {
    let (lower, upper) = sprt.bounds();
    json!({
        "elo0": sprt.elo0, "elo1": sprt.elo1, "model": sprt.model, "llr": sprt.llr(pairs),
        "lower": lower, "upper": upper, "decision": sprt.decision(pairs),
    })
}
