//! Kernels for AVX2.

use std::arch::x86_64::*;

use enbu_isa::has_avx2;

use super::kernels::{
    CodeSets, Difference, HIDDEN, LANES, Planes, SECOND, Sides, Tail, Task, Window, Words, Zones, define, load, rows,
    store,
};

define!(
    /// Proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT: all that have the
    /// first have the rest.
    Avx2,
    "avx2,bmi1,bmi2,lzcnt,popcnt",
    has_avx2()
);

load!("avx2", load16: [i16; 16] => __m256i, _mm256_loadu_si256);
store!("avx2", store16: [i16; 16] <= __m256i, _mm256_storeu_si256);
load!("avx2", load_bytes: [u8; 32] => __m256i, _mm256_loadu_si256);
load!("avx2", load_weights: [i8; 32] => __m256i, _mm256_loadu_si256);
store!("avx2", store_bytes: [u8; 32] <= __m256i, _mm256_storeu_si256);
load!("avx2", load_words: [u64; 4] => __m256i, _mm256_loadu_si256);
store!("avx2", store_words: [u64; 4] <= __m256i, _mm256_storeu_si256);
load!("avx2", load_set: [u64; 2] => __m128i, _mm_loadu_si128);
load!("avx2", load_two_sets: [Words; 2] => __m256i, _mm256_loadu_si256);
load!("avx2", load_two_halves: [[u8; 16]; 2] => __m256i, _mm256_loadu_si256);
load!("avx2", load8: [i32; 8] => __m256i, _mm256_loadu_si256);
store!("avx2", store8: [i32; 8] <= __m256i, _mm256_storeu_si256);
load!("avx2", load_pairs: [[i16; 2]; 8] => __m256i, _mm256_loadu_si256);
store!("avx2", store_half_bytes: [u8; 16] <= __m128i, _mm_storeu_si128);

rows!(
    "avx2", 16, tiles: [128, 64], zero: _mm256_setzero_si256(),
    load16, store16, _mm256_sub_epi16, _mm256_add_epi16, swap, exchange_tiles::<1>
);

#[inline]
#[target_feature(enable = "avx2")]
fn swap([low, high]: &mut [__m256i; 2], removed: &[[u8; 16]; 2], added: &[[u8; 16]; 2]) {
    let [removed, added] = [removed, added].map(|bytes| load_two_halves(bytes));
    // Minus one byte of each pair, plus the other.
    let signs = _mm256_set1_epi16(0x01FF);
    *low = _mm256_add_epi16(*low, _mm256_maddubs_epi16(_mm256_unpacklo_epi8(removed, added), signs));
    *high = _mm256_add_epi16(*high, _mm256_maddubs_epi16(_mm256_unpackhi_epi8(removed, added), signs));
}

/// The sum of the eight numbers, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn total(vector: __m256i) -> i32 {
    let mut words = [0; 8];
    store8(&mut words, vector);
    words.into_iter().fold(0, i32::wrapping_add)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn wide_products([a, b]: [&[i16]; 2], [c, d]: [&[i16]; 2], outputs: &mut [u8]) {
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    let first = a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0);
    let second = c.as_chunks::<16>().0.iter().zip(d.as_chunks::<16>().0);
    for (bytes, ((a, b), (c, d))) in outputs.as_chunks_mut::<16>().0.iter_mut().zip(first.zip(second)) {
        let first = _mm256_min_epi16(_mm256_adds_epi16(load16(a), load16(b)), most);
        let second = _mm256_min_epi16(_mm256_adds_epi16(load16(c), load16(d)), most);
        // Rounded and divided by 2^15. Below zero, which packing limits, if the second is.
        let products = _mm256_mulhrs_epi16(_mm256_slli_epi16::<6>(_mm256_max_epi16(first, zero)), second);
        let (low, high) = (_mm256_castsi256_si128(products), _mm256_extracti128_si256::<1>(products));
        store_half_bytes(bytes, _mm_packus_epi16(low, high));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn tail_of(sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi32(1024));
    let mut inputs = [[0; 8]; HIDDEN / 8];
    for (inputs, sums) in inputs.iter_mut().zip(sums.as_chunks::<8>().0) {
        let unit = _mm256_srai_epi32::<3>(load8(sums));
        let unit = _mm256_min_epi32(_mm256_max_epi32(unit, _mm256_set1_epi32(-1024)), most);
        let square = _mm256_add_epi32(_mm256_mullo_epi32(unit, unit), _mm256_set1_epi32(512));
        // The limited unit in the low word, the square in the high one.
        let square = _mm256_slli_epi32::<16>(_mm256_srli_epi32::<10>(square));
        store8(inputs, _mm256_or_si256(_mm256_max_epi32(unit, zero), square));
    }
    let mut second = [zero; SECOND / 8];
    for (sum, biases) in second.iter_mut().zip(tail.biases.as_chunks::<8>().0) {
        *sum = load8(biases);
    }
    for (&input, row) in inputs.as_flattened().iter().zip(&tail.pairs) {
        for (sum, weights) in second.iter_mut().zip(row.as_chunks::<8>().0) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(_mm256_set1_epi32(input), load_pairs(weights)));
        }
    }
    let mut output = zero;
    for (&sum, weights) in second.iter().zip(tail.last.as_chunks::<8>().0) {
        let unit = _mm256_min_epi32(_mm256_max_epi32(_mm256_srai_epi32::<12>(sum), zero), most);
        output = _mm256_add_epi32(output, _mm256_mullo_epi32(unit, load8(weights)));
    }
    total(output).wrapping_add(tail.bias)
}

