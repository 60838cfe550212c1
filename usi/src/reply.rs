//! Every line of an engine.
//!
//! A [`Reply`] prints as one line, at most 8 KiB long, without its line
//! end; only the line of a mate is never cut, however long. Everything that clients
//! parse is ASCII. Texts for people may name files and engines in any script: they are
//! UTF-8, with control characters escaped here and nowhere else.

use std::fmt;

use enbu_kifu::Analysis;
use enbu_movegen::{Color, Cycle, Move};

use crate::option::OptionSpec;
use crate::token::printable;

/// The longest line that is sent, in bytes and without its line end. Longer ones
/// are cut after a whole word, but for `checkmate`: the longest problem known has
/// 1 525 plies, and half a mate is none.
pub(crate) const MAX_LINE_BYTES: usize = 8 * 1024 - 1;

/// One line from the engine to the GUI.
///
/// ```
/// use enbu_usi::{BestMove, Reply};
/// let best = "7g7f".parse()?;
/// let reply = Reply::BestMove(BestMove::Play { best, ponder: Some("3c3d".parse()?) });
/// assert_eq!(reply.to_string(), "bestmove 7g7f ponder 3c3d");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `id name`: the name that GUIs show.
    IdName(String),
    /// `id author`.
    IdAuthor(String),
    /// `option`: one declared option.
    Option(OptionSpec),
    /// `usiok`: the answer to `usi` is complete.
    UsiOk,
    /// `readyok`: the answer to `isready`.
    ReadyOk,
    /// `bestmove`: the answer to `go`.
    BestMove(BestMove),
    /// `checkmate`: the answer to `go mate`.
    Checkmate(Checkmate),
    /// `info`: report of a search.
    Info(Info),
    /// `info string`: anything a person may want to read.
    Text(String),
    /// `info string error:`: a command that was refused, and why.
    Error(String),
    /// A line of the answer to a console command, as it is.
    Console(String),
}

/// The answer to a `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BestMove {
    /// Play a move.
    Play {
        /// The move.
        best: Move,
        /// The expected answer, which the GUI may let the engine ponder on.
        ponder: Option<Move>,
    },
    /// Give up.
    Resign,
    /// Claim the win by entering king.
    Win,
}

/// Result of a mate search for the side to move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Checkmate {
    /// The mating line, attacker first, up to the mating move.
    Moves(Vec<Move>),
    /// There is no mate.
    NoMate,
    /// Neither a mate nor a disproof was found before the time ran out or `stop`.
    Timeout,
    /// This engine does not search for mates.
    NotImplemented,
}

/// A score seen from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// Centipawns: 100 is a pawn.
    Cp(i32),
    /// The side to move mates in this number of plies.
    MateIn(u32),
    /// The side to move is mated in this number of plies; 0: it is mated, or has no move.
    MatedIn(u32),
    /// The side to move mates in an unknown number of plies.
    Mates,
    /// The side to move is mated in an unknown number of plies.
    Mated,
}

impl Score {
    /// This score of the side `turn` as Black sees it, in centipawns within ±30 000, which a mate has.
    pub fn for_black(self, turn: Color) -> i32 {
        let own = match self {
            Self::Cp(value) => value.clamp(-Analysis::WON_CP, Analysis::WON_CP),
            Self::MateIn(_) | Self::Mates => Analysis::WON_CP,
            Self::MatedIn(_) | Self::Mated => -Analysis::WON_CP,
        };
        if turn == Color::Black { own } else { -own }
    }
}

/// Bound type of a score; as a text its word with a blank before it, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, strum::Display)]
pub enum Bound {
    /// It is the score.
    #[default]
    #[strum(serialize = "")]
    Exact,
    /// The true score is at least this.
    #[strum(serialize = " lowerbound")]
    Lower,
    /// The true score is at most this.
    #[strum(serialize = " upperbound")]
    Upper,
}

