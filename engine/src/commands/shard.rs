//! Shards: parts of one work that several machines do, each into files of its own.

use std::fmt;
use std::str::FromStr;

use enbu_language::text;

/// Part `index` of `count` parts of a work whose pieces are numbered from 0.
///
/// It holds the pieces whose number modulo `count` is `index - 1`, so that the parts are
/// disjoint, together the whole, and of nearly equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// Returns true if the piece with this number belongs to the shard.
    pub(crate) const fn contains(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }

    /// Number of its first piece, and the number of parts of the work.
    pub(crate) const fn part(self) -> (u64, u64) {
        (self.index - 1, self.count)
    }

    /// Returns true if the shard is the whole work.
    pub(crate) const fn is_whole(self) -> bool {
        self.count == 1
    }
}

impl fmt::Display for Shard {
    /// `i/n`, as [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Reads `i/n` with `i` from 1 to `n`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            let shard = Self { index: index.parse().ok()?, count: count.parse().ok()? };
            (1..=shard.count).contains(&shard.index).then_some(shard)
        });
        let cut: String = text.chars().take(40).collect();
        let text = text!(
            "`{cut}` is not a shard: i/n with i from 1 to n is needed (such as 1/4)",
            "`{cut}` は i/n の形ではありません（i は 1～n、例：1/4）"
        );
        parsed.ok_or_else(|| text.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_shards_are_refused() {
        for text in ["", "1", "0/2", "3/2", "1/0", "a/b", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn each_piece_belongs_to_one_shard() {
        assert_eq!("2/4".parse::<Shard>().map(Shard::part), Ok((1, 4)));
        let shards = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Shard>().unwrap());
        for number in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.contains(number)).count(), 1);
            assert!("1/1".parse::<Shard>().unwrap().contains(number));
        }
        assert_eq!(shards.map(|shard| format!("{shard} of {}", shard.part().1)), ["1/3 of 3", "2/3 of 3", "3/3 of 3"]);
    }
}
