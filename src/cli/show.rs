//! `boardsync show`: the board, for people and for programs.
//!
//! A terminal gets a table that fits it, everything else one line per row.

mod cell;
mod filter;
mod fit;
mod item;
mod json;
mod page;
mod plain;
mod selection;
mod session;
mod snapshot;
mod state;
mod table;
mod view;

pub use cell::cut;
pub use json::object;
pub use page::{Page, page};
pub use plain::plain;
pub use selection::Selection;
pub use session::Session;
pub use snapshot::Snapshot;
pub use state::{Counts, State};
pub use view::View;

use super::context::Context;
use super::lock;
use super::outcome::{Exit, Failure, print, print_json, warn};
use super::terminal::Terminal;
use clap::Args;
use serde_json::Value;

/// The arguments of `show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  boardsync show
  boardsync show --filter state=waiting
  boardsync show --since 12h --sort seen
  boardsync show | cut -f1,9

Sessions that wait for you come first, then silent, working, idle and closed ones. What
this host's sessions reported through their hooks is shown even before the board is
written. The row of a folder names the session that most needs you; its other sessions
have a line each. Closed rows for which the terminal is too low are only counted, unless
rows are picked or sorted.

The state of a row is the activity of its session where that is known (waiting, working
or idle), else the status that the board has (in-progress, closed, force-closed or
frei, which is free). A session is silent that should run but has reported nothing for
30 min while it worked (4 h if its hooks do not run on this host); it has died if its
process is gone.

The keys of --filter are state, repo, status, session, branch, mode, key and host. Values
of one key are alternatives, all keys must match, and `branch=` is an absent cell.

To a pipe or a file it writes one line per row, with uncut cells separated by tabs:
Repo, Status, Session, Branch, Mode, Last heartbeat, Key, Host, State, Path, then the
columns that others have added. NO_COLOR and TERM=dumb turn colours off.")]
pub struct ShowArgs {
    #[command(flatten)]
    pub selection: Selection,
}

/// Runs `boardsync show`.
pub fn run(context: &Context, args: &ShowArgs) -> Result<Exit, Failure> {
    let place = context.place()?;
    let snapshot = Snapshot::take(context, &place, context.now)?;
    let view = snapshot.view(&args.selection);
    if context.global.json {
        let mut object = object(&view);
        object["lock"] = view.lock.map_or(Value::Null, lock::describe);
        print_json(&object)?;
    } else if context.global.quiet {
        return Ok(Exit::Success);
    } else if let Some(terminal) = Terminal::of_stdout(&context.env) {
        let mut page = page(&view, &terminal);
        if args.selection.is_default() {
            page = page.without_ended(&view, &terminal);
        }
        let Page { mut head, body } = page;
        head.extend(body);
        print(&(head.join("\n") + "\n"))?;
    } else {
        print(&plain(&view))?;
        // Not among the rows: they come and go with every update.
        let lock = view.lock.map(|lock| page::lock_line(lock, context.now));
        lock.iter()
            .chain(&view.troubles)
            .for_each(|line| warn(line));
    }
    Ok(Exit::Success)
}
