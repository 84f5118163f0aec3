//! Whether sessions call us, and whether what they call is there.

use super::Check;
use crate::cli::context::Context;
use crate::cli::init::text_file::{TextFile, resolved};
use crate::cli::init::{hook_command, hooks, settings};
use crate::disk::{Backoff, Patience};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The time that a `--version` may take.
const PATIENCE: Patience = Patience::For(Duration::from_secs(5));

/// Checks the user's settings and the project's.
pub fn check(context: &Context, checks: &mut Vec<Check>) {
    let user = hooks::user_file(context);
    let project = hooks::project_file(&context.cwd);
    let local = project.with_file_name("settings.local.json");
    let mut events = BTreeSet::new();
    let mut binaries = BTreeSet::new();
    let mut files = 0;
    let project = [(false, project), (false, local)];
    for (is_users, path) in user.into_iter().map(|path| (true, path)).chain(project) {
        let found = resolved(&path)
            .and_then(|target| TextFile::read(&target))
            .and_then(|file| file.map_or(Ok(Vec::new()), |file| settings::commands(&file.text)));
        let found = match found {
            Ok(found) => found,
            Err(fault) => {
                let text = format!("`{}` {fault}", path.display());
                checks.push(Check::warn("hooks", text, "repair it"));
                continue;
            }
        };
        files += usize::from(!found.is_empty());
        for (event, command) in found {
            events.insert(event);
            if let Some(binary) = hook_command::binary_of(&command) {
                binaries.insert((binary, is_users));
            }
        }
    }
    let missing: Vec<&str> = settings::EVENTS
        .into_iter()
        .filter(|event| !events.contains(*event))
        .collect();
    checks.push(if !missing.is_empty() {
        let text = format!("no hook calls boardsync at {}", missing.join(" and "));
        Check::warn("hooks", text, "run `boardsync init`")
    } else if files > 1 {
        Check::note(
            "hooks",
            "several settings call boardsync: each event counts once all the same",
        )
    } else {
        Check::ok("hooks", "sessions call boardsync at their start and end")
    });
    checks.extend(
        binaries
            .iter()
            .map(|(path, is_users)| binary(path, *is_users)),
    );
}

/// What only a project names is not run: it may be anybody's.
fn binary(path: &Path, may_run: bool) -> Check {
    let id = "hook-binary";
    let shown = path.display();
    let again = "run `boardsync init` with the binary that is to be used";
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(found) = real(path) else {
        return Check::fail(
            id,
            format!("the hooks name `{shown}`, which is not there"),
            again,
        );
    };
    if !is_executable(&found) {
        return Check::fail(
            id,
            format!("the hooks name `{shown}`, which cannot be run"),
            again,
        );
    }
    let mine = concat!("boardsync ", env!("CARGO_PKG_VERSION"));
    if std::env::current_exe().ok().and_then(|path| real(&path)) == Some(found.clone()) {
        return Check::ok(id, format!("the hooks run this program, `{shown}`"));
    }
    if !may_run {
        return Check::note(
            id,
            format!("a project's settings name `{shown}`, which was not run"),
        );
    }
    match version(&found) {
        Some(version) if version.trim() == mine => {
            Check::ok(id, format!("the hooks run `{shown}`, {mine} too"))
        }
        Some(version) => Check::warn(
            id,
            format!(
                "the hooks run `{shown}`, which is {}; this is {mine}",
                version.trim()
            ),
            again,
        ),
        None => Check::fail(
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
