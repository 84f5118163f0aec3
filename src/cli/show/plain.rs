//! The board for pipes: one line per row, all cells, no ages.

use super::view::View;
use crate::board::{ABSENT, Field};
use crate::printable::printable;

/// Returns the rows as lines of cells separated by tabs, below a line of titles.
///
/// A cell cannot hold a tab: what a terminal would act on is shown as `·`.
pub fn plain(view: &View) -> String {
    let mut text = String::with_capacity(160 * (view.items.len() + 1));
    let titles = Field::ALL.iter().map(|field| field.title());
    line(
        &mut text,
        titles
            .chain(["State", "Path"])
            .chain(view.board.extra_titles()),
    );
    for item in &view.items {
        let known = Field::ALL.map(|field| item.cell(field).unwrap_or(ABSENT.into()));
        let known = known.iter().map(|cell| &**cell);
        let path = item.path().map(|path| path.to_string_lossy());
        let derived = [item.state.word(), path.as_deref().unwrap_or(ABSENT)];
        let extra = item.row.extra().iter().map(|cell| &**cell);
        line(&mut text, known.chain(derived).chain(extra));
    }
    text
}

fn line<'c>(text: &mut String, cells: impl Iterator<Item = &'c str>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push('\t');
        }
        text.push_str(&printable(cell, usize::MAX / 4));
    }
    text.push('\n');
}
