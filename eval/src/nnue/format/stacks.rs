//! `nn.bin` of the layer-stack family (SFNN).
//!
//! After the description: the first layer as two compressed blocks, in some shapes a
//! section of progress weights, then the stacks, each a small network after a magic number.

use enbu_language::Words;

use super::classic::layers;
use super::cursor::Cursor;
use super::header::Header;
use super::leb128::{Compressed, MAGIC};
use crate::nnue::accumulator::Transformer;
use crate::nnue::error::NetworkError;
use crate::nnue::features::FeatureSet;
use crate::nnue::layers::{Layers, pad32};
use crate::nnue::memory::{Block, Constants};
use crate::nnue::network::{Head, Network, Stacks};
use crate::nnue::selector::{Progress, Selector};
use crate::nnue::simd::Simd;

/// The default of FV_SCALE.
const SCALE: i32 = 28;

/// The hash before the first layer, for all sizes.
const TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
/// The magic number before each stack.
const STACK: u32 = 0x6333_718A;
/// The magic number before progress weights.
const PROGRESS: u32 = 0x6F50_524F;

/// Returns true if a first layer of this family follows the description.
pub(crate) fn follow(cursor: &Cursor<'_>) -> bool {
    cursor.rest().get(4..).is_some_and(|rest| rest.starts_with(MAGIC))
}

/// Reads the network after the description.
pub(crate) fn read(mut cursor: Cursor<'_>, header: &Header<'_>, simd: Simd) -> Result<Network, NetworkError> {
    let hash = cursor.u32(Words("the first layer's hash", "第 1 層のハッシュ"))?;
    let transformer = transformer(&mut cursor)?;
    let offset = cursor.offset();
    let progress = match cursor.clone().u32(Words("the first stack", "最初のスタック"))? {
        PROGRESS => Some(progress_weights(&mut cursor)?),
        _ => None,
    };
    let width = transformer.width();
    let unknown = NetworkError::UnknownShape { offset: cursor.offset(), length: cursor.rest().len() };
    let sizes = Sizes::recognise(cursor.rest(), width, header.text).ok_or(unknown)?;
    let selector = Selector::recognise(sizes.stacks, progress.is_some(), header.text).ok_or(NetworkError::Field {
        part: Words("the number of stacks", "スタックの数"),
        offset,
        value: sizes.stacks as i64,
        expected: Words("the number of a known selector", "既知の選択方式の数"),
    })?;
    let shards = Shards::described(header.text).filter(|shards| shards.fit(width, sizes.outputs()));
    let mut stacks = Vec::new();
    for _ in 0..sizes.stacks {
        stacks.push(stack(&mut cursor, width, &sizes, shards)?);
    }
    cursor.end()?;
    let file_hash = STACK ^ TRANSFORMER_HASH ^ if progress.is_some() { PROGRESS } else { 0 };
    let progress = match (progress, selector.progress) {
        (Some((bias, weights)), Some(buckets)) => Some(Progress::new(bias, weights, buckets)?),
        _ => None,
    };
    let Sizes { first, second, .. } = sizes;
    Ok(Network {
        shape: format!("sfnn-{}-{width}-{first}-{second}{selector}", transformer.features.row().0),
        simd,
        transformer,
        attacks: None,
        head: Head::Stacks(Stacks { stacks, first, selector, progress }),
        scale: header.scale().unwrap_or(SCALE),
        hashes_agree: hash == TRANSFORMER_HASH && header.hash == file_hash,
    })
}

fn transformer(cursor: &mut Cursor<'_>) -> Result<Transformer, NetworkError> {
    let offset = cursor.offset();
    let biases = Compressed::find(cursor, Words("the first layer's biases", "第 1 層のバイアス"))?;
    let width = biases.count();
    if width == 0 || !width.is_multiple_of(64) || width > 8192 {
        let part = Words("the number of the first layer's biases", "第 1 層のバイアスの数");
        let expected = Words("a multiple of 64 up to 8192", "8192 以下の 64 の倍数");
        return Err(NetworkError::Field { part, offset, value: width as i64, expected });
    }
    let offset = cursor.offset();
    let rows = Compressed::find(cursor, Words("the first layer's weights", "第 1 層の重み"))?;
    let count = rows.count();
    let features = FeatureSet::STANDARD.into_iter().find(|features| features.inputs() * width == count);
    let features = features.ok_or(NetworkError::Field {
        part: Words("the number of the first layer's weights", "第 1 層の重みの数"),
        offset,
        value: count as i64,
        expected: Words("that of a known set of inputs", "既知の入力特徴の数"),
    })?;
    let (mut all_biases, mut all_rows) = (Block::zeroed(width)?, Block::zeroed(count)?);
    biases.decode(&mut all_biases)?;
    rows.decode(&mut all_rows)?;
    Ok(Transformer { features, biases: all_biases, rows: Constants::Read(all_rows) })
}

/// The bias and the weights of the progress, these as bytes.
fn progress_weights<'a>(cursor: &mut Cursor<'a>) -> Result<(i32, &'a [[u8; 4]]), NetworkError> {
    cursor.u32(Words("the magic number of the progress weights", "進行度の重みのマジック番号"))?;
    let bias = cursor.u32(Words("the progress bias", "進行度のバイアス"))? as i32;
    let part = Words("the progress weights", "進行度の重み");
    Ok((bias, cursor.numbers(FeatureSet::HalfKp.inputs(), part)?))
}

