//! Content that a format has no place for, counted by reading back the text that was written.
//!
//! Two records are compared node by node; blanks at the ends of texts, the names and the order
//! of headers do not count, nor does the word for a foul whose loser is known.

use std::fmt;

use enbu_language::{pick, text};

use crate::error::Mode;
use crate::format::{Format, WriteOptions};
use crate::lines::one_line;
use crate::record::{Analysis, Event, Node, NodeId, Record, Remarks};
use crate::usi;

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the words of the messages")]
pub enum Part {
    Games,
    StartPositions,
    MoveNumbers,
    Moves,
    Variations,
    Ends,
    Times,
    FractionsOfSeconds,
    Comments,
    Evaluations,
    DetailsOfEvaluations,
    Bookmarks,
    Glyphs,
    Headers,
    Clocks,
    Rules,
}

impl fmt::Display for Part {
    /// The name in words: `details of evaluations`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[rustfmt::skip]
        const JAPANESE: [&str; 16] = [
            "対局", "開始局面", "開始手数", "指し手", "変化", "終局の種類", "消費時間", "消費時間の秒未満", "コメント", "評価値", "評価値の詳細",
            "しおり", "記号", "ヘッダー", "持ち時間", "ルール",
        ];
        let name = format!("{self:?}");
        let spaced = name.chars().flat_map(|c| c.is_uppercase().then_some(' ').into_iter().chain(c.to_lowercase()));
        let japanese = JAPANESE.get(*self as usize).copied().unwrap_or_default();
        f.write_str(pick(spaced.collect::<String>().trim_start(), japanese))
    }
}

/// Content of one kind that a text does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The kind.
    pub part: Part,
    /// Number of such items that are missing.
    pub count: usize,
    /// The game with the first of it, from 1.
    pub game: usize,
    /// The first place there: `move 12`, or the name of a header.
    pub place: String,
}

impl fmt::Display for Loss {
    /// `moves (97, from game 2, move 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, count, game, place } = self;
        let game = if *game > 1 { text!("game {game}", "{game} 局目").to_string() } else { String::new() };
        let first = [game.as_str(), place].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        match (first.join(pick(", ", "の ")).as_str(), self.count) {
            ("", _) => text!("{part} ({count})", "{part}（{count} 件）").fmt(f),
            (place, 1) => text!("{part} ({count}, {place})", "{part}（{count} 件、{place}）").fmt(f),
            (place, _) => text!("{part} ({count}, from {place})", "{part}（{count} 件、{place}から）").fmt(f),
        }
    }
}

/// A text and the content of its records that it does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Losses by kind.
    pub losses: Vec<Loss>,
}

impl Format {
    /// Writes records in this format, and reads the text back to count what is missing in it.
    ///
    /// A position that was asked for by [`WriteOptions::ply`] loses no game.
    ///
    /// ```
    /// use enbu_kifu::{Format, Mode, WriteOptions, kif};
    /// let game = kif::read("1 ７六歩(77)\n*a comment\n2 中断\n変化：1手\n1 ２六歩(27)\n", Mode::Strict)?;
    /// let written = Format::Csa.write_counted(&game.records, WriteOptions::default());
    /// assert_eq!(written.losses[0].to_string(), "variations (1, move 1)");
    /// # Ok::<(), enbu_kifu::KifuError>(())
    /// ```
    pub fn write_counted(self, records: &[Record], options: WriteOptions) -> Written {
        let (ends, is_position_asked) = (options.ends, self.holds_a_position() && options.ply.is_some());
        let text = self.write(records, options);
        let mut tally = Tally::default();
        match self {
            // Lines of moves are many, and hold nothing else.
            Self::Usi => {
                let kept: Vec<Record> = records.iter().map(|record| moves_alone(record, ends)).collect();
                tally.against(records, &kept);
            }
            _ if is_position_asked => {}
            Self::Svg => tally.against(records, &[]),
            _ => match self.read(&text, Mode::Tolerant) {
                Ok(reading) if reading.records.len() == records.len() => tally.against(records, &reading.records),
                reading => {
                    let kept = reading.map_or(0, |reading| reading.records.len());
                    tally.add(Part::Games, records.len().abs_diff(kept), String::new);
                }
            },
        }
        Written { text, losses: tally.losses }
    }
}

