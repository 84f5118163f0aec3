//! `boardsync show`: the board, for people and for programs.
//!
//! A terminal gets a table that fits it, everything else lines that stay the
//! same as long as the board does.

mod cell;
mod filter;
mod fit;
mod json;
mod plain;
mod snapshot;
mod table;

pub use filter::Filter;
pub use json::object;
pub use plain::plain;
pub use snapshot::Snapshot;
pub use table::lines;

use super::context::Context;
use super::lock;
use super::outcome::{Exit, Failure, print, print_json, warn};
use super::terminal::Terminal;
use clap::Args;
use serde_json::Value;

/// Is what `show` takes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  boardsync show\n  boardsync show --filter status=in-progress\n  boardsync show | cut -f1,4\n\nThe keys of --filter are repo, status, session, branch, mode, key and host. Values\nof one key are alternatives, all keys must match, and `branch=` is an absent cell.\n\nInto a pipe or a file it writes one line a row, its cells uncut and parted by\ntabs: Repo, Status, Session, Branch, Mode, Last heartbeat, Key, Host, then the\ncolumns that others have added. NO_COLOR and TERM=dumb turn colours off."
)]
pub struct ShowArgs {
    #[command(flatten)]
    pub filters: Filters,
}

/// Picks the rows that are shown.
#[derive(Debug, Args)]
pub struct Filters {
    /// Only rows with this cell, like status=closed; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = Filter::parse)]
    pub filter: Vec<Filter>,
}

/// Runs `boardsync show`.
pub fn run(context: &Context, args: &ShowArgs) -> Result<Exit, Failure> {
    let place = context.place()?;
    let snapshot = Snapshot::take(context, &place, context.now)?;
    let view = snapshot.view(&args.filters.filter);
    if context.global.json {
        let mut object = object(&view);
        object["lock"] = view.lock.map_or(Value::Null, lock::describe);
        print_json(&object)?;
    } else if context.global.quiet {
        return Ok(Exit::Success);
    } else if let Some(terminal) = Terminal::of_stdout(&context.env) {
        let mut text = lines(&view, &terminal).join("\n");
        text.push('\n');
        print(&text)?;
    } else {
        print(&plain(&view))?;
        if let Some(lock) = view.lock {
            // Not among the rows: it comes and goes with every update.
            warn(&table::lock_line(lock, context.now));
        }
    }
    Ok(Exit::Success)
}
