//! Rows of one host that came with a board, before it was declared shared.

use super::fresh_row::RepoSources;
use crate::Timestamp;
use crate::board::{Board, Field};
use std::collections::HashMap;

/// Removes rows without a host that are no newer than this host's own.
///
/// They come back with a board that was copied before it was declared shared.
pub fn drop_adopted(repositories: &[RepoSources], board: &mut Board, host: &str) -> bool {
    if !board.is_shared() {
        return false;
    }
    let beats: HashMap<String, Option<Timestamp>> = board
        .rows
        .iter()
        .filter(|row| row.get(Field::Host).as_deref() == Some(host))
        .filter_map(|row| Some((row.get(Field::Key)?.into_owned(), row.heartbeat())))
        .collect();
    let is_ours = |key: &str| {
        repositories
            .iter()
            .any(|repository| repository.repo.key == key)
    };
    let before = board.rows.len();
    board.rows.retain(|row| match row.get(Field::Key) {
        Some(key) if row.get(Field::Host).is_none() && is_ours(&key) => {
            beats.get(&*key).is_none_or(|beat| row.is_later_than(*beat))
        }
        _ => true,
    });
    board.rows.len() != before
}
