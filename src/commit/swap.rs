//! The exchange of a staged content with the board, and its undoing.

use super::Commit;
use super::staged::{Staged, Stamp};
use crate::config::vault::MAX_BOARD_BYTES;
use crate::disk::{self, Entry, Links};
use std::io::{self, ErrorKind};

/// How many last-moment changes are handled by reading the board again.
const COMPARISONS: u32 = 8;

/// The outcome of an exchange, as seen on the disk.
pub(super) enum Exchange {
    Done,
    /// It failed with this error.
    Failed(io::Error),
    /// The file system has none.
    Unsupported,
}

impl Commit<'_> {
    /// Swaps what is staged with the board, and believes the disk, not the reply.
    ///
    /// Some FUSE file systems take an exchange for a plain rename and report
    /// success, so the board is compared just before, as for a plain rename;
    /// and a network's reply may be an error though the swap was done. Among
    /// many writers without the latch the comparison alone would never end: after
    /// [`COMPARISONS`] changes the swap itself meets the next one, and joins it.
    pub(super) fn exchange(
        &mut self,
        board: &Entry,
        staged: &Staged,
        expected: Option<(Stamp, &[u8])>,
    ) -> Exchange {
        if !self.has_exchange {
            return Exchange::Unsupported;
        }
        match (expected, disk::status(board)) {
            (Some((stamp, bytes)), Ok(status))
                if self.conflicts < COMPARISONS
                    && Stamp::of(&status) != stamp
                    && !holds(board, bytes) =>
            {
                return Exchange::Failed(ErrorKind::NotFound.into());
            }
            (_, Ok(_)) => {}
            (_, Err(error)) => return Exchange::Failed(error),
        }
        let swapped =
            disk::retry_briefly(
                || match disk::exchange("board.exchange", &staged.entry, board) {
                    Err(_) if self.is_swapped(board, staged) => Ok(()),
                    done => done,
                },
            );
        match swapped {
            Ok(()) if staged.is_at(&staged.entry) => Exchange::Unsupported,
            Ok(()) => {
                // Gone: renamed over the board, or adopted by another process.
                self.has_exchange = disk::status(&staged.entry).is_ok();
                Exchange::Done
            }
            Err(error) if disk::is_unsupported(&error) => Exchange::Unsupported,
            Err(error) => Exchange::Failed(error),
        }
    }

    fn is_swapped(&self, board: &Entry, staged: &Staged) -> bool {
        staged.is_at(board) && !staged.is_at(&staged.entry)
    }

    /// Puts a displaced content back, and removes ours.
    ///
    /// If someone wrote over ours meanwhile, that write is the last, and stays.
    pub(super) fn swap_back(&mut self, board: &Entry, staged: &Staged) -> io::Result<()> {
        let now = disk::read_small(board, MAX_BOARD_BYTES, Links::Refuse)
            .ok()
            .flatten();
        if now.is_none_or(|now| !staged.is_made_of(&now.bytes)) {
            self.keep(staged);
            return Ok(());
        }
        let has_ours = || matches!(staged.read(), Ok(Some(content)) if staged.is_made_of(&content));
        // The file is believed rather than the reply: two swaps would be none.
        let swap = || match disk::exchange("board.swap-back", &staged.entry, board) {
            Err(_) if has_ours() => Ok(()),
            done => done,
        };
        disk::retry_briefly(swap)?;
        if has_ours() {
            let _ = disk::retry_briefly(|| staged.discard());
        } else {
            disk::exchange("board.swap-back", &staged.entry, board)?;
            self.keep(staged);
        }
        self.sync_folder(board);
        Ok(())
    }

    /// Keeps a content that is not ours to join, out of the way of later commits.
    pub(super) fn keep(&self, staged: &Staged) {
        let path = staged.entry.path().with_extension("kept.md");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Somebody's text: beside the board it is not hidden from people.
        let kept = staged.entry.sibling(name.trim_start_matches('.'));
        let _ = disk::move_new("leftover.claim", &staged.entry, &kept);
    }
}

/// Tells whether a board holds these bytes: some network file systems change
/// the time of a file by reading it.
pub(super) fn holds(board: &Entry, bytes: &[u8]) -> bool {
    matches!(disk::read_small(board, MAX_BOARD_BYTES, Links::Refuse), Ok(Some(now)) if now.bytes == bytes)
}
