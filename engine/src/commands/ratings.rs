//! `enbu ratings`: ratings of players from files of results and game records.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use enbu_analysis::html::{Fetches, head};
use enbu_arena::ratings::{Games, Rated, Ratings};
use enbu_arena::{Points, results};
use enbu_kifu::markup::escape;
use enbu_kifu::{GameResult, HeaderKey, Mode, Record, read_any};
use enbu_language::{Language, pick, text};
use rayon::prelude::*;

use super::choices::{Choice, of_extension};
use super::failure::{Force, check_writable, failed};
use super::inputs::{Input, extension, inputs_or};
use crate::terminal::notice;

#[derive(Args)]
pub(crate) struct RatingsArgs {
    /// Results of `enbu match` (.jsonl), records with the names of both players, folders of both ‖ `enbu match` の結果（.jsonl）、対局者名のある棋譜、それらのフォルダ
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,
    /// Rating of a player, which the others are measured by; may be repeated ‖ 基準にする対局者のレート（複数可）
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Vec<(String, f64)>,
    /// File to write instead of a table on the terminal: .md, .json or .html ‖ 端末の表の代わりに書くファイル：.md、.json、.html
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

pub(crate) const EXAMPLES: &str = "Examples: ‖ 例：
  enbu ratings match.jsonl                       the table of a match ‖ 連続対局の結果から
  enbu ratings games/ --anchor 'Engine A=2000' -o ratings.html
                                                 of a folder of records, as a page ‖ 棋譜のフォルダから、ページとして";

fn anchor(text: &str) -> Result<(String, f64), String> {
    let parts = text.rsplit_once('=').and_then(|(name, elo)| Some((name.to_owned(), elo.parse::<f64>().ok()?)));
    parts.filter(|(_, elo)| elo.abs() < 1e5).ok_or_else(|| {
        pick("not NAME=ELO, as in `Enbu=1500`", "「名前=レート」の形（例：`Enbu=1500`）にしてください").to_owned()
    })
}

/// A form of the table.
type Form = fn(&Ratings) -> String;

const FORMS: &[Choice<Form>] = &[("md", "", markdown), ("json", "", json), ("html", "", html), ("htm", "", html)];

/// Games of all inputs, and those that say nothing about ratings.
#[derive(Default)]
struct Found {
    games: Games,
    /// Games of files of results.
    known: HashSet<(String, usize)>,
    /// Records without both names or without a result.
    silent: usize,
    failed: bool,
}

pub(crate) fn run(args: &RatingsArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let form = args.output.as_ref().map(|path| of_extension::<RatingsArgs, _>("ratings", path, FORMS)).transpose();
    let form = form?.unwrap_or(markdown);
    args.output.iter().try_for_each(|path| check_writable(path, args.force.existing()))?;
    let (results, records): (Vec<Input>, Vec<Input>) =
        inputs_or(&args.inputs, is_results)?.into_iter().partition(|input| is_results(&input.path));
    let mut found = Found::default();
    results.iter().for_each(|input| found.read_results(input));
    found.read_records(&records);
    if found.silent > 0 {
        let silent = found.silent;
        notice(text!(
            "{silent} games without both names or a result are left out",
            "対局者名または勝敗のない {silent} 局は除きました"
        ));
    }
    if found.games.games() == 0 {
        return Err(failed(pick(
            "there is no game with two names and a result",
            "両対局者の名前と勝敗のある対局がありません",
        )));
    }
    let anchors: BTreeMap<String, f64> = args.anchor.iter().cloned().collect();
    let ratings = found.games.rate(&anchors);
    if let Some(unknown) = anchors.keys().find(|name| !ratings.players.iter().any(|player| player.name == **name)) {
        return Err(failed(text!("--anchor: no game of {unknown}", "--anchor：{unknown} の対局がありません")));
    }
    let text = form(&ratings);
    args.force.write(args.output.as_deref(), &text, out)?;
    Ok(if found.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn is_results(path: &std::path::Path) -> bool {
    extension(path).is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl"))
}

impl Found {
    fn read_results(&mut self, input: &Input) {
        let Self { games, known, failed, .. } = self;
        let read = results::visit(&input.path, |game| {
            let points = game.black_points();
            if known.insert((game.match_id, game.game)) {
                games.add(&game.black, &game.white, points);
            }
        });
        if let Err(error) = read {
            notice(format_args!("enbu: {error}"));
            *failed = true;
        }
    }

    fn read_records(&mut self, inputs: &[Input]) {
        let read = inputs.par_iter().map(|input| {
            let reading = input.bytes().map_err(|error| super::failure::named(&input.path, &error));
            let reading = reading.and_then(|bytes| {
                read_any(&bytes, Mode::Tolerant).map_err(|error| io::Error::other(format!("{}: {error}", input.name())))
            });
            reading.map(|(_, reading)| reading.records.iter().map(outcome).collect::<Vec<_>>())
        });
        for games in read.collect::<Vec<_>>() {
            match games {
                Ok(games) => games.into_iter().for_each(|game| match game {
                    Some((black, white, points)) => self.games.add(&black, &white, points),
                    None => self.silent += 1,
                }),
                Err(error) => {
                    notice(format_args!("enbu: {error}"));
                    self.failed = true;
                }
            }
        }
    }
}

/// The players of a record and the points of Black.
fn outcome(record: &Record) -> Option<(String, String, Points)> {
    let name = |key| record.headers.value(&key).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let points = match record.end()?.result? {
        GameResult::BlackWins => Points::Win,
        GameResult::Draw => Points::Draw,
        GameResult::WhiteWins => Points::Loss,
    };
    Some((name(HeaderKey::BlackName)?, name(HeaderKey::WhiteName)?, points))
}

/// Titles of the columns.
fn titles() -> [&'static str; 9] {
    pick(
        ["#", "Player", "Elo", "±", "LOS", "Games", "Won : drawn : lost", "Score", ""],
        ["#", "対局者", "レート", "±", "優位の確率", "対局数", "勝 : 分 : 負", "勝率", ""],
    )
}

fn cells(rank: usize, player: &Rated) -> [String; 9] {
    let Rated { name, games, rating, los, .. } = player;
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.0}"));
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let remark = match rating {
        Some(_) => "",
        None if games.score() > 0.5 => pick("no loss to the others", "ほかの対局者に負けなし"),
        None => pick("no point against the others", "ほかの対局者に勝ちなし"),
    };
    [
        rank.to_string(),
        name.clone(),
        number(rating.map(|rating| rating.value)),
        number(rating.map(|rating| rating.half_width)),
        los.map_or("–".to_owned(), percent),
        games.games().to_string(),
        format!("{} : {} : {}", games.won, games.drawn, games.lost),
        percent(games.score()),
        remark.to_owned(),
    ]
}

/// The number of games, the advantage and the draws.
fn heading(ratings: &Ratings) -> String {
    let games = ratings.players.iter().map(|player| player.games.games()).sum::<u64>() / 2;
    let (advantage, draws) = (ratings.advantage, 100.0 * ratings.draws);
    // No negative zero.
    let (value, half_width) = (advantage.value.round() + 0.0, advantage.half_width);
    text!(
        "{games} games; the first move is worth {value:+.0} ± {half_width:.0} Elo, equal players draw {draws:.1} % (all intervals: 95 %)",
        "{games}局。先手の利は {value:+.0} ± {half_width:.0}、互角の相手との引き分けは {draws:.1} %（区間はすべて 95 %）"
    )
    .to_string()
}

/// A remark on groups that no results join.
fn remark(ratings: &Ratings) -> Option<&'static str> {
    ratings.players.iter().any(|player| player.group > 1).then(|| {
        pick(
            "Ratings of different groups cannot be compared: no chain of points joins them.",
            "表を分けた対局者どうしのレートは比べられません（互いに得点した対局のつながりがありません）。",
        )
    })
}

fn groups(ratings: &Ratings) -> impl Iterator<Item = &[Rated]> {
    // Those without a rating share one table.
    ratings.players.chunk_by(|a, b| a.group == b.group || a.rating.is_none() && b.rating.is_none())
}

fn markdown(ratings: &Ratings) -> String {
    let line = |cells: [String; 9]| format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    let mut text = heading(ratings) + "\n";
    for group in groups(ratings) {
        text.push('\n');
        text += &line(titles().map(str::to_owned));
        text += "|---:|---|---:|---:|---:|---:|---:|---:|---|\n";
        group.iter().enumerate().for_each(|(rank, player)| text += &line(cells(rank + 1, player)));
    }
    remark(ratings).into_iter().for_each(|remark| text += &format!("\n{remark}\n"));
    text
}

fn json(ratings: &Ratings) -> String {
    // Names and numbers can always be written.
    serde_json::to_string_pretty(ratings).unwrap_or_default() + "\n"
}

/// A page without anything from elsewhere.
fn html(ratings: &Ratings) -> String {
    let title = pick("Ratings", "レート");
    let mut page = head(title, Some(Language::current()), STYLE, Fetches::Nothing);
    let _ = writeln!(page, "<header><h1>{title}</h1><p>{}</p></header>", escape(&heading(ratings)));
    let row = |tag: &str, cells: [String; 9]| {
        let cells = cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(&cell)));
        format!("<tr>{}</tr>\n", cells.concat())
    };
    for group in groups(ratings) {
        page += "<div class=\"card wide\"><table>\n";
        page += &row("th", titles().map(str::to_owned));
        group.iter().enumerate().for_each(|(rank, player)| page += &row("td", cells(rank + 1, player)));
        page += &format!("</table>\n{}</div>\n", chart(group));
    }
    remark(ratings).into_iter().for_each(|remark| page += &format!("<p>{remark}</p>\n"));
    page + "</body>\n</html>\n"
}

