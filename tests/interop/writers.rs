//! Many writers of both kinds, one vault.

use crate::env::{Said, TestEnv};
use crate::guard::{dead_pid, plant_guard};
use crate::peer::{Peer, lease, ledger, wired_repo, write_lease};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const WRITERS: usize = 8;
const UPDATES: usize = 10;
const NOW: &str = "2026-11-30T07:00:00.000Z";

/// The heartbeat of one update: before [`NOW`], for one ahead of it proves no life.
fn time(update: usize) -> String {
    format!("2026-11-30T06:50:{update:02}.000Z")
}

fn leases() -> Vec<Value> {
    (0..UPDATES)
        .map(|update| lease(&format!("s{update}"), &time(update)))
        .collect()
}

/// One process, ten updates.
fn write_with_node(peer: &Peer, env: &TestEnv, repo: &Path) {
    let job = json!({"repo": repo, "now": NOW, "leases": leases()});
    for said in peer.run(env, "session", &[job]) {
        assert_eq!(said["action"], "written", "{said}");
    }
}

/// Ten processes, one update each.
fn write_with_boardsync(env: &TestEnv, repo: &Path) {
    for lease in leases() {
        write_lease(repo, &lease);
        let mut command = env.command(&["update", "--json", "--repo", repo.to_str().unwrap()]);
        let output = command.env("BOARDSYNC_NOW", NOW).output().unwrap();
        let said = Said::from(output).quietly().json();
        assert_eq!(said["action"], "written", "{said}");
    }
}

fn run(peer: &Peer, env: &TestEnv, node: usize, boardsync: usize) {
    let repo = |index| wired_repo(env, &format!("repo-{index:02}"));
    std::thread::scope(|scope| {
        for index in 0..node {
            scope.spawn(move || write_with_node(peer, env, &repo(index)));
        }
        for index in node..node + boardsync {
            scope.spawn(move || write_with_boardsync(env, &repo(index)));
        }
    });
    let board = env.read_board();
    let last = UPDATES - 1;
    for index in 0..node + boardsync {
        let row = format!(
            "| repo-{index:02} | in-progress | s{last} | — | deep | {} |",
            time(last)
        );
        assert!(board.contains(&row), "lost: {row} of\n{board}");
        for line in ledger(&repo(index)) {
            assert_eq!(line["lock"]["locked"], true, "repo-{index:02}: {line}");
        }
    }
    env.assert_no_litter();
}

#[test]
fn eight_node_and_eight_boardsync_writers_lose_nothing_and_are_all_locked() {
    let Some(peer) = Peer::find() else { return };
    run(&peer, &TestEnv::new(), WRITERS, WRITERS);
}

/// Gives how many of 16 single Node updates, all at once, are not in the board.
fn lost_of_sixteen(peer: &Peer, env: &TestEnv) -> usize {
    let names: Vec<String> = (0..16).map(|index| format!("repo-{index:02}")).collect();
    std::thread::scope(|scope| {
        for name in &names {
            scope.spawn(move || {
                let repo = wired_repo(env, name);
                write_lease(&repo, &lease("s", &time(0)));
                peer.run(env, "update", &[json!({"repo": repo, "now": NOW})]);
            });
        }
    });
    let board = env.read_board();
    let is_lost = |name: &&String| !board.contains(&format!("| {name} |"));
    names.iter().filter(is_lost).count()
}

#[test]
#[ignore = "a measurement of the Node writer, for docs/interop.md"]
fn how_many_rows_node_loses_behind_a_dead_guard() {
    let Some(peer) = Peer::find() else { return };
    for round in 1..=3 {
        let env = TestEnv::new();
        println!(
            "round {round}: {} of 16 lost, alone",
            lost_of_sixteen(&peer, &env)
        );
        let env = TestEnv::new();
        plant_guard(&env, dead_pid(), Duration::from_secs(10));
        let lost = lost_of_sixteen(&peer, &env);
        println!("round {round}: {lost} of 16 lost, behind a dead guard");
        let env = TestEnv::new();
        plant_guard(&env, dead_pid(), Duration::from_secs(10));
        let repo = wired_repo(&env, "ours");
        let args = ["update", "--quiet", "--repo", repo.to_str().unwrap()];
        env.run(&args).quietly();
        let lost = lost_of_sixteen(&peer, &env);
        println!("round {round}: {lost} of 16 lost, after one boardsync update");
    }
}
