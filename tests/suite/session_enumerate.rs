//! A sweep finds what is busy on the host, and nothing else stops it.

use boardsync::Timestamp;
use boardsync::session::{Registry, Repo, SESSION_LOCK, Sweep, enumerate};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

struct Host(tempfile::TempDir);

impl Host {
    fn new() -> Self {
        let host = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(host.path("sessions/active")).unwrap();
        host
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

    fn register(&self, name: &str, heartbeat: &str) {
        let repo = Repo::at(&self.path(name), Path::new("/"));
        let entry = json!({"session_id": repo.key, "repo_path_hash": repo.hash,
                           "started_at": heartbeat, "last_heartbeat": heartbeat});
        let file = self.path(&format!("sessions/active/{}.json", repo.key));
        fs::write(file, entry.to_string()).unwrap();
    }

    fn sweep(&self, roots: &[&str]) -> Sweep {
        let roots: Vec<_> = roots.iter().map(|root| self.path(root)).collect();
        let registry = Registry::indexed(&self.path("sessions"));
        let now = Timestamp::parse("2026-11-30T07:00:00.000Z").unwrap();
        enumerate(&roots, self.0.path(), Some(&registry), now)
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
fn a_lease_or_a_fresh_entry_makes_a_repository_busy() {
    let host = Host::new();
    host.git("P/idle");
    host.git("P/idle/submodule");
    host.git("P/busy");
    host.lease("P/busy", "{}");
    host.git("P/busy/sub");
    host.lease("P/busy/sub", "{}");
    host.lease("P/no-git", "{}");
    host.git("P/garbled");
    host.lease("P/garbled", "{");
    host.git("P/.hidden");
    host.lease("P/.hidden", "{}");
    host.git("P/group/two");
    host.lease("P/group/two", "{}");
    host.git("P/group/deep/three");
    host.lease("P/group/deep/three", "{}");
    host.lease("P/node_modules/m", "{}");
    host.git("P/registered");
    host.register("P/registered", "2026-11-30T06:50:00.000Z");
    host.git("P/stale");
    host.register("P/stale", "2026-11-30T06:00:00.000Z");
    fs::create_dir_all(host.path("P/worktree")).unwrap();
    fs::write(host.path("P/worktree/.git"), "gitdir: x\n").unwrap();
    host.lease("P/worktree", "{}");
    fs::create_dir_all(host.path("P/plain/.orchestrator")).unwrap();

    let sweep = host.sweep(&["P", "missing", "P"]);
    assert_eq!(
        host.names(&sweep, "P"),
        [
            ".hidden",
            "busy",
            "busy/sub",
            "garbled",
            "group/two",
            "no-git",
            "registered",
            "worktree"
        ],
        "{sweep:?}"
    );
    assert_eq!(sweep.warning, None, "a missing root is no fault");
    let once = host.sweep(&["P"]);
    assert_eq!(
        once.seen, 10,
        "the eight, `idle` and `stale`, but no submodule"
    );
}

#[test]
fn a_root_that_is_a_repository_is_found_itself() {
    let host = Host::new();
    host.git("app");
    host.lease("app", "{}");
    assert_eq!(host.names(&host.sweep(&["app"]), ""), ["app"]);
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_followed_and_unreadable_folders_make_one_warning() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let host = Host::new();
    host.git("P/app");
    host.lease("P/app", "{}");
    host.git("elsewhere/r");
    host.lease("elsewhere/r", "{}");
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
