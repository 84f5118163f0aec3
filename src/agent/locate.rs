//! Which repository a session is in, from its working directory.

use super::table::AGENTS;
use crate::config::{Env, below_home, home};
use crate::session::SESSION_LOCK;
use std::fs::symlink_metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The place of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In this repository, or folder without one.
    Repo(PathBuf),
    /// In a folder that is gone, and so perhaps is its repository.
    ///
    /// A worktree may lie within its main checkout, so the nearest folder that
    /// is still there may be another repository's: only the board knows.
    Gone {
        /// The folders that are gone, innermost first: one may have been it.
        lost: Vec<PathBuf>,
        /// The repository around them that is still there.
        around: Option<PathBuf>,
    },
}

/// Finds the repository around the absolute folder `cwd`.
///
/// A repository has a `.git`, a folder or the file of a worktree or submodule,
/// or a session lock. The innermost counts. A session that has strayed into no
/// repository at all is still in that of its `project`.
pub fn locate(cwd: &Path, project: Option<&Path>) -> Location {
    if is_repo(cwd) {
        return Location::Repo(cwd.to_owned());
    }
    let lost: Vec<PathBuf> = cwd
        .ancestors()
        .take_while(|folder| is_gone(folder))
        .map(Path::to_owned)
        .collect();
    let around = repo_around(cwd);
    if !lost.is_empty() {
        return Location::Gone { lost, around };
    }
    let repo = around.or_else(|| project.and_then(repo_around));
    Location::Repo(repo.unwrap_or_else(|| cwd.to_owned()))
}

/// Returns whether `folder` is one in which no session works: the root, the home
/// folder itself, or an agent's own.
pub fn is_an_agents_own(folder: &Path, env: &Env) -> bool {
    folder.parent().is_none()
        || home(env).is_some_and(|home| folder == home)
        || AGENTS
            .iter()
            .flat_map(|agent| agent.folders)
            .filter_map(|own| below_home(env, own))
            .any(|own| folder.starts_with(own))
}

fn repo_around(folder: &Path) -> Option<PathBuf> {
    let mut ancestors = folder.ancestors();
    ancestors.find(|folder| is_repo(folder)).map(Path::to_owned)
}

fn is_repo(folder: &Path) -> bool {
    [".git", SESSION_LOCK]
        .iter()
        .any(|mark| symlink_metadata(folder.join(mark)).is_ok())
}

/// A folder that we may not look at, or not now, is still there.
fn is_gone(folder: &Path) -> bool {
    symlink_metadata(folder)
        .is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_innermost_repository_counts() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in [
            "app/.git",
            "app/src/deep",
            "app/.trees/feat/src",
            "leased/.orchestrator",
            "leased/src",
            "plain",
        ] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("app/.trees/feat/.git"), "gitdir: elsewhere\n").unwrap();
        fs::write(at("leased/.orchestrator/session.lock"), "").unwrap();
        let gone = |lost: &[&str], around: Option<&str>| Location::Gone {
            lost: lost.iter().map(|path| at(path)).collect(),
            around: around.map(at),
        };
        for (cwd, expected) in [
            ("app", Location::Repo(at("app"))),
            ("app/src/deep", Location::Repo(at("app"))),
            ("app/.git", Location::Repo(at("app"))),
            ("app/.trees/feat/src", Location::Repo(at("app/.trees/feat"))),
            ("leased/src", Location::Repo(at("leased"))),
            ("plain", Location::Repo(at("plain"))),
            ("app/.trees/old", gone(&["app/.trees/old"], Some("app"))),
            ("app/a/b", gone(&["app/a/b", "app/a"], Some("app"))),
            ("lost", gone(&["lost"], None)),
        ] {
            assert_eq!(locate(&at(cwd), None), expected, "{cwd}");
        }
        let strayed = locate(&at("plain"), Some(&at("app/src")));
        assert_eq!(strayed, Location::Repo(at("app")));
    }

    #[test]
    fn nobody_works_at_home_or_in_an_agents_own_folder() {
        let env: Env = [("HOME", "/home/me"), ("USERPROFILE", "/home/me")]
            .into_iter()
            .collect();
        for (folder, is_own) in [
            ("/", true),
            ("/home/me", true),
            ("/home/me/.claude", true),
            ("/home/me/.cursor/hooks", true),
            ("/home/me/.config/goose", true),
            ("/home/me/.config", false),
            ("/home/me/.claude-notes", false),
            ("/home/me/src/app/.claude/worktrees/feat", false),
            ("/home", false),
        ] {
            let folder = Path::new(folder);
            assert_eq!(is_an_agents_own(folder, &env), is_own, "{folder:?}");
        }
    }
}
