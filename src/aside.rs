//! What is put aside in a vault instead of being removed.

use crate::disk;
use crate::vault::Place;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Keeps conflict copies whose rows the board has.
const MERGED: &str = "merged";
/// Keeps contents as they were before a repair.
const BACKUPS: &str = "backups";

/// Moves a file into `.orchestrator/merged/`, and gives its new path.
pub(crate) fn put_away(place: &Place, file: &Path) -> io::Result<PathBuf> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    in_free_name(&place.folder.join(MERGED), &name, |path| {
        disk::move_new("aside.move", file, path)
    })
}

/// Writes a content into `.orchestrator/backups/`, and gives its path.
///
/// It has the name of the note and the permissions of a new file's owner only.
pub(crate) fn back_up(place: &Place, bytes: &[u8]) -> io::Result<PathBuf> {
    let name = place.board.file_name().unwrap_or_default();
    let folder = place.folder.join(BACKUPS);
    in_free_name(&folder, &name.to_string_lossy(), |path| {
        let file = disk::create_new("aside.create", path, 0o600)?;
        disk::fill("aside.write", &file, bytes)?;
        file.sync_all()
    })
}

/// Puts something under `name`, or `name` with the first free number.
fn in_free_name(
    folder: &Path,
    name: &str,
    mut put: impl FnMut(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    disk::create_folder("folder.create", folder)?;
    let (stem, extension) = match name.rfind('.') {
        Some(at) if at > 0 => name.split_at(at),
        _ => (name, ""),
    };
    let mut path = folder.join(name);
    for number in 2..10_000 {
        match put(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                path = folder.join(format!("{stem}.{number}{extension}"));
            }
            done => return done.map(|()| path),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
