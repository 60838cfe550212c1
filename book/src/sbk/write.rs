//! Writing pages as states.

use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::collections::{HashMap, HashSet};
use std::io::Write;

use enbu_movegen::{Position, Setup};

use super::JUDGEMENTS;
use super::bits::encode;
use super::wire::Message;
use crate::error::BookError;
use crate::key::PositionKey;
use crate::losses::Losses;
use crate::page::{Analysis, Entry, Page, Preface};

/// Writes pages in any order, which are held in memory. The first page of a position counts.
/// Illegal moves are left out; pages without moves stay if they have results, analyses or a
/// comment.
pub(crate) fn write(
    mut out: impl Write,
    preface: &Preface,
    pages: impl IntoIterator<Item = Result<Page, BookError>>,
    losses: &mut Losses,
) -> Result<(), BookError> {
    let mut kept: Vec<Page> = Vec::new();
    let mut index: HashMap<PositionKey, usize> = HashMap::new();
    for page in pages {
        let page = page?;
        if page.is_blank() {
            continue;
        }
        match index.entry(page.position.clone()) {
            Occupied(_) => losses.positions += 1,
            Vacant(place) => {
                place.insert(kept.len());
                kept.push(page);
            }
        }
    }
    let successors: Vec<Vec<Option<usize>>> = kept.iter_mut().map(|page| successors(page, &index)).collect();
    let roots = roots(&successors);
    let others = (0..kept.len()).filter(|at| roots.binary_search(at).is_err());
    let order: Vec<usize> = roots.iter().copied().chain(others).collect();
    let numbers: HashMap<usize, i64> = order.iter().copied().zip(0..).collect();
    let mut head = Message::default();
    head.bytes(1, preface.author.as_bytes());
    head.bytes(2, preface.description.as_bytes());
    out.write_all(&head.0)?;
    for (place, at) in order.into_iter().enumerate() {
        let (Some(page), Some(next)) = (kept.get(at), successors.get(at)) else { continue };
        let next = next.iter().map(|next| next.and_then(|next| numbers.get(&next)).copied().unwrap_or(-1));
        let mut field = Message::default();
        field.bytes(3, &state(page, place as i64, place < roots.len(), next, losses).0);
        out.write_all(&field.0)?;
    }
    out.flush()?;
    Ok(())
}

/// For each move of a page the page that it leads to; illegal moves are taken out of the page.
fn successors(page: &mut Page, index: &HashMap<PositionKey, usize>) -> Vec<Option<usize>> {
    let mut position = Position::from_setup(&page.position.to_setup());
    let mut successors = Vec::new();
    page.entries.retain(|entry| {
        let Some(position) = position.as_mut().ok().filter(|position| position.is_legal(entry.mv)) else {
            return false;
        };
        position.do_move(entry.mv);
        successors.push(index.get(&PositionKey::of(position)).copied());
        position.undo_move();
        true
    });
    successors
}

/// The pages that name their positions: those without predecessor, and from each circle that none of them leads
/// to the first page.
fn roots(successors: &[Vec<Option<usize>>]) -> Vec<usize> {
    let followers: HashSet<usize> = successors.iter().flatten().flatten().copied().collect();
    let (firsts, others): (Vec<usize>, Vec<usize>) = (0..successors.len()).partition(|at| !followers.contains(at));
    let (mut roots, mut connected) = (Vec::new(), HashSet::new());
    for root in firsts.into_iter().chain(others) {
        if !connected.insert(root) {
            continue;
        }
        roots.push(root);
        let mut queue = vec![root];
        while let Some(at) = queue.pop() {
            let next = successors.get(at).into_iter().flatten().flatten().copied();
            queue.extend(next.filter(|&next| connected.insert(next)));
        }
    }
    roots.sort_unstable();
    roots
}

/// The message of a page; `next` are the numbers of the states after its moves.
fn state(page: &Page, number: i64, is_root: bool, next: impl Iterator<Item = i64>, losses: &mut Losses) -> Message {
    let setup = page.position.to_setup();
    let games = page.games.unwrap_or_default();
    let games = [games.total, games.black_wins, games.white_wins];
    losses.clamped += games.iter().filter(|&&number| i32::try_from(number).is_err()).count() as u64;
    let mut message = Message::default();
    message.numbers(1, [number, 0, 0]);
    message.numbers(4, games.map(|number| number.min(i32::MAX as u32).into()));
    if is_root {
        message.bytes(7, format!("{} 1", page.position).as_bytes());
    }
    if let Some(comment) = &page.comment {
        message.bytes(8, comment.as_bytes());
    }
    losses.plies += u64::from(page.ply.is_some());
    for (entry, next) in page.entries.iter().zip(next) {
        message.bytes(9, &move_message(entry, &setup, next, losses).0);
    }
    for Analysis { value, depth, selective_depth, nodes, variation, engine } in &page.analyses {
        let mut field = Message::default();
        field.numbers(1, [(*value).into(), (*depth).into(), (*selective_depth).into(), *nodes]);
        field.bytes(5, variation.as_bytes());
        if let Some(engine) = engine {
            field.bytes(6, engine.as_bytes());
        }
        message.bytes(10, &field.0);
    }
    message
}

fn move_message(entry: &Entry, setup: &Setup, next: i64, losses: &mut Losses) -> Message {
    losses.replies += u64::from(entry.ponder.is_some());
    losses.values += u64::from(entry.value.is_some());
    losses.depths += u64::from(entry.depth.is_some());
    losses.comments += u64::from(entry.comment.is_some());
    let weight = entry.count.unwrap_or(0);
    losses.clamped += u64::from(weight > i32::MAX as u64);
    let judgement = (1..).zip(JUDGEMENTS).find(|&(_, known)| entry.judgement == Some(known));
    let mut message = Message::default();
    // The bits as a number with sign.
    let bits = encode(entry.mv, setup) as i32;
    message
        .numbers(1, [bits.into(), judgement.map_or(0, |(number, _)| number), weight.min(i32::MAX as u64) as i64, next]);
    message
}
