//! Any text is some board, and what is rendered is read back the same.
#![no_main]

use boardsync::Timestamp;
use boardsync::board::{Board, join_all, three_way};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let now = Timestamp::from_millis(1_796_022_000_000);
    let board = Board::parse(text);
    let rendered = board.render(now);
    let again = Board::parse(&rendered);
    assert_eq!(again.rows.len(), board.rows.len(), "a row is lost or made");
    assert_eq!(again.render(now), rendered, "rendering is not stable");
    // Two documents in one input, for what takes two.
    if let Some(at) = text.find('\0') {
        let other = Board::parse(&text[at + 1..]);
        let _ = join_all(&board, &other).render(now);
        let _ = three_way(&Board::empty(now), &board, &other).render(now);
    }
});
