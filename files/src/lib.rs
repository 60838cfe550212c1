//! Files: the one door through which the others are opened, read and written; their checksum.
//!
//! ```
//! use enbu_files::{Existing, FileKind};
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("opening.sfen");
//! enbu_files::write(&path, "startpos moves 7g7f\n", Existing::Keep)?;
//! assert_eq!(enbu_files::read_text(&path, FileKind::Record)?, "startpos moves 7g7f\n");
//! let refused = enbu_files::write(&path, "", Existing::Keep).unwrap_err();
//! assert_eq!(refused.to_string(), "exists");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Errors are those of the system, or hold a [`Refusal`].
//!
//! **Input.** [`open`], [`read`] and their kind take regular files and links to them. Pipes,
//! sockets, devices and folders are refused at once, without waiting, and so is a file over
//! the limit of its [`FileKind`], which is also that of standard input. [`below`] visits each
//! folder once.
//!
//! **Output.** A [`Draft`] is a file of a short random name in the folder of its target,
//! renamed when complete: no reader sees a partial file, and a failure leaves the old file
//! unchanged. With [`Existing::Keep`] the renaming itself fails where a file has appeared
//! meanwhile, so that of two writers one wins and the other gets an error. Symbolic links are
//! followed, also to a file that is missing, and a replaced file keeps its permissions. Pipes
//! and character devices (`/dev/null`) are written to directly: a rename would replace them
//! by a file. A pipe needs a reader within a second.
//!
//! | written by | after the process was killed | after a power cut |
//! |---|---|---|
//! | [`write()`], [`Draft::finish`] | the old file or the new one | the old file or the new one |
//! | [`write_unsynced`] | the old file or the new one | either, or the new one empty, cut or with zeros |
//!
//! The last column holds for file systems that keep their promises about `fsync`. A folder is
//! not synced: a power cut soon after the rename may undo it.

#![forbid(unsafe_code)]

mod digest;
mod draft;
mod input;
mod kind;

pub use digest::{checksum, fnv1a, sealed};
pub use draft::{Draft, Existing, check_writable, would_replace, write, write_unsynced};
pub use input::{
    append, below, create_new, edit, entries, folder, if_found, open, read, read_if, read_stdin, read_text,
};
pub use kind::{FileKind, Refusal, reason};