/// Report of a search (`info`). Absent parts are not printed.
///
/// ```
/// use enbu_usi::{Info, Score};
/// let info = Info { depth: Some(3), score: Some(Score::Cp(-12)), pv: vec!["7g7f".parse()?], ..Info::default() };
/// assert_eq!(info.to_string(), "info depth 3 score cp -12 pv 7g7f");
/// # Ok::<(), enbu_movegen::ParseMoveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Info {
    /// Finished depth in plies.
    pub depth: Option<u32>,
    /// Deepest line looked at, in plies.
    pub seldepth: Option<u32>,
    /// Rank of this line among the best, 1 for the best; absent when only one is searched.
    pub multipv: Option<u32>,
    /// Score of the line.
    pub score: Option<Score>,
    /// Bound type of the score.
    pub bound: Bound,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Positions searched per second.
    pub nps: Option<u64>,
    /// Fill level of the transposition table, in 1/1000.
    pub hashfull_permille: Option<u32>,
    /// Time since the search began, in milliseconds.
    pub time_ms: Option<u64>,
    /// The move being searched at the root. Some clients do not know the word.
    pub currmove: Option<Move>,
    /// The line itself.
    pub pv: Vec<Move>,
    /// The last word of the line.
    pub pv_end: Option<LineEnd>,
}

/// The last word of a line of play that ends in no move, for the side to move there; the words
/// are YaneuraOu's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// `win`: claiming the win by entering king.
    Win,
    /// `resign`.
    Resign,
    /// `rep_draw`, `rep_win`, `rep_lose`, `rep_sup`, `rep_inf`.
    Repetition(Cycle),
}

impl Info {
    /// The fields that count, after `time_ms` of searching.
    pub fn counters(nodes: u64, time_ms: u64, hashfull_permille: u32) -> Self {
        Self {
            nodes: Some(nodes),
            nps: Some(nodes.saturating_mul(1000) / time_ms.max(1)),
            hashfull_permille: Some(hashfull_permille),
            time_ms: Some(time_ms),
            ..Self::default()
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = match self {
            Self::IdName(name) => format!("id name {}", printable(name)),
            Self::IdAuthor(author) => format!("id author {}", printable(author)),
            Self::Option(spec) => spec.to_string(),
            Self::UsiOk => "usiok".to_owned(),
            Self::ReadyOk => "readyok".to_owned(),
            Self::BestMove(best) => best.to_string(),
            Self::Checkmate(checkmate) => checkmate.to_string(),
            Self::Info(info) => info.to_string(),
            Self::Text(text) => format!("info string {}", printable(text)),
            Self::Error(text) => format!("info string error: {}", printable(text)),
            Self::Console(text) => printable(text).into_owned(),
        };
        f.write_str(if matches!(self, Self::Checkmate(_)) { &line } else { cut(&line) })
    }
}

/// `line` up to the last word that fits.
fn cut(line: &str) -> &str {
    if line.len() <= MAX_LINE_BYTES {
        return line;
    }
    let fits = line.get(..line.floor_char_boundary(MAX_LINE_BYTES)).unwrap_or_default();
    // A blank right after the limit ends a word that fits.
    let whole = line.as_bytes().get(fits.len()) == Some(&b' ');
    match fits.rfind(' ') {
        Some(end) if !whole => fits.get(..end).unwrap_or_default(),
        _ => fits,
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Play { best, ponder: Some(ponder) } => write!(f, "bestmove {best} ponder {ponder}"),
            Self::Play { best, ponder: None } => write!(f, "bestmove {best}"),
            Self::Resign => f.write_str("bestmove resign"),
            Self::Win => f.write_str("bestmove win"),
        }
    }
}

impl fmt::Display for Checkmate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("checkmate")?;
        match self {
            // A line without moves would read as an unfinished command; a mated
            // attacker has no mate.
            Self::Moves(moves) if moves.is_empty() => f.write_str(" nomate"),
            Self::Moves(moves) => moves.iter().try_for_each(|mv| write!(f, " {mv}")),
            Self::NoMate => f.write_str(" nomate"),
            Self::Timeout => f.write_str(" timeout"),
            Self::NotImplemented => f.write_str(" notimplemented"),
        }
    }
}

