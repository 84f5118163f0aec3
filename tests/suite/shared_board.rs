//! A board whose rows say which host they are of.

use crate::env::{TestEnv, board_of};
use boardsync::Timestamp;
use boardsync::board::{Board, Field, Status};
use boardsync::edit::{EditOptions, RepoSources, Report, update};
use boardsync::internals::config::vault::{AllowedLinks, BoardPlace, DEFAULT_BOARD};
use boardsync::internals::session::{Explicit, Repo, Sources};
use boardsync::lock::{Durability, Host};
use std::path::Path;

const KEY: &str = "339eea63";
/// Its key on Linux is [`KEY`].
const REPO: &str = "/tmp/peer-src/h3/app";

fn at(clock: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-11-30T{clock}:00.000Z")).unwrap()
}

/// Updates the row of [`REPO`] as the host of that name.
fn update_on(env: &TestEnv, host: &str, said: Option<Status>, clock: &str) -> Report {
    let place = BoardPlace::find(
        &env.vault(),
        DEFAULT_BOARD,
        AllowedLinks::Within(Some(&env.home())),
    )
    .unwrap();
    let subjects = [RepoSources {
        repo: Repo::at(Path::new(REPO), Path::new("/")),
        sources: Sources::default(),
    }];
    let explicit = Explicit {
        status: said,
        session: said.map(|_| format!("{host}-{clock}")),
        ..Explicit::default()
    };
    let host = Host::named(host, None);
    let mut options = EditOptions::new(&place);
    options.now = at(clock);
    options.durability = Durability::Unsynced;
    options.host = host;
    update(&options, &subjects, &explicit).unwrap()
}

/// Gives host, status and session of each row.
fn rows(env: &TestEnv) -> Vec<(String, String, String)> {
    let text = env.read_board();
    let board = Board::parse(&text);
    let own = |cell: Option<&str>| cell.unwrap_or("—").to_owned();
    let rows = board.rows.iter();
    rows.map(|row| {
        (
            own(row.get(Field::Host).as_deref()),
            row.get(Field::Status).unwrap_or_default().into_owned(),
            own(row.get(Field::Session).as_deref()),
        )
    })
    .collect()
}

fn row(host: &str, status: &str, session: &str) -> (String, String, String) {
    (host.into(), status.into(), session.into())
}

#[cfg(target_os = "linux")]
#[test]
fn one_path_on_two_hosts_is_two_rows_on_a_shared_board_only() {
    for shared in [false, true] {
        let env = TestEnv::new();
        env.write_board(&board_of(""));
        if shared {
            env.run(&["init", "--shared", "--yes"]).quietly();
        }
        update_on(&env, "Studio.local", Some(Status::InProgress), "06:00");
        update_on(&env, "laptop", Some(Status::Closed), "06:10");
        update_on(&env, "studio.lan", Some(Status::InProgress), "06:20");
        let expected = match shared {
            true => vec![
                row("laptop", "closed", "laptop-06:10"),
                row("studio", "in-progress", "studio.lan-06:20"),
            ],
            false => vec![row("—", "in-progress", "studio.lan-06:20")],
        };
        assert_eq!(rows(&env), expected);
        assert_eq!(
            env.read_board().contains("Host"),
            shared,
            "as the peer writes it"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn another_hosts_row_is_never_derived_here() {
    let env = TestEnv::new();
    env.write_board(&board_of(""));
    env.run(&["init", "--shared", "--yes"]).quietly();
    update_on(&env, "studio", Some(Status::InProgress), "06:00");
    // Without a lease a prior `in-progress` would have ended; but it is not ours.
    update_on(&env, "laptop", None, "06:10");
    assert_eq!(
        rows(&env),
        [
            row("laptop", "frei", "—"),
            row("studio", "in-progress", "studio-06:00")
        ]
    );
    // Its heartbeat alone ages it.
    update_on(&env, "laptop", None, "09:59");
    assert_eq!(rows(&env)[1], row("studio", "in-progress", "studio-06:00"));
    update_on(&env, "laptop", None, "10:00");
    assert_eq!(rows(&env)[1], row("studio", "force-closed", "studio-06:00"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_row_from_before_the_declaration_is_taken_once_by_the_first_with_its_key() {
    let env = TestEnv::new();
    env.write_board(&board_of(&format!(
        "| app | in-progress | old | — | — | 2026-11-30T05:00:00.000Z | {KEY} |\n"
    )));
    env.run(&["init", "--shared", "--yes"]).quietly();
    assert_eq!(rows(&env), [row("—", "in-progress", "old")]);
    // It is the prior row: in progress, without a lease, so it has ended.
    update_on(&env, "studio", None, "06:00");
    assert_eq!(rows(&env), [row("studio", "closed", "—")]);
    update_on(&env, "studio", None, "06:05");
    assert_eq!(
        rows(&env),
        [row("studio", "closed", "—")],
        "closed stays closed"
    );
    update_on(&env, "laptop", None, "06:10");
    assert_eq!(
        rows(&env),
        [row("laptop", "frei", "—"), row("studio", "closed", "—")]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_less_row_is_taken_by_the_first_host_with_its_name() {
    let env = TestEnv::new();
    env.write_board(&board_of(
        "| App | closed | old | — | — | 2026-11-30T05:00:00.000Z | — |\n",
    ));
    env.run(&["init", "--shared", "--yes"]).quietly();
    update_on(&env, "studio", None, "06:00");
    assert_eq!(rows(&env), [row("studio", "closed", "—")]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_copy_from_before_the_declaration_does_not_bring_taken_rows_back() {
    let env = TestEnv::new();
    let old = board_of(&format!(
        "| app | in-progress | old | — | — | 2026-11-30T05:00:00.000Z | {KEY} |\n"
    ));
    env.write_board(&old);
    env.run(&["init", "--shared", "--yes"]).quietly();
    update_on(&env, "studio", Some(Status::Closed), "06:00");
    std::fs::write(env.board().with_file_name("_active-sessions 2.md"), &old).unwrap();
    let report = update_on(&env, "studio", Some(Status::Closed), "06:10");
    assert_eq!(report.copies.len(), 1, "the board has all that it says");
    assert_eq!(rows(&env), [row("studio", "closed", "studio-06:10")]);
}

#[test]
fn the_declaration_adds_a_mark_and_one_column() {
    let env = TestEnv::new();
    let text = board_of("| a | frei | — | — | — | — | 00000001 |\n") + "\nprose\n";
    env.write_board(&text);
    let planned = env.run(&["init", "--shared", "--dry-run"]).quietly();
    assert!(planned.out.contains("add the column `Host`: `"));
    assert_eq!(env.read_board(), text, "only planned");
    env.command(&["init", "--shared", "--yes"])
        .env("BOARDSYNC_NOW", "2026-11-30T06:00:00Z")
        .output()
        .map(crate::env::Said::from)
        .unwrap()
        .quietly();
    let expected = text
        .replace("| Key |\n", "| Key | Host |\n")
        .replace("|---|\n", "|---|---|\n")
        .replace("| 00000001 |\n", "| 00000001 |  |\n")
        .replace("\n---\n\n#", "\nboardsync-shared: true\n---\n\n#");
    assert_eq!(env.read_board(), expected);
    let again = env.run(&["init", "--shared", "--yes"]).quietly();
    assert_eq!(again.out, "nothing to do\n");
    assert_eq!(env.read_board(), expected, "declared once");
    env.run(&["init", "--undo", "--yes"]).quietly();
    assert_eq!(env.read_board(), expected, "the column stays");
    let said = env.run(&["init", "--shared", "--undo"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    env.assert_no_litter();
}
