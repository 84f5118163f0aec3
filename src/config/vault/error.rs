//! Why a board cannot be worked on.

use super::name::DEFAULT_BOARD;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a board cannot be worked on.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no such folder.
    #[error("no vault folder at `{}`: create it, or name another with --vault", .0.display())]
    Missing(PathBuf),
    /// Something else than a folder is there.
    #[error("the vault `{}` is not a folder: name one with --vault", .0.display())]
    NotAFolder(PathBuf),
    /// The board's name leaves the vault, or is not a note's name.
    #[error(
        "`{0}` is not a path in the vault: --board takes a note's path within it, like `{DEFAULT_BOARD}`"
    )]
    NotInside(String),
    /// The generated overview is never a board.
    #[error("`{}` is a generated overview, never a board: name another note with --board", .0.display())]
    Overview(PathBuf),
    /// A link leads where nothing may be written.
    #[error("`{}` is a link to `{}`, outside the vault and the home folder: refusing to write there", .link.display(), .target.display())]
    LeadsOut {
        /// The link.
        link: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A link leads where programs keep what they obey.
    #[error("`{}` is a link to `{}`, in a hidden folder: refusing to write there", .link.display(), .target.display())]
    LeadsToHidden {
        /// The link.
        link: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A link in a vault that the user has not named.
    #[error("`{}` is a link, which is not followed in a vault that only a repository names: if you trust it, name the vault with `boardsync init --vault`", .0.display())]
    Untrusted(PathBuf),
    /// A link leads to nothing that may be created.
    #[error("`{}` is a dangling link: remove it, or put a board at its target", .0.display())]
    Dangling(PathBuf),
    /// The operating system refused.
    #[error("cannot look at `{}`: {source}", .path.display())]
    Io {
        /// What was looked at.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

pub(super) fn io_error(path: &Path, source: io::Error) -> VaultError {
    VaultError::Io {
        path: path.to_owned(),
        source,
    }
}
