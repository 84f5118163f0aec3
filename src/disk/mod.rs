//! The shims through which every name in a vault is read or changed.
//!
//! Nothing above this module calls the operating system's rename, link or
//! unlink itself (`clippy.toml` bans them), so that each of them has a
//! [`failpoint`] at which a test can stop, kill or fail the process, and so that
//! what a platform lacks is answered in one place.

mod absolute;
mod access;
#[cfg(unix)]
mod acl;
mod backoff;
mod entry;
mod errno;
pub mod failpoint;
mod folder;
mod kernel_lock;
mod probe;
mod queue;
mod read;
mod rename;
mod rewrite;
mod status;
mod token;
mod write;

pub use absolute::absolute_path;
pub use access::Access;
pub use backoff::{Backoff, Patience, retry_briefly};
pub use entry::{At, Entry};
pub use errno::{is_io, is_passing, is_unsupported};
pub use folder::Folder;
pub use kernel_lock::{Attempt, KernelLock};
pub use probe::{Abilities, probe};
pub use queue::{Queue, Turn};
pub use read::{Contents, Links, ONE_READ, ReadError, read_at_once, read_proc, read_small, status};
pub use rename::{
    exchange, move_new, publish_exclusive, publish_new, remove, remove_folder, replace,
};
pub use rewrite::{rewrite, rewrite_like, rewrite_private};
pub use status::{FileId, FileKind, FileStatus};
pub use token::{Token, is_running};
pub use write::{
    Durability, append, create_folder, create_new, create_private_folder, fill, touch, write_over,
};
