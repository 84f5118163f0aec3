//! A board with the column `Host`, which session-orchestrator 5.4 gives to each.

use crate::env::TestEnv;
use crate::peer::{Peer, lease, wired_repo, write_lease};

const OTHER: &str =
    "| zoo | closed | s9 | main | deep | 2026-11-30T01:00:00.000Z | 00000000 | studio |\n";

fn write_board(env: &TestEnv) {
    env.write_board(&format!(
        "---\n_generator: session-orchestrator-active-sessions@1\nid: active-sessions\n\
         type: board\ncreated: 2026-11-30T00:00:00.000Z\nupdated: 2026-11-30T00:00:00.000Z\n---\n\n\
         # Active Sessions\n\n\
         | Repo | Status | Session | Branch | Mode | Last heartbeat | Key | Host |\n\
         |---|---|---|---|---|---|---|---|\n{OTHER}"
    ));
}

#[test]
fn node_drops_its_rows_and_boardsync_keeps_them() {
    let Some(peer) = Peer::find() else { return };
    let env = TestEnv::new();
    let repo = wired_repo(&env, "app");
    write_lease(&repo, &lease("s1", "2026-11-30T06:59:00.000Z"));

    write_board(&env);
    env.run(&["update", "--quiet", "--repo", repo.to_str().unwrap()])
        .quietly();
    let board = env.read_board();
    assert!(
        board.contains(OTHER) && board.contains("| app |"),
        "{board}"
    );

    write_board(&env);
    peer.update(&env, &repo);
    let board = env.read_board();
    assert!(
        !board.contains("zoo") && board.contains("| app |"),
        "{board}"
    );
}
