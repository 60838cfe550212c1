//! The JSON of a record, member for member.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A record to be written.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    pub(super) header: Pairs,
    pub(super) initial: Initial,
    pub(super) moves: Vec<Entry>,
}

/// A record that is read: its parts as they are in the text, for the places of faults.
#[derive(Debug, Deserialize)]
pub(super) struct Parts<'t> {
    #[serde(default)]
    pub(super) header: Option<Pairs>,
    #[serde(borrow, default)]
    pub(super) initial: Option<&'t RawValue>,
    #[serde(borrow)]
    pub(super) moves: Vec<&'t RawValue>,
}

/// The lines of an entry that is read which could replace it.
#[derive(Debug, Deserialize)]
pub(super) struct Forks<'t> {
    #[serde(borrow, default)]
    pub(super) forks: Option<Vec<Vec<&'t RawValue>>>,
}

/// An object whose members keep their order.
#[derive(Debug, Default)]
pub(super) struct Pairs(pub(super) Vec<(String, String)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            match value {
                Value::String(text) => pairs.push((key, text)),
                Value::Null => {}
                other => pairs.push((key, other.to_string())),
            }
        }
        Ok(Pairs(pairs))
    }
}

/// The start position.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Initial {
    pub(super) preset: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Diagram>,
}

/// A board, by files from the right and then by ranks.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Diagram {
    #[serde(default)]
    pub(super) color: Option<u8>,
    pub(super) board: Vec<Vec<Option<Cell>>>,
    #[serde(default)]
    pub(super) hands: Option<Vec<Option<Hand>>>,
    /// The number of the next move, where it is not 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ply: Option<u16>,
}

/// Content of a square.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Cell {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
}

/// Pieces in hand: counts by name.
pub(super) type Hand = BTreeMap<String, Option<u64>>;

/// A move, an end, or (first) the start position.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) comments: Option<Vec<String>>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) mv: Option<MoveMember>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) special: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) winner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bookmark: Option<String>,
    /// Read as [`Forks`].
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(super) forks: Option<Vec<Vec<Self>>>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct MoveMember {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) piece: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) same: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) promote: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) capture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) relative: Option<String>,
}

/// A square.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Place {
    pub(super) x: u8,
    pub(super) y: u8,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Time {
    #[serde(default)]
    pub(super) now: Option<Clock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total: Option<Clock>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Clock {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) h: Option<u64>,
    pub(super) m: Option<u64>,
    pub(super) s: Option<Seconds>,
}

/// Seconds, of which some programs write fractions.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Seconds {
    Whole(u64),
    Fraction(f64),
}
