//! Whether hooks ran into trouble that no agent showed.

use crate::config;
use crate::session::Leases;
use crate::setup::check::{Findings, Inspection};

/// Looks at the leases of this host's sessions.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let Some(state) = config::state_dir(inspection.env) else {
        return;
    };
    let mut leases = Leases::at(&state).read();
    leases.retain(|lease| lease.trouble.is_some());
    let Some(last) = leases.iter().max_by_key(|lease| lease.seen) else {
        return;
    };
    let (trouble, name) = (last.trouble.as_deref().unwrap_or_default(), &last.name);
    let count = leases.len();
    findings.warn(
        "sessions",
        format!("{count} sessions met trouble, the last one in `{name}`: {trouble}"),
        "once it is mended, `boardsync sweep` brings the board up to date",
    );
}
