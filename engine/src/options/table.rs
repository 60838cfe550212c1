//! The rows of the table of options.
//!
//! Names and meanings are YaneuraOu's where it has them.

use enbu_eval::nnue::embedded;

use super::row::{Kind, Row};
use crate::machine;

/// The choices of the option `Eval`; embedded networks only where there is one.
const EVALUATIONS: &[&str] =
    if embedded::IS_THERE { &["Auto", "File", "Embedded", "PieceSquare"] } else { &["Auto", "File", "PieceSquare"] };

pub(super) const RULES: &[&str] = &["NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule"];

/// Declares the options, in the order in which they are shown to clients.
macro_rules! rows {
    ($($id:ident { $($field:tt)* })*) => {
        /// The setting that a row holds, by the index of the row.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Id { $($id),* }

        pub(super) const ROWS: &[Row] = &[$(Row { $($field)* }),*];
    };
}

#[rustfmt::skip]
rows! {
    Hash { name: "USI_Hash", alias: Some("Hash"), label: "置換表の大きさ",
        kind: Kind::Measured(machine::hash_mb, ["1/8 of the memory, at most 1024", "メモリの 1/8（最大 1024）"], 1, 33_554_432),
        english: "Size of the transposition table in MB.",
        japanese: "置換表の大きさ（MB）。" }
    Threads { name: "Threads", alias: Some("NumberOfThreads"), label: "スレッド数",
        kind: Kind::Measured(machine::threads, ["one per processor, at most 8", "論理コア数（最大 8）"], 1, 1024),
        english: "Number of search threads; at best one a processor, at most two.",
        japanese: "探索に使うスレッド数。論理コア数より多くしても速くならず、その 2 倍を超える分は使いません。" }
    Ponder { name: "USI_Ponder", alias: Some("Ponder"), label: "相手番思考", kind: Kind::Check(false),
        english: "Search on the opponent's time (set by the GUI); each move then takes slightly more time.",
        japanese: "相手の手番中にも思考します（先読み）。有効にすると一手に使う時間が少し増えます。" }
    StochasticPonder { name: "Stochastic_Ponder", alias: None, label: "確率的な先読み", kind: Kind::Check(false),
        english: "Ponder on all replies of the opponent instead of the expected one; a hit starts the search again.",
        japanese: "予想手を決め打ちせず、相手の局面を先読みします。的中したら改めて思考します。" }
    MultiPv { name: "MultiPV", alias: Some("USI_MultiPV"), label: "候補手の数", kind: Kind::Spin(1, 1, 600),
        english: "Number of lines in the report.",
        japanese: "表示する候補手の数。" }
    NetworkDelay { name: "NetworkDelay", alias: None, label: "通信遅延の平均", kind: Kind::Spin(120, 0, 10_000),
        english: "Margin before the planned end of a search, in ms; 50 suits a GUI on the same machine.",
        japanese: "通信遅延の平均（ミリ秒）。この分だけ早く指します。同じ PC の GUI なら 50 程度で十分です。" }
    NetworkDelay2 { name: "NetworkDelay2", alias: None, label: "通信遅延の最大", kind: Kind::Spin(1120, 0, 10_000),
        english: "Margin before the hard limit of the clock, in ms, at most 60 % of it; 250 suits a GUI on the same machine.",
        japanese: "通信遅延の最大（ミリ秒）。時間切れを防ぐ余裕で、残り時間の 60 % が上限です。同じ PC の GUI なら 250 程度で十分です。" }
    MinimumThinkingTime { name: "MinimumThinkingTime", alias: None, label: "最小思考時間", kind: Kind::Spin(1, 1, 100_000),
        english: "Minimum time for a move, in ms, but at most a twentieth of the time on the clock.",
        japanese: "最小思考時間（ミリ秒）。持ち時間の残りの 20 分の 1 を超えない範囲で適用します。" }
    SlowMover { name: "SlowMover", alias: None, label: "時間の使い方", kind: Kind::Spin(100, 1, 1000),
        english: "Time planned for a move, in percent of the default.",
        japanese: "一手に使う時間の割合（%）。" }
    RoundUpToFullSecond { name: "RoundUpToFullSecond", alias: None, label: "秒単位まで使う", kind: Kind::Check(true),
        english: "Search until just before the next full second, for clocks that count whole seconds.",
        japanese: "時計が秒単位のとき、次の 1 秒の直前まで思考します。" }
    DepthLimit { name: "DepthLimit", alias: None, label: "探索深さの上限", kind: Kind::Spin(0, 0, 1_000_000),
        english: "Depth limit of searches whose go command has none, in plies; 0: none.",
        japanese: "探索深さの上限。0 なら無制限。" }
    NodesLimit { name: "NodesLimit", alias: None, label: "ノード数の上限", kind: Kind::Spin(0, 0, i64::MAX),
        english: "Node limit of searches whose go command has none; 0: none.",
        japanese: "探索ノード数の上限。0 なら無制限。" }
    MaxMovesToDraw { name: "MaxMovesToDraw", alias: None, label: "引き分けになる手数", kind: Kind::Spin(0, 0, 100_000),
        english: "Number of moves after which the game is drawn; 0: no limit.",
        japanese: "この手数で引き分けとします。0 なら無制限。" }
    EnteringKingRule { name: "EnteringKingRule", alias: None, label: "入玉ルール", kind: Kind::Combo("CSARule27", RULES),
        english: "Rule for the entering-king declaration.",
        japanese: "入玉宣言のルール。" }
    ResignValue { name: "ResignValue", alias: None, label: "投了する評価値", kind: Kind::Spin(99_999, 0, 99_999),
        english: "Resign at an evaluation of minus this value or lower, in centipawns.",
        japanese: "評価値が、この値にマイナスを付けた値まで下がったら投了します。" }
    DrawValueBlack { name: "DrawValueBlack", alias: None, label: "引き分けの価値（先手）", kind: Kind::Spin(-2, -30_000, 30_000),
        english: "Value of a draw for the engine as Black, in centipawns.",
        japanese: "先手のときの引き分け（千日手など）の評価値。" }
    DrawValueWhite { name: "DrawValueWhite", alias: None, label: "引き分けの価値（後手）", kind: Kind::Spin(-2, -30_000, 30_000),
        english: "Value of a draw for the engine as White, in centipawns.",
        japanese: "後手のときの引き分け（千日手など）の評価値。" }
    GenerateAllLegalMoves { name: "GenerateAllLegalMoves", alias: None, label: "不成も読む", kind: Kind::Check(false),
        english: "Also search moves without promotion of pawn, bishop and rook, and of a lance on the second rank.",
        japanese: "歩・角・飛の不成や、2 段目の香の不成も読みます。" }
    SkillLevel { name: "SkillLevel", alias: Some("USI_SkillLevel"), label: "強さ", kind: Kind::Spin(20, 0, 20),
        english: "Strength from 0 (beginner) to 20 (full); lower levels search less and may choose weaker moves.",
        japanese: "強さ。0（入門）から 20（最強）。低いほど浅く読み、最善でない手も指します。" }
    SkillSeed { name: "SkillSeed", alias: None, label: "乱数の種", kind: Kind::Spin(0, 0, 1_000_000_000),
        english: "Random seed of SkillLevel and book moves; for book moves 0 is a new seed in each game.",
        japanese: "強さを制限したときと、定跡の手を選ぶときに使う乱数の種。定跡では、0 なら対局ごとに変わります。" }
    PvInterval { name: "PvInterval", alias: None, label: "読み筋の出力間隔", kind: Kind::Spin(300, 0, 1_000_000),
        english: "Minimum interval of reports, in ms; ignored in analysis (go infinite, ConsiderationMode).",
        japanese: "読み筋を出力する間隔（ミリ秒）。検討（go infinite、検討モード）では無視します。" }
    ConsiderationMode { name: "ConsiderationMode", alias: None, label: "検討モード", kind: Kind::Check(false),
        english: "For analysis: report new lines at once, and extend short lines from the transposition table.",
        japanese: "検討モード。新しい読み筋をすぐに出力し、短く途切れた読み筋は置換表の手で補います。" }
    ShowCurrentMove { name: "ShowCurrentMove", alias: None, label: "読んでいる手の表示", kind: Kind::Check(false),
        english: "In analysis, report the root move being searched (currmove) every second, for GUIs that support it.",
        japanese: "検討中、読んでいる手（currmove）を毎秒出力します。対応していない GUI もあります。" }
    ShowLineEnds { name: "ShowLineEnds", alias: None, label: "読み筋の終わり方の表示", kind: Kind::Check(false),
        english: "End lines with win at a declaration and rep_draw, rep_win ... at a repetition, for GUIs that support these words.",
        japanese: "読み筋が入玉宣言で終わるとき win、同一局面で終わるとき rep_draw などを末尾に付けます。対応していない GUI もあります。" }
    CsaReadout { name: "CsaReadout", alias: None, label: "CSA 形式の出力", kind: Kind::Check(false),
        english: "After each search, print score, line and nodes in CSA notation as an info string.",
        japanese: "探索の終わりに、評価値・読み筋・ノード数を CSA 形式で出力します。" }
    CsaLogDir { name: "CsaLogDir", alias: None, label: "棋譜の保存先", kind: Kind::Text(""),
        english: "Folder for a .csa record of every finished game; empty: none.",
        japanese: "終局した対局の棋譜を .csa ファイルとして保存するフォルダ。空なら保存しません。" }
    CsaVersion { name: "CsaVersion", alias: None, label: "棋譜のバージョン", kind: Kind::Combo("3.0", &["3.0", "2.2"]),
        english: "Version of the CSA records in CsaLogDir; 2.2 for programs that do not read 3.0.",
        japanese: "CsaLogDir に保存する棋譜のバージョン。3.0 を読めないソフトには 2.2。" }
    Opponent { name: "USI_Opponent", alias: None, label: "対局相手", kind: Kind::Text(""),
        english: "Name of the opponent for the records in CsaLogDir; empty: unknown.",
        japanese: "CsaLogDir の棋譜に書く対局相手の名前。空なら書きません。" }
    Eval { name: "Eval", alias: None, label: "評価関数の種類", kind: Kind::Combo("Auto", EVALUATIONS),
        english: "Evaluation: network file, embedded network or piece-square tables; Auto: the file if it exists.",
        japanese: "評価関数の種類。Auto は、評価関数ファイルがあればそれを、なければ内蔵のものを使います。" }
    EvalDir { name: "EvalDir", alias: None, label: "評価関数のフォルダ", kind: Kind::Text("eval"),
        english: "Folder of the network file; a relative path starts at the executable, then at the working folder.",
        japanese: "評価関数ファイルのフォルダ。相対パスなら、まず実行ファイルのあるフォルダから探します。" }
    EvalFile { name: "EvalFile", alias: None, label: "評価関数ファイル", kind: Kind::Text("nn.bin"),
        english: "Name of the network file: an nn.bin, whose shape is detected, or a network of Enbu.",
        japanese: "評価関数ファイルの名前。標準的な nn.bin の構造は自動で判別します。" }
    FvScale { name: "FV_SCALE", alias: None, label: "評価値の縮尺", kind: Kind::Spin(0, 0, 128),
        english: "Divisor from network output to centipawns, as its author states; 0: from the file, else 16 (SFNN: 28).",
        japanese: "nn.bin の出力を割る値。0 なら自動（標準型は 16、SFNN は 28、ファイルに記載があればその値）。" }
    OwnBook { name: "USI_OwnBook", alias: Some("OwnBook"), label: "定跡を使う", kind: Kind::Check(true),
        english: "Play from the book of BookFile.",
        japanese: "定跡ファイル（BookFile）の手を指します。" }
    BookFile { name: "BookFile", alias: Some("Book_File"), label: "定跡ファイル", kind: Kind::File("standard_book.db"),
        english: "Book: .db, .ybb, Apery's book.bin or .sbk, with a path or in BookDir; no_book: none.",
        japanese: "定跡ファイル（.db、.ybb、Apery の book.bin、.sbk）。パス、または BookDir の中のファイル名。no_book なら使いません。" }
    BookDir { name: "BookDir", alias: None, label: "定跡のフォルダ", kind: Kind::Text("book"),
        english: "Folder of the book; a relative path starts at the executable, then at the working folder.",
        japanese: "定跡ファイルのフォルダ。相対パスなら、まず実行ファイルのあるフォルダから探します。" }
    BookMoves { name: "BookMoves", alias: None, label: "定跡を使う手数", kind: Kind::Spin(16, 0, 10_000),
        english: "Last move of the game, counted in plies, that is played from the book.",
        japanese: "定跡を使う手数（この手数目まで）。" }
    BookIgnoreRate { name: "BookIgnoreRate", alias: None, label: "定跡を無視する確率", kind: Kind::Spin(0, 0, 100),
        english: "Chance that the book is ignored for a move, in percent.",
        japanese: "一手ごとに定跡を無視する確率（%）。" }
    BookEvalDiff { name: "BookEvalDiff", alias: None, label: "定跡の評価値の差", kind: Kind::Spin(30, 0, 99_999),
        english: "Largest loss of a book move against the best one of the position, in centipawns.",
        japanese: "定跡の最善手との評価値の差が、この値以下の手を指します。" }
    BookEvalBlackLimit { name: "BookEvalBlackLimit", alias: None, label: "定跡の評価値の下限（先手）", kind: Kind::Spin(0, -99_999, 99_999),
        english: "Lowest value of a book move as Black, in centipawns for Black.",
        japanese: "先手のとき、評価値がこの値より低い定跡の手は指しません。" }
    BookEvalWhiteLimit { name: "BookEvalWhiteLimit", alias: None, label: "定跡の評価値の下限（後手）", kind: Kind::Spin(-140, -99_999, 99_999),
        english: "Lowest value of a book move as White, in centipawns for White.",
        japanese: "後手のとき、評価値（後手から見た値）がこの値より低い定跡の手は指しません。" }
    BookDepthLimit { name: "BookDepthLimit", alias: None, label: "定跡の深さの下限", kind: Kind::Spin(16, 0, 99_999),
        english: "Least depth of the best book move for a position to be used; 0: none. Books without depths pass.",
        japanese: "定跡の最善手の深さがこの値より小さい局面では定跡を使いません。0 なら制限なし。深さの書かれていない定跡は制限しません。" }
    BookOnTheFly { name: "BookOnTheFly", alias: None, label: "定跡を読み込まない", kind: Kind::Check(false),
        english: "Search a .db on disk instead of loading it, for large files; it must be sorted (enbu book sort).",
        japanese: ".db をメモリに読み込まず、ディスク上で探します。大きなファイル向けで、ソート済みのものに限ります（enbu book sort）。" }
    ConsiderBookMoveCount { name: "ConsiderBookMoveCount", alias: None, label: "出現回数を考慮", kind: Kind::Check(false),
        english: "Choose among book moves in proportion to their counts instead of with equal chances.",
        japanese: "定跡の手を、同じ確率ではなく出現回数に比例した確率で選びます。" }
    NarrowBook { name: "NarrowBook", alias: None, label: "狭い定跡", kind: Kind::Check(false),
        english: "Leave out book moves with less than a tenth of the games of the position.",
        japanese: "出現率が 10 % 未満の定跡の手を指しません。" }
    BookPvMoves { name: "BookPvMoves", alias: None, label: "定跡の読み筋の手数", kind: Kind::Spin(8, 1, 246),
        english: "Number of moves of the lines that are shown for book moves.",
        japanese: "定跡の手について表示する読み筋の手数。" }
    IgnoreBookPly { name: "IgnoreBookPly", alias: None, label: "定跡の手数を無視", kind: Kind::Check(false),
        english: "Find positions of the book at any move number.",
        japanese: "定跡に書かれた手数が異なっていても、同じ局面なら使います。" }
    FlippedBook { name: "FlippedBook", alias: None, label: "先後反転した定跡", kind: Kind::Check(true),
        english: "Find positions also with the sides exchanged and the board rotated.",
        japanese: "先手と後手を入れ替えた（盤を 180 度回した）局面も定跡から探します。" }
    ClearHash { name: "Clear_Hash", alias: Some("Clear Hash"), label: "置換表の消去", kind: Kind::Button,
        english: "Clear the transposition table and the histories, like isready and usinewgame.",
        japanese: "置換表と履歴を消去します。isready と usinewgame でも消去されます。" }
    DebugLogFile { name: "DebugLogFile", alias: None, label: "通信ログ", kind: Kind::Text(""),
        english: "Log file of all lines received and sent, with timestamps; appended to; empty: none.",
        japanese: "送受信したすべての行を時刻つきで追記するファイル。空なら記録しません。" }
}

/// Options of YaneuraOu, and names reserved by the USI draft, that clients set and that
/// have no meaning here. Setting one changes nothing and is no mistake of the user.
pub(super) const IGNORED: &[&str] = &[
    "EvalSaveDir",
    "EvalShare",
    "NumaPolicy",
    "OutputFailLHPV",
    "USI_AnalyseMode",
    "USI_ShowCurrLine",
    "USI_ShowRefutations",
    "USI_Variant",
];
