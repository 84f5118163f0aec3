//! Writing a whole file that nobody else writes: it is old or new, never half.

use super::{
    Access, At, Entry, Links, Token, create_new, create_private_folder, failpoint, fill,
    publish_new, remove, replace, status,
};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Replaces a file's content; its owner and permissions stay.
///
/// Whoever writes it at the same time may be overwritten: this is for files
/// that are not shared. A link is replaced, not followed.
pub fn rewrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    rewrite_like(&Entry::at(path)?, bytes, Access::at(path, Links::Follow))
}

/// Replaces the content of a file that only its owner may read, in a folder that
/// only its owner may look into; both are made if they are missing.
///
/// Not synced, and without a look at who else writes: for the user's own folder for
/// state, in which a file is old or new, never half. The steps are to create, to
/// write and to replace.
pub fn rewrite_private(steps: [&'static str; 3], path: &Path, bytes: &[u8]) -> io::Result<()> {
    let [creating, writing, replacing] = steps;
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pending = folder.join(format!(".{name}.{}.tmp", Token::new(0)));
    let create = || create_new(creating, &pending, 0o600);
    let file = match create() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create_private_folder(folder)?;
            create()
        }
        created => created,
    }?;
    let written = fill(writing, &file, bytes).and_then(|()| replace(replacing, &pending, path));
    if written.is_err() {
        let _ = remove("pending.unlink", &pending);
    }
    written
}

/// Replaces a file's content, and gives it the permissions of another.
pub fn rewrite_like(
    at: &(impl At + ?Sized),
    bytes: &[u8],
    like: Option<impl Into<Access>>,
) -> io::Result<()> {
    let file = &at.entry()?;
    let like: Option<Access> = like.map(Into::into);
    let token = Token::new(0);
    let path = file.path();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pending = file.sibling(format!(".{name}.{token}.pending"));
    let write = || {
        let mode = like.as_ref().map_or(0o644, Access::initial_mode);
        let new = create_new("file.create", &pending, mode)?;
        if let Some(like) = &like {
            like.give_to(&new)?;
        }
        fill("file.write", &new, bytes)?;
        failpoint::around("file.sync", || new.sync_all())?;
        match status(file) {
            Ok(_) => replace("file.replace", &pending, file),
            Err(_) => publish_new("file.replace", &pending, file),
        }?;
        file.in_folder().sync("file.sync")
    };
    let written = write();
    if written.is_err() {
        let _ = remove("pending.unlink", &pending);
    }
    written
}
