//! A staged board: complete and durable under a name of its own.
//!
//! It is written as `.<stem>.<token>.pending` and, once complete, renamed to
//! `<stem>.<token>.<made>.<base>.tmp`: the hashes of its content and of what
//! that was made from. After a crash the name tells what the file is. A
//! content that is `made` never reached the board. One that is `base` was
//! displaced by what holds it all. Any other was displaced unread. Beside the
//! board, where people look, the name begins with a dot.

use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{
    self, Access, Durability, Entry, FileId, FileStatus, Folder, Links, ReadError, Token,
};
use std::io;
use std::time::SystemTime;

/// How many bytes of boards one update goes through to join what it finds
/// beside the board, each join being a walk over both sides.
///
/// That takes 0.2 s of a hook's 2 s. The rest waits for the next
/// update, so that whoever fills a vault with such files delays what they say,
/// and not what the sessions of this host say.
pub const JOIN_BUDGET: u64 = 4 * 1024 * 1024;

/// Returns the first 16 hexadecimal digits of the SHA-256 of `bytes`.
pub fn hash(bytes: &[u8]) -> String {
    let digest = hmac_sha256::Hash::hash(bytes);
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A complete file, to be put in the board's place; or what was there.
#[derive(Debug)]
pub struct Staged {
    /// Where it lies.
    pub entry: Entry,
    /// The hash of the content that was put there first.
    pub made: String,
    /// The file that was put there first.
    pub stamp: Option<Stamp>,
}

/// The marks that tell a file from any other, and from itself after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    id: Option<FileId>,
    length: u64,
    modified: SystemTime,
}

impl Stamp {
    /// Takes it off what the file system says of a file.
    pub fn of(status: &FileStatus) -> Self {
        Self {
            id: status.id,
            length: status.length,
            modified: status.modified,
        }
    }
}

/// The parts of a staged board's name.
pub struct StagedName<'a> {
    /// The stem of the board's files.
    pub stem: &'a str,
    /// Who staged it.
    pub token: Token,
}

impl StagedName<'_> {
    fn pending(&self) -> String {
        format!(".{}.{}.pending", self.stem, self.token)
    }

    /// Names the complete file: by the hashes of its content and its base.
    pub fn complete(&self, dot: &str, hashes: &str) -> String {
        format!("{dot}{}.{}.{hashes}.tmp", self.stem, self.token)
    }
}

impl Staged {
    /// Writes `bytes`, made from `base`, to a new file in `folder`, with the
    /// permissions `like`; `dot` begins its name.
    pub fn write(
        (folder, dot): (&Folder, &str),
        name: &StagedName,
        bytes: &[u8],
        base: &[u8],
        like: Option<&Access>,
        durability: Durability,
    ) -> io::Result<Self> {
        let pending = folder.entry(name.pending());
        let made = hash(bytes);
        let entry = folder.entry(name.complete(dot, &format!("{made}.{}", hash(base))));
        let written = write(&pending, bytes, like, durability).and_then(|stamp| {
            let staged = disk::retry_briefly(|| disk::replace("board.stage", &pending, &entry));
            staged.map(|()| stamp)
        });
        if written.is_err() {
            // A rename that is said to have failed may have been done.
            let _ = disk::remove("board.unlink", &pending);
            let _ = disk::remove("board.unlink", &entry);
        }
        written.map(|stamp| Self {
            entry,
            made,
            stamp: Some(stamp),
        })
    }

    /// Reads the file; `None` if another process has adopted it.
    pub fn read(&self) -> Result<Option<Vec<u8>>, ReadError> {
        Ok(
            disk::read_small(&self.entry, MAX_BOARD_BYTES, Links::Refuse)?
                .map(|contents| contents.bytes),
        )
    }

    /// Compares `content` with what was put there first.
    pub fn is_made_of(&self, content: &[u8]) -> bool {
        hash(content) == self.made
    }

    /// Compares the file at `entry` with the one that was put there first.
    ///
    /// Inode numbers are reused as soon as they are free, and some file systems
    /// change the time of a file by themselves: where the time differs, the content
    /// decides.
    pub fn is_at(&self, entry: &Entry) -> bool {
        let (Ok(now), Some(stamp)) = (disk::status(entry), self.stamp) else {
            return false;
        };
        let holds_ours = || match disk::read_small(entry, MAX_BOARD_BYTES, Links::Refuse) {
            Ok(Some(contents)) => self.is_made_of(&contents.bytes),
            _ => false,
        };
        now.id == stamp.id && (Stamp::of(&now) == stamp || holds_ours())
    }

    /// Renames the file to what a board that is written in place is restored from.
    pub fn to_journal(&self) -> io::Result<Self> {
        let path = self.entry.path().with_extension("journal.tmp");
        let entry = self.entry.sibling(path.file_name().unwrap_or_default());
        disk::replace("board.stage", &self.entry, &entry)?;
        Ok(Self {
            entry,
            made: self.made.clone(),
            stamp: self.stamp,
        })
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
        disk::remove("board.unlink", &self.entry)
    }
}

fn write(
    pending: &Entry,
    bytes: &[u8],
    like: Option<&Access>,
    durability: Durability,
) -> io::Result<Stamp> {
    let mode = like.map_or(0o644, Access::initial_mode);
    let file = disk::create_new("board.create", pending, mode)?;
    if let Some(like) = like {
        disk::failpoint::around("board.mode", || like.give_to(&file))?;
    }
    disk::fill("board.write", &file, bytes)?;
    if durability == Durability::Synced {
        disk::failpoint::around("board.sync", || file.sync_all())?;
    }
    Ok(Stamp::of(&FileStatus::of(&file.metadata()?)))
}
