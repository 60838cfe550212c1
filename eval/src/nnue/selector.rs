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
pub struct Selector {
    /// The hands of both sides.
    pub hands: Option<HandBuckets>,
    /// The squares of both kings.
    pub kings: Option<KingBuckets>,
    /// The number of progress buckets.
    pub progress: Option<u8>,
}

/// Buckets of a king's square: by ranks, near home also by files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the number of buckets of one king; a `z` marks those with files in threes")]
pub enum KingBuckets {
    K3,
    K9,
    K9z,
    K13z,
    K21,
    K29,
}

/// Buckets of a hand: by the groups of pieces it contains, or by its weight (`Hand64z`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the number of buckets of both hands together")]
pub enum HandBuckets {
    Hand4,
    Hand16,
    Hand64,
    Hand64z,
    Hand256,
    Hand1024,
}

/// The numbers of progress buckets in use.
const PROGRESS: [u8; 6] = [2, 3, 4, 8, 16, 32];

impl KingBuckets {
    const ALL: [Self; 6] = [Self::K3, Self::K9, Self::K9z, Self::K13z, Self::K21, Self::K29];

    const fn name(self) -> &'static str {
        match self {
            Self::K3 => "k3k3",
            Self::K9 => "k9k9",
            Self::K9z => "k9k9z",
            Self::K13z => "k13k13z",
            Self::K21 => "k21k21",
            Self::K29 => "k29k29",
        }
    }

    /// Buckets of one king.
    const fn count(self) -> usize {
        match self {
            Self::K3 => 3,
            Self::K9 | Self::K9z => 9,
            Self::K13z => 13,
            Self::K21 => 21,
            Self::K29 => 29,
        }
    }

    /// The bucket of a king on `square`, from its own side's perspective.
    fn bucket(self, square: Square) -> usize {
        let (file, rank) = (square.index() / 9, square.index() % 9);
        let zone = rank.min(6) / 3;
        match self {
            Self::K3 => rank / 3,
            Self::K9 => rank,
            Self::K9z if rank > 6 => 3 + 3 * (rank - 7) + file / 3,
            Self::K13z if rank > 6 => 7 + 3 * (rank - 7) + file / 3,
            Self::K13z => rank,
            Self::K21 if rank > 6 => 3 + 9 * (rank - 7) + file,
            Self::K29 if rank > 5 => 2 + 9 * (rank - 6) + file,
            Self::K9z | Self::K21 | Self::K29 => zone,
        }
    }
}

impl HandBuckets {
    const ALL: [Self; 6] = [Self::Hand4, Self::Hand16, Self::Hand64, Self::Hand64z, Self::Hand256, Self::Hand1024];

