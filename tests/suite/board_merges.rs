//! Two versions of a board become one: which lines, cells and rows are whose.

use boardsync::Timestamp;
use boardsync::board::{
    Board, Condition, Field, Fresh, MAX_CELLS, Row, Slot, Status, join, join_all, repair, sides,
    three_way, to_bytes, to_text,
};

const FRONT: &str = "---\n_generator: session-orchestrator-active-sessions@1\n\
    id: active-sessions\ntype: board\ncreated: 2026-11-30T00:00:00Z\n\
    updated: 2026-11-30T07:00:00.000Z\n---\n\n";
const HEAD: &str = "| Repo | Status | Session | Branch | Mode | Last heartbeat | Key |\n\
    |---|---|---|---|---|---|---|\n";

fn at(clock: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-11-30T{clock}:00.000Z")).expect("is RFC 3339")
}

fn text(rows: &str) -> String {
    [FRONT, HEAD, rows].concat()
}

fn line(repo: &str, clock: &str, key: &str) -> String {
    format!("| {repo} | closed | s | — | — | 2026-11-30T{clock}:00.000Z | {key} |\n")
}

fn shown(board: &Board<'_>) -> String {
    board.render(at("07:00"))
}

/// Joins two texts both ways, which must come to the same, and gives what is
/// below the frontmatter.
fn joined(one: &str, other: &str) -> String {
    let (a, b) = (Board::parse(one), Board::parse(other));
    let all = shown(&join_all(&a, &b));
    assert_eq!(all, shown(&join_all(&b, &a)), "sides must not matter");
    all.split_once("---\n\n")
        .expect("a frontmatter")
        .1
        .to_owned()
}

/// Merges two edits of `base` both ways, likewise.
fn merged(base: &str, one: &str, other: &str) -> String {
    let [base, one, other] = [base, one, other].map(Board::parse);
    let all = shown(&three_way(&base, &one, &other));
    assert_eq!(
        all,
        shown(&three_way(&base, &other, &one)),
        "sides must not matter"
    );
    all
}

#[test]
fn a_board_without_a_table_adds_no_columns() {
    let table =
        "| Key | Status | Repo | Note |\n|---|---|---|---|\n| 00000001 | closed | a | x |\n";
    let joined = joined(&format!("{FRONT}Prose.\n"), &[FRONT, table].concat());
    assert!(joined.contains(table), "{joined}");
}

#[test]
fn halves_of_a_table_are_kept_apart_and_whole() {
    let halves = ["p\n| Repo | Status |\n", "p\n|---|---|\n"];
    let [one, other] = halves.map(|half| [FRONT, half].concat());
    assert_eq!(joined(&one, &other), halves.join("\n\n"));
    // Nor does an open line swallow what comes after it.
    let [one, other] = [one, other].map(|text| text.trim_end().to_owned());
    assert_eq!(joined(&one, &other), halves.join("\n\n"));
}

#[test]
fn a_table_beside_prose_without_one_begins_a_block() {
    let prose = format!("{FRONT}Prose of one.\n");
    let table = text(&line("a", "06:00", "00000001"));
    let (one, other) = (Board::parse(&prose), Board::parse(&table));
    for board in [
        join(&one, &other, &[], at("07:00")),
        join(&other, &one, &[], at("07:00")),
    ] {
        let text = shown(&board);
        let again = Board::parse(&text);
        assert!(again.has_table(), "{text}");
        assert_eq!(again.rows.len(), 1, "{text}");
    }
    let text = joined(&prose, &table);
    assert!(text.contains(&format!("Prose of one.\n\n{HEAD}")), "{text}");
}

#[test]
fn two_tables_open_no_paragraph_that_was_not_there() {
    let glued = [FRONT, "Prose.\n", HEAD, &line("a", "06:00", "00000001")].concat();
    let joined = joined(&glued, &glued);
    assert!(joined.starts_with(&["Prose.\n", HEAD].concat()), "{joined}");
}

