//! The one warning of a write without the lock, kept until it is known what
//! became of the write: a line that says "written" must be true.

use super::outcome::{Failure, warn};
use crate::edit::{Action, Report};
use crate::lock::Unlocked;
use std::cell::RefCell;

/// Keeps why the lock was not to be had.
#[derive(Default)]
pub struct Untold(RefCell<Option<String>>);

impl Untold {
    /// Keeps it; `LockOptions::warn` takes this.
    pub fn keep(&self, unlocked: &Unlocked) {
        *self.0.borrow_mut() = Some(unlocked.to_string());
    }

    /// Tells it with what became of an update.
    pub fn tell_with(&self, done: Result<Report, Failure>) -> Result<Report, Failure> {
        let mut report = self.in_failure(done)?;
        if let Some(why) = self.0.take() {
            match (report.action, &mut report.note) {
                (Action::SkippedWriteFailed, Some(note)) => note.push_str(&nor(&why)),
                (Action::Written, _) => {
                    warn(&format!("{why}; the board is written without the lock"));
                }
                _ => warn(&format!("{why}; nothing had to be written")),
            }
        }
        Ok(report)
    }

    /// Tells it of anything else that was done.
    pub fn tell<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        let done = self.in_failure(done)?;
        if let Some(why) = self.0.take() {
            warn(&format!("{why}; this was done without the lock"));
        }
        Ok(done)
    }

    /// Two things went wrong: one line says so.
    fn in_failure<T>(&self, done: Result<T, Failure>) -> Result<T, Failure> {
        done.map_err(|failure| match (failure, self.0.take()) {
            (Failure::Error(what), Some(why)) => Failure::Error(what + &nor(&why)),
            (failure, _) => failure,
        })
    }
}

fn nor(why: &str) -> String {
    format!("; nor was the lock to be had: {why}")
}
