//! Writing a whole file that nobody else writes: it is old or new, never half.

use super::{Token, create_new, fill, place_new, remove, replace};
use std::io;
use std::path::Path;

/// Gives a file a new content; its permissions stay.
///
/// Whoever writes it at the same time may be overwritten: this is for files
/// that are not shared. A link is replaced, not followed.
pub fn rewrite(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let token = Token::new(0)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pending = path.with_file_name(format!(".{name}.{token}.pending"));
    let old = std::fs::metadata(path).ok();
    let write = || {
        let file = create_new("file.create", &pending, 0o644)?;
        if let Some(old) = &old {
            file.set_permissions(old.permissions())?;
        }
        fill("file.write", &file, bytes)?;
        file.sync_all()?;
        match old {
            Some(_) => replace("file.replace", &pending, path),
            None => place_new("file.replace", &pending, path),
        }
    };
    let written = write();
    if written.is_err() {
        let _ = remove("pending.unlink", &pending);
    }
    written
}
