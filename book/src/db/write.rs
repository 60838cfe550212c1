//! Writing pages as lines.

use std::io::{self, Write};

use super::HEADER;
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::losses::Losses;
use crate::page::{Entry, Page, Preface};

/// Writes sorted pages after the header and the description. Pages without moves are left out.
pub(crate) fn write(
    mut out: impl Write,
    preface: &Preface,
    pages: impl Iterator<Item = Result<Page, BookError>>,
    losses: &mut Losses,
) -> Result<(), BookError> {
    writeln!(out, "{HEADER}")?;
    if !preface.description.is_empty() {
        comment(&mut out, &preface.description)?;
    }
    let mut last: Option<(PositionKey, Option<u32>)> = None;
    for page in pages {
        let page = page?;
        losses.without_results(&page);
        losses.judgements += page.entries.iter().filter(|entry| entry.judgement.is_some()).count() as u64;
        if page.entries.is_empty() {
            losses.comments += u64::from(page.comment.is_some());
            continue;
        }
        if last.as_ref().is_some_and(|(position, ply)| (position, *ply) > (&page.position, page.ply)) {
            return Err(BookError::file(Fault::Unsorted(page.position.to_string())));
        }
        put(&mut out, &page)?;
        last = Some((page.position, page.ply));
    }
    Ok(out.flush()?)
}

fn put(out: &mut impl Write, page: &Page) -> io::Result<()> {
    write!(out, "sfen {}", page.position)?;
    match page.ply {
        Some(ply) => writeln!(out, " {ply}")?,
        None => writeln!(out)?,
    }
    page.comment.iter().try_for_each(|text| comment(out, text))?;
    page.entries.iter().try_for_each(|entry| put_entry(out, entry))
}

fn put_entry(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    write!(out, "{}", entry.mv)?;
    match entry.ponder {
        Some(mv) => write!(out, " {mv}")?,
        None => out.write_all(b" none")?,
    }
    let numbers = [entry.value.map(i128::from), entry.depth.map(i128::from), entry.count.map(i128::from)];
    let last = numbers.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    for number in numbers.iter().take(last) {
        match number {
            Some(number) => write!(out, " {number}")?,
            None => out.write_all(b" none")?,
        }
    }
    writeln!(out)?;
    entry.comment.iter().try_for_each(|text| comment(out, text))
}

fn comment(out: &mut impl Write, text: &str) -> io::Result<()> {
    text.split('\n').try_for_each(|line| writeln!(out, "#{}", line.trim_end_matches('\r')))
}
