//! `boardsync exec`: any command under the lock, like `flock(1)`.

use super::child;
use super::context::{Context, INHERITED_LOCK};
use super::outcome::{Exit, Failure, json_line, warn};
use crate::disk::Patience;
use crate::lock::{LockOptions, LockOutcome, Release, WhyUnlocked, with_lock};
use crate::printable::printable;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The arguments of `exec`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  boardsync exec -- git -C ~/vault pull
  boardsync exec --on-timeout fail --timeout 500ms -- ./rewrite-notes.sh
  boardsync exec --lock-file /srv/share/import.lock -- ./import

The lock is held, its heartbeat included, exactly as long as the command runs.
Signals are passed on to it, and its exit code is returned: 128+n if signal n
ended it, 127 if it is not found, 126 if it cannot be run, 75 if the lock cannot be
acquired and --on-timeout is fail. Commands of boardsync that it runs, exec among
them, use the lock that is held already. With --json, the last line on stderr is
what the lock did, as a JSON object.

If exec itself is killed with SIGKILL, the command lives on without the lock. If
exec is stopped (Ctrl-Z) for longer than the staleness (60 s), another process
may take the lock over.")]
pub struct ExecArgs {
    /// How long to wait for the lock, like 250ms, 5s or 2m; 0 means one try
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse_millis)]
    pub timeout: Option<Duration>,
    /// What to do without the lock: run the command anyway, or fail with 75
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnTimeout::Run)]
    pub on_timeout: OnTimeout,
    /// Use this lock instead of the board's; needs no vault [env: BOARDSYNC_LOCK_FILE]
    #[arg(long, value_name = "PATH")]
    pub lock_file: Option<PathBuf>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// The treatment of the command if the lock cannot be acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnTimeout {
    /// Run it without the lock, after one warning.
    Run,
    /// Do not run it.
    Fail,
}

/// Runs `boardsync exec`.
pub fn run(context: &Context, args: &ExecArgs) -> Result<Exit, Failure> {
    let [program, rest @ ..] = args.command.as_slice() else {
        return Err(Failure::Usage("no command is given".to_owned()));
    };
    let named = args.lock_file.as_ref().map(|path| context.cwd.join(path));
    let (path, mode) = match named.or_else(|| context.named_lock_file()) {
        Some(path) => {
            let mode = mode_beside(&path);
            (path, mode)
        }
        None => {
            let place = context.place()?;
            (place.lock(), place.mode)
        }
    };
    let signals = child::Signals::catch().map_err(Failure::of)?;
    let options = context.lock_options_for(shown(program));
    let options = LockOptions {
        patience: args.timeout.map_or(options.patience, Patience::from),
        interrupt: Some(signals.interrupt()),
        mode: mode & 0o666 | 0o600,
        ..options
    };
    let (done, outcome) = with_lock(&path, &options, |hold| {
        match hold.why_unlocked() {
            Some(why) if why.reason == WhyUnlocked::Interrupted => return None,
            Some(why) if why.reason != WhyUnlocked::Skipped => {
                if args.on_timeout == OnTimeout::Fail {
                    warn(&format!("{why}; nothing was run"));
                    return Some(Exit::Unavailable);
                }
                warn(&format!("{why}; the command is run without the lock"));
            }
            Some(_) | None => {}
        }
        if let Some(reason) = hold.stale_override() {
            warn(&format!(
                "took over the lock `{}`: {reason}",
                path.display()
            ));
        }
        let inherited = hold.token().map(|token| (INHERITED_LOCK, token));
        Some(match signals.run(program, rest, inherited) {
            Ok(code) => Exit::Child(code),
            Err(error) => not_run(program, &error),
        })
    });
    tell_of_release(&outcome);
    if context.global.json {
        let line = json_line(&outcome).map_err(Failure::of)?;
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
    done.ok_or_else(|| {
        signals.die();
        Failure::Error("interrupted while waiting for the lock; nothing was run".to_owned())
    })
}

/// Gives a lock that is not a board's the permissions of its folder, so that all
/// who share the folder can read who holds it.
fn mode_beside(path: &Path) -> u32 {
    #[cfg(unix)]
    if let Some(meta) = path.parent().and_then(|folder| folder.metadata().ok()) {
        return std::os::unix::fs::PermissionsExt::mode(&meta.permissions());
    }
    #[cfg(not(unix))]
    let _ = path;
    0o600
}

/// Names the process in the lock's record; arguments may be secrets.
fn shown(program: &OsString) -> String {
    let name = Path::new(program).file_name().unwrap_or(program);
    format!("boardsync exec -- {}", name.to_string_lossy())
}

fn not_run(program: &OsString, error: &io::Error) -> Exit {
    let shown = printable(&program.to_string_lossy(), 300);
    let (what, code) = match error.kind() {
        ErrorKind::NotFound => ("is not found", 127),
        _ => ("cannot be run", 126),
    };
    warn(&format!("`{shown}` {what}: {error}"));
    Exit::Child(code)
}

/// Prints one line if the lock was lost, or could not be released.
fn tell_of_release(outcome: &LockOutcome) {
    let LockOutcome::Locked {
        release, lock_path, ..
    } = outcome
    else {
        return;
    };
    let path = lock_path.display();
    match release {
        Release::NotOwner | Release::NotFound => warn(&format!(
            "the lock `{path}` was lost while the command ran: another process may have run at the same time"
        )),
        Release::Busy | Release::FsError => warn(&format!(
            "the lock `{path}` could not be released: see `boardsync lock status`"
        )),
        Release::Released | Release::Kept => {}
    }
}
