//! Whether the programs that hooks name are there, and are this one.

use crate::disk::{Backoff, Patience};
use crate::setup::check::{Finding, Inspection};
use crate::setup::installed::look;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The time that a `--version` may take.
const PATIENCE: Patience = Patience::For(Duration::from_secs(5));

/// Looks at each program once, whichever agents call it.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let all = look(inspection).into_iter().flat_map(|it| it.programs);
    let all: BTreeSet<(PathBuf, bool)> = all.collect();
    let named_by_user = |path: &PathBuf| all.contains(&(path.clone(), true));
    all.iter()
        .filter(|(path, is_users)| *is_users || !named_by_user(path))
        .map(|(path, is_users)| binary(path, *is_users))
        .collect()
}

/// What only a project names is not run: it may be anybody's.
fn binary(path: &Path, may_run: bool) -> Finding {
    let id = "hook-binary";
    let shown = path.display();
    let again = "run `boardsync init` with the binary that you want to use";
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(found) = real(path) else {
        return Finding::fail(
            id,
            format!("the hooks name `{shown}`, which does not exist"),
            again,
        );
    };
    if !is_executable(&found) {
        return Finding::fail(
            id,
            format!("the hooks name `{shown}`, which cannot be run"),
            again,
        );
    }
    let mine = concat!("boardsync ", env!("CARGO_PKG_VERSION"));
    if std::env::current_exe().ok().and_then(|path| real(&path)) == Some(found.clone()) {
        return Finding::ok(id, format!("the hooks run this program, `{shown}`"));
    }
    if !may_run {
        return Finding::note(
            id,
            format!("a project's settings name `{shown}`, which was not run"),
        );
    }
    match version(&found) {
        Some(version) if version.trim() == mine => {
            Finding::ok(id, format!("the hooks run `{shown}`, {mine} too"))
        }
        Some(version) => Finding::warn(
            id,
            format!(
                "the hooks run `{shown}`, which is {}; this is {mine}",
                version.trim()
            ),
            again,
        ),
        None => Finding::fail(
            id,
            format!("`{shown}`, which the hooks name, does not run"),
            again,
        ),
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

fn version(binary: &PathBuf) -> Option<String> {
    let mut child = Command::new(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut backoff = Backoff::new(PATIENCE, Duration::from_millis(10));
    while child.try_wait().ok()?.is_none() {
        if !backoff.pause() {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}
