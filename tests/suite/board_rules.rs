//! The rules of a board's merges, one test a sentence.

use boardsync::Timestamp;
use boardsync::board::{
    Board, Cause, Condition, Field, Fresh, Merged, Row, Slot, Status, join, join_all, join_rows,
    three_way,
};

const FRONT: &str = "---\n_generator: session-orchestrator-active-sessions@1\n\
    id: active-sessions\ntype: board\ncreated: 2026-11-30T00:00:00.000Z\n\
    updated: 2026-11-30T07:00:00.000Z\n---\n\n";
const HEAD: &str = "| Repo | Status | Session | Branch | Mode | Last heartbeat | Key |\n\
    |---|---|---|---|---|---|---|\n";

fn at(clock: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-11-30T{clock}:00.000Z")).expect("is RFC 3339")
}

fn now() -> Timestamp {
    at("07:00")
}

fn text(rows: &str) -> String {
    [FRONT, HEAD, rows].concat()
}

fn line(repo: &str, status: &str, clock: &str, key: &str) -> String {
    format!("| {repo} | {status} | s | — | — | 2026-11-30T{clock}:00.000Z | {key} |\n")
}

fn row(repo: &str, status: Status, clock: &str, key: &str) -> Row<'static> {
    Row::new(repo, status)
        .with(Field::Session, "s")
        .with(Field::Heartbeat, &at(clock).to_string())
        .with(Field::Key, key)
}

fn fresh(row: Row<'static>) -> [Fresh; 1] {
    [Fresh::event(row)]
}

/// Puts rows into a board, and gives its rows as text.
fn upserted(before: &str, fresh: &[Fresh]) -> (Merged, String) {
    let mut board = Board::parse(before);
    let merged = board.upsert(fresh, now());
    let after = board.render(now());
    (merged, after[FRONT.len()..].to_owned())
}

#[test]
fn only_a_marked_board_without_conflict_is_ours() {
    let marker = "_generator: session-orchestrator-active-sessions@1";
    for (text, origin) in [
        (format!("---\n{marker}\n---\n"), Condition::Ours),
        (
            format!("\u{feff}---\r\n{marker} # x\r\n---\r\n"),
            Condition::Ours,
        ),
        (format!("---\n  {marker}\n---\n"), Condition::Handwritten),
        (format!("\n---\n{marker}\n---\n"), Condition::Handwritten),
        (format!("---\n{marker}2\n---\n"), Condition::Handwritten),
        (format!("---\n{marker}\n---\na\n=======\n"), Condition::Ours),
        (format!("---\n{marker}\n---\n<<<<<<< a\n"), Condition::Ours),
        (
            format!("---\n<<<<<<< a\n{marker}\n=======\n>>>>>>> b\n---\n"),
            Condition::Conflicted,
        ),
        (
            format!("<<<<<<< a\n---\n{marker}\n---\n=======\n>>>>>>> b\n"),
            Condition::Conflicted,
        ),
        (
            "<<<<<<< a\n=======\n>>>>>>> b\n".to_owned(),
            Condition::Handwritten,
        ),
    ] {
        assert_eq!(Board::parse(&text).condition(), origin, "{text}");
    }
}

#[test]
fn an_update_replaces_one_row_and_keeps_the_lines_of_all_others() {
    let odd = "|  b|closed |  s\\\\|x | `y` | | never |00000002|\n";
    let before = text(&(line("a", "in-progress", "06:00", "00000001") + odd));
    let (merged, after) = upserted(
        &before,
        &fresh(row("a", Status::Closed, "06:30", "00000001")),
    );
    assert!(merged.changed);
    let expected = line("a", "closed", "06:30", "00000001") + odd;
    assert_eq!(after, HEAD.to_owned() + &expected);
}

#[test]
fn a_row_that_is_there_already_is_no_change() {
    let before = text(&line(" a ", "closed", "06:00", "00000001"));
    let again = fresh(row("a", Status::Closed, "06:00", "00000001"));
    assert!(!upserted(&before, &again).0.changed);
    // Nor is it one that rows are not in order.
    let rows = line("b", "closed", "06:00", "00000002") + &line("a", "closed", "06:00", "00000001");
    assert!(!upserted(&text(&rows), &again).0.changed);
}

#[test]
fn a_row_is_known_by_what_would_be_written_of_it() {
    let odd = line("a\u{8}pp\u{202e}", "in-progress", "06:00", "00\u{1b}000001");
    let odd = text(&odd);
    let board = Board::parse(&odd);
    let known = Slot::keyed("00000001");
    assert_eq!(
        board
            .prior(&known)
            .map(|row| row.repo().into_owned())
            .as_deref(),
        Some("app")
    );
    assert_eq!(board.render(now()), odd, "its line stays");
}

