//! A sweep finds what is busy on the host, and nothing else stops it.

use boardsync::internals::session::{Repo, SESSION_LOCK, Sweep, enumerate};
use std::fs;
use std::path::PathBuf;

const LOCK: &str = r#"{"session_id": "s", "started_at": "2026-11-30T06:50:00.000Z",
    "mode": "deep", "pid": 1, "host": "h", "ttl_hours": 4}"#;

struct Host(tempfile::TempDir);

impl Host {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn git(&self, name: &str) {
        fs::create_dir_all(self.path(name).join(".git")).unwrap();
    }

    fn lease(&self, name: &str, text: &str) {
        let lock = self.path(name).join(SESSION_LOCK);
        fs::create_dir_all(lock.parent().unwrap()).unwrap();
        fs::write(lock, text).unwrap();
    }

    fn sweep(&self, roots: &[&str]) -> Sweep {
        self.sweep_with(roots, &[])
    }

    fn sweep_with(&self, roots: &[&str], declared: &[&str]) -> Sweep {
        let paths = |names: &[&str]| names.iter().map(|name| self.path(name)).collect::<Vec<_>>();
        enumerate(&paths(roots), &paths(declared), self.0.path())
    }

    fn names(&self, sweep: &Sweep, root: &str) -> Vec<String> {
        let relative = |repo: &Repo| {
            let path = repo.path.strip_prefix(self.path(root)).unwrap();
            path.to_string_lossy().replace('\\', "/")
        };
        sweep.repos.iter().map(relative).collect()
    }
}

#[test]
fn a_valid_lock_makes_a_repository_busy_and_nothing_else_does() {
    let host = Host::new();
    host.git("P/idle");
    host.git("P/idle/submodule");
    for busy in ["P/busy", "P/busy/sub", "P/.hidden", "P/group/two"] {
        host.git(busy);
        host.lease(busy, LOCK);
    }
    host.lease("P/no-git", LOCK);
    host.git("P/garbled");
    host.lease("P/garbled", "{}");
    for out_of_reach in ["P/.hidden/inner", "P/group/deep/three", "P/node_modules/m"] {
        host.git(out_of_reach);
        host.lease(out_of_reach, LOCK);
    }
    fs::create_dir_all(host.path("P/worktree")).unwrap();
    fs::write(host.path("P/worktree/.git"), "gitdir: x\n").unwrap();
    host.lease("P/worktree", LOCK);
    fs::create_dir_all(host.path("P/plain/.orchestrator")).unwrap();

    let sweep = host.sweep(&["P", "missing", "P"]);
    assert_eq!(
        host.names(&sweep, "P"),
        [".hidden", "busy", "busy/sub", "group/two", "worktree"],
        "{sweep:?}"
    );
    assert_eq!(sweep.warning, None, "a missing root is no fault");
    assert_eq!(
        sweep.seen, 8,
        "the five, `idle`, its submodule and `garbled`"
    );
}

#[test]
fn a_root_is_not_swept_itself() {
    let host = Host::new();
    host.git("app");
    host.lease("app", LOCK);
    assert_eq!(host.sweep(&["app"]), Sweep::default());
}

#[test]
fn declared_projects_are_looked_at_too_if_they_lie_below_a_root() {
    let host = Host::new();
    for name in ["P/a/b/c/deep", "elsewhere"] {
        host.lease(name, LOCK);
    }
    let sweep = host.sweep_with(&["P"], &["P/a/b/c/deep", "P/missing", "elsewhere", "P"]);
    assert_eq!(host.names(&sweep, "P"), ["a/b/c/deep"]);
    assert_eq!(sweep.seen, 2, "as the Node writer counts them");
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_followed_and_unreadable_folders_make_one_warning() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let host = Host::new();
    host.git("P/app");
    host.lease("P/app", LOCK);
    host.git("elsewhere/r");
    host.lease("elsewhere/r", LOCK);
    symlink(host.path("P"), host.path("P/loop")).unwrap();
    symlink(host.path("P"), host.path("P/app/loop")).unwrap();
    symlink(host.path("elsewhere/r"), host.path("P/link")).unwrap();
    for name in ["P/closed-1", "P/closed-2"] {
        fs::create_dir(host.path(name)).unwrap();
        fs::set_permissions(host.path(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    // The superuser reads everything, so for one of them there is no warning.
    let may_read_all = fs::read_dir(host.path("P/closed-1")).is_ok();
    fs::write(host.path("a-file"), "").unwrap();
    let sweep = host.sweep(&["P", "a-file"]);
    assert_eq!(host.names(&sweep, "P"), ["app"]);
    let warning = sweep.warning.unwrap();
    let more = if may_read_all { "" } else { ", and 2 more" };
    assert!(warning.ends_with(&format!("){more}")), "{warning}");
    assert!(!warning.contains('\n'), "{warning}");
}
