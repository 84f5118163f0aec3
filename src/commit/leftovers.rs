//! What a crashed process left: adopted before it is removed.

use super::staged::{self, Staged};
use crate::disk::{self, ReadError, Token};
use std::path::Path;
use std::time::Duration;

/// Holds a board that an exchange displaced and that nobody joined.
#[derive(Debug)]
pub struct Leftover {
    /// Its file, under a name of ours.
    pub staged: Staged,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The hash of what displaced it.
    pub displaced_by: String,
}

/// Claims the leftovers of dead processes, and removes what never was a board's content.
///
/// A claim is a rename, so that whichever side of an exchange the file is on
/// when its writer turns out to live after all, it is read once, whole. Those
/// of living processes are left alone until they are older than `staleness`.
pub fn adopt_leftovers(
    folder: &Path,
    stem: &str,
    token: &mut Token,
    staleness: Duration,
) -> Vec<Leftover> {
    let is_left = |name: &str| name_of(stem, name).is_some() || pending_of(stem, name).is_some();
    let mut adopted = Vec::new();
    for name in disk::list(folder, is_left).unwrap_or_default() {
        let path = folder.join(&name);
        if let Some(maker) = pending_of(stem, &name) {
            if is_abandoned(&path, *token, maker, staleness) {
                let _ = disk::remove("leftover.unlink", &path);
            }
            continue;
        }
        let Some((maker, hash)) = name_of(stem, &name) else {
            continue;
        };
        if is_abandoned(&path, *token, maker, staleness) {
            adopted.extend(claim(&path, stem, token, hash));
        }
    }
    adopted
}

fn claim(path: &Path, stem: &str, token: &mut Token, hash: &str) -> Option<Leftover> {
    *token = token.successor();
    let claimed = path.with_file_name(format!("{stem}.{token}.{hash}.tmp"));
    disk::move_new("leftover.claim", path, &claimed).ok()?;
    let staged = Staged { path: claimed };
    match staged.read() {
        Ok(Some(bytes)) if staged::hash(&bytes) != hash => Some(Leftover {
            staged,
            bytes,
            displaced_by: hash.to_owned(),
        }),
        // Complete, but it never reached the board: its writer never said so.
        Ok(Some(_)) | Err(ReadError::NotRegular { .. }) => {
            let _ = disk::remove("leftover.unlink", &staged.path);
            None
        }
        Ok(None) | Err(ReadError::TooLarge { .. } | ReadError::Io(_)) => None,
    }
}

fn is_abandoned(path: &Path, mine: Token, maker: Token, staleness: Duration) -> bool {
    // The board keeps the time of its last change when it is displaced, so
    // age alone, measured from the change of status, must not be taken for
    // that of a living process.
    let age = std::fs::symlink_metadata(path)
        .ok()
        .and_then(|meta| changed_ago(&meta));
    mine.knows_dead(maker) || age.is_some_and(|age| age > staleness)
}

/// Gives how long ago a file was last renamed, linked or written.
#[cfg(unix)]
fn changed_ago(meta: &std::fs::Metadata) -> Option<Duration> {
    use std::os::unix::fs::MetadataExt;
    let secs = u64::try_from(meta.ctime()).ok()?;
    let nanos = u32::try_from(meta.ctime_nsec()).ok()?;
    let changed = std::time::SystemTime::UNIX_EPOCH + Duration::new(secs, nanos);
    std::time::SystemTime::now().duration_since(changed).ok()
}

#[cfg(not(unix))]
fn changed_ago(meta: &std::fs::Metadata) -> Option<Duration> {
    meta.created().ok()?.elapsed().ok()
}

/// Reads `<stem>.<token>.<hash>.tmp`.
fn name_of<'n>(stem: &str, name: &'n str) -> Option<(Token, &'n str)> {
    let rest = name
        .strip_prefix(stem)?
        .strip_prefix('.')?
        .strip_suffix(".tmp")?;
    let (token, hash) = rest.split_once('.')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((Token::parse(token)?, hash)).filter(|_| is_hash)
}

/// Reads `.<stem>.<token>.pending`.
fn pending_of(stem: &str, name: &str) -> Option<Token> {
    let rest = name
        .strip_prefix('.')?
        .strip_prefix(stem)?
        .strip_prefix('.')?;
    Token::parse(rest.strip_suffix(".pending")?)
}
