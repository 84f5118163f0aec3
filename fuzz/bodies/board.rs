//! Any text is some board, and what is rendered is read back the same.

use boardsync::Timestamp;
use boardsync::board::{Board, Field, Fresh, Row, Status, tables};

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let now = Timestamp::from_millis(1_796_022_000_000);
    let mut board = Board::parse(text);
    assert_eq!(Board::condition_of(text), board.condition(), "two origins");
    let rendered = board.render(now);
    let again = Board::parse(&rendered);
    assert_eq!(again.rows.len(), board.rows.len(), "a row is lost or made");
    assert_eq!(again.render(now), rendered, "rendering is not stable");

    let row = Row::new("app", Status::InProgress).with(Field::Key, "1f2e3d4c");
    let fresh = [Fresh::observed(row)];
    board.upsert(&fresh, now);
    let updated = board.render(now);
    let mut again = Board::parse(&updated);
    assert!(
        !again.upsert(&fresh, now).changed,
        "an update changes twice"
    );
    assert_eq!(again.render(now), updated, "an update is not read back");

    for table in tables(text).iter().map(|placed| placed.table) {
        let ends = [table.before, table.header, table.delimiter];
        let parts = [ends.concat(), table.body.to_owned(), table.after.to_owned()];
        assert_eq!(parts.concat(), text, "a table is not a part of its note");
    }
}
