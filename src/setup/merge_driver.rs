//! What makes git merge the board with `boardsync merge`.
//!
//! Two things must agree: an attribute of the board's path, and the driver it
//! names, which each clone has to configure for itself. The attribute stands in
//! `.gitattributes`, which is committed and so reaches every clone, and in
//! `.git/info/attributes`, which holds on branches without that file. A clone
//! without the driver merges the board as text.

use super::file_edit::Edit;
use super::git::{Git, is_in_git};
use super::lines::Block;
use super::text_file::Links;
use super::{Change, Direction, Revert, Setup, SetupError};
use crate::printable::shell_quoted;
use std::path::{Component, Path, PathBuf};

/// The key that holds the command.
pub const DRIVER: &str = "merge.boardsync.driver";
const NAME: &str = "merge.boardsync.name";
const SECTION: &str = "merge.boardsync";

/// Plans the changes; they are undone wherever they were made.
pub fn plan<'a>(setup: &'a Setup) -> Result<Vec<Change<'a>>, SetupError> {
    let vault = setup.vault.path.display();
    let git = Git::in_vault(&setup.vault).filter(|_| is_in_git(&setup.vault.path));
    match (setup.direction, git) {
        // Without a git to ask there is nothing of ours in it, either.
        (Direction::Undo, git) => Ok(git
            .and_then(|git| plan_with(setup, &git).ok())
            .unwrap_or_default()),
        (Direction::SetUp, _) if !setup.with_git => Ok(Vec::new()),
        (Direction::SetUp, Some(git)) => plan_with(setup, &git),
        (Direction::SetUp, None) => Err(SetupError(match is_in_git(&setup.vault.path) {
            true => format!(
                "only a repository names the vault `{vault}`: run `boardsync init --git --vault {}` if you trust it",
                shell_quoted(&setup.vault.path.to_string_lossy())
            ),
            false => format!(
                "the vault `{vault}` is in no git repository: run `git init` in it first, or leave out --git"
            ),
        })),
    }
}

fn plan_with<'a>(setup: &'a Setup, git: &Git) -> Result<Vec<Change<'a>>, SetupError> {
    let vault = &setup.vault.path;
    let of_git = |path: &str| -> Result<PathBuf, SetupError> {
        let path = ask(git, vault, &["rev-parse", "--git-path", path])?;
        Ok(vault.join(path))
    };
    let inside = inside(setup.board);
    let prefix = ask(git, vault, &["rev-parse", "--show-prefix"])?;
    let local = of_git("info/attributes")?;
    let local_root = match local.starts_with(vault) {
        true => &**vault,
        false => local.ancestors().nth(2).unwrap_or(vault),
    };
    let files = [
        (vault.join(".gitattributes"), &**vault, inside.clone()),
        (local.clone(), local_root, format!("{prefix}{inside}")),
    ];
    let mut changes = Vec::from_iter(plan_driver(setup, git, of_git("config")?)?);
    for (path, root, pattern) in files {
        let edit = Edit {
            id: "git-attributes",
            what: match setup.direction {
                Direction::SetUp => "name the board to git".to_owned(),
                Direction::Undo => "have git merge the board as text again".to_owned(),
            },
            path,
            links: Links::RefuseBelow(root.to_owned()),
            own_folders: 0,
            format: Box::new(attributes(&pattern)),
        };
        changes.extend(edit.plan(setup.direction)?);
    }
    Ok(changes)
}

