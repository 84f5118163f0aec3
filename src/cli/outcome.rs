//! How a command ends: an exit code, and at most one line on stderr.

use crate::edit::EditError;
use crate::lock::Trace;
use crate::printable::{is_acted_on, printable};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It is done, or failed open: 0.
    Success,
    /// Its caller should see an error: 1.
    Error,
    /// A usage error: 2.
    Usage,
    /// The lock could not be acquired, and nothing was run: 75, `EX_TEMPFAIL`.
    Unavailable,
    /// What it ran ended with this code.
    Child(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Error => Self::from(1),
            Exit::Usage => Self::from(2),
            Exit::Unavailable => Self::from(75),
            Exit::Child(code) => Self::from(code),
        }
    }
}

/// The reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// A usage error.
    Usage(String),
    /// Something is wrong that its caller should see.
    Error(String),
    /// A signal ended it.
    Interrupted,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Usage(message) | Self::Error(message) => message,
            Self::Interrupted => "interrupted",
        })
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Interrupted(_) => Self::Interrupted,
            error => Self::of(error),
        }
    }
}

impl Failure {
    /// Makes the failure that `error` describes.
    pub fn of(error: impl std::fmt::Display) -> Self {
        Self::Error(error.to_string())
    }

    /// Prints the one line, and gives the exit code.
    pub fn report(self, json: bool) -> Exit {
        let (message, exit) = match self {
            Self::Usage(message) => (message, Exit::Usage),
            Self::Error(message) => (message, Exit::Error),
            Self::Interrupted => {
                super::signals::die();
                return Exit::Error;
            }
        };
        warn(&message);
        if json {
            let object = serde_json::json!({ "error": message });
            let _ = print_json(&object);
        }
        exit
    }
}

/// How many more lines [`warn`] may print.
static LINES_LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Lets [`warn`] print one more line and no other.
pub fn warn_once() {
    LINES_LEFT.store(1, Ordering::Relaxed);
}

/// The last line that [`warn`] printed.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Returns the last line that [`warn`] printed on stderr.
pub fn last_warning() -> Option<String> {
    LAST.lock().ok()?.clone()
}

/// Prints one line on stderr; a terminal sees nothing that it would act on.
pub fn warn(message: &str) {
    let left = LINES_LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        left.checked_sub(1)
    });
    if left.is_err() {
        return;
    }
    if let Ok(mut last) = LAST.lock() {
        *last = Some(message.to_owned());
    }
    let _ = writeln!(
        std::io::stderr().lock(),
        "boardsync: {}",
        printable(message, 2_000)
    );
}

/// Makes what prints the steps of a lock on stderr, timed from now.
pub fn trace() -> Trace {
    let started = Instant::now();
    Arc::new(move |step| {
        let millis = started.elapsed().as_secs_f64() * 1e3;
        let _ = writeln!(
            std::io::stderr().lock(),
            "boardsync: {millis:7.3} ms  {}",
            printable(&step.to_string(), 500)
        );
    })
}

/// Prints on stdout; a reader that has gone away is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Error(format!("cannot write to stdout: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints a value as one line of JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&json_line(value).map_err(Failure::of)?)
}

/// Writes a value as one line of JSON.
///
/// What a terminal would act on can stand in its strings only, where it is
/// written as an escape: the same value to a program, and nothing to a terminal.
pub fn json_line(value: &impl serde::Serialize) -> serde_json::Result<String> {
    let json = serde_json::to_string(value)?;
    let mut line = String::with_capacity(json.len() + 1);
    for character in json.chars() {
        if is_acted_on(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                line.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            line.push(character);
        }
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::json_line;

    #[test]
    fn json_holds_what_was_given_and_nothing_for_a_terminal() {
        let text = "a\u{9b}31m\u{202e}b\u{7f}\n\u{e0041}日";
        let line = json_line(&text).unwrap();
        assert!(
            !line.trim_end().chars().any(crate::printable::is_acted_on),
            "{line:?}"
        );
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }
}
