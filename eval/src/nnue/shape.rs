//! The sizes of a standard network of the classic family, and their recognition from a file.

use std::fmt;

use crate::nnue::features::FeatureSet;
use crate::nnue::layers::pad32;

/// Sizes of the classic family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classic {
    /// The inputs.
    pub features: FeatureSet,
    /// Accumulator width of each side.
    pub width: usize,
    /// Units of the first affine layer.
    pub first: usize,
    /// Units of the second affine layer.
    pub second: usize,
}

impl fmt::Display for Classic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { features, width, first, second } = self;
        write!(f, "{}-{width}x2-{first}-{second}", features.row().0)
    }
}

/// Section hashes of a classic file. Some writers omit them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionHashes {
    Present,
    Absent,
}

/// The evidence for the shape of a classic file.
pub(crate) struct Evidence<'a> {
    /// The bytes after the description.
    pub(crate) body: &'a [u8],
    pub(crate) file_hash: u32,
    pub(crate) text: &'a str,
}

impl Evidence<'_> {
    fn number(&self, offset: usize) -> Option<u32> {
        self.body.get(offset..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }
}

impl Classic {
    /// Bytes of the first layer without its hash.
    fn transformer_bytes(&self) -> usize {
        2 * self.width * (1 + self.features.inputs())
    }

    /// Bytes of the small network without its hash.
    fn network_bytes(&self) -> usize {
        let Self { width, first, second, .. } = *self;
        4 * (first + second + 1) + first * pad32(2 * width) + second * pad32(first) + pad32(second)
    }

    /// Bytes after the description.
    pub(crate) fn body_bytes(&self) -> usize {
        8 + self.transformer_bytes() + self.network_bytes()
    }

    /// The usual shape with this file hash.
    pub(crate) fn named_by(file_hash: u32) -> Option<Self> {
        let all = FeatureSet::STANDARD.into_iter().flat_map(|features| {
            (64..=2048).step_by(64).flat_map(move |width| {
                [8, 16, 32]
                    .into_iter()
                    .flat_map(move |first| [16, 32, 64, 96, 128].map(|second| Self { features, width, first, second }))
            })
        });
        let mut named = all.filter(|shape| shape.file_hash() == Some(file_hash));
        named.next()
    }

    /// The hash of the file; `None` for families without standard files.
    fn file_hash(&self) -> Option<u32> {
        self.transformer_hash().map(|transformer| transformer ^ self.network_hash())
    }

    /// The hash before the first layer; `None` for families without standard files.
    pub(crate) fn transformer_hash(&self) -> Option<u32> {
        self.features.row().2.map(|features| features ^ (2 * self.width as u32))
    }

    /// The hash before the small network.
    pub(crate) fn network_hash(&self) -> u32 {
        let affine = |previous: u32, outputs: usize| {
            0xCC03_DAE4_u32.wrapping_add(outputs as u32) ^ previous >> 1 ^ previous << 31
        };
        let limited = |previous: u32| 0x538D_24C7_u32.wrapping_add(previous);
        let inputs = 0xEC42_E90D ^ (2 * self.width as u32);
        let second = limited(affine(limited(affine(inputs, self.first)), self.second));
        affine(second, 1)
    }

    /// The description in files of this shape.
    pub(crate) fn description(&self) -> String {
        let Self { features, width, first, second } = self;
        let ((_, name, _, inputs), sums) = (features.row(), 2 * width);
        format!(
            "Features={name}[{inputs}->{width}x2],Network=AffineTransform[1<-{second}](ClippedReLU[{second}]\
             (AffineTransform[{second}<-{first}](ClippedReLU[{first}](AffineTransform[{first}<-{sums}]\
             (InputSlice[{sums}(0:{sums})])))))"
        )
    }

