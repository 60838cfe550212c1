//! Reading states and finding their positions.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use enbu_files::FileKind;
use enbu_movegen::{Move, Position, Setup};

use super::JUDGEMENTS;
use super::bits::decode;
use super::wire::{Field, Fields};
use crate::error::{BookError, Fault};
use crate::key::PositionKey;
use crate::page::{Analysis, Entry, Games, Page, Preface};

/// Reads the pages of a file one by one: from the states that name their positions along
/// the moves, breadth first. The file is held in memory.
///
/// After a fault the iterator goes on: an invalid or illegal move is left out of its page.
#[derive(Debug)]
pub(crate) struct Reader {
    file: SbkFile,
    /// States to read with their positions.
    queue: VecDeque<(usize, PositionKey)>,
    /// States that were queued.
    queued: Vec<bool>,
    /// The next state to look at for a position of its own.
    next_root: usize,
    ready: VecDeque<Result<Page, BookError>>,
    /// Offset of the last state, which is that of the last page.
    pub(crate) state_at: u64,
    done: bool,
}

/// The bytes of a file and the places of its states.
#[derive(Debug)]
struct SbkFile {
    bytes: Vec<u8>,
    preface: Preface,
    states: Vec<State>,
    /// Index of the states by number, where they are not equal.
    numbers: Option<HashMap<i32, usize>>,
}

/// The place of a state.
#[derive(Clone, Copy, Debug)]
struct State {
    offset: u64,
    len: usize,
    number: i32,
    has_position: bool,
}

/// A state with the numbers of the next ones.
#[derive(Default)]
struct Content {
    position: Option<(String, u64)>,
    games: Games,
    comment: Option<String>,
    moves: Vec<Successor>,
    analyses: Vec<Analysis>,
}

impl Content {
    /// The page without its moves, and these.
    fn page(self, key: PositionKey) -> (Page, Vec<Successor>) {
        let games = Some(self.games).filter(|&games| games != Games::default());
        (Page { comment: self.comment, analyses: self.analyses, games, ..Page::new(key) }, self.moves)
    }
}

struct Successor {
    entry: Entry,
    next: i32,
    offset: u64,
}

impl SbkFile {
    fn read(path: &Path) -> Result<Self, BookError> {
        let bytes = enbu_files::read(path, FileKind::BinaryBook)?;
        let (mut preface, mut states) = (Preface::default(), Vec::new());
        for field in Fields::of(&bytes, 0) {
            let field = field?;
            match field.number {
                1 => preface.author = field.text()?,
                2 => preface.description = field.text()?,
                3 => states.push(State::of(&field)?),
                _ => {}
            }
        }
        let is_plain = (0..).zip(&states).all(|(index, state)| state.number == index);
        let by_number = || states.iter().enumerate().rev().map(|(index, state)| (state.number, index)).collect();
        let numbers = if is_plain { None } else { Some(by_number()) };
        Ok(Self { bytes, preface, states, numbers })
    }

    fn index(&self, number: i32) -> Option<usize> {
        match &self.numbers {
            Some(numbers) => numbers.get(&number).copied(),
            None => usize::try_from(number).ok().filter(|&index| index < self.states.len()),
        }
    }

    /// Decodes a state; faulty moves go to `report`.
    fn content(&self, state: State, report: &mut impl FnMut(BookError)) -> Result<Content, BookError> {
        let begin = usize::try_from(state.offset).unwrap_or(usize::MAX);
        let message = self.bytes.get(begin..).and_then(|rest| rest.get(..state.len)).unwrap_or_default();
        let mut content = Content::default();
        let count = |field: &Field<'_>| field.long().map(|number| (number as i32).max(0) as u32);
        for field in Fields::of(message, state.offset) {
            let field = field?;
            match field.number {
                4 => content.games.total = count(&field)?,
                5 => content.games.black_wins = count(&field)?,
                6 => content.games.white_wins = count(&field)?,
                7 => content.position = Some((field.text()?, field.offset)).filter(|(text, _)| !text.is_empty()),
                8 => content.comment = Some(field.text()?).filter(|text| !text.is_empty()),
                9 => match successor(&field) {
                    Ok(successor) => content.moves.push(successor),
                    Err(error) => report(error),
                },
                10 => content.analyses.push(analysis(&field)?),
                _ => {}
            }
        }
        Ok(content)
    }
}

impl State {
    fn of(field: &Field<'_>) -> Result<Self, BookError> {
        let (bytes, offset) = field.bytes()?;
        let mut state = Self { offset, len: bytes.len(), number: 0, has_position: false };
        for field in Fields::of(bytes, offset) {
            let field = field?;
            match field.number {
                1 => state.number = field.long()? as i32,
                7 => state.has_position = !field.bytes()?.0.is_empty(),
                _ => {}
            }
        }
        Ok(state)
    }
}

fn successor(field: &Field<'_>) -> Result<Successor, BookError> {
    let [bits, judgement, weight, next] = field.numbers()?.map(|number: i64| number as i32);
    let mv: Move = decode(bits as u32).ok_or_else(|| BookError::offset(field.offset, Fault::MoveBits(bits as u32)))?;
    let judgement = (1..).zip(JUDGEMENTS).find(|&(number, _)| number == judgement).map(|(_, judgement)| judgement);
    let count = u64::try_from(weight).ok().filter(|&weight| weight > 0);
    Ok(Successor { entry: Entry { count, judgement, ..Entry::new(mv) }, next, offset: field.offset })
}

