//! What holds for all boards, whoever wrote them.

use boardsync::Timestamp;
use boardsync::board::{
    ABSENT, Board, Condition, Field, Fresh, Row, Slot, Status, join, join_all, join_rows, three_way,
};
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeSet;

const NOW: &str = "2026-11-30T07:00:00.000Z";

fn now() -> Timestamp {
    Timestamp::parse(NOW).expect("is RFC 3339")
}

/// Cells that are hard to keep, and any others.
fn text() -> impl Strategy<Value = String> {
    let hard = prop::sample::select(vec![
        "|",
        "\\|",
        "\\",
        "—",
        "---",
        ":-:",
        "Repo",
        "Status",
        "`a|b`",
        "<!--",
        "```",
        "# x",
        "ä",
        "Z",
        "a\nb",
        "\r\n",
        "\u{202e}x",
        "\u{85}",
        " x ",
        "<<<<<<< a",
        "$&",
        "",
    ]);
    prop_oneof![
        3 => prop::collection::vec(hard, 1..4).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
        2 => "[a-cA-C]{1,2}",
    ]
}

/// Gives the slot of a row on a board that is not shared.
fn slot<'r>(row: &'r Row<'_>) -> Slot<'r> {
    Board::empty(Timestamp::from_millis(0)).slot_of(row)
}

fn heartbeat() -> impl Strategy<Value = String> {
    let near = (0i64..16).prop_map(|hours| {
        let time = Timestamp::from_millis(now().as_millis() - hours * 30 * 60 * 1000);
        time.to_string()
    });
    prop_oneof![6 => near, 1 => Just(String::new()), 1 => Just("yesterday".to_owned())]
}

fn row() -> impl Strategy<Value = Row<'static>> {
    let status = prop::sample::select(vec![
        "in-progress",
        "in-progress",
        "force-closed",
        "closed",
        "frei",
        "paused",
    ]);
    let key = prop::sample::select(vec!["", "00000001", "00000002", "00000003", "00000004"]);
    (text(), status, text(), text(), heartbeat(), key).prop_map(
        |(repo, status, session, branch, heartbeat, key)| {
            Row::new(&repo, Status::Frei)
                .with(Field::Status, status)
                .with(Field::Session, &session)
                .with(Field::Branch, &branch)
                .with(Field::Heartbeat, &heartbeat)
                .with(Field::Key, key)
        },
    )
}

fn fresh() -> impl Strategy<Value = Vec<Fresh>> {
    let one = (row(), any::<bool>()).prop_map(|(row, explicit)| {
        if explicit {
            Fresh::event(row)
        } else {
            Fresh::observed(row)
        }
    });
    prop::collection::vec(one, 0..6)
}

/// A board as a peer would have it after some updates.
fn board() -> impl Strategy<Value = String> {
    prop::collection::vec(row(), 0..8).prop_map(|rows| written(&rows))
}

fn written(rows: &[Row<'static>]) -> String {
    let mut board = Board::empty(now());
    let fresh = rows.iter().map(|row| Fresh::observed(row.clone()));
    board.upsert(&fresh.collect::<Vec<_>>(), now());
    board.render(now())
}

/// Notes put together from what a markdown reader looks at.
fn fragments() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "---\n",
        "---\r\n",
        "_generator: session-orchestrator-active-sessions@1\n",
        "updated: x\n",
        "created: 2026-11-30T05:00:00.000Z\n",
        "\u{feff}",
        "\n",
        "\r\n",
        "text\n",
        "| Repo | Status |\n",
        "| Repo | Status | Note | Key |\n",
        "|---|:-:|\n",
        "---|---|--\n",
        "| app | in-progress | x | 00000001 |\n",
        "| a\\|b | closed |\r\n",
        "c | d\n",
        "|\n",
        "| lib |",
        "```\n",
        "~~~\n",
        "> ```\n",
        "- ```\n",
        "  ```\n",
        "<!--",
        "-->\n",
        "    ",
        "=======\n",
        "<<<<<<< ours\n",
        ">>>>>>> theirs\n",
        "\\|",
        "|",
        "\t",
        "—",
        "é",
    ]);
    prop::collection::vec(fragment, 0..16).prop_map(|parts| parts.concat())
}

