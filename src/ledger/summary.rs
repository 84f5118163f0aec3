//! What the lines of a ledger amount to.

use super::EVENT;
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

/// The longest line that is read, in bytes; a real one has about 400.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// How many different words are counted of each kind; there are ten.
const MAX_WORDS: usize = 50;

/// Counts what the updates of a ledger did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// All updates.
    pub updates: u64,
    /// Counts them by what became of them.
    pub actions: BTreeMap<String, u64>,
    /// The updates that ran under the lock.
    pub locked: u64,
    /// Those that tried and ran without it, by reason.
    pub unlocked: BTreeMap<String, u64>,
    /// The locks that were taken over from another holder.
    pub stale_overrides: u64,
    /// Those among them that were judged by age alone, so that their
    /// holder may have lived.
    pub aged_overrides: u64,
    /// The releases that did not simply succeed, by what became of them.
    pub releases: BTreeMap<String, u64>,
    /// How long the lock was waited for; `None` if none was tried.
    pub waits: Option<Waits>,
    /// The lines that could not be read; they are in no other count.
    pub unreadable: u64,
    /// The time of the earliest update.
    #[serde(serialize_with = "as_text")]
    pub first: Option<Timestamp>,
    /// The time of the latest update.
    #[serde(serialize_with = "as_text")]
    pub last: Option<Timestamp>,
}

/// The times waited for the lock, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Waits {
    /// The updates that said how long they waited.
    pub count: u64,
    /// The wait that half of them did not exceed.
    pub p50_ms: u64,
    /// The wait that 95 of 100 did not exceed.
    pub p95_ms: u64,
    /// The longest wait.
    pub max_ms: u64,
}

/// The part of a line that is counted; all else may be there and is ignored.
#[derive(Deserialize)]
struct CountedLine {
    event: Option<String>,
    timestamp: Option<String>,
    action: Option<String>,
    lock: Option<Lock>,
}

#[derive(Deserialize)]
struct Lock {
    locked: bool,
    reason: Option<String>,
    stale_override: Option<String>,
    waited_ms: Option<u64>,
    release: Option<String>,
}

/// Counts the updates in `lines` that ended at `since` or later.
///
/// Lines of other events are passed over. A line that is no JSON, is longer
/// than 64 KiB, or has no time where one is asked for counts as unreadable. An
/// error while reading ends the count where it is, as one more of those.
pub fn summarise(mut lines: impl BufRead, since: Option<Timestamp>) -> Summary {
    let mut summary = Summary::default();
    let mut waits = Vec::new();
    let mut line = Vec::new();
    loop {
        match next_line(&mut lines, &mut line) {
            Ok(Some(Length::Whole)) => summary.count(&line, since, &mut waits),
            Ok(Some(Length::Cut)) => summary.unreadable += 1,
            Ok(None) => break,
            Err(_) => {
                summary.unreadable += 1;
                break;
            }
        }
    }
    summary.waits = Waits::of(waits);
    summary
}

impl Summary {
    fn count(&mut self, line: &[u8], since: Option<Timestamp>, waits: &mut Vec<u64>) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let Ok(line) = serde_json::from_slice::<CountedLine>(line) else {
            self.unreadable += 1;
            return;
        };
        if line.event.as_deref() != Some(EVENT) {
            return;
        }
        let time = line.timestamp.as_deref().and_then(Timestamp::parse);
        match (since, time) {
            (Some(since), Some(time)) if time < since => return,
            (Some(_), None) => {
                self.unreadable += 1;
                return;
            }
            _ => {}
        }
        self.updates += 1;
        self.first = self.first.into_iter().chain(time).min();
        self.last = self.last.max(time);
        add(&mut self.actions, line.action);
        if let Some(lock) = line.lock {
            self.count_lock(lock, waits);
        }
    }

    fn count_lock(&mut self, lock: Lock, waits: &mut Vec<u64>) {
        waits.extend(lock.waited_ms);
        if lock.locked {
            self.locked += 1;
        } else {
            add(&mut self.unlocked, lock.reason);
        }
        if let Some(reason) = lock.stale_override {
            self.stale_overrides += 1;
            self.aged_overrides += u64::from(reason.starts_with("mtime age"));
        }
        if lock.release.as_deref().is_some_and(|r| r != "released") {
            add(&mut self.releases, lock.release);
        }
    }

    /// Counts the updates that tried the lock.
    pub fn tried(&self) -> u64 {
        self.locked + self.unlocked.values().sum::<u64>()
    }
}

impl Waits {
    fn of(mut waits: Vec<u64>) -> Option<Self> {
        waits.sort_unstable();
        // Nearest rank: the smallest wait that covers so many of a hundred.
        let rank = |percent: usize| waits[(waits.len() * percent).div_ceil(100) - 1];
        (!waits.is_empty()).then(|| Self {
            count: waits.len() as u64,
            p50_ms: rank(50),
            p95_ms: rank(95),
            max_ms: rank(100),
        })
    }
}

fn add(counts: &mut BTreeMap<String, u64>, what: Option<String>) {
    let mut what = what.unwrap_or_else(|| "not said".to_owned());
    // The ledger lies in a repository, and may be anybody's.
    if counts.len() >= MAX_WORDS && !counts.contains_key(&what) {
        what = "others".to_owned();
    }
    *counts.entry(what).or_default() += 1;
}

enum Length {
    Whole,
    Cut,
}

/// Reads one line, or the start of one and skips the rest.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Length>> {
    line.clear();
    if lines
        .by_ref()
        .take(MAX_LINE_BYTES)
        .read_until(b'\n', line)?
        == 0
    {
        return Ok(None);
    }
    if (line.len() as u64) < MAX_LINE_BYTES || line.ends_with(b"\n") {
        return Ok(Some(Length::Whole));
    }
    lines.skip_until(b'\n')?;
    Ok(Some(Length::Cut))
}

fn as_text<S: serde::Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => to.collect_str(time),
        None => to.serialize_none(),
    }
}
