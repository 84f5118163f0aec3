//! Whose record lies at a lock's name.

use super::observe::MAX_BYTES;
use super::record::Record;
use crate::disk::{self, At, Links, ReadError};
use std::io;

/// Whose record lies at a lock's name.
pub enum LockOwner {
    /// The one with the token; the file itself, whatever its name means by now.
    Us(std::fs::File),
    /// Nobody's: nothing lies there.
    Nobody,
    /// Anything else.
    Another,
}

/// Reads whose record lies at `lock`.
pub fn owner(lock: &(impl At + ?Sized), token: &str) -> io::Result<LockOwner> {
    match disk::read_small(lock, MAX_BYTES, Links::Refuse) {
        Ok(None) => Ok(LockOwner::Nobody),
        Ok(Some(contents)) => {
            let record = Record::parse(&contents.bytes);
            match record.is_some_and(|record| record.token.as_deref() == Some(token)) {
                true => Ok(LockOwner::Us(contents.file)),
                false => Ok(LockOwner::Another),
            }
        }
        Err(ReadError::Io(error)) => Err(error),
        Err(ReadError::NotRegular { .. } | ReadError::TooLarge { .. }) => Ok(LockOwner::Another),
    }
}
