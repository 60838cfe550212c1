//! The packed positions and records of other programs.
//!
//! | module | what lives there |
//! |---|---|
//! | `coding` | positions in 256 bits: [`PackedSfen`] (YaneuraOu), [`PackedHcp`] (Apery, dlshogi, cshogi) |

mod coding;

pub use coding::{PackError, PackedHcp, PackedSfen, UnpackError};
