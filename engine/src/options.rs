//! USI options: their table, and the values that the user sets.
//!
//! | module | contents |
//! |---|---|
//! | `table` | the rows: name, type, range, default and help in English and Japanese |
//! | `row` | one row: its declaration, its line in the user's pages, its JSON |
//! | `file` | `engine_options.txt`, which sets and freezes options |
//! | `tuning` | the search's parameters as options, with the feature `tune` |
//!
//! The `option` lines, the checking of values, `enbu options` and the tables of
//! `docs/options.md` and `docs/options.ja.md` all come from the table.

pub(crate) mod file;
mod row;
mod table;
#[cfg(feature = "tune")]
mod tuning;

use std::path::{Path, PathBuf};
use std::time::Duration;

use enbu_book::OpenOptions;
use enbu_book::choose::{Rules, Weight};
use enbu_files::reason;
use enbu_language::{Language, pick, text};
use enbu_movegen::EnteringKingRule;
use enbu_search::{Level, Lines, Moves, Rounding, Timing};
use enbu_usi::token::printable;
use enbu_usi::{ENTERING_KING_RULES, OptionError, OptionKind, OptionSpec, OptionValue};
use serde_json::Value;

use self::row::Row;
use self::table::{IGNORED, ROWS};
use crate::book::{BookFile, BookRules};
use crate::evaluation::Choice;

pub(crate) use self::table::Id;

/// The present values of all options.
#[derive(Default)]
pub(crate) struct Options {
    values: Vec<OptionValue>,
    /// The button `Clear_Hash` was pressed, and nothing has been cleared since.
    pub(crate) clears_hash: bool,
    /// The options that `engine_options.txt` sets, which nothing else changes, and their lines.
    frozen: Vec<(String, usize)>,
    /// The errors of that file, each with its line.
    pub(crate) file_faults: Vec<String>,
}

/// Errors of `engine_options.txt` that are kept; a file of something else has many.
const MOST_FAULTS: usize = 10;

impl Options {
    /// Every option at its default.
    pub(crate) fn new() -> Self {
        Self { values: ROWS.iter().map(|row| row.spec().default).collect(), ..Self::default() }
    }

    /// Every option at its default, or as `engine_options.txt` beside the executable has it.
    pub(crate) fn load() -> Self {
        let mut options = Self::new();
        match crate::paths::beside_executable(file::NAME).as_deref().map(file::read) {
            Some(Ok(Some(text))) => options.freeze(&text),
            Some(Err(error)) => {
                options.file_faults.push(text!("{}: {}", "{}：{}", file::NAME, reason(&error)).to_string());
            }
            Some(Ok(None)) | None => {}
        }
        options
    }

    /// Sets and freezes the options in the text of `engine_options.txt`; keeps its errors.
    fn freeze(&mut self, text: &str) {
        let mut left_out = 0_usize;
        for found in file::assignments(text) {
            let Err(fault) = self.freeze_one(&found) else { continue };
            if self.file_faults.len() < MOST_FAULTS {
                let text = text!("{} line {}: {fault}", "{} の {} 行目、{fault}", file::NAME, found.line);
                self.file_faults.push(text.to_string());
            } else {
                left_out += 1;
            }
        }
        if left_out > 0 {
            let text = text!("{}: {left_out} more errors", "{}：ほかに {left_out} 件の誤り", file::NAME);
            self.file_faults.push(text.to_string());
        }
    }

    fn freeze_one(&mut self, found: &file::Assignment) -> Result<(), String> {
        let row = ROWS.iter().find(|row| row.is_named(found.name));
        if row.is_some_and(|row| row.spec().kind == OptionKind::Button) {
            return Err(text!("option {}: a button has no value", "{}：ボタンに値はありません", found.name).to_string());
        }
        let name = row.map_or(found.name, |row| row.name);
        if let Some(earlier) = self.frozen_by(name) {
            let text = text!("option {name}: already set in line {earlier}", "{name}：{earlier} 行目で設定済みです");
            return Err(text.to_string());
        }
        // An empty value is written `<empty>`; without one the line is a mistake.
        if found.value.is_none() {
            let text = text!("option {name}: value missing, a name and a value are needed", "{name}：値がありません");
            return Err(text.to_string());
        }
        self.set(name, found.value).map_err(|error| error.to_string())?;
        if !is_ignored(name) {
            self.frozen.push((name.to_owned(), found.line));
        }
        Ok(())
    }