#[test]
fn a_silent_session_is_closed_after_four_hours() {
    for (clock, status) in [("03:00", "force-closed"), ("03:01", "in-progress")] {
        let (merged, after) = upserted(&text(&line("a", "in-progress", clock, "—")), &[]);
        assert_eq!(merged.changed, status == "force-closed");
        assert_eq!(after, HEAD.to_owned() + &line("a", status, clock, "—"));
    }
    let unreadable = text("| a | in-progress | s | — | — | 2026-13-01T00:00:00.000Z | — |\n");
    assert!(!upserted(&unreadable, &[]).0.changed);
}

#[test]
fn an_event_that_is_older_than_what_the_board_shows_is_dropped() {
    let before = text(&line("a", "closed", "06:00", "00000001"));
    let mut late = fresh(row("a", Status::InProgress, "05:00", "00000001"));
    let (merged, _) = upserted(&before, &late);
    assert_eq!((merged.changed, merged.outdated), (false, 1));
    // A derived row is no event, and another session is another story.
    late[0].cause = Cause::Observed;
    assert!(upserted(&before, &late).0.changed);
    late[0].cause = Cause::Event;
    late[0].row = late[0].row.clone().with(Field::Session, "");
    assert!(upserted(&before, &late).0.changed);
}

#[test]
fn a_keyed_row_adopts_a_legacy_row_if_its_name_is_unique() {
    let six =
        "| Repo | Status | Session | Branch | Mode | Last heartbeat |\n|---|---|---|---|---|---|\n";
    let legacy = "| App | closed | s | — | — | 2026-11-30T06:00:00.000Z |\n";
    let before = [FRONT, six, legacy].concat();
    let one = fresh(row("app", Status::Closed, "06:30", "00000001"));
    let (_, after) = upserted(&before, &one);
    assert_eq!(
        after,
        HEAD.to_owned() + &line("app", "closed", "06:30", "00000001")
    );

    let twin = fresh(row("app", Status::Frei, "06:30", "00000002"));
    let (_, after) = upserted(&before, &[one, twin].concat());
    assert!(
        !after.contains("| App |"),
        "it was the row of one of the two, which both have theirs now\n{after}"
    );
    assert_eq!(after.lines().count(), 4);
}

#[test]
fn of_two_rows_in_one_slot_the_later_one_stays() {
    let [early, late, also_late] = [("05:00", "a"), ("06:00", "b"), ("06:00", "c")]
        .map(|(clock, repo)| line(repo, "closed", clock, "00000001"));
    for (rows, stays) in [
        ([&late, &early], &late),
        ([&early, &late], &late),
        ([&late, &also_late], &also_late),
    ] {
        let (merged, after) = upserted(&text(&(rows[0].clone() + rows[1])), &[]);
        assert!(merged.changed);
        assert_eq!(after, HEAD.to_owned() + stays);
    }
}

#[test]
fn what_is_foreign_survives_an_update() {
    let before = "\u{feff}---\r\ntags: [x]\r\n_generator: \"session-orchestrator-active-sessions@1\"\r\n\
        updated: 'x' # by whom\r\n---\r\nAbove\r\n```\r\n| Repo | Status |\r\n|---|---|\r\n```\r\n\
        | Note | repo | KEY | Status |\r\n| :--- | ---: |:-:|-|\r\n\
        | my note | a | 00000001 | frei | beyond |\r\n| n | b | 00000002 | odd |\r\nBelow";
    let (_, after) = {
        let mut board = Board::parse(before);
        let closed = Row::new("a", Status::Closed).with(Field::Key, "00000001");
        (board.upsert(&fresh(closed), now()), board.render(now()))
    };
    let expected = before
        .replace("'x' #", "2026-11-30T07:00:00.000Z #")
        .replace(
            "by whom\r\n",
            "by whom\r\nid: active-sessions\r\ntype: board\r\ncreated: 2026-11-30T07:00:00.000Z\r\n",
        )
        .replace("| frei |", "| closed |")
        .replace("Below", "\r\nBelow\r\n");
    assert_eq!(after, expected);
}

#[test]
fn new_columns_are_appended_and_keep_alignments() {
    let before = [
        FRONT,
        "| Repo | Status | X |\n|:--|--:|---|\n| b | frei | x | y |\n",
    ]
    .concat();
    let (_, after) = upserted(
        &before,
        &fresh(row("a", Status::Closed, "06:00", "00000001")),
    );
    assert_eq!(
        after,
        "| Repo | Status | X | Session | Last heartbeat | Key |\n|:--|--:|---|---|---|---|\n\
         | a | closed | — | s | 2026-11-30T06:00:00.000Z | 00000001 |\n\
         | b | frei | x | — | — | — | y |\n"
    );
}

