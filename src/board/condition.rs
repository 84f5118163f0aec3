//! Whether a document at the board's path may be written.

use super::columns::Columns;
use super::frontmatter::{Frontmatter, GENERATOR};
use super::markers::has_conflict;
use super::shown_lines::{ShownLines, ends_hidden};
use super::slot::key;
use super::table::{Table, cells, is_row};

/// The condition of a document at the board's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A generator wrote it, and may write it again.
    Ours,
    /// A person wrote it.
    Handwritten,
    /// It is ours, but has conflict markers of git or jj.
    Conflicted,
    /// It is ours, but a row or the head of its table stands outside of any
    /// table: whoever writes it would give it a second one.
    Damaged {
        /// The number of that line, from 1.
        line: usize,
    },
    /// It has more than [`MAX_CELLS`] cells, and is not read.
    TooManyCells,
}

/// The most cells of a document that is read as a board: eight for each row of
/// the greatest board.
///
/// A cell of one byte takes 24 bytes of memory: without this limit a board full of
/// pipes would cost each hook 100 MiB.
pub const MAX_CELLS: usize = 512 * 1024;

/// The reason why a board of ours must not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    Damage { line: usize },
    Conflict,
    Cells,
}

/// Returns the condition of a document with this fault and frontmatter.
pub(super) fn condition(fault: Option<Fault>, frontmatter: &Frontmatter<'_>) -> Condition {
    let is_ours = frontmatter.value("_generator").as_deref() == Some(GENERATOR);
    match fault {
        Some(Fault::Cells) => Condition::TooManyCells,
        Some(Fault::Conflict) => Condition::Conflicted,
        _ if !is_ours => Condition::Handwritten,
        Some(Fault::Damage { line }) => Condition::Damaged { line },
        None => Condition::Ours,
    }
}

/// Returns whether a text has more cells than any board.
pub(super) fn has_too_many_cells(text: &str) -> bool {
    text.len() > MAX_CELLS && text.bytes().filter(|byte| *byte == b'|').count() > MAX_CELLS
}

/// Finds what keeps a text from being written, if it is a board of ours.
///
/// `body` is what follows its frontmatter, and `table` the board's table in it.
pub(super) fn fault(text: &str, body: &str, table: Option<&Table<'_>>) -> Option<Fault> {
    // The generator may stand anywhere, for a conflict may have torn the
    // frontmatter apart.
    if has_conflict(text) && text.contains(GENERATOR) {
        return Some(Fault::Conflict);
    }
    let stray = match table {
        Some(table) => stray_row(table.before).or_else(|| stray_row(table.after)),
        None => body.split_inclusive('\n').find(|line| is_of_a_board(line)),
    }?;
    let before = stray.as_ptr() as usize - text.as_ptr() as usize;
    let line = text[..before].matches('\n').count() + 1;
    Some(Fault::Damage { line })
}

/// Finds a row of ours that a person sees outside of any table.
///
/// What is hidden to the very end may be hidden by mistake, and counts too.
fn stray_row(text: &str) -> Option<&str> {
    let mut rest = text;
    while rest.contains('|') {
        let table = Table::find(rest, |_| true);
        let outside = table.map_or(rest, |table| table.before);
        let all = table.is_none() && ends_hidden(outside);
        let mut shown = ShownLines::default();
        let stray = outside
            .split_inclusive('\n')
            .find(|line| (shown.takes(line) || all) && is_row_of_ours(line));
        if stray.is_some() {
            return stray;
        }
        rest = table?.after;
    }
    None
}

fn is_of_a_board(line: &str) -> bool {
    is_row_of_ours(line) || is_row(line) && Columns::are_a_boards(&cells(line).collect::<Vec<_>>())
}

/// Returns whether a line looks like a row of a board: a key of ours is in its
/// last or last but one cell.
fn is_row_of_ours(line: &str) -> bool {
    if !is_row(line) {
        return false;
    }
    let cells: Vec<_> = cells(line).collect();
    cells.len() > 3 && cells.iter().rev().take(2).any(|cell| key(cell).is_some())
}
