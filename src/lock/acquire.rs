//! Acquiring: gate, look, judge; then publish, take over, or wait.

use super::files::LockFiles;
use super::gate::Gate;
use super::host::Host;
use super::judge::{Facts, Reason, Verdict, judge};
use super::lease::Lease;
use super::options::LockOptions;
use super::outcome::{HolderNote, Unlocked, WhyUnlocked};
use super::publish::{Clock, Pending};
use super::record::Record;
use super::sighting::{Seen, Sighting, Stranger, is_lock_name, look};
use super::takeover::{Takeover, take_over};
use crate::Timestamp;
use crate::disk::{self, Backoff, FileId, Token};
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

/// A foreign lock that is older than the staleness is waited for no longer
/// than this: it will not come back in time.
const ABANDONED: Duration = Duration::from_millis(250);

/// While another process has the gate and nobody the lock, that process is
/// about to publish: it is given this long before we publish without the gate,
/// which would cost our successors the kernel's proof of our death.
const GATE_HEADWAY: Duration = Duration::from_millis(250);

/// Seeks one lock: who we are, what we hold so far, and what we may do.
#[derive(Debug)]
pub struct Seeker {
    pub(super) files: LockFiles,
    pub(super) options: LockOptions,
    pub(super) host: Host,
    pub(super) token: Token,
    gate: Gate,
}

/// Carries what one search knows from look to look.
#[derive(Debug, Default)]
struct Search {
    /// Our record on its way, and the file system's clock read off it.
    pending: Option<(Pending, Clock)>,
    /// Since when, in this wait, the lock has been free with the gate busy.
    free_since: Option<Duration>,
    /// What lay there last.
    seen: Option<Sighting>,
    /// Whether, the last time it was wanted, the guard was one that nobody
    /// will give back.
    behind_guard: bool,
}

/// Says how one pass ended.
enum Pass {
    /// The lock is ours; why another holder's was taken over, if it was.
    Ours(Option<Reason>),
    /// Not yet.
    Wait,
}

impl Seeker {
    /// Prepares to seek the lock at `path`; touches nothing yet.
    pub fn new(path: &Path, options: LockOptions) -> Self {
        let mut host = options.host.clone().unwrap_or_else(Host::current);
        host.aliases_file.clone_from(&options.aliases_file);
        let token = Token::new(host.tag());
        Self {
            files: LockFiles::of(path),
            options,
            host,
            token,
            gate: Gate::default(),
        }
    }

    /// Seeks the lock until it is ours or the patience is over.
    pub fn acquire(mut self) -> Result<Lease, Unlocked> {
        let mut backoff = Backoff::new(self.options.patience, self.options.poll);
        let mut search = Search::default();
        loop {
            match self.pass(&mut search, &mut backoff) {
                Ok(Pass::Ours(reason)) => {
                    return Ok(Lease::start(self, reason, backoff.waited()));
                }
                Ok(Pass::Wait) => {}
                Err(trouble) => {
                    return Err(self.unlocked(WhyUnlocked::FsError(trouble), &backoff, None));
                }
            }
            if self.options.is_interrupted() {
                return Err(self.unlocked(WhyUnlocked::Interrupted, &backoff, None));
            }
            if !self
                .gate
                .pause(&self.files.gate, &mut backoff, self.options.poll)
            {
                let guard = search.behind_guard.then(|| look(&self.files.guard));
                return Err(match guard {
                    Some(guard) => {
                        let guard = guard.ok().flatten();
                        self.unlocked(WhyUnlocked::Guarded, &backoff, guard.as_ref())
                    }
                    None => self.unlocked(WhyUnlocked::Timeout, &backoff, search.seen.as_ref()),
                });
            }
        }
    }

