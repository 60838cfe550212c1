//! Pages in temporary files: a private encoding, read back by the process that wrote it.

use std::io::{self, BufRead, Read, Write};

use enbu_movegen::Move;

use crate::key::PositionKey;
use crate::page::{Analysis, Entry, Games, Judgement, Page};

/// Present fields of an entry, as bits.
const PONDER: u8 = 1;
const VALUE: u8 = 2;
const DEPTH: u8 = 4;
const COUNT: u8 = 8;
const COMMENT: u8 = 16;

/// Present fields of a page.
const PLY: u8 = 1;
const REMARK: u8 = 2;
const GAMES: u8 = 4;

pub(crate) fn write(out: &mut impl Write, page: &Page) -> io::Result<()> {
    text(out, page.position.as_str())?;
    let flag = |present: bool, bit| if present { bit } else { 0 };
    let flags =
        flag(page.ply.is_some(), PLY) | flag(page.comment.is_some(), REMARK) | flag(page.games.is_some(), GAMES);
    out.write_all(&[flags])?;
    optional(out, page.ply.map(u32::to_le_bytes))?;
    page.comment.iter().try_for_each(|comment| text(out, comment))?;
    if let Some(games) = &page.games {
        for number in [games.total, games.black_wins, games.white_wins] {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    length(out, page.entries.len())?;
    for entry in &page.entries {
        let flags = flag(entry.ponder.is_some(), PONDER)
            | flag(entry.value.is_some(), VALUE)
            | flag(entry.depth.is_some(), DEPTH)
            | flag(entry.count.is_some(), COUNT)
            | flag(entry.comment.is_some(), COMMENT);
        let judgement = entry.judgement.map_or(0, |judgement| judgement as u8 + 1);
        out.write_all(&[flags, judgement])?;
        out.write_all(&entry.mv.raw().to_le_bytes())?;
        optional(out, entry.ponder.map(|mv| mv.raw().to_le_bytes()))?;
        optional(out, entry.value.map(i32::to_le_bytes))?;
        optional(out, entry.depth.map(u32::to_le_bytes))?;
        optional(out, entry.count.map(u64::to_le_bytes))?;
        entry.comment.iter().try_for_each(|comment| text(out, comment))?;
    }
    length(out, page.analyses.len())?;
    for analysis in &page.analyses {
        for number in [analysis.value, analysis.depth, analysis.selective_depth] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(&analysis.nodes.to_le_bytes())?;
        text(out, &analysis.variation)?;
        text(out, analysis.engine.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

fn length(out: &mut impl Write, length: usize) -> io::Result<()> {
    let length = u32::try_from(length).map_err(|_| io::Error::other("a text of more than 4 GiB"))?;
    out.write_all(&length.to_le_bytes())
}

fn text(out: &mut impl Write, text: &str) -> io::Result<()> {
    length(out, text.len())?;
    out.write_all(text.as_bytes())
}

fn optional<const N: usize>(out: &mut impl Write, bytes: Option<[u8; N]>) -> io::Result<()> {
    bytes.map_or(Ok(()), |bytes| out.write_all(&bytes))
}

/// Reads the next page; `None` at the end.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Page>> {
    if input.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let (key, _) = PositionKey::parse(&read_text(input)?).map_err(io::Error::other)?;
    let mut page = Page::new(key);
    let [flags] = array(input)?;
    page.ply = given(flags & PLY, || array(input).map(u32::from_le_bytes))?;
    page.comment = given(flags & REMARK, || read_text(input))?;
    page.games = given(flags & GAMES, || {
        let mut number = || array(input).map(u32::from_le_bytes);
        Ok(Games { total: number()?, black_wins: number()?, white_wins: number()? })
    })?;
    for _ in 0..read_length(input)? {
        page.entries.push(read_entry(input)?);
    }
    for _ in 0..read_length(input)? {
        let mut number = || array(input).map(i32::from_le_bytes);
        let (value, depth, selective_depth) = (number()?, number()?, number()?);
        let nodes = array(input).map(i64::from_le_bytes)?;
        let variation = read_text(input)?;
        let engine = Some(read_text(input)?).filter(|engine| !engine.is_empty());
        page.analyses.push(Analysis { value, depth, selective_depth, nodes, variation, engine });
    }
    Ok(Some(page))
}

fn read_entry(input: &mut impl Read) -> io::Result<Entry> {
    let [flags, judgement] = array(input)?;
    let mut entry = Entry::new(read_move(input)?);
    entry.ponder = given(flags & PONDER, || read_move(input))?;
    entry.value = given(flags & VALUE, || array(input).map(i32::from_le_bytes))?;
    entry.depth = given(flags & DEPTH, || array(input).map(u32::from_le_bytes))?;
    entry.count = given(flags & COUNT, || array(input).map(u64::from_le_bytes))?;
    entry.comment = given(flags & COMMENT, || read_text(input))?;
    let judgements = [Judgement::Forced, Judgement::Good, Judgement::Bad, Judgement::Blunder];
    entry.judgement = usize::from(judgement).checked_sub(1).and_then(|at| judgements.get(at).copied());
    Ok(entry)
}

fn given<T>(flag: u8, read: impl FnOnce() -> io::Result<T>) -> io::Result<Option<T>> {
    if flag == 0 { Ok(None) } else { read().map(Some) }
}

fn array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_length(input: &mut impl Read) -> io::Result<u32> {
    array(input).map(u32::from_le_bytes)
}

fn read_text(input: &mut impl Read) -> io::Result<String> {
    let length = read_length(input)?;
    let mut text = String::new();
    let read = input.take(length.into()).read_to_string(&mut text)?;
    if read as u64 == u64::from(length) { Ok(text) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn read_move(input: &mut impl Read) -> io::Result<Move> {
    Move::from_raw(u16::from_le_bytes(array(input)?)).ok_or_else(|| io::Error::other("a damaged temporary file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_survive() {
        let key = PositionKey::parse("4k4/9/9/9/9/9/9/9/4K4 w RB2p").expect("an SFEN").0;
        let mv = "P*5e".parse().expect("a move");
        let full = Page {
            ply: Some(7),
            comment: Some("one\ntwo".into()),
            entries: vec![
                Entry::new(mv),
                Entry {
                    mv,
                    ponder: Some(mv),
                    value: Some(-3),
                    depth: Some(4),
                    count: Some(u64::MAX),
                    comment: Some(String::new()),
                    judgement: Some(Judgement::Bad),
                },
            ],
            games: Some(Games { total: 3, black_wins: 2, white_wins: 1 }),
            analyses: vec![Analysis {
                value: -1,
                depth: 2,
                selective_depth: 3,
                nodes: i64::MAX,
                variation: "a b".into(),
                engine: Some("Enbu".into()),
            }],
            ..Page::new(key.clone())
        };
        let mut bytes = Vec::new();
        for page in [&full, &Page::new(key.clone()), &full] {
            write(&mut bytes, page).expect("written");
        }
        let mut input = bytes.as_slice();
        let mut next = || read(&mut input).expect("read");
        assert_eq!([next(), next(), next(), next()], [Some(full.clone()), Some(Page::new(key)), Some(full), None]);
        for length in 1..bytes.len() / 3 {
            assert!(read(&mut &bytes[..length]).is_err(), "{length}");
        }
    }
}