/// Adds to each of eight sums the products of four inputs with four weights. Pairs
/// of products fit 16 bits: 2 * 127 * 128 < 2^15.
#[inline]
#[target_feature(enable = "avx2")]
fn accumulate(sums: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    let pairs = _mm256_maddubs_epi16(inputs, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

/// Groups of inputs that are tested for zeros together.
const GROUPS: usize = 128;

#[inline]
#[target_feature(enable = "avx2")]
fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    let stride = 4 * outputs.len();
    let (groups, _) = inputs.as_chunks::<4>();
    // Listing what is not zero costs more than few inputs save.
    match outputs.len() {
        32 if groups.len() < GROUPS => return affine_dense::<4>(groups, weights, outputs),
        16 if groups.len() < GROUPS => return affine_dense::<2>(groups, weights, outputs),
        _ => {}
    }
    let mut list = [0; GROUPS + 8];
    for (block, inputs) in groups.chunks(GROUPS).enumerate() {
        let count = nonzero(inputs, &mut list);
        let weights = &weights[block * GROUPS * stride..][..inputs.len() * stride];
        affine_block(inputs, weights, &list[..count], outputs);
    }
}

/// Adds all groups of inputs to `8 * N` outputs.
#[inline]
#[target_feature(enable = "avx2")]
fn affine_dense<const N: usize>(groups: &[[u8; 4]], weights: &[i8], outputs: &mut [i32]) {
    let (rows, _) = weights.as_chunks::<32>().0.as_chunks::<N>();
    let (outputs, _) = outputs.as_chunks_mut::<8>();
    let mut sums = [_mm256_setzero_si256(); N];
    for (sum, words) in sums.iter_mut().zip(&*outputs) {
        *sum = load8(words);
    }
    for (&group, row) in groups.iter().zip(rows) {
        let input = _mm256_set1_epi32(i32::from_le_bytes(group));
        for (sum, weights) in sums.iter_mut().zip(row) {
            *sum = accumulate(*sum, input, load_weights(weights));
        }
    }
    for (words, sum) in outputs.iter_mut().zip(sums) {
        store8(words, sum);
    }
}

/// Lists the groups of inputs that are not all zero; returns their number.
#[inline]
#[target_feature(enable = "avx2")]
fn nonzero(inputs: &[[u8; 4]], list: &mut [u16; GROUPS + 8]) -> usize {
    let mut count = 0;
    let (vectors, rest) = inputs.as_flattened().as_chunks::<32>();
    for (vector, base) in vectors.iter().zip((0..).step_by(8)) {
        let zero = _mm256_cmpeq_epi32(load_bytes(vector), _mm256_setzero_si256());
        let bits = !_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as usize & 0xFF;
        for (slot, position) in list[count..count + 8].iter_mut().zip(BITS[bits]) {
            *slot = base + u16::from(position);
        }
        count += bits.count_ones() as usize;
    }
    let done = inputs.len() - rest.len() / 4;
    for (group, inputs) in inputs.iter().enumerate().skip(done) {
        list[count] = group as u16;
        count += usize::from(*inputs != [0; 4]);
    }
    count
}

/// The positions of the set bits of each byte, lowest first.
static BITS: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut count, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Adds the listed groups of inputs to all outputs, up to 32 outputs at a time in
/// registers.
#[inline]
#[target_feature(enable = "avx2")]
fn affine_block(inputs: &[[u8; 4]], weights: &[i8], list: &[u16], outputs: &mut [i32]) {
    let stride = 4 * outputs.len();
    let mut first = 0;
    while first < outputs.len() {
        let part = &mut outputs[first..];
        let at = 4 * first;
        first += match part.len() {
            32.. => add_groups::<4>(inputs, weights, (stride, at), list, part),
            16.. => add_groups::<2>(inputs, weights, (stride, at), list, part),
            _ => add_groups::<1>(inputs, weights, (stride, at), list, part),
        };
    }
}

/// Adds the listed groups to the first `8 * N` outputs; returns that number.
#[inline]
#[target_feature(enable = "avx2")]
fn add_groups<const N: usize>(
    inputs: &[[u8; 4]],
    weights: &[i8],
    (stride, at): (usize, usize),
    list: &[u16],
    outputs: &mut [i32],
) -> usize {
    let (outputs, _) = outputs.as_chunks_mut::<8>();
    let mut sums = [_mm256_setzero_si256(); N];
    for (sum, words) in sums.iter_mut().zip(&*outputs) {
        *sum = load8(words);
    }
    for &group in list {
        let group = usize::from(group);
        let input = _mm256_set1_epi32(i32::from_le_bytes(inputs[group]));
        let (row, _) = weights[group * stride + at..][..32 * N].as_chunks::<32>();
        for (sum, weights) in sums.iter_mut().zip(row) {
            *sum = accumulate(*sum, input, load_weights(weights));
        }
    }
    for (words, sum) in outputs.iter_mut().zip(sums) {
        store8(words, sum);
    }
    8 * N
}

#[inline]
#[target_feature(enable = "avx2")]
fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
    let mut sum = _mm256_setzero_si256();
    for (inputs, weights) in inputs.as_chunks::<32>().0.iter().zip(weights.as_chunks::<32>().0) {
        sum = accumulate(sum, load_bytes(inputs), load_weights(weights));
    }
    total(sum)
}

