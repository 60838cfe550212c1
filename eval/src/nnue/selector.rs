//! The choice among several small networks.
//!
//! Layer-stack networks select by the kings' squares, by the pieces in hand, and by a
//! linear function of the position called progress; each part may be absent.

use std::collections::TryReserveError;
use std::fmt;

use enbu_movegen::{Color, Hand, HandPiece, Position, Square};

use super::features::{FeatureSet, active};
use super::memory::Block;

/// The criteria for selecting a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Selector {
    /// The hands of both sides.
    pub(crate) hands: Option<HandBuckets>,
    /// The squares of both kings.
    pub(crate) kings: Option<KingBuckets>,
    /// The number of progress buckets.
    pub(crate) progress: Option<u8>,
}

/// Buckets of a king's square: by groups of ranks, near home by ranks and groups of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KingBuckets {
    name: &'static str,
    /// The first rank near home, from 0 for the far edge; 9 for none.
    home: usize,
    /// Ranks of a group before that.
    ranks: usize,
    /// Files of a group from there on.
    files: usize,
}

/// Buckets of a hand: by the groups of pieces it contains, each of which sets its bit, the
/// first the lowest; without groups by its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HandBuckets {
    name: &'static str,
    groups: &'static [&'static [HandPiece]],
}

/// The numbers of progress buckets in use.
const PROGRESS: [u8; 6] = [2, 3, 4, 8, 16, 32];

impl KingBuckets {
    /// Those in use, named by the number of buckets of one king; a `z` marks files in threes.
    const ALL: [Self; 6] = [
        Self { name: "k3k3", home: 9, ranks: 3, files: 9 },
        Self { name: "k9k9", home: 9, ranks: 1, files: 9 },
        Self { name: "k9k9z", home: 7, ranks: 3, files: 3 },
        Self { name: "k13k13z", home: 7, ranks: 1, files: 3 },
        Self { name: "k21k21", home: 7, ranks: 3, files: 1 },
        Self { name: "k29k29", home: 6, ranks: 3, files: 1 },
    ];

    /// Buckets before those near home.
    const fn far(self) -> usize {
        self.home.div_ceil(self.ranks)
    }

    /// Buckets of one king.
    const fn count(self) -> usize {
        self.far() + (9 - self.home) * 9 / self.files
    }

    /// The bucket of a king on `square`, from its own side's perspective.
    fn bucket(self, square: Square) -> usize {
        let (file, rank) = (square.index() / 9, square.index() % 9);
        match rank.checked_sub(self.home) {
            Some(near) => self.far() + (9 * near + file) / self.files,
            None => rank / self.ranks,
        }
    }
}

impl HandBuckets {
    /// Those in use, named by the number of buckets of both hands together.
    const ALL: [Self; 6] = {
        use HandPiece::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        [
            Self { name: "hand4", groups: &[&[Bishop]] },
            Self { name: "hand16", groups: &[&[Pawn], &[Bishop]] },
            Self { name: "hand64", groups: &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]] },
            Self { name: "hand64z", groups: &[] },
            Self { name: "hand256", groups: &[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]] },
            Self { name: "hand1024", groups: &[&[Pawn], &[Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]] },
        ]
    };

    /// Buckets of one hand.
    const fn count(self) -> usize {
        if self.groups.is_empty() { 8 } else { 1 << self.groups.len() }
    }

    fn bucket(self, hand: Hand) -> usize {
        if self.groups.is_empty() {
            let points: usize = hand.iter().map(|(piece, count)| points(piece) * usize::from(count)).sum();
            return points.div_ceil(4).min(7);
        }
        let bit =
            |(index, group): (usize, &&[HandPiece])| usize::from(group.iter().any(|&piece| hand.has(piece))) << index;
        self.groups.iter().enumerate().map(bit).sum()
    }
}

/// The weight of a piece in `Hand64z`.
const fn points(piece: HandPiece) -> usize {
    match piece {
        HandPiece::Pawn => 1,
        HandPiece::Lance | HandPiece::Knight => 2,
        HandPiece::Silver | HandPiece::Gold => 3,
        HandPiece::Bishop | HandPiece::Rook => 5,
    }
}

