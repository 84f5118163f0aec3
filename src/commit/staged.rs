//! A staged board: complete and durable under a name of its own.
//!
//! It is written as `.<stem>.<token>.pending` and, once complete, renamed to
//! `<stem>.<token>.<made>.<base>.tmp`: the hashes of its content and of what
//! that was made from. After a crash the name tells what the file is. A
//! content that is `made` never reached the board. One that is `base` was
//! displaced by what holds it all. Any other was displaced unread.

use crate::disk::{self, FileId, ReadError, Token};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use xxhash_rust::xxh3::xxh3_64;

/// Bounds what is read of a board, in bytes: about 500,000 rows.
pub const LIMIT: u64 = 64 * 1024 * 1024;

/// Gives the XXH3 of `bytes`, 64 bits, in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Holds a complete file beside the board, to be put in its place.
#[derive(Debug)]
pub struct Staged {
    /// Where it lies.
    pub path: PathBuf,
    /// The hash of the content that was put there first.
    pub made: String,
}

/// Tells a file from any other, and from itself after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    id: Option<FileId>,
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Takes it off what the file system says of a file.
    pub fn of(meta: &Metadata) -> Self {
        Self {
            id: FileId::of(meta),
            length: meta.len(),
            modified: meta.modified().ok(),
        }
    }
}

impl Staged {
    /// Writes `bytes`, made from `base`, to a new file in `folder`, as readable
    /// as the file `like`.
    pub fn write(
        folder: &Path,
        (stem, token): (&str, Token),
        bytes: &[u8],
        base: &[u8],
        like: Option<&Metadata>,
        sync: bool,
    ) -> io::Result<(Self, Stamp)> {
        let pending = folder.join(format!(".{stem}.{token}.pending"));
        let made = hash(bytes);
        let path = folder.join(format!("{stem}.{token}.{made}.{}.tmp", hash(base)));
        let written = Self::write_to(&pending, bytes, like, sync)
            .and_then(|stamp| disk::replace("board.stage", &pending, &path).map(|()| stamp));
        if written.is_err() {
            // A rename that is said to have failed may have been done.
            let _ = disk::remove("board.unlink", &pending);
            let _ = disk::remove("board.unlink", &path);
        }
        written.map(|stamp| (Self { path, made }, stamp))
    }

    fn write_to(
        path: &Path,
        bytes: &[u8],
        like: Option<&Metadata>,
        sync: bool,
    ) -> io::Result<Stamp> {
        let file = disk::create_new("board.create", path, like.map_or(0o644, mode))?;
        if let Some(like) = like {
            disk::step::around("board.mode", || set_owner_and_mode(&file, like))?;
        }
        disk::fill("board.write", &file, bytes)?;
        if sync {
            disk::step::around("board.sync", || file.sync_all())?;
        }
        Ok(Stamp::of(&file.metadata()?))
    }

    /// Reads the file; `None` if another process has adopted it.
    pub fn read(&self) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(disk::read_regular(&self.path, LIMIT)?.map(|contents| contents.bytes))
    }

    /// Says whether `content` is what was put there first.
    pub fn is_made_of(&self, content: &[u8]) -> bool {
        hash(content) == self.made
    }

    /// Removes the file, unless an exchange that is said to have failed has
    /// put another content there: that one stays to be adopted.
    pub fn abandon(&self) {
        if matches!(self.read(), Ok(Some(content)) if self.is_made_of(&content)) {
            let _ = self.discard();
        }
    }

    /// Removes the file.
    pub fn discard(&self) -> io::Result<()> {
        disk::remove("board.unlink", &self.path)
    }
}

#[cfg(unix)]
fn mode(meta: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn mode(_meta: &Metadata) -> u32 {
    0
}

/// Gives `file` the owner of `like` where that is permitted, and its mode.
#[cfg(unix)]
fn set_owner_and_mode(file: &File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let meta = file.metadata()?;
    if (meta.uid(), meta.gid()) != (like.uid(), like.gid()) {
        // Not permitted to most: the board then belongs to who wrote it last.
        let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
    }
    if mode(&meta) == mode(like) {
        Ok(())
    } else {
        file.set_permissions(like.permissions())
    }
}

#[cfg(not(unix))]
fn set_owner_and_mode(_file: &File, _like: &Metadata) -> io::Result<()> {
    Ok(())
}
