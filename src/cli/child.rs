//! Runs a command and passes signals on to it, for as long as it lives.

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(unix)]
use {
    rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid},
    signal_hook::consts::signal::*,
    std::cell::RefCell,
    std::process::Child,
    std::thread,
};

/// What ends a wait for the lock.
#[cfg(unix)]
const ENDING: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// What is passed on as well. `SIGCHLD` is only caught, so that the command's
/// end is reported to us even where our parent ignores it.
#[cfg(unix)]
const OTHERS: [i32; 6] = [SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD];

/// Catches the signals of this process: until the command runs they end the
/// wait for the lock, then they are the command's.
#[derive(Debug)]
pub struct Signals {
    interrupt: Arc<AtomicBool>,
    #[cfg(unix)]
    caught: RefCell<signal_hook::iterator::Signals>,
}

impl Signals {
    /// Returns the flag that is set once the wait for the lock is to end.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Catches nothing on this platform: the command has the same console.
    pub fn catch() -> io::Result<Self> {
        let interrupt = Arc::default();
        Ok(Self { interrupt })
    }

    /// Runs a command, with one more variable, to its end, and gives its exit code.
    pub fn run(
        &self,
        program: &OsString,
        args: &[OsString],
        variable: Option<(&str, String)>,
    ) -> io::Result<u8> {
        Command::new(program)
            .args(args)
            .envs(variable)
            .status()
            .map(code)
    }

    /// Ends the process as the signal that was caught would have.
    pub fn die(&self) {}
}

#[cfg(unix)]
impl Signals {
    /// Catches from now on, but what our parent has us ignore (`nohup`) stays
    /// ignored, for the command too.
    pub fn catch() -> io::Result<Self> {
        let ignored = super::signals::ignored();
        let is_ours =
            |signal: &&i32| **signal == SIGCHLD || !super::signals::is_in(ignored, **signal);
        let interrupt = Arc::default();
        for signal in ENDING.iter().filter(is_ours) {
            signal_hook::flag::register(*signal, Arc::clone(&interrupt))?;
        }
        let all = ENDING.iter().chain(&OTHERS).filter(is_ours);
        let caught = RefCell::new(signal_hook::iterator::Signals::new(all)?);
        Ok(Self { interrupt, caught })
    }

    /// Runs a command, with one more variable, to its end, and gives its exit code.
    pub fn run(
        &self,
        program: &OsString,
        args: &[OsString],
        variable: Option<(&str, String)>,
    ) -> io::Result<u8> {
        let mut child = Command::new(program).args(args).envs(variable).spawn()?;
        let mut caught = self.caught.borrow_mut();
        let pid = Pid::from_child(&child);
        let no_more = caught.handle();
        let wait = move || {
            // Its end is seen here, but its number stays its own until it is
            // waited for below: no signal goes to a stranger.
            let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), ended));
            no_more.close();
        };
        if thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(wait)
            .is_ok()
        {
            for signal in caught.forever() {
                pass_on(signal, &child);
            }
        }
        child.wait().map(code)
    }

    /// Ends the process as the signal that was caught would have.
    pub fn die(&self) {
        let mut caught = self.caught.borrow_mut();
        if let Some(signal) = caught.pending().find(|signal| ENDING.contains(signal)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

#[cfg(unix)]
fn pass_on(signal: i32, child: &Child) {
    // What is typed at a terminal goes to the command as well, by itself; twice
    // would mean something else to it.
    let is_typed = matches!(signal, SIGINT | SIGQUIT | SIGTSTP) && has_the_terminal();
    if signal != SIGCHLD && !is_typed {
        let _ = Signal::from_named_raw(signal)
            .map(|signal| kill_process(Pid::from_child(child), signal));
    }
    if signal == SIGTSTP {
        // A shell wants to see us stopped too. Once we go on, so does the lease.
        let _ = kill_process(rustix::process::getpid(), Signal::STOP);
    }
}

/// Returns whether the keys of the controlling terminal send their signals to us.
#[cfg(unix)]
fn has_the_terminal() -> bool {
    std::fs::File::open("/dev/tty")
        .is_ok_and(|tty| rustix::termios::tcgetpgrp(tty) == Ok(rustix::process::getpgrp()))
}

/// Returns the exit code that a shell would give.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return (128 + signal).try_into().unwrap_or(u8::MAX);
    }
    // Beyond a byte, on Windows, all that is left to say is that it failed.
    let code = status.code().unwrap_or(1);
    code.try_into().unwrap_or(u8::MAX)
}
