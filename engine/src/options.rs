//! The one table of USI options.
//!
//! Each row gives name, type, range, default and help in English and Japanese.
//! The `option` lines, the checking of values, `enbu options` and the tables of
//! `docs/options.md` and `docs/options.ja.md` all come from it. Names and meanings are YaneuraOu's where it has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use enbu_eval::nnue::embedded;
use enbu_kifu::csa::FileVersion;
use enbu_movegen::EnteringKingRule;
use enbu_search::{Level, Lines, Moves, Rounding, Timing};
use enbu_usi::{OptionError, OptionKind, OptionSpec, OptionValue};
use serde_json::{Value, json};

use crate::evaluation::Choice;
use crate::{machine, strength};

/// What a row's value is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Id {
    Hash,
    Threads,
    Ponder,
    StochasticPonder,
    MultiPv,
    NetworkDelay,
    NetworkDelay2,
    MinimumThinkingTime,
    SlowMover,
    RoundUpToFullSecond,
    DepthLimit,
    NodesLimit,
    MaxMovesToDraw,
    EnteringKingRule,
    ResignValue,
    DrawValueBlack,
    DrawValueWhite,
    GenerateAllLegalMoves,
    SkillLevel,
    SkillSeed,
    LimitStrength,
    Elo,
    PvInterval,
    ConsiderationMode,
    ShowCurrentMove,
    CsaReadout,
    CsaLogDir,
    CsaVersion,
    Opponent,
    Eval,
    EvalDir,
    EvalFile,
    FvScale,
    ClearHash,
    DebugLogFile,
}

