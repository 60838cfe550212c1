//! Faults in records, with their places.

use std::ops::Deref;

use enbu_language::{Words, messages, text};
use enbu_movegen::SfenError;
use thiserror::Error;

use crate::charset::Encoding;

/// Number of characters of the offending text that an error keeps.
const QUOTED_CHARS: usize = 80;

/// A fault in a record: its kind, its place and the offending text.
///
/// One type serves for warnings (reading went on as if nothing had
/// happened) and for errors (a game was broken off or could not be read).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", text!("line {line}, column {column}: {problem}{}", "{line} 行目 {column} 文字目：{problem}{}", quoted(text)))]
pub struct KifuError {
    /// Kind of the fault.
    #[source]
    pub problem: Problem,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column of the first offending character, from 1, counted in characters.
    pub column: usize,
    /// The offending text, at most 80 characters of it, on one line.
    pub text: String,
}

impl KifuError {
    /// A fault at `line` and `column` (both from 1) about `text`, of which the
    /// first 80 characters are kept.
    pub fn new(problem: Problem, line: usize, column: usize, text: &str) -> Self {
        let text = text.chars().take(QUOTED_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { problem, line, column, text }
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { text!(": `{text}`", "：`{text}`").to_string() }
}

messages! {
/// The kinds of faults; the comments add what became of the content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum Problem {
    NoRecord => "no record found", "棋譜や局面が見つかりません";
    /// Bytes that are no text; each became U+FFFD.
    Undecodable(encoding: Encoding) => "bytes that are no text in {encoding}", "{encoding} として読めない文字があります";
    Unencodable { encoding: Encoding, written: &'static str } =>
        "{encoding} has no such character; `{written}` is written for it", "{encoding} にない文字なので `{written}` と書きます";
    WrongEncoding { declared: Encoding, used: Encoding } =>
        "the file declares {declared} but is written in {used}", "文字コードの宣言は {declared} ですが、実際は {used} です";
    /// A second byte order mark, which was skipped.
    SecondBom => "second byte order mark", "BOM が重複しています";
    UnknownStatement => "unknown statement", "解釈できない記述です";
    UnknownVersion => "unknown version", "未知のバージョンです";
    WrongVersion => "not part of this version of the format", "このバージョンの形式にはない記述です";
    HeaderSyntax => "header without key and colon", "ヘッダーに項目名とコロンがありません";
    /// A header whose value cannot be understood; it was dropped.
    HeaderValue { expected: Words } => "header value is not {expected}", "ヘッダーの値が{expected}ではありません";
    OutOfPlace(part: Words) => "{part} out of place", "ここに{part}は書けません";
    RankCells => "a rank needs nine squares", "段に 9 マスありません";
    RankColumns => "columns of the rank do not line up", "段のマスの位置が揃っていません";
    UnknownPiece => "unknown piece name", "駒の名前ではありません";
    UnknownSquare => "not a square", "マスの指定として読めません";
    NotAHandPiece => "this piece cannot be in hand", "持駒にならない駒です";
    PieceNotThere => "this piece does not stand there", "そこにその駒はありません";
    /// Two pieces were put on one square; the later one stays.
    SquareTaken => "the square is already occupied", "そのマスにはすでに駒があります";
    MoreThanASet => "more pieces of this kind than a set has", "この駒の枚数が一組より多くなっています";
    HandOverflow => "more pieces than a hand can hold", "持駒が多すぎます";
    /// A piece was placed after all the rest had been given to a hand.
    AfterAllPieces =>
        "pieces placed after the rest of the set was given away", "残りの駒をすべて持駒にした後に、駒が置かれています";
    NothingLeft => "no pieces are left to give", "持駒にする駒が残っていません";
    NoBoard => "no start position", "開始局面がありません";
    NoTurn => "no side to move", "手番がありません";
    MoveSyntax => "not a move", "指し手として読めません";
    WrongTurn => "the other side is to move", "手番が違います";
    EmptyOrigin => "no piece on the origin", "移動元に駒がありません";
    OpponentsPiece => "the piece on the origin is the opponent's", "移動元にあるのは相手の駒です";
    OtherPiece => "the piece on the origin is another one", "移動元にあるのは別の駒です";
    NoPromotion => "no promotion is possible here", "ここでは成れません";
    NoMovement => "the piece does not move", "駒が動いていません";
    NotInHand => "the piece is not in hand", "その駒は持駒にありません";
    DestinationTaken => "the destination is occupied", "移動先に駒があります";
    /// A foul: a move that can be made on a board, but that the rules forbid.
    IllegalMove => "illegal move", "反則手です";
    /// Moves or results after the end of the game; they were skipped.
    AfterEnd => "after the end of the game", "終局より後の記述です";
    StrayTime => "time that belongs to no move", "どの指し手のものでもない消費時間です";
    /// A time that is not a number of seconds; it was dropped or cut to what can be held.
    TimeValue => "not a time in seconds", "秒数として読めません";
    /// A word for the end of the game that the format does not know; it was kept.
    UnknownEnd => "unknown end of game", "この形式にはない終局の種類です";
    UnknownHandicap => "unknown handicap, and no board", "未知の手合割で、盤面もありません";
    BoardRanks => "a board needs nine ranks", "盤面が 9 段ありません";
    HandSyntax => "not a list of pieces in hand", "持駒として読めません";
    NoLastMove => "no move before it, whose destination it could share", "「同」に当たる直前の指し手がありません";
    NoSuchMove => "no such piece can move there", "そこへ動ける駒がありません";
    Ambiguous(origins: String) =>
        "ambiguous move: the piece could come from {origins}", "どの駒の動きか決まりません（候補：{origins}）";
    WordMismatch => "the word does not fit the move", "「右」「成」などの語が指し手に合いません";
    MoveNumber => "unexpected move number", "手数が順番どおりではありません";
    NoBranchPoint => "no line has a move at which this variation could begin", "この変化の分岐元になる指し手がありません";
    ResultMismatch => "the result does not agree with the moves", "結果が指し手と合いません";
    Json(reason: String) => "{reason}", "{reason}";
    OtherType => "a member of another type", "項目の型が違います";
    TooDeep(levels: usize) => "nested more than {levels} levels deep", "入れ子が {levels} 段を超えています";
    Sfen(error: SfenError) => "{error}", "{error}";
    OtherVariant => "not a game of shogi", "本将棋の棋譜ではありません";
    Unclosed(part: Words) => "{part} without end", "{part}が閉じられていません";
    OtherFormat(name: &'static str) => "the file is of the format {name}", "ファイルの内容は {name} 形式です";
    /// A principal variation with a move that cannot be played; it was cut there.
    BrokenPv => "variation of a comment cannot be played", "コメントの読み筋に指せない手があります";
}}

/// A bounded list of faults: the first [`Problems::LIMIT`] of them, and how many more there were.
///
/// Bounded, because a hostile file can hold a fault every other byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    list: Vec<KifuError>,
    dropped: usize,
}

impl Problems {
    /// Limit of the faults that are kept.
    pub const LIMIT: usize = 1000;

    /// Adds a fault, or only counts it when the list is full.
    pub fn push(&mut self, fault: KifuError) {
        if self.list.len() < Self::LIMIT {
            self.list.push(fault);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds the faults of the next part of the file.
    pub(crate) fn append(&mut self, next: Self) {
        next.list.into_iter().for_each(|fault| self.push(fault));
        self.dropped += next.dropped;
    }

    /// Number of faults, kept or not.
    pub fn count(&self) -> usize {
        self.list.len() + self.dropped
    }
}

/// The faults that were kept, in the order they were found.
impl Deref for Problems {
    type Target = [KifuError];

    fn deref(&self) -> &[KifuError] {
        &self.list
    }
}

/// A reader's treatment of deviations from its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Skip unknown text with a warning, and keep every move before a damage.
    #[default]
    Tolerant,
    /// The first deviation is an error.
    Strict,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_up_to_eighty_characters_on_one_line() {
        let fault = KifuError::new(Problem::UnknownStatement, 3, 7, &format!("あ\n{}", "x".repeat(100_000)));
        assert_eq!(fault.text.chars().count(), 80);
        assert!(fault.to_string().starts_with("line 3, column 7: unknown statement: `あ xx"));
        assert_eq!(KifuError::new(Problem::NoRecord, 1, 1, "").to_string(), "line 1, column 1: no record found");
    }

    #[test]
    fn a_list_of_faults_is_bounded() {
        let mut problems = Problems::default();
        for line in 1..=Problems::LIMIT + 5 {
            problems.push(KifuError::new(Problem::MoveSyntax, line, 1, ""));
        }
        assert_eq!(problems.iter().count(), Problems::LIMIT);
        assert_eq!(problems.count(), Problems::LIMIT + 5);
        assert_eq!(problems.first().map(|fault| fault.line), Some(1));
    }
}
