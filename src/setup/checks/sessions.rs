//! Whether hooks met trouble that no agent showed.

use crate::config;
use crate::session::Leases;
use crate::setup::check::{Finding, Inspection};

/// Looks at what the hooks of this host's sessions left behind.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let Some(state) = config::state_dir(inspection.env) else {
        return Vec::new();
    };
    let mut leases = Leases::at(&state).read();
    leases.retain(|lease| lease.trouble.is_some());
    let Some(last) = leases.iter().max_by_key(|lease| lease.seen) else {
        return Vec::new();
    };
    let (trouble, name) = (last.trouble.as_deref().unwrap_or_default(), &last.name);
    vec![Finding::warn(
        "sessions",
        format!(
            "{} sessions met trouble, the last one in `{name}`: {trouble}",
            leases.len()
        ),
        "once it is mended, `boardsync sweep` brings the board up to date",
    )]
}
