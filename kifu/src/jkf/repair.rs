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
    let is_text = value.is_string();
    let (fits, understood) = match name {
        "promote" | "same" => (
            value.is_boolean(),
            match text.as_str() {
                "true" | "1" => Value::Bool(true),
                "false" | "0" => Value::Bool(false),
                _ => Value::Null,
            },
        ),
        "color" | "x" | "y" | "h" | "m" | "s" | "ply" => {
            let is_number = value.as_f64().is_some_and(|number| number >= 0.0);
            (is_number, text.parse::<u64>().map_or(Value::Null, Value::from))
        }
        "piece" | "capture" | "relative" | "special" | "winner" | "bookmark" | "kind" => {
            (is_text, if value.is_number() { Value::String(text) } else { Value::Null })
        }
        "comments" => {
            let are_texts = value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
            (are_texts, if is_text { Value::from(vec![text]) } else { Value::Null })
        }
        "forks" | "hands" => (value.is_array(), Value::Null),
        "move" | "time" | "now" | "total" | "from" | "to" | "data" => (value.is_object(), Value::Null),
        _ => return None,
    };
    (!fits && !value.is_null()).then_some(understood)
}
