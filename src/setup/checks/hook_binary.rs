//! Whether the programs that hooks name are there, and are this one.

use crate::disk::{Backoff, Patience};
use crate::setup::check::{Findings, Inspection};
use crate::setup::installed::look;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const AGAIN: &str = "run `boardsync init` with the binary that you want to use";
/// The time that a `--version` may take.
const PATIENCE: Patience = Patience::For(Duration::from_secs(5));

/// Looks at each program once, whichever agents call it.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let all = look(inspection).into_iter().flat_map(|it| it.programs);
    let all: BTreeSet<(PathBuf, bool)> = all.collect();
    let is_users = |path: &PathBuf| all.contains(&(path.clone(), true));
    for (path, named_by_user) in &all {
        if *named_by_user || !is_users(path) {
            look_at(path, *named_by_user, findings);
        }
    }
}

/// What only a project names is not run: it may be anybody's.
fn look_at(path: &Path, named_by_user: bool, findings: &mut Findings) {
    let id = "hook-binary";
    let shown = path.display();
    let mine = concat!("boardsync ", env!("CARGO_PKG_VERSION"));
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let own = std::env::current_exe().ok().and_then(|path| real(&path));
    let fault = match real(path) {
        None => format!("the hooks name `{shown}`, which does not exist"),
        Some(found) if !is_executable(&found) => {
            format!("the hooks name `{shown}`, which cannot be run")
        }
        Some(found) if own.as_ref() == Some(&found) => {
            return findings.ok(id, format!("the hooks run this program, `{shown}`"));
        }
        Some(_) if !named_by_user => {
            let text = format!("a project's settings name `{shown}`, which was not run");
            return findings.note(id, text);
        }
        Some(found) => match version(&found) {
            Some(version) if version.trim() == mine => {
                return findings.ok(id, format!("the hooks run `{shown}`, {mine} too"));
            }
            Some(version) => {
                let version = version.trim();
                let text = format!("the hooks run `{shown}`, which is {version}; this is {mine}");
                return findings.warn(id, text, AGAIN);
            }
            None => format!("`{shown}`, which the hooks name, does not run"),
        },
    };
    findings.fail(id, fault, AGAIN);
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
