//! What the updates of this repository came to in the last week.

use super::Check;
use crate::Timestamp;
use crate::cli::context::Context;
use crate::cli::ledger::read;
use crate::cli::outcome::Failure;
use crate::session::Repo;

const WEEK_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Checks the ledger of the repository in the current folder.
pub fn check(context: &Context, checks: &mut Vec<Check>) {
    let since = Timestamp::from_millis(context.now.as_millis() - WEEK_MS);
    let repo = Repo::at(&context.cwd, &context.cwd);
    let summary = match read(&repo, Some(since)) {
        Ok(summary) => summary,
        Err(Failure::Error(text) | Failure::Usage(text)) => {
            checks.push(Check::warn("ledger", text, "check its permissions"));
            return;
        }
        Err(Failure::Interrupted) => return,
    };
    let advice = summary.advice();
    if advice.is_empty() {
        checks.push(Check::ok(
            "ledger",
            format!(
                "{} updates of this folder in 7 days, nothing unusual",
                summary.updates
            ),
        ));
    }
    checks.extend(
        advice
            .iter()
            .map(|text| Check::warn("ledger", text, "figures: `boardsync ledger --since 7d`")),
    );
}