    /// Tries for the gate, looks, judges, and does what the verdict allows.
    fn pass(&mut self, search: &mut Search, backoff: &mut Backoff) -> Result<Pass, String> {
        let lock = self.files.lock.clone();
        if search.pending.is_none() {
            self.refuse_stranger()?;
            let folder = &self.files.folder;
            disk::create_folder("folder.create", folder).map_err(at("create", folder))?;
        }
        self.try_gate();
        search.seen = look(&lock).map_err(at("read", &lock))?;
        let Search {
            pending,
            free_since,
            seen,
            behind_guard,
        } = search;
        let pending = match pending {
            Some(pending) => pending,
            None => pending.insert(self.prepare().map_err(at("write in", &self.files.folder))?),
        };
        let (record, clock) = pending;
        let Some(seen) = seen else {
            let since = *free_since.get_or_insert(backoff.waited());
            if self.gate.is_busy()
                && backoff.waited() < since + GATE_HEADWAY
                && !backoff.left().is_zero()
            {
                return Ok(Pass::Wait);
            }
            self.complete(record)
                .map_err(at("write in", &self.files.folder))?;
            let published = record.publish(&lock).map_err(at("publish", &lock))?;
            return Ok(if published {
                self.ours(None)
            } else {
                Pass::Wait
            });
        };
        *free_since = None;
        match judge(&seen.what, &self.facts(clock.age_ms(seen.modified))) {
            Verdict::Held => Ok(Pass::Wait),
            Verdict::Abandoned => {
                backoff.at_most(ABANDONED);
                Ok(Pass::Wait)
            }
            Verdict::NotALock(stranger) => Err(no_lock(&lock, stranger)),
            Verdict::TakeOver(_) => {
                self.complete(record)
                    .map_err(at("write in", &self.files.folder))?;
                match take_over(self, seen, record, *clock).map_err(at("take over", &lock))? {
                    Takeover::Done(reason) => return Ok(self.ours(Some(reason))),
                    Takeover::GuardBusy { abandoned: true } => {
                        *behind_guard = true;
                        backoff.at_most(ABANDONED);
                    }
                    Takeover::GuardBusy { abandoned: false } | Takeover::Lost => {}
                }
                Ok(Pass::Wait)
            }
        }
    }

    /// Refuses what somebody named as the lock by mistake, before anything is
    /// made beside it.
    fn refuse_stranger(&self) -> Result<(), String> {
        let lock = &self.files.lock;
        if is_lock_name(lock) {
            return Ok(());
        }
        match look(lock).map_err(at("read", lock))?.map(|seen| seen.what) {
            Some(Seen::NotALock(stranger)) => Err(no_lock(lock, stranger)),
            _ => Ok(()),
        }
    }

    fn ours(&self, stale_override: Option<Reason>) -> Pass {
        match &stale_override {
            None => self.say(format_args!("published {}", self.gate)),
            Some(reason) => self.say(format_args!("took over {}: {reason}", self.gate)),
        }
        Pass::Ours(stale_override)
    }

    /// Creates the pending record, and reads the file system's clock off it.
    fn prepare(&self) -> io::Result<(Pending, Clock)> {
        let pending = Pending::create(&self.files, self.token, self.options.mode)?;
        let clock = pending.clock()?;
        Ok((pending, clock))
    }

    /// Writes the record as of now: with the gate, if we hold it by now.
    fn complete(&self, pending: &Pending) -> io::Result<()> {
        let token = self.token.to_string();
        let label = || format!("board-writer-{}-{}", std::process::id(), &token[24..]);
        let mut record = Record::of_this_process(&self.host, Timestamp::now(), token.clone());
        record.holder = Some(self.options.holder.clone().unwrap_or_else(label));
        record.gate = self.gate_id().map(|id| id.to_string());
        record.cmd = self.options.command.as_deref().map(cut);
        pending.fill("record.write", &record.to_json(), self.options.sync)
    }

    /// Tries for the gate once, if it is not ours yet.
    pub(super) fn try_gate(&mut self) {
        self.gate.try_take(&self.files.gate);
    }

    /// Gathers what a judgement of something `age_ms` old depends on.
    pub(super) fn facts(&self, age_ms: i64) -> Facts<'_> {
        Facts {
            host: &self.host,
            gate: self.gate_id(),
            age_ms,
            staleness_ms: self.options.staleness_ms(),
        }
    }

    /// Gives the identity of the gate that we hold, if we do.
    pub(super) fn gate_id(&self) -> Option<FileId> {
        self.gate.id()
    }

    pub(super) fn say(&self, what: fmt::Arguments) {
        if let Some(trace) = &self.options.trace {
            trace(what);
        }
    }

    fn unlocked(
        &self,
        reason: WhyUnlocked,
        backoff: &Backoff,
        seen: Option<&Sighting>,
    ) -> Unlocked {
        let holder = seen.and_then(Sighting::record);
        Unlocked {
            lock_path: self.files.lock.clone(),
            reason,
            waited: backoff.waited(),
            holder: holder.map(|record| Box::new(HolderNote::of(record, record.is_of(&self.host)))),
        }
    }
}

/// Cuts what a record says of the command, at most 500 bytes.
fn cut(command: &str) -> String {
    let mut ends = (0..=command.len().min(500)).rev();
    let end = ends.find(|end| command.is_char_boundary(*end));
    command[..end.unwrap_or_default()].to_owned()
}

fn no_lock(path: &Path, stranger: Stranger) -> String {
    format!("`{}` is {stranger}, not a lock", path.display())
}

/// Words an I/O error: what could not be done, to which file.
fn at(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> String {
    move |error| format!("cannot {verb} `{}`: {error}", path.display())
}