/// The part of a record that a line of USI holds.
fn moves_alone(record: &Record, ends: usi::Ends) -> Record {
    let mut kept = Record::new(record.setup().clone());
    let events = record.main_line().map(|id| record.node(id).event());
    let held = events.filter(|event| event.played().is_some() || ends == usi::Ends::Words);
    held.fold(kept.root(), |at, event| kept.add(at, event.clone()));
    kept
}

/// The counterpart of a node in what was written.
type Twin<'r> = Option<(&'r Record, NodeId)>;

/// The counterpart of `event`, a child of the node.
fn child<'r>(twin: Twin<'r>, event: &Event) -> Twin<'r> {
    let alike = |other: &Event| match (event, other) {
        (Event::End(_), Event::End(_)) => true,
        _ => event.played().is_some() && event.played() == other.played(),
    };
    let (record, id) = twin?;
    record.children(id).find(|&child| alike(record.node(child).event())).map(|id| (record, id))
}

/// The remarks of a counterpart; those of an end may be with the last move, where the format has no
/// place for them.
fn remarks(twin: Twin<'_>) -> Remarks {
    let Some((record, id)) = twin else { return Remarks::default() };
    let mut remarks = record.node(id).remarks().clone();
    if let (Event::End(_), Some(parent)) = (record.node(id).event(), record.node(id).parent()) {
        let before = record.node(parent).remarks();
        remarks.comments.extend_from_slice(&before.comments);
        remarks.analyses.extend_from_slice(&before.analyses);
        remarks.bookmark = remarks.bookmark.or_else(|| before.bookmark.clone());
    }
    remarks
}

/// The place of a move.
fn nth(number: usize) -> String {
    text!("move {number}", "{number} 手目").to_string()
}

#[derive(Default)]
struct Tally {
    losses: Vec<Loss>,
    game: usize,
}

impl Tally {
    fn add(&mut self, part: Part, count: usize, place: impl FnOnce() -> String) {
        if count == 0 {
            return;
        }
        match self.losses.iter_mut().find(|loss| loss.part == part) {
            Some(loss) => loss.count += count,
            None => self.losses.push(Loss { part, count, game: self.game, place: place() }),
        }
    }

    fn against(&mut self, records: &[Record], kept: &[Record]) {
        for (index, record) in records.iter().enumerate() {
            self.game = index + 1;
            self.record(record, kept.get(index));
        }
        self.losses.sort_by_key(|loss| loss.part);
    }

    fn record(&mut self, record: &Record, kept: Option<&Record>) {
        let setup = record.setup();
        if let Some(kept) = kept.map(Record::setup) {
            let is_same = (&setup.board, setup.hands, setup.turn) == (&kept.board, kept.hands, kept.turn);
            self.add(Part::StartPositions, usize::from(!is_same), String::new);
            self.add(Part::MoveNumbers, usize::from(setup.ply != kept.ply), || nth(setup.ply.into()));
        }
        self.headers(record, kept);
        let rules = kept.map(|kept| &kept.rules).cloned().unwrap_or_default();
        let clocks = record.rules.time.iter().zip(&rules.time).filter(|(clock, kept)| clock.is_some() && clock != kept);
        self.add(Part::Clocks, clocks.count(), String::new);
        let is_limit_lost = record.rules.max_moves.is_some_and(|moves| rules.max_moves != Some(moves));
        let is_rule_lost = record.rules.entering_king.is_some_and(|rule| rules.entering_king != Some(rule));
        self.add(Part::Rules, usize::from(is_limit_lost) + usize::from(is_rule_lost), String::new);
        let first = usize::from(setup.ply.max(1));
        let mut nodes = vec![(record.root(), kept.map(|kept| (kept, kept.root())), first.wrapping_sub(1))];
        while let Some((id, twin, number)) = nodes.pop() {
            self.node(record.node(id), twin, number);
            for (index, child) in record.children(id).enumerate() {
                let (event, is_main) = (record.node(child).event(), index == 0);
                let place = || nth(number + 1);
                match self::child(twin, event) {
                    Some(twin) => nodes.push((child, Some(twin), number + 1)),
                    None if !is_main => self.add(Part::Variations, 1, place),
                    None => {
                        let part = if event.played().is_some() { Part::Moves } else { Part::Ends };
                        self.add(part, 1, place);
                        nodes.push((child, None, number + 1));
                    }
                }
            }
        }
    }

