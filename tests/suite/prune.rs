//! `prune` drops what nobody needs, and gives it back.

use crate::env::{Said, TestEnv, board_of};
use std::path::Path;

const NOW: &str = "2026-11-30T07:00:00Z";
const OLD: &str = "| old | closed | s1 | main | deep | 2026-10-01T00:00:00.000Z | aaaaaaaa |\n";
const FORCED: &str =
    "| Forced  | force-closed | s2 | — | — | 2026-10-02T00:00:00.000Z | bbbbbbbb |\n";
const RECENT: &str = "| recent | closed | s3 | — | — | 2026-11-29T00:00:00.000Z | cccccccc |\n";
const IDLE: &str = "| idle | frei | — | — | — | — | dddddddd |\n";
const BEATLESS: &str = "| beatless | closed | s4 | — | — | — | eeeeeeee |\n";

fn run(env: &TestEnv, args: &[&str]) -> Said {
    let mut command = env.command(args);
    command.env("BOARDSYNC_NOW", NOW);
    command.output().unwrap().into()
}

fn backups(env: &TestEnv) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(env.orchestrator().join("backups")) else {
        return Vec::new();
    };
    let mut names: Vec<_> = folder
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn rows(env: &TestEnv) -> String {
    let board = env.read_board();
    let (_, rows) = board.split_once("|---|---|---|---|---|---|---|\n").unwrap();
    rows.to_owned()
}

/// The key that boardsync gives to a path.
fn key(path: &Path) -> String {
    boardsync::internals::session::Repo::at(path, Path::new("/")).key
}

#[test]
fn old_closed_rows_go_and_come_back_as_they_were() {
    let env = TestEnv::new();
    env.write_board(&board_of(&[BEATLESS, FORCED, IDLE, OLD, RECENT].concat()));
    let said = run(&env, &["prune"]).quietly();
    assert_eq!(rows(&env), [BEATLESS, IDLE, RECENT].concat());
    for part in [
        "dropped `old` (aaaaaaaa)",
        "dropped `Forced`",
        "2 rows dropped",
        "--undo",
    ] {
        assert!(said.out.contains(part), "{part} is not in {}", said.out);
    }
    assert_eq!(backups(&env).len(), 1);

    run(&env, &["prune", "--undo"]).quietly();
    assert_eq!(
        rows(&env),
        [BEATLESS, FORCED, IDLE, OLD, RECENT].concat(),
        "padding and all"
    );
    assert_eq!(backups(&env), [""; 0], "the board has it all again");
    let again = run(&env, &["prune", "--undo"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.err.contains("nothing to undo"), "{again:?}");
}

#[test]
fn a_dry_run_touches_nothing() {
    let env = TestEnv::new();
    let board = board_of(OLD);
    env.write_board(&board);
    let said = run(&env, &["prune", "--dry-run"]).quietly();
    assert!(said.out.contains("would drop `old`"), "{}", said.out);
    assert!(said.out.contains("1 row would be dropped"), "{}", said.out);
    assert_eq!(env.read_board(), board);
    assert!(!env.orchestrator().exists(), "not even a folder");
}

/// A failure whose row may be gone from the board must not cost its backup.
#[cfg(feature = "failpoints")]
#[test]
fn a_backup_stays_where_the_folder_could_not_be_synced() {
    let env = TestEnv::new();
    env.write_board(&board_of(OLD));
    let said: Said = env
        .command(&["prune"])
        .env("FAILPOINTS", "board.sync-folder.before=return(5)")
        .output()
        .unwrap()
        .into();
    assert_eq!(rows(&env), "", "{said:?}");
    assert_eq!(backups(&env).len(), 1, "{said:?}");
    run(&env, &["prune", "--undo"]).quietly();
    assert_eq!(rows(&env), OLD);
}

#[test]
fn with_nothing_to_drop_nothing_is_written() {
    let env = TestEnv::new();
    let board = board_of(&[IDLE, RECENT].concat());
    env.write_board(&board);
    let said = run(&env, &["prune", "--json"]).quietly().json();
    assert_eq!(said["action"], "skipped-noop");
    assert_eq!(env.read_board(), board);
    assert_eq!(backups(&env), [""; 0]);
    let said = run(&env, &["prune", "--json", "--closed-older-than", "12h"]).quietly();
    assert_eq!(said.json()["dropped"][0]["repo"], "recent");
}

#[test]
fn a_newer_row_stays_when_the_dropped_ones_come_back() {
    let env = TestEnv::new();
    let app = env.repo("app");
    let was = format!(
        "| app | closed | before | — | — | 2026-10-01T00:00:00.000Z | {} |\n",
        key(&app)
    );
    env.write_board(&board_of(&[&was, OLD].concat()));
    run(&env, &["prune"]).quietly();
    assert_eq!(rows(&env), "");
    let repo = app.to_str().unwrap();
    let update = [
        "update",
        "--status",
        "in-progress",
        "--session",
        "now",
        "--repo",
        repo,
    ];
    run(&env, &update).quietly();
    run(&env, &["prune", "--undo"]).quietly();
    let rows = rows(&env);
    assert!(rows.contains("| app | in-progress | now |"), "{rows}");
    assert!(rows.contains(OLD), "{rows}");
    assert!(!rows.contains("before"), "{rows}");
}

#[cfg(feature = "failpoints")]
#[test]
fn what_others_write_meanwhile_brings_back_only_what_is_newer() {
    let env = TestEnv::new();
    let app = env.repo("app");
    let was = format!(
        "| app | closed | before | — | — | 2026-10-01T00:00:00.000Z | {} |\n",
        key(&app)
    );
    env.write_board(&board_of(&[&was, OLD, RECENT].concat()));
    let prune = env.park("board.exchange.before", &["prune"]);
    let repo = app.to_str().unwrap();
    let new = env.repo("new");
    let said: Said = env
        .command(&["update", "--json", "--status", "in-progress"])
        .args(["--repo", repo, new.to_str().unwrap()])
        .env("BOARDSYNC_SKIP_LOCK", "1")
        .env("FAILPOINTS", "latch.lock.before=return(95)")
        .output()
        .unwrap()
        .into();
    assert_eq!(said.quietly().json()["action"], "written");
    assert!(
        env.read_board().contains(OLD),
        "it is displaced with the board"
    );
    let said = prune.go().quietly();
    assert!(said.out.contains("dropped `old`"), "{}", said.out);
    let rows = rows(&env);
    assert!(rows.contains("| app | in-progress |"), "{rows}");
    assert!(rows.contains("| new | in-progress |"), "{rows}");
    assert!(rows.contains(RECENT), "{rows}");
    assert!(!rows.contains(OLD), "it does not come back: {rows}");
}

#[cfg(feature = "failpoints")]
#[test]
fn without_a_backup_nothing_is_dropped() {
    let env = TestEnv::new();
    let board = board_of(OLD);
    env.write_board(&board);
    let said: Said = env
        .command(&["prune"])
        .env("FAILPOINTS", "file.write.before=return(28)")
        .output()
        .unwrap()
        .into();
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("cannot write a backup"), "{said:?}");
    assert_eq!(env.read_board(), board);
    assert_eq!(backups(&env), [""; 0]);
    env.assert_no_litter();
}