impl Selector {
    /// The number of stacks.
    pub(crate) fn stacks(&self) -> usize {
        let square = |count: usize| count * count;
        self.hands.map_or(1, |hands| square(hands.count()))
            * self.kings.map_or(1, |kings| square(kings.count()))
            * self.progress.map_or(1, usize::from)
    }

    /// The stack of `position`; `progress` is its bucket of progress.
    pub(crate) fn index(&self, position: &Position, progress: usize) -> usize {
        let sides = [position.turn(), !position.turn()];
        let mut index = 0;
        if let Some(hands) = self.hands {
            for color in sides {
                index = index * hands.count() + hands.bucket(position.hand(color));
            }
        }
        if let Some(kings) = self.kings {
            for color in sides {
                let seen = position.king(color).map_or(Square::S59, |king| king.relative(color));
                index = index * kings.count() + kings.bucket(seen);
            }
        }
        index * self.progress.map_or(1, usize::from) + progress
    }

    /// The selector of a file with `stacks` stacks: the described one if it fits, else the
    /// simplest that fits.
    pub(crate) fn recognise(stacks: usize, progress: bool, text: &str) -> Option<Self> {
        let buckets: Vec<Option<u8>> = if progress { PROGRESS.map(Some).to_vec() } else { vec![None] };
        let hands = || std::iter::once(None).chain(HandBuckets::ALL.map(Some));
        let kings = || std::iter::once(None).chain(KingBuckets::ALL.map(Some));
        let both = hands().flat_map(|hands| kings().map(move |kings| (hands, kings)));
        let all = both.flat_map(|(hands, kings)| buckets.iter().map(move |&progress| Self { hands, kings, progress }));
        let fits = |selector: &Self| selector.stacks() == stacks && selector.progress.is_some() == progress;
        std::iter::once(Self::described(text)).chain(all).find(fits)
    }

    /// The selector named in a description.
    fn described(text: &str) -> Self {
        let words = || text.split(|c: char| !c.is_ascii_alphanumeric());
        let is_named = |name: &str| words().any(|word| word.eq_ignore_ascii_case(name));
        Self {
            hands: HandBuckets::ALL.into_iter().find(|hands| is_named(hands.name)),
            kings: KingBuckets::ALL.into_iter().find(|kings| is_named(kings.name)),
            progress: PROGRESS.into_iter().find(|count| is_named(&format!("progress{count}"))),
        }
    }
}

impl fmt::Display for Selector {
    /// The last words of a shape's name, each after a hyphen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(hands) = self.hands {
            write!(f, "-{}", hands.name)?;
        }
        if let Some(kings) = self.kings {
            write!(f, "-{}", kings.name)?;
        }
        self.progress.map_or(Ok(()), |count| write!(f, "-progress{count}"))
    }
}

/// The progress of a game: a linear function of the HalfKP inputs of both sides.
#[derive(Debug)]
pub(crate) struct Progress {
    bias: i32,
    /// One weight for each HalfKP input.
    weights: Block<i32>,
    /// The lower bounds of the buckets after the first.
    thresholds: Vec<i64>,
}

impl Progress {
    /// Progress with the weights of the HalfKP inputs.
    pub(crate) fn new(bias: i32, weights: &[[u8; 4]], buckets: u8) -> Result<Self, TryReserveError> {
        let mut block = Block::zeroed(weights.len())?;
        block.iter_mut().zip(weights).for_each(|(weight, &bytes)| *weight = i32::from_le_bytes(bytes));
        let thresholds = (1..usize::from(buckets)).map(|bucket| threshold(256 * bucket, usize::from(buckets)));
        Ok(Self { bias, weights: block, thresholds: thresholds.collect() })
    }

    pub(crate) fn bucket(&self, position: &Position) -> usize {
        let mut sum = i64::from(self.bias);
        for color in Color::ALL {
            active(FeatureSet::HalfKp, color, position, |input| sum += i64::from(self.weights[input as usize]));
        }
        self.thresholds.iter().filter(|&&threshold| threshold <= sum).count()
    }
}

