//! SIGINT, SIGTERM and SIGHUP: end a wait, let a commit finish, then die by the signal.
//!
//! A commit takes milliseconds and the lock is released after it, so nothing
//! is cut short but waiting. A second signal ends the process at once; the
//! kernel then lets go of the gate, and the next update takes over.

use std::sync::atomic::AtomicBool;

/// The signals that ask a process to end.
#[cfg(unix)]
const ENDING: [i32; 3] = {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    [SIGINT, SIGTERM, SIGHUP]
};

/// Returns a flag that is set once a signal has come.
#[cfg(unix)]
pub fn flag() -> std::sync::Arc<AtomicBool> {
    use signal_hook::flag;
    use std::sync::Arc;
    let seen = Arc::new(AtomicBool::new(false));
    let ignored = ignored();
    for signal in ENDING {
        // A signal that our parent made us ignore (`nohup`) does not end us.
        if is_in(ignored, signal) {
            continue;
        }
        // Where a signal cannot be caught it ends the process, as ever.
        let _ = flag::register_conditional_default(signal, Arc::clone(&seen))
            .and_then(|_| flag::register(signal, Arc::clone(&seen)))
            .and_then(|_| {
                flag::register_usize(signal, Arc::clone(last()), signal.unsigned_abs() as usize)
            });
    }
    seen
}

/// Returns a flag that no signal sets on this platform.
#[cfg(not(unix))]
pub fn flag() -> std::sync::Arc<AtomicBool> {
    std::sync::Arc::new(AtomicBool::new(false))
}

/// Makes SIGINT, SIGTERM and SIGHUP do nothing, for a command that ends in
/// milliseconds anyway.
pub fn outlive() {
    #[cfg(unix)]
    for signal in ENDING {
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
}

/// Lets a write past the limit of a file's size (`ulimit -f`) fail instead of
/// ending the process by SIGXFSZ.
pub fn let_writes_fail() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Returns the signals that we were started to ignore, one bit per signal.
#[cfg(unix)]
pub fn ignored() -> u64 {
    // Only Linux tells without a signal handler being replaced.
    let status = crate::disk::read_proc("/proc/self/status").unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(0)
}

/// Returns whether `signal` is in a set with one bit per signal.
#[cfg(unix)]
pub fn is_in(signals: u64, signal: i32) -> bool {
    signals >> (signal - 1) & 1 == 1
}

#[cfg(unix)]
fn last() -> &'static std::sync::Arc<std::sync::atomic::AtomicUsize> {
    use std::sync::{Arc, OnceLock, atomic::AtomicUsize};
    static LAST: OnceLock<Arc<AtomicUsize>> = OnceLock::new();
    LAST.get_or_init(Arc::default)
}

/// Ends the process as the signal that has come would have, so that a shell
/// sees what it expects; returns if none has.
pub fn die() {
    #[cfg(unix)]
    {
        let signal = last().load(std::sync::atomic::Ordering::Relaxed);
        if let Ok(signal @ 1..) = i32::try_from(signal) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