#[inline]
#[target_feature(enable = "avx2")]
fn squared_dot(sums: &[i16], weights: &[i16]) -> i32 {
    let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(255));
    let (sums, _) = sums.as_chunks::<16>().0.as_chunks::<2>();
    let (weights, _) = weights.as_chunks::<16>().0.as_chunks::<2>();
    let mut totals = [zero; 2];
    for (sums, weights) in sums.iter().zip(weights) {
        for ((total, sums), weights) in totals.iter_mut().zip(sums).zip(weights) {
            let value = _mm256_min_epi16(_mm256_max_epi16(load16(sums), zero), most);
            // Fits 16 bits: 255 * 128 < 2^15.
            let weighted = _mm256_mullo_epi16(value, load16(weights));
            *total = _mm256_add_epi32(*total, _mm256_madd_epi16(weighted, value));
        }
    }
    total(_mm256_add_epi32(totals[0], totals[1]))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn zones_of(planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {
    let mut sets = [_mm256_setzero_si256(); 6];
    for (set, words) in sets.iter_mut().zip(planes) {
        *set = _mm256_broadcastsi128_si256(load_set(words));
    }
    let (zones, _) = zones.as_chunks_mut::<LANES>();
    for (zone, window) in zones.iter_mut().zip(windows) {
        let (places, bits) = (load_bytes(&window.places), load_bytes(&window.bits));
        // -1 where the bit is set. A shuffle gives zero for places from 128 on.
        let mut planes = sets;
        for plane in &mut planes {
            *plane = _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(*plane, places), bits), bits);
        }
        let [a, b, c, d, e, f] = planes;
        let nines = _mm256_add_epi8(a, _mm256_add_epi8(b, b));
        let threes = _mm256_add_epi8(_mm256_add_epi8(c, d), _mm256_add_epi8(nines, _mm256_add_epi8(nines, nines)));
        let threefold = _mm256_add_epi8(threes, _mm256_add_epi8(threes, threes));
        let classes = _mm256_add_epi8(_mm256_add_epi8(e, f), threefold);
        store_bytes(zone, _mm256_sub_epi8(load_bytes(&window.bases), classes));
    }
}

