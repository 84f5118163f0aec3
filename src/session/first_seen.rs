//! Since when this host has known the heartbeats that are ahead of its clock.
//!
//! Another host's clock may be years ahead. The age of its heartbeat is unknown
//! then; what is known is for how long it has stayed the same.

use crate::Timestamp;
use crate::config::board_state_file;
use crate::disk::{Links, read_small, rewrite_private};
use std::collections::BTreeMap;
use std::path::Path;

/// The folder of these files, in the folder for state.
const FOLDER: &str = "first-seen";
/// The greatest size of one that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns when each of the heartbeats `ahead` of the board at `board` was first
/// seen, and remembers it; those that are there no more are forgotten.
///
/// What cannot be remembered was seen now: then its row is shown as it was.
pub fn first_seen(
    state_dir: &Path,
    board: &Path,
    ahead: Vec<String>,
    now: Timestamp,
) -> BTreeMap<String, Timestamp> {
    if ahead.is_empty() {
        return BTreeMap::new();
    }
    let file = board_state_file(state_dir, FOLDER, board);
    let read = read_small(&file, MAX_BYTES, Links::Refuse).ok().flatten();
    let known: BTreeMap<String, Timestamp> = read
        .and_then(|read| serde_json::from_slice(&read.bytes).ok())
        .unwrap_or_default();
    let seen: BTreeMap<String, Timestamp> = ahead
        .into_iter()
        .map(|heartbeat| {
            // Our own clock may have been ahead, too.
            let at = known.get(&heartbeat).map_or(now, |at| *at.min(&now));
            (heartbeat, at)
        })
        .collect();
    if seen != known {
        let steps = [
            "first-seen.create",
            "first-seen.write",
            "first-seen.replace",
        ];
        let _ = serde_json::to_vec(&seen).map(|bytes| rewrite_private(steps, &file, &bytes));
    }
    seen
}
