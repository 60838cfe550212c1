//! Kernels for processors with AVX-512 and its instructions for neural networks (VNNI).

use std::arch::x86_64::*;

/// Proof that the processor has AVX-512 F, BW, VL and VNNI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Self(()))
    }
}

/// A safe method for each kernel, whose one precondition the proof fulfils.
macro_rules! kernels {
    ($(fn $kernel:ident($($name:ident: $kind:ty),*) $(-> $result:ty)?;)*) => {
        impl Avx512 {
            $(#[inline]
            pub(super) fn $kernel(self, $($name: $kind),*) $(-> $result)? {
                // SAFETY: the kernel needs the four features and nothing else; `self`
                // exists only where `detect` has found them.
                unsafe { $kernel($($name),*) }
            })*
        }
    };
}

kernels! {
    fn update(rows: &[i16], source: &[i16], target: &mut [i16], removed: &[u32], added: &[u32]);
    fn clip(sums: &[i16], outputs: &mut [u8]);
    fn products(first: &[i16], second: &[i16], outputs: &mut [u8]);
    fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]);
    fn activate(sums: &[i32], outputs: &mut [u8]);
    fn dot(inputs: &[u8], weights: &[i8]) -> i32;
    fn squared_dot(sums: &[i16], weights: &[i16]) -> i32;
}

