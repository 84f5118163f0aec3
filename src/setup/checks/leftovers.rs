//! What crashed processes left beside the lock.

use crate::disk::Token;
use crate::lock::Host;
use crate::setup::check::{Findings, Inspection};
use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The greatest number of names that are looked at.
const MAX_NAMES: usize = 10_000;

/// Checks for files of processes that are gone.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Ok(place) = &inspection.place else {
        return;
    };
    let staleness = inspection.lock_options(place).staleness;
    let mine = Token::new(Host::current().tag());
    let stem = format!("{}.", place.stem);
    let is_ours = |name: &str| {
        let name = name.strip_prefix('.').unwrap_or(name);
        name.starts_with(&stem) && token_in(name).is_some()
    };
    let folder = place.orchestrator();
    let names = folder.and_then(|folder| folder.list(MAX_NAMES, is_ours));
    let names = names.unwrap_or_default();
    let mut left = Vec::new();
    let mut kept = Vec::new();
    for name in names {
        let path = place.folder.join(&name);
        // Gone meanwhile: not a leftover.
        let Ok(meta) = std::fs::symlink_metadata(&path) else {
            continue;
        };
        let age = age(&meta);
        if name.ends_with(".kept.md") {
            kept.push((path, age));
            continue;
        }
        let is_dead = token_in(&name).is_some_and(|maker| mine.knows_dead(maker));
        if is_dead || age > staleness {
            left.push((path, age));
        }
    }
    match all(&left) {
        None => findings.ok("leftovers", "no crash left anything behind"),
        Some(text) => findings.warn(
            "leftovers",
            format!("left by a crash: {text}"),
            "the next updates join and remove them, a few at a time",
        ),
    }
    if let Some(text) = all(&kept) {
        findings.warn(
            "kept-files",
            format!("a text that was at the board's path, or too large to be joined: {text}"),
            "move it to where it belongs",
        );
    }
}

/// Finds the token in a name; `kept` files and staged boards have it too.
fn token_in(name: &str) -> Option<Token> {
    name.split('.').find_map(Token::parse)
}

/// Takes the time of the last change of any kind: a displaced board keeps that
/// of its content.
fn age(meta: &Metadata) -> Duration {
    #[cfg(unix)]
    let changed = {
        use std::os::unix::fs::MetadataExt;
        let seconds = u64::try_from(meta.ctime()).unwrap_or_default();
        Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    };
    #[cfg(not(unix))]
    let changed = meta.modified().ok();
    let now = SystemTime::now();
    changed
        .and_then(|changed| now.duration_since(changed).ok())
        .unwrap_or_default()
}

fn all(files: &[(impl AsRef<Path>, Duration)]) -> Option<String> {
    let (path, age) = files.first()?;
    let more = match files.len() - 1 {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (path, age) = (path.as_ref().display(), age.as_secs());
    Some(format!("`{path}`, {age} s old{more}"))
}
