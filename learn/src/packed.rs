//! The packed records of other programs.
//!
//! | module | contents |
//! |---|---|
//! | `record` | positions with a score, a move and a result: PackedSfenValue and hcpe |
//! | `pack` | whole games: pack |

mod pack;
mod record;

pub use pack::{decode_pack, encode_pack};
pub use record::Record;
pub(crate) use record::{HCPE_BYTES, PSV_BYTES};