/// Notes of that kind that are ours, as only those are ever merged.
fn ours() -> impl Strategy<Value = String> {
    let frontmatter = prop::sample::select(vec![
        "---\n_generator: session-orchestrator-active-sessions@1\n---\n",
        "\u{feff}---\r\n_generator: 'session-orchestrator-active-sessions@1' # x\r\nid: x\r\n---\r\n",
        "---\ntags: a\n_generator: session-orchestrator-active-sessions@1\ncreated: x\n---\n",
        "---\ntags: b\n_generator: session-orchestrator-active-sessions@1\nupdated: 2026-11-30T05:00:00.000Z\n---\n",
    ]);
    (frontmatter, fragments()).prop_map(|(start, rest)| start.to_owned() + &rest)
}

/// Tells whether a text ends in a code fence or comment, without a table.
fn is_open(text: &str) -> bool {
    let longer = text.to_owned() + "\n\n| Repo | Status |\n|---|---|\n| end | x |\n";
    Board::parse(&longer).rows.is_empty()
}

/// The known cells of a row: what a join decides on.
fn known(row: &Row<'_>) -> Vec<Option<String>> {
    let cell = |field| row.get(field).map(Cow::into_owned);
    Field::ALL.into_iter().map(cell).collect()
}

fn rows(board: &Board<'_>) -> BTreeSet<Vec<Option<String>>> {
    board.rows.iter().map(known).collect()
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines()
        .map(|line| line.trim_start_matches('\u{feff}').trim())
        .filter(|line| !line.is_empty())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn what_is_rendered_is_read(rows in prop::collection::vec(row(), 0..8)) {
        let mut board = Board::empty(now());
        board.rows.extend(rows.clone());
        let text = board.render(now());
        let read = Board::parse(&text);
        prop_assert_eq!(read.condition(), Condition::Ours);
        prop_assert_eq!(read.rows.len(), rows.len());
        for row in &rows {
            prop_assert!(read.rows.contains(row), "{:?} is not in\n{}", row, text);
        }
        prop_assert_eq!(read.render(now()), text);
    }

    #[test]
    fn a_gfm_reader_sees_the_same_table(rows in prop::collection::vec(row(), 0..8)) {
        let mut board = Board::empty(now());
        board.rows.extend(rows.clone());
        let text = board.render(now());
        // Readers pad and cut rows: only the last cell shows that none is split.
        let key = |row: &Row<'_>| row.get(Field::Key).as_deref().unwrap_or(ABSENT).to_owned();
        let mut expected: Vec<_> = rows.iter().map(|row| (7, key(row))).collect();
        expected.push((7, "Key".to_owned()));
        let mut seen = gfm_rows(&text);
        expected.sort();
        seen.sort();
        prop_assert_eq!(seen, expected, "{}", text);
    }

    #[test]
    fn an_upsert_is_idempotent(text in board(), fresh in fresh()) {
        let mut board = Board::parse(&text);
        board.upsert(&fresh, now());
        let once = board.render(now());
        let mut again = Board::parse(&once);
        prop_assert!(!again.upsert(&fresh, now()).changed, "{}", once);
        prop_assert_eq!(again.render(now()), once);
    }

    #[test]
    fn an_upsert_says_whether_it_changed_anything(text in board(), fresh in fresh()) {
        let before = Board::parse(&text);
        let mut after = before.clone();
        let merged = after.upsert(&fresh, now());
        prop_assert_eq!(merged.changed, after.rows != before.rows);
        let kept = |row: &Row<'_>| after.rows.iter().any(|other| {
            slot(other) == slot(row) || fresh.iter().any(|f| {
                slot(&f.row) == slot(other) && f.row.repo().to_lowercase() == row.repo().to_lowercase()
            })
        });
        prop_assert!(before.rows.iter().all(kept), "a slot is gone");
    }

    #[test]
    fn a_join_does_not_depend_on_its_order(a in board(), b in board(), c in board()) {
        let [a, b, c] = [&a, &b, &c].map(|text| Board::parse(text));
        prop_assert_eq!(rows(&join_rows(&a, &b)), rows(&join_rows(&b, &a)));
        prop_assert_eq!(rows(&join_rows(&a, &a)), rows(&a));
        let left = join_rows(&join_rows(&a, &b), &c);
        let right = join_rows(&a, &join_rows(&b, &c));
        prop_assert_eq!(rows(&left), rows(&right));
        prop_assert_eq!(left.render(now()), right.render(now()));
    }

    #[test]
    fn a_join_keeps_every_slot_and_our_fresh_rows(a in board(), b in board(), fresh in fresh()) {
        let displaced = Board::parse(&a);
        let mut ours = Board::parse(&b);
        ours.upsert(&fresh, now());
        let slots: Vec<Slot<'_>> = fresh.iter().map(|fresh| slot(&fresh.row)).collect();
        let joined = join(&displaced, &ours, &slots, now());
        for row in &ours.rows {
            let Some(found) = joined.prior(&slot(row)) else {
                return Err(TestCaseError::fail(format!("{row:?} is gone")));
            };
            if slots.contains(&slot(row)) {
                prop_assert_eq!(known(found), known(row));
            }
        }
        for row in &displaced.rows {
            let adopted = slots.iter().any(|slot| ours.prior(slot).is_some_and(
                |ours| ours.repo().to_lowercase() == row.repo().to_lowercase()));
            prop_assert!(joined.prior(&slot(row)).is_some() || row.get(Field::Key).is_none() && adopted);
        }
    }

    #[test]
    fn a_three_way_merge_keeps_every_change(
        base in board(), ours in fresh(), theirs in fresh(), deleted in any::<prop::sample::Index>(),
    ) {
        let base = Board::parse(&base);
        let [mut one, mut other] = [base.clone(), base.clone()];
        one.upsert(&ours, now());
        other.upsert(&theirs, now());
        if !one.rows.is_empty() {
            one.rows.remove(deleted.index(one.rows.len()));
        }
        let merged = three_way(&base, &one, &other);
        prop_assert_eq!(merged.render(now()), three_way(&base, &other, &one).render(now()));
        let row = |board: &Board<'_>, slot: &Slot<'_>| board.prior(slot).map(known);
        let boards = [&base, &one, &other];
        let slots: BTreeSet<_> = boards.iter().flat_map(|b| b.rows.iter()).map(|r| slot(r)).collect();
        for slot in &slots {
            let [was, a, b, is] = [&base, &one, &other, &merged].map(|board| row(board, slot));
            let expected = if a == was { vec![b] } else if b == was { vec![a] } else {
                vec![a, b].into_iter().filter(Option::is_some).collect()
            };
            prop_assert!(expected.contains(&is) || expected.is_empty() && is.is_none(), "{:?}", slot);
        }
    }

    #[test]
    fn a_merge_with_an_unchanged_side_is_the_other_side(
        a in board(), b in board(), prose in "[a-c\n]{0,9}", other_prose in "[a-c\n]{0,9}",
    ) {
        let [a, b] = [a + "\n" + &prose, b + "\n" + &other_prose];
        let [base, side] = [&a, &b].map(|text| Board::parse(text));
        let expected = side.render(now());
        prop_assert_eq!(three_way(&base, &base, &side).render(now()), expected.clone());
        prop_assert_eq!(three_way(&base, &side, &base).render(now()), expected);
    }

    #[test]
    fn no_line_of_prose_is_lost(a in fragments(), b in fragments(), fresh in fresh()) {
        let [one, other] = [&a, &b].map(|text| Board::parse(text));
        let around = |text: &str| -> String {
            let rows = Board::parse(text).rows;
            let row = |line: &&str| rows.iter().any(|row| row.line().is_some_and(
                |other| other.trim_end() == line.trim_end()));
            let head = |line: &str| {
                let line = line.replace([' ', '\t'], "");
                line.contains("Repo") || line.contains("-|") || line.contains("|-")
            };
            text.trim_start_matches('\u{feff}').lines()
                .filter(|line| !row(line) && !head(line)
                    && !line.contains("updated") && !line.contains("created"))
                .map(|line| format!("{line}\n")).collect()
        };
        let joined = join_all(&one, &other).render(now());
        for side in [&a, &b] {
            let side = around(side);
            prop_assert!(lines(&side).is_subset(&lines(&joined)), "{:?} not all in {:?}", side, joined);
        }
        let mut updated = Board::parse(&a);
        updated.upsert(&fresh, now());
        let updated = updated.render(now());
        prop_assert!(lines(&around(&a)).is_subset(&lines(&updated)), "{:?}", updated);
    }

    #[test]
    fn what_is_rendered_stays_as_it_is(text in prop_oneof![fragments(), any::<String>()], fresh in fresh()) {
        let mut board = Board::parse(&text);
        let merged = board.upsert(&fresh, now());
        let once = board.render(now());
        let again = Board::parse(&once);
        prop_assert_eq!(again.render(now()), once.clone(), "from {:?}", text);
        let mut again = Board::parse(&once);
        prop_assert!(!again.upsert(&fresh, now()).changed, "{:?} after {:?}", once, merged);
    }

    #[test]
    fn no_text_is_too_odd(
        a in prop_oneof![fragments(), any::<String>()],
        b in prop_oneof![fragments(), any::<String>()],
        c in fragments(),
        fresh in fresh(),
    ) {
        let [mut base, one, other] = [&a, &b, &c].map(|text| Board::parse(text));
        three_way(&base, &one, &other).render(now());
        join_all(&base, &other).render(now());
        base.declare_shared();
        base.upsert(&fresh, now());
        join(&one, &base, &[], now()).render(now());
    }

    #[test]
    fn merges_of_any_texts_read_as_they_are(a in ours(), b in ours(), c in ours()) {
        // Two open fences close each other, and nothing can be done about it.
        if is_open(&b) && is_open(&c) {
            return Ok(());
        }
        let [base, one, other] = [&a, &b, &c].map(|text| Board::parse(text));
        for board in [three_way(&base, &one, &other), join_all(&one, &other), join_rows(&one, &other)] {
            let text = board.render(now());
            let read = Board::parse(&text);
            prop_assert_eq!(read.render(now()), text.clone(), "{:?} {:?} {:?}", a, b, c);
            prop_assert_eq!(rows(&read), rows(&board), "{:?}", text);
        }
        let [one, other] = [three_way(&base, &one, &other), three_way(&base, &other, &one)];
        prop_assert_eq!(one.render(now()), other.render(now()));
    }
}

/// Gives for each row of the first table that a GFM reader sees the number of
/// its cells and the text of the last one.
fn gfm_rows(text: &str) -> Vec<(usize, String)> {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut rows: Vec<(usize, String)> = Vec::new();
    for event in Parser::new_ext(text, options) {
        match (event, rows.last_mut()) {
            (Event::Start(Tag::TableHead | Tag::TableRow), _) => rows.push((0, String::new())),
            (Event::Start(Tag::TableCell), Some((cells, last))) => {
                *cells += 1;
                last.clear();
            }
            (Event::Text(text), Some((_, last))) => last.push_str(&text),
            (Event::End(TagEnd::Table), _) => break,
            _ => {}
        }
    }
    rows
}
