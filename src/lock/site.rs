//! One lock as one process knows it: its files, who we are, what we may do.

use super::files::LockFiles;
use super::gate::Gate;
use super::host::Host;
use super::judge::Facts;
use super::options::LockOptions;
use super::publish::{Clock, Pending};
use super::record::Record;
use crate::Timestamp;
use crate::disk::Token;
use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Everything on which acquiring, releasing and inspecting one lock depend.
#[derive(Debug)]
pub struct Site {
    pub files: LockFiles,
    pub options: LockOptions,
    pub host: Host,
    pub token: Token,
    pub gate: Gate,
}

impl Site {
    /// Opens the folder of the lock at `path`, and makes it if it is missing.
    pub fn create(path: &Path, options: &LockOptions) -> io::Result<Self> {
        Ok(Self::new(LockFiles::create(path)?, options))
    }

    /// Opens the folder of the lock at `path`; `None` if it does not exist.
    pub fn open(path: &Path, options: &LockOptions) -> io::Result<Option<Self>> {
        let files = LockFiles::open(path)?;
        Ok(files.map(|files| Self::new(files, options)))
    }

    fn new(files: LockFiles, options: &LockOptions) -> Self {
        let mut host = options.host.clone().unwrap_or_else(Host::current);
        host.aliases_file.clone_from(&options.aliases_file);
        Self {
            files,
            options: options.clone(),
            token: Token::new(host.tag()),
            host,
            gate: Gate::default(),
        }
    }

    /// Tries for the gate once, if it is not ours yet.
    pub fn try_gate(&mut self) {
        self.gate.try_take(&self.files.gate, self.options.mode);
    }

    /// Gathers what a judgement of something `age_ms` old depends on.
    ///
    /// `unchanged` is for how long its time has been seen to stand still.
    pub fn facts(&self, age_ms: i64, unchanged: Duration) -> Facts<'_> {
        Facts {
            host: &self.host,
            gate: self.gate.id(),
            busy_gate: self.gate.busy_id(&self.files.gate),
            age_ms,
            unchanged,
            staleness_ms: self.options.staleness_ms(),
        }
    }

    /// Makes a record of this process as of now: with the gate, if it is ours.
    pub fn record(&self, token: Token) -> Record {
        let mut record = Record::of_this_process(&self.host, Timestamp::now(), token.to_string());
        record.gate = self.gate.id().map(|id| id.to_string());
        record
    }

    /// Reads the file system's clock; this host's where nothing can be written.
    pub fn clock(&self) -> Clock {
        Pending::create("record.create", &self.files, self.token, self.options.mode)
            .and_then(|pending| pending.clock())
            .unwrap_or_else(|_| Clock::here())
    }

    /// Hands one line to the caller's trace.
    pub fn say(&self, what: fmt::Arguments) {
        if let Some(trace) = &self.options.trace {
            trace(what);
        }
    }
}