/// Type, range and default of a row.
enum Kind {
    Check(bool),
    Spin(i64, i64, i64),
    /// A number whose default depends on the machine, and that default in words.
    Measured(fn() -> i64, Words, i64, i64),
    Combo(&'static str, &'static [&'static str]),
    Text(&'static str),
    Button,
}

/// Language of the help texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Language {
    /// English.
    En,
    /// Japanese.
    Ja,
}

/// A text in both languages.
#[derive(Clone, Copy)]
struct Words {
    english: &'static str,
    japanese: &'static str,
}

impl Words {
    const fn of(&self, language: Language) -> &'static str {
        match language {
            Language::En => self.english,
            Language::Ja => self.japanese,
        }
    }
}

/// One option.
struct Row {
    id: Id,
    name: &'static str,
    /// Another name under which clients set it, if any.
    alias: Option<&'static str>,
    /// Japanese name.
    label: &'static str,
    kind: Kind,
    english: &'static str,
    japanese: &'static str,
}

/// The choices of the option `Eval`; embedded networks only where there is one.
const EVALUATIONS: &[&str] =
    if embedded::IS_THERE { &["Auto", "File", "Embedded", "PieceSquare"] } else { &["Auto", "File", "PieceSquare"] };

const RULES: &[&str] = &["NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { id: Id::Hash, name: "USI_Hash", alias: Some("Hash"), label: "置換表の大きさ",
        kind: Kind::Measured(machine::hash_mb, Words { english: "1/8 of the memory, at most 1024", japanese: "メモリの1/8（最大1024）" }, 1, 33_554_432),
        english: "Size of the transposition table in MB.",
        japanese: "置換表の大きさ（MB）。" },
    Row { id: Id::Threads, name: "Threads", alias: Some("NumberOfThreads"), label: "スレッド数",
        kind: Kind::Measured(machine::threads, Words { english: "one per processor, at most 8", japanese: "論理コア数（最大8）" }, 1, 1024),
        english: "Number of search threads. More than the machine has processors only cost speed.",
        japanese: "探索に使うスレッド数。論理コア数より多くしても速くならない。" },
    Row { id: Id::Ponder, name: "USI_Ponder", alias: Some("Ponder"), label: "相手番思考", kind: Kind::Check(false),
        english: "The GUI lets the engine think on the opponent's time; a little more time is then spent on each move.",
        japanese: "相手の手番中にも思考する（先読み）。有効にすると一手に使う時間が少し増える。" },
    Row { id: Id::StochasticPonder, name: "Stochastic_Ponder", alias: None, label: "確率的な先読み", kind: Kind::Check(false),
        english: "While pondering, search the opponent's position instead of the one expected move; after a hit the search starts again.",
        japanese: "先読みのとき、予想手を決め打ちせず相手の局面を思考する。的中したら改めて思考する。" },
    Row { id: Id::MultiPv, name: "MultiPV", alias: Some("USI_MultiPV"), label: "候補手の数", kind: Kind::Spin(1, 1, 600),
        english: "Number of best lines to show.",
        japanese: "表示する候補手の数。" },
    Row { id: Id::NetworkDelay, name: "NetworkDelay", alias: None, label: "通信遅延の平均", kind: Kind::Spin(120, 0, 10_000),
        english: "Margin at the end of a planned think, in ms; for a GUI on the same machine try 50.",
        japanese: "通信遅延の平均（ミリ秒）。この分だけ早く指す。同じPCのGUIなら50程度でよい。" },
    Row { id: Id::NetworkDelay2, name: "NetworkDelay2", alias: None, label: "通信遅延の最大", kind: Kind::Spin(1120, 0, 10_000),
        english: "Margin at the hard limit of the clock, in ms, but at most 60 % of that limit; for a GUI on the same machine try 200.",
        japanese: "通信遅延の最大（ミリ秒）。時間切れ防止の余裕で、時計の残りの60%を上限とする。同じPCのGUIなら200程度でよい。" },
    Row { id: Id::MinimumThinkingTime, name: "MinimumThinkingTime", alias: None, label: "最小思考時間", kind: Kind::Spin(2000, 1, 100_000),
        english: "Least time for a move in ms, as far as a twentieth of the main time allows it.",
        japanese: "最小思考時間（ミリ秒）。残り時間の20分の1を超えない範囲で適用する。" },
    Row { id: Id::SlowMover, name: "SlowMover", alias: None, label: "時間の使い方", kind: Kind::Spin(100, 1, 1000),
        english: "Scale of the time planned for a move, in percent.",
        japanese: "一手に使う時間の割合（%）。" },
    Row { id: Id::RoundUpToFullSecond, name: "RoundUpToFullSecond", alias: None, label: "秒単位まで使う", kind: Kind::Check(true),
        english: "Think until just before the next full second; for clocks that count whole seconds.",
        japanese: "時計が秒単位のとき、次の1秒の直前まで思考する。" },
    Row { id: Id::DepthLimit, name: "DepthLimit", alias: None, label: "探索深さの上限", kind: Kind::Spin(0, 0, 1_000_000),
        english: "Depth in plies of every search without a depth of its own; 0: no limit.",
        japanese: "探索深さの上限。0なら無制限。" },
    Row { id: Id::NodesLimit, name: "NodesLimit", alias: None, label: "ノード数の上限", kind: Kind::Spin(0, 0, i64::MAX),
        english: "Nodes of every search without a number of its own; 0: no limit.",
        japanese: "探索ノード数の上限。0なら無制限。" },
    Row { id: Id::MaxMovesToDraw, name: "MaxMovesToDraw", alias: None, label: "引き分けになる手数", kind: Kind::Spin(0, 0, 100_000),
        english: "The game is drawn after this many moves; 0: no limit.",
        japanese: "この手数で引き分けとする。0なら無制限。" },
    Row { id: Id::EnteringKingRule, name: "EnteringKingRule", alias: None, label: "入玉ルール", kind: Kind::Combo("CSARule27", RULES),
        english: "Rule for declaring a win by entering king.",
        japanese: "入玉宣言のルール。" },
    Row { id: Id::ResignValue, name: "ResignValue", alias: None, label: "投了する評価値", kind: Kind::Spin(99_999, 0, 99_999),
        english: "Resign when the evaluation falls to minus this, in centipawns.",
        japanese: "評価値がこの値（の負）まで下がったら投了する。" },
    Row { id: Id::DrawValueBlack, name: "DrawValueBlack", alias: None, label: "引き分けの価値（先手）", kind: Kind::Spin(-2, -30_000, 30_000),
        english: "Value of a draw for the engine as Black, in centipawns.",
        japanese: "先手のときの引き分け（千日手など）の評価値。" },
    Row { id: Id::DrawValueWhite, name: "DrawValueWhite", alias: None, label: "引き分けの価値（後手）", kind: Kind::Spin(-2, -30_000, 30_000),
        english: "Value of a draw for the engine as White, in centipawns.",
        japanese: "後手のときの引き分け（千日手など）の評価値。" },
    Row { id: Id::GenerateAllLegalMoves, name: "GenerateAllLegalMoves", alias: None, label: "不成も読む", kind: Kind::Check(false),
        english: "Also search moves without promotion of pawn, bishop and rook, and of a lance on the second rank.",
        japanese: "歩・角・飛の不成や、2段目の香の不成も読む。" },
    Row { id: Id::SkillLevel, name: "SkillLevel", alias: Some("USI_SkillLevel"), label: "強さ", kind: Kind::Spin(20, 0, 20),
        english: "Strength from 0 (beginner) to 20 (full); lower levels search less deeply and sometimes choose a weaker move.",
        japanese: "強さ。0（入門）から20（最強）。低いほど浅く読み、最善でない手も指す。" },
    Row { id: Id::SkillSeed, name: "SkillSeed", alias: None, label: "強さの乱数の種", kind: Kind::Spin(0, 0, 1_000_000_000),
        english: "Random seed for limited strength: SkillLevel below 20, or USI_LimitStrength.",
        japanese: "強さを制限したときの手の選び方を変える乱数の種。" },
    Row { id: Id::LimitStrength, name: "USI_LimitStrength", alias: Some("UCI_LimitStrength"), label: "レーティングで制限", kind: Kind::Check(false),
        english: "Play at the strength of USI_Elo; SkillLevel has no effect then.",
        japanese: "USI_Eloの強さで指す。有効なときSkillLevelは無視する。" },
    Row { id: Id::Elo, name: "USI_Elo", alias: Some("UCI_Elo"), label: "レーティング",
        kind: Kind::Spin(strength::DEFAULT, *strength::RANGE.start(), *strength::RANGE.end()),
        english: "Strength when USI_LimitStrength is on, in Elo; differences are measured between Enbu's own levels, the origin is a convention.",
        japanese: "USI_LimitStrengthが有効なときの強さ。差はEnbuの各レベルどうしの対局で測ったもので、他のレーティングとは基準が異なる。" },
    Row { id: Id::PvInterval, name: "PvInterval", alias: None, label: "読み筋の出力間隔", kind: Kind::Spin(300, 0, 1_000_000),
        english: "Least time between two reports of a search, in ms; not in analysis (go infinite, ConsiderationMode).",
        japanese: "読み筋を出力する間隔（ミリ秒）。検討（go infinite、検討モード）では無視される。" },
    Row { id: Id::ConsiderationMode, name: "ConsiderationMode", alias: None, label: "検討モード", kind: Kind::Check(false),
        english: "For analysis: every new line is reported at once, and lines that end early are continued from the transposition table.",
        japanese: "検討モード。新しい読み筋をすぐに出力し、短く途切れた読み筋は置換表の手で補って表示する。" },
    Row { id: Id::ShowCurrentMove, name: "ShowCurrentMove", alias: None, label: "読んでいる手の表示", kind: Kind::Check(false),
        english: "In analysis, report each second the move being searched (currmove); not every GUI knows the word.",
        japanese: "検討中、読んでいる手（currmove）を毎秒出力する。対応していないGUIもある。" },
    Row { id: Id::CsaReadout, name: "CsaReadout", alias: None, label: "CSA形式の出力", kind: Kind::Check(false),
        english: "End each search with score, line and nodes in CSA notation, as an info string.",
        japanese: "探索の終わりに評価値・読み筋・ノード数をCSA形式で出力する。" },
    Row { id: Id::CsaLogDir, name: "CsaLogDir", alias: None, label: "棋譜の保存先", kind: Kind::Text(""),
        english: "Folder into which every finished game is written as a .csa file; empty: none.",
        japanese: "対局の終わりに棋譜を.csaファイルとして書き出すフォルダ。空なら書き出さない。" },
    Row { id: Id::CsaVersion, name: "CsaVersion", alias: None, label: "棋譜のバージョン", kind: Kind::Combo("3.0", &["3.0", "2.2"]),
        english: "Version of the CSA records in CsaLogDir; 2.2 for programs that do not read 3.0.",
        japanese: "CsaLogDirに書き出すCSA形式のバージョン。3.0を読めないソフトには2.2。" },
    Row { id: Id::Opponent, name: "USI_Opponent", alias: None, label: "対局相手", kind: Kind::Text(""),
        english: "Name of the opponent for the records in CsaLogDir; empty: unknown.",
        japanese: "CsaLogDirの棋譜に書く対局相手の名前。空なら書かない。" },
    Row { id: Id::Eval, name: "Eval", alias: None, label: "評価関数の種類", kind: Kind::Combo("Auto", EVALUATIONS),
        english: "Evaluation: the network file, the embedded network or piece-square tables; Auto: the file if it exists, otherwise the embedded network.",
        japanese: "評価関数の種類。Autoは評価関数ファイルがあればそれを、なければ内蔵のものを使う。" },
    Row { id: Id::EvalDir, name: "EvalDir", alias: None, label: "評価関数のフォルダ", kind: Kind::Text("eval"),
        english: "Folder of the network file; a relative path is tried from the folder of the executable first.",
        japanese: "評価関数ファイルのフォルダ。相対パスは実行ファイルのフォルダを先に探す。" },
    Row { id: Id::EvalFile, name: "EvalFile", alias: None, label: "評価関数ファイル", kind: Kind::Text("nn.bin"),
        english: "Name of the network file: an nn.bin of any usual shape, which is recognised, or one of Enbu's own.",
        japanese: "評価関数ファイルの名前。標準的なnn.binの構造は自動で判別する。" },
    Row { id: Id::FvScale, name: "FV_SCALE", alias: None, label: "評価値の縮尺", kind: Kind::Spin(0, 0, 128),
        english: "Divisor from network output to centipawns; use the value the network's author gives. 0: automatic (from the file, otherwise 16, or 28 for SFNN).",
        japanese: "nn.binの出力を割る値。0なら自動（標準型は16、SFNNは28、ファイルに記載があればその値）。" },
    Row { id: Id::ClearHash, name: "Clear_Hash", alias: Some("Clear Hash"), label: "置換表の消去", kind: Kind::Button,
        english: "Clear the transposition table and the histories; isready and usinewgame do so as well.",
        japanese: "これまでの探索結果を消去する。isreadyとusinewgameでも消去される。" },
    Row { id: Id::DebugLogFile, name: "DebugLogFile", alias: None, label: "通信ログ", kind: Kind::Text(""),
        english: "File to which all lines received and sent are appended, with their times; empty: none.",
        japanese: "送受信したすべての行を時刻つきで追記するファイル。空なら記録しない。" },
];

