//! Statistics of games: counts and estimates for each pairing, a table of all engines.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::AddAssign;

use enbu_files::fnv1a;
use enbu_language::{columns, left, pick, text};
use enbu_movegen::Color;
use serde::{Deserialize, Serialize};

use crate::record::{Faults, GameRecord, Points, count_all};
use crate::referee::Reason;
use crate::sprt::{Decision, EloModel, Estimate, Pentanomial, Sprt};

/// Wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Tally {
    pub won: u64,
    pub drawn: u64,
    pub lost: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
    }
}

impl Tally {
    /// Adds a game.
    pub fn add(&mut self, points: Points) {
        match points {
            Points::Win => self.won += 1,
            Points::Draw => self.drawn += 1,
            Points::Loss => self.lost += 1,
        }
    }

    /// All games.
    pub const fn games(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Results and score, for a table.
    fn words(&self) -> String {
        let (Self { won, drawn, lost }, percent) = (self, 100.0 * self.score());
        text!("W {won}  D {drawn}  L {lost}  ({percent:.1} %)", "{won}勝 {lost}敗 {drawn}分（{percent:.1} %）")
            .to_string()
    }

    /// Points per game, 0 to 1; 1/2 without games.
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.won as f64 + self.drawn as f64 / 2.0) / games as f64,
        }
    }
}

/// Statistics of the games of two engines, seen from the first.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pairing {
    /// The names of the engines.
    pub names: [String; 2],
    /// All games.
    pub all: Tally,
    /// The games in which engine 1 was Black, and those in which it was White.
    pub by_color: [Tally; 2],
    /// The games seen from the side that had the first move.
    pub first_mover: Tally,
    /// The pairs of which both games were played.
    pub pairs: Pentanomial,
    /// Counts of the endings.
    pub reasons: BTreeMap<Reason, u64>,
    /// Faults of the engines.
    pub faults: [Faults; 2],
    /// Moves of all games together.
    pub plies: u64,
    /// Longest time over the limit, in milliseconds.
    pub worst_over_ms: f64,
    /// Games that repeat an earlier one, move for move and with the same colours.
    pub repeated: u64,
    #[serde(skip)]
    seen: HashSet<u64>,
    /// Games of pairs whose other game is missing.
    #[serde(skip)]
    waiting: HashMap<(String, usize), u8>,
}

impl Pairing {
    fn add(&mut self, game: &GameRecord) {
        self.all.add(game.score1);
        self.by_color[game.engine1].add(game.score1);
        // In the first game of a pair, engine 1 has the first move.
        self.first_mover.add(if game.game.is_multiple_of(2) { game.score1 } else { game.score1.opposite() });
        *self.reasons.entry(game.reason).or_default() += 1;
        count_all(&mut self.faults[0], &game.faults1);
        count_all(&mut self.faults[1], &game.faults2);
        self.plies += game.plies as u64;
        self.worst_over_ms = self.worst_over_ms.max(game.over_ms);
        let moves = format!("{:?} {} {}", game.engine1, game.opening, game.moves);
        self.repeated += u64::from(!self.seen.insert(fnv1a(moves.as_bytes())));
        let key = (game.match_id.clone(), game.pair);
        match self.waiting.remove(&key) {
            Some(halves) => self.pairs.add(halves + game.score1.halves()),
            None => {
                self.waiting.insert(key, game.score1.halves());
            }
        }
    }

    /// One line without the number of games: results, Elo, pairs, the state of a test, faults.
    pub fn line(&self, sprt: Option<&Sprt>) -> String {
        let Tally { won, drawn, lost } = self.all;
        let mut line = text!("W {won} D {drawn} L {lost}", "{won}勝{lost}敗{drawn}分").to_string();
        // Writing to a String cannot fail.
        if self.pairs.pairs() > 0 {
            let _ = write!(line, "  Elo {}  ptnml {:?}", shown(&self.pairs, Pentanomial::elo), self.pairs.0);
        }
        if let Some(sprt) = sprt {
            let (lower, upper) = sprt.bounds();
            let _ = write!(line, "  LLR {:+.2} [{lower:.2}, {upper:.2}]", sprt.llr(&self.pairs));
        }
        if self.repeated > 0 {
            let _ = write!(line, "  {} {}", pick("repeated", "同一の対局"), self.repeated);
        }
        match self.faults_text() {
            None => line,
            Some(faults) => text!("{line}  faults {faults}", "{line}  異常：{faults}").to_string(),
        }
    }

