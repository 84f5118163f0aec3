//! Replacing a file that is no board: whole or not at all.

use super::{Token, create_new, fill, remove, replace, step, sync_folder};
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Gives the file at `path` a new content by a rename, as readable as `like`.
///
/// A link at `path` would be replaced by a file: resolve it before.
pub fn rewrite(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let name = format!(".{}.{}.tmp", name.to_string_lossy(), Token::new(0)?);
    let temporary = path.with_file_name(name);
    let written = write(&temporary, bytes, like)
        .and_then(|()| replace("file.replace", &temporary, path))
        .and_then(|()| sync_folder("file.sync", path.parent().unwrap_or(Path::new("."))));
    if written.is_err() {
        let _ = remove("file.unlink", &temporary);
    }
    written
}

fn write(path: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    let file = create_new("file.create", path, 0o644)?;
    if let Some(like) = like {
        resemble(&file, like)?;
    }
    fill("file.write", &file, bytes)?;
    step::around("file.sync", || file.sync_all())
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