/// The codes whose words are not all zero, given a mask of zero words for each pair of kinds.
#[inline]
#[target_feature(enable = "avx2")]
fn codes_of(zero: &[__m256i; 8]) -> u32 {
    let [a, b, c, d, e, f, g, h] = *zero;
    let first = _mm256_packs_epi32(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    let second = _mm256_packs_epi32(_mm256_packs_epi32(e, f), _mm256_packs_epi32(g, h));
    !_mm256_movemask_epi8(_mm256_packs_epi16(first, second)) as u32
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn place(sets: &mut CodeSets, kinds: &[Words; 16], [black, white]: [Words; 2]) -> Difference {
    let colors = [0, 1].map(|word| load_words(&[black[word], black[word], white[word], white[word]]));
    let mut zero = [_mm256_setzero_si256(); 8];
    let mut squares = [_mm256_setzero_si256(); 2];
    let sets = sets.low.iter_mut().zip(&mut sets.high);
    for (zero, (kinds, (low, high))) in zero.iter_mut().zip(kinds.as_chunks::<2>().0.iter().zip(sets)) {
        // The low words of both kinds for each colour; the high words.
        let kinds = load_two_sets(kinds);
        let new_low = _mm256_and_si256(_mm256_permute4x64_epi64::<0b10_00_10_00>(kinds), colors[0]);
        let new_high = _mm256_and_si256(_mm256_permute4x64_epi64::<0b11_01_11_01>(kinds), colors[1]);
        let (in_low, in_high) =
            (_mm256_xor_si256(new_low, load_words(low)), _mm256_xor_si256(new_high, load_words(high)));
        store_words(low, new_low);
        store_words(high, new_high);
        squares = [_mm256_or_si256(squares[0], in_low), _mm256_or_si256(squares[1], in_high)];
        *zero = _mm256_cmpeq_epi64(_mm256_or_si256(in_low, in_high), _mm256_setzero_si256());
    }
    let mut words = [[0; 4]; 2];
    words.iter_mut().zip(squares).for_each(|(words, squares)| store_words(words, squares));
    Difference { codes: codes_of(&zero), squares: words.map(|[a, b, c, d]| a | b | c | d) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn touched(sets: &CodeSets, squares: Words) -> u32 {
    let squares = squares.map(|word| _mm256_set1_epi64x(word as i64));
    let mut zero = [_mm256_setzero_si256(); 8];
    for (zero, (low, high)) in zero.iter_mut().zip(sets.low.iter().zip(&sets.high)) {
        let low = _mm256_and_si256(load_words(low), squares[0]);
        let high = _mm256_and_si256(load_words(high), squares[1]);
        *zero = _mm256_cmpeq_epi64(_mm256_or_si256(low, high), _mm256_setzero_si256());
    }
    codes_of(&zero)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn differences(old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {
    let mut equal = [0; 2];
    let pairs = old.as_chunks::<LANES>().0.iter().zip(new.as_chunks::<LANES>().0);
    for (bits, (old, new)) in equal.iter_mut().zip(pairs) {
        *bits = _mm256_movemask_epi8(_mm256_cmpeq_epi8(load_bytes(old), load_bytes(new))) as u32;
    }
    !(u64::from(equal[0]) | u64::from(equal[1]) << 32)
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn join(once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {
    let join = |once: &[[u64; 4]; 8], twice: &[[u64; 4]; 8]| {
        let (mut some, mut several) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for (once, twice) in once.iter().zip(twice) {
            let once = load_words(once);
            several = _mm256_or_si256(several, _mm256_or_si256(load_words(twice), _mm256_and_si256(some, once)));
            some = _mm256_or_si256(some, once);
        }
        (some, several)
    };
    // Each has the even kinds and the odd ones of both sides.
    let (low, high) = (join(&once.low, &twice.low), join(&once.high, &twice.high));
    let (even, odd) = (_mm256_unpacklo_epi64(low.0, high.0), _mm256_unpackhi_epi64(low.0, high.0));
    let several = _mm256_or_si256(_mm256_unpacklo_epi64(low.1, high.1), _mm256_unpackhi_epi64(low.1, high.1));
    let mut sides = [[0; 4]; 2];
    store_words(&mut sides[0], _mm256_or_si256(even, odd));
    store_words(&mut sides[1], _mm256_or_si256(several, _mm256_and_si256(even, odd)));
    sides
}
