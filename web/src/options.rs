//! The options of the page's engine: those of the binary that mean something in one thread without
//! files, with its names, types and defaults (`tests/tests/web.rs`), in smaller ranges.

use std::time::Duration;

use enbu_movegen::EnteringKingRule;
use enbu_search::{Level, Lines, Timing};
use enbu_usi::{ENTERING_KING_RULES, OptionError, OptionKind, OptionSpec, OptionValue};

/// Options with their values.
pub(crate) struct Options(Vec<(OptionSpec, OptionValue)>);

/// The numbers: name, default, least, most.
const SPINS: [(&str, i64, i64, i64); 10] = [
    // A page has the memory of a phone, and its module 4 GB of addresses.
    ("USI_Hash", 32, 1, 256),
    ("MultiPV", 1, 1, 8),
    ("MaxMovesToDraw", 0, 0, 100_000),
    ("ResignValue", 99_999, 0, 99_999),
    ("DrawValueBlack", -2, -30_000, 30_000),
    ("DrawValueWhite", -2, -30_000, 30_000),
    ("SkillLevel", 20, 0, 20),
    ("SkillSeed", 0, 0, 1_000_000_000),
    ("MinimumThinkingTime", 1, 1, 100_000),
    ("PvInterval", 300, 0, 1_000_000),
];

const CHECKS: [&str; 2] = ["USI_Ponder", "ConsiderationMode"];

impl Default for Options {
    fn default() -> Self {
        let spin = |(name, default, min, max)| {
            OptionSpec::new(name, OptionKind::Spin { min, max }, OptionValue::Spin(default))
        };
        let check = |name| OptionSpec::new(name, OptionKind::Check, OptionValue::Check(false));
        let rules = OptionKind::Combo(ENTERING_KING_RULES.iter().map(|(name, _)| (*name).to_owned()).collect());
        let mut specs: Vec<OptionSpec> = SPINS.into_iter().map(spin).collect();
        specs.extend(CHECKS.map(check));
        specs.push(OptionSpec::new("EnteringKingRule", rules, OptionValue::Text("CSARule27".to_owned())));
        Self(specs.into_iter().map(|spec| (spec.clone(), spec.default)).collect())
    }
}

impl Options {
    pub(crate) fn specs(&self) -> impl Iterator<Item = &OptionSpec> {
        self.0.iter().map(|(spec, _)| spec)
    }

    /// Sets an option; a refused value changes nothing.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let found = self.0.iter_mut().find(|(spec, _)| spec.is_named(name));
        let (spec, slot) = found.ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        *slot = spec.parse(value)?;
        Ok(())
    }

    /// The names with their values, of one option or of all.
    pub(crate) fn shown(&self, name: Option<&str>) -> Vec<String> {
        let wanted = self.0.iter().filter(|(spec, _)| name.is_none_or(|name| spec.is_named(name)));
        wanted.map(|(spec, value)| format!("{} {value}", spec.name)).collect()
    }

    fn value(&self, name: &str) -> Option<&OptionValue> {
        self.0.iter().find(|(spec, _)| spec.name == name).map(|(_, value)| value)
    }

    fn number<T: TryFrom<i64> + Default>(&self, name: &str) -> T {
        match self.value(name) {
            Some(OptionValue::Spin(number)) => T::try_from(*number).unwrap_or_default(),
            _ => T::default(),
        }
    }

    fn is_on(&self, name: &str) -> bool {
        self.value(name) == Some(&OptionValue::Check(true))
    }

    pub(crate) fn hash_mb(&self) -> usize {
        self.number("USI_Hash")
    }

    pub(crate) fn entering_king(&self) -> EnteringKingRule {
        let word = self.value("EnteringKingRule").map(ToString::to_string).unwrap_or_default();
        let rule = ENTERING_KING_RULES.iter().find(|(known, _)| *known == word);
        rule.map_or_else(EnteringKingRule::default, |&(_, rule)| rule)
    }

    pub(crate) fn max_moves(&self) -> u32 {
        self.number("MaxMovesToDraw")
    }

    /// The values that the search uses.
    pub(crate) fn for_search(&self) -> enbu_search::Options {
        enbu_search::Options {
            multi_pv: self.number("MultiPV"),
            entering_king: self.entering_king(),
            max_moves: self.max_moves(),
            timing: Timing {
                // The host is on the same machine.
                network_delay_ms: 50,
                network_delay2_ms: 250,
                minimum_thinking_time_ms: self.number("MinimumThinkingTime"),
                ponder: self.is_on("USI_Ponder"),
                ..Timing::default()
            },
            report_interval: Duration::from_millis(self.number("PvInterval")),
            draw_values: ["DrawValueBlack", "DrawValueWhite"].map(|name| self.number(name)),
            lines: if self.is_on("ConsiderationMode") { Lines::Continued } else { Lines::AsSearched },
            level: Level::new(self.number("SkillLevel"), self.number("SkillSeed")),
            resign_value: self.number("ResignValue"),
            ..enbu_search::Options::default()
        }
    }
}
