//! `boardsync exec`: any command under the lock, like `flock(1)`.

use super::child;
use super::context::Context;
use super::outcome::{Exit, Failure, trace, warn};
use crate::disk::Patience;
use crate::lock::{LockOptions, LockOutcome, Release, Unlocked, WhyUnlocked, with_board_lock};
use crate::printable;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Is what `exec` takes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  boardsync exec -- git -C ~/vault pull
  boardsync exec --on-timeout fail --timeout 500ms -- ./rewrite-notes.sh
  boardsync exec --lock-file /srv/share/import.lock -- ./import

The lock is held, its heartbeat included, exactly as long as the command runs.
Signals are passed on to it, and its exit code is returned: 128+n if signal n
ended it, 127 if it is not found, 126 if it cannot be run, 75 if the lock was not
to be had and --on-timeout is fail. Inside, give boardsync BOARDSYNC_SKIP_LOCK=1:
it would wait for its own caller.

If exec itself is killed with SIGKILL, the command lives on without the lock. If
exec is stopped (Ctrl-Z) for longer than the staleness (60 s), another process
may take the lock over.")]
pub struct ExecArgs {
    /// How long to wait for the lock: 250, 250ms, 5s or 2m; 0 tries once
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse_millis)]
    pub timeout: Option<Duration>,
    /// What to do without the lock: run the command anyway, or fail with 75
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnTimeout::Run)]
    pub on_timeout: OnTimeout,
    /// Another lock than the board's; no vault is needed then [env: BOARDSYNC_LOCK_FILE]
    #[arg(long, value_name = "PATH")]
    pub lock_file: Option<PathBuf>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Says what becomes of the command if the lock is not to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnTimeout {
    /// It is run without, after one warning.
    Run,
    /// It is not run.
    Fail,
}

/// Runs `boardsync exec`.
pub fn run(context: &Context, args: &ExecArgs) -> Result<Exit, Failure> {
    let [program, rest @ ..] = args.command.as_slice() else {
        return Err(Failure::Usage("no command is given".to_owned()));
    };
    let named = args.lock_file.as_ref().map(|path| context.cwd.join(path));
    let path = match named.or_else(|| context.named_lock_file()) {
        Some(path) => path,
        None => context.place()?.lock(),
    };
    let signals = child::Signals::catch().map_err(Failure::of)?;
    let fails = args.on_timeout == OnTimeout::Fail;
    let told = |unlocked: &Unlocked| {
        let end = if fails {
            "nothing was run"
        } else {
            "the command is run without the lock"
        };
        warn(&format!("{unlocked}; {end}"));
    };
    let trace = trace(Instant::now());
    let options = context.lock_options_at(path.clone(), shown(program));
    let options = LockOptions {
        patience: args.timeout.map_or(options.patience, Patience::from),
        interrupt: Some(signals.interrupt()),
        warn: &told,
        on_outcome: &|outcome| tell_of_loss(outcome, &path),
        trace: context.global.verbose.then_some(&trace),
        ..options
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let done = with_board_lock(folder, &options, |hold| {
        match hold.why_unlocked().map(|unlocked| &unlocked.reason) {
            Some(WhyUnlocked::Interrupted) => return None,
            None | Some(WhyUnlocked::Skipped) => {}
            Some(WhyUnlocked::Timeout | WhyUnlocked::Guarded | WhyUnlocked::FsError(_))
                if fails =>
            {
                return Some(Exit::Unavailable);
            }
            Some(WhyUnlocked::Timeout | WhyUnlocked::Guarded | WhyUnlocked::FsError(_)) => {}
        }
        Some(match signals.run(program, rest) {
            Ok(code) => Exit::Child(code),
            Err(error) => not_run(program, &error),
        })
    });
    done.ok_or_else(|| {
        signals.die();
        Failure::Error("interrupted while waiting for the lock; nothing was run".to_owned())
    })
}

/// Names the process in the lock's record; arguments may be secrets.
fn shown(program: &OsString) -> [String; 4] {
    let name = Path::new(program).file_name().unwrap_or(program);
    let name = name.to_string_lossy().into_owned();
    ["boardsync".into(), "exec".into(), "--".into(), name]
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

fn tell_of_loss(outcome: &LockOutcome, path: &Path) {
    let LockOutcome::Locked { release, .. } = outcome else {
        return;
    };
    if matches!(release, Release::NotOwner | Release::NotFound) {
        warn(&format!(
            "the lock `{}` was lost while the command ran: another process may have run beside it",
            path.display()
        ));
    }
}
