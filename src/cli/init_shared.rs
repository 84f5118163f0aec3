//! The step `init --shared`: rows say which host they come from.

use super::context::Context;
use super::edit::{edit, reported};
use super::outcome::Failure;
use boardsync::board::Board;
use boardsync::commit::LIMIT;
use boardsync::disk::read_regular;
use boardsync::lock::Host;
use boardsync::session::Explicit;
use boardsync::update::Declare;
use boardsync::vault::Place;

/// Declares that several hosts share a board.
pub struct Shared<'a> {
    context: &'a Context,
    place: Place,
}

impl<'a> Shared<'a> {
    /// Prepares the step; changes nothing.
    pub fn of(context: &'a Context) -> Result<Self, Failure> {
        let place = context.place()?;
        Ok(Self { context, place })
    }

    /// Says in one line what it does.
    pub fn describe(&self) -> String {
        format!("add the column `Host` to `{}`", self.place.board.display())
    }

    /// Says whether the board has the column.
    pub fn is_done(&self) -> Result<bool, Failure> {
        let read = read_regular(&self.place.target, LIMIT).map_err(|error| {
            Failure::Error(format!(
                "cannot read the board `{}`: {error}",
                self.place.board.display()
            ))
        })?;
        let text = read.and_then(|read| String::from_utf8(read.bytes).ok());
        Ok(text.is_some_and(|text| Board::parse(&text).is_shared()))
    }

    /// Adds the column, under the lock.
    pub fn apply(&self) -> Result<(), Failure> {
        let (host, explicit) = (Host::current(), Explicit::default());
        let mut declare = Declare::new(&explicit, &host, self.context.now);
        let edited = edit(self.context, &self.place, &mut declare)?;
        reported(&self.place, edited, |why| why.note(&self.place.board)).map(|_| ())
    }

    /// Refuses: without the column, rows of two hosts with one key would be one.
    pub fn undo(&self) -> Result<(), Failure> {
        Err(Failure::Error(format!(
            "the column `Host` of `{}` stays, for rows of two hosts may differ by nothing else: remove it by hand",
            self.place.board.display()
        )))
    }
}