fn plan_driver<'a>(
    setup: &'a Setup,
    git: &Git,
    path: PathBuf,
) -> Result<Option<Change<'a>>, SetupError> {
    let vault = &setup.vault.path;
    let get = ["config", "--local", "--get", DRIVER];
    let before = git.run(&get).map_err(SetupError)?;
    let wanted = driver(&this_program()?);
    let (after, what) = match (setup.direction, &before) {
        (Direction::SetUp, Some(before)) if *before == wanted => return Ok(None),
        (Direction::SetUp, _) => (
            Some(wanted),
            "have git merge the board with `boardsync merge`",
        ),
        (Direction::Undo, None) => return Ok(None),
        (Direction::Undo, Some(_)) => (None, "remove the merge driver from git"),
    };
    let git = git.clone();
    let act = move || {
        set(&git, vault, after.as_deref())?;
        let revert: Revert<'a> = Some(Box::new(move || set(&git, vault, before.as_deref())));
        Ok(revert)
    };
    Ok(Some(Change {
        id: "git",
        what: what.to_owned(),
        path,
        act: Box::new(act),
    }))
}

fn set(git: &Git, vault: &Path, driver: Option<&str>) -> Result<(), SetupError> {
    match driver {
        Some(driver) => {
            let name = "boardsync: every row and line of both sides";
            ask(git, vault, &["config", "--local", NAME, name])?;
            ask(git, vault, &["config", "--local", DRIVER, driver])?;
        }
        None => {
            let remove = ["config", "--local", "--remove-section", SECTION];
            ask(git, vault, &remove)?;
        }
    }
    Ok(())
}

fn ask(git: &Git, vault: &Path, args: &[&str]) -> Result<String, SetupError> {
    git.run(args).map_err(SetupError)?.ok_or_else(|| {
        SetupError(format!(
            "git cannot be set up in `{}`: see what `git -C {} status` says",
            vault.display(),
            shell_quoted(&vault.to_string_lossy())
        ))
    })
}

/// Returns the path of this program.
pub fn this_program() -> Result<PathBuf, SetupError> {
    std::env::current_exe()
        .map_err(|error| SetupError(format!("cannot find the path of this program: {error}")))
}

/// Returns the board's path in the vault with `/` between its parts.
pub fn inside(board: &str) -> String {
    let parts = Path::new(board).components();
    let parts = parts.filter(|part| matches!(part, Component::Normal(_)));
    let parts: Vec<_> = parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

/// Makes the block that hands a path to the driver.
fn attributes(path: &str) -> Block {
    Block {
        mark: "# boardsync: the board is merged by its rows",
        lines: vec![attribute(path)],
        earlier: |line| line.ends_with(" merge=boardsync"),
        covers: |theirs, ours| theirs == ours,
    }
}

/// Returns the line that hands a path to the driver (gitattributes(5)).
fn attribute(path: &str) -> String {
    let mut pattern = String::from("/");
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    if pattern.contains([' ', '\t', '"', '\\']) {
        let quoted = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        pattern = format!("\"{quoted}\"");
    }
    format!("{pattern} merge=boardsync")
}

/// Returns the command for git, which reads `%` and then hands it to a shell.
///
/// A binary that is gone would be a conflict without markers, in which the
/// other side seems never to have been: then git's own text merge steps in.
pub fn driver(program: &Path) -> String {
    let program = program.to_string_lossy();
    let slashes = if cfg!(windows) {
        program.replace('\\', "/")
    } else {
        program.into_owned()
    };
    let quoted = shell_quoted(&slashes).replace('%', "%%");
    format!(
        "if test -x {quoted}; then {quoted} merge --path=%P -- %O %A %B; \
         else git merge-file -L ours -L base -L theirs %A %O %B; fi"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_git_reads_them() {
        assert_eq!(attribute("a/_b.md"), "/a/_b.md merge=boardsync");
        assert_eq!(attribute("a b.md"), "\"/a b.md\" merge=boardsync");
        assert_eq!(attribute("a[1].md"), "\"/a\\\\[1].md\" merge=boardsync");
        let quoted = "'/opt/it'\\''s 100%%/boardsync'";
        let driver = driver(Path::new("/opt/it's 100%/boardsync"));
        assert!(
            driver.starts_with(&format!(
                "if test -x {quoted}; then {quoted} merge --path=%P "
            )),
            "{driver}"
        );
    }
}