impl fmt::Display for Score {
    /// `cp N` or `mate N`, N plies, negative for the side to move being mated.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(value) => write!(f, "cp {value}"),
            Self::MateIn(0) | Self::Mates => f.write_str("mate +"),
            // A number, because clients in Python hand the word to `int`.
            Self::MatedIn(0) => f.write_str("mate -0"),
            Self::Mated => f.write_str("mate -"),
            Self::MateIn(plies) => write!(f, "mate {plies}"),
            Self::MatedIn(plies) => write!(f, "mate -{plies}"),
        }
    }
}

impl fmt::Display for Info {
    /// The `info` line. Only fields that every known client reads, `pv` last:
    /// match runners look for `score ... pv` in this order and take the rest of
    /// the line as the line of play.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.seldepth)?;
        field(f, "multipv", self.multipv)?;
        field(f, "score", self.score)?;
        if self.score.is_some() {
            write!(f, "{}", self.bound)?;
        }
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hashfull_permille)?;
        field(f, "time", self.time_ms)?;
        field(f, "currmove", self.currmove)?;
        if !self.pv.is_empty() || self.pv_end.is_some() {
            f.write_str(" pv")?;
            self.pv.iter().try_for_each(|mv| write!(f, " {mv}"))?;
        }
        self.pv_end.map_or(Ok(()), |end| write!(f, " {end}"))
    }
}

impl LineEnd {
    const WORDS: [(&str, Self); 7] = [
        ("win", Self::Win),
        ("resign", Self::Resign),
        ("rep_draw", Self::Repetition(Cycle::Draw)),
        ("rep_win", Self::Repetition(Cycle::Win)),
        ("rep_lose", Self::Repetition(Cycle::Loss)),
        ("rep_sup", Self::Repetition(Cycle::Superior)),
        ("rep_inf", Self::Repetition(Cycle::Inferior)),
    ];

    /// The end of this word; `None` for any other.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|known| known.0 == word).map(|known| known.1)
    }
}

impl fmt::Display for LineEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::WORDS.iter().filter(|known| known.1 == *self).try_for_each(|known| f.write_str(known.0))
    }
}

/// Writes a value that is there after its keyword, each with a blank before it.
pub(crate) fn field<T: fmt::Display>(f: &mut fmt::Formatter<'_>, keyword: &str, value: Option<T>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {keyword} {value}"))
}