/// Options of YaneuraOu, and names reserved by the USI draft, that clients set and that
/// have no meaning here. Setting one changes nothing and is no mistake of the user.
const IGNORED: &[&str] = &[
    "BookDepthLimit",
    "BookDir",
    "BookEvalBlackLimit",
    "BookEvalDiff",
    "BookEvalWhiteLimit",
    "BookFile",
    "BookIgnoreRate",
    "BookMoves",
    "BookOnTheFly",
    "BookPvMoves",
    "ConsiderBookMoveCount",
    "EvalSaveDir",
    "EvalShare",
    "FlippedBook",
    "IgnoreBookPly",
    "NarrowBook",
    "NumaPolicy",
    "OutputFailLHPV",
    "OwnBook",
    "USI_AnalyseMode",
    "USI_OwnBook",
    "USI_ShowCurrLine",
    "USI_ShowRefutations",
    "USI_Variant",
];

impl Row {
    fn spec(&self) -> OptionSpec {
        OptionSpec::new(
            self.name,
            match self.kind {
                Kind::Check(default) => OptionKind::Check { default },
                Kind::Spin(default, min, max) => OptionKind::Spin { default, min, max },
                Kind::Measured(default, _, min, max) => OptionKind::Spin { default: default(), min, max },
                Kind::Combo(default, choices) => OptionKind::Combo {
                    default: default.into(),
                    choices: choices.iter().map(|&choice| choice.into()).collect(),
                },
                Kind::Text(default) => OptionKind::Text { default: default.into() },
                Kind::Button => OptionKind::Button,
            },
        )
    }

