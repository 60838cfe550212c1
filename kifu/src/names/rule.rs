//! Rules of names, as `names.tsv` writes them.
//!
//! | text | holds where |
//! |---|---|
//! | `K28` | this side has its king on 28, seen from its own side of the board |
//! | `~P76` | the opponent has a pawn on 76, seen from the opponent's side |
//! | `static` | a fact holds for this side: one of [`FACTS`] |
//! | `G78\|G79` | one of them holds |
//! | `!S77\|S88` | none of them holds |
//! | `@16 A B` | all of them hold in one position after at most 16 moves |
//! | `A > B` | `A` holds, and later, or at once, `B` |
//! | `A / B` | one of the two rules holds |

use enbu_movegen::{Color, Piece, PieceType, Square};

/// Facts of a side's past.
///
/// | fact | meaning |
/// |---|---|
/// | `black` | the side is Black |
/// | `static` | its rook stays on files 1 to 4 of its camp through the opening, and its moves show that |
/// | `ranging` `swung6` | its rook has gone to one of the files 5 to 9, to file 6 as the first |
/// | `bishop` | it has taken a bishop |
/// | `took` | its bishop took the other one, both from their first squares |
/// | `strays` `settled` | its rook does not stay where it goes; a move shows that it stays on the right |
const FACTS: [&str; 12] = [
    "black", "static", "ranging", "swung5", "swung6", "swung7", "swung8", "swung9", "bishop", "took", "strays",
    "settled",
];

/// A set of facts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts(u16);

impl Facts {
    fn bit(fact: &str) -> Option<u16> {
        FACTS.iter().position(|known| *known == fact).map(|place| 1 << place)
    }

    pub(super) fn add_if(&mut self, holds: bool, fact: &str) {
        self.0 |= Self::bit(fact).filter(|_| holds).unwrap_or(0);
    }

    pub(super) fn has(self, fact: &str) -> bool {
        Self::bit(fact).is_some_and(|bit| self.0 & bit != 0)
    }
}

/// A position with what led to it.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub(super) board: [Option<Piece>; 81],
    pub(super) facts: [Facts; 2],
}

impl Moment {
    /// Returns true if `side` has a piece of this kind on a square, seen from its side.
    pub(super) fn has(&self, side: Color, kind: PieceType, square: Square) -> bool {
        self.board[square.relative(side)] == Some(Piece::new(side, kind))
    }

    fn is(&self, side: Color, atom: &Atom) -> bool {
        match *atom {
            Atom::Piece(kind, square) => self.has(side, kind, square),
            Atom::Fact(bit) => self.facts[side].0 & bit != 0,
        }
    }
}

#[derive(Debug, PartialEq)]
enum Atom {
    Piece(PieceType, Square),
    Fact(u16),
}

impl Atom {
    fn parse(text: &str) -> Option<Self> {
        let piece = || {
            let [piece, file, rank] = *text.as_bytes() else { return None };
            let square = Square::new(file.wrapping_sub(b'0'), rank.wrapping_sub(b'0'))?;
            Some(Self::Piece(PieceType::from_letter(piece.into())?, square))
        };
        Facts::bit(text).map(Self::Fact).or_else(piece)
    }
}

/// Alternatives, none of which holds where they are negated; true with those of the opponent.
#[derive(Debug)]
struct Word {
    is_negated: bool,
    any: Vec<(bool, Atom)>,
}

impl Word {
    fn parse(text: &str) -> Option<Self> {
        let positive = text.strip_prefix('!');
        let any = positive.unwrap_or(text).split('|').map(|atom| {
            let opponents = atom.strip_prefix('~');
            Some((opponents.is_some(), Atom::parse(opponents.unwrap_or(atom))?))
        });
        Some(Self { is_negated: positive.is_some(), any: any.collect::<Option<_>>()? })
    }

    fn holds(&self, moment: &Moment, side: Color) -> bool {
        let is = |(is_opponents, atom): &(bool, Atom)| moment.is(if *is_opponents { !side } else { side }, atom);
        self.any.iter().any(is) != self.is_negated
    }
}

/// Words that hold in one position, after a number of moves at most.
#[derive(Debug)]
struct Stage {
    until: usize,
    words: Vec<Word>,
}

impl Stage {
    fn parse(text: &str) -> Option<Self> {
        let mut texts = text.split_whitespace().peekable();
        let until = texts.next_if(|word| word.starts_with('@'));
        let until = until.map_or(Some(usize::MAX), |word| word.trim_start_matches('@').parse().ok())?;
        Some(Self { until, words: texts.map(Word::parse).collect::<Option<_>>()? })
    }

    fn holds(&self, moment: &Moment, side: Color) -> bool {
        self.words.iter().all(|word| word.holds(moment, side))
    }
}

/// The rule of a name: alternatives of stages that follow each other.
#[derive(Debug)]
pub(super) struct Rule(Vec<Vec<Stage>>);

impl Rule {
    /// Reads a rule; `None` where the text is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let stages = |text: &str| text.split('>').map(Stage::parse).collect::<Option<Vec<_>>>();
        text.split('/').map(stages).collect::<Option<_>>().map(Self)
    }

    /// The number of moves after which the rule holds for a side, in a game's moments from its
    /// start on.
    pub(super) fn reached(&self, game: &[Moment], side: Color) -> Option<usize> {
        let next = |from, stage: &Stage| {
            let mut within = game.iter().enumerate().skip(from).take_while(|(ply, _)| *ply <= stage.until);
            within.find(|(_, moment)| stage.holds(moment, side)).map(|(ply, _)| ply)
        };
        self.0.iter().filter_map(|stages| stages.iter().try_fold(0, next)).min()
    }

    /// Returns true if a rule of one stage holds in the position.
    pub(super) fn holds(&self, moment: &Moment, side: Color) -> bool {
        self.0.iter().flatten().any(|stage| stage.holds(moment, side))
    }

    /// Returns true if a piece of the rule is wanted on this square, seen from its side.
    pub(super) fn wants(&self, square: Square) -> bool {
        let words = self.0.iter().flatten().flat_map(|stage| &stage.words);
        let mut atoms = words.filter(|word| !word.is_negated).flat_map(|word| &word.any);
        atoms.any(|(is_opponents, atom)| !is_opponents && matches!(atom, Atom::Piece(_, on) if *on == square))
    }
}
