//! A dry run: the edit of an update, in memory only.

use super::document::BoardDocument;
use super::refusal::refusal;
use super::{Action, Report, UpdateError};
use crate::commit::{CommitError, Document, Edit, LIMIT};
use crate::disk::read_regular;
use crate::vault::Place;

impl BoardDocument<'_> {
    /// Edits the board at `place` in memory only.
    pub fn rehearse(&mut self, place: &Place) -> Result<Report, UpdateError> {
        let path = place.board.clone();
        let read = read_regular(&place.target, LIMIT).map_err(|source| {
            UpdateError::Commit(CommitError::Unreadable {
                path: path.clone(),
                source,
            })
        })?;
        let bytes = read.as_ref().map(|read| read.bytes.as_slice());
        let refused = bytes.and_then(refusal);
        let edit = refused.map_or_else(|| self.edit(bytes), Edit::Refuse);
        let note = match edit {
            Edit::Write(_) => format!("`{}` would be written", path.display()),
            Edit::Unchanged => format!("nothing would change in `{}`", path.display()),
            Edit::Refuse(refusal) => refusal.note(&path),
        };
        Ok(Report {
            action: Action::DryRun,
            path,
            rows: self.rows(),
            lock: None,
            note: Some(note),
            copies: Vec::new(),
            shared: self.is_shared(),
        })
    }
}