    /// Japanese help, with the Japanese name before it unless it begins with that.
    fn japanese_help(&self) -> String {
        if self.japanese.starts_with(self.label) {
            return self.japanese.to_owned();
        }
        format!("{}：{}", self.label, self.japanese)
    }

    /// The row of the table in the user's pages.
    fn markdown(&self, language: Language) -> String {
        let (also, to, empty, help) = match language {
            Language::En => ("also", " to ", "empty", self.english.to_owned()),
            Language::Ja => ("別名", "～", "空", self.japanese_help()),
        };
        let (kind, default, range) = match self.kind {
            Kind::Check(default) => ("check", default.to_string(), String::new()),
            Kind::Spin(default, min, max) => ("spin", default.to_string(), format!("{min}{to}{max}")),
            Kind::Measured(_, words, min, max) => ("spin", words.of(language).to_owned(), format!("{min}{to}{max}")),
            Kind::Combo(default, choices) => ("combo", default.to_string(), choices.join(", ")),
            Kind::Button => ("button", String::new(), String::new()),
            Kind::Text("") => ("string", empty.into(), String::new()),
            Kind::Text(default) => ("string", default.into(), String::new()),
        };
        let alias = self.alias.map(|alias| format!(" ({also} `{alias}`)")).unwrap_or_default();
        format!("| `{}`{alias} | {kind} | {default} | {range} | {help} |", self.name)
    }

