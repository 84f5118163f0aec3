//! Many writers of both kinds, one vault.

use crate::env::{Said, TestEnv, time};
use crate::peer::{Peer, lease, ledger, wired_repo, write_lease};
use serde_json::{Value, json};
use std::path::Path;

const WRITERS: usize = 8;
const UPDATES: usize = 10;
const NOW: &str = "2026-11-30T07:00:00.000Z";

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