    /// The faults of both engines; `None` without any.
    fn faults_text(&self) -> Option<String> {
        let texts = self.faults.iter().zip(&self.names).flat_map(|(faults, name)| {
            faults.iter().map(move |(fault, times)| {
                pick(format!("{name}: {fault} {times}"), format!("{name} の{} {times} 回", fault.name()))
            })
        });
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join(pick(", ", "、")))
    }

    /// All statistics, on several lines.
    pub fn summary(&self, sprt: Option<&Sprt>) -> String {
        let ([name1, name2], pairs, games) = (&self.names, self.pairs.pairs(), self.all.games());
        let mut lines = vec![
            text!(
                "{name1} against {name2}: {games} games, {pairs} pairs",
                "{name1} 対 {name2}：{games}局（{pairs}組）"
            )
            .to_string(),
        ];
        let mut add = |label: &str, value: String| lines.push(format!("  {} {value}", left(label, LABEL_COLUMNS)));
        add(pick("all", "全体"), self.all.words());
        add(pick("as Black", "先手番"), self.by_color[Color::Black].words());
        add(pick("as White", "後手番"), self.by_color[Color::White].words());
        add(pick("first mover", "先に指す側"), self.first_mover.words());
        if pairs > 0 {
            let points = pick("with 0, 1/2, 1, 3/2, 2 points", "（1組で 0、0.5、1、1.5、2 点）");
            add(pick("pairs", "組の得点"), format!("{:?} {points}", self.pairs.0));
            add(pick("Elo", "Elo 差"), format!("{} (95 %)", shown(&self.pairs, Pentanomial::elo)));
            add(pick("nElo", "正規化 Elo"), format!("{} (95 %)", shown(&self.pairs, Pentanomial::normalised_elo)));
            let los = is_meaningful(&self.pairs).then(|| format!("{:.1} %", 100.0 * self.pairs.los()));
            add(pick("LOS", "優位の確率"), los.unwrap_or("–".to_owned()));
        }
        sprt.into_iter().for_each(|sprt| add("SPRT", sprt_text(sprt, &self.pairs)));
        let reasons: Vec<String> =
            self.reasons.iter().map(|(reason, count)| format!("{} {count}", reason.name())).collect();
        add(pick("endings", "終局の理由"), reasons.join(pick(", ", "、")));
        if games > 0 {
            let plies = self.plies as f64 / games as f64;
            add(pick("mean length", "平均手数"), text!("{plies:.1} plies", "{plies:.1} 手").to_string());
        }
        if self.repeated > 0 {
            let games = self.repeated;
            let text = text!("{games} games equal an earlier one move for move", "{games}局が前の対局と同じ手順");
            add(pick("repeated", "同一の対局"), text.to_string());
        }
        if self.worst_over_ms > 0.0 {
            let over = self.worst_over_ms;
            add(pick("worst time", "最大の超過"), text!("{over:.1} ms over", "{over:.1} ミリ秒").to_string());
        }
        add(pick("faults", "異常"), self.faults_text().unwrap_or_else(|| pick("none", "なし").to_owned()));
        lines.join("\n")
    }
}

/// Columns of the labels of a summary.
const LABEL_COLUMNS: usize = 12;

/// Pairs from which on estimates are shown: the variance of fewer is not known.
pub(crate) const LEAST_PAIRS: u64 = 4;

/// Widest half of an interval of Elo that is shown. While one side wins all, it is ten times as wide.
const WIDEST_ELO: f64 = 500.0;

/// Returns true if estimates mean something.
pub fn is_meaningful(pairs: &Pentanomial) -> bool {
    pairs.pairs() >= LEAST_PAIRS && pairs.elo().half_width <= WIDEST_ELO
}

/// An estimate of Elo for people, or a dash.
fn shown(pairs: &Pentanomial, estimate_of: fn(&Pentanomial) -> Estimate) -> String {
    if !is_meaningful(pairs) {
        return "–".to_owned();
    }
    let Estimate { value, half_width } = estimate_of(pairs);
    // A negative zero would print its sign.
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    format!("{value:+.1} {} {half_width:.1}", pick("+-", "±"))
}

/// The bounds, state and outcome of a test.
pub fn sprt_text(sprt: &Sprt, pairs: &Pentanomial) -> String {
    let (lower, upper) = sprt.bounds();
    let outcome = match sprt.decision(pairs) {
        Some(Decision::H0) => pick("H0 accepted", "H0 を採択"),
        Some(Decision::H1) => pick("H1 accepted", "H1 を採択"),
        None => pick("undecided", "未決"),
    };
    let model = if sprt.model == EloModel::Normalised { "nElo" } else { "Elo" };
    let llr = sprt.llr(pairs);
    format!("[{}, {}] {model}: LLR {llr:+.2} in [{lower:.2}, {upper:.2}], {outcome}", sprt.elo0, sprt.elo1)
}

/// One engine against all others.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its games.
    pub games: Tally,
    /// Its pairs.
    pub pairs: Pentanomial,
    /// Its performance against the field, in Elo.
    pub elo: Estimate,
    /// Its faults.
    pub faults: Faults,
}

