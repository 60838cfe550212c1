//! The contract of kernels and of the tasks that run on them.

/// Bytes of a zone: its squares and padding.
pub(crate) const LANES: usize = 32;

/// Classes of the squares around Black's king, then around White's, as Black sees them: 5 ×
/// file + rank from the corner with the lowest numbers. Padding is outside the board.
pub(crate) type Zones = [u8; 2 * LANES];

/// Both words of a set of squares.
pub(crate) type Words = [u64; 2];

/// A set of squares for Black, then one for White: low and high words.
pub(crate) type Sides = [u64; 4];

/// A set of squares for each piece, by its code: 16 × colour + kind. Two kinds are together in
/// the low words, and in the high words: Black's, then White's. The bits of a comparison of
/// all words, narrowed to bytes, are then in the order of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(crate) struct CodeSets {
    pub(crate) low: [[u64; 4]; 8],
    pub(crate) high: [[u64; 4]; 8],
}

impl CodeSets {
    pub(crate) const EMPTY: Self = Self { low: [[0; 4]; 8], high: [[0; 4]; 8] };

    /// The place of a code among the low words and the high words.
    #[inline(always)]
    fn place(code: usize) -> usize {
        static PLACES: [u8; 32] = {
            let mut places = [0; 32];
            let mut code = 0;
            while code < 32 {
                places[code] = (code % 16 / 2 * 4 + code % 2 + code / 16 * 2) as u8;
                code += 1;
            }
            places
        };
        usize::from(PLACES[code % 32]) % 32
    }

    #[inline(always)]
    pub(crate) fn of(&self, code: usize) -> Words {
        let place = Self::place(code);
        [self.low.as_flattened()[place], self.high.as_flattened()[place]]
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, code: usize, [low, high]: Words) {
        let place = Self::place(code);
        self.low.as_flattened_mut()[place] = low;
        self.high.as_flattened_mut()[place] = high;
    }
}

/// A difference between two boards: codes of pieces that are placed differently, and their
/// squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) codes: u32,
    pub(crate) squares: Words,
}

/// The sets that make a class: Black's pieces, White's, squares that Black attacks, at least
/// twice, and that White attacks, at least twice.
pub(crate) type Planes = [Words; 6];

/// The 5 × 5 squares around a king: where their bits are in the bytes of a set.
#[repr(align(32))]
pub(crate) struct Window {
    /// For each square its byte; 128 outside the board.
    pub(crate) places: [u8; LANES],
    pub(crate) bits: [u8; LANES],
    /// The class of a square in no set: that outside the board, else 0.
    pub(crate) bases: [u8; LANES],
}

/// Units of the first hidden layer of Enbu's own networks, each used limited and squared.
pub const HIDDEN: usize = 16;
/// Units of the second.
pub const SECOND: usize = 32;

/// The layers after the first hidden layer of Enbu's own networks.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Tail {
    /// For each hidden unit and each of the second layer: the weights of the limited unit and
    /// of its square.
    pub(crate) pairs: [[[i16; 2]; SECOND]; HIDDEN],
    pub(crate) biases: [i32; SECOND],
    /// Weights of the output, within 16 bits.
    pub(crate) last: [i32; SECOND],
    pub(crate) bias: i32,
}

/// A computation with the kernels of one path.
///
/// It is compiled for each path with the features of the path, as far as it is inlined:
/// `run` and its callees are `#[inline(always)]`.
pub(crate) trait Task {
    type Output;

    fn run<K: Kernels>(self, kernels: K) -> Self::Output;
}

/// Calls a function of a path.
macro_rules! call {
    (safe, $call:expr) => {
        $call
    };
    (unsafe, $call:expr) => {
        // SAFETY: the function needs the features of its path and nothing else; the proof of the
        // path exists only where `detect` has found them.
        unsafe { $call }
    };
}
pub(super) use call;

/// Declares [`Kernels`].
macro_rules! declare {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? { $($check:tt)* } => $call:expr;
    )*) => {
        /// The kernels of one path. Results are equal on every path; lengths that do not fit are
        /// bugs and panic.
        pub(crate) trait Kernels: Copy {
            $(
                $(#[$meta])*
                fn $name(self, $($argument: $type),*) $(-> $result)?;
            )*
        }
    };
}
use declare;

/// Implements [`Kernels`] for a path: each kernel checks the lengths, then calls a function of
/// the path's module.
macro_rules! implement {
    ($path:ty, $safety:tt; $(
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? { $($check:tt)* } => $call:expr;
    )*) => {
        impl crate::nnue::simd::kernels::Kernels for $path {
            $(
                #[inline(always)]
                fn $name(self, $($argument: $type),*) $(-> $result)? {
                    $($check)*
                    crate::nnue::simd::kernels::call!($safety, $call)
                }
            )*
        }
    };
}
pub(super) use implement;

