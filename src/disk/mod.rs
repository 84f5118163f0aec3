//! The shims through which every name in a vault is read or changed.
//!
//! Nothing above this module calls the operating system's rename, link or
//! unlink itself (`clippy.toml` bans them), so that each of them has a
//! [`failpoint`] at which a test can stop, kill or fail the process, and so that
//! what a platform lacks is answered in one place.

mod absolute;
mod access;
mod backoff;
pub mod failpoint;
mod folder;
mod kernel_lock;
mod place;
mod probe;
mod read;
mod rewrite;
mod status;
mod token;

pub use absolute::absolute_path;
pub use access::Access;
pub use backoff::{Backoff, Patience, is_passing, persist};
pub use folder::{At, Entry, Folder};
pub use kernel_lock::{Attempt, KernelLock, Queue, Turn};
pub use place::{
    append, copy_new, create_folder, create_new, exchange, fill, is_unsupported, move_new,
    patiently, place_new, remove, remove_folder, replace, touch, write_over,
};
pub use probe::{Abilities, probe};
pub use read::{Contents, Links, ReadError, open_to_read, read_proc, read_small, status};
pub use rewrite::{rewrite, rewrite_like};
pub use status::{FileId, FileKind, FileStatus};
pub use token::{Token, is_running};
