//! Documents with members of a wrong type, such as `"promote":""`: those members are understood
//! or left out, and the rest is kept.

use serde_json::Value;

/// Changes members of a wrong type, and adds their names and values to the list.
pub(super) fn repair(value: &mut Value, odd: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|item| repair(item, odd)),
        Value::Object(members) => {
            for (name, member) in members.iter_mut().filter(|(name, _)| *name != "header") {
                if let Some(understood) = understood(name, member) {
                    odd.push(format!("\"{name}\":{member}"));
                    *member = understood;
                }
                // The entries of forks are repaired one by one.
                if name != "forks" {
                    repair(member, odd);
                }
            }
        }
        _ => {}
    }
}

/// The value that a member of a wrong type stands for; null if that is not clear, and `None`
/// if its type is right.
fn understood(name: &str, value: &Value) -> Option<Value> {
    let text = value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    let (fits, understood) = match name {
        "promote" | "same" => {
            let number = text.parse::<u8>().ok().filter(|&number| number < 2).map(|number| number == 1);
            (value.is_boolean(), text.parse().ok().or(number).map(Value::Bool))
        }
        "color" | "x" | "y" | "h" | "m" | "s" | "ply" => {
            (value.as_f64().is_some_and(|number| number >= 0.0), text.parse::<u64>().ok().map(Value::from))
        }
        "piece" | "capture" | "relative" | "special" | "winner" | "bookmark" | "kind" => {
            (value.is_string(), value.is_number().then(|| text.into()))
        }
        "comments" => {
            let are_texts = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
            (are_texts, value.is_string().then(|| vec![text].into()))
        }
        "forks" | "hands" => (value.is_array(), None),
        "move" | "time" | "now" | "total" | "from" | "to" | "data" => (value.is_object(), None),
        _ => return None,
    };
    (!fits && !value.is_null()).then(|| understood.unwrap_or_default())
}