#[test]
fn what_stands_around_a_displaced_table_is_the_displaced_boards() {
    let row = line("a", "06:00", "00000001");
    let displaced = [
        "\u{feff}",
        FRONT,
        "Theirs.\n\n",
        HEAD,
        &row,
        "\nTheirs, below.\n",
    ]
    .concat();
    let ours = [FRONT, "Ours.\n\n", HEAD, &row, "\nOurs, below.\n"].concat();
    for (displaced, ours, whose) in [(&displaced, &ours, "Theirs"), (&ours, &displaced, "Ours")] {
        let (a, b) = (Board::parse(displaced), Board::parse(ours));
        let text = shown(&join(&a, &b, &[], at("07:00")));
        assert_eq!(
            text.starts_with('\u{feff}'),
            displaced.starts_with('\u{feff}')
        );
        assert_eq!(text.matches(whose).count(), 2, "{text}");
        let other = if whose == "Ours" { "Theirs" } else { "Ours" };
        assert!(!text.contains(other), "{text}");
    }
}

const SHARED: &str = "boardsync-shared: true\n---\n\n";
const HOSTS: &str = "| Repo | Status | Session | Branch | Mode | Last heartbeat | Key | Host |\n\
    |---|---|---|---|---|---|---|---|\n\
    | a | closed | s | — | — | 2026-11-30T06:00:00.000Z | 00000001 | one |\n\
    | a | closed | s | — | — | 2026-11-30T06:30:00.000Z | 00000001 | two |\n";

/// A board that two hosts share, with a row of each in the same folder.
fn shared() -> String {
    FRONT.replace("---\n\n", SHARED) + HOSTS
}

#[test]
fn one_side_that_is_shared_makes_a_shared_board_and_says_so_once() {
    let unshared = text(&line("b", "06:00", "00000002"));
    let (one, other) = (shared(), unshared.as_str());
    for (displaced, ours) in [(&*one, other), (other, &*one), (&*one, &*one)] {
        let (a, b) = (Board::parse(displaced), Board::parse(ours));
        let text = shown(&join(&a, &b, &[], at("07:00")));
        assert_eq!(text.matches("boardsync-shared: true").count(), 1, "{text}");
        for host in ["| one |", "| two |"] {
            assert_eq!(text.matches(host).count(), 1, "{text}");
        }
    }
    let merged = merged(&unshared, &one, &unshared);
    for host in ["| one |", "| two |"] {
        assert_eq!(merged.matches(host).count(), 1, "{merged}");
    }
}

#[test]
fn a_fresh_row_is_as_new_as_now_unless_the_displaced_one_is_newer_still() {
    let slot = [Slot::keyed("00000001")];
    for (displaced, ours, wins) in [
        ("06:30", "06:00", "ours"),
        ("07:30", "06:00", "theirs"),
        ("07:30", "07:45", "ours"),
        ("07:45", "07:30", "theirs"),
    ] {
        let theirs = text(&line("theirs", displaced, "00000001"));
        let ours = text(&line("ours", ours, "00000001"));
        let (a, b) = (Board::parse(&theirs), Board::parse(&ours));
        let text = shown(&join(&a, &b, &slot, at("07:00")));
        assert!(text.contains(&format!("| {wins} |")), "{displaced}: {text}");
    }
}