    fn headers(&mut self, record: &Record, kept: Option<&Record>) {
        let lines = |record: &Record| -> Vec<(String, String)> {
            let headers = record.headers.iter();
            let lines =
                headers.flat_map(|(key, text)| text.split('\n').map(move |line| (format!("{key:?}"), clean(line))));
            lines.filter(|(_, line)| !line.is_empty()).collect()
        };
        let mut kept = kept.map(lines).unwrap_or_default();
        for (key, line) in lines(record) {
            let same = |(other, text): &(String, String)| *other == key && *text == line;
            let found = kept.iter().position(same).or_else(|| kept.iter().position(|(_, text)| *text == line));
            match found {
                Some(at) => drop(kept.swap_remove(at)),
                None => self.add(Part::Headers, 1, || line.chars().take(20).collect()),
            }
        }
    }

    fn node(&mut self, node: &Node, twin: Twin<'_>, number: usize) {
        let place = || nth(number);
        let kept = twin.map(|(record, id)| record.node(id));
        if let (Event::End(end), Some(Event::End(other))) = (node.event(), kept.map(Node::event)) {
            let are_fouls = end.kind.is_foul() && other.kind.is_foul();
            let is_kept = end == other || (end.result.is_some() && end.result == other.result && are_fouls);
            self.add(Part::Ends, usize::from(!is_kept), place);
        }
        match (node.time_ms, kept.and_then(|node| node.time_ms)) {
            (Some(_), None) => self.add(Part::Times, 1, place),
            (Some(time), Some(other)) if time != other => self.add(Part::FractionsOfSeconds, 1, place),
            _ => {}
        }
        let said = node.remarks();
        if *said == Remarks::default() || kept.is_some_and(|kept| kept.remarks() == said) {
            return;
        }
        let kept = &remarks(twin);
        let of_analyses = kept.analyses.len().saturating_sub(said.analyses.len());
        let comments = missing(&lines(said), &lines(kept));
        self.add(Part::Comments, if of_analyses > 0 { 0 } else { comments }, place);
        let lost = |analysis: &&Analysis| !kept.analyses.iter().any(|other| other.is_of_line(analysis));
        let evaluations = said.analyses.iter().filter(lost).count();
        self.add(Part::Evaluations, evaluations, place);
        self.add(Part::DetailsOfEvaluations, missing(&said.analyses, &kept.analyses) - evaluations, place);
        let bookmark = |remarks: &Remarks| remarks.bookmark.as_deref().map(clean).filter(|name| !name.is_empty());
        let is_lost = bookmark(said).is_some() && bookmark(said) != bookmark(kept);
        self.add(Part::Bookmarks, usize::from(is_lost), place);
        self.add(Part::Glyphs, missing(&said.nags, &kept.nags), place);
    }
}

/// Number of items that are not among the others, each of which counts once.
fn missing<T: PartialEq + Clone>(items: &[T], others: &[T]) -> usize {
    let mut others = others.to_vec();
    let mut take = |item: &T| others.iter().position(|other| other == item).map(|at| others.remove(at));
    items.iter().filter(|item| take(item).is_none()).count()
}

fn lines(remarks: &Remarks) -> Vec<String> {
    remarks.lines().map(clean).filter(|line| !line.is_empty()).collect()
}

/// A text without what no format keeps.
fn clean(text: &str) -> String {
    one_line(&text.replace('\u{3000}', " ")).trim().to_owned()
}
