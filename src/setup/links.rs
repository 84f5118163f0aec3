//! Which links are followed on the way to a file that is edited.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Which links lead to a file that is edited.
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
