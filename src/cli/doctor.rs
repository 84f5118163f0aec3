//! `boardsync doctor`: looks at all that a board depends on, and changes nothing.
//!
//! One line a check. A check knows one thing, and says what to do about it.

mod board;
mod copies;
mod file_system;
mod git;
mod hooks;
mod ledger;
mod leftovers;
mod lock;
mod vault;

use super::context::Context;
use super::outcome::{Exit, Failure, print, print_json};
use crate::printable;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Display;

/// Is what `doctor` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync doctor\n  boardsync doctor --json\n\nExits 0 if nothing is to be done, else 1. Changes nothing on the disk: what it\ntries, it tries with temporaries in `.orchestrator/`. A binary that only the\nsettings of a project name is not run."
)]
pub struct DoctorArgs {}

/// Says how a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is well.
    Ok,
    /// It is good to know; nothing is to be done.
    Note,
    /// Something is to be done.
    Warn,
    /// The board does not work until something is done.
    Fail,
}

/// Is what one check found.
pub struct Check {
    id: &'static str,
    mark: Mark,
    text: String,
    advice: Option<String>,
}

impl Check {
    /// Makes a check that found nothing wrong.
    pub fn ok(id: &'static str, text: impl Display) -> Self {
        Self::new(id, Mark::Ok, text, None)
    }

    /// Makes a check that found something worth knowing.
    pub fn note(id: &'static str, text: impl Display) -> Self {
        Self::new(id, Mark::Note, text, None)
    }

    /// Makes a check that found something to do.
    pub fn warn(id: &'static str, text: impl Display, advice: impl Display) -> Self {
        Self::new(id, Mark::Warn, text, Some(advice.to_string()))
    }

    /// Makes a check that found why nothing works.
    pub fn fail(id: &'static str, text: impl Display, advice: impl Display) -> Self {
        Self::new(id, Mark::Fail, text, Some(advice.to_string()))
    }

    fn new(id: &'static str, mark: Mark, text: impl Display, advice: Option<String>) -> Self {
        Self {
            id,
            mark,
            text: text.to_string(),
            advice,
        }
    }

    fn line(&self) -> String {
        let mark = match self.mark {
            Mark::Ok => "ok   ",
            Mark::Note => "note ",
            Mark::Warn => "warn ",
            Mark::Fail => "FAIL ",
        };
        let text = printable(&self.text, 600);
        let advice = match &self.advice {
            Some(advice) => format!("; {}", printable(advice, 300)),
            None => String::new(),
        };
        format!("{mark} {:<16} {text}{advice}\n", self.id)
    }

    fn object(&self) -> Value {
        let mark = match self.mark {
            Mark::Ok => "ok",
            Mark::Note => "note",
            Mark::Warn => "warn",
            Mark::Fail => "fail",
        };
        json!({ "id": self.id, "mark": mark, "text": self.text, "advice": self.advice })
    }
}

/// Runs `boardsync doctor`.
pub fn run(context: &Context, _args: &DoctorArgs) -> Result<Exit, Failure> {
    let mut checks = Vec::new();
    if let Some(place) = vault::check(context, &mut checks) {
        // First what must not see the temporaries of what follows.
        let leftovers = leftovers::check(context, &place);
        let clock = file_system::check(&place, &mut checks);
        checks.extend(leftovers);
        let is_foreign = lock::check(context, &place, clock, &mut checks);
        let has_copies = copies::check(&place, &mut checks);
        board::check(context, &place, is_foreign || has_copies, &mut checks);
        git::check(context, &place, &mut checks);
    }
    hooks::check(context, &mut checks);
    ledger::check(context, &mut checks);

    let is_well = checks
        .iter()
        .all(|check| matches!(check.mark, Mark::Ok | Mark::Note));
    if context.global.json {
        let objects: Vec<Value> = checks.iter().map(Check::object).collect();
        print_json(&json!({ "ok": is_well, "checks": objects }))?;
    } else if !context.global.quiet {
        print(&checks.iter().map(Check::line).collect::<String>())?;
    }
    Ok(if is_well { Exit::Success } else { Exit::Error })
}
