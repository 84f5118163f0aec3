//! `boardsync doctor`: looks at all that a board depends on, and changes nothing.

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json};
use crate::setup::{CHECKS, Finding, Findings, Inspection};
use clap::Args;
use serde_json::{Value, json};

/// The arguments of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync doctor\n  boardsync doctor --json\n\nPrints one line per check: `ok`, `note`, `warn` or `FAIL`. Exits 1 if there is a `warn` or\na `FAIL`, else 0. Changes nothing on the disk: its tests use temporary files in\n`.orchestrator/`. A binary that only the settings of a project name is not run."
)]
pub struct DoctorArgs {}

/// Runs `boardsync doctor`.
pub fn run(context: &Context, _args: &DoctorArgs) -> Result<Exit, Failure> {
    let lock_options = |place: &_| context.lock_options(place);
    let inspection = Inspection::new(
        &context.env,
        &context.cwd,
        context.now,
        (context.global.vault.as_deref(), context.global.board()),
        &lock_options,
    );
    let mut findings = Findings::default();
    for check in CHECKS {
        check(&inspection, &mut findings);
    }
    let findings = findings.0;
    let is_well = findings.iter().all(Finding::is_well);
    if context.global.json {
        let objects: Vec<Value> = findings.iter().map(Finding::object).collect();
        print_json(&json!({ "ok": is_well, "checks": objects }))?;
    } else if !context.global.quiet {
        print(&findings.iter().map(Finding::line).collect::<String>())?;
    }
    Ok(if is_well { Exit::Success } else { Exit::Error })
}
