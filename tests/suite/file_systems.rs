//! The main promises, on each file system that `scripts/file-systems` mounts.
//!
//! `BOARDSYNC_TEST_VOLUMES` is `name=folder:name=folder…`, and
//! `BOARDSYNC_TEST_VOLUMES_MISSING` is `name=reason:…`. Without them only what
//! is there anyway is used: the folder for temporary files, and `/dev/shm`.

use crate::env::{Said, TestEnv, board_of, host_name, time};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Lists the volumes, and names those that are not there.
fn volumes() -> Vec<(String, PathBuf)> {
    let listed = |name| std::env::var(name).unwrap_or_default();
    let pairs = |text: &str| -> Vec<(String, String)> {
        let pairs = text.split(':').filter_map(|pair| pair.split_once('='));
        pairs.map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    let mut volumes = vec![("temporary".to_owned(), std::env::temp_dir())];
    if std::path::Path::new("/dev/shm").is_dir() {
        volumes.push(("/dev/shm".to_owned(), "/dev/shm".into()));
    } else {
        println!("skipped: /dev/shm (there is none)");
    }
    let given = listed("BOARDSYNC_TEST_VOLUMES");
    if given.is_empty() {
        println!(
            "skipped: ext4, xfs, tmpfs, overlay, exfat, btrfs, vfat (run scripts/file-systems)"
        );
    }
    volumes.extend(
        pairs(&given)
            .into_iter()
            .map(|(name, path)| (name, path.into())),
    );
    for (name, reason) in pairs(&listed("BOARDSYNC_TEST_VOLUMES_MISSING")) {
        println!("skipped: {name} ({reason})");
    }
    volumes
}

/// Holds a promise on every volume; says how it went on each.
fn on_each(promise: impl Fn(&TestEnv) -> String) {
    let mut broken = Vec::new();
    for (name, folder) in volumes() {
        let env = TestEnv::within(&folder);
        let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| promise(&env)));
        match held {
            Ok(note) => println!("{name}: {note}"),
            Err(_) => broken.push(name),
        }
    }
    assert!(broken.is_empty(), "broken on {broken:?}");
}

fn update(env: &TestEnv, name: &str, index: usize) -> Command {
    let repo = env.repo(name);
    let mut command = env.command(&["update", "--json", "--status", "in-progress"]);
    command
        .args(["--heartbeat", &time(index), "--repo"])
        .arg(repo);
    command
}

fn run(mut command: Command) -> serde_json::Value {
    Said::from(command.output().unwrap()).quietly().json()
}

/// Runs 16 writers of five updates each; gives how many locks were taken over,
/// how many updates ran without the lock, and how many conflicts were met.
fn sixteen(env: &TestEnv, skip: &str) -> String {
    let said: Vec<_> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                scope.spawn(move || {
                    let one = |index| {
                        let mut command = update(env, &format!("repo-{writer:02}"), index);
                        command.env("BOARDSYNC_SKIP_LOCK", skip);
                        run(command)
                    };
                    (0..5).map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        let said = writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap());
        said.collect()
    });
    let board = env.read_board();
    for writer in 0..16 {
        let row = format!(
            "| repo-{writer:02} | in-progress | — | — | — | {} |",
            time(4)
        );
        assert!(board.contains(&row), "{row} is not in\n{board}");
    }
    env.assert_no_litter();
    let count = |is_so: &dyn Fn(&serde_json::Value) -> bool| {
        said.iter().filter(|said| is_so(&said["lock"])).count()
    };
    let overrides = count(&|lock| lock["staleOverride"].is_string());
    let unlocked = count(&|lock| lock["locked"] != true);
    assert_eq!(overrides, 0, "a live lock was taken over");
    assert_eq!(unlocked, if skip == "1" { 80 } else { 0 });
    let conflicts: u64 = said
        .iter()
        .filter_map(|it| it["lock"]["conflicts"].as_u64())
        .sum();
    let unlatched = count(&|lock| lock["latched"] != true);
    format!("{conflicts} conflicts, {unlatched} without the latch")
}

#[test]
fn sixteen_writers_lose_nothing() {
    on_each(|env| sixteen(env, "0"));
}

#[test]
fn sixteen_writers_without_the_lock_lose_nothing() {
    on_each(|env| sixteen(env, "1"));
}

#[test]
fn a_stale_lock_is_taken_over_and_a_young_one_is_not() {
    on_each(|env| {
        let record = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
        env.plant_lock(&record, Duration::from_secs(600));
        let json = run(update(env, "app", 0));
        let reason = json["lock"]["staleOverride"].as_str().unwrap().to_owned();
        env.assert_no_litter();
        env.plant_lock(&record, Duration::ZERO);
        let mut command = update(env, "lib", 0);
        command.env("BOARDSYNC_TIMEOUT_MS", "300");
        let said = Said::from(command.output().unwrap());
        assert_eq!(said.json()["lock"]["reason"], "timeout", "{said:?}");
        assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
        reason
    });
}

#[test]
fn a_foreign_lock_is_never_touched() {
    on_each(|env| {
        let record = r#"{"pid": 7, "host": "laptop"}"#;
        env.plant_lock(record, Duration::from_secs(9_999));
        let said = Said::from(update(env, "app", 0).output().unwrap());
        assert_eq!(said.json()["lock"]["reason"], "timeout", "{said:?}");
        assert_eq!(std::fs::read_to_string(env.lock()).unwrap(), record);
        assert!(env.read_board().contains("| app |"));
        format!("waited {} ms", said.json()["lock"]["waitedMs"])
    });
}

#[cfg(feature = "failpoints")]
#[test]
fn a_killed_holder_and_what_it_left_are_cleared_away_at_once() {
    on_each(|env| {
        env.write_board(&board_of("\nProse.\n"));
        let mut said = String::new();
        for point in [
            "latch.open.before",
            "board.stage.after",
            "board.sync-folder.before",
        ] {
            let holder = env.park_along(&[point], update(env, "dead", 0));
            let pid = holder.pid();
            holder.kill();
            let json = run(update(env, "next", 1));
            said = json["lock"]["staleOverride"].as_str().unwrap().to_owned();
            assert_eq!(said, format!("dead holder pid {pid}"));
            env.assert_no_litter();
            std::fs::remove_file(env.board()).unwrap();
            env.write_board(&board_of("\nProse.\n"));
        }
        said
    });
}

#[cfg(feature = "failpoints")]
#[test]
fn a_lease_is_kept_fresh() {
    on_each(|env| {
        let mut command = update(env, "slow", 0);
        // Longer than the coarsest times that a file system keeps (2 s).
        command.env("BOARDSYNC_STALE_MS", "4000");
        let holder = env.park_along(&["latch.open.before"], command);
        let mut waiter = update(env, "waiter", 0);
        waiter.env("BOARDSYNC_STALE_MS", "4000");
        waiter.env("BOARDSYNC_TIMEOUT_MS", "5500");
        let said = Said::from(waiter.output().unwrap());
        assert_eq!(said.json()["lock"]["reason"], "timeout", "{said:?}");
        assert_eq!(
            Said::quietly(holder.go()).json()["lock"]["release"],
            "released"
        );
        env.assert_no_litter();
        "a lock of 5.5 s was held against a staleness of 4 s".to_owned()
    });
}
