//! Shards: parts of one work that several machines do, each into files of its own.

use std::fmt;
use std::str::FromStr;

/// Part `index` of `count` parts of a work whose pieces are numbered from 0.
///
/// It holds the pieces whose number modulo `count` is `index - 1`, so that the parts are
/// disjoint, together the whole, and of nearly equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    index: u64,
    count: u64,
}

/// Text that is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard: i/n with i from 1 to n is needed (such as 1/4)")]
pub struct ShardError(String);

impl Shard {
    /// Returns true if the piece with this number belongs to the shard.
    ///
    /// ```
    /// use enbu_files::Shard;
    /// let shard: Shard = "2/4".parse()?;
    /// assert!(shard.contains(1) && shard.contains(5) && !shard.contains(2));
    /// # Ok::<(), enbu_files::ShardError>(())
    /// ```
    pub const fn contains(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }

    /// Number of parts of the work.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// Returns true if the shard is the whole work.
    pub const fn is_whole(self) -> bool {
        self.count == 1
    }
}

impl Default for Shard {
    /// The whole work.
    fn default() -> Self {
        Self { index: 1, count: 1 }
    }
}

impl fmt::Display for Shard {
    /// `i/n`, as [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    /// Reads `i/n`.
    ///
    /// # Errors
    /// [`ShardError`] unless `i` is from 1 to `n`.
    ///
    /// ```
    /// use enbu_files::Shard;
    /// assert!("2/4".parse::<Shard>().is_ok());
    /// assert!("0/4".parse::<Shard>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parsed = text.split_once('/').and_then(|(index, count)| {
            let shard = Self { index: index.parse().ok()?, count: count.parse().ok()? };
            (1..=shard.count).contains(&shard.index).then_some(shard)
        });
        parsed.ok_or_else(|| ShardError(text.chars().take(40).collect()))
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
        let shards = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Shard>().expect("a shard"));
        for number in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.contains(number)).count(), 1);
            assert!(Shard::default().contains(number));
        }
        assert_eq!(shards.map(|shard| format!("{shard} of {}", shard.count())), ["1/3 of 3", "2/3 of 3", "3/3 of 3"]);
    }
}
