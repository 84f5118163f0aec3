//! How long one update of a board takes: `cargo bench --bench board`.
//!
//! Each measures what one process does to a board of so many rows: parse it,
//! put in one row, render it. The figures are per byte of the board.

use boardsync::Timestamp;
use boardsync::board::{Board, Field, Fresh, Row, Status, join};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

const ROWS: [usize; 5] = [50, 100, 1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-30T07:00:00.000Z").expect("is RFC 3339")
}

fn text(rows: usize) -> String {
    let mut board = Board::empty(now());
    for at in 0..rows {
        let status = [Status::InProgress, Status::Closed, Status::Frei][at % 3];
        board.rows.push(row(&format!("repo-{at:06}"), at, status));
    }
    board.render(now())
}

fn row(repo: &str, key: usize, status: Status) -> Row<'static> {
    Row::new(repo, status)
        .with(Field::Session, "main-2026-11-30-deep-1")
        .with(Field::Branch, "feature/board")
        .with(Field::Mode, "deep")
        .with(Field::Heartbeat, "2026-11-30T06:58:00.000Z")
        .with(Field::Key, &format!("{key:08x}"))
}

#[divan::bench(args = ROWS)]
fn parse(bencher: Bencher, rows: usize) {
    let text = text(rows);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| Board::parse(black_box(&text)).rows.len());
}

#[divan::bench(args = ROWS)]
fn update(bencher: Bencher, rows: usize) {
    let text = text(rows);
    let fresh = [Fresh::event(row("repo-000007", 7, Status::InProgress))];
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut board = Board::parse(black_box(&text));
        assert!(board.upsert(&fresh, now()).changed);
        board.render(now())
    });
}

#[divan::bench(args = ROWS)]
fn update_that_changes_nothing(bencher: Bencher, rows: usize) {
    let text = text(rows);
    let fresh = [Fresh::event(row("repo-000007", 7, Status::Closed))];
    let mut board = Board::parse(&text);
    board.upsert(&fresh, now());
    let text = board.render(now());
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut board = Board::parse(black_box(&text));
        assert!(!board.upsert(&fresh, now()).changed);
    });
}

#[divan::bench(args = ROWS)]
fn join_of_two(bencher: Bencher, rows: usize) {
    let text = text(rows);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let (displaced, ours) = (Board::parse(&text), Board::parse(black_box(&text)));
        join(&displaced, &ours, &[], now()).render(now())
    });
}
