//! Kernels for AVX-512 with VNNI.

use std::arch::x86_64::*;
use std::hint::black_box;

use enbu_isa::has_avx2;

use super::avx2::{
    self, differences, join, load_bytes as load_half_bytes, load_weights as load_half_weights, load8, place,
    store_bytes, store8, total, touched, zones_of,
};
use super::kernels::{
    CodeSets, Difference, HIDDEN, LANES, Planes, SECOND, Sides, Tail, Task, Window, Words, Zones, define, load, rows,
    store,
};

define!(
    /// Proof that the processor has AVX-512 F, BW, VL and VNNI, and the features of
    /// [`has_avx2`].
    Avx512,
    "avx512f,avx512bw,avx512vl,avx512vnni,avx2,bmi1,bmi2,lzcnt,popcnt",
    (is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
        && has_avx2())
);

load!("avx512f", load32: [i16; 32] => __m512i, _mm512_loadu_si512);
store!("avx512f", store32: [i16; 32] <= __m512i, _mm512_storeu_si512);
load!("avx512f", load_bytes: [u8; 64] => __m512i, _mm512_loadu_si512);
load!("avx512f", load_weights: [i8; 64] => __m512i, _mm512_loadu_si512);
load!("avx512f", load_two_halves: [[u8; 32]; 2] => __m512i, _mm512_loadu_si512);
load!("avx512f", load16: [i32; 16] => __m512i, _mm512_loadu_si512);
store!("avx512f", store16: [i32; 16] <= __m512i, _mm512_storeu_si512);
load!("avx512f", load_pairs: [[i16; 2]; 16] => __m512i, _mm512_loadu_si512);
load!("sse2", load_four: [Group; 4] => __m128i, _mm_loadu_si128);
load!("avx", load_eight: [Group; 8] => __m256i, _mm256_loadu_si256);
store!("avx512f", store_indices: [u32; 16] <= __m512i, _mm512_storeu_si512);