    const fn name(self) -> &'static str {
        match self {
            Self::Hand4 => "hand4",
            Self::Hand16 => "hand16",
            Self::Hand64 => "hand64",
            Self::Hand64z => "hand64z",
            Self::Hand256 => "hand256",
            Self::Hand1024 => "hand1024",
        }
    }

    /// Groups of pieces; each group in hand sets its bit, the first the lowest.
    const fn groups(self) -> &'static [&'static [HandPiece]] {
        use HandPiece::{Bishop, Gold, Knight, Lance, Pawn, Rook, Silver};
        match self {
            Self::Hand4 => &[&[Bishop]],
            Self::Hand16 => &[&[Pawn], &[Bishop]],
            Self::Hand64 => &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]],
            Self::Hand64z => &[],
            Self::Hand256 => &[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
            Self::Hand1024 => &[&[Pawn], &[Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
        }
    }

    /// Buckets of one hand.
    const fn count(self) -> usize {
        match self {
            Self::Hand64z => 8,
            _ => 1 << self.groups().len(),
        }
    }

    fn bucket(self, hand: Hand) -> usize {
        if self == Self::Hand64z {
            let points: usize = hand.iter().map(|(piece, count)| points(piece) * usize::from(count)).sum();
            return points.div_ceil(4).min(7);
        }
        let bit =
            |(index, group): (usize, &&[HandPiece])| usize::from(group.iter().any(|&piece| hand.has(piece))) << index;
        self.groups().iter().enumerate().map(bit).sum()
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
    pub fn stacks(&self) -> usize {
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
        let fits = |selector: &Self| selector.stacks() == stacks && selector.progress.is_some() == progress;
        let described = Self::described(text);
        if fits(&described) {
            return Some(described);
        }
        let none_or = |all: [HandBuckets; 6]| std::iter::once(None).chain(all.map(Some));
        let buckets: Vec<Option<u8>> = if progress { PROGRESS.map(Some).to_vec() } else { vec![None] };
        for hands in none_or(HandBuckets::ALL) {
            for kings in std::iter::once(None).chain(KingBuckets::ALL.map(Some)) {
                let all = buckets.iter().map(|&progress| Self { hands, kings, progress });
                if let Some(found) = all.into_iter().find(fits) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The selector named in a description.
    fn described(text: &str) -> Self {
        let mut selector = Self::default();
        for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
            if let Some(hands) = HandBuckets::ALL.into_iter().find(|hands| word.eq_ignore_ascii_case(hands.name())) {
                selector.hands = Some(hands);
            } else if let Some(kings) =
                KingBuckets::ALL.into_iter().find(|kings| word.eq_ignore_ascii_case(kings.name()))
            {
                selector.kings = Some(kings);
            } else if let Some(count) =
                PROGRESS.into_iter().find(|n| word.eq_ignore_ascii_case(&format!("progress{n}")))
            {
                selector.progress = Some(count);
            }
        }
        selector
    }
}

impl fmt::Display for Selector {
    /// The last words of a shape's name, each after a hyphen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(hands) = self.hands {
            write!(f, "-{}", hands.name())?;
        }
        if let Some(kings) = self.kings {
            write!(f, "-{}", kings.name())?;
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
    ///
    /// # Errors
    /// When they cannot be allocated.
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
        let hand = |pieces: &[HandPiece]| pieces.iter().fold(Hand::EMPTY, |hand, &piece| hand.with(piece));
        for (buckets, pieces, expected) in [
            (HandBuckets::Hand4, &[Pawn, Rook][..], 0),
            (HandBuckets::Hand4, &[Bishop], 1),
            (HandBuckets::Hand16, &[Pawn, Bishop], 3),
            (HandBuckets::Hand64, &[Lance, Rook], 3),
            (HandBuckets::Hand64, &[Gold], 2),
            (HandBuckets::Hand64z, &[], 0),
            (HandBuckets::Hand64z, &[Pawn], 1),
            (HandBuckets::Hand64z, &[Bishop], 2),
            (HandBuckets::Hand64z, &[Rook, Rook, Bishop, Bishop, Gold, Gold, Gold], 7),
            (HandBuckets::Hand256, &[Rook, Gold], 10),
            (HandBuckets::Hand1024, &[Pawn, Rook], 17),
        ] {
            assert_eq!(buckets.bucket(hand(pieces)), expected, "{buckets:?} {pieces:?}");
        }
    }

    #[test]
    fn selectors_are_recognised_by_their_number_or_named_by_the_text() {
        use HandBuckets::{Hand4, Hand16, Hand64, Hand64z};
        use KingBuckets::{K3, K9, K9z, K13z, K21, K29};
        for (stacks, progress, text, expected) in [
            (1, false, "", selector(None, None, None)),
            (9, false, "SFNN-1536{LayerStack=9}", selector(None, Some(K3), None)),
            (81, false, "", selector(None, Some(K9), None)),
            (81, false, "SFNN_X_K9K9Z{", selector(None, Some(K9z), None)),
            (169, false, "SFNN_K9K9Z", selector(None, Some(K13z), None)),
            (441, false, "", selector(None, Some(K21), None)),
            (841, false, "", selector(None, Some(K29), None)),
            (36, false, "", selector(Some(Hand4), Some(K3), None)),
            (64, false, "", selector(Some(Hand64), None, None)),
            (64, false, "_HAND64Z{", selector(Some(Hand64z), None, None)),
            (8, true, "", selector(None, None, Some(8))),
            (72, true, "", selector(None, Some(K3), Some(8))),
            (16 * 81 * 4, true, "_HAND16_K9K9_PROGRESS4{", selector(Some(Hand16), Some(K9), Some(4))),
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