/// All kernels, for `$macro` after its arguments. They call the functions of a path's module, which
/// are `safe`, or `unsafe` where they need the features of the path.
macro_rules! kernels {
    ($macro:ident, $($argument:tt)*) => {
        crate::nnue::simd::kernels::$macro! {
            $($argument)*
            /// Writes to `target` the accumulator `source` minus the rows `changes.0` plus the rows
            /// `changes.1`, wrapping. Rows have the width of `target`, a multiple of 32, and are
            /// contiguous in `rows`.
            fn update(rows: &[i16], source: &[i16], target: &mut [i16], changes: (&[u32], &[u32])) {
                assert!(source.len() == target.len() && target.len().is_multiple_of(32));
            } => update(rows, source, target, changes.0, changes.1);
            /// Writes to `target` the sums `source` minus the first row of each pair plus the second,
            /// wrapping; rows as in [`update`](Self::update), of bytes at the places of
            /// [`Simd::place_of`](crate::nnue::Simd).
            fn exchange(rows: &[u8], source: &[i16], target: &mut [i16], pairs: &[[u32; 2]]) {
                assert!(source.len() == target.len() && target.len().is_multiple_of(32));
            } => exchange(rows, source, target, pairs);
            /// Limits `sums` to 0..=127; both lengths are the same multiple of 32.
            fn clip(sums: &[i16], outputs: &mut [u8]) {
                assert!(sums.len() == outputs.len() && sums.len().is_multiple_of(32));
            } => clip(sums, outputs);
            /// The product of the halves of `sums`: both taken modulo 2^15 (sign kept),
            /// limited to 0..=127, multiplied and divided by 128. `outputs` is half as long as
            /// `sums`, a multiple of 32.
            fn products(sums: &[i16], outputs: &mut [u8]) {
                assert!(sums.len() == 2 * outputs.len() && outputs.len().is_multiple_of(32));
                let (first, second) = sums.split_at(outputs.len());
            } => products(first, second, outputs);
            /// The rounded product of the halves of `a` + `b`: both limited to 0..=255, multiplied and
            /// divided by 512. `outputs` is half as long as `a` and `b`, a multiple of 16.
            fn wide_products(a: &[i16], b: &[i16], outputs: &mut [u8]) {
                assert!(a.len() == 2 * outputs.len() && b.len() == a.len() && outputs.len().is_multiple_of(16));
                let (a, b) = (a.split_at(outputs.len()), b.split_at(outputs.len()));
            } => wide_products([a.0, b.0], [a.1, b.1], outputs);
            /// The output of the layers after the sums of the first hidden layer. With t = sum / 8
            /// (rounded down) limited to ±1024, the inputs of the second are max(t, 0) and t² / 1024
            /// (rounded); those of the output are its sums divided by 4096 (rounded down), limited to
            /// 0..=1024.
            fn tail(sums: &[i32; HIDDEN], tail: &Tail) -> i32 {} => tail_of(sums, tail);
            /// `outputs` = `biases` + `weights` × `inputs`, wrapping. Weights are grouped by four
            /// inputs: for each group, four weights of each output.
            /// Inputs are at most 127, their number is a multiple of 4, that of outputs of 8.
            fn affine(inputs: &[u8], weights: &[i8], biases: &[i32], outputs: &mut [i32]) {
                assert!(inputs.len().is_multiple_of(4) && outputs.len().is_multiple_of(8));
                assert!(weights.len() == inputs.len() * outputs.len() && biases.len() == outputs.len());
                debug_assert!(inputs.iter().all(|&input| input <= 127));
            } => affine(inputs, weights, biases, outputs);
            /// `sums` divided by 64 (rounded down), limited to 0..=127.
            fn activate(sums: &[i32], outputs: &mut [u8]) {
                assert_eq!(sums.len(), outputs.len());
            } => activate(sums, outputs);
            /// The sum of products, wrapping. Inputs are at most 127, their number is a
            /// multiple of 32.
            fn dot(inputs: &[u8], weights: &[i8]) -> i32 {
                assert!(inputs.len() == weights.len() && inputs.len().is_multiple_of(32));
                debug_assert!(inputs.iter().all(|&input| input <= 127));
            } => dot(inputs, weights);
            /// The sum of `v * v * weight` where `v` is each sum limited to 0..=255,
            /// wrapping. Weights are within ±128, their number is a multiple of 32.
            fn squared_dot(sums: &[i16], weights: &[i16]) -> i32 {
                assert!(sums.len() == weights.len() && sums.len().is_multiple_of(32));
                debug_assert!(weights.iter().all(|weight| (-128..=128).contains(weight)));
            } => squared_dot(sums, weights);
            /// `totals` = `a` + `b`, limited to 16 bits. All lengths are the same multiple of 32.
            fn add_sums(a: &[i16], b: &[i16], totals: &mut [i16]) {
                let width = totals.len();
                assert!(a.len() == width && b.len() == width && width.is_multiple_of(32));
            } => add_sums(a, b, totals);
            /// The classes of the squares of two windows. With the bits p of a square in the six
            /// planes, its class is its base + 9 (p0 + 2 p1) + 3 (p2 + p3) + p4 + p5.
            fn zones(planes: &Planes, windows: [&Window; 2], zones: &mut Zones) {} => zones_of(planes, windows, zones);
            /// Replaces `sets` with the squares of each kind and colour, and returns the difference.
            fn place(sets: &mut CodeSets, kinds: &[Words; 16], colors: [Words; 2]) -> Difference {}
                => place(sets, kinds, colors);
            /// The codes of the sets that contain one of `squares`, as bits.
            fn touched(sets: &CodeSets, squares: Words) -> u32 {} => touched(sets, squares);
            /// For both sides the squares that are in at least one of its sets, and those that are in at
            /// least two, or in `twice`.
            fn join(once: &CodeSets, twice: &CodeSets) -> [Sides; 2] {} => join(once, twice);
            /// The indices of bytes that differ, as bits.
            fn differences(old: &[u8; 2 * LANES], new: &[u8; 2 * LANES]) -> u64 {} => differences(old, new);
        }
    };
}
pub(super) use kernels;

