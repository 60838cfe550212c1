//! `enbu book verify`, `stats` and `show`: reports about a book.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use enbu_book::{Book, Entry, Fault, Finding, Format, Judgement, OpenOptions, Page, Place, Statistics, Verifier};
use enbu_language::{Words, left, pick, text};
use enbu_movegen::Move;
use serde_json::{Value, json};

use super::files::{MOST_FAULTS, ReadArgs, faulty, notice, progress};
use crate::commands::inputs::position;
use crate::commands::moves;

pub(super) const VERIFY_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book verify book.db
  enbu book verify *.db *.ybb --all";

pub(super) const STATS_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book stats book.db
  enbu book stats book.bin --json";

pub(super) const SHOW_EXAMPLES: &str = "Examples: ‖ 例：
  enbu book show book.db
  enbu book show book.db startpos moves 7g7f 3c3d
  enbu book show book.ybb sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
  enbu book show book.db --json";

#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// Books to read; their formats are detected from their content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK", required = true)]
    inputs: Vec<PathBuf>,
    /// Print every fault, not only the first 20 of a book ‖ 各定跡の最初の 20 件だけでなく、異常をすべて表示
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Args)]
pub(crate) struct StatsArgs {
    /// Book to read; its format is detected from its content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    /// Print a JSON object ‖ JSON で表示
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// Book to read; its format is detected from its content ‖ 読み込む定跡。形式は内容から判別
    #[arg(value_name = "BOOK")]
    input: PathBuf,
    /// startpos or an SFEN, with `moves ...` after it where wanted; default: the start position ‖ startpos または SFEN。`moves ...` を続けてもよい。省略時は初期局面
    #[arg(value_name = "POSITION", num_args = 0..)]
    position: Vec<String>,
    /// Print a JSON object ‖ JSON で表示
    #[arg(long)]
    json: bool,
}

/// The faults of one book: a line for each of the first ones, and numbers by kind.
struct Faults<'o, W> {
    out: &'o mut W,
    path: &'o Path,
    most: u64,
    count: u64,
    kinds: BTreeMap<Words, u64>,
}

impl<W: Write> Faults<'_, W> {
    fn add(&mut self, kind: Words, place: Place, text: impl Display) -> io::Result<()> {
        self.count += 1;
        *self.kinds.entry(kind).or_default() += 1;
        if self.count <= self.most {
            writeln!(self.out, "{}", text!("{}: {place}{text}", "{}：{place}{text}", self.path.display()))?;
        }
        Ok(())
    }
}

pub(super) fn verify(args: &VerifyArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut faults = 0;
    for path in &args.inputs {
        faults += verify_book(args, path, out)?;
    }
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the faults of a book and their number, which is returned.
fn verify_book(args: &VerifyArgs, path: &Path, out: &mut impl Write) -> io::Result<u64> {
    let most = if args.all { u64::MAX } else { MOST_FAULTS };
    let mut faults = Faults { out, path, most, count: 0, kinds: BTreeMap::new() };
    let mut pages = args.read.open(path)?;
    let mut verifier = Verifier::new(pages.format());
    let (mut positions, mut moves) = (0_u64, 0_u64);
    let bar = progress();
    while let Some(page) = pages.next() {
        bar.inc(1);
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                let kind = match error.fault {
                    Fault::Unsorted(_) => Finding::Unsorted.kind(),
                    Fault::Illegal(_) => Words("illegal moves", "反則手"),
                    _ => Words("unreadable entries", "読めない項目"),
                };
                faults.add(kind, error.place, &error.fault)?;
                continue;
            }
        };
        positions += 1;
        moves += page.entries.len() as u64;
        for finding in verifier.check(&page) {
            let text = text!("{finding} in {}", "{finding}（{}）", page.position);
            faults.add(finding.kind(), pages.place(), text)?;
        }
    }
    bar.finish_and_clear();
    if let unreached @ 1.. = pages.unreached() {
        let text = text!(
            "{unreached} moves belong to positions that were not found (--gap, --from)",
            "局面を復元できない指し手が {unreached} 手あります（--gap、--from）"
        );
        faults.add(Words("unreached positions", "復元できない局面"), Place::File, text)?;
    }
    if let Some(text) = not_searchable(path, &faults.kinds) {
        faults.add(Words("unsearchable books", "検索できない定跡"), Place::File, text)?;
    }
    let Faults { out, count, kinds, .. } = faults;
    if count > most {
        let (path, more) = (path.display(), count - most);
        let text = text!("{path}: {more} more faults; --all prints them", "{path}：ほかに {more} 件（--all で表示）");
        writeln!(out, "{text}")?;
    }
    let kinds = kinds.iter().map(|(kind, count)| text!("{kind}: {count}", "{kind} {count}").to_string());
    let kinds = kinds.collect::<Vec<_>>().join(pick(", ", "、"));
    let faults = text!("{count} faults ({kinds})", "異常 {count} 件（{kinds}）").to_string();
    let verdict = if count == 0 { pick("no faults", "異常なし") } else { &faults };
    let (path, format) = (path.display(), pages.format());
    let text = text!(
        "{path}: {format}, {positions} positions, {moves} moves, {verdict}",
        "{path}：{format}、局面 {positions}、指し手 {moves}、{verdict}"
    );
    writeln!(out, "{text}")?;
    Ok(count)
}

