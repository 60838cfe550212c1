//! Made books: positions that a few random moves a position lead to, with every field.

use std::collections::{HashSet, VecDeque};

use enbu_book::{Analysis, Entry, Format, Games, Judgement, Page, PositionKey};
use enbu_movegen::{Move, MoveList, Position};

/// Numbers from a seed (xorshift).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`; 0 for no limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.below(2) == 0 { None } else { Some(value(self)) }
    }
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.to_vec()
}

/// The `count` first positions of a tree with up to four moves a position, sorted.
pub(crate) fn pages(count: usize) -> Vec<Page> {
    let mut chance = Chance(88_172_645_463_325_252);
    let (mut pages, mut queue) = (Vec::new(), VecDeque::from([Position::startpos()]));
    let mut seen = HashSet::from([Position::startpos().key()]);
    while pages.len() < count {
        let mut position = queue.pop_front().expect("an endless tree");
        let mut moves = legal_moves(&position);
        if moves.is_empty() {
            continue;
        }
        let wanted = 1 + chance.below(4);
        let mut page = page(&mut chance, &position);
        for _ in 0..wanted.min(moves.len()) {
            let mv = moves.swap_remove(chance.below(moves.len()));
            position.play(mv).expect("a legal move");
            if seen.insert(position.key()) {
                queue.push_back(position.without_history());
            }
            let replies = legal_moves(&position);
            position.undo_move();
            page.entries.push(entry(&mut chance, mv, &replies));
        }
        page.sort();
        pages.push(page);
    }
    pages.sort_by(|a, b| a.position.cmp(&b.position));
    pages
}

fn page(chance: &mut Chance, position: &Position) -> Page {
    let text = |chance: &mut Chance| format!("comment {}\n二行目", chance.below(1000));
    let games = |chance: &mut Chance| Games {
        total: 1000 + chance.below(1000) as u32,
        black_wins: chance.below(500) as u32,
        white_wins: chance.below(500) as u32,
    };
    let analysis = |chance: &mut Chance| Analysis {
        value: chance.below(2000) as i32 - 1000,
        depth: chance.below(30) as i32,
        selective_depth: chance.below(50) as i32,
        nodes: chance.next() as i64 >> 8,
        variation: "▲７六歩 △３四歩".to_owned(),
        engine: chance.maybe(|_| "Enbu".to_owned()),
    };
    Page {
        ply: chance.maybe(|_| u32::from(position.ply())),
        comment: chance.maybe(text),
        games: chance.maybe(games),
        analyses: (0..chance.below(3)).map(|_| analysis(chance)).collect(),
        ..Page::new(PositionKey::of(position))
    }
}

fn entry(chance: &mut Chance, mv: Move, replies: &[Move]) -> Entry {
    let judgements = [Judgement::Forced, Judgement::Good, Judgement::Bad, Judgement::Blunder];
    Entry {
        ponder: chance.maybe(|chance| replies.get(chance.below(replies.len())).copied()).flatten(),
        value: chance.maybe(|chance| chance.below(80_000) as i32 - 40_000),
        depth: chance.maybe(|chance| chance.below(100) as u32),
        count: chance.maybe(|chance| 1 + chance.below(100_000) as u64),
        comment: chance.maybe(|chance| format!("コメント{}", chance.below(100))),
        judgement: chance.maybe(|chance| judgements[chance.below(4)]),
        ..Entry::new(mv)
    }
}

/// The pages as a book of this format holds them, in the order of `.db`.
pub(crate) fn held(format: Format, pages: &[Page]) -> Vec<Page> {
    let mut held: Vec<Page> = pages.iter().cloned().map(|page| held_page(format, page)).collect();
    let mut depths = pages.iter().flat_map(|page| &page.entries).map(|entry| entry.depth);
    if depths.all(|depth| depth.is_none()) {
        // A `.ybb` has depths for all moves or for none.
        held.iter_mut().flat_map(|page| &mut page.entries).for_each(|entry| entry.depth = None);
    }
    held
}

fn held_page(format: Format, page: Page) -> Page {
    let entries = page.entries.iter().cloned().map(|entry| held_entry(format, entry)).collect();
    let has_ply = matches!(format, Format::Db | Format::Ybb);
    let has_comment = matches!(format, Format::Db | Format::Sbk);
    let is_sbk = format == Format::Sbk;
    Page {
        ply: page.ply.filter(|_| has_ply),
        comment: page.comment.filter(|_| has_comment),
        games: page.games.filter(|_| is_sbk),
        analyses: if is_sbk { page.analyses } else { Vec::new() },
        entries,
        position: page.position,
    }
}

fn held_entry(format: Format, entry: Entry) -> Entry {
    let none = Entry::new(entry.mv);
    match format {
        Format::Db => Entry { judgement: None, ..entry },
        Format::Ybb => Entry {
            value: Some(entry.value.unwrap_or(0).clamp(i16::MIN.into(), i16::MAX.into())),
            depth: Some(entry.depth.unwrap_or(0)),
            ..none
        },
        Format::Apery => Entry {
            value: Some(entry.value.unwrap_or(0)),
            count: Some(entry.count.unwrap_or(1).min(u16::MAX.into())),
            ..none
        },
        Format::Sbk => Entry { count: entry.count, judgement: entry.judgement, ..none },
    }
}