    fn json(&self) -> Value {
        let (kind, default, range) = match self.spec().kind {
            OptionKind::Check { default } => ("check", json!(default), json!({})),
            OptionKind::Spin { default, min, max } => ("spin", json!(default), json!({ "min": min, "max": max })),
            OptionKind::Combo { default, choices } => ("combo", json!(default), json!({ "choices": choices })),
            OptionKind::Button => ("button", Value::Null, json!({})),
            OptionKind::Text { default } => ("string", json!(default), json!({})),
            OptionKind::Filename { default } => ("filename", json!(default), json!({})),
        };
        let mut option = json!({
            "name": self.name, "alias": self.alias, "type": kind, "default": default,
            "help": { "en": self.english, "ja": self.japanese },
        });
        if let (Value::Object(option), Value::Object(range)) = (&mut option, range) {
            option.extend(range);
        }
        option
    }

    fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name) || self.alias.is_some_and(|alias| alias.eq_ignore_ascii_case(name))
    }
}

/// The present values of all options.
pub(crate) struct Options {
    values: Vec<OptionValue>,
    /// The button `Clear_Hash` was pressed, and nothing has been cleared since.
    clears_hash: bool,
}

impl Options {
    /// Every option at its default.
    pub(crate) fn new() -> Self {
        Self { values: ROWS.iter().map(|row| row.spec().kind.default_value()).collect(), clears_hash: false }
    }

    /// What is declared to the GUI.
    pub(crate) fn specs() -> Vec<OptionSpec> {
        let mut specs: Vec<OptionSpec> = ROWS.iter().map(Row::spec).collect();
        specs.extend(tuning::specs());
        specs
    }

