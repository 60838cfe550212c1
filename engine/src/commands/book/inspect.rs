//! `enbu book verify`, `stats` and `show`: reports about a book.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use enbu_book::{Book, Entry, Fault, Finding, Format, OpenOptions, Page, Place, Statistics, Verifier};
use serde_json::{Value, json};

use super::files::{MOST_FAULTS, ReadArgs, faulty, notice, progress};
use crate::commands::inputs::position;

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
    kinds: BTreeMap<&'static str, u64>,
}

impl<W: Write> Faults<'_, W> {
    fn add(&mut self, kind: &'static str, place: Place, text: &str) -> io::Result<()> {
        self.count += 1;
        *self.kinds.entry(kind).or_default() += 1;
        if self.count <= self.most {
            writeln!(self.out, "{}: {place}{text}", self.path.display())?;
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
                    Fault::Unsorted(_) => Finding::Unsorted.into(),
                    Fault::Illegal(_) => "illegal moves",
                    _ => "unreadable entries",
                };
                faults.add(kind, error.place, &error.fault.to_string())?;
                continue;
            }
        };
        positions += 1;
        moves += page.entries.len() as u64;
        for finding in verifier.check(&page) {
            faults.add((&finding).into(), pages.place(), &format!("{finding} in {}", page.position))?;
        }
    }
    bar.finish_and_clear();
    if let unreached @ 1.. = pages.unreached() {
        let text = format!("{unreached} moves belong to positions that were not found (--gap, --from)");
        faults.add("unreached positions", Place::File, &text)?;
    }
    if let Some(text) = not_searchable(path, &faults.kinds) {
        faults.add("unsearchable books", Place::File, &text)?;
    }
    let Faults { out, count, kinds, .. } = faults;
    if count > most {
        writeln!(out, "{}: {} more faults; --all prints them", path.display(), count - most)?;
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
    let verdict = if count == 0 { "no faults".to_owned() } else { format!("{count} faults ({})", kinds.join(", ")) };
    writeln!(out, "{}: {}, {positions} positions, {moves} moves, {verdict}", path.display(), pages.format())?;
    Ok(count)
}

/// The reason why a book cannot be searched on disk, unless other faults name it.
fn not_searchable(path: &Path, kinds: &BTreeMap<&'static str, u64>) -> Option<String> {
    if kinds.contains_key(<&str>::from(Finding::Unsorted)) {
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
        notice(&format!("{}: {faults} faults; `enbu book verify` names them", args.input.display()));
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
    let deepest = statistics.max_depth.map_or(String::new(), |depth| format!(": at most {depth}"));
    let black = positions - white_to_move;
    let rows = [
        ("format", format.to_string()),
        ("positions", format!("{positions}: Black to move {black}, White to move {white_to_move}")),
        ("moves", format!("{moves}: {mean:.2} a position, at most {most}")),
        ("replies", replies.to_string()),
        ("values", values.to_string()),
        ("depths", format!("{depths}{deepest}")),
        ("counts", format!("{counts}: sum {}", statistics.sum_of_counts)),
        ("comments", statistics.comments.to_string()),
    ];
    rows.iter().try_for_each(|(name, text)| writeln!(out, "{name:<11}{text}"))?;
    let known = || statistics.by_ply.iter().filter_map(|(ply, count)| ply.map(|ply| (ply, count)));
    if let (Some((first, _)), Some((last, _))) = (known().next(), known().next_back()) {
        let unknown = statistics.by_ply.get(&None).copied().unwrap_or(0);
        writeln!(out, "plies      {first} to {last}; unknown: {unknown}")?;
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
        writeln!(out, "not in the book: {setup}")?;
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
    writeln!(out, "{}{ply}{}", page.position, if flipped { " (flipped in the book)" } else { "" })?;
    if let Some(comment) = &page.comment {
        comment.lines().try_for_each(|line| writeln!(out, "# {line}"))?;
    }
    if let Some(games) = page.games {
        let [total, black, white] = [games.total, games.black_wins, games.white_wins];
        writeln!(out, "games {total}, won by Black {black}, by White {white}")?;
    }
    writeln!(out, "{:<6}{:<6}{:>7}{:>7}{:>11}", "move", "reply", "value", "depth", "count")?;
    for entry in &page.entries {
        let text = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
        let judgement = entry.judgement.map_or(String::new(), |judgement| format!("  {judgement:?}"));
        writeln!(
            out,
            "{:<6}{:<6}{:>7}{:>7}{:>11}{judgement}",
            entry.mv.to_string(),
            text(entry.ponder.map(|mv| mv.to_string())),
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
