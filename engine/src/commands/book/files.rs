//! Reading and writing books for the commands: arguments, notices, faults.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use enbu_book::{
    BookError, Choice, Combined, Fault, Format, Order, Page, Pages, Plies, Preface, Search, Sorter, Written, merge,
    write,
};
use enbu_files::{Existing, folder};
use enbu_language::{pick, text};
use enbu_movegen::{Setup, SfenError};
use indicatif::ProgressBar;

use crate::commands::failure::{Force, check_writable, failed, usage};
use crate::commands::inputs::extension;
use crate::commands::progress::bar;
use crate::terminal;

/// Faults that are printed; more are only counted.
pub(super) const MOST_FAULTS: u64 = 20;

/// Arguments of the commands that read books.
#[derive(Args)]
pub(super) struct ReadArgs {
    /// Positions that the search for those of a book.bin begins at; default: the start position ‖ book.bin の局面を探し始める局面。省略時は初期局面
    #[arg(long = "from", value_name = "SFEN", value_parser = setup)]
    roots: Vec<Setup>,
    /// Positions in a row that a book.bin may lack on the way from one of its positions to the next ‖ book.bin の局面から次の局面までの間に、定跡にない局面が何手続いてもよいか
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=3))]
    gap: u32,
}

/// Arguments of the commands that write books.
#[derive(Args)]
pub(super) struct WriteArgs {
    /// File to write ‖ 書き出すファイル
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: PathBuf,
    /// Format of the output: db, ybb, apery or sbk; default: by OUT's extension (.bin: apery) ‖ 出力の形式：db、ybb、apery、sbk。省略時は OUT の拡張子による（.bin は apery）
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    #[command(flatten)]
    force: Force,
    /// Leave out faulty entries and name them, in place of ending at the first one ‖ 異常のある項目で終了せず、除いて報告する
    #[arg(long)]
    skip_faults: bool,
    /// Memory for sorting in MB; larger books are sorted with temporary files next to OUT ‖ 並べ替えに使うメモリ（MB）。より大きい定跡は OUT の隣の一時ファイルを使う
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    memory: u32,
    #[command(flatten)]
    read: ReadArgs,
}

fn setup(text: &str) -> Result<Setup, SfenError> {
    text.parse()
}

impl ReadArgs {
    pub(super) fn open(&self, path: &Path) -> io::Result<Pages> {
        let roots = if self.roots.is_empty() { Search::default().roots } else { self.roots.clone() };
        Pages::open(path, &Search { roots, gap: self.gap }).map_err(|error| faulty(path, &error))
    }
}

pub(super) fn faulty(path: &Path, error: &BookError) -> io::Error {
    failed(text!("{}: {error}", "{}：{error}", path.display()))
}

pub(super) fn notice(text: impl Display) {
    terminal::notice(format_args!("enbu: {text}"));
}

/// The number of positions on a terminal.
pub(super) fn progress() -> ProgressBar {
    let positions = pick("positions,", "局面");
    bar(None, &format!("{{spinner}} {{human_pos}} {positions} {{per_sec}}, {{elapsed}}"))
}

/// Fails now if a book could not be written to `path` after long work; returns its format.
pub(super) fn check_output(path: &Path, existing: Existing) -> io::Result<Format> {
    let unknown = text!(
        "{}: not the extension of a book; known are .db, .ybb, .bin (Apery) and .sbk",
        "{}：定跡の拡張子ではありません（.db、.ybb、.bin（Apery）、.sbk）",
        path.display()
    );
    let format = extension(path).and_then(Format::of_extension).ok_or_else(|| failed(unknown))?;
    check_writable(path, existing)?;
    Ok(format)
}

/// Writes a book from pages in the order of their texts; returns the number of its positions.
pub(super) fn write_sorted(
    path: &Path,
    existing: Existing,
    memory_bytes: usize,
    mut pages: impl Iterator<Item = Result<Page, BookError>>,
) -> io::Result<u64> {
    let format = check_output(path, existing)?;
    let write = |pages: &mut dyn Iterator<Item = Result<Page, BookError>>| {
        write(path, format, &Preface::default(), pages, existing)
    };
    let written = if format == Format::Db {
        write(&mut pages)
    } else {
        let mut sorter = Sorter::new(folder(path), memory_bytes);
        let sorted = pages.try_for_each(|page| Ok(sorter.push(Order::of(format).rank(page?))?));
        sorted.and_then(|()| write(&mut sorter.pages()?))
    };
    let written = written.map_err(|error| faulty(path, &error))?;
    let losses = written.losses.to_string();
    if !losses.is_empty() {
        let path = path.display();
        terminal::notice(text!(
            "{path}: a {format} has no place for {losses}",
            "{path}：{format} に入りません：{losses}"
        ));
    }
    Ok(written.positions)
}

/// A book to be written from others.
pub(super) struct Job<'a> {
    pub(super) inputs: &'a [PathBuf],
    pub(super) args: &'a WriteArgs,
    pub(super) choice: Choice,
    pub(super) plies: Plies,
    /// Moves are sorted by falling counts, then falling values; otherwise they keep their order.
    pub(super) sorts_moves: bool,
    /// Changes a page or drops it.
    pub(super) edit: &'a dyn Fn(Page) -> Option<Page>,
    pub(super) notices: RefCell<Notices>,
}

/// The faults of the inputs and the notices about them.
#[derive(Default)]
pub(super) struct Notices {
    lines: Vec<String>,
    faults: u64,
    /// The first fault, if faults are not skipped.
    fatal: Option<io::Error>,
}

