//! The summary of a player over all games of an index: the groups of moves that cost most,
//! and the moves to look at first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use enbu_kifu::markup::escape;
use enbu_kifu::names::Named;

use super::{Words, bilingual, both, class_of, day, in_both, line_texts, percent, shortened, words_of};
use crate::class::Class;
use crate::report::{GameReport, MoveReport, Side};
use crate::summary;

/// Most players with a summary.
const MOST_PLAYERS: usize = 10;

/// Most openings, opponents and worst moves of a summary.
const MOST_SHOWN: usize = 8;

/// Seconds from which a move counts as thought about, and as thought about for long.
const SECONDS: [u64; 2] = [10, 60];

/// The kinds of groups, the names of their groups, and the order of both.
const KINDS: [(&str, &[&str]); 6] = [
    ("全体|All moves", &["全体|all moves"]),
    ("段階|Phase", &["序盤|the opening", "中盤|the middlegame", "終盤|the endgame"]),
    (
        "考慮時間|Time spent",
        &["10秒未満の手|moves in under 10 s", "10秒〜1分の手|moves in 10 to 60 s", "1分以上の手|moves of 60 s or more"],
    ),
    ("手番|Side", &["先手番|games as Black", "後手番|games as White", "下手番|receiving odds", "上手番|giving odds"]),
    ("戦法|Opening", &[]),
    ("相手|Opponent", &[]),
];
const ALL: usize = 0;
const PHASE: usize = 1;
const TIME: usize = 2;
const SIDE: usize = 3;
const OPENING: usize = 4;
const OPPONENT: usize = 5;

/// A group of moves: its kind, its number among those with a name of their own, or its name.
type Group = (usize, usize, Option<[String; 2]>);

fn name((kind, number, name): &Group) -> String {
    let known = || KINDS.get(*kind).and_then(|(_, names)| names.get(*number)).map(|words| in_both(words));
    name.as_ref().map(bilingual).or_else(known).unwrap_or_default()
}

/// Sums over moves and games.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    games: usize,
    won: usize,
    lost: usize,
    moves: usize,
    loss: f64,
    /// Mistakes and blunders.
    bad: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.won += other.won;
        self.lost += other.lost;
        self.moves += other.moves;
        self.loss += other.loss;
        self.bad += other.bad;
    }

    fn mean_loss(&self) -> f64 {
        self.loss / self.moves.max(1) as f64
    }
}

/// The part of one side in a game.
#[derive(Clone, Debug)]
pub(super) struct Played {
    name: String,
    groups: BTreeMap<Group, Tally>,
    missed_mates: usize,
    /// Losses and list items of the worst moves.
    worst: Vec<(f64, String)>,
}

impl Played {
    /// The part of a side in a game whose page is at an address.
    pub(super) fn of(report: &GameReport, side: Side, url: &str) -> Self {
        let (black, white) = ((&report.black_name, &report.black), (&report.white_name, &report.white));
        let ((name, own), (opponent, _)) = if side == Side::Black { (black, white) } else { (white, black) };
        let lost = report.winner.is_some_and(|winner| winner != side);
        let won = usize::from(report.winner == Some(side));
        let game = Tally { games: 1, won, lost: usize::from(lost), ..Tally::default() };
        let with_odds = 2 * usize::from(Words::of(report).odds.is_some());
        let opponent = [opponent.clone(), opponent.clone()];
        let mut of_game: Vec<Group> = vec![(ALL, 0, None), (SIDE, side as usize + with_odds, None)];
        of_game.extend(opening(report, side).map(|name| (OPENING, 0, Some(words_of(name)))));
        of_game.extend((!opponent[0].is_empty()).then(|| (OPPONENT, 0, Some(opponent.clone()))));
        let mut groups: BTreeMap<Group, Tally> = of_game.iter().map(|group| (group.clone(), game)).collect();
        let judged = report.moves.iter().filter(|mv| mv.side == side && mv.class.is_some());
        for mv in judged.clone() {
            let time = |ms: u64| (TIME, SECONDS.iter().filter(|&&seconds| ms >= seconds * 1000).count(), None);
            let phase = (PHASE, summary::phase(report, mv.ply), None);
            let bad = usize::from(mv.class >= Some(Class::Mistake));
            let tally = Tally { moves: 1, loss: mv.loss.unwrap_or(0.0), bad, ..Tally::default() };
            for group in of_game.iter().cloned().chain([phase]).chain(mv.time_ms.map(time)) {
                groups.entry(group).or_default().add(&tally);
            }
        }
        let bad = judged.filter(|mv| mv.class >= Some(Class::Mistake));
        let worst = bad.map(|mv| (mv.loss.unwrap_or(0.0), moment(report, mv, url, &opponent)));
        Self { name: name.clone(), groups, missed_mates: own.missed_mates, worst: worst_of(worst) }
    }
}