fn stack(cursor: &mut Cursor<'_>, width: usize, sizes: &Sizes, shards: Option<Shards>) -> Result<Layers, NetworkError> {
    cursor.u32(Words("the magic number of a stack", "スタックのマジック番号"))?;
    let is_used = |output, input| shards.is_none_or(|shards| shards.is_used(output, input, sizes.outputs()));
    layers(cursor, [width, 2 * sizes.first, sizes.second], sizes.outputs(), is_used)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    stacks: usize,
    first: usize,
    second: usize,
}

impl Sizes {
    /// Outputs of the first affine layer: its units rounded up to a multiple of eight.
    fn outputs(&self) -> usize {
        self.first.next_multiple_of(8)
    }

    /// Bytes of one stack and its magic number.
    fn bytes(&self, width: usize) -> usize {
        let (outputs, second) = (self.outputs(), self.second);
        8 + 4 * (outputs + second) + outputs * pad32(width) + second * pad32(2 * self.first) + pad32(second)
    }

    /// The sizes with which every stack begins with the magic number. 8n - 1 and 8n units
    /// have equal lengths: the description decides, else the usual 8n - 1.
    fn recognise(rest: &[u8], width: usize, text: &str) -> Option<Self> {
        let is_marked = |stack: &[u8]| stack.starts_with(&STACK.to_le_bytes());
        let mut best: Option<((bool, usize), Self)> = None;
        for first in (7..=128).filter(|first| matches!(first % 8, 0 | 7)) {
            for second in (8..=256).step_by(8) {
                let one = Self { stacks: 1, first, second };
                let bytes = one.bytes(width);
                if rest.is_empty() || !rest.len().is_multiple_of(bytes) || !rest.chunks_exact(bytes).all(is_marked) {
                    continue;
                }
                let sizes = Self { stacks: rest.len() / bytes, ..one };
                let rank = (text.contains(&format!("_{width}_{first}_{second}")), sizes.stacks);
                if best.as_ref().is_none_or(|(most, _)| rank > *most) {
                    best = Some((rank, sizes));
                }
            }
        }
        best.map(|(_, sizes)| sizes)
    }
}

/// A first affine layer in groups of outputs: all are connected to the first `common`
/// inputs, and each group to `own` further inputs of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shards {
    common: usize,
    own: usize,
    groups: usize,
}

impl Shards {
    /// `_C1024_S256X8` in a description.
    fn described(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        words.windows(2).find_map(|pair| {
            let (own, groups) = pair[1].strip_prefix('S')?.split_once('X')?;
            Some(Self {
                common: pair[0].strip_prefix('C')?.parse().ok()?,
                own: own.parse().ok()?,
                groups: groups.parse().ok()?,
            })
        })
    }

    fn fit(&self, width: usize, outputs: usize) -> bool {
        let inputs = self.own.checked_mul(self.groups).and_then(|own| own.checked_add(self.common));
        self.groups > 0 && outputs.is_multiple_of(self.groups) && inputs == Some(width)
    }

    fn is_used(&self, output: usize, input: usize, outputs: usize) -> bool {
        let group = output / (outputs / self.groups);
        input < self.common || (input - self.common) / self.own == group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks(sizes: Sizes, width: usize) -> Vec<u8> {
        let mut bytes = vec![1; sizes.stacks * sizes.bytes(width)];
        bytes.chunks_exact_mut(sizes.bytes(width)).for_each(|stack| stack[..4].copy_from_slice(&STACK.to_le_bytes()));
        bytes
    }

    #[test]
    fn sizes_are_found_by_the_magic_numbers() {
        let sizes = Sizes { stacks: 9, first: 15, second: 32 };
        assert_eq!(sizes.bytes(1536), 25_832);
        assert_eq!(Sizes::recognise(&stacks(sizes, 1536), 1536, ""), Some(sizes));
        let sizes = Sizes { stacks: 1, first: 7, second: 64 };
        assert_eq!(sizes.bytes(1024), 10_600);
        assert_eq!(Sizes::recognise(&stacks(sizes, 1024), 1024, ""), Some(sizes));
        let even = Sizes { stacks: 3, first: 8, second: 32 };
        let bytes = stacks(even, 256);
        assert_eq!(Sizes::recognise(&bytes, 256, "SFNN_KA2_256_8_32"), Some(even));
        assert_eq!(Sizes::recognise(&bytes, 256, ""), Some(Sizes { first: 7, ..even }));
        assert_eq!(Sizes::recognise(&bytes[..bytes.len() - 4], 256, ""), None);
        assert_eq!(Sizes::recognise(&[], 256, ""), None);
    }

    #[test]
    fn shards_use_the_common_inputs_and_their_own() {
        let shards = Shards::described("SFNN_HALFKAHM2_3072_15_32_C1024_S256X8{LayerStack=9}").expect("shards");
        assert_eq!(shards, Shards { common: 1024, own: 256, groups: 8 });
        assert!(shards.fit(3072, 16) && !shards.fit(1536, 16) && !shards.fit(3072, 12));
        assert!(shards.is_used(0, 1023, 16) && shards.is_used(15, 0, 16));
        assert!(shards.is_used(0, 1024, 16) && shards.is_used(1, 1279, 16) && !shards.is_used(2, 1024, 16));
        assert!(shards.is_used(15, 3071, 16) && !shards.is_used(13, 3071, 16));
        assert_eq!(Shards::described("SFNN_1536_15_32"), None);
        assert!(!Shards { common: 64, own: 0, groups: 0 }.fit(64, 8));
    }
}
