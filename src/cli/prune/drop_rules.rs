//! Which rows are dropped: old closed ones, and those whose folder is gone.

use super::super::context::Context;
use super::super::outcome::Failure;
use super::PruneArgs;
use crate::Timestamp;
use crate::board::{Field, Row, SILENCE_LIMIT_MS, Status};
use crate::config;
use crate::duration::ago;
use crate::lock::Host;
use crate::session::{Folders, Whereabouts};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

/// The rules by which rows are dropped.
pub struct DropRules {
    now: Timestamp,
    host: Host,
    closed_older_than: Duration,
    /// Where repositories are looked for; `None` if that was not asked for.
    folders: Option<Folders>,
    /// The rows of which nothing is known.
    pub unknown: RefCell<BTreeSet<String>>,
}

impl DropRules {
    /// Reads what the judgement depends on.
    pub fn new(context: &Context, args: &PruneArgs) -> Result<Self, Failure> {
        let mut host = Host::current();
        host.aliases_file = config::host_aliases_file(&context.env);
        let folders = if args.missing {
            let mut roots = config::sweep_roots(&context.env).map_err(Failure::of)?;
            roots.extend(context.home());
            roots.extend(args.root.iter().cloned());
            Some(Folders::below(&roots, &context.cwd))
        } else {
            None
        };
        Ok(Self {
            now: context.now,
            host,
            closed_older_than: args.closed_older_than,
            folders,
            unknown: RefCell::default(),
        })
    }

    /// Returns the reason for dropping a row; `None` if it stays.
    pub fn why(&self, row: &Row) -> Option<String> {
        self.is_old(row).or_else(|| self.is_missing(row))
    }

    /// A closed row without a readable heartbeat has no age, and stays.
    fn is_old(&self, row: &Row) -> Option<String> {
        let status = row.status()?;
        let beat = row.heartbeat()?;
        (matches!(status, Status::Closed | Status::ForceClosed)
            && beat.age_at(self.now) > self.closed_older_than)
            .then(|| format!("{status} {}", ago(beat, self.now)))
    }

    fn is_missing(&self, row: &Row) -> Option<String> {
        let folders = self.folders.as_ref()?;
        // Where rows tell no hosts apart, the key alone says whose row it is.
        if row
            .get(Field::Host)
            .is_some_and(|host| !self.host.is(&host, None, None))
        {
            return None;
        }
        let found = match row.get(Field::Key) {
            Some(key) => folders.find(&row.repo(), &key),
            None => Whereabouts::Unknown,
        };
        match found {
            Whereabouts::There(_) => None,
            Whereabouts::Unknown => {
                self.unknown.borrow_mut().insert(row.repo().into_owned());
                None
            }
            Whereabouts::Gone(path) => {
                (!self.may_run(row)).then(|| format!("no folder at `{}`", path.display()))
            }
        }
    }

    fn may_run(&self, row: &Row) -> bool {
        row.status() == Some(Status::InProgress)
            && row
                .heartbeat()
                .is_none_or(|beat| self.now.since(beat) < SILENCE_LIMIT_MS)
    }
}
