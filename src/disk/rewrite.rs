//! Writing a whole file that nobody else writes: it is old or new, never half.

use super::{Token, create_new, fill, place_new, remove, replace, step, sync_folder};
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Gives a file a new content; its owner and permissions stay.
///
/// Whoever writes it at the same time may be overwritten: this is for files
/// that are not shared. A link is replaced, not followed.
pub fn rewrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    rewrite_like(path, bytes, std::fs::metadata(path).ok().as_ref())
}

/// Gives a file a new content, and the owner and permissions of another.
pub fn rewrite_like(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    let token = Token::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pending = path.with_file_name(format!(".{name}.{token}.pending"));
    let write = || {
        let file = create_new("file.create", &pending, 0o644)?;
        if let Some(like) = like {
            resemble(&file, like)?;
        }
        fill("file.write", &file, bytes)?;
        step::around("file.sync", || file.sync_all())?;
        match std::fs::symlink_metadata(path) {
            Ok(_) => replace("file.replace", &pending, path),
            Err(_) => place_new("file.replace", &pending, path),
        }?;
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        sync_folder("file.sync", folder.unwrap_or(Path::new(".")))
    };
    let written = write();
    if written.is_err() {
        let _ = remove("pending.unlink", &pending);
    }
    written
}

/// Gives a file the mode of another, and its owner where that is permitted.
fn resemble(file: &File, like: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let meta = file.metadata()?;
        if (meta.uid(), meta.gid()) != (like.uid(), like.gid()) {
            let _ = std::os::unix::fs::fchown(file, Some(like.uid()), Some(like.gid()));
        }
    }
    file.set_permissions(like.permissions())
}