/// The games of a match, counted.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The pairings, in the order of their first games.
    pub pairings: Vec<Pairing>,
}

impl Report {
    /// Counts a game. Each game must be counted once.
    pub fn add(&mut self, game: &GameRecord) {
        let names = [&game.name1, &game.name2];
        let known = self.pairings.iter().position(|pairing| pairing.names.each_ref() == names);
        let index = known.unwrap_or_else(|| {
            self.pairings.push(Pairing { names: names.map(Clone::clone), ..Pairing::default() });
            self.pairings.len() - 1
        });
        self.pairings[index].add(game);
    }

    /// Counts many games.
    pub fn of<'g>(games: impl IntoIterator<Item = &'g GameRecord>) -> Self {
        let mut report = Self::default();
        games.into_iter().for_each(|game| report.add(game));
        report
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.pairings.iter().map(|pairing| pairing.all.games()).sum()
    }

    /// The engines, best score first.
    pub fn standings(&self) -> Vec<Standing> {
        let mut engines: BTreeMap<&str, (Tally, Pentanomial, Faults)> = BTreeMap::new();
        for pairing in &self.pairings {
            for (index, name) in pairing.names.iter().enumerate() {
                let (tally, pairs, faults) = engines.entry(name).or_default();
                let Tally { won, drawn, lost } = pairing.all;
                let (won, lost) = if index == 0 { (won, lost) } else { (lost, won) };
                *tally += Tally { won, drawn, lost };
                for cell in 0..5 {
                    pairs.0[cell] += pairing.pairs.0[if index == 0 { cell } else { 4 - cell }];
                }
                count_all(faults, &pairing.faults[index]);
            }
        }
        let standing = |(name, (games, pairs, faults)): (&str, (Tally, Pentanomial, Faults))| Standing {
            name: name.to_owned(),
            games,
            pairs,
            elo: pairs.elo(),
            faults,
        };
        let mut standings: Vec<Standing> = engines.into_iter().map(standing).collect();
        standings.sort_by(|a, b| b.games.score().total_cmp(&a.games.score()));
        standings
    }

    /// The engines as a table, best first.
    pub fn table(&self) -> String {
        let standings = self.standings();
        let width = standings.iter().map(|standing| columns(&standing.name)).max().unwrap_or(0).max(8);
        let engine = left(pick("engine", "エンジン"), width);
        let mut text = text!(
            "rank  {engine}   games     W     D     L   score  Elo (95 %)",
            "順位  {engine}  対局数    勝    分    敗   得点率  Elo (95 %)"
        )
        .to_string();
        for (rank, Standing { name, games, pairs, faults, .. }) in (1..).zip(&standings) {
            let (name, score, elo) = (left(name, width), 100.0 * games.score(), shown(pairs, Pentanomial::elo));
            let (Tally { won, drawn, lost }, all) = (games, games.games());
            let _ = write!(text, "\n{rank:>4}  {name}  {all:>6} {won:>5} {drawn:>5} {lost:>5}  {score:>5.1} %  {elo}");
            let faults: Vec<String> = faults.iter().map(|(fault, times)| format!("{} {times}", fault.name())).collect();
            if !faults.is_empty() {
                let _ = write!(text, "  {}{}", pick("faults: ", "異常："), faults.join(pick(", ", "、")));
            }
        }
        text
    }

    /// All statistics: each pairing, and a table if there are several.
    pub fn summary(&self, sprt: Option<&Sprt>) -> String {
        let mut parts: Vec<String> = self.pairings.iter().map(|pairing| pairing.summary(sprt)).collect();
        if self.pairings.len() > 1 {
            parts.push(self.table());
        }
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use enbu_language::Language;

    use super::*;
    use crate::record::Fault;
    use crate::record::tests::game;

    fn played(number: usize, names: [&str; 2], score1: Points) -> GameRecord {
        let engine1 = if number.is_multiple_of(2) { Color::Black } else { Color::White };
        let [name1, name2] = names.map(str::to_owned);
        GameRecord { game: number, pair: number / 2, name1, name2, engine1, score1, ..game() }
    }

    #[test]
    fn games_are_counted_by_color_and_pair() {
        use Points::{Draw, Loss, Win};
        let scores = [Win, Win, Win, Loss, Draw, Loss, Draw];
        let games: Vec<GameRecord> =
            scores.iter().enumerate().map(|(number, &score)| played(number, ["a", "b"], score)).collect();
        let report = Report::of(&games);
        let pairing = &report.pairings[0];
        assert_eq!(pairing.all, Tally { won: 3, drawn: 2, lost: 2 });
        assert_eq!(pairing.by_color[Color::Black], Tally { won: 2, drawn: 2, lost: 0 });
        assert_eq!(pairing.by_color[Color::White], Tally { won: 1, drawn: 0, lost: 2 });
        assert_eq!(pairing.first_mover, Tally { won: 4, drawn: 2, lost: 1 });
        assert_eq!(pairing.pairs, Pentanomial([0, 1, 1, 0, 1]), "the seventh game has no partner");
        assert_eq!(pairing.faults[1][&Fault::BadPv], 14);
        assert!(pairing.line(None).starts_with("W 3 D 2 L 2  Elo "));
        assert!(pairing.line(None).ends_with("  faults b: bad_pv 14"));
        // The order in which games come does not matter.
        let mut reversed = games;
        reversed.reverse();
        assert_eq!(Report::of(&reversed).pairings[0].pairs, pairing.pairs);
    }

    #[test]
    fn repeated_games_are_counted() {
        let one = |number| played(number, ["a", "b"], Points::Win);
        let games = [one(0), one(1), one(2), one(3), GameRecord { moves: "2g2f".to_owned(), ..one(4) }];
        let report = Report::of(&games);
        assert_eq!(report.pairings[0].repeated, 2, "with other colours it is another game");
        assert!(report.pairings[0].line(None).contains("  repeated 2  faults"));
        assert!(report.summary(None).contains("  repeated     2 games equal an earlier one move for move\n"));
        assert!(!Report::of(&games[..2]).summary(None).contains("repeated"));
    }

    #[test]
    fn engines_are_ranked_over_all_their_pairings() {
        use Points::{Loss, Win};
        let games = [
            played(0, ["a", "b"], Win),
            played(1, ["a", "b"], Win),
            played(2, ["a", "c"], Loss),
            played(3, ["a", "c"], Win),
            played(4, ["b", "c"], Loss),
            played(5, ["b", "c"], Loss),
        ];
        let report = Report::of(&games);
        let standings = report.standings();
        let names: Vec<&str> = standings.iter().map(|standing| standing.name.as_str()).collect();
        assert_eq!(names, ["a", "c", "b"]);
        assert_eq!(standings[1].pairs, Pentanomial([0, 0, 1, 0, 1]));
        assert_eq!(standings[2].games, Tally { won: 0, drawn: 0, lost: 4 });
        assert_eq!(report.table().lines().count(), 4);
        assert!(report.summary(None).contains("b against c: 2 games, 1 pairs"));
    }

    /// It was `Elo +1281.7 +- 5898.5`.
    #[test]
    fn an_interval_without_meaning_is_a_dash_for_people() {
        let games: Vec<GameRecord> = (0..8).map(|number| played(number, ["a", "b"], Points::Win)).collect();
        let report = Report::of(&games);
        assert!(report.pairings[0].line(None).starts_with("W 8 D 0 L 0  Elo –  ptnml [0, 0, 0, 0, 4]"));
        let summary = report.summary(None);
        assert!(summary.contains("  Elo          – (95 %)\n  nElo         – (95 %)\n  LOS          –\n"), "{summary}");
        // One pair has no variance.
        let one = Report::of(&games[..2]);
        assert!(one.pairings[0].line(None).contains("  Elo –  "));
        assert!(report.table().ends_with("–  faults: bad_pv 16") && report.standings()[0].elo.half_width > 5000.0);
        let even = [Points::Win, Points::Loss, Points::Loss, Points::Win];
        let games = (0..40).map(|number| played(number, ["a", "b"], even[number % 4]));
        let report = Report::of(&games.collect::<Vec<_>>());
        assert!(report.pairings[0].line(None).contains("  Elo +0.0 +- "), "{:?}", report.pairings[0].pairs);
    }

    #[test]
    fn a_report_in_japanese_has_no_english_words() {
        let games: Vec<GameRecord> = (0..4).map(|number| played(number, ["甲", "乙"], Points::Draw)).collect();
        let report = Report::of(&games);
        let page = Language::Japanese.render(std::fmt::from_fn(|f| {
            writeln!(f, "{}\n{}\n{}", report.summary(None), report.table(), report.pairings[0].line(None))
        }));
        for part in ["甲 対 乙：4局（2組）", "  全体         0勝 0敗 4分（50.0 %）", "乙 の不正な読み筋 8 回"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
        let words = page.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty());
        let english: Vec<&str> = words.filter(|word| !["Elo", "ptnml"].contains(word)).collect();
        assert!(english.is_empty(), "{english:?}: {page}");
    }

    #[test]
    fn games_of_different_matches_are_no_pair() {
        let mut games = [played(0, ["a", "b"], Points::Win), played(1, ["a", "b"], Points::Win)];
        games[1].match_id = "other".to_owned();
        assert_eq!(Report::of(&games).pairings[0].pairs.pairs(), 0);
    }
}
