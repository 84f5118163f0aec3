//! Notices of a hook for the person, shown by an agent that can.

use super::note::Noted;
use crate::Timestamp;
use crate::agent::Shows;
use crate::cli::outcome::{Failure, print_json};
use crate::duration::ago;
use crate::printable::printable;
use crate::session::lease::{Lease, Leases, Life, Processes, SHORT_WAIT, short_id};

/// How many characters of one thing are said.
const MAX_CHARS: usize = 300;

/// Reports at a start who else works in the folder, and what earlier hooks met
/// but could not show; each once.
pub fn print(
    noted: &Noted,
    own: &Lease,
    leases: &Leases,
    processes: &Processes,
    now: Timestamp,
) -> Result<(), Failure> {
    if noted
        .agent
        .is_none_or(|agent| agent.shows == Shows::Nothing)
    {
        return Ok(());
    }
    let mut said = Vec::new();
    let is_changed = |lease: &&Lease| {
        let mut changed = noted.changed.iter();
        changed.any(|it| it.session_id == lease.session_id)
    };
    let neighbours = noted.before.iter().filter(|lease| {
        noted.comes_to.as_ref() == Some(&lease.repo)
            && !is_changed(lease)
            && lease.life(processes, now) != Life::Dead
    });
    if let Some(lease) = neighbours.max_by_key(|lease| lease.seen_by(now)) {
        let name = printable(&own.name, MAX_CHARS);
        let when = ago(lease.seen_by(now), now);
        said.push(format!("`{name}` is in use by {}, {when}", quoted(lease)));
    }
    for lease in &noted.before {
        if let Some(trouble) = take_trouble(leases, lease) {
            said.push(format!("the hook of {} reported: {trouble}", quoted(lease)));
        }
    }
    if said.is_empty() {
        return Ok(());
    }
    let message = format!("boardsync: {}", said.join("; "));
    print_json(&serde_json::json!({ "systemMessage": message }))
}

fn quoted(lease: &Lease) -> String {
    let name = lease.title.as_deref();
    let name = name.unwrap_or_else(|| short_id(&lease.session_id));
    format!("‘{}’", printable(name, 80))
}

/// Keeps what a hook met for the next start.
pub fn keep_trouble(leases: &Leases, session_id: &str, trouble: &str) {
    let _lock = leases.lock(SHORT_WAIT);
    if let Some(lease) = leases.get(session_id) {
        let _ = leases.write(&Lease {
            trouble: Some(printable(trouble, MAX_CHARS)),
            ..lease
        });
    }
}

fn take_trouble(leases: &Leases, lease: &Lease) -> Option<String> {
    lease.trouble.as_ref()?;
    let _lock = leases.lock(SHORT_WAIT);
    let mut lease = leases.get(&lease.session_id)?;
    let trouble = lease.trouble.take()?;
    leases.write(&lease).ok()?;
    Some(printable(&trouble, MAX_CHARS))
}
