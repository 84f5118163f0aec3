//! The variables that tune a command; a mistake in one is reported before anything runs.

use super::outcome::Failure;
use crate::Timestamp;
use crate::config::Env;
use crate::disk::Patience;
use crate::lock::LockOptions;
use std::time::Duration;

/// Their values, or the defaults.
#[derive(Debug)]
pub struct Variables {
    pub sync: Sync,
    pub patience: Patience,
    pub poll: Duration,
    pub staleness: Duration,
    pub skip_lock: bool,
}

/// The files that are synced to the disk before a write counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// The lock's record, the board, its folder.
    Full,
    /// Not the record: a power cut then costs a grace of 2 s, never data.
    Board,
    /// Nothing.
    None,
}

/// Reads variables; `on_mistake` says whether a wrong one ends the command, or its
/// default stands.
pub struct Reader<'e, F> {
    pub env: &'e Env,
    pub on_mistake: F,
}

impl Variables {
    /// Reads all of them.
    pub fn read(
        reader: &mut Reader<'_, impl FnMut(Failure) -> Result<(), Failure>>,
    ) -> Result<Self, Failure> {
        let defaults = LockOptions::default();
        let default_patience = Duration::from_secs(5);
        Ok(Self {
            sync: reader.read(
                "BOARDSYNC_SYNC",
                "`full`, `board` or `none`",
                Sync::Full,
                |text| match text {
                    "full" => Some(Sync::Full),
                    "board" => Some(Sync::Board),
                    "none" => Some(Sync::None),
                    _ => None,
                },
            )?,
            patience: reader
                .millis("BOARDSYNC_TIMEOUT_MS", default_patience, 0)?
                .into(),
            poll: reader.millis("BOARDSYNC_POLL_MS", defaults.poll, 1)?,
            staleness: reader.millis("BOARDSYNC_STALE_MS", defaults.staleness, 1)?,
            skip_lock: reader.read(
                "BOARDSYNC_SKIP_LOCK",
                "`1` or `0`",
                false,
                |text| match text {
                    "1" => Some(true),
                    "0" => Some(false),
                    _ => None,
                },
            )?,
        })
    }
}

impl<F: FnMut(Failure) -> Result<(), Failure>> Reader<'_, F> {
    /// Reads a number of milliseconds, `least` or more.
    pub fn millis(
        &mut self,
        name: &str,
        default: Duration,
        least: u64,
    ) -> Result<Duration, Failure> {
        let wanted = format!("a number of milliseconds from {least}");
        self.read(name, &wanted, default, |text| {
            let millis = text.parse().ok().filter(|millis| *millis >= least);
            millis.map(Duration::from_millis)
        })
    }

    /// Reads the time that a test gives the command.
    pub fn now(&mut self) -> Result<Timestamp, Failure> {
        let now = self.read("BOARDSYNC_NOW", "an RFC 3339 time", None, |text| {
            Timestamp::parse(text).map(Some)
        });
        Ok(now?.unwrap_or_else(Timestamp::now))
    }

    fn read<T>(
        &mut self,
        name: &str,
        wanted: &str,
        default: T,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        let Some(text) = self.env.text(name) else {
            return Ok(default);
        };
        match parse(text) {
            Some(value) => Ok(value),
            None => {
                let mistake = format!("`{name}` is `{text}`, which is not {wanted}");
                (self.on_mistake)(Failure::Usage(mistake)).map(|()| default)
            }
        }
    }
}