/// `items` separated by single blanks.
pub(crate) fn joined<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::{OptionKind, OptionValue};

    fn moves(text: &str) -> Vec<Move> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn every_kind_of_line_has_its_spelling() {
        let play = |ponder| BestMove::Play { best: moves("8h2b+")[0], ponder };
        for (reply, line) in [
            (Reply::IdName("Enbu 0.1".into()), "id name Enbu 0.1"),
            (Reply::IdAuthor("the authors".into()), "id author the authors"),
            (Reply::Option(OptionSpec::new("B", OptionKind::Button, OptionValue::Button)), "option name B type button"),
            (Reply::UsiOk, "usiok"),
            (Reply::ReadyOk, "readyok"),
            (Reply::BestMove(play(None)), "bestmove 8h2b+"),
            (Reply::BestMove(play(Some(moves("P*5e")[0]))), "bestmove 8h2b+ ponder P*5e"),
            (Reply::BestMove(BestMove::Resign), "bestmove resign"),
            (Reply::BestMove(BestMove::Win), "bestmove win"),
            (Reply::Checkmate(Checkmate::Moves(moves("G*5b 5a4a G*4b"))), "checkmate G*5b 5a4a G*4b"),
            (Reply::Checkmate(Checkmate::Moves(Vec::new())), "checkmate nomate"),
            (Reply::Checkmate(Checkmate::NoMate), "checkmate nomate"),
            (Reply::Checkmate(Checkmate::Timeout), "checkmate timeout"),
            (Reply::Checkmate(Checkmate::NotImplemented), "checkmate notimplemented"),
            (Reply::Text("hello".into()), "info string hello"),
            (Reply::Error("what it is".into()), "info string error: what it is"),
            (Reply::Console("black".into()), "black"),
            (Reply::Console(String::new()), ""),
        ] {
            assert_eq!(reply.to_string(), line);
        }
    }

    #[test]
    fn a_full_info_line_ends_with_its_pv() {
        let info = Info {
            depth: Some(12),
            seldepth: Some(20),
            multipv: Some(1),
            score: Some(Score::Cp(35)),
            bound: Bound::Lower,
            nodes: Some(123_456),
            nps: Some(1_000_000),
            hashfull_permille: Some(17),
            time_ms: Some(123),
            currmove: Some(moves("2g2f")[0]),
            pv: moves("7g7f 3c3d"),
            pv_end: Some(LineEnd::Resign),
        };
        assert_eq!(
            info.to_string(),
            "info depth 12 seldepth 20 multipv 1 score cp 35 lowerbound nodes 123456 nps 1000000 hashfull 17 time 123 \
             currmove 2g2f pv 7g7f 3c3d resign"
        );
        assert_eq!(Info { bound: Bound::Upper, nodes: Some(1), ..Info::default() }.to_string(), "info nodes 1");
    }

    #[test]
    fn mate_scores_count_plies_and_carry_a_sign() {
        for (score, text) in [
            (Score::Cp(-100), "cp -100"),
            (Score::MateIn(3), "mate 3"),
            (Score::MatedIn(2), "mate -2"),
            (Score::MatedIn(0), "mate -0"),
            (Score::Mates, "mate +"),
            (Score::Mated, "mate -"),
        ] {
            assert_eq!(score.to_string(), text);
        }
    }

    #[test]
    fn texts_are_shown_as_they_are_and_stay_on_their_line() {
        for (reply, line) in [
            (Reply::IdName("\u{6f14}\u{6b66} 1".into()), "id name \u{6f14}\u{6b66} 1"),
            (Reply::IdAuthor("\u{6f14}\n".into()), "id author \u{6f14}\\u{a}"),
            (Reply::Text("from D:\\\u{5c06}\u{68cb}\\nn.bin".into()), "info string from D:\\\u{5c06}\u{68cb}\\nn.bin"),
            (Reply::Error("line\nbreak \u{7} \u{202e}".into()), "info string error: line\\u{a}break \\u{7} \\u{202e}"),
            (Reply::Console("\u{1f600}\r".into()), "\u{1f600}\\u{d}"),
        ] {
            assert_eq!(reply.to_string(), line);
        }
    }

    #[test]
    fn an_option_is_declared_in_ascii() {
        for (kind, default) in [
            (OptionKind::Text, "\u{6b69}"),
            (OptionKind::Filename, "a\nb"),
            (OptionKind::Combo(vec!["\u{6b69}".into()]), "\u{6b69}"),
        ] {
            let option = OptionSpec::new("\u{6b69}", kind, OptionValue::Text(default.into()));
            let line = Reply::Option(option).to_string();
            assert!(line.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()), "{line}");
        }
    }

    #[test]
    fn long_lines_are_cut_after_a_whole_word() {
        let info = Info { pv: moves("7g7f").repeat(5000), ..Info::default() };
        let line = Reply::Info(info).to_string();
        assert!(line.len() <= MAX_LINE_BYTES && line.len() > MAX_LINE_BYTES - 5 && line.ends_with(" 7g7f"), "{line}");
        let line = Reply::Text("x".repeat(1_000_000)).to_string();
        assert!(line.len() <= MAX_LINE_BYTES);
        let mate = Reply::Checkmate(Checkmate::Moves(moves("7g7f").repeat(5000))).to_string();
        assert_eq!(mate.len(), "checkmate".len() + 5000 * " 7g7f".len());
        let exact = format!("{} yyyy", "x".repeat(MAX_LINE_BYTES));
        assert_eq!(cut(&exact).len(), MAX_LINE_BYTES);
    }
}
