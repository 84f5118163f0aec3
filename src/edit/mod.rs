//! Every change to a board: one [`BoardEdit`] each, done by [`run()`].
//!
//! ```
//! use boardsync::board::Status;
//! use boardsync::edit::{Action, AllowedLinks, BoardPlace, DEFAULT_BOARD, EditOptions, Explicit, Repo, RepoSources};
//! use boardsync::edit::update;
//!
//! let vault = tempfile::tempdir()?;
//! let place = BoardPlace::find(vault.path(), DEFAULT_BOARD, AllowedLinks::None)?;
//! let repo = Repo::at(vault.path(), vault.path());
//! let explicit = Explicit { status: Some(Status::InProgress), ..Explicit::default() };
//! let repositories = [RepoSources::read(repo, None)];
//!
//! let report = update(&EditOptions::new(&place), &repositories, &explicit)?;
//! assert_eq!(report.action, Action::Written);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | file |
//! |---|---|
//! | what is an edit, and what becomes of others' writes? | `board_edit` |
//! | how are lock, latch and commit put together? | `run`, `options` |
//! | what may not be touched? | `refusal` |
//! | what is reported? | `report` |
//! | how are rows brought up to date? | `update`, `adopted`, `fresh_row`, `lease_rows`, `conflict_copies`, `unknown_copies` |
//! | what did this host write last? | `own_rows` |
//! | what else can be done to a board? | `create`, `share`, `prune`, `restore`, `repair` |

mod adopted;
mod board_edit;
mod conflict_copies;
mod create;
mod error;
mod fresh_row;
mod lease_rows;
mod options;
mod own_rows;
mod prune;
mod refusal;
mod repair;
mod report;
mod restore;
mod row_backups;
mod run;
mod share;
mod siblings;
mod unknown_copies;
mod update;

pub use crate::config::vault::{AllowedLinks, BoardPlace, DEFAULT_BOARD, VaultError};
pub use crate::session::{Explicit, Registry, Repo, Sources};
pub use board_edit::{BoardEdit, Change, StartedFrom};
pub(crate) use conflict_copies::largest_copy;
pub use create::{Create, is_empty_board, remove_empty};
pub use error::EditError;
pub use fresh_row::RepoSources;
pub use options::{ActivityCell, DryRun, EditOptions};
pub use prune::{Dropped, Prune};
pub use refusal::{Refusal, is_ours, refusal};
pub use repair::Repair;
pub use report::{Action, LockReport, Report};
pub use restore::Restore;
pub use run::{run, run_document};
pub use share::Share;
#[cfg(feature = "cli")]
pub(crate) use siblings::{MAX_SIBLINGS, siblings, sort};
#[cfg(feature = "cli")]
pub(crate) use unknown_copies::command_to_adopt;
pub use update::{Update, update};