    /// The signs for this shape, the strongest first.
    fn signs(&self, hashes: SectionHashes, evidence: &Evidence<'_>) -> [bool; 5] {
        let section = |offset: usize| (hashes == SectionHashes::Present).then(|| evidence.number(offset)).flatten();
        let descriptions =
            [format!("[{}->{}x2]", self.features.inputs(), self.width), format!("[{}<-{}]", self.second, self.first)];
        let is_usual = self.width.is_multiple_of(64)
            && [8, 16, 32].contains(&self.first)
            && [16, 32, 64, 96, 128].contains(&self.second);
        [
            section(4 + self.transformer_bytes()) == Some(self.network_hash()),
            self.file_hash() == Some(evidence.file_hash),
            section(0) == self.transformer_hash(),
            descriptions.iter().all(|part| evidence.text.contains(part)),
            is_usual,
        ]
    }

    /// The shape of a file: of those that its length allows, the one with the strongest
    /// signs (hashes, then description, then usual sizes).
    pub(crate) fn recognise(evidence: &Evidence<'_>) -> Option<Recognised> {
        let mut best: Option<([bool; 5], Recognised)> = None;
        for (hashes, extra) in [(SectionHashes::Present, 8), (SectionHashes::Absent, 0)] {
            let Some(length) = evidence.body.len().checked_sub(extra) else { continue };
            each_of_length(length, |shape| {
                let signs = shape.signs(hashes, evidence);
                let trusted = match hashes {
                    SectionHashes::Present => signs[0] || signs[1] || signs[4],
                    // Otherwise it is a file with hashes that lacks its last eight bytes.
                    SectionHashes::Absent => signs[1] && evidence.number(0) != shape.transformer_hash(),
                };
                if trusted && best.as_ref().is_none_or(|(most, _)| signs > *most) {
                    best = Some((signs, Recognised { shape, hashes, hashes_agree: signs[0] && signs[1] }));
                }
            });
        }
        best.map(|(_, found)| found)
    }
}

/// A recognised classic file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recognised {
    pub(crate) shape: Classic,
    pub(crate) hashes: SectionHashes,
    /// True if the hashes in the file match the shape.
    pub(crate) hashes_agree: bool,
}

/// The largest small network that is recognised, in bytes.
const MAX_NETWORK: usize = 1 << 21;

