//! `boardsync row`: one row of one table in any note of the vault.

use super::context::Context;
use super::edit::under_lock;
use super::outcome::{Exit, Failure, print, print_json, warn};
use super::report::report;
use crate::board::{cells, to_text};
use crate::commit::End;
use crate::config::vault::BoardPlace;
use crate::edit::{Action, Report, run_document};
use crate::note::{Cell, NotFound, NoteDocument, RowChange, RowEdit, Wanted};
use crate::printable::printable;
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

/// The arguments of `row`.
#[derive(Debug, Args)]
pub struct RowArgs {
    #[command(subcommand)]
    command: RowCommand,
}

#[derive(Debug, Subcommand)]
enum RowCommand {
    /// Set cells of a row, or append it to its table
    #[command(
        after_help = "Example:\n  boardsync row set --board tasks.md --key Task=release --set State=done --set By=me\n\nThe note must exist. Only the row changes; all other bytes stay the same."
    )]
    Set {
        #[command(flatten)]
        row: Which,
        /// A cell to set, COLUMN=VALUE
        #[arg(long, value_name = "CELL", value_parser = parse_cell)]
        set: Vec<Cell>,
    },
    /// Print the cells of a row; exits 1 if no row matches
    #[command(
        after_help = "Example:\n  boardsync row get --board tasks.md --key Task=release --json"
    )]
    Get {
        #[command(flatten)]
        row: Which,
    },
    /// Remove a row; does nothing if no row matches
    #[command(after_help = "Example:\n  boardsync row remove --board tasks.md --key Task=release")]
    Remove {
        #[command(flatten)]
        row: Which,
    },
}

/// The options that choose a row.
#[derive(Debug, Args)]
struct Which {
    /// The heading above the table
    #[arg(long, value_name = "HEADING")]
    table: Option<String>,
    /// A cell that identifies the row, COLUMN=VALUE
    #[arg(long, required = true, value_name = "CELL", value_parser = parse_cell)]
    key: Vec<Cell>,
}

impl Which {
    fn wanted(&self) -> Wanted {
        Wanted {
            table: self.table.clone(),
            key: self.key.clone(),
        }
    }
}

fn parse_cell(text: &str) -> Result<Cell, String> {
    match text.split_once('=') {
        Some((column, text)) if !column.trim().is_empty() => Ok(Cell::new(column, text)),
        _ => Err("expected COLUMN=VALUE".to_owned()),
    }
}

/// Runs `boardsync row`.
pub fn run(context: &Context, args: &RowArgs) -> Result<Exit, Failure> {
    if context.global.board.is_none() {
        return Err(Failure::Usage(
            "`row` needs --board, a note's path in the vault".to_owned(),
        ));
    }
    let place = context.place()?;
    match &args.command {
        RowCommand::Get { row } => get(context, &place, &row.wanted()),
        RowCommand::Remove { row } => change(context, &place, row.wanted(), RowChange::Remove),
        RowCommand::Set { row, set } => {
            let is_key = |cell: &&Cell| {
                let column = cell.column.to_lowercase();
                row.key
                    .iter()
                    .any(|key| key.column.to_lowercase() == column)
            };
            if let Some(cell) = set.iter().find(is_key) {
                return Err(Failure::Usage(format!(
                    "`{}` is given as both --key and --set; a key cell cannot be set",
                    cell.column
                )));
            }
            change(context, &place, row.wanted(), RowChange::Set(set.clone()))
        }
    }
}

fn change(
    context: &Context,
    place: &BoardPlace,
    row: Wanted,
    change: RowChange,
) -> Result<Exit, Failure> {
    let asked = RowEdit { row, change };
    let mut document = NoteDocument::new(place, &asked);
    let (end, lock) = under_lock(context, place, |options| {
        run_document(&options, &mut document)
    })?;
    for kept in document.kept() {
        warn(&format!(
            "a process was killed while it wrote `{}`; lines that may be missing from it are in `{}`",
            place.board.display(),
            kept.display()
        ));
    }
    let action = match end {
        End::Written => Action::Written,
        End::Unchanged => Action::SkippedNoop,
        End::Refused(why) => return Err(Failure::Error(refused(place, &why))),
    };
    let done = Report {
        lock: Some(lock),
        ..Report::new(action, &place.board)
    };
    match document.missed() {
        Some(why) => Err(Failure::Error(refused(place, &why))),
        None => report(context, &done),
    }
}

fn refused(place: &BoardPlace, why: &NotFound) -> String {
    format!("`{}` was not changed: {why}", place.board.display())
}

fn get(context: &Context, place: &BoardPlace, wanted: &Wanted) -> Result<Exit, Failure> {
    let path = place.board.display();
    let failed = |why: &dyn std::fmt::Display| Failure::Error(format!("`{path}`: {why}"));
    let contents = place
        .read()
        .map_err(|error| failed(&error))?
        .ok_or_else(|| failed(&"the note does not exist"))?;
    let text = to_text(&contents.bytes).map_err(|_| failed(&NotFound::NotText))?;
    let found = wanted.table(&text, &[]).map_err(|why| failed(&why))?;
    let rows = found.rows(&wanted.key);
    if rows.is_empty() {
        return Err(failed(&"no row has that key"));
    }
    let row = |line| found.titles().iter().zip(cells(line));
    if context.global.json {
        let object = |line| {
            let cells = row(line).map(|(title, cell)| (title.to_string(), Value::from(cell)));
            cells.collect::<Map<_, _>>()
        };
        let rows: Vec<_> = rows.into_iter().map(|(_, line)| object(line)).collect();
        print_json(&json!({
            "path": place.board.to_string_lossy(), "table": found.heading, "rows": rows,
        }))?;
    } else {
        let blocks = rows.into_iter().map(|(_, line)| {
            let cells = row(line);
            let shown = cells.map(|(title, cell)| {
                format!("{}: {}\n", printable(title, 100), printable(&cell, 2_000))
            });
            shown.collect::<String>()
        });
        print(&blocks.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Success)
}