#[test]
fn a_board_without_a_table_gets_one_where_it_can_be_seen() {
    let new = fresh(row("a", Status::Closed, "06:00", "00000001"));
    let table = HEAD.to_owned() + &line("a", "closed", "06:00", "00000001");
    for (prose, expected) in [
        ("", table.clone()),
        ("text", format!("text\n\n{table}")),
        ("```\nopen", format!("{table}\n```\nopen\n")),
    ] {
        let before = [FRONT, prose].concat();
        assert_eq!(upserted(&before, &new).1, expected);
    }
}

#[test]
fn hosts_that_share_a_board_keep_their_own_rows() {
    let mut board = Board::parse(FRONT);
    board.declare_shared();
    let on = |host: &str, status| row("a", status, "06:00", "00000001").with(Field::Host, host);
    board.upsert(&fresh(on("one", Status::InProgress)), now());
    board.upsert(&fresh(on("two", Status::InProgress)), now());
    board.upsert(&fresh(on("two", Status::Closed)), now());
    let status = |host| {
        let slot = Slot::keyed("00000001").on(Some(host));
        board.prior(&slot).and_then(|row| row.status())
    };
    assert_eq!(status("one"), Some(Status::InProgress));
    assert_eq!(status("two"), Some(Status::Closed));
    let text = board.render(now());
    assert!(text.contains("| Key | Host |\n"), "{text}");
    assert_eq!(Board::parse(&text).rows, board.rows);
    // The other host's clock goes on.
    board.upsert(&[], at("11:00"));
    assert!(
        board
            .rows
            .iter()
            .all(|row| row.status() != Some(Status::InProgress))
    );
}

#[test]
fn a_board_that_becomes_shared_has_its_rows_adopted() {
    let before = text(&line("a", "in-progress", "06:00", "00000001"));
    let mut board = Board::parse(&before);
    board.declare_shared();
    let mine = row("a", Status::Closed, "06:30", "00000001").with(Field::Host, "one");
    board.upsert(&fresh(mine.clone()), now());
    assert_eq!(board.rows, [mine]);
}

#[test]
fn a_join_takes_the_newest_rows_and_the_prose_that_was_displaced() {
    let displaced = text(
        &(line("a", "closed", "06:30", "00000001")
            + &line("b", "in-progress", "06:00", "00000002")
            + &line("c", "closed", "05:00", "00000003")),
    ) + "\nTheir note\n";
    let ours = text(
        &(line("a", "in-progress", "06:00", "00000001")
            + &line("b", "closed", "06:00", "00000002")
            + &line("c", "in-progress", "04:00", "00000003")),
    ) + "\nOur note\n";
    let slots = [Slot::keyed("00000003")];
    let joined = join(
        &Board::parse(&displaced),
        &Board::parse(&ours),
        &slots,
        now(),
    );
    let expected = text(
        &(line("a", "closed", "06:30", "00000001")
            + &line("b", "closed", "06:00", "00000002")
            + &line("c", "in-progress", "04:00", "00000003")),
    ) + "\nTheir note\n";
    assert_eq!(joined.render(now()), expected);
    let both = join_all(&Board::parse(&displaced), &Board::parse(&ours)).render(now());
    assert!(both.ends_with("\nOur note\nTheir note\n"), "{both}");
}

#[test]
fn a_join_does_not_bring_back_a_legacy_row_that_we_adopted() {
    let displaced = text(&line("App", "in-progress", "06:00", "—"));
    let mut ours = Board::parse(&displaced);
    let mine = row("app", Status::Closed, "06:30", "00000001");
    ours.upsert(&fresh(mine.clone()), now());
    let joined = join(
        &Board::parse(&displaced),
        &ours,
        &[ours.slot_of(&mine)],
        now(),
    );
    assert_eq!(joined.rows, [mine]);
}

#[test]
fn a_join_keeps_foreign_cells_of_both_sides() {
    let head = "| Repo | Status | Last heartbeat |";
    let displaced = format!("{FRONT}{head} A |\n|---|---|---|---|\n| x | frei | — | theirs |\n");
    let ours = format!(
        "{FRONT}{head} B | A |\n|---|---|---|---|---|\n| x | closed | 2026-11-30T06:00:00.000Z | b | ours |\n"
    );
    let joined = join_rows(&Board::parse(&displaced), &Board::parse(&ours)).render(now());
    assert!(
        joined.ends_with(
            "| A | B |\n|---|---|---|---|---|\n| x | closed | 2026-11-30T06:00:00.000Z | theirs | b |\n"
        ),
        "{joined}"
    );
}