/// The opening of a side or, where it has none, of the game.
fn opening(report: &GameReport, side: Side) -> Option<&Named> {
    let [black, white] = &report.names.sides;
    let own = if side == Side::Black { black } else { white };
    own.opening.as_ref().or(report.names.opening.as_ref())
}

/// The worst of some moves, the worst first.
fn worst_of(moves: impl Iterator<Item = (f64, String)>) -> Vec<(f64, String)> {
    let mut moves: Vec<(f64, String)> = moves.collect();
    moves.sort_by(|one, other| other.0.total_cmp(&one.0));
    moves.truncate(MOST_SHOWN);
    moves
}

/// A bad move as an item of a list, with a link to its position.
fn moment(report: &GameReport, mv: &MoveReport, url: &str, opponent: &[String; 2]) -> String {
    let before = report.positions.get(mv.ply - 1).map(|before| before.sfen.as_str()).unwrap_or_default();
    let (ja, en) = line_texts(before, std::slice::from_ref(&mv.usi)).pop().unwrap_or_default();
    format!(
        "<li><a href=\"{url}#{0}\">{0} {1}</a> {2} −{3} <span class=\"dim\">{4} {5}</span></li>\n",
        mv.ply,
        both(&ja, &en),
        class_of(mv),
        percent(mv.loss),
        bilingual(opponent),
        escape(&shortened(day(report))),
    )
}

/// The summaries of the players with most games, who have two at least.
pub(super) fn summaries<'p>(played: impl Iterator<Item = &'p Played>) -> String {
    let mut players: BTreeMap<&str, Vec<&Played>> = BTreeMap::new();
    for part in played.filter(|part| !part.name.is_empty()) {
        players.entry(&part.name).or_default().push(part);
    }
    let mut players: Vec<(&str, Vec<&Played>)> = players.into_iter().filter(|(_, games)| games.len() > 1).collect();
    players.sort_by_key(|(_, games)| Reverse(games.len()));
    let unfolded = std::iter::once(" open").chain(std::iter::repeat(""));
    players.iter().take(MOST_PLAYERS).zip(unfolded).map(|((name, games), open)| player(name, games, open)).collect()
}

fn player(name: &str, games: &[&Played], open: &str) -> String {
    let mut groups: BTreeMap<&Group, Tally> = BTreeMap::new();
    for (group, tally) in games.iter().flat_map(|game| &game.groups) {
        groups.entry(group).or_default().add(tally);
    }
    let all @ Tally { games: count, won, lost, .. } = groups.get(&(ALL, 0, None)).copied().unwrap_or_default();
    let worst = worst_of(games.iter().flat_map(|game| game.worst.iter().cloned()));
    let worst: String = worst.into_iter().map(|(_, item)| item).collect();
    format!(
        "<details class=\"card\"{open}><summary><b>{}</b> {}</summary>\n<p class=\"advice\">{}</p>\n<div class=\"halves\">{}<div><h3>{}</h3>\n<ol class=\"moments\">\n{worst}</ol></div></div></details>\n",
        escape(&shortened(name)),
        both(&format!("{count}局 {won}勝{lost}敗"), &format!("{count} games, {won} won, {lost} lost")),
        advice(&groups, &all, games.iter().map(|game| game.missed_mates).sum()),
        table(&groups),
        in_both("損の大きかった手|The costliest moves"),
    )
}