    /// Sets an option; names compare without regard to case.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        if let Some(result) = tuning::set(name, value) {
            return result;
        }
        let Some((row, slot)) = ROWS.iter().zip(&mut self.values).find(|(row, _)| row.is_named(name)) else {
            let is_ignored = IGNORED.iter().any(|ignored| ignored.eq_ignore_ascii_case(name));
            return if is_ignored { Ok(()) } else { Err(OptionError::Unknown { name: name.into() }) };
        };
        *slot = row.spec().parse(value)?;
        self.clears_hash |= row.id == Id::ClearHash;
        Ok(())
    }

    /// The present value as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let (_, value) = ROWS.iter().zip(&self.values).find(|(row, _)| row.is_named(name))?;
        Some(match value {
            OptionValue::Check(on) => on.to_string(),
            OptionValue::Spin(number) => number.to_string(),
            OptionValue::Combo(text) | OptionValue::Text(text) => text.clone(),
            OptionValue::Button => String::new(),
        })
    }

    fn value(&self, id: Id) -> Option<&OptionValue> {
        ROWS.iter().zip(&self.values).find(|(row, _)| row.id == id).map(|(_, value)| value)
    }

    fn number(&self, id: Id) -> i64 {
        match self.value(id) {
            Some(OptionValue::Spin(number)) => *number,
            _ => 0,
        }
    }

    fn is_on(&self, id: Id) -> bool {
        self.value(id) == Some(&OptionValue::Check(true))
    }

    fn word(&self, id: Id) -> &str {
        match self.value(id) {
            Some(OptionValue::Combo(text) | OptionValue::Text(text)) => text,
            _ => "",
        }
    }

    /// Size of the transposition table in MB.
    pub(crate) fn hash_mb(&self) -> usize {
        usize::try_from(self.number(Id::Hash)).unwrap_or(1)
    }

    /// Takes the request to clear the transposition table: `true` once after it was made.
    pub(crate) fn take_clear_hash(&mut self) -> bool {
        std::mem::take(&mut self.clears_hash)
    }

    /// File for the log of everything received and sent.
    pub(crate) fn debug_log(&self) -> Option<PathBuf> {
        self.path(Id::DebugLogFile)
    }

    /// Number of search threads.
    pub(crate) fn threads(&self) -> usize {
        usize::try_from(self.number(Id::Threads)).unwrap_or(1)
    }

    /// Whether pondering looks at all of the opponent's moves.
    pub(crate) fn stochastic_ponder(&self) -> bool {
        self.is_on(Id::StochasticPonder)
    }

    /// Heartbeats name the root move being searched.
    pub(crate) fn shows_root_move(&self) -> bool {
        self.is_on(Id::ShowCurrentMove)
    }

    /// The default depth of a search.
    pub(crate) fn depth_limit(&self) -> Option<u32> {
        u32::try_from(self.number(Id::DepthLimit)).ok().filter(|&depth| depth > 0)
    }

    /// The default number of nodes of a search.
    pub(crate) fn nodes_limit(&self) -> Option<u64> {
        u64::try_from(self.number(Id::NodesLimit)).ok().filter(|&nodes| nodes > 0)
    }

    /// The limit of moves; 0: none.
    pub(crate) fn max_moves(&self) -> u32 {
        u32::try_from(self.number(Id::MaxMovesToDraw)).unwrap_or(0)
    }

    /// The rule for declarations.
    pub(crate) fn entering_king(&self) -> EnteringKingRule {
        match self.word(Id::EnteringKingRule) {
            "NoEnteringKing" => EnteringKingRule::NoEnteringKing,
            "CSARule24" => EnteringKingRule::Csa24,
            "CSARule24H" => EnteringKingRule::Csa24Handicap,
            "CSARule27H" => EnteringKingRule::Csa27Handicap,
            "TryRule" => EnteringKingRule::Try,
            _ => EnteringKingRule::Csa27,
        }
    }

    /// Whether searches are read out in CSA notation.
    pub(crate) fn csa_readout(&self) -> bool {
        self.is_on(Id::CsaReadout)
    }

    /// Where finished games are written.
    pub(crate) fn csa_log_dir(&self) -> Option<PathBuf> {
        self.path(Id::CsaLogDir)
    }

    /// The path that an option names; `None` when it is empty.
    fn path(&self, id: Id) -> Option<PathBuf> {
        let text = self.word(id);
        (!text.is_empty()).then(|| crate::paths::resolve(text))
    }

    /// Version of CSA records.
    pub(crate) fn csa_version(&self) -> FileVersion {
        if self.word(Id::CsaVersion) == "2.2" { FileVersion::V2_2 } else { FileVersion::V3_0 }
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

    /// What positions are to be evaluated by.
    pub(crate) fn evaluation(&self) -> Choice {
        let (folder, file) = (self.word(Id::EvalDir), self.word(Id::EvalFile));
        // A file that is not in that folder may be named with a folder of its own.
        let joined = crate::paths::resolve(&Path::new(folder).join(file).to_string_lossy());
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

    /// Divisor of the output of a standard network, where the user sets one.
    pub(crate) fn fv_scale(&self) -> Option<i32> {
        i32::try_from(self.number(Id::FvScale)).ok().filter(|&scale| scale > 0)
    }

    /// The level to play at, by `USI_Elo` if that limits the strength.
    fn level(&self) -> u8 {
        if self.is_on(Id::LimitStrength) {
            return strength::level(self.number(Id::Elo));
        }
        u8::try_from(self.number(Id::SkillLevel)).unwrap_or(u8::MAX)
    }

    /// What a search needs to know.
    pub(crate) fn for_search(&self) -> enbu_search::Options {
        let ms = |id| u32::try_from(self.number(id)).unwrap_or(0);
        enbu_search::Options {
            multi_pv: usize::try_from(self.number(Id::MultiPv)).unwrap_or(1),
            entering_king: self.entering_king(),
            max_moves: self.max_moves(),
            timing: Timing {
                network_delay_ms: ms(Id::NetworkDelay),
                network_delay2_ms: ms(Id::NetworkDelay2),
                minimum_thinking_time_ms: ms(Id::MinimumThinkingTime),
                slow_mover: ms(Id::SlowMover),
                rounding: if self.is_on(Id::RoundUpToFullSecond) { Rounding::UpToFullSecond } else { Rounding::Exact },
                ponder: self.is_on(Id::Ponder) && !self.stochastic_ponder(),
            },
            report_interval: Duration::from_millis(u64::from(ms(Id::PvInterval))),
            heartbeat: None,
            draw_values: [Id::DrawValueBlack, Id::DrawValueWhite].map(|id| i32::try_from(self.number(id)).unwrap_or(0)),
            moves: if self.is_on(Id::GenerateAllLegalMoves) { Moves::All } else { Moves::Sensible },
            lines: if self.is_on(Id::ConsiderationMode) { Lines::Continued } else { Lines::AsSearched },
            level: Level::new(self.level(), self.number(Id::SkillSeed).unsigned_abs()),
            resign_value: i32::try_from(self.number(Id::ResignValue)).unwrap_or(i32::MAX),
        }
    }
}

/// The search's parameters as options: only with the feature `tune`.
mod tuning {
    use super::{OptionError, OptionSpec};

    #[cfg(feature = "tune")]
    fn spec(parameter: &enbu_search::Parameter) -> OptionSpec {
        let [default, min, max] = [parameter.default, parameter.min, parameter.max].map(i64::from);
        OptionSpec::new(parameter.name, super::OptionKind::Spin { default, min, max })
    }

    #[cfg(feature = "tune")]
    pub(super) fn specs() -> impl Iterator<Item = OptionSpec> {
        enbu_search::PARAMETERS.iter().map(spec)
    }

    #[cfg(feature = "tune")]
    pub(super) fn set(name: &str, value: Option<&str>) -> Option<Result<(), OptionError>> {
        let parameter = enbu_search::PARAMETERS.iter().find(|parameter| parameter.name == name)?;
        Some(spec(parameter).parse(value).map(|value| {
            if let super::OptionValue::Spin(number) = value {
                enbu_search::set_parameter(parameter.name, i32::try_from(number).unwrap_or(parameter.default));
            }
        }))
    }

    #[cfg(not(feature = "tune"))]
    pub(super) fn specs() -> impl Iterator<Item = OptionSpec> {
        std::iter::empty()
    }

    #[cfg(not(feature = "tune"))]
    pub(super) fn set(_: &str, _: Option<&str>) -> Option<Result<(), OptionError>> {
        None
    }
}

/// The table of options as Markdown, one row an option.
pub(crate) fn markdown(language: Language) -> String {
    let head = match language {
        Language::En => "| name | type | default | range | meaning |",
        Language::Ja => "| 名前 | 型 | 既定値 | 範囲 | 内容 |",
    };
    let rows = ROWS.iter().map(|row| row.markdown(language) + "\n");
    format!("{head}\n|---|---|---|---|---|\n") + &rows.collect::<String>()
}

/// The options as JSON, with the help in both languages.
pub(crate) fn json() -> Value {
    ROWS.iter().map(Row::json).collect()
}

#[cfg(test)]
mod tests {
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
            assert!(!options.take_clear_hash());
            options.set(name, None).expect("a button");
            assert!(options.take_clear_hash());
        }
    }

    #[test]
    fn elo_takes_the_place_of_the_level_while_it_limits() {
        let mut options = Options::new();
        options.set("SkillLevel", Some("7")).expect("a level");
        options.set("USI_Elo", Some("500")).expect("in range");
        assert_eq!(options.level(), 7);
        options.set("USI_LimitStrength", Some("true")).expect("a check");
        assert_eq!(options.level(), 0);
        options.set("UCI_Elo", Some(&strength::RANGE.end().to_string())).expect("in range");
        assert_eq!(options.level(), Level::HIGHEST);
    }

    #[test]
    fn a_refused_value_leaves_the_old_one() {
        let mut options = Options::new();
        options.set("Hash", Some("64")).expect("an alias");
        for bad in ["0", "-1", "12x", "1e9", "99999999999999999999"] {
            assert!(options.set("USI_Hash", Some(bad)).is_err(), "{bad}");
        }
        assert_eq!(options.hash_mb(), 64);
        assert!(options.set("USI_Ponder", Some("TRUE")).is_err());
        assert!(options.set("EnteringKingRule", Some("CSARule28")).is_err());
        for rule in RULES {
            options.set("EnteringKingRule", Some(rule)).expect("a choice");
        }
        assert_eq!(options.entering_king(), EnteringKingRule::Try);
    }
}
