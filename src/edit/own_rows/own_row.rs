//! One row that this host wrote, in the journal.

use crate::Timestamp;
use crate::board::{Field, Row, Status};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A row of this host, as it wrote it last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnRow {
    /// When it was written, in ms.
    pub written: i64,
    pub repo: String,
    pub status: String,
    pub key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat: Option<String>,
}

impl OwnRow {
    /// Takes the cells of `row`, unless it lacks those that a row must have.
    pub fn of(row: &Row<'_>, now: Timestamp) -> Option<Self> {
        let cell = |field| row.get(field).map(Cow::into_owned);
        Some(Self {
            written: now.as_millis(),
            repo: cell(Field::Repo)?,
            status: row.status()?.word().to_owned(),
            key: cell(Field::Key)?,
            session: cell(Field::Session),
            branch: cell(Field::Branch),
            mode: cell(Field::Mode),
            heartbeat: cell(Field::Heartbeat),
        })
    }

    /// Makes the row anew, for a board where rows have this `host`.
    pub fn row(&self, host: Option<&str>) -> Option<Row<'static>> {
        let status: Status = self.status.parse().ok()?;
        let cells = [
            (Field::Key, Some(self.key.as_str())),
            (Field::Session, self.session.as_deref()),
            (Field::Branch, self.branch.as_deref()),
            (Field::Mode, self.mode.as_deref()),
            (Field::Heartbeat, self.heartbeat.as_deref()),
            (Field::Host, host),
        ];
        let row = Row::new(&self.repo, status);
        let fill = |row: Row<'static>, (field, text): (Field, Option<&str>)| match text {
            Some(text) => row.with(field, text),
            None => row,
        };
        Some(cells.into_iter().fold(row, fill))
    }
}
