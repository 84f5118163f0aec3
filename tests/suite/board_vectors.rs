//! The peer's outputs, to be met byte for byte.

use boardsync::Timestamp;
use boardsync::board::{Board, Field, Fresh, Row, Status};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize)]
struct Vectors<C> {
    cases: Vec<C>,
}

#[derive(Deserialize)]
struct Rendered {
    name: String,
    rows: Vec<Cells>,
    now: String,
    created: Option<String>,
    board: String,
}

#[derive(Deserialize)]
struct Parsed {
    name: String,
    board: String,
    rows: Vec<Cells>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Cells {
    repo: String,
    key: Option<String>,
    status: String,
    session: Option<String>,
    branch: Option<String>,
    mode: Option<String>,
    heartbeat: Option<String>,
}

impl Cells {
    fn of(row: &Row<'_>) -> Self {
        let own = |field| row.get(field).map(Cow::into_owned);
        Self {
            repo: row.repo().into_owned(),
            key: own(Field::Key),
            status: row.get(Field::Status).unwrap_or_default().into_owned(),
            session: own(Field::Session),
            branch: own(Field::Branch),
            mode: own(Field::Mode),
            heartbeat: own(Field::Heartbeat),
        }
    }

    fn row(&self) -> Row<'static> {
        let text = |cell: &Option<String>| cell.clone().unwrap_or_default();
        Row::new(&self.repo, Status::Frei)
            .with(Field::Status, &self.status)
            .with(Field::Key, &text(&self.key))
            .with(Field::Session, &text(&self.session))
            .with(Field::Branch, &text(&self.branch))
            .with(Field::Mode, &text(&self.mode))
            .with(Field::Heartbeat, &text(&self.heartbeat))
    }
}

fn time(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("the vectors hold RFC 3339 times")
}

#[test]
fn renders_what_the_peer_renders() {
    let vectors: Vectors<Rendered> =
        serde_json::from_str(include_str!("../../fixtures/vectors/render.json"))
            .expect("the file is what this test reads");
    for case in vectors.cases {
        let now = time(&case.now);
        let mut board = Board::empty(case.created.as_deref().map_or(now, time));
        let rows = case.rows.iter().map(|cells| Fresh::observed(cells.row()));
        board.upsert(&rows.collect::<Vec<_>>(), now);
        assert_eq!(board.render(now), case.board, "{}", case.name);
    }
}

#[test]
fn parses_what_the_peer_parses() {
    let vectors: Vectors<Parsed> =
        serde_json::from_str(include_str!("../../fixtures/vectors/parse.json"))
            .expect("the file is what this test reads");
    for case in vectors.cases {
        let board = Board::parse(&case.board);
        let rows: Vec<_> = board.rows.iter().map(Cells::of).collect();
        assert_eq!(rows, case.rows, "{}", case.name);
    }
}