#[test]
fn the_second_of_two_columns_of_one_title_is_foreign() {
    let before = format!("{FRONT}| Repo | Status | STATUS |\n|---|---|---|\n| a | frei | mine |\n");
    let closed = fresh(Row::new("a", Status::Closed));
    let (_, after) = upserted(&before, &closed);
    assert!(after.ends_with("| a | closed | mine |\n"), "{after}");
}

#[test]
fn merged_boards_were_updated_late_and_created_early() {
    let [base, ours, theirs] = [("00", "01"), ("02", "05"), ("01", "06")].map(|(first, last)| {
        FRONT
            .replace("T00:", &format!("T{first}:"))
            .replace("T07:", &format!("T{last}:"))
    });
    let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| Board::parse(text));
    for merged in [
        three_way(&base, &ours, &theirs),
        three_way(&base, &theirs, &ours),
        join_all(&ours, &join_rows(&theirs, &base)),
    ] {
        assert_eq!(merged.updated(), Some(at("06:00")));
        let text = merged.render(now());
        assert_eq!(text.matches("created:").count(), 1, "{text}");
    }
    assert_eq!(
        three_way(&base, &ours, &theirs).created(),
        Some(at("00:00"))
    );
}

#[test]
fn rows_from_under_another_header_are_written_anew() {
    let displaced = format!("{FRONT}| Repo | Status | Key |\n|---|---|---|\n| a | frei | 1 |\n");
    let ours = format!("{FRONT}| Key | Repo | Status |\n|---|---|---|\n| 2 | b | closed |\n");
    let expected = displaced.clone() + "| b | closed | 2 |\n";
    let [displaced, ours] = [&displaced, &ours].map(|text| Board::parse(text));
    assert_eq!(join_rows(&displaced, &ours).render(now()), expected);
    let merged = three_way(&Board::parse(FRONT), &displaced, &ours).render(now());
    assert_eq!(Board::parse(&merged).rows, Board::parse(&expected).rows);
}

#[test]
fn a_three_way_merge_does_what_either_side_did() {
    let [a, b, c] = [("a", "00000001"), ("b", "00000002"), ("c", "00000003")]
        .map(|(repo, key)| line(repo, "in-progress", "05:00", key));
    let base = text(&[&*a, &b, &c].concat()) + "\nnote\n";
    let a_closed = line("a", "closed", "06:00", "00000001");
    let a_later = line("a", "in-progress", "06:30", "00000001");
    let b_closed = line("b", "closed", "05:00", "00000002");
    let ours = text(&[&*a_closed, &b_closed, &c].concat()) + "\nnote\nours\n";
    let theirs = text(&[&*a_later, &b].concat()).replace("type: board", "type: board\ntags: x");
    let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| Board::parse(text));
    let merged = three_way(&base, &ours, &theirs).render(now());
    let expected = text(&(a_later + &b_closed)).replace("type: board", "type: board\ntags: x");
    assert_eq!(
        merged,
        expected + "\nours\n",
        "a deleted note stays deleted"
    );
    assert_eq!(merged, three_way(&base, &theirs, &ours).render(now()));
}

#[test]
fn a_three_way_merge_merges_foreign_cells_one_by_one() {
    let head = format!("{FRONT}| Repo | Status | A | B |\n|---|---|---|---|\n");
    let [base, ours, theirs] = [
        "| x | frei | a | b |\n",
        "| x | closed | a | B |\n",
        "| x | frei | A | b |\n",
    ]
    .map(|row| head.clone() + row);
    let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| Board::parse(text));
    let merged = three_way(&base, &ours, &theirs).render(now());
    assert!(merged.ends_with("| x | closed | A | B |\n"), "{merged}");
}

#[test]
fn lines_of_two_boards_without_a_table_never_become_one() {
    let delimiter = "|---|:-:|\n---\n```\n";
    let hidden = "b\n  ```\n| Repo | Status |\n|---|---|\n---\n";
    for (one, other) in [
        // The fence ends with its quote, so nothing after it is hidden.
        ("| Repo | Status |\n---\n> ```\n", delimiter),
        ("| Repo | Status |\n---\n- ```\n  x\n", delimiter),
        // Both end in an open fence.
        ("| Repo | Status |\n---\n```\nx\n", delimiter),
        // The second fence would close the first.
        ("- ```\n", &hidden[2..]),
        ("a\n- ```\n", hidden),
    ] {
        let [base, one, other] = ["", one, other].map(|body| FRONT.to_owned() + body);
        let [base, one, other] = [&base, &one, &other].map(|text| Board::parse(text));
        for merged in [three_way(&base, &one, &other), join_all(&one, &other)] {
            let text = merged.render(now());
            let read = Board::parse(&text);
            assert!(read.rows.is_empty(), "{text}");
            assert_eq!(read.render(now()), text);
        }
    }
}