/// The reason why a book cannot be searched on disk, unless other faults name it.
fn not_searchable(path: &Path, kinds: &BTreeMap<Words, u64>) -> Option<String> {
    if kinds.contains_key(&Finding::Unsorted.kind()) {
        return None;
    }
    match Book::open(path, &OpenOptions { on_the_fly: true, ignore_ply: true }) {
        Err(error) if matches!(error.fault, Fault::NotSearchable(_)) => Some(error.to_string()),
        _ => None,
    }
}

pub(super) fn stats(args: &StatsArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let mut pages = args.read.open(&args.input)?;
    let (mut statistics, mut faults) = (Statistics::default(), 0_u64);
    let bar = progress();
    for page in pages.by_ref() {
        bar.inc(1);
        match page {
            Ok(page) => statistics.add(&page),
            Err(_) => faults += 1,
        }
    }
    bar.finish_and_clear();
    if faults > 0 {
        let path = args.input.display();
        notice(text!(
            "{path}: {faults} faults; `enbu book verify` names them",
            "{path}：異常 {faults} 件（詳細は `enbu book verify`）"
        ));
    }
    if args.json {
        writeln!(out, "{:#}", statistics_json(pages.format(), &statistics))?;
    } else {
        print_statistics(pages.format(), &statistics, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn statistics_json(format: Format, statistics: &Statistics) -> Value {
    let mut value = json!(statistics);
    let more = [
        ("format", json!(format.name())),
        ("sum_of_counts", json!(u64::try_from(statistics.sum_of_counts).unwrap_or(u64::MAX))),
        ("positions_by_moves", json!(statistics.by_moves.iter().collect::<Vec<_>>())),
        ("positions_by_ply", json!(statistics.by_ply.iter().collect::<Vec<_>>())),
    ];
    if let Value::Object(value) = &mut value {
        value.extend(more.map(|(name, number)| (name.to_owned(), number)));
    }
    value
}

fn print_statistics(format: Format, statistics: &Statistics, out: &mut impl Write) -> io::Result<()> {
    let Statistics { positions, white_to_move, moves, replies, values, depths, counts, .. } = *statistics;
    let mean = moves as f64 / positions.max(1) as f64;
    let most = statistics.by_moves.keys().max().unwrap_or(&0);
    let deepest = |depth| text!(": at most {depth}", "（最大 {depth}）").to_string();
    let deepest = statistics.max_depth.map_or(String::new(), deepest);
    let (black, white, sum) = (positions - white_to_move, white_to_move, statistics.sum_of_counts);
    let sides =
        text!("{positions}: Black to move {black}, White to move {white}", "{positions}（先手 {black}、後手 {white}）");
    let sizes = text!("{moves}: {mean:.2} a position, at most {most}", "{moves}（局面平均 {mean:.2}、最大 {most}）");
    let rows: [(Words, &dyn Display); 8] = [
        (Words("format", "形式"), &format),
        (Words("positions", "局面"), &sides),
        (Words("moves", "指し手"), &sizes),
        (Words("replies", "応手"), &replies),
        (Words("values", "評価値"), &values),
        (Words("depths", "深さ"), &format_args!("{depths}{deepest}")),
        (Words("counts", "出現回数"), &text!("{counts}: sum {sum}", "{counts}（合計 {sum}）")),
        (Words("comments", "コメント"), &statistics.comments),
    ];
    rows.iter().try_for_each(|(name, text)| writeln!(out, "{}{text}", left(&name.to_string(), 11)))?;
    let known = || statistics.by_ply.iter().filter_map(|(ply, count)| ply.map(|ply| (ply, count)));
    if let (Some((first, _)), Some((last, _))) = (known().next(), known().next_back()) {
        let unknown = statistics.by_ply.get(&None).copied().unwrap_or(0);
        let name = left(pick("plies", "手数"), 11);
        writeln!(out, "{name}{}", text!("{first} to {last}; unknown: {unknown}", "{first}～{last}（不明 {unknown}）"))?;
    }
    Ok(())
}

pub(super) fn show(args: &ShowArgs, out: &mut impl Write) -> io::Result<ExitCode> {
    let words = if args.position.is_empty() { "startpos" } else { &args.position.join(" ") };
    let setup = position(words).map_err(io::Error::other)?.to_setup();
    let open = |on_the_fly| Book::open(&args.input, &OpenOptions { on_the_fly, ignore_ply: true });
    let book = open(true).or_else(|error| match error.fault {
        Fault::NotSearchable(_) => open(false),
        _ => Err(error),
    });
    let fault = |error| faulty(&args.input, &error);
    let book = book.map_err(fault)?;
    let (page, flipped) = match book.probe(&setup).map_err(fault)? {
        Some(page) => (Some(page), false),
        None => (book.probe(&setup.flipped()).map_err(fault)?.map(Page::flipped), true),
    };
    let Some(page) = page else {
        writeln!(out, "{}", text!("not in the book: {setup}", "定跡にありません：{setup}"))?;
        return Ok(ExitCode::FAILURE);
    };
    if args.json {
        writeln!(out, "{:#}", page_json(&page, flipped))?;
    } else {
        print_page(&page, flipped, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn page_json(page: &Page, flipped: bool) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "move": entry.mv.to_string(),
            "reply": entry.ponder.map(|mv| mv.to_string()),
            "value": entry.value,
            "depth": entry.depth,
            "count": entry.count,
            "comment": entry.comment,
            "judgement": entry.judgement.map(|judgement| format!("{judgement:?}").to_lowercase()),
        })
    };
    let games = page.games.map(|games| json!([games.total, games.black_wins, games.white_wins]));
    json!({
        "sfen": page.position.as_str(),
        "ply": page.ply,
        "flipped": flipped,
        "comment": page.comment,
        "games": games,
        "moves": page.entries.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn print_page(page: &Page, flipped: bool, out: &mut impl Write) -> io::Result<()> {
    let ply = page.ply.map_or(String::new(), |ply| format!(" {ply}"));
    let note = if flipped { pick(" (flipped in the book)", "（定跡では先後反転）") } else { "" };
    writeln!(out, "{}{ply}{note}", page.position)?;
    if let Some(comment) = &page.comment {
        comment.lines().try_for_each(|line| writeln!(out, "# {line}"))?;
    }
    if let Some(games) = page.games {
        let [total, black, white] = [games.total, games.black_wins, games.white_wins];
        let text = text!(
            "games {total}, won by Black {black}, by White {white}",
            "{total} 局（先手 {black} 勝、後手 {white} 勝）"
        );
        writeln!(out, "{text}")?;
    }
    let width = pick(6, 16);
    let english = "move  reply   value  depth      count";
    writeln!(out, "{}", pick(english, "指し手          応手             評価値   深さ   出現回数"))?;
    let setup = page.position.to_setup();
    for entry in &page.entries {
        let text = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
        let judgement = entry.judgement.map_or("", |judgement| match judgement {
            Judgement::Forced => pick("  Forced", "  絶対手"),
            Judgement::Good => pick("  Good", "  好手"),
            Judgement::Bad => pick("  Bad", "  疑問手"),
            Judgement::Blunder => pick("  Blunder", "  悪手"),
        });
        let moves: Vec<Move> = [entry.mv].into_iter().chain(entry.ponder).collect();
        let line = moves::line(&setup, &moves);
        let (mv, reply) = line.split_once(' ').unwrap_or((&line, "-"));
        writeln!(
            out,
            "{}{}{:>7}{:>7}{:>11}{judgement}",
            left(mv, width),
            left(reply, width),
            text(entry.value.map(|value| value.to_string())),
            text(entry.depth.map(|depth| depth.to_string())),
            text(entry.count.map(|count| count.to_string())),
        )?;
        if let Some(comment) = &entry.comment {
            comment.lines().try_for_each(|line| writeln!(out, "      # {line}"))?;
        }
    }
    Ok(())
}
