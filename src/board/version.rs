//! Which of two versions of a row is newer: rows are compared nowhere else.

use super::field::Field;
use super::row::Row;
use crate::Timestamp;
use std::cmp::Ordering;

impl Row<'_> {
    /// Compares two versions by heartbeat, then finality of the status, then text.
    ///
    /// An absent or unreadable heartbeat is the oldest, an unknown status the
    /// least final. The text of all known cells makes the order total, which is
    /// what makes a join by it commutative and associative.
    pub fn cmp_version(&self, other: &Row<'_>) -> Ordering {
        self.heartbeat()
            .cmp(&other.heartbeat())
            .then_with(|| self.status().cmp(&other.status()))
            .then_with(|| {
                Field::ALL
                    .map(|field| self.written(field))
                    .cmp(&Field::ALL.map(|field| other.written(field)))
            })
    }

    /// Returns whether it has a later heartbeat than another row had.
    ///
    /// An absent or unreadable heartbeat is the oldest.
    pub fn is_later_than(&self, heartbeat: Option<Timestamp>) -> bool {
        self.heartbeat() > heartbeat
    }

    /// Returns whether it replaces a row of its slot that stands above it.
    pub(super) fn supersedes(&self, above: &Row<'_>) -> bool {
        !above.is_later_than(self.heartbeat())
    }

    /// Returns whether the event that it reports is older than what a row shows
    /// of the same session.
    pub(super) fn is_outdated_by(&self, shown: &Row<'_>) -> bool {
        self.heartbeat().is_some()
            && shown.is_later_than(self.heartbeat())
            && self.get(Field::Session) == shown.get(Field::Session)
    }
}
