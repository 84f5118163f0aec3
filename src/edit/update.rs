//! Bringing the rows of some repositories up to date.

use super::adopted::drop_adopted;
use super::board_edit::{BoardEdit, Change, StartedFrom, join_displaced};
use super::conflict_copies::ConflictCopies;
use super::error::EditError;
use super::fresh_row::{RepoSources, aliases, fresh_row, is_ahead};
use super::lease_rows::LeaseRows;
use super::options::EditOptions;
use super::own_rows::OwnRows;
use super::refusal::Refusal;
use super::report::{Action, Report};
use super::run::run;
use super::unknown_copies::{note_of, unreported};
use crate::board::{Board, Field, Fresh, Row, Slot};
use crate::commit::{Displaced, End};
use crate::printable::printable;
use crate::session::{Explicit, Repo, SessionLock};
use std::path::Path;

/// Brings the rows of some repositories up to date.
#[derive(Debug)]
pub struct Update<'a> {
    repositories: &'a [RepoSources],
    explicit: &'a Explicit,
    /// The repository whose session has something new to show.
    repo_of_hook: Option<&'a Path>,
    /// Those whose folder is gone, and whether the board has a row of them.
    gone: Vec<(Repo, bool)>,
    copies: ConflictCopies,
    own: OwnRows,
    /// The sessions that this host knows, whose rows every update also writes.
    leases: Option<LeaseRows>,
    /// The boards beside it with unknown names that have not been reported yet, in
    /// one line.
    unknown_copies: Option<String>,
    /// Whether the caller's heartbeat was replaced.
    replaced: bool,
}

/// Brings the rows of some repositories up to date, under the board's lock if
/// it can be acquired.
///
/// # Errors
///
/// As [`run`].
pub fn update(
    options: &EditOptions,
    repositories: &[RepoSources],
    explicit: &Explicit,
) -> Result<Report, EditError> {
    run(options, &mut Update::new(repositories, explicit))
}

impl<'a> Update<'a> {
    /// Prepares the update; `explicit` is what the caller says of all
    /// `repositories`, which beats what is derived.
    pub fn new(repositories: &'a [RepoSources], explicit: &'a Explicit) -> Self {
        Self {
            repositories,
            explicit,
            repo_of_hook: None,
            gone: Vec::new(),
            copies: ConflictCopies::default(),
            own: OwnRows::default(),
            leases: None,
            unknown_copies: None,
            replaced: false,
        }
    }

    /// Prepares the update of a hook, which is done once the row of `repo` shows
    /// what its sessions do.
    pub fn of_hook(repo: &'a Path, nothing_said: &'a Explicit) -> Self {
        Self {
            repo_of_hook: Some(repo),
            ..Self::new(&[], nothing_said)
        }
    }

    /// Makes no rows for the repositories in `gone`, whose folders are gone.
    #[must_use]
    pub fn only_known(mut self, gone: &[Repo]) -> Self {
        self.gone = gone.iter().map(|repo| (repo.clone(), true)).collect();
        self
    }

    /// Returns those of them that have no row.
    pub fn unknown(&self) -> impl Iterator<Item = &Repo> {
        let unknown = self.gone.iter().filter(|(_, known)| !known);
        unknown.map(|(repo, _)| repo)
    }

    /// Returns the rows that leases have, but for those of which the caller says
    /// something itself.
    fn lease_rows(&self) -> impl Iterator<Item = &(Repo, Row<'static>)> {
        let is_said = |key: &str| {
            *self.explicit != Explicit::default()
                && self.repositories.iter().any(|it| it.repo.key == key)
        };
        let rows = self.leases.iter().flat_map(LeaseRows::rows);
        rows.filter(move |(repo, _)| !is_said(&repo.key))
    }

    fn has_lease_row(&self, key: &str) -> bool {
        self.lease_rows().any(|(repo, _)| repo.key == key)
    }
}

fn leases(options: &EditOptions) -> Option<LeaseRows> {
    let state = options.state.as_deref()?;
    Some(LeaseRows::at(state, options.activity))
}

