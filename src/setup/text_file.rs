//! A text file that belongs to others: found, read, written and removed.

use super::SetupError;
use crate::disk::{self, Access, read_small};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The greatest size of such a file, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A text file as it was read.
#[derive(Clone)]
pub struct TextFile {
    /// All of it, a byte order mark included.
    pub text: String,
    /// Who may read and write it, an ACL included.
    pub access: Option<Access>,
}

impl TextFile {
    /// Reads the file at `path`, which must not be a link; `None` if it does not exist.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        let read = read_small(path, MAX_BYTES, disk::Links::Refuse)
            .map_err(|error| format!("cannot be read ({error})"))?;
        let Some(contents) = read else {
            return Ok(None);
        };
        let text = String::from_utf8(contents.bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            format!("has invalid UTF-8 at byte {at}")
        })?;
        Ok(Some(Self {
            text,
            access: Access::of(&contents.file).ok(),
        }))
    }

    /// Writes it to `path`, with the folders above.
    pub fn write(&self, path: &Path) -> Result<(), SetupError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        disk::create_folder("folder.create", folder)
            .map_err(|error| failed("create", folder, &error))?;
        disk::rewrite_like(path, self.text.as_bytes(), self.access.clone())
            .map_err(|error| failed("write", path, &error))
    }
}

/// Removes a file, and of the folders above it the `own_folders` nearest unless
/// anything is in them.
pub fn remove(path: &Path, own_folders: usize) -> Result<(), SetupError> {
    disk::remove("file.unlink", path).map_err(|error| failed("remove", path, &error))?;
    for folder in path.ancestors().skip(1).take(own_folders) {
        let _ = disk::remove_folder("file.unlink", folder);
    }
    Ok(())
}

/// Makes a file a program.
#[cfg(unix)]
pub fn make_executable(path: &Path) -> Result<(), SetupError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| failed("make executable", path, &error))
}

/// Does nothing: there, a program is known by its name.
#[cfg(not(unix))]
pub fn make_executable(_path: &Path) -> Result<(), SetupError> {
    Ok(())
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> SetupError {
    let path = path.display();
    SetupError(format!(
        "cannot {doing} `{path}`: {error}; check its permissions"
    ))
}

/// The links that are followed on the way to a file.
#[derive(Clone, Debug)]
pub enum Links {
    /// None below this folder: its content belongs to others.
    RefuseBelow(PathBuf),
    /// Any: the user linked the file, as dotfile managers do.
    Follow,
}

/// Finds the file that is edited, behind links where they are followed.
pub fn locate(path: &Path, links: &Links) -> Result<PathBuf, String> {
    let is_link = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|meta| meta.file_type().is_symlink())
    };
    match links {
        Links::RefuseBelow(root) => {
            let below = path.ancestors().take_while(|part| part != root);
            match below.filter(|part| is_link(part)).last() {
                None => Ok(path.to_owned()),
                Some(link) if link == path => {
                    Err("is a symbolic link, which is not followed here".to_owned())
                }
                Some(link) => Err(format!(
                    "is behind the symbolic link `{}`, which is not followed here",
                    link.display()
                )),
            }
        }
        Links::Follow if path.ancestors().take(3).any(is_link) => real(path),
        Links::Follow => Ok(path.to_owned()),
    }
}

/// Follows the links of as much of a path as exists.
fn real(path: &Path) -> Result<PathBuf, String> {
    for ancestor in path.ancestors() {
        match std::fs::canonicalize(ancestor) {
            Ok(real) => {
                let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
                return Ok(match rest.as_os_str().is_empty() {
                    true => real,
                    false => real.join(rest),
                });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if ancestor.symlink_metadata().is_ok() {
                    return Err(format!(
                        "leads through `{}`, a dangling link",
                        ancestor.display()
                    ));
                }
            }
            Err(error) => return Err(format!("cannot be followed ({error})")),
        }
    }
    Ok(path.to_owned())
}
