//! Two versions become a board that is read as it is, whichever comes first.
//!
//! The input is up to three texts, `\0` between them: base, ours, theirs.

use boardsync::Timestamp;
use boardsync::board::{
    Board, Condition, has_conflict, join_all, join_rows, merge_texts, repair, three_way,
};

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let now = Timestamp::from_millis(1_796_022_000_000);
    if let Ok(whole) = repair(text, now) {
        assert_eq!(Board::condition_of(&whole), Condition::Ours, "not a board");
        assert!(!has_conflict(&whole), "markers are left: {whole:?}");
        is_read_as_it_is(&whole, "repair");
    }
    let mut texts = text.split('\0');
    let [base, ours, theirs] = [(); 3].map(|()| texts.next().unwrap_or(""));
    let merged = merge_texts(base.as_bytes(), ours.as_bytes(), theirs.as_bytes(), now);
    let swapped = merge_texts(base.as_bytes(), theirs.as_bytes(), ours.as_bytes(), now);
    assert_eq!(merged.as_ref().ok(), swapped.as_ref().ok(), "sides matter");

    let [base, ours, theirs] = [base, ours, theirs].map(Board::parse);
    let boards = [
        three_way(&base, &ours, &theirs),
        join_all(&ours, &theirs),
        join_rows(&ours, &theirs),
    ];
    let rendered = boards.map(|board| board.render(now));
    let all_ours = ours.condition() == Condition::Ours && theirs.condition() == Condition::Ours;
    // Two open fences close each other, and nothing can be done about it.
    if !all_ours || is_open(ours) && is_open(theirs) {
        return;
    }
    for (text, what) in rendered.iter().zip(["three_way", "join_all", "join_rows"]) {
        is_read_as_it_is(text, what);
    }
    if let Ok(merged) = merged {
        assert_eq!(Board::condition_of(&merged), Condition::Ours, "not a board");
        is_read_as_it_is(&merged, "merge");
    }
}

fn is_read_as_it_is(text: &str, what: &str) {
    let board = Board::parse(text);
    let updated = board.updated().unwrap_or(Timestamp::from_millis(0));
    assert_eq!(board.render(updated), text, "{what} is not stable");
}

/// Tells whether a board ends in a code fence or comment.
fn is_open(board: Board<'_>) -> bool {
    let text = board.render(Timestamp::from_millis(0)) + "\n| Open | Status |\n|---|---|\n";
    !boardsync::board::tables(&text)
        .iter()
        .any(|placed| placed.table.header.contains("Open"))
}
