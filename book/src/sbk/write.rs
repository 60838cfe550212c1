//! Writing pages as states.

use std::collections::{HashMap, VecDeque};
use std::io::Write;

use enbu_movegen::{Position, Setup};

use super::bits::encode;
use super::wire::Message;
use crate::error::BookError;
use crate::key::PositionKey;
use crate::losses::Losses;
use crate::page::{Entry, Judgement, Page, Preface};

/// The place of a page in the file.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    has_predecessor: bool,
    /// Reached from a state that names its position.
    is_connected: bool,
    is_root: bool,
    number: i32,
}

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
        if index.contains_key(&page.position) {
            losses.positions += 1;
            continue;
        }
        index.insert(page.position.clone(), kept.len());
        kept.push(page);
    }
    let successors: Vec<Vec<Option<Option<usize>>>> = kept.iter().map(|page| successors(page, &index)).collect();
    let places = places(&successors);
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by_key(|&at| places.get(at).map(|place| place.number));
    let mut head = Message::default();
    head.bytes(1, preface.author.as_bytes());
    head.bytes(2, preface.description.as_bytes());
    out.write_all(&head.0)?;
    for at in order {
        if let (Some(page), Some(place), Some(next)) = (kept.get(at), places.get(at), successors.get(at)) {
            let numbers = next
                .iter()
                .map(|next| next.map(|next| next.and_then(|next| places.get(next)).map_or(-1, |place| place.number)));
            let mut field = Message::default();
            field.bytes(3, &state(page, *place, numbers, losses).0);
            out.write_all(&field.0)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// For each move of a page the page that it leads to; the outer `None` for an illegal move.
fn successors(page: &Page, index: &HashMap<PositionKey, usize>) -> Vec<Option<Option<usize>>> {
    let Ok(mut position) = Position::from_setup(&page.position.to_setup()) else {
        return vec![None; page.entries.len()];
    };
    let mut next = |entry: &Entry| {
        position.play(entry.mv).ok()?;
        let next = index.get(&PositionKey::of(&position)).copied();
        position.undo_move();
        Some(next)
    };
    page.entries.iter().map(&mut next).collect()
}

/// Numbers the pages: those that name their positions first. These are the pages without
/// predecessor, and from each circle that none of them leads to the first page.
fn places(successors: &[Vec<Option<Option<usize>>>]) -> Vec<Place> {
    let mut places = vec![Place::default(); successors.len()];
    for next in successors.iter().flatten().flatten().flatten() {
        if let Some(place) = places.get_mut(*next) {
            place.has_predecessor = true;
        }
    }
    for pass_has_predecessor in [false, true] {
        for at in 0..successors.len() {
            let is_root = |place: &Place| place.has_predecessor == pass_has_predecessor && !place.is_connected;
            if places.get(at).is_some_and(is_root) {
                connect(at, successors, &mut places);
            }
        }
    }
    let mut number = 0;
    for roots in [true, false] {
        for place in places.iter_mut().filter(|place| place.is_root == roots) {
            place.number = number;
            number += 1;
        }
    }
    places
}

/// Marks the pages that a root leads to.
fn connect(root: usize, successors: &[Vec<Option<Option<usize>>>], places: &mut [Place]) {
    if let Some(place) = places.get_mut(root) {
        place.is_root = true;
        place.is_connected = true;
    }
    let mut queue = VecDeque::from([root]);
    while let Some(at) = queue.pop_front() {
        for &next in successors.get(at).into_iter().flatten().flatten().flatten() {
            if let Some(place) = places.get_mut(next).filter(|place| !place.is_connected) {
                place.is_connected = true;
                queue.push_back(next);
            }
        }
    }
}

/// The message of a page; `next` are the numbers of the states after its moves.
fn state(page: &Page, place: Place, next: impl Iterator<Item = Option<i32>>, losses: &mut Losses) -> Message {
    let setup = page.position.to_setup();
    let mut message = Message::default();
    let games = page.games.map_or([0; 3], |games| [games.total, games.black_wins, games.white_wins]);
    message.number(1, place.number.into());
    message.number(2, 0);
    message.number(3, 0);
    for (field, number) in (4..).zip(games) {
        losses.clamped += u64::from(i32::try_from(number).is_err());
        message.number(field, number.min(i32::MAX as u32).into());
    }
    if place.is_root {
        message.bytes(7, format!("{} 1", page.position).as_bytes());
    }
    if let Some(comment) = &page.comment {
        message.bytes(8, comment.as_bytes());
    }
    losses.plies += u64::from(page.ply.is_some());
    for (entry, next) in page.entries.iter().zip(next) {
        if let Some(next) = next {
            message.bytes(9, &move_message(entry, &setup, next, losses).0);
        }
    }
    for analysis in &page.analyses {
        let mut field = Message::default();
        field.number(1, analysis.value.into());
        field.number(2, analysis.depth.into());
        field.number(3, analysis.selective_depth.into());
        field.number(4, analysis.nodes);
        field.bytes(5, analysis.variation.as_bytes());
        if let Some(engine) = &analysis.engine {
            field.bytes(6, engine.as_bytes());
        }
        message.bytes(10, &field.0);
    }
    message
}

fn move_message(entry: &Entry, setup: &Setup, next: i32, losses: &mut Losses) -> Message {
    losses.replies += u64::from(entry.ponder.is_some());
    losses.values += u64::from(entry.value.is_some());
    losses.depths += u64::from(entry.depth.is_some());
    losses.comments += u64::from(entry.comment.is_some());
    let weight = entry.count.unwrap_or(0);
    losses.clamped += u64::from(weight > i32::MAX as u64);
    let judgement = match entry.judgement {
        None => 0,
        Some(Judgement::Forced) => 1,
        Some(Judgement::Good) => 2,
        Some(Judgement::Bad) => 3,
        Some(Judgement::Blunder) => 4,
    };
    let mut message = Message::default();
    // The bits as a number with sign.
    message.number(1, (encode(entry.mv, setup) as i32).into());
    message.number(2, judgement);
    message.number(3, weight.min(i32::MAX as u64) as i64);
    message.number(4, next.into());
    message
}
