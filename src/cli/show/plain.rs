//! The board for pipes: a line a row, all cells, nothing that changes by itself.

use super::snapshot::View;
use crate::board::{ABSENT, Field};
use crate::printable;

/// Gives the rows as lines of cells parted by tabs, below a line of titles.
///
/// A cell cannot hold a tab: what a terminal would act on is shown as `·`.
pub fn plain(view: &View) -> String {
    let mut text = String::with_capacity(128 * (view.board.rows.len() + 1));
    let titles = Field::ALL.map(Field::title);
    line(
        &mut text,
        titles.into_iter().chain(view.board.extra_titles()),
    );
    for row in view.rows() {
        let known = Field::ALL
            .iter()
            .map(|&field| row.get(field).unwrap_or(ABSENT));
        line(&mut text, known.chain(row.extra.iter().map(|cell| &**cell)));
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