/// Calls `found` with every shape whose sections have `length` bytes in total.
fn each_of_length(length: usize, mut found: impl FnMut(Classic)) {
    for features in FeatureSet::STANDARD {
        for width in (32..=4096).step_by(32) {
            let transformer = 2 * width * (1 + features.inputs());
            let Some(network) = length.checked_sub(transformer) else { break };
            if network > MAX_NETWORK {
                continue;
            }
            for first in (8..=256).step_by(8) {
                for second in (8..=256).step_by(8) {
                    let shape = Classic { features, width, first, second };
                    if shape.network_bytes() == network {
                        found(shape);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classic(features: FeatureSet, width: usize, first: usize, second: usize) -> Classic {
        Classic { features, width, first, second }
    }

    #[test]
    fn hashes_and_lengths_are_those_of_files_in_use() {
        for (shape, transformer, network, body) in [
            (classic(FeatureSet::HalfKp, 256, 32, 32), 0x5D69_D7B8, 0x6333_7156, 64_216_876),
            (classic(FeatureSet::HalfKp, 512, 8, 96), 0x5D69_D1B8, 0x6333_76B4, 128_410_124),
            (classic(FeatureSet::HalfKp, 768, 16, 64), 0x5D69_D3B8, 0x6333_719A, 192_624_524),
            (classic(FeatureSet::HalfKp, 1024, 8, 32), 0x5D69_DDB8, 0x6333_6A54, 256_814_284),
            (classic(FeatureSet::Kp, 256, 32, 32), 0x3F57_15FF, 0x6333_7156, 893_740),
            (classic(FeatureSet::Ka2, 256, 32, 32), 0x97D5_745E, 0x6333_7156, 935_212),
            (classic(FeatureSet::HalfKpVm, 256, 32, 32), 0x0B6B_1F9A, 0x6333_7156, 35_684_140),
            (classic(FeatureSet::HalfKa1, 256, 32, 32), 0x5F13_4EB8, 0x6333_7156, 70_935_340),
            (classic(FeatureSet::HalfKaHm1, 256, 32, 32), 0x7F13_4EB8, 0x6333_7156, 39_416_620),
            (classic(FeatureSet::HalfKa2, 512, 8, 64), 0x5F23_48B8, 0x6333_76A4, 135_127_404),
            (classic(FeatureSet::HalfKaHm2, 1024, 8, 96), 0x7F23_44B8, 0x6333_6A34, 150_150_668),
        ] {
            assert_eq!(shape.transformer_hash(), Some(transformer), "{shape:?}");
            assert_eq!(shape.network_hash(), network, "{shape:?}");
            assert_eq!(shape.body_bytes(), body, "{shape:?}");
            assert_eq!(Classic::named_by(transformer ^ network), Some(shape));
        }
    }

    /// A body of zeros of the length of `shape`, with the hashes of another.
    fn body(shape: &Classic, hashes: Option<Classic>) -> Vec<u8> {
        let mut body = vec![0; 8 + shape.transformer_bytes() + shape.network_bytes()];
        if let Some(named) = hashes {
            body[..4].copy_from_slice(&named.transformer_hash().unwrap_or(0).to_le_bytes());
            let at = 4 + shape.transformer_bytes();
            body[at..at + 4].copy_from_slice(&named.network_hash().to_le_bytes());
        }
        body
    }

    fn recognised(body: &[u8], file_hash: u32, text: &str) -> Option<Recognised> {
        Classic::recognise(&Evidence { body, file_hash, text })
    }

    #[test]
    fn shapes_of_one_length_are_distinguished_by_hash_then_text_then_use() {
        let (one, other) = (classic(FeatureSet::Kp, 256, 8, 128), classic(FeatureSet::Kp, 256, 16, 16));
        assert_eq!(one.network_bytes(), other.network_bytes());
        for shape in [one, other] {
            let found = recognised(&body(&shape, Some(shape)), 0, "").expect("a shape");
            assert_eq!((found.shape, found.hashes_agree), (shape, false));
            let text = format!("[1710->256x2],Network=[{}<-{}]", shape.second, shape.first);
            let found = recognised(&body(&shape, None), 0, &text).expect("a shape");
            assert_eq!(found.shape, shape);
            let file_hash = shape.network_hash() ^ shape.transformer_hash().unwrap_or(0);
            let found = recognised(&body(&shape, None), file_hash, "").expect("a shape");
            assert_eq!(found.shape, shape);
        }
    }

    #[test]
    fn a_text_never_outweighs_the_length() {
        let shape = classic(FeatureSet::Kp, 256, 32, 32);
        let text = "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[32<-32]";
        assert_eq!(recognised(&body(&shape, Some(shape)), 0, text).map(|found| found.shape), Some(shape));
    }

    #[test]
    fn sections_without_hashes_need_the_file_hash() {
        let shape = classic(FeatureSet::Kp, 256, 32, 32);
        let body = &body(&shape, None)[8..];
        assert_eq!(recognised(body, 0, ""), None);
        let file_hash = shape.network_hash() ^ shape.transformer_hash().unwrap_or(0);
        let found = recognised(body, file_hash, "").expect("a shape");
        assert_eq!((found.shape, found.hashes), (shape, SectionHashes::Absent));
    }

    #[test]
    fn other_lengths_have_no_shape() {
        let shape = classic(FeatureSet::Kp, 256, 32, 32);
        let mut body = body(&shape, Some(shape));
        for extra in [1, 2, 4, 31] {
            assert_eq!(recognised(&body[..body.len() - extra], 0, ""), None, "{extra} too few");
            body.extend(vec![0; extra]);
            assert_eq!(recognised(&body, 0, ""), None, "{extra} too many");
            body.truncate(body.len() - extra);
        }
        assert_eq!(recognised(&[], 0, ""), None);
    }
}
