//! The JSON of a record, member for member.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

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
    pub(super) header: Option<Pairs>,
    #[serde(borrow)]
    pub(super) initial: Option<&'t RawValue>,
    #[serde(borrow)]
    pub(super) moves: Vec<&'t RawValue>,
}

/// The lines of an entry that is read which could replace it.
#[derive(Debug, Deserialize)]
pub(super) struct Forks<'t> {
    #[serde(borrow)]
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

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Initial {
    pub(super) preset: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Diagram>,
}

/// A board, by files from the right and then by ranks.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Diagram {
    pub(super) color: Option<u8>,
    pub(super) board: Vec<Vec<Option<Cell>>>,
    pub(super) hands: Option<Vec<Option<Hand>>>,
    /// The number of the next move, where it is not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ply: Option<u16>,
}

/// Pieces in hand: counts by name.
pub(super) type Hand = BTreeMap<String, Option<u64>>;

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Place {
    pub(super) x: u8,
    pub(super) y: u8,
}

/// Objects whose members may be missing, and are not written then.
macro_rules! optional {
    ($($(#[$about:meta])* $name:ident { $($(#[$meta:meta])* $member:ident: $kind:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Default, Deserialize, Serialize)]
        #[serde(default)]
        pub(super) struct $name {
            $($(#[$meta])* #[serde(skip_serializing_if = "Option::is_none")] pub(super) $member: Option<$kind>,)*
        }
    )*};
}

optional! {
    /// Content of a square.
    Cell { color: u8, kind: String, }

    /// A move, an end, or (first) the start position. Its forks are read as [`Forks`].
    Entry {
        comments: Vec<String>,
        #[serde(rename = "move")]
        mv: MoveMember,
        time: Time,
        special: String,
        winner: String,
        bookmark: String,
        #[serde(skip_deserializing)]
        forks: Vec<Vec<Entry>>,
    }

    MoveMember {
        color: u8,
        from: Place,
        to: Place,
        piece: String,
        same: bool,
        promote: bool,
        capture: String,
        relative: String,
    }

    Time { now: Clock, total: Clock, }

    /// Some programs write fractions of seconds.
    Clock { h: u64, m: u64, s: Number, }
}
