//! Files that are kept in a vault instead of being removed.

use crate::config::vault::BoardPlace;
use crate::disk::{self, Entry};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Keeps conflict copies whose rows the board has.
const MERGED: &str = "merged";
/// Keeps contents as they were before a repair.
const BACKUPS: &str = "backups";

/// Moves a file that lies beside the board into `.orchestrator/merged/`, and
/// gives its new place.
pub(crate) fn archive(place: &BoardPlace, file: &Entry) -> io::Result<Entry> {
    let path = file.path();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    in_free_name(place, MERGED, &name, |kept| {
        disk::move_new("archive.move", file, kept)
    })
}

/// Writes a content into `.orchestrator/backups/`, and gives its path.
///
/// It has the name of the note, and only its owner reads it.
pub(crate) fn back_up(place: &BoardPlace, bytes: &[u8]) -> io::Result<PathBuf> {
    let name = place.board.file_name().unwrap_or_default();
    let entry = in_free_name(place, BACKUPS, &name.to_string_lossy(), |kept| {
        let file = disk::create_new("archive.create", kept, 0o600)?;
        disk::fill("archive.write", &file, bytes)?;
        file.sync_all()
    })?;
    Ok(entry.path())
}

/// Puts something under `name`, or `name` with the first free number.
fn in_free_name(
    place: &BoardPlace,
    folder: &str,
    name: &str,
    mut put: impl FnMut(&Entry) -> io::Result<()>,
) -> io::Result<Entry> {
    let folder = place.create_orchestrator()?.create_beneath(folder, 0o777)?;
    let (stem, extension) = match name.rfind('.') {
        Some(at) if at > 0 => name.split_at(at),
        _ => (name, ""),
    };
    let mut entry = folder.entry(name);
    for number in 2..10_000 {
        match put(&entry) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                entry = folder.entry(format!("{stem}.{number}{extension}"));
            }
            done => return done.map(|()| entry),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