#[test]
fn a_row_without_a_key_is_only_replaced_by_a_fresh_one_of_its_name() {
    let keyless = "| Repo | Status | Session | Branch | Mode | Last heartbeat |\n\
        |---|---|---|---|---|---|\n| a | closed | s | — | — | 2026-11-30T06:00:00.000Z |\n";
    let displaced = [FRONT, keyless].concat();
    let ours = text(&line("a", "06:30", "00000001"));
    let (a, b) = (Board::parse(&displaced), Board::parse(&ours));
    let rows = |fresh: &[Slot<'_>]| join(&a, &b, fresh, at("07:00")).rows.len();
    assert_eq!(rows(&[Slot::keyed("00000001")]), 1);
    assert_eq!(rows(&[]), 2);
}

#[test]
fn a_row_deleted_on_one_side_stays_if_the_other_changed_it() {
    let head = HEAD
        .replace(" Key |", " Key | Note |")
        .replacen("|---|", "|---|---|", 1);
    let row = |clock: &str, note: &str| {
        let line = line("a", clock, "00000001");
        [FRONT, &head, line.trim_end(), " ", note, " |\n"].concat()
    };
    let (base, deleted) = (row("06:00", "x"), [FRONT, &head].concat());
    for (changed, stays) in [
        (row("06:30", "x"), true),
        (row("06:00", "y"), true),
        (row("06:00", "x"), false),
    ] {
        let merged = merged(&base, &deleted, &changed);
        assert_eq!(merged.contains("00000001"), stays, "{changed}");
    }
}

#[test]
fn a_line_that_one_side_wrote_otherwise_is_written_so() {
    let base = text(&line("a", "06:00", "00000001"));
    let spaced = base.replace("| a | closed |", "|  a  | closed |");
    assert!(merged(&base, &spaced, &base).contains("|  a  | closed |"));
    let wider = base.replace("| a | closed |", "|   a   | closed |");
    let merged = merged(&base, &spaced, &wider);
    assert!(!merged.contains("| a | closed |"), "{merged}");
}

#[test]
fn a_time_that_both_sides_write_alike_stays_as_it_is_written() {
    let created = "created: 2026-11-30T00:00:00Z\n";
    let one = text(&line("a", "06:00", "00000001"));
    let other = text(&line("b", "06:00", "00000002"));
    assert!(merged(&one, &one, &other).contains(created));
}

#[test]
fn markers_that_open_nothing_are_text_and_those_that_close_nothing_are_torn() {
    let conflict = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
    let with_a_line = sides(&format!("=======\n{conflict}")).expect("a conflict");
    assert_eq!(
        (&*with_a_line.ours, &*with_a_line.theirs),
        ("=======\nx\n", "=======\ny\n")
    );
    assert_eq!(sides(&format!(">>>>>>> b\n{conflict}")), None);
    assert_eq!(
        sides("<<<<<<< a\nx\n>>>>>>> b\n=======\ny\n>>>>>>> c\n"),
        None
    );
}

#[test]
fn an_empty_line_of_a_difference_by_jj_may_have_lost_its_space() {
    let sides =
        sides("<<<<<<< conflict\n%%%%%%% diff\n a\n\n-b\n+c\n+++++++ side\nd\n>>>>>>> end\n");
    let sides = sides.expect("a conflict");
    assert_eq!((&*sides.ours, &*sides.theirs), ("a\n\nc\n", "d\n"));
    assert_eq!(sides.base.as_deref(), Some("a\n\nb\n"));
}

#[test]
fn a_conflict_of_a_board_with_a_note_is_repaired() {
    let board = text(&line("a", "06:00", "00000001"));
    let conflict = format!("<<<<<<< a\n{board}=======\nA note.\n>>>>>>> b\n");
    let repaired = repair(&conflict, at("07:00")).expect("a board");
    assert_eq!(Board::condition_of(&repaired), Condition::Ours);
    assert!(
        repaired.contains("00000001") && repaired.contains("A note."),
        "{repaired}"
    );
    let notes = "<<<<<<< a\nOne.\n=======\nOther.\n>>>>>>> b\n";
    assert!(repair(notes, at("07:00")).is_err());
}

#[test]
fn three_cells_with_a_key_are_no_row_of_ours() {
    let prose = "\n| a | closed | 11111111 |\n";
    assert_eq!(Board::condition_of(&(text("") + prose)), Condition::Ours);
    let row = "\n| a | closed | s | 11111111 |\n";
    assert_ne!(Board::condition_of(&(text("") + row)), Condition::Ours);
}

#[test]
fn what_is_indented_too_far_closes_no_fence() {
    for (hides, opening) in [
        (true, "```\n\t```\n"),
        (true, "```\n \t```\n"),
        (true, "```\n   \t```\n"),
        (false, "```\n   ```\n"),
    ] {
        let text = [FRONT, opening, HEAD, &line("a", "06:00", "00000001")].concat();
        assert_eq!(Board::parse(&text).has_table(), !hides, "{opening:?}");
    }
}

#[test]
fn bytes_that_are_no_text_and_characters_that_look_like_it_go_round() {
    let bytes = "\u{10ff41} \u{10ff7f} "
        .as_bytes()
        .iter()
        .copied()
        .chain([0xff, 0x80]);
    let bytes: Vec<u8> = bytes.collect();
    let text = to_text(&bytes).expect("is carried along").into_owned();
    assert_eq!(to_bytes(text), bytes);
}

#[test]
fn a_status_is_shown_as_it_is_read() {
    for word in ["in-progress", "closed", "force-closed", "frei"] {
        let status: Status = word.parse().expect("a status");
        assert_eq!(status.to_string(), word);
    }
}

#[test]
fn a_table_without_rows_is_a_table_still() {
    let joined = joined(&format!("{FRONT}Prose.\n"), &text(""));
    assert_eq!(joined, format!("Prose.\n\n{HEAD}"));
    let (prose, table) = (format!("{FRONT}Prose.\n"), text(""));
    let (prose, table) = (Board::parse(&prose), Board::parse(&table));
    let text = shown(&join(&prose, &table, &[], at("07:00")));
    assert!(text.ends_with(&format!("Prose.\n\n{HEAD}")), "{text}");
}

#[test]
fn an_archive_below_the_table_is_there_once() {
    let archive = "\n## Archive\n\n| Repo | Status |\n|---|---|\n| old | closed |\n";
    let board = text(&line("a", "06:00", "00000001")) + archive;
    let joined = joined(&board, &board);
    assert_eq!(joined.matches("| old | closed |").count(), 1, "{joined}");
}

#[test]
fn a_cell_beyond_the_head_stays_whichever_side_has_it() {
    let base = text(&line("a", "06:00", "00000001"));
    let newer = text(&line("a", "06:30", "00000001"));
    let beyond = base.replace("| 00000001 |", "| 00000001 | beyond |");
    let merged = merged(&base, &newer, &beyond);
    assert!(
        merged.contains("T06:30:00.000Z | 00000001 | beyond |"),
        "{merged}"
    );
}

#[test]
fn only_pipes_are_counted_as_cells() {
    let front = FRONT.to_owned();
    for (body, condition) in [
        ("|".repeat(MAX_CELLS), Condition::Ours),
        ("x".repeat(MAX_CELLS + 1), Condition::Ours),
        ("|".repeat(MAX_CELLS + 1), Condition::TooManyCells),
    ] {
        assert_eq!(Board::condition_of(&(front.clone() + &body)), condition);
    }
}

#[test]
fn a_dash_is_the_name_of_a_repository_and_no_status() {
    let text = text("| — | — | s | — | — | — | 00000001 |\n");
    let board = Board::parse(&text);
    assert_eq!(board.rows[0].repo(), "—");
    assert_eq!(board.rows[0].get(Field::Branch), None);
    assert_eq!(board.rows[0].status(), None);
    assert_eq!(shown(&board), text);
}

#[test]
fn the_first_table_of_a_board_ends_its_lines_as_the_frontmatter_does() {
    for eol in ["\n", "\r\n"] {
        let text = FRONT.replace('\n', eol);
        let mut board = Board::parse(&text);
        let row = Row::new("a", Status::Closed).with(Field::Key, "00000001");
        board.upsert(&[Fresh::event(row)], at("07:00"));
        let text = shown(&board);
        assert_eq!(
            text.matches(eol).count(),
            text.matches('\n').count(),
            "{text:?}"
        );
        assert!(text.contains("| 00000001 |"), "{text}");
    }
}

#[test]
fn a_row_that_gets_its_key_keeps_its_other_cells() {
    let note = "| Repo | Status | Note |\n|---|---|---|\n| app | closed | mine |\n";
    let text = [FRONT, note].concat();
    let mut board = Board::parse(&text);
    let row = Row::new("APP", Status::InProgress).with(Field::Key, "00000001");
    board.upsert(&[Fresh::observed(row)], at("07:00"));
    assert_eq!(board.rows.len(), 1);
    assert!(shown(&board).contains("| mine |"), "{}", shown(&board));
}

#[test]
fn capitals_make_no_other_slot() {
    assert_eq!(Slot::named("APP"), Slot::named("app"));
    assert_eq!(Slot::named("ÄPP"), Slot::named("äpp"));
}