#[target_feature(enable = "avx512f")]
fn load32(words: &[i16; 32]) -> __m512i {
    // SAFETY: the reference covers the 64 bytes read; no alignment is needed.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn store32(words: &mut [i16; 32], vector: __m512i) {
    // SAFETY: the reference covers the 64 bytes written; no alignment is needed.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx512f")]
fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the reference covers the 64 bytes read; no alignment is needed.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn load_weights(bytes: &[i8; 64]) -> __m512i {
    // SAFETY: the reference covers the 64 bytes read; no alignment is needed.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn load16(words: &[i32; 16]) -> __m512i {
    // SAFETY: the reference covers the 64 bytes read; no alignment is needed.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
fn store16(words: &mut [i32; 16], vector: __m512i) {
    // SAFETY: the reference covers the 64 bytes written; no alignment is needed.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx512f")]
fn store_indices(indices: &mut [u32; 16], vector: __m512i) {
    // SAFETY: the reference covers the 64 bytes written; no alignment is needed.
    unsafe { _mm512_storeu_si512(indices.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx")]
fn load_half_bytes(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read; no alignment is needed.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx")]
fn load_half_weights(bytes: &[i8; 32]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read; no alignment is needed.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx")]
fn load8(words: &[i32; 8]) -> __m256i {
    // SAFETY: the reference covers the 32 bytes read; no alignment is needed.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[target_feature(enable = "avx")]
fn store8(words: &mut [i32; 8], vector: __m256i) {
    // SAFETY: the reference covers the 32 bytes written; no alignment is needed.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx512f")]
fn store_half_bytes(bytes: &mut [u8; 32], vector: __m256i) {
    // SAFETY: the reference covers the 32 bytes written; no alignment is needed.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn update(rows: &[i16], source: &[i16], target: &mut [i16], removed: &[u32], added: &[u32]) {
    match target.len() {
        width if width.is_multiple_of(256) => update_tiles::<8>(rows, source, target, removed, added),
        width if width.is_multiple_of(128) => update_tiles::<4>(rows, source, target, removed, added),
        _ => update_tiles::<1>(rows, source, target, removed, added),
    }
}

/// [`update`] in tiles of `N` vectors, each of which stays in registers while all
/// rows pass by.
#[target_feature(enable = "avx512f,avx512bw")]
fn update_tiles<const N: usize>(rows: &[i16], source: &[i16], target: &mut [i16], removed: &[u32], added: &[u32]) {
    let tiles = target.len() / (32 * N);
    let (rows, _) = rows.as_chunks::<32>().0.as_chunks::<N>();
    let (source, _) = source.as_chunks::<32>().0.as_chunks::<N>();
    let (target, _) = target.as_chunks_mut::<32>().0.as_chunks_mut::<N>();
    for (tile, (source, target)) in source.iter().zip(target).enumerate() {
        let mut sums = [_mm512_setzero_si512(); N];
        for (sum, words) in sums.iter_mut().zip(source) {
            *sum = load32(words);
        }
        for &index in removed {
            let row = &rows[index as usize * tiles + tile];
            for (sum, words) in sums.iter_mut().zip(row) {
                *sum = _mm512_sub_epi16(*sum, load32(words));
            }
        }
        for &index in added {
            let row = &rows[index as usize * tiles + tile];
            for (sum, words) in sums.iter_mut().zip(row) {
                *sum = _mm512_add_epi16(*sum, load32(words));
            }
        }
        for (words, sum) in target.iter_mut().zip(sums) {
            store32(words, sum);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn limited(sums: __m512i) -> __m512i {
    _mm512_min_epi16(_mm512_max_epi16(sums, _mm512_setzero_si512()), _mm512_set1_epi16(127))
}

#[target_feature(enable = "avx512f,avx512bw")]
fn clip(sums: &[i16], outputs: &mut [u8]) {
    for (bytes, words) in outputs.as_chunks_mut::<32>().0.iter_mut().zip(sums.as_chunks::<32>().0) {
        store_half_bytes(bytes, _mm512_cvtepi16_epi8(limited(load32(words))));
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn products(first: &[i16], second: &[i16], outputs: &mut [u8]) {
    let pairs = first.as_chunks::<32>().0.iter().zip(second.as_chunks::<32>().0);
    for (bytes, (a, b)) in outputs.as_chunks_mut::<32>().0.iter_mut().zip(pairs) {
        // Shifted there and back: bit 14 becomes the sign.
        let a = limited(_mm512_srai_epi16::<1>(_mm512_slli_epi16::<1>(load32(a))));
        let b = limited(_mm512_srai_epi16::<1>(_mm512_slli_epi16::<1>(load32(b))));
        store_half_bytes(bytes, _mm512_cvtepi16_epi8(_mm512_srli_epi16::<7>(_mm512_mullo_epi16(a, b))));
    }
}

/// Groups of inputs that are looked at together.
const GROUPS: usize = 128;
/// Room for a list of groups, and for one vector more.
type List = [u32; GROUPS + 16];

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    let stride = 4 * outputs.len();
    let (groups, _) = inputs.as_chunks::<4>();
    let mut list = [0; GROUPS + 16];
    for (block, inputs) in groups.chunks(GROUPS).enumerate() {
        let count = nonzero(inputs, &mut list);
        let weights = &weights[block * GROUPS * stride..][..inputs.len() * stride];
        affine_block(inputs, weights, &list[..count], outputs);
    }
}

/// Lists the groups of inputs that are not all zero; returns how many.
#[target_feature(enable = "avx512f")]
fn nonzero(inputs: &[[u8; 4]], list: &mut List) -> usize {
    let mut count = 0;
    let mut indices = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let (vectors, rest) = inputs.as_flattened().as_chunks::<64>();
    for vector in vectors {
        let vector = load_bytes(vector);
        let mask = _mm512_test_epi32_mask(vector, vector);
        if let Some(slots) = list[count..].first_chunk_mut() {
            store_indices(slots, _mm512_maskz_compress_epi32(mask, indices));
        }
        count += mask.count_ones() as usize;
        indices = _mm512_add_epi32(indices, _mm512_set1_epi32(16));
    }
    let done = inputs.len() - rest.len() / 4;
    for (group, inputs) in inputs.iter().enumerate().skip(done) {
        list[count] = group as u32;
        count += usize::from(*inputs != [0; 4]);
    }
    count
}

/// Adds the listed groups of inputs to all outputs, as many outputs at a time as
/// make good use of the registers.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn affine_block(inputs: &[[u8; 4]], weights: &[i8], list: &[u32], outputs: &mut [i32]) {
    let stride = 4 * outputs.len();
    let mut first = 0;
    while first < outputs.len() {
        let part = &mut outputs[first..];
        let place = (stride, 4 * first);
        first += match part.len() {
            32.. => add_groups::<2>(inputs, weights, place, list, part),
            16.. => add_groups::<1>(inputs, weights, place, list, part),
            _ => add_groups_to_eight(inputs, weights, place, list, part),
        };
    }
}

/// Chains of sums side by side: one multiply-add follows the last in the same
/// chain only after several cycles.
const CHAINS: usize = 4;

/// Adds the listed groups to the first `16 * N` outputs; returns that number.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn add_groups<const N: usize>(
    inputs: &[[u8; 4]],
    weights: &[i8],
    (stride, at): (usize, usize),
    list: &[u32],
    outputs: &mut [i32],
) -> usize {
    let mut sums = [[_mm512_setzero_si512(); N]; CHAINS];
    let (several, rest) = list.as_chunks::<CHAINS>();
    for groups in several {
        for (sums, &group) in sums.iter_mut().zip(groups) {
            add_group(sums, inputs, weights, (stride, at), group);
        }
    }
    for (sums, &group) in sums.iter_mut().zip(rest) {
        add_group(sums, inputs, weights, (stride, at), group);
    }
    for (index, words) in outputs.as_chunks_mut::<16>().0.iter_mut().take(N).enumerate() {
        let even = _mm512_add_epi32(sums[0][index], sums[1][index]);
        let odd = _mm512_add_epi32(sums[2][index], sums[3][index]);
        let old = load16(words);
        store16(words, _mm512_add_epi32(old, _mm512_add_epi32(even, odd)));
    }
    16 * N
}

/// Adds one group of inputs to `16 * N` sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn add_group<const N: usize>(
    sums: &mut [__m512i; N],
    inputs: &[[u8; 4]],
    weights: &[i8],
    (stride, at): (usize, usize),
    group: u32,
) {
    let group = group as usize;
    let input = _mm512_set1_epi32(i32::from_le_bytes(inputs[group]));
    let (row, _) = weights[group * stride + at..][..64 * N].as_chunks::<64>();
    for (sum, weights) in sums.iter_mut().zip(row) {
        *sum = _mm512_dpbusd_epi32(*sum, input, load_weights(weights));
    }
}

/// Adds the listed groups to the first eight outputs; returns 8.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn add_groups_to_eight(
    inputs: &[[u8; 4]],
    weights: &[i8],
    (stride, at): (usize, usize),
    list: &[u32],
    outputs: &mut [i32],
) -> usize {
    let mut sums = [_mm256_setzero_si256(); 2 * CHAINS];
    for groups in list.chunks(2 * CHAINS) {
        for (sum, &group) in sums.iter_mut().zip(groups) {
            let group = group as usize;
            let input = _mm256_set1_epi32(i32::from_le_bytes(inputs[group]));
            if let Some(weights) = weights[group * stride + at..].first_chunk() {
                *sum = _mm256_dpbusd_epi32(*sum, input, load_half_weights(weights));
            }
        }
    }
    if let Some(words) = outputs.first_chunk_mut() {
        let total = sums.into_iter().fold(load8(words), |total, sum| _mm256_add_epi32(total, sum));
        store8(words, total);
    }
    8
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn activate(sums: &[i32], outputs: &mut [u8]) {
    // Compiled for AVX-512 by its attribute.
    outputs.iter_mut().zip(sums).for_each(|(output, &sum)| *output = (sum >> 6).clamp(0, 127) as u8);
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
    let mut sum = _mm256_setzero_si256();
    for (inputs, weights) in inputs.as_chunks::<32>().0.iter().zip(weights.as_chunks::<32>().0) {
        sum = _mm256_dpbusd_epi32(sum, load_half_bytes(inputs), load_half_weights(weights));
    }
    let mut words = [0; 8];
    store8(&mut words, sum);
    words.into_iter().fold(0, i32::wrapping_add)
}

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
