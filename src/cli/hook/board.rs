//! The second half of a hook: the board, if it has anything new to show.

use crate::Timestamp;
use crate::cli::context::{Chosen, Context};
use crate::cli::edit::edit;
use crate::cli::ledger::record;
use crate::cli::outcome::{Failure, warn};
use crate::disk::Patience;
use crate::edit::{Action, RepoSources, Update};
use crate::session::lease::{LastShown, Lease, Leases, SHORT_WAIT};
use crate::session::{Explicit, Repo, Sources};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time that a hook may take, and its start.
pub struct Budget {
    pub started: Instant,
    pub for_the_lock: Duration,
    pub for_the_latch: Duration,
}

/// Brings the board of `lease` up to date, with the rows of all its leases.
pub fn bring_up_to_date(
    context: &Context,
    lease: &Lease,
    leases: &Leases,
    budget: &Budget,
) -> Result<(), Failure> {
    let place = match context.choose(Some(&lease.repo))? {
        Chosen::Board(place) => place,
        Chosen::Disabled { .. } => return Ok(()),
    };
    let said = Explicit::default();
    let report = edit(
        context,
        &place,
        &mut Update::of_hook(&lease.repo, &said),
        |options| {
            options.latch = budget.for_the_latch;
            options.lock.patience = match options.lock.patience {
                Patience::TryOnce => Patience::TryOnce,
                Patience::For(time) => time.min(budget.for_the_lock).into(),
            };
        },
    )?;
    if matches!(report.action, Action::Written | Action::SkippedNoop) {
        note_shown(leases, lease, context.now);
    }
    // A folder that is not a repository gets nothing but its row.
    let is_repo = |name: &str| lease.repo.join(name).exists();
    if report.action != Action::SkippedNoop && (is_repo(".git") || is_repo(".orchestrator")) {
        let subject = RepoSources {
            repo: Repo::at(&lease.repo, Path::new("/")),
            sources: Sources::default(),
        };
        record(context, &subject, &report, budget.started, None);
    }
    match (report.action, &report.note) {
        (Action::SkippedOutdated, _) | (_, None) => {}
        (_, Some(note)) => warn(note),
    }
    Ok(())
}

/// Remembers in the lease what the board shows of it by now.
fn note_shown(leases: &Leases, shown: &Lease, now: Timestamp) {
    let _lock = leases.lock(SHORT_WAIT);
    if let Some(lease) = leases.get(&shown.session_id)
        && lease.over.is_none()
    {
        let _ = leases.write(&Lease {
            last_shown: Some(LastShown {
                at: now,
                activity: shown.activity,
            }),
            ..lease
        });
    }
}