impl Job<'_> {
    /// Writes the book and prints its size: in one pass if all inputs are in the order of
    /// the output, otherwise sorted.
    pub(super) fn run(&self, name: &'static str, out: &mut impl Write) -> io::Result<ExitCode> {
        let path = &self.args.output;
        let Some(format) = self.args.to.or_else(|| extension(path).and_then(Format::of_extension)) else {
            let message = pick(
                "the format of the output is not known: add --to FORMAT, or name OUT with its extension",
                "出力の形式が分かりません。--to で形式を、または OUT に拡張子を指定してください",
            );
            return Err(usage::<WriteArgs>(name, message));
        };
        check_writable(path, self.args.force.existing())?;
        let sources = self.inputs.iter().map(|path| self.pages(path));
        let streamed = match self.write(format, merge(Order::of(format), sources)) {
            Err(BookError { fault: Fault::Unsorted(_), .. }) => {
                self.notices.take();
                self.sort(format)
            }
            outcome => outcome,
        };
        let notices = self.notices.take();
        notices.lines.iter().for_each(notice);
        if notices.faults > MOST_FAULTS {
            notice(text!("{} more faults", "異常はほかに {} 件あります", notices.faults - MOST_FAULTS));
        }
        if let Some(fatal) = notices.fatal {
            return Err(fatal);
        }
        let (written, combined) = streamed.map_err(|error| faulty(path, &error))?;
        let losses = written.losses.to_string();
        if !losses.is_empty() {
            notice(text!("{format} has no place for {losses}", "{format} に入りません：{losses}"));
        }
        let combined = match combined {
            0 => String::new(),
            combined => text!(", {combined} combined with others", "（うち {combined} 局面は統合）").to_string(),
        };
        let (path, Written { positions, moves, .. }) = (path.display(), written);
        let text = text!(
            "{path}: {positions} positions, {moves} moves{combined}",
            "{path}：局面 {positions}、指し手 {moves}{combined}"
        );
        writeln!(out, "{text}").map(|()| ExitCode::SUCCESS)
    }

    /// The pages of an input, edited. A fault becomes a notice, or ends all inputs.
    fn pages<'n>(&'n self, path: &'n Path) -> impl Iterator<Item = Result<Page, BookError>> + 'n {
        let fatal = |error| _ = self.notices.borrow_mut().fatal.get_or_insert(error);
        let mut pages = self.args.read.open(path).map_err(fatal).ok();
        std::iter::from_fn(move || {
            loop {
                let source = pages.as_mut()?;
                let mut notices = self.notices.borrow_mut();
                match source.next() {
                    _ if notices.fatal.is_some() => return None,
                    Some(Ok(page)) => {
                        if let Some(page) = (self.edit)(page) {
                            return Some(Ok(page));
                        }
                    }
                    // The page follows, and finds its place in the output.
                    Some(Err(BookError { fault: Fault::Unsorted(_), .. })) => {}
                    Some(Err(error)) if self.args.skip_faults => {
                        notices.faults += 1;
                        if notices.faults <= MOST_FAULTS {
                            notices.lines.push(faulty(path, &error).to_string());
                        }
                    }
                    Some(Err(error)) => {
                        let error = faulty(path, &error);
                        let text =
                            text!("{error} (--skip-faults leaves it out)", "{error}（--skip-faults で除きます）");
                        notices.fatal = Some(failed(text));
                        return None;
                    }
                    None => {
                        if let unreached @ 1.. = source.unreached() {
                            let text = text!(
                                "{}: {unreached} moves belong to positions that were not found; --gap 2 or --from SFEN may find more",
                                "{}：局面を復元できない指し手が {unreached} 手あります。--gap 2 や --from SFEN で増やせることがあります",
                                path.display()
                            );
                            notices.lines.push(text.to_string());
                        }
                        pages = None;
                    }
                }
            }
        })
    }

    fn sort(&self, format: Format) -> Result<(Written, u64), BookError> {
        let limit = (self.args.memory as usize).saturating_mul(1 << 20);
        let mut sorter = Sorter::new(folder(&self.args.output), limit);
        let bar = progress();
        for path in self.inputs {
            for page in self.pages(path) {
                sorter.push(Order::of(format).rank(page?))?;
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        self.write(format, sorter.pages()?)
    }

    /// Writes sorted pages; returns the number of those combined with others as well.
    fn write(
        &self,
        format: Format,
        pages: impl Iterator<Item = Result<Page, BookError>>,
    ) -> Result<(Written, u64), BookError> {
        let bar = progress();
        // Only a `.db` has a page for each ply.
        let plies = if format == Format::Db { self.plies } else { Plies::Smallest };
        let mut pages = Combined::new(pages, self.choice, plies);
        let preface = self.preface();
        let counted = pages.by_ref().map(|page| {
            bar.inc(1);
            let mut page = page?;
            if self.sorts_moves {
                page.sort();
            }
            Ok(page)
        });
        // A fatal fault ends the inputs; it must end the writing as well.
        let checked = counted.chain(std::iter::from_fn(|| {
            let fatal = &self.notices.borrow().fatal;
            fatal.as_ref().map(|error| Err(BookError::from(io::Error::other(error.to_string()))))
        }));
        let written = write(&self.args.output, format, &preface, checked, self.args.force.existing());
        bar.finish_and_clear();
        written.map(|written| (written, pages.combined))
    }

    /// Author and description of the first input that has any.
    fn preface(&self) -> Preface {
        let preface = |path: &PathBuf| {
            let mut pages = self.args.read.open(path).ok()?;
            // Comments of a `.db` are known once its first position was read.
            if pages.format() == Format::Db {
                pages.next();
            }
            Some(pages.preface()).filter(|preface| *preface != Preface::default())
        };
        self.inputs.iter().find_map(preface).unwrap_or_default()
    }
}