    /// The line of `engine_options.txt` that sets the option of this name.
    fn frozen_by(&self, name: &str) -> Option<usize> {
        self.frozen.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, line)| line)
    }

    /// The options that `engine_options.txt` sets, with their values, as `Threads 4, USI_Hash 64`.
    pub(crate) fn frozen_text(&self) -> Option<String> {
        let pair = |(name, _): &(String, usize)| {
            let value = self.text(name).map_or(String::new(), |value| format!(" {}", printable(&value)));
            format!("{}{value}", printable(name))
        };
        let pairs: Vec<String> = self.frozen.iter().map(pair).collect();
        (!pairs.is_empty()).then(|| pairs.join(pick(", ", "、")))
    }

    /// The declarations for the GUI; a frozen option has its value as the default.
    pub(crate) fn specs(&self) -> Vec<OptionSpec> {
        let declared = |(row, value): (&Row, &OptionValue)| match self.frozen_by(row.name) {
            Some(_) => OptionSpec { default: value.clone(), ..row.spec() },
            None => row.spec(),
        };
        let specs = ROWS.iter().zip(&self.values).map(declared);
        #[cfg(feature = "tune")]
        let specs = specs.chain(tuning::specs());
        specs.collect()
    }

    /// Sets an option; names compare without regard to case. A frozen one keeps its value
    /// without an error: clients set every option that they know.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let known_as = ROWS.iter().find(|row| row.is_named(name)).map_or(name, |row| row.name);
        if self.frozen_by(known_as).is_some() {
            return Ok(());
        }
        #[cfg(feature = "tune")]
        if let Some(result) = tuning::set(name, value) {
            return result;
        }
        let Some(((index, row), slot)) =
            ROWS.iter().enumerate().zip(&mut self.values).find(|((_, row), _)| row.is_named(name))
        else {
            return if is_ignored(name) { Ok(()) } else { Err(OptionError::Unknown(name.into())) };
        };
        *slot = row.spec().parse(value)?;
        self.clears_hash |= index == Id::ClearHash as usize;
        Ok(())
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let (_, value) = ROWS.iter().zip(&self.values).find(|(row, _)| row.is_named(name))?;
        Some(value.text())
    }

    /// The number that an option holds.
    pub(crate) fn number<T: TryFrom<i64> + Default>(&self, id: Id) -> T {
        match self.values.get(id as usize) {
            Some(OptionValue::Spin(number)) => T::try_from(*number).unwrap_or_default(),
            _ => T::default(),
        }
    }

    /// The number that an option holds, as a limit; 0 is none.
    pub(crate) fn limit<T: TryFrom<i64> + Default + PartialOrd>(&self, id: Id) -> Option<T> {
        Some(self.number(id)).filter(|limit| *limit > T::default())
    }

    /// Returns true if the option is on.
    pub(crate) fn is_on(&self, id: Id) -> bool {
        self.values.get(id as usize) == Some(&OptionValue::Check(true))
    }

    /// The text that an option holds.
    pub(crate) fn word(&self, id: Id) -> &str {
        match self.values.get(id as usize) {
            Some(OptionValue::Text(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn entering_king(&self) -> EnteringKingRule {
        let word = self.word(Id::EnteringKingRule);
        let rule = ENTERING_KING_RULES.iter().find(|(known, _)| *known == word);
        rule.map_or_else(EnteringKingRule::default, |&(_, rule)| rule)
    }

    /// The path that an option names; `None` when it is empty.
    pub(crate) fn path(&self, id: Id) -> Option<PathBuf> {
        let text = self.word(id);
        (!text.is_empty()).then(|| crate::paths::resolve(text))
    }

    /// Name of the opponent, also from the form of UCI (`GM 2800 human Name`).
    pub(crate) fn opponent(&self) -> Option<String> {
        let text = self.word(Id::Opponent).trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        let name = match words.as_slice() {
            [_, _, "human" | "computer", name @ ..] if !name.is_empty() => name.join(" "),
            _ => text.to_owned(),
        };
        (!name.is_empty()).then_some(name)
    }

    /// The evaluation, by `Eval`, `EvalDir` and `EvalFile`.
    pub(crate) fn evaluation(&self) -> Choice {
        let (folder, file) = (self.word(Id::EvalDir), self.word(Id::EvalFile));
        // A file that is not in that folder may be named with a folder of its own.
        let joined = self.network_path();
        let alone = crate::paths::resolve(file);
        let path = if !joined.exists() && alone.exists() { alone } else { joined };
        let is_named = (folder, file) != ("eval", "nn.bin");
        match self.word(Id::Eval) {
            "PieceSquare" => Choice::PieceSquare,
            "File" => Choice::File(path),
            // A file whose existence cannot be checked is loaded, for the reason it gives.
            "Auto" if !file.is_empty() && (is_named || path.try_exists().unwrap_or(true)) => Choice::File(path),
            _ => Choice::BuiltIn,
        }
    }

    /// The file in which a network is looked for.
    pub(crate) fn network_path(&self) -> PathBuf {
        crate::paths::resolve(&Path::new(self.word(Id::EvalDir)).join(self.word(Id::EvalFile)).to_string_lossy())
    }

    /// The book, by `USI_OwnBook`, `BookFile` and `BookDir`; `None` for none.
    pub(crate) fn book_file(&self) -> Option<BookFile> {
        let (folder, file) = (self.word(Id::BookDir), self.word(Id::BookFile));
        if !self.is_on(Id::OwnBook) || file.is_empty() || file.eq_ignore_ascii_case("no_book") {
            return None;
        }
        // A file that is not in that folder may be named with a folder of its own.
        let joined = crate::paths::resolve(&Path::new(folder).join(file).to_string_lossy());
        let places = [joined.clone(), crate::paths::resolve(file)];
        // Like YaneuraOu: where only the binary form of a `.db` exists, that is meant.
        let binary = |path: &PathBuf| (path.extension()? == "db").then(|| path.with_extension("ybb"));
        let found = places.into_iter().flat_map(|path| [Some(path.clone()), binary(&path)]).flatten();
        let path = found.into_iter().find(|path| path.exists()).unwrap_or(joined);
        Some(BookFile {
            path,
            is_named: (folder, file) != ("book", "standard_book.db"),
            options: OpenOptions {
                on_the_fly: self.is_on(Id::BookOnTheFly),
                ignore_ply: self.is_on(Id::IgnoreBookPly),
            },
        })
    }

    /// The rules by which book moves are played.
    pub(crate) fn book_rules(&self) -> BookRules {
        BookRules {
            choice: Rules {
                eval_diff_cp: self.number(Id::BookEvalDiff),
                eval_limits_cp: [Id::BookEvalBlackLimit, Id::BookEvalWhiteLimit].map(|id| self.number(id)),
                min_depth: self.number(Id::BookDepthLimit),
                is_narrow: self.is_on(Id::NarrowBook),
                weight: if self.is_on(Id::ConsiderBookMoveCount) { Weight::Counts } else { Weight::Equal },
            },
            last_ply: self.number(Id::BookMoves),
            ignore_percent: self.number(Id::BookIgnoreRate),
            line_plies: self.number(Id::BookPvMoves),
            lines: self.number(Id::MultiPv),
            is_flipped: self.is_on(Id::FlippedBook),
            seed: self.limit(Id::SkillSeed),
        }
    }

    pub(crate) fn for_search(&self) -> enbu_search::Options {
        enbu_search::Options {
            multi_pv: self.number(Id::MultiPv),
            entering_king: self.entering_king(),
            max_moves: self.number(Id::MaxMovesToDraw),
            timing: Timing {
                network_delay_ms: self.number(Id::NetworkDelay),
                network_delay2_ms: self.number(Id::NetworkDelay2),
                minimum_thinking_time_ms: self.number(Id::MinimumThinkingTime),
                slow_mover: self.number(Id::SlowMover),
                rounding: if self.is_on(Id::RoundUpToFullSecond) { Rounding::UpToFullSecond } else { Rounding::Exact },
                ponder: self.is_on(Id::Ponder) && !self.is_on(Id::StochasticPonder),
            },
            report_interval: Duration::from_millis(self.number(Id::PvInterval)),
            heartbeat: None,
            draw_values: [Id::DrawValueBlack, Id::DrawValueWhite].map(|id| self.number(id)),
            moves: if self.is_on(Id::GenerateAllLegalMoves) { Moves::All } else { Moves::Sensible },
            lines: if self.is_on(Id::ConsiderationMode) { Lines::Continued } else { Lines::AsSearched },
            level: Level::new(self.number(Id::SkillLevel), self.number(Id::SkillSeed)),
            resign_value: self.number(Id::ResignValue),
        }
    }
}

/// Returns true for a name that is accepted and has no meaning here.
fn is_ignored(name: &str) -> bool {
    IGNORED.iter().any(|ignored| ignored.eq_ignore_ascii_case(name))
}

/// The table of options as Markdown, one row an option.
pub(crate) fn markdown(language: Language) -> String {
    let head = language.pick("| name | type | default | range | meaning |", "| 名前 | 型 | 既定値 | 範囲 | 内容 |");
    let rows = ROWS.iter().map(|row| row.markdown(language) + "\n");
    format!("{head}\n|---|---|---|---|---|\n") + &rows.collect::<String>()
}

/// The options as JSON, with the help in both languages.
pub(crate) fn json() -> Value {
    ROWS.iter().map(Row::json).collect()
}

#[cfg(test)]
mod tests {
    use super::table::RULES;
    use super::*;

    #[test]
    fn each_option_is_declared_once_and_reads_back_its_default() {
        let mut options = Options::new();
        for row in ROWS {
            assert_eq!(ROWS.iter().filter(|other| other.is_named(row.name)).count(), 1);
            assert!(!row.name.contains(' ') && row.english.is_ascii() && !row.label.is_empty());
            let text = options.text(row.name).expect("a value");
            options.set(&row.name.to_uppercase(), Some(&text)).expect("its own value");
            assert_eq!(options.text(row.name), Some(text));
        }
        assert!(options.set("Skill Level", Some("3")).is_err());
    }

    #[test]
    fn the_file_sets_and_freezes_options() {
        let mut options = Options::new();
        options
            .freeze("Threads 3 // cores\nHash=64\noption name EvalDir type string default my eval\nNumaPolicy auto\n");
        assert_eq!(options.file_faults, [""; 0]);
        assert_eq!(options.frozen_text().as_deref(), Some("Threads 3, USI_Hash 64, EvalDir my eval"));
        for (name, value) in [("Threads", "1"), ("USI_Hash", "16"), ("Hash", "16"), ("usi_hash", "no number")] {
            assert_eq!(options.set(name, Some(value)), Ok(()), "{name}");
        }
        assert_eq!([Id::Threads, Id::Hash].map(|id| options.number::<i64>(id)), [3, 64]);
        let declared: Vec<String> = options.specs().iter().map(OptionSpec::to_string).collect();
        assert!(declared.contains(&"option name Threads type spin default 3 min 1 max 1024".to_owned()));
        assert!(declared.contains(&"option name EvalDir type string default my eval".to_owned()));
        options.set("MultiPV", Some("2")).expect("not frozen");
        let declared: Vec<String> = options.specs().iter().map(OptionSpec::to_string).collect();
        assert!(declared.contains(&"option name MultiPV type spin default 1 min 1 max 600".to_owned()));
    }

    #[test]
    fn errors_of_the_file_name_their_lines_and_change_nothing() {
        let mut options = Options::new();
        options.freeze(concat!(
            "Threads 0\n\nNoSuch 1\nClear_Hash\nMultiPV\nEval \u{8a55}\u{4fa1}\n",
            "USI_Hash 32\nHash 64\noption type spin\n"
        ));
        let range = "a whole number from 1 to 1024 is needed";
        let expected = [
            &format!("line 1: option Threads: `0` refused, {range}"),
            "line 3: unknown option `NoSuch`",
            "line 4: option Clear_Hash: a button has no value",
            "line 5: option MultiPV: value missing, a name and a value are needed",
            "line 6: option Eval: `\\u{8a55}\\u{4fa1}` refused, one of",
            "line 8: option USI_Hash: already set in line 7",
            "line 9: option : value missing",
        ];
        assert_eq!(options.file_faults.len(), expected.len(), "{:?}", options.file_faults);
        for (fault, expected) in options.file_faults.iter().zip(expected) {
            assert!(fault.starts_with(&format!("engine_options.txt {expected}")) && fault.is_ascii(), "{fault}");
        }
        assert_eq!(options.number::<i64>(Id::Threads), Options::new().number::<i64>(Id::Threads));
        assert_eq!(options.number::<i64>(Id::Hash), 32);
        let mut options = Options::new();
        options.freeze(&"?\n".repeat(1000));
        assert_eq!(options.file_faults.len(), MOST_FAULTS + 1);
        assert_eq!(options.file_faults.last().expect("a line"), "engine_options.txt: 990 more errors");
    }

    #[test]
    fn an_opponent_may_be_named_as_in_uci() {
        let mut options = Options::new();
        assert_eq!(options.opponent(), None);
        for (text, name) in
            [("none none computer Shredder X", "Shredder X"), ("GM 2800 human 甲", "甲"), ("a b", "a b")]
        {
            options.set("USI_Opponent", Some(text)).expect("a name");
            assert_eq!(options.opponent().as_deref(), Some(name));
        }
    }

    #[test]
    fn names_without_a_meaning_are_accepted_and_change_nothing() {
        let mut options = Options::new();
        let before = options.values.clone();
        assert!(IGNORED.is_sorted());
        for name in IGNORED {
            assert!(!ROWS.iter().any(|row| row.is_named(name)), "{name} has a meaning");
            for value in [None, Some("no_book"), Some("")] {
                assert_eq!(options.set(&name.to_lowercase(), value), Ok(()), "{name}");
            }
        }
        assert_eq!(options.values, before);
        assert!(options.set("Book", None).is_err());
    }

    #[test]
    fn the_button_is_pressed_by_either_name_and_counts_once() {
        let mut options = Options::new();
        for name in ["Clear_Hash", "Clear Hash", "clear hash"] {
            assert!(!options.clears_hash);
            options.set(name, None).expect("a button");
            assert!(std::mem::take(&mut options.clears_hash));
        }
    }

    #[test]
    fn a_refused_value_leaves_the_old_one() {
        let mut options = Options::new();
        options.set("Hash", Some("64")).expect("an alias");
        for bad in ["0", "-1", "12x", "1e9", "99999999999999999999"] {
            assert!(options.set("USI_Hash", Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(options.number::<i64>(Id::Hash), 64);
        assert!(options.set("USI_Ponder", Some("TRUE")).is_err());
        assert!(options.set("EnteringKingRule", Some("CSARule28")).is_err());
        for rule in RULES {
            options.set("EnteringKingRule", Some(rule)).expect("a choice");
        }
        assert_eq!(options.entering_king(), EnteringKingRule::Try);
    }
}