kernels!(declare,);

/// Compiles scalar kernels for a path, by their attribute: those that the compiler turns into
/// the same vectors as one would by hand.
macro_rules! plain {
    ($features:literal; $(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        $(
            #[inline]
            #[target_feature(enable = $features)]
            fn $name($($argument: $type),*) $(-> $result)? {
                crate::nnue::simd::scalar::$name($($argument),*)
            }
        )*
    };
}
pub(super) use plain;

/// Defines a path: the type that proves its features, and its kernels.
/// `define!(Name, "features", detection);`
macro_rules! define {
    ($(#[$meta:meta])* $path:ident, $features:literal, $detect:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) struct $path(());

        impl $path {
            pub(super) fn detect() -> Option<Self> {
                $detect.then_some(Self(()))
            }

            /// Runs `task` with the features of this path.
            #[inline]
            pub(super) fn run<T: Task>(self, task: T) -> T::Output {
                #[target_feature(enable = $features)]
                fn inside<T: Task>(path: $path, task: T) -> T::Output {
                    task.run(path)
                }
                // SAFETY: `detect` has found these features, or `self` would not exist.
                unsafe { inside(self, task) }
            }
        }

        crate::nnue::simd::kernels::kernels!(implement, $path, unsafe;);

        crate::nnue::simd::kernels::plain!(
            $features;
            fn activate(sums: &[i32], outputs: &mut [u8]);
            fn add_sums(a: &[i16], b: &[i16], totals: &mut [i16]);
            fn clip(sums: &[i16], outputs: &mut [u8]);
            fn products(first: &[i16], second: &[i16], outputs: &mut [u8]);
        );
    };
}
pub(super) use define;

/// Defines a kernel that writes to `target` the sums `source` after a change by rows, of which it
/// holds a tile in registers at a time: `N` times `$vectors` vectors.
macro_rules! tiles {
    (
        $feature:literal, $lanes:literal, $vectors:literal, $zero:expr, $load:ident, $store:ident;
        fn $name:ident($rows:ident: &[$number:ty], $($argument:ident: $type:ty),*) |$sums:ident, $row:ident| $change:block
    ) => {
        #[inline]
        #[target_feature(enable = $feature)]
        fn $name<const N: usize>($rows: &[$number], source: &[i16], target: &mut [i16], $($argument: $type),*) {
            let tiles = target.len() / ($lanes * $vectors * N);
            let ($rows, _) = $rows.as_chunks::<$lanes>().0.as_chunks::<$vectors>().0.as_chunks::<N>();
            let (source, _) = source.as_chunks::<$lanes>().0.as_chunks::<$vectors>().0.as_chunks::<N>();
            let (target, _) = target.as_chunks_mut::<$lanes>().0.as_chunks_mut::<$vectors>().0.as_chunks_mut::<N>();
            for (tile, (source, target)) in source.iter().zip(target).enumerate() {
                let mut $sums = [[$zero; $vectors]; N];
                for (sums, words) in $sums.iter_mut().zip(source) {
                    sums.iter_mut().zip(words).for_each(|(sum, words)| *sum = $load(words));
                }
                let $row = |index: u32| &$rows[index as usize * tiles + tile];
                $change
                for (words, sums) in target.iter_mut().zip($sums) {
                    words.iter_mut().zip(sums).for_each(|(words, sum)| $store(words, sum));
                }
            }
        }
    };
}
pub(super) use tiles;

/// Defines the kernels that add rows, in tiles that stay in registers for all of them: vectors
/// of `$lanes` words are loaded, stored, subtracted and added by these functions; `$swap` subtracts from two of them a vector of bytes and adds another; `$exchange` does it for widths without a tile.
macro_rules! rows {
    (
        $feature:literal, $lanes:literal, tiles: [$($width:literal),*], zero: $zero:expr,
        $load:ident, $store:ident, $subtract:ident, $add:ident, $swap:ident, $exchange:path
    ) => {
        #[inline]
        #[target_feature(enable = $feature)]
        fn update(rows: &[i16], source: &[i16], target: &mut [i16], removed: &[u32], added: &[u32]) {
            match target.len() {
                $(width if width.is_multiple_of($width) => {
                    update_tiles::<{ $width / $lanes }>(rows, source, target, removed, added);
                })*
                _ => update_tiles::<{ 32 / $lanes }>(rows, source, target, removed, added),
            }
        }

        #[inline]
        #[target_feature(enable = $feature)]
        pub(super) fn exchange(rows: &[u8], source: &[i16], target: &mut [i16], pairs: &[[u32; 2]]) {
            match target.len() {
                $(width if width.is_multiple_of($width) => {
                    exchange_tiles::<{ $width / $lanes / 2 }>(rows, source, target, pairs);
                })*
                _ => $exchange(rows, source, target, pairs),
            }
        }

        crate::nnue::simd::kernels::tiles!(
            $feature, $lanes, 1, $zero, $load, $store;
            fn update_tiles(rows: &[i16], removed: &[u32], added: &[u32]) |sums, row| {
                for &index in removed {
                    for ([sum], [words]) in sums.iter_mut().zip(row(index)) {
                        *sum = $subtract(*sum, $load(words));
                    }
                }
                for &index in added {
                    for ([sum], [words]) in sums.iter_mut().zip(row(index)) {
                        *sum = $add(*sum, $load(words));
                    }
                }
            }
        );

        crate::nnue::simd::kernels::tiles!(
            $feature, $lanes, 2, $zero, $load, $store;
            fn exchange_tiles(rows: &[u8], pairs: &[[u32; 2]]) |sums, row| {
                for &[removed, added] in pairs {
                    for (sums, (removed, added)) in sums.iter_mut().zip(row(removed).iter().zip(row(added))) {
                        $swap(sums, removed, added);
                    }
                }
            }
        );
    };
}
pub(super) use rows;

/// Defines a function that loads a vector from an array of its size:
/// `load!("feature", name: [number; count] => vector, intrinsic);`.
macro_rules! load {
    ($feature:literal, $name:ident: [$number:ty; $count:literal] => $vector:ty, $intrinsic:ident) => {
        #[inline]
        #[target_feature(enable = $feature)]
        pub(super) fn $name(numbers: &[$number; $count]) -> $vector {
            const { assert!(size_of::<[$number; $count]>() == size_of::<$vector>()) };
            // SAFETY: the reference covers the bytes read, as asserted above; the intrinsic
            // needs no alignment.
            unsafe { $intrinsic(numbers.as_ptr().cast()) }
        }
    };
}
pub(super) use load;

/// Defines a function that stores a vector to an array of its size:
/// `store!("feature", name: [number; count] <= vector, intrinsic);`.
macro_rules! store {
    ($feature:literal, $name:ident: [$number:ty; $count:literal] <= $vector:ty, $intrinsic:ident) => {
        #[inline]
        #[target_feature(enable = $feature)]
        pub(super) fn $name(numbers: &mut [$number; $count], vector: $vector) {
            const { assert!(size_of::<[$number; $count]>() == size_of::<$vector>()) };
            // SAFETY: the reference covers the bytes written, as asserted above; the intrinsic
            // needs no alignment.
            unsafe { $intrinsic(numbers.as_mut_ptr().cast(), vector) }
        }
    };
}
pub(super) use store;
