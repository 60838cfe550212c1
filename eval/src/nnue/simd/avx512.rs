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

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
    outputs.copy_from_slice(biases);
    let (inputs, _) = inputs.as_chunks::<4>();
    // First layers have few outputs: their rows are whole arrays, and all sums stay
    // in registers.
    match outputs.len() {
        32 => whole::<2, 128>(inputs, weights.as_chunks().0, outputs),
        16 => whole::<1, 64>(inputs, weights.as_chunks().0, outputs),
        8 => whole_eight(inputs, weights.as_chunks().0, outputs),
        _ => in_parts(inputs, weights, outputs),
    }
}

/// Groups of inputs that are looked at together.
const GROUPS: usize = 128;
/// Room for a list of groups, and for one vector more.
type List = [u32; GROUPS + 16];
/// Chains of sums side by side: one multiply-add follows the last in the same
/// chain only after several cycles.
const CHAINS: usize = 4;

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

/// Whether going through a list of so many of `all` groups costs less than going
/// through all: a list has its price, and short ones are not worth it.
fn is_sparse(count: usize, all: usize) -> bool {
    4 * count < 3 * all
}

/// Adds to `16 * N` outputs the products of all inputs; `ROW` is `64 * N`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn whole<const N: usize, const ROW: usize>(inputs: &[[u8; 4]], rows: &[[i8; ROW]], outputs: &mut [i32]) {
    let mut sums = [[_mm512_setzero_si512(); N]; CHAINS];
    for (inputs, rows) in inputs.chunks(GROUPS).zip(rows.chunks(GROUPS)) {
        let mut list = [0; GROUPS + 16];
        let count = if inputs.len() == GROUPS { nonzero(inputs, &mut list) } else { GROUPS };
        if is_sparse(count, inputs.len()) {
            for groups in list[..count].chunks(CHAINS) {
                for (sums, &group) in sums.iter_mut().zip(groups) {
                    add(sums, inputs[group as usize], &rows[group as usize]);
                }
            }
        } else {
            let fours = inputs.as_chunks::<CHAINS>().0.iter().zip(rows.as_chunks::<CHAINS>().0);
            for (inputs, rows) in fours {
                for ((sums, &input), row) in sums.iter_mut().zip(inputs).zip(rows) {
                    add(sums, input, row);
                }
            }
            let rest = inputs.as_chunks::<CHAINS>().1.iter().zip(rows.as_chunks::<CHAINS>().1);
            for (sums, (&input, row)) in sums.iter_mut().zip(rest) {
                add(sums, input, row);
            }
        }
    }
    for (index, words) in outputs.as_chunks_mut::<16>().0.iter_mut().take(N).enumerate() {
        let total = sums.iter().fold(load16(words), |total, sums| _mm512_add_epi32(total, sums[index]));
        store16(words, total);
    }
}

/// Adds the products of four inputs to `16 * N` sums.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn add<const N: usize, const ROW: usize>(sums: &mut [__m512i; N], inputs: [u8; 4], row: &[i8; ROW]) {
    let input = _mm512_set1_epi32(i32::from_le_bytes(inputs));
    for (sum, weights) in sums.iter_mut().zip(row.as_chunks::<64>().0) {
        *sum = _mm512_dpbusd_epi32(*sum, input, load_weights(weights));
    }
}

/// Adds to eight outputs the products of all inputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn whole_eight(inputs: &[[u8; 4]], rows: &[[i8; 32]], outputs: &mut [i32]) {
    let mut sums = [_mm256_setzero_si256(); 2 * CHAINS];
    for (inputs, rows) in inputs.chunks(GROUPS).zip(rows.chunks(GROUPS)) {
        let mut list = [0; GROUPS + 16];
        let count = if inputs.len() == GROUPS { nonzero(inputs, &mut list) } else { GROUPS };
        if is_sparse(count, inputs.len()) {
            for groups in list[..count].chunks(2 * CHAINS) {
                for (sum, &group) in sums.iter_mut().zip(groups) {
                    *sum = plus_eight(*sum, inputs[group as usize], &rows[group as usize]);
                }
            }
        } else {
            for (inputs, rows) in inputs.chunks(2 * CHAINS).zip(rows.chunks(2 * CHAINS)) {
                for (sum, (&input, row)) in sums.iter_mut().zip(inputs.iter().zip(rows)) {
                    *sum = plus_eight(*sum, input, row);
                }
            }
        }
    }
    if let Some(words) = outputs.first_chunk_mut() {
        let total = sums.into_iter().fold(load8(words), |total, sum| _mm256_add_epi32(total, sum));
        store8(words, total);
    }
}

/// Eight sums and the products of four inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn plus_eight(sums: __m256i, inputs: [u8; 4], row: &[i8; 32]) -> __m256i {
    _mm256_dpbusd_epi32(sums, _mm256_set1_epi32(i32::from_le_bytes(inputs)), load_half_weights(row))
}

/// Any number of outputs, eight at a time; such layers have few inputs.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
fn in_parts(inputs: &[[u8; 4]], weights: &[i8], outputs: &mut [i32]) {
    let (parts, _) = outputs.as_chunks_mut::<8>();
    let rows = weights.as_chunks::<32>().0.chunks_exact(parts.len());
    for (&input, row) in inputs.iter().zip(rows) {
        for (words, weights) in parts.iter_mut().zip(row) {
            store8(words, plus_eight(load8(words), input, weights));
        }
    }
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