/// The style of the page, after that of all pages.
const STYLE: &str = "\n.card { max-width: 64rem; margin: .75rem 0; } th, td { white-space: nowrap; } :is(th, td):nth-child(2) { text-align: left; }";

/// The intervals of a group as a drawing.
fn chart(group: &[Rated]) -> String {
    let rated: Vec<_> = group.iter().filter_map(|player| Some((player, player.rating?))).collect();
    let least = rated.iter().map(|(_, rating)| rating.value - rating.half_width).fold(f64::INFINITY, f64::min);
    let most = rated.iter().map(|(_, rating)| rating.value + rating.half_width).fold(f64::NEG_INFINITY, f64::max);
    if rated.len() < 2 {
        return String::new();
    }
    let x = |elo: f64| 10.0 + 580.0 * (elo - least) / (most - least).max(1.0);
    let height = 24 * rated.len();
    let label = pick("Ratings with their intervals", "レートと区間");
    let mut svg = format!(
        "<svg viewBox=\"0 0 600 {height}\" width=\"600\" style=\"max-width: 100%\" role=\"img\" aria-label=\"{label}\" fill=\"currentColor\" stroke=\"currentColor\" font-size=\"11\">\n"
    );
    for (row, (player, rating)) in rated.iter().enumerate() {
        let y = 24 * row + 18;
        let (from, to, at) =
            (x(rating.value - rating.half_width), x(rating.value + rating.half_width), x(rating.value));
        let (anchor, end) = if at < 300.0 { ("start", from) } else { ("end", to) };
        let name = escape(&player.name);
        let _ = writeln!(
            svg,
            "<line x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y}\" y2=\"{y}\"/><circle cx=\"{at:.1}\" cy=\"{y}\" r=\"3\"/><text x=\"{end:.1}\" y=\"{}\" text-anchor=\"{anchor}\" stroke=\"none\">{name}</text>",
            y - 6
        );
    }
    svg + "</svg>\n"
}
