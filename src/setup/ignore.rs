//! What keeps locks and temporaries of a vault out of git and Syncthing.

use super::file_edit::Edit;
use super::git::is_in_git;
use super::lines::Block;
use super::text_file::Links;
use super::{Change, Direction, Setup, SetupError};
use std::path::{Path, PathBuf};

/// The files that are of use to this host only, and only for now.
pub const PATTERNS: [&str; 6] = [
    ".orchestrator/*.lock",
    ".orchestrator/*.acquire",
    ".orchestrator/*.pending",
    ".orchestrator/*.tmp",
    ".orchestrator/backups/",
    ".orchestrator/merged/",
];

/// Plans both files: each only where its program is in use.
pub fn plan<'a>(setup: &'a Setup) -> Result<Vec<Change<'a>>, SetupError> {
    let vault = &setup.vault.path;
    let direction = setup.direction;
    let git = vault.join(".gitignore");
    let has_git = direction == Direction::Undo || is_in_git(vault) || git.exists();
    let syncthing = syncthing_root(vault).map(|root| root.join(".stignore"));
    let files = [
        (has_git.then_some(git), "gitignore", "git", git_block()),
        (syncthing, "stignore", "Syncthing", syncthing_block()),
    ];
    let mut changes = Vec::new();
    for (path, id, program, block) in files {
        let Some(path) = path else { continue };
        let what = match direction {
            Direction::SetUp => format!("have {program} ignore locks and temporaries"),
            Direction::Undo => format!("remove the lines for {program}"),
        };
        let edit = Edit {
            id,
            what,
            links: Links::RefuseBelow(path.parent().unwrap_or(vault).to_owned()),
            path,
            own_folders: 0,
            format: Box::new(block),
        };
        changes.extend(edit.plan(direction)?);
    }
    Ok(changes)
}

/// Finds the folder that Syncthing shares and that a vault is, or lies in.
pub fn syncthing_root(vault: &Path) -> Option<PathBuf> {
    let is_root = |folder: &&Path| folder.join(".stfolder").symlink_metadata().is_ok();
    vault.ancestors().find(is_root).map(Path::to_owned)
}

/// Makes the block of `.gitignore`.
pub fn git_block() -> Block {
    Block {
        mark: "# boardsync: locks, temporaries and backups of the board",
        lines: PATTERNS.map(str::to_owned).to_vec(),
        earlier: |line| PATTERNS.contains(&line),
        covers,
    }
}

/// Makes the block of `.stignore` (docs.syncthing.net/users/ignoring).
pub fn syncthing_block() -> Block {
    Block {
        mark: "// boardsync: locks and temporaries of the board",
        lines: vec![".orchestrator".to_owned()],
        earlier: |_| false,
        covers,
    }
}

fn covers(theirs: &str, ours: &str) -> bool {
    let theirs = theirs.strip_prefix("(?d)").unwrap_or(theirs);
    let theirs = theirs.strip_prefix('/').unwrap_or(theirs);
    let whole = [
        ".orchestrator",
        ".orchestrator/",
        ".orchestrator/*",
        ".orchestrator/**",
    ];
    theirs == ours || whole.contains(&theirs)
}

#[cfg(test)]
mod tests {
    use super::super::file_edit::Format;
    use super::*;

    #[test]
    fn a_folder_that_is_ignored_whole_needs_nothing() {
        for text in [
            ".orchestrator/\n",
            "/.orchestrator\r\n",
            "x\n.orchestrator/*",
        ] {
            assert_eq!(git_block().add(Some(text)), Ok(None), "{text:?}");
            assert_eq!(syncthing_block().add(Some(text)), Ok(None), "{text:?}");
        }
    }
}
