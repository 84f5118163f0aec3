//! A section inside another one of the same lock: it has the lock already.
//!
//! Without this, `update` inside the board's own lock would wait out its
//! patience for itself, and `exec` inside `exec` for its own caller.

use super::owner::{LockOwner, owner};
use std::cell::RefCell;
use std::path::{Path, PathBuf};

thread_local! {
    /// The locks that sections on this thread run under, the innermost last.
    static HELD: RefCell<Vec<(PathBuf, String)>> = const { RefCell::new(Vec::new()) };
}

/// A lock that an enclosing section, or a parent process, holds.
#[derive(Debug)]
pub struct Inherited {
    pub(super) path: PathBuf,
    pub(super) token: String,
}

impl Inherited {
    /// Finds out whether the lock at `path` is held for this thread, or with
    /// the token that a parent handed down. The lock's own record decides.
    pub(super) fn find(path: &Path, handed_down: Option<&str>) -> Option<Self> {
        let enclosing = HELD.with_borrow(|held| {
            let same = held.iter().rev().find(|(held, _)| held == path);
            same.map(|(_, token)| token.clone())
        });
        let tokens = [enclosing, handed_down.map(str::to_owned)];
        let mut found = tokens.into_iter().flatten().map(|token| Self {
            path: path.to_owned(),
            token,
        });
        found.find(Self::is_held)
    }

    /// Returns whether the lock still carries the token.
    pub(super) fn is_held(&self) -> bool {
        matches!(owner(&self.path, &self.token), Ok(LockOwner::Us(_)))
    }
}

/// Marks the thread as being inside a section, until it is dropped.
pub struct Enclosing;

impl Enclosing {
    /// Enters a section under the lock at `path`.
    pub fn enter(path: &Path, token: String) -> Self {
        HELD.with_borrow_mut(|held| held.push((path.to_owned(), token)));
        Self
    }
}

impl Drop for Enclosing {
    fn drop(&mut self) {
        HELD.with_borrow_mut(Vec::pop);
    }
}
