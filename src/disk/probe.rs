//! What a file system can do: tried, not looked up.

use super::rename::{link, rename_new};
use super::{
    Attempt, Entry, Folder, KernelLock, Links, Token, create_new, exchange, fill, read_small,
    remove, status, touch,
};
use std::io;
use std::time::SystemTime;

/// The operations that the file system offers to the lock and the commit.
#[derive(Debug)]
pub struct Abilities {
    /// A hard link that refuses to replace.
    pub hard_link: io::Result<()>,
    /// A rename that refuses to replace.
    pub no_replace: io::Result<()>,
    /// A swap of two names.
    pub exchange: io::Result<()>,
    /// A lock that the kernel releases when its holder ends.
    pub kernel_lock: io::Result<()>,
    /// The time that the file system gives to a file that is touched now.
    pub clock: io::Result<SystemTime>,
}

/// Tries it all in `folder` with temporaries, and removes them.
///
/// They are named as those of a board, so that the next update sweeps them
/// away should this process be killed. Fails where not even a file can be made.
pub fn probe(folder: &Folder, stem: &str, token: Token) -> io::Result<Abilities> {
    let mut token = token;
    let [one, two, three, four, five] = [(); 5].map(|()| {
        token = token.successor();
        folder.entry(format!(".{stem}.{token}.pending"))
    });
    let done = create_new("probe.create", &one, 0o600).map(|file| Abilities {
        clock: touch("record.touch", &file)
            .and_then(|()| file.metadata())
            .and_then(|meta| meta.modified()),
        hard_link: link(&one, &two),
        no_replace: or_create(&two).and_then(|()| refuses(&one, &two, &three)),
        exchange: swap(&one, &four),
        // On a file of its own: SMB gives no lock on one that is open or was linked.
        kernel_lock: match KernelLock::try_take(&five, 0o600, "gate.open", "gate.lock") {
            Attempt::Taken(_) => Ok(()),
            Attempt::Busy => Err(io::ErrorKind::WouldBlock.into()),
            Attempt::Unavailable(error) => Err(error),
        },
    });
    for path in [one, two, three, four, five] {
        remove("probe.unlink", &path)?;
    }
    done
}

/// Renames to a free name, and is refused one that is taken.
fn refuses(taken: &Entry, from: &Entry, free: &Entry) -> io::Result<()> {
    rename_new(from, free)?;
    match rename_new(free, taken) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
        Ok(()) => Err(io::Error::other("a rename that must refuse replaces")),
    }
}

/// Swaps two files, and believes what lies there rather than the reply: some
/// FUSE file systems rename, and report success.
fn swap(one: &Entry, other: &Entry) -> io::Result<()> {
    fill(
        "probe.create",
        &create_new("probe.create", other, 0o600)?,
        b"other",
    )?;
    let ids = || Ok::<_, io::Error>((status(one)?.id, status(other)?.id));
    let (first, second) = ids()?;
    exchange("board.exchange", one, other)?;
    let is_swapped =
        ids().is_ok_and(|now| now == (second, first)) && holds(one, b"other") && holds(other, b"");
    if is_swapped {
        return Ok(());
    }
    Err(io::Error::other("a swap reports success and does not swap"))
}

fn holds(entry: &Entry, bytes: &[u8]) -> bool {
    matches!(read_small(entry, 16, Links::Refuse), Ok(Some(read)) if read.bytes == bytes)
}

fn or_create(path: &Entry) -> io::Result<()> {
    match create_new("probe.create", path, 0o600) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}