#[test]
fn rows_are_missing_only_where_the_folder_is_known_to_be_gone() {
    let env = TestEnv::new();
    let src = env.path("src");
    let here = env.repo("here");
    let row = |name: &str, path: &Path, status: &str, beat: &str| {
        format!(
            "| {name} | {status} | s | — | — | {beat} | {} |\n",
            key(path)
        )
    };
    let recent = "2026-11-30T06:00:00.000Z";
    let elsewhere = env.path("mnt/elsewhere");
    let there = row("here", &here, "frei", "—");
    let running = row("running", &src.join("running"), "in-progress", recent);
    let unknown = row("elsewhere", &elsewhere, "frei", "—");
    let gone = row("gone", &src.join("gone"), "closed", recent);
    let in_home = row("homely", &env.home().join("homely"), "frei", "—");
    env.write_board(&board_of(
        &[&*unknown, &gone, &there, &in_home, &running].concat(),
    ));
    let said = run(
        &env,
        &["prune", "--missing", "--root", src.to_str().unwrap()],
    )
    .quietly();
    assert_eq!(rows(&env), [&*unknown, &there, &running].concat());
    let path = format!("no folder at `{}`", src.join("gone").display());
    for part in [
        &*path,
        "stays `elsewhere`: its folder is not known here",
        "2 rows dropped",
    ] {
        assert!(said.out.contains(part), "{part} is not in {}", said.out);
    }

    // Where the mount point is there, but empty, the volume may be elsewhere.
    std::fs::create_dir_all(env.path("mnt")).unwrap();
    let mnt = env.path("mnt");
    let args = ["prune", "--missing", "--root", mnt.to_str().unwrap()];
    run(&env, &args).quietly();
    assert!(rows(&env).contains(&unknown), "{}", rows(&env));
    std::fs::write(mnt.join("neighbour"), "").unwrap();
    run(&env, &args).quietly();
    assert!(!rows(&env).contains(&unknown), "{}", rows(&env));
}

#[test]
fn rows_of_other_hosts_are_never_missing() {
    let env = TestEnv::new();
    env.repo("here");
    let gone = env.path("src/gone");
    let board = |host: &str| {
        board_of("")
            .replace("| Key |\n", "| Key | Host |\n")
            .replace("|---|\n", "|---|---|\n")
            + &format!(
                "| gone | frei | — | — | — | — | {} | {host} |\n",
                key(&gone)
            )
    };
    let src = env.path("src");
    let args = ["prune", "--missing", "--root", src.to_str().unwrap()];
    let theirs = board("somebody-elses-laptop");
    env.write_board(&theirs);
    run(&env, &args).quietly();
    assert_eq!(env.read_board(), theirs);
    env.write_board(&board(&boardsync::lock::Host::current().id));
    run(&env, &args).quietly();
    assert!(!env.read_board().contains("| gone |"));
}

#[test]
fn the_last_twenty_backups_stay_and_the_others_go_aloud() {
    let env = TestEnv::new();
    for round in 0..22 {
        env.write_board(&board_of(OLD));
        let said = run(&env, &["prune"]).quietly();
        let expired = said.out.contains("removed the old backup");
        assert_eq!(expired, round >= 20, "round {round}: {}", said.out);
    }
    assert_eq!(backups(&env).len(), 20);
}

#[test]
fn a_persons_note_is_refused() {
    let env = TestEnv::new();
    env.write_board("# Mine\n");
    for args in [&["prune"][..], &["prune", "--dry-run"]] {
        let said = run(&env, args);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains("not a board of ours"), "{said:?}");
    }
    assert_eq!(env.read_board(), "# Mine\n");
}
