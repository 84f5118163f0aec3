//! Merging the sides of a board with git conflict markers.

use super::board_edit::{BoardEdit, Change, StartedFrom};
use super::options::EditOptions;
use super::refusal::{Refusal, board_text, text};
use super::report::{Action, Report};
use crate::archive;
use crate::board::{Board, NotABoard, repair};
use std::borrow::Cow;
use std::path::PathBuf;

/// Repairs a board, once its old content is in `.orchestrator/backups/`.
#[derive(Debug, Default)]
pub struct Repair {
    backed_up: Option<(Vec<u8>, PathBuf)>,
}

impl BoardEdit for Repair {
    fn read<'t>(&self, bytes: &'t [u8], options: &EditOptions) -> Result<Cow<'t, str>, Refusal> {
        match board_text(bytes) {
            Ok(text) => Ok(text),
            Err(Refusal::Conflicted) => repair(&text(bytes)?, options.now)
                .map(Cow::Owned)
                .map_err(Refusal::Unrepairable),
            Err(Refusal::NotText(_)) => Err(Refusal::Unrepairable(NotABoard::NotText)),
            Err(refusal @ Refusal::Damaged { .. }) => Err(refusal),
            Err(_) => Err(Refusal::Unrepairable(NotABoard::Handwritten)),
        }
    }

    fn apply<'b>(
        &'b mut self,
        _board: &mut Board<'b>,
        start: StartedFrom,
        _options: &EditOptions,
    ) -> Result<Change, Refusal> {
        match start {
            StartedFrom::Nothing => Err(Refusal::Missing),
            // Its reading was the repair.
            StartedFrom::Board => Ok(Change::None),
        }
    }

    /// Backs a content up, unless it is the one that already was.
    fn before_write(
        &mut self,
        current: Option<&[u8]>,
        options: &EditOptions,
    ) -> Result<(), Refusal> {
        let current = current.unwrap_or_default();
        let last = self.backed_up.as_ref();
        if last.is_none_or(|(last, _)| last != current) {
            let path = archive::back_up(options.place, current)
                .map_err(|error| Refusal::NoBackup(error.to_string()))?;
            self.backed_up = Some((current.to_owned(), path));
        }
        Ok(())
    }
    fn complete(&self, report: &mut Report) {
        let path = report.path.display();
        match (report.action, &self.backed_up) {
            (Action::Written, Some((_, backup))) => {
                report.note = Some(format!(
                    "`{path}` has the rows and lines of both sides; the original is in `{}`",
                    backup.display()
                ));
            }
            (Action::SkippedNoop, _) => {
                report.note = Some(format!(
                    "`{path}` has no git conflict markers; nothing to do"
                ));
            }
            _ => {}
        }
    }
}
