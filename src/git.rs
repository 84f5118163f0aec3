//! The branch and the main checkout, read from `.git` without running git.

use crate::disk::{Links, absolute_path, read_small};
use std::path::{Path, PathBuf};

/// The greatest size of `HEAD` and of a `.git` file, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// How many hex digits of a commit stand for it.
const SHORT: usize = 8;

/// Reads the branch that is checked out in `repo`.
///
/// A branch gives its name, born or not; a detached head gives
/// `detached@1a2b3c4d`. No repository, or nothing readable, is `None`: the
/// branch is one cell of a telemetry board and worth no warning. Packed refs
/// are not needed, since `HEAD` itself is never packed.
pub fn branch(repo: &Path) -> Option<String> {
    let head = read_text(&git_dir(repo)?.join("HEAD"))?;
    let head = head.trim();
    if let Some(target) = head.strip_prefix("ref:") {
        let target = target.trim();
        let name = target.strip_prefix("refs/heads/").unwrap_or(target);
        // What git writes where the refs lie in a reftable instead.
        return (!name.is_empty() && name != ".invalid").then(|| name.to_owned());
    }
    let is_commit = matches!(head.len(), 40 | 64) && head.bytes().all(|b| b.is_ascii_hexdigit());
    is_commit.then(|| format!("detached@{}", &head[..SHORT]))
}

/// Finds the git folder: `.git` itself, or where a `.git` file points.
///
/// A worktree and a submodule have such a file, with a path that may be
/// relative to the repository.
fn git_dir(repo: &Path) -> Option<PathBuf> {
    let dot_git = repo.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = read_text(&dot_git)?;
    let target = text.lines().find_map(|line| line.strip_prefix("gitdir:"))?;
    Some(repo.join(target.trim()))
}

/// Finds the main checkout of the worktree at `repo`; `None` if `repo` is not one.
///
/// Its `.git` is a file that points at `<main>/.git/worktrees/<name>`.
pub fn main_checkout(repo: &Path) -> Option<PathBuf> {
    let git_dir = absolute_path(&git_dir(repo)?, repo);
    let worktrees = git_dir.parent().filter(|it| it.ends_with("worktrees"))?;
    let dot_git = worktrees.parent().filter(|it| it.ends_with(".git"))?;
    dot_git.parent().map(Path::to_owned)
}

fn read_text(path: &Path) -> Option<String> {
    let contents = read_small(path, MAX_BYTES, Links::Follow).ok()??;
    Some(String::from_utf8_lossy(&contents.bytes).into_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::fs;

    fn repo_with_head(head: &[u8]) -> tempfile::TempDir {
        let repo = tempfile::tempdir().unwrap();
        fs::create_dir(repo.path().join(".git")).unwrap();
        fs::write(repo.path().join(".git/HEAD"), head).unwrap();
        repo
    }

    #[test]
    fn reads_every_form_of_head() {
        let commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";
        for (head, expected) in [
            ("ref: refs/heads/main\n", Some("main")),
            ("ref: refs/heads/feat/x\n", Some("feat/x")),
            ("ref:refs/heads/tight", Some("tight")),
            ("ref: refs/remotes/o/x\n", Some("refs/remotes/o/x")),
            ("ref: refs/heads/.invalid\n", None),
            ("ref: \n", None),
            (&format!("{commit}\n"), Some("detached@1a2b3c4d")),
            ("1a2b3c4d\n", None),
            ("", None),
        ] {
            let repo = repo_with_head(head.as_bytes());
            assert_eq!(branch(repo.path()).as_deref(), expected, "{head:?}");
        }
        assert_eq!(branch(repo_with_head(&[0xff, 0xfe]).path()), None);
        assert_eq!(branch(repo_with_head(&[b'a'; 70_000]).path()), None);
    }

    #[test]
    fn follows_the_git_file_of_a_worktree() {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().join("main/.git/worktrees/wt");
        fs::create_dir_all(&real).unwrap();
        fs::write(real.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        let worktree = root.path().join("wt");
        fs::create_dir(&worktree).unwrap();
        for pointer in ["../main/.git/worktrees/wt", real.to_str().unwrap()] {
            fs::write(worktree.join(".git"), format!("gitdir: {pointer}\n")).unwrap();
            assert_eq!(branch(&worktree).as_deref(), Some("side"));
            assert_eq!(main_checkout(&worktree), Some(root.path().join("main")));
        }
        fs::write(worktree.join(".git"), "gitdir: nowhere\n").unwrap();
        assert_eq!(branch(&worktree), None);
    }
}