fn analysis(field: &Field<'_>) -> Result<Analysis, BookError> {
    let [value, depth, selective_depth, nodes] = field.numbers()?;
    let [value, depth, selective_depth] = [value, depth, selective_depth].map(|number| number as i32);
    let mut analysis = Analysis { value, depth, selective_depth, nodes, ..Analysis::default() };
    for field in field.fields()? {
        let field = field?;
        match field.number {
            5 => analysis.variation = field.text()?,
            6 => analysis.engine = Some(field.text()?).filter(|text| !text.is_empty()),
            _ => {}
        }
    }
    Ok(analysis)
}

impl Reader {
    /// Reads a file into memory. Damaged data outside of the states is an error.
    pub(crate) fn open(path: &Path) -> Result<Self, BookError> {
        let file = SbkFile::read(path)?;
        let (queue, queued, ready) = (VecDeque::new(), vec![false; file.states.len()], VecDeque::new());
        Ok(Self { file, queue, queued, next_root: 0, ready, state_at: 0, done: false })
    }

    /// Author and description.
    pub(crate) fn preface(&self) -> &Preface {
        &self.file.preface
    }

    /// Reads the next state that is queued or names its position; returns its index and its
    /// position. At the end reports the states that are left.
    fn step(&mut self) -> Option<(usize, PositionKey)> {
        while self.queue.is_empty() {
            let Some(&state) = self.file.states.get(self.next_root) else {
                let is_rootless = self.file.states.first().is_some_and(|state| !state.has_position);
                if !is_rootless || self.queued.first() != Some(&false) {
                    self.finish();
                    return None;
                }
                self.enqueue(0, PositionKey::of_setup(&Setup::startpos()));
                continue;
            };
            let index = self.next_root;
            self.next_root += 1;
            if state.has_position && !self.queued.get(index).is_none_or(|&queued| queued) {
                let root = self.root(state).map(|key| self.enqueue(index, key));
                self.ready.extend(root.err().map(Err));
            }
        }
        let (index, key) = self.queue.pop_front()?;
        let outcome = self.read(index, &key);
        self.ready.extend(outcome.err().map(Err));
        Some((index, key))
    }

    fn root(&self, state: State) -> Result<PositionKey, BookError> {
        let content = self.file.content(state, &mut |_| ())?;
        let (text, offset) = content.position.unwrap_or_default();
        let text = text.trim();
        let parsed = PositionKey::parse(text.strip_prefix("sfen ").unwrap_or(text));
        parsed.map(|(key, _)| key).map_err(|error| BookError::offset(offset, error))
    }

    fn enqueue(&mut self, index: usize, key: PositionKey) {
        if let Some(queued) = self.queued.get_mut(index) {
            *queued = true;
        }
        self.queue.push_back((index, key));
    }

    /// Reads a state: its page is ready then and its successors are queued.
    fn read(&mut self, index: usize, key: &PositionKey) -> Result<(), BookError> {
        let Some(&state) = self.file.states.get(index) else { return Ok(()) };
        self.state_at = state.offset;
        let ready = &mut self.ready;
        let content = self.file.content(state, &mut |error| ready.push_back(Err(error)))?;
        let position = Position::from_setup(&key.to_setup());
        let mut position = position.map_err(|error| BookError::offset(state.offset, error))?;
        let (mut page, moves) = content.page(key.clone());
        for Successor { entry, next, offset } in moves {
            let mv = entry.mv;
            if let Err(illegal) = position.play(mv) {
                self.ready.push_back(Err(BookError::offset(offset, illegal)));
                continue;
            }
            page.entries.push(entry);
            match self.file.index(next) {
                Some(next) if self.queued.get(next) == Some(&false) => self.enqueue(next, PositionKey::of(&position)),
                None if next >= 0 => self.ready.push_back(Err(BookError::offset(offset, Fault::NoState(mv, next)))),
                _ => {}
            }
            position.undo_move();
        }
        self.ready.push_back(Ok(page));
        Ok(())
    }

    /// Reports the states without a position.
    fn finish(&mut self) {
        self.done = true;
        let mut left = self.file.states.iter().zip(&self.queued).filter(|&(_, &queued)| !queued);
        if let Some((state, _)) = left.next() {
            let fault = Fault::Unconnected(state.number, left.count() as u64);
            self.ready.push_back(Err(BookError::offset(state.offset, fault)));
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Page, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.done {
            self.step();
        }
        self.ready.pop_front()
    }
}

/// A file in memory with an index of its positions.
#[derive(Debug)]
pub(crate) struct Loaded {
    file: SbkFile,
    /// Digests of the keys and indices of their states, sorted.
    pub(crate) index: Vec<(u64, usize)>,
}

impl Loaded {
    /// Reads a file and reports its faults.
    pub(crate) fn open(path: &Path, report: &mut impl FnMut(BookError)) -> Result<Self, BookError> {
        let mut reader = Reader::open(path)?;
        let mut index = Vec::new();
        while !reader.done {
            index.extend(reader.step().map(|(state, key)| (key.digest(), state)));
            reader.ready.drain(..).filter_map(Result::err).for_each(&mut *report);
        }
        index.sort_unstable();
        index.shrink_to_fit();
        Ok(Self { file: reader.file, index })
    }

    /// The page of a position, without faulty moves.
    pub(crate) fn find(&self, key: &PositionKey) -> Result<Option<Page>, BookError> {
        let found = self.index.binary_search_by_key(&key.digest(), |&(digest, _)| digest);
        let Some(&(_, state)) = found.ok().and_then(|at| self.index.get(at)) else { return Ok(None) };
        let Some(&state) = self.file.states.get(state) else { return Ok(None) };
        let content = self.file.content(state, &mut |_| ())?;
        let Ok(position) = Position::from_setup(&key.to_setup()) else { return Ok(None) };
        let (mut page, moves) = content.page(key.clone());
        let entries = moves.into_iter().map(|successor| successor.entry);
        page.entries = entries.filter(|entry| position.is_legal(entry.mv)).collect();
        Ok(Some(page))
    }
}