rows!(
    "avx512f,avx512bw", 32, tiles: [256, 128, 64], zero: _mm512_setzero_si512(),
    load32, store32, _mm512_sub_epi16, _mm512_add_epi16, swap, avx2::exchange
);

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn swap([low, high]: &mut [__m512i; 2], removed: &[[u8; 32]; 2], added: &[[u8; 32]; 2]) {
    let [removed, added] = [removed, added].map(|bytes| load_two_halves(bytes));
    // Minus one byte of each pair, plus the other.
    let signs = _mm512_set1_epi16(0x01FF);
    *low = _mm512_add_epi16(*low, _mm512_maddubs_epi16(_mm512_unpacklo_epi8(removed, added), signs));
    *high = _mm512_add_epi16(*high, _mm512_maddubs_epi16(_mm512_unpackhi_epi8(removed, added), signs));
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn wide_products([a, b]: [&[i16]; 2], [c, d]: [&[i16]; 2], outputs: &mut [u8]) {
    if !outputs.len().is_multiple_of(32) {
        return avx2::wide_products([a, b], [c, d], outputs);
    }
    let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
    let first = a.as_chunks::<32>().0.iter().zip(b.as_chunks::<32>().0);
    let second = c.as_chunks::<32>().0.iter().zip(d.as_chunks::<32>().0);
    for (bytes, ((a, b), (c, d))) in outputs.as_chunks_mut::<32>().0.iter_mut().zip(first.zip(second)) {
        let first = _mm512_min_epi16(_mm512_adds_epi16(load32(a), load32(b)), most);
        let second = _mm512_min_epi16(_mm512_adds_epi16(load32(c), load32(d)), most);
        // Rounded and divided by 2^15.
        let first = _mm512_slli_epi16::<6>(_mm512_max_epi16(first, zero));
        let products = _mm512_mulhrs_epi16(first, _mm512_max_epi16(second, zero));
        store_bytes(bytes, _mm512_cvtepi16_epi8(products));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn tail_of(sums: &[i32; HIDDEN], tail: &Tail) -> i32 {
    let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi32(1024));
    let unit = _mm512_srai_epi32::<3>(load16(sums));
    let unit = _mm512_min_epi32(_mm512_max_epi32(unit, _mm512_set1_epi32(-1024)), most);
    // Multiply-adds of words have half the latency of products of 32 bits.
    let word = _mm512_abs_epi32(unit);
    let square = _mm512_dpwssd_epi32(_mm512_set1_epi32(512), word, word);
    // The limited unit in the low word, the square in the high one.
    let square = _mm512_slli_epi32::<16>(_mm512_srli_epi32::<10>(square));
    let inputs = _mm512_or_si512(_mm512_max_epi32(unit, zero), square);
    // Four chains for each vector of sums, to hide the latency of the multiply-add.
    let mut chains = [[zero; SECOND / 16]; 4];
    for (four, rows) in tail.pairs.as_chunks::<4>().0.iter().enumerate() {
        for ((sums, row), place) in chains.iter_mut().zip(rows).zip(4 * four as i32..) {
            let input = _mm512_permutexvar_epi32(_mm512_set1_epi32(place), inputs);
            for (sum, weights) in sums.iter_mut().zip(row.as_chunks::<16>().0) {
                *sum = _mm512_dpwssd_epi32(*sum, input, load_pairs(weights));
            }
        }
    }
    let mut output = zero;
    let layers = tail.biases.as_chunks::<16>().0.iter().zip(tail.last.as_chunks::<16>().0);
    for (index, (biases, weights)) in layers.enumerate() {
        let sum = chains.iter().fold(load16(biases), |sum, chain| _mm512_add_epi32(sum, chain[index]));
        let unit = _mm512_min_epi32(_mm512_max_epi32(_mm512_srai_epi32::<12>(sum), zero), most);
        output = _mm512_dpwssd_epi32(output, unit, load16(weights));
    }
    _mm512_reduce_add_epi32(output).wrapping_add(tail.bias)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    // First affine layers have few outputs: all their sums stay in registers.
    match outputs.len() {
        32 => wide::<2>(inputs, weights, outputs),
        16 => wide::<1>(inputs, weights, outputs),
        8 => narrow(inputs, weights, outputs),
        _ => in_parts(inputs.as_chunks().0, weights, outputs),
    }
}

/// A group: four inputs with contiguous weights.
type Group = [u8; 4];

/// Groups that are tested for zeros together.
const STRETCH: usize = 128;

// Sums are kept in four chains, to hide the latency of the multiply-add.

/// The groups of a stretch that are not all zero.
struct List {
    /// Their numbers, with room for one more vector.
    numbers: [u32; STRETCH + 16],
    count: usize,
}

/// The groups of a whole stretch that are not all zero; `None` if more than three quarters
/// are not, where the dense loop is faster.
#[inline]
#[target_feature(enable = "avx512f")]
fn sparse(groups: &[Group]) -> Option<List> {
    let vectors: &[[u8; 64]; STRETCH / 16] = groups.as_flattened().as_chunks().0.as_array()?;
    let mut masks = [0; STRETCH / 16];
    for (mask, vector) in masks.iter_mut().zip(vectors) {
        let vector = load_bytes(vector);
        *mask = _mm512_test_epi32_mask(vector, vector);
    }
    let count = masks.iter().map(|mask| mask.count_ones()).sum::<u32>() as usize;
    if 4 * count >= 3 * STRETCH {
        return None;
    }
    let mut list = List { numbers: [0; _], count: 0 };
    let mut numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for mask in masks {
        if let Some(slots) = list.numbers[list.count..].first_chunk_mut() {
            store_indices(slots, _mm512_maskz_compress_epi32(mask, numbers));
        }
        list.count += mask.count_ones() as usize;
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
    Some(list)
}

/// Adds to `16 * N` outputs the products of all inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn wide<const N: usize>(inputs: &[u8], weights: &[i8], outputs: &mut [i32]) {
    let (groups, _) = inputs.as_chunks::<4>();
    let (rows, _) = weights.as_chunks::<64>().0.as_chunks::<N>();
    let Some(outputs) = outputs.as_chunks_mut::<16>().0.first_chunk_mut::<N>() else { return };
    for (groups, rows) in groups.chunks(STRETCH).zip(rows.chunks(STRETCH)) {
        match sparse(groups) {
            Some(list) => wide_sparse(groups, &list, rows, outputs),
            None => wide_dense(groups, rows, outputs),
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn wide_dense<const N: usize>(groups: &[Group], rows: &[[[i8; 64]; N]], outputs: &mut [[i32; 16]; N]) {
    let mut sums = [[_mm512_setzero_si512(); N]; 4];
    let (fours, rest) = groups.as_chunks::<4>();
    let (rows, rows_of_rest) = rows.as_chunks::<4>();
    // Shuffles leave the load ports, the bottleneck, to the weights; without `black_box`
    // the compiler turns them into broadcast loads.
    let places = black_box([0, 1, 2, 3].map(|place| _mm512_set1_epi32(place)));
    for (four, rows) in fours.iter().zip(rows) {
        let four = _mm512_castsi128_si512(load_four(four));
        for ((sums, &place), row) in sums.iter_mut().zip(&places).zip(rows) {
            add(sums, _mm512_permutexvar_epi32(place, four), row);
        }
    }
    for (&group, row) in rest.iter().zip(rows_of_rest) {
        add(&mut sums[0], broadcast(group), row);
    }
    add_up(&sums, outputs);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn wide_sparse<const N: usize>(groups: &[Group], list: &List, rows: &[[[i8; 64]; N]], outputs: &mut [[i32; 16]; N]) {
    let mut sums = [[_mm512_setzero_si512(); N]; 4];
    let (fours, rest) = list.numbers[..list.count].as_chunks::<4>();
    for numbers in fours {
        for (sums, &number) in sums.iter_mut().zip(numbers) {
            add(sums, broadcast(groups[number as usize]), &rows[number as usize]);
        }
    }
    for &number in rest {
        add(&mut sums[0], broadcast(groups[number as usize]), &rows[number as usize]);
    }
    add_up(&sums, outputs);
}

/// Adds the chains to `outputs`.
#[inline]
#[target_feature(enable = "avx512f")]
fn add_up<const N: usize>(sums: &[[__m512i; N]; 4], outputs: &mut [[i32; 16]; N]) {
    for (index, words) in outputs.iter_mut().enumerate() {
        let total = sums.iter().fold(load16(words), |total, sums| _mm512_add_epi32(total, sums[index]));
        store16(words, total);
    }
}

/// The group in each of the sixteen lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(group: Group) -> __m512i {
    _mm512_set1_epi32(i32::from_le_bytes(group))
}

/// Adds the products of one group to `16 * N` sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn add<const N: usize>(sums: &mut [__m512i; N], inputs: __m512i, row: &[[i8; 64]; N]) {
    for (sum, weights) in sums.iter_mut().zip(row) {
        *sum = _mm512_dpbusd_epi32(*sum, inputs, load_weights(weights));
    }
}

/// Adds to eight outputs the products of all inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn narrow(inputs: &[u8], weights: &[i8], outputs: &mut [i32]) {
    let (groups, _) = inputs.as_chunks::<4>();
    let (rows, _) = weights.as_chunks::<32>();
    let Some(outputs) = outputs.first_chunk_mut() else { return };
    for (groups, rows) in groups.chunks(STRETCH).zip(rows.chunks(STRETCH)) {
        match sparse(groups) {
            Some(list) => narrow_sparse(groups, &list, rows, outputs),
            None => narrow_dense(groups, rows, outputs),
        }
    }
}

/// One vector of weights serves two groups.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn narrow_dense(groups: &[Group], rows: &[[i8; 32]], outputs: &mut [i32; 8]) {
    let mut sums = [[_mm512_setzero_si512()]; 4];
    let (eights, rest) = groups.as_chunks::<8>();
    let (rows, rows_of_rest) = rows.as_chunks::<8>();
    for (eight, rows) in eights.iter().zip(rows) {
        let eight = _mm512_castsi256_si512(load_eight(eight));
        for (pair, (sum, row)) in sums.iter_mut().zip(rows.as_flattened().as_chunks::<64>().0).enumerate() {
            let first = 2 * pair as i32;
            let places = _mm512_mask_set1_epi32(_mm512_set1_epi32(first), 0xFF00, first + 1);
            add(sum, _mm512_permutexvar_epi32(places, eight), &[*row]);
        }
    }
    let total = sums.iter().fold(_mm512_setzero_si512(), |total, [sum]| _mm512_add_epi32(total, *sum));
    let total = _mm256_add_epi32(_mm512_castsi512_si256(total), _mm512_extracti64x4_epi64::<1>(total));
    let mut total = _mm256_add_epi32(load8(outputs), total);
    for (&group, row) in rest.iter().zip(rows_of_rest) {
        total = plus_eight(total, group, row);
    }
    store8(outputs, total);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn narrow_sparse(groups: &[Group], list: &List, rows: &[[i8; 32]], outputs: &mut [i32; 8]) {
    let mut sums = [_mm256_setzero_si256(); 4];
    let (fours, rest) = list.numbers[..list.count].as_chunks::<4>();
    for numbers in fours {
        for (sum, &number) in sums.iter_mut().zip(numbers) {
            *sum = plus_eight(*sum, groups[number as usize], &rows[number as usize]);
        }
    }
    for &number in rest {
        sums[0] = plus_eight(sums[0], groups[number as usize], &rows[number as usize]);
    }
    store8(outputs, sums.into_iter().fold(load8(outputs), |total, sum| _mm256_add_epi32(total, sum)));
}

/// Adds the products of four inputs to eight sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn plus_eight(sums: __m256i, inputs: Group, row: &[i8; 32]) -> __m256i {
    _mm256_dpbusd_epi32(sums, _mm256_set1_epi32(i32::from_le_bytes(inputs)), load_half_weights(row))
}

/// Any number of outputs, eight at a time; such layers have few inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn in_parts(inputs: &[Group], weights: &[i8], outputs: &mut [i32]) {
    let (parts, _) = outputs.as_chunks_mut::<8>();
    let rows = weights.as_chunks::<32>().0.chunks_exact(parts.len());
    for (&input, row) in inputs.iter().zip(rows) {
        for (words, weights) in parts.iter_mut().zip(row) {
            store8(words, plus_eight(load8(words), input, weights));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
    let mut sum = _mm256_setzero_si256();
    for (inputs, weights) in inputs.as_chunks::<32>().0.iter().zip(weights.as_chunks::<32>().0) {
        sum = _mm256_dpbusd_epi32(sum, load_half_bytes(inputs), load_half_weights(weights));
    }
    total(sum)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn squared_dot(sums: &[i16], weights: &[i16]) -> i32 {
    let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(255));
    let mut total = zero;
    for (sums, weights) in sums.as_chunks::<32>().0.iter().zip(weights.as_chunks::<32>().0) {
        let value = _mm512_min_epi16(_mm512_max_epi16(load32(sums), zero), most);
        // Fits 16 bits: 255 * 128 < 2^15.
        let weighted = _mm512_mullo_epi16(value, load32(weights));
        total = _mm512_add_epi32(total, _mm512_madd_epi16(weighted, value));
    }
    _mm512_reduce_add_epi32(total)
}