impl BoardEdit for Update<'_> {
    fn prepare(&mut self, options: &EditOptions) {
        self.copies = ConflictCopies::once_settled(options.place);
        self.leases = leases(options);
    }

    fn apply<'b>(
        &'b mut self,
        board: &mut Board<'b>,
        _start: StartedFrom,
        options: &EditOptions,
    ) -> Result<Change, Refusal> {
        self.copies.read(options.place);
        self.copies.look_for_them_in(board, |joined| {
            drop_adopted(self.repositories, joined, &options.host.id);
        });
        self.own = OwnRows::read(options);
        // A second call must report it again, though the first one remembered it.
        if options.state.is_some() {
            let new = unreported(&self.copies.unknown, &mut self.own.reported);
            if let Some(note) = note_of(&new, options.place) {
                self.unknown_copies.get_or_insert(note);
            }
        }
        self.replaced = is_ahead(self.explicit, options.now);
        let mut changed = self.own.join_into(board, options);
        for (repo, known) in &mut self.gone {
            let host = board.is_shared().then_some(&*options.host.id);
            *known = board.prior(&Slot::keyed(&repo.key).on(host)).is_some()
                || board.prior(&Slot::named(&repo.name).on(host)).is_some();
        }
        changed |= self.copies.join_into(board);
        if let Some(leases) = &mut self.leases {
            leases.read(board, options);
        }
        let is_over = |lock: &SessionLock| self.leases.iter().any(|it| it.saw_end_of(lock));
        let fresh: Vec<Fresh> = self
            .repositories
            .iter()
            .filter(|repository| !self.unknown().any(|repo| *repo == repository.repo))
            .filter(|repository| !self.has_lease_row(&repository.repo.key))
            .filter_map(|repository| {
                let (all, explicit) = (self.repositories, self.explicit);
                fresh_row(repository, is_over, all, explicit, board, options)
            })
            .chain(
                self.lease_rows()
                    .map(|(_, row)| Fresh::observed(row.clone())),
            )
            .map(|fresh| fresh.known_as(aliases(board, &options.host).cloned()))
            .collect();
        let merged = board.upsert(&fresh, options.now);
        changed |= merged.changed;
        changed |= drop_adopted(self.repositories, board, &options.host.id);
        let is_fresh = |row: &&Row| {
            fresh
                .iter()
                .any(|fresh| fresh.row.get(Field::Key) == row.get(Field::Key))
        };
        self.own
            .take(board.rows.iter().filter(is_fresh), options.now);
        if !changed && merged.outdated > 0 {
            return Err(Refusal::Outdated);
        }
        Ok(Change::made_if(changed))
    }

    /// Remembered before they are written: what a crash takes away in between
    /// is brought by the next update.
    fn before_write(&mut self, _: Option<&[u8]>, options: &EditOptions) -> Result<(), Refusal> {
        let _ = self.own.write(options);
        Ok(())
    }

    fn join<'b>(
        &'b self,
        displaced: Board<'b>,
        written: Board<'b>,
        when: Displaced,
        options: &EditOptions,
    ) -> Board<'b> {
        let host = written.is_shared().then_some(&*options.host.id);
        let slots: Vec<Slot> = self
            .repositories
            .iter()
            .map(|repository| &repository.repo)
            .chain(self.lease_rows().map(|(repo, _)| repo))
            .map(|repo| Slot::keyed(&repo.key).on(host))
            .collect();
        let mut board = join_displaced(&displaced, &written, &slots, when, options);
        self.copies.join_into(&mut board);
        drop_adopted(self.repositories, &mut board, &options.host.id);
        board
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    /// Of a burst of hooks the first one writes what all of them have to say; the
    /// others need not queue to find that out.
    fn is_done(&self, options: &EditOptions) -> bool {
        let Some(repo) = self.repo_of_hook else {
            return false;
        };
        leases(options).is_some_and(|mut leases| leases.are_shown_of(repo, options))
    }

    fn finish(&mut self, end: &End<Refusal>, options: &EditOptions) {
        if matches!(end, End::Written | End::Unchanged) {
            self.copies.archive(options.place);
            if let Some(leases) = &self.leases {
                leases.settle(options.now);
            }
        }
    }

    fn complete(&self, report: &mut Report) {
        report.copies.clone_from(&self.copies.archived);
        // Only a write remembers that it was reported.
        if let Some(note) = &self.unknown_copies
            && report.action == Action::Written
        {
            report.note.get_or_insert_with(|| note.clone());
        }
        if let Some(said) = self.explicit.heartbeat.as_ref().filter(|_| self.replaced) {
            report.note.get_or_insert_with(|| {
                let said = printable(said, 40);
                format!("the heartbeat `{said}` is ahead of this host's clock, and was replaced by its time")
            });
        }
    }
}