#[test]
fn a_three_way_merge_takes_the_bom_of_the_side_that_changed_it() {
    let plain = text(&line("a", "frei", "06:00", "00000001"));
    let marked = format!("\u{feff}{plain}");
    let merged = |base: &str, one: &str, other: &str| {
        let [base, one, other] = [base, one, other].map(Board::parse);
        let merged = three_way(&base, &one, &other).render(now());
        assert_eq!(merged, three_way(&base, &other, &one).render(now()));
        merged
    };
    assert_eq!(merged(&plain, &marked, &plain), marked, "added");
    assert_eq!(merged(&marked, &plain, &marked), plain, "removed");
    assert_eq!(merged(&marked, &marked, &marked), marked, "kept");
}

#[test]
fn a_three_way_merge_keeps_the_formatting_that_one_side_gave_the_table() {
    let plain = text(&line("a", "frei", "06:00", "00000001"));
    let aligned = plain
        .replace("|---|---|", "|:---|---:|")
        .replace("\n", "\r\n");
    let [base, one, other] = [&plain, &aligned, &plain].map(|text| Board::parse(text));
    for merged in [
        three_way(&base, &one, &other),
        three_way(&base, &other, &one),
    ] {
        assert_eq!(merged.render(now()), aligned);
    }
}

#[test]
fn of_two_rows_in_one_slot_a_merge_keeps_the_later() {
    let [early, late] = ["05:00", "06:00"].map(|clock| line("a", "closed", clock, "00000001"));
    let late_below = early.clone() + &late;
    let late_above = late.clone() + &early;
    let same = [line("a", "frei", "06:00", "00000001"), late.clone()].concat();
    for rows in [late_below, late_above, same] {
        let twins = text(&rows);
        let empty = text("");
        let [base, one, other] = [&empty, &twins, &empty].map(|text| Board::parse(text));
        let merged = three_way(&base, &one, &other).render(now());
        assert_eq!(merged, text(&late), "{rows}");
        let mut board = Board::parse(&twins);
        assert!(board.upsert(&[], now()).changed);
        assert_eq!(board.render(now()), text(&late), "{rows}");
    }
}

#[test]
fn one_host_never_has_two_rows_of_one_key() {
    let head = HEAD
        .replace("Key |", "Key | Host |")
        .replace("|---|\n", "|---|---|\n");
    let hosted = |host: &str, clock: &str| {
        line("a", "in-progress", clock, "00000001").replace(" |\n", &format!(" | {host} |\n"))
    };
    let new =
        Fresh::event(row("a", Status::Closed, "06:30", "00000001").with(Field::Host, "studio"))
            .known_as(["mac-class".to_owned()]);
    for (mark, hosts, expected) in [
        // Shared by our mark: other hosts have rows of their own.
        (
            "boardsync-shared: true\n",
            &["Studio.local"][..],
            &["studio"][..],
        ),
        ("boardsync-shared: true\n", &["mac-class"], &["studio"]),
        (
            "boardsync-shared: true\n",
            &["studio", "mac-class"],
            &["studio"],
        ),
        ("boardsync-shared: true\n", &[""], &["studio"]),
        (
            "boardsync-shared: true\n",
            &["laptop"],
            &["laptop", "studio"],
        ),
        // Only the column, as session-orchestrator 5.4 writes: the key decides.
        ("", &["laptop"], &["studio"]),
        ("", &["mac-class"], &["mac-class"]),
        ("", &["Studio.local"], &["Studio.local"]),
    ] {
        let front = FRONT.replace("\n---\n\n", &format!("\n{mark}---\n\n"));
        let rows: String = hosts.iter().map(|host| hosted(host, "06:00")).collect();
        let before = [&*front, &head, &rows].concat();
        let mut board = Board::parse(&before);
        board.upsert(std::slice::from_ref(&new), now());
        let after = board.render(now());
        let shown: Vec<String> = Board::parse(&after)
            .rows
            .iter()
            .map(|row| row.get(Field::Host).unwrap_or_default().into_owned())
            .collect();
        assert_eq!(shown, expected, "{mark} {hosts:?}");
    }
}