/// The groups that cost most beyond the player's mean, the costliest first, as a teacher
/// would name them.
fn advice(groups: &BTreeMap<&Group, Tally>, all: &Tally, missed_mates: usize) -> String {
    const FEWEST_MOVES: usize = 20;
    const LEAST_RATIO: f64 = 1.15;
    let mean = all.mean_loss();
    let is_striking = |tally: &Tally| tally.moves >= FEWEST_MOVES && tally.mean_loss() >= mean * LEAST_RATIO;
    let mut striking: Vec<(&&Group, &Tally)> =
        groups.iter().filter(|(group, tally)| group.0 != OPPONENT && is_striking(tally)).collect();
    let excess = |tally: &Tally| tally.loss - mean * tally.moves as f64;
    striking.sort_by(|one, other| excess(other.1).total_cmp(&excess(one.1)));
    let begins = ["まず見直したいのは|First look at ", "次は| Then look at ", "次は| Then look at "];
    let mut text = String::new();
    for ((group, tally), begin) in striking.into_iter().zip(begins) {
        let (loss, mean) = (percent(Some(tally.mean_loss())), percent(Some(mean)));
        let (bad, of_all) = (tally.bad, all.bad);
        let figures = both(
            &format!(
                "です。1手平均の勝率低下は {loss}（全体は {mean}）、悪手・大悪手{of_all}手のうち{bad}手がここで出ています。"
            ),
            &format!(
                ": a move there costs {loss} on average ({mean} in all), and {bad} of {of_all} mistakes and blunders are there."
            ),
        );
        text += &[in_both(begin), name(group), figures].concat();
    }
    if text.is_empty() {
        text = both(
            "段階・時間・手番による差は目立ちません。損の大きかった手から見直しましょう。",
            "No phase, time or side stands out: begin with the most costly moves.",
        );
    }
    if missed_mates > 0 {
        text += &both(
            &format!("詰みを{missed_mates}回逃しています。終盤は王手の続く手順から読みましょう。"),
            &format!(" Missed mates: {missed_mates}. In the endgame, read the checks first."),
        );
    }
    text
}

/// The figures of all groups; of openings and opponents those with most games.
fn table(groups: &BTreeMap<&Group, Tally>) -> String {
    let titles = ["|", "勝–敗|won–lost", "手数|moves", "1手の低下|loss", "悪手|mistakes"];
    let head = titles.map(|words| format!("<th scope=\"col\">{}</th>", in_both(words))).concat();
    let mut rows = String::new();
    for (kind, (heading, _)) in KINDS.iter().enumerate() {
        let mut of_kind: Vec<(&&Group, &Tally)> = groups.iter().filter(|(group, _)| group.0 == kind).collect();
        if kind >= OPENING {
            of_kind.sort_by_key(|(_, tally)| Reverse(tally.games));
        }
        if kind != ALL && !of_kind.is_empty() {
            let _ = writeln!(
                rows,
                "<tr class=\"kind\"><th scope=\"rowgroup\" colspan=\"5\">{}</th></tr>",
                in_both(heading)
            );
        }
        for (group, tally) in of_kind.into_iter().take(MOST_SHOWN) {
            let Tally { games, won, lost, moves, bad, .. } = tally;
            let record = if *games > 0 { format!("{won}–{lost}") } else { String::new() };
            let _ = writeln!(
                rows,
                "<tr><th scope=\"row\">{}</th><td>{record}</td><td>{moves}</td><td>{}</td><td>{bad}</td></tr>",
                name(group),
                percent(Some(tally.mean_loss())),
            );
        }
    }
    format!("<table class=\"groups\"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>\n")
}
