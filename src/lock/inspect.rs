//! Inspecting: what lies there, who holds it, whether it is alive.

use super::holder::HolderNote;
use super::judge::{Facts, Verdict, judge, judge_guard};
use super::observe::{LockContent, Observed, observe};
use super::options::LockOptions;
use super::publish::Clock;
use super::site::Site;
use crate::disk::{self, Entry};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The files at the names of a lock and its guard, judged.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LockInspection {
    /// The lock; `None`: it is free.
    pub lock: Option<Judged>,
    /// The guard; `None`: it is free.
    pub guard: Option<Judged>,
}

/// One thing that was seen, and what may be done about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Judged {
    /// Where it lies.
    pub path: PathBuf,
    /// What may be done about it.
    pub verdict: Verdict,
    /// Who wrote it, if that can be read.
    pub holder: Option<HolderNote>,
    /// Whether it was written on this host, if that can be read.
    pub is_ours: Option<bool>,
    /// Its age in ms, by the file system's clock.
    pub age_ms: i64,
    pub(super) observed: Observed,
}

/// Looks at the lock at `path` and at its guard, and judges both; changes
/// nothing, and makes no file that stays.
///
/// ```
/// use boardsync::lock::{LockOptions, inspect, with_board_lock};
///
/// let vault = tempfile::tempdir()?;
/// let options = LockOptions::default();
/// let (inspection, _) = with_board_lock(vault.path(), &options, |_| {
///     inspect(&vault.path().join(".orchestrator/board.lock"), &options)
/// });
/// let holder = inspection?.lock.and_then(|lock| lock.holder).expect("it is held");
/// assert_eq!(holder.pid, i64::from(std::process::id()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn inspect(path: &Path, options: &LockOptions) -> io::Result<LockInspection> {
    let Some(mut site) = Site::open(path, options)? else {
        return Ok(LockInspection::default());
    };
    let lock = observe(&site.files.lock)?;
    let guard = observe(&site.files.guard)?;
    if lock.is_none() && guard.is_none() {
        return Ok(LockInspection::default());
    }
    // Where there is no gate, nobody holds it: making one would prove nothing.
    if disk::status(&site.files.gate).is_ok() {
        site.try_gate();
    }
    let clock = site.clock();
    Ok(LockInspection {
        lock: lock.map(|it| site.judge_lock(it, clock)),
        guard: guard.map(|it| site.judge_guard(it, clock)),
    })
}

impl Site {
    /// Judges what was seen at the lock's name.
    pub(super) fn judge_lock(&self, observed: Observed, clock: Clock) -> Judged {
        self.judged(&self.files.lock, observed, clock, judge)
    }

    /// Judges what was seen at the guard's name.
    pub(super) fn judge_guard(&self, observed: Observed, clock: Clock) -> Judged {
        let judge =
            |content: &LockContent, facts: &Facts| judge_guard(content, facts, disk::is_running);
        self.judged(&self.files.guard, observed, clock, judge)
    }

    fn judged(
        &self,
        entry: &Entry,
        observed: Observed,
        clock: Clock,
        judge: impl Fn(&LockContent, &Facts) -> Verdict,
    ) -> Judged {
        let age_ms = clock.age_ms(observed.modified);
        let record = observed.record();
        let is_ours = record.map(|it| it.host.is_empty() || it.is_of(&self.host));
        let holder = record.map(|it| HolderNote::of(it, is_ours == Some(true)));
        let verdict = judge(&observed.content, &self.facts(age_ms, Duration::ZERO));
        Judged {
            path: entry.path(),
            verdict,
            holder,
            is_ours,
            age_ms,
            observed,
        }
    }
}
