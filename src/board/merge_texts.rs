//! Merging whole boards: two versions in git, or in one conflicted file.
//!
//! No result has conflict markers, and none lacks a line or a row that both
//! sides have: a board must stay readable for everyone.

use super::bytes::to_text;
use super::condition::Condition;
use super::join::join_all;
use super::markers::sides;
use super::read::Board;
use super::three_way::three_way;
use crate::Timestamp;

/// The error for a version that cannot be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmergeable {
    /// Whether it is the first of the two.
    pub is_ours: bool,
    /// Why not.
    pub why: NotABoard,
}

/// The reason why a content is not a version of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotABoard {
    /// It is UTF-16, or has a NUL.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It has more cells than any board.
    #[error("it has more cells than any board")]
    TooManyCells,
    /// No generator of boards wrote it.
    #[error("it is not a board of ours")]
    Handwritten,
    /// It has conflict markers that make no sense.
    #[error("its conflict markers do not pair up")]
    Torn,
    /// A row stands outside of its table.
    #[error("line {0} is a row outside of its table")]
    Damaged(usize),
}

/// Merges two versions of a board that both started from `base`.
///
/// Bytes that are not UTF-8 are in the result as [`to_text`] reads them.
/// A base that is not a board (empty, say, where both sides added theirs) is not an
/// ancestor: then the newest of each row and the lines of both sides stay. A
/// side that was committed with conflict markers is repaired first.
///
/// # Errors
///
/// A side is not a board of ours, or the result would be none.
pub fn merge_texts(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    now: Timestamp,
) -> Result<String, Unmergeable> {
    let side = |bytes, is_ours| board(bytes, now).map_err(|why| Unmergeable { is_ours, why });
    let (ours, theirs) = (side(ours, true)?, side(theirs, false)?);
    let base = board(base, now).unwrap_or_default();
    let merged = three_way(
        &Board::parse(&base),
        &Board::parse(&ours),
        &Board::parse(&theirs),
    );
    // Halves of one conflict, a line on each side, would be a whole one.
    written(&merged, now).map_err(|why| Unmergeable { is_ours: true, why })
}

/// Takes the conflict markers out of a board by merging what they keep apart.
///
/// # Errors
///
/// They do not pair up, or the result is not a board of ours.
pub fn repair(text: &str, now: Timestamp) -> Result<String, NotABoard> {
    let sides = sides(text).ok_or(NotABoard::Torn)?;
    let (ours, theirs) = (Board::parse(&sides.ours), Board::parse(&sides.theirs));
    if ours.condition() == Condition::Handwritten && theirs.condition() == Condition::Handwritten {
        // Put together, the prose of two notes can look like our frontmatter.
        return Err(NotABoard::Handwritten);
    }
    let merged = match &sides.base {
        Some(base) => three_way(&Board::parse(base), &ours, &theirs),
        None => join_all(&ours, &theirs),
    };
    written(&merged, now)
}

/// Writes a merged board, if it is one that can be merged again.
fn written(merged: &Board<'_>, now: Timestamp) -> Result<String, NotABoard> {
    let text = merged.render(merged.updated().unwrap_or(now));
    match Board::condition_of(&text) {
        Condition::Ours => Ok(text),
        Condition::Handwritten => Err(NotABoard::Handwritten),
        Condition::Conflicted => Err(NotABoard::Torn),
        Condition::Damaged { line } => Err(NotABoard::Damaged(line)),
        Condition::TooManyCells => Err(NotABoard::TooManyCells),
    }
}

/// Reads a version of a board; one with conflict markers is repaired.
fn board(bytes: &[u8], now: Timestamp) -> Result<String, NotABoard> {
    let text = to_text(bytes).map_err(|_| NotABoard::NotText)?;
    match Board::condition_of(&text) {
        Condition::Ours => Ok(text.into_owned()),
        Condition::Conflicted => repair(&text, now),
        Condition::Handwritten => Err(NotABoard::Handwritten),
        Condition::Damaged { line } => Err(NotABoard::Damaged(line)),
        Condition::TooManyCells => Err(NotABoard::TooManyCells),
    }
}

#[cfg(test)]
mod tests {
    use super::{NotABoard, merge_texts, repair};
    use crate::Timestamp;

    const NOW: Timestamp = Timestamp::from_millis(0);
    const FRONT: &str = "---\n_generator: session-orchestrator-active-sessions@1\n";

    #[test]
    fn halves_of_a_conflict_are_not_put_together() {
        let side = |line: &str| format!("{FRONT}---\n{line}\n");
        let [ours, theirs] = ["<<<<<<< a", ">>>>>>> b"].map(side);
        let merged = merge_texts(b"", ours.as_bytes(), theirs.as_bytes(), NOW);
        assert_eq!(merged.map_err(|error| error.why), Err(NotABoard::Torn));
    }

    #[test]
    fn two_notes_do_not_become_a_board() {
        let notes = format!("{FRONT}<<<<<<< a\n=======\n```\n>>>>>>> b\n");
        assert_eq!(repair(&notes, NOW), Err(NotABoard::Handwritten));
    }
}