/// The least sum whose progress, 0 to 255, is at least `numerator / denominator`:
/// progress is 256 times the logistic function of the sum in units of 2^-16.
fn threshold(numerator: usize, denominator: usize) -> i64 {
    let step = numerator.div_ceil(denominator) as f64;
    (65536.0 * (step / (256.0 - step)).ln()).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(hands: Option<HandBuckets>, kings: Option<KingBuckets>, progress: Option<u8>) -> Selector {
        Selector { hands, kings, progress }
    }

    #[test]
    fn every_bucket_of_a_king_is_used() {
        for kings in KingBuckets::ALL {
            let mut used = vec![false; kings.count()];
            for square in Square::ALL {
                used[kings.bucket(square)] = true;
            }
            assert!(used.iter().all(|&used| used), "{kings:?}");
        }
    }

    #[test]
    fn the_bucket_of_a_hand_depends_on_its_groups() {
        use HandPiece::{Bishop, Gold, Lance, Pawn, Rook};
        let [hand4, hand16, hand64, hand64z, hand256, hand1024] = HandBuckets::ALL;
        let hand = |pieces: &[HandPiece]| pieces.iter().fold(Hand::EMPTY, |hand, &piece| hand.with(piece));
        for (buckets, pieces, expected) in [
            (hand4, &[Pawn, Rook][..], 0),
            (hand4, &[Bishop], 1),
            (hand16, &[Pawn, Bishop], 3),
            (hand64, &[Lance, Rook], 3),
            (hand64, &[Gold], 2),
            (hand64z, &[], 0),
            (hand64z, &[Pawn], 1),
            (hand64z, &[Bishop], 2),
            (hand64z, &[Rook, Rook, Bishop, Bishop, Gold, Gold, Gold], 7),
            (hand256, &[Rook, Gold], 10),
            (hand1024, &[Pawn, Rook], 17),
        ] {
            assert_eq!(buckets.bucket(hand(pieces)), expected, "{buckets:?} {pieces:?}");
        }
    }

    #[test]
    fn selectors_are_recognised_by_their_number_or_named_by_the_text() {
        let [hand4, hand16, hand64, hand64z, ..] = HandBuckets::ALL;
        let [k3, k9, k9z, k13z, k21, k29] = KingBuckets::ALL;
        for (stacks, progress, text, expected) in [
            (1, false, "", selector(None, None, None)),
            (9, false, "SFNN-1536{LayerStack=9}", selector(None, Some(k3), None)),
            (81, false, "", selector(None, Some(k9), None)),
            (81, false, "SFNN_X_K9K9Z{", selector(None, Some(k9z), None)),
            (169, false, "SFNN_K9K9Z", selector(None, Some(k13z), None)),
            (441, false, "", selector(None, Some(k21), None)),
            (841, false, "", selector(None, Some(k29), None)),
            (36, false, "", selector(Some(hand4), Some(k3), None)),
            (64, false, "", selector(Some(hand64), None, None)),
            (64, false, "_HAND64Z{", selector(Some(hand64z), None, None)),
            (8, true, "", selector(None, None, Some(8))),
            (72, true, "", selector(None, Some(k3), Some(8))),
            (16 * 81 * 4, true, "_HAND16_K9K9_PROGRESS4{", selector(Some(hand16), Some(k9), Some(4))),
        ] {
            let found = Selector::recognise(stacks, progress, text).expect("a selector");
            assert_eq!(found, expected, "{stacks} {text}");
            assert_eq!(found.stacks(), stacks);
        }
        assert_eq!(Selector::recognise(7, false, ""), None);
        assert_eq!(Selector::recognise(9, true, "PROGRESS8"), None);
    }

    #[test]
    fn progress_buckets_begin_where_the_logistic_function_says() {
        assert_eq!(threshold(256, 2), 0);
        assert_eq!(threshold(256, 4), -71_999);
        assert_eq!(threshold(256 * 3, 4), 71_999);
        // A third of 256 is 85.3: the 86th step.
        assert_eq!(threshold(256, 3), threshold(86, 1));
        let weights = vec![0_i32.to_le_bytes(); FeatureSet::HalfKp.inputs()];
        let position = Position::startpos();
        for (bias, bucket) in [(-200_000, 0), (-72_000, 0), (-71_999, 1), (-1, 1), (0, 2), (71_999, 3)] {
            let progress = Progress::new(bias, &weights, 4).expect("memory");
            assert_eq!(progress.bucket(&position), bucket, "{bias}");
        }
    }
}
