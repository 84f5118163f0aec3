//! What a crashed process left: adopted before it is removed.

use super::staged::{Staged, hash};
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
}

/// Claims the leftovers of dead processes, and removes what the board does not need.
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
        let Some((maker, hashes)) = name_of(stem, &name) else {
            continue;
        };
        if is_abandoned(&path, *token, maker, staleness) {
            adopted.extend(claim(&path, stem, token, hashes));
        }
    }
    adopted
}

fn claim(
    path: &Path,
    stem: &str,
    token: &mut Token,
    (made, base): (&str, &str),
) -> Option<Leftover> {
    *token = token.successor();
    let claimed = path.with_file_name(format!("{stem}.{token}.{made}.{base}.tmp"));
    disk::move_new("leftover.claim", path, &claimed).ok()?;
    let staged = Staged {
        path: claimed,
        made: made.to_owned(),
    };
    match staged.read() {
        // Complete, but it never reached the board, and its writer never said
        // so; or displaced by what was made from it.
        Ok(Some(bytes)) if [made, base].contains(&&*hash(&bytes)) => {}
        Ok(Some(bytes)) => return Some(Leftover { staged, bytes }),
        Err(ReadError::NotRegular { .. }) => {}
        Ok(None) | Err(ReadError::TooLarge { .. } | ReadError::Io(_)) => return None,
    }
    let _ = disk::remove("leftover.unlink", &staged.path);
    None
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

/// Reads `<stem>.<token>.<made>.<base>.tmp`.
fn name_of<'n>(stem: &str, name: &'n str) -> Option<(Token, (&'n str, &'n str))> {
    let rest = name
        .strip_prefix(stem)?
        .strip_prefix('.')?
        .strip_suffix(".tmp")?;
    let (token, hashes) = rest.split_once('.')?;
    let (made, base) = hashes.split_once('.')?;
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let is_ours = is_hash(made) && is_hash(base);
    Some((Token::parse(token)?, (made, base))).filter(|_| is_ours)
}

/// Reads `.<stem>.<token>.pending`.
fn pending_of(stem: &str, name: &str) -> Option<Token> {
    let rest = name
        .strip_prefix('.')?
        .strip_prefix(stem)?
        .strip_prefix('.')?;
    Token::parse(rest.strip_suffix(".pending")?)
}
