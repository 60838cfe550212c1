//! The packed positions and records of other programs.
//!
//! | module | contents |
//! |---|---|
//! | `coding` | positions in 256 bits: [`PackedSfen`] (YaneuraOu), [`PackedHcp`] (Apery, dlshogi, cshogi) |
//! | `record` | positions with a score, a move and a result: PackedSfenValue and hcpe |
//! | `pack` | whole games: pack |

mod coding;
mod pack;
mod record;

pub use coding::{PackError, PackedHcp, PackedSfen, UnpackError};
pub use pack::{PackFileError, decode_pack, encode_pack};
pub(crate) use record::{HCPE_BYTES, PSV_BYTES};
pub use record::{Record, RecordError};
