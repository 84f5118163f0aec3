//! Real processes held at the steps where it would go wrong.

use crate::env::situation::{NOTE, PLANTED, PROSE, SEED};
use crate::env::{Parked, Said, TestEnv, board_of, host_name, make_older, save, wait_until};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

fn run(mut command: Command) -> Said {
    command.output().unwrap().into()
}

/// Runs an update that nothing stands in the way of.
fn next(env: &TestEnv) {
    let json = run(env.update_command("next")).quietly().json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["locked"], true, "{json}");
    assert_eq!(json["lock"]["release"], "released", "{json}");
    assert_rows(env, &["next"]);
    env.assert_no_litter();
}

/// Prepares an update to which a lock that is 150 ms old is stale.
fn hasty(env: &TestEnv, name: &str) -> Command {
    let mut command = env.update_command(name);
    command.env("BOARDSYNC_STALE_MS", "150");
    command
}

fn patient_for(mut command: Command, millis: &str) -> Command {
    command.env("BOARDSYNC_TIMEOUT_MS", millis);
    command
}

fn seed(env: &TestEnv) {
    env.write_board(&board_of(&format!("{SEED}{PROSE}")));
}

fn plant(env: &TestEnv) {
    env.write_board(&board_of(&format!("{SEED}{PLANTED}{PROSE}")));
}

fn plant_stale(env: &TestEnv) {
    let record = format!(r#"{{"pid": 1, "host": "{}"}}"#, host_name());
    env.plant_lock(&record, Duration::from_secs(600));
}

fn guard(env: &TestEnv) -> PathBuf {
    env.orchestrator().join("board.lock.acquire")
}

fn plant_guard(env: &TestEnv, pid: i64, host: &str, age: Duration) -> String {
    let record = format!(r#"{{"pid": {pid}, "host": "{host}", "kind": "acquisition-guard"}}"#);
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    std::fs::write(guard(env), &record).unwrap();
    make_older(&guard(env), age);
    record
}

fn assert_rows(env: &TestEnv, names: &[&str]) {
    let board = env.read_board();
    for name in names {
        let row = format!("| {name} | ");
        assert_eq!(board.matches(&row).count(), 1, "{name} in\n{board}");
    }
}

fn assert_prose(env: &TestEnv) {
    let board = env.read_board();
    assert_eq!(board.matches(PROSE.trim()).count(), 1, "{board}");
}

/// Reads the pid out of the record at the lock's path.
fn holder(env: &TestEnv) -> u32 {
    let record: Value = serde_json::from_slice(&std::fs::read(env.lock()).unwrap()).unwrap();
    record["pid"].as_u64().unwrap().try_into().unwrap()
}

/// Freezes a holder until its lease is over for the hasty.
fn freeze_past_its_lease(env: &TestEnv, holder: &Parked) {
    holder.freeze();
    wait_until("its lease is over", || {
        let beaten = std::fs::metadata(env.lock()).unwrap().modified().unwrap();
        let age = SystemTime::now().duration_since(beaten);
        age.is_ok_and(|age| age > Duration::from_millis(300))
    });
}

fn overrides(said: &[Value]) -> usize {
    let is_one = |json: &&Value| json["lock"]["staleOverride"].is_string();
    said.iter().filter(is_one).count()
}

fn race_for_a_stale_lock(racers: &[&str]) {
    let env = TestEnv::new();
    seed(&env);
    plant_stale(&env);
    // All have judged it stale; the first has the guard, the others will try.
    let first = env.park_along(&["lock.take-over.before"], env.update_command("first"));
    let mut all: Vec<Parked> = racers
        .iter()
        .map(|name| env.park_along(&["guard.publish.before"], env.update_command(name)))
        .collect();
    all.push(first);
    assert!(env.lock().exists(), "the name is never absent");
    all.iter_mut().for_each(Parked::resume);
    let said: Vec<Value> = all
        .into_iter()
        .map(|racer| racer.said().quietly().json())
        .collect();
    assert_eq!(overrides(&said), 1, "one took it over: {said:#?}");
    for json in &said {
        assert_eq!(json["lock"]["locked"], true, "{json}");
        assert_eq!(json["lock"]["release"], "released", "{json}");
    }
    assert_rows(&env, racers);
    assert_rows(&env, &["first", "seed"]);
    assert_prose(&env);
    env.assert_no_litter();
}

#[test]
fn of_two_that_find_a_stale_lock_one_takes_it_over() {
    race_for_a_stale_lock(&["second"]);
}

#[test]
fn of_three_that_find_a_stale_lock_one_takes_it_over() {
    race_for_a_stale_lock(&["second", "third"]);
}

#[test]
fn whoever_comes_during_a_takeover_does_not_slip_in() {
    let env = TestEnv::new();
    seed(&env);
    plant_stale(&env);
    let points = ["lock.take-over.before", "lock.take-over.after"];
    let mut taker = env.park_along(&points, env.update_command("taker"));
    for name in ["before", "after"] {
        let said = run(patient_for(env.update_command(name), "200"));
        assert_eq!(said.err.lines().count(), 1, "one warning: {}", said.err);
        let json = said.json();
        assert_eq!(json["lock"]["reason"], "timeout", "{name}: {json}");
        assert_eq!(json["action"], "written");
        if name == "before" {
            taker.advance();
            assert_eq!(holder(&env), taker.pid());
        }
    }
    let json = taker.go().quietly().json();
    assert_eq!(json["lock"]["release"], "released");
    assert_rows(&env, &["seed", "before", "after", "taker"]);
    env.assert_no_litter();
}

#[test]
fn a_holder_that_wakes_before_its_commit_finds_its_successor_and_leaves_it_alone() {
    let env = TestEnv::new();
    seed(&env);
    let late = env.park_along(&["latch.open.before"], hasty(&env, "late"));
    freeze_past_its_lease(&env, &late);
    let successor = env.park_along(&["latch.open.before"], hasty(&env, "successor"));
    assert_eq!(holder(&env), successor.pid());
    late.thaw();
    let json = late.go().quietly().json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["release"], "not-owner", "{json}");
    assert_eq!(holder(&env), successor.pid(), "it is still the successor's");
    let json = successor.go().quietly().json();
    let reason = json["lock"]["staleOverride"].as_str().unwrap();
    assert!(reason.starts_with("mtime age "), "{reason}");
    assert_eq!(json["lock"]["release"], "released", "{json}");
    assert_rows(&env, &["seed", "late", "successor"]);
    env.assert_no_litter();
}

/// Lets a holder lose its lease at `point`, and another commit meanwhile.
fn lose_the_lease_at(point: &str) -> (TestEnv, Value) {
    let env = TestEnv::new();
    seed(&env);
    let late = env.park_along(&[point], hasty(&env, "late"));
    freeze_past_its_lease(&env, &late);
    let json = run(hasty(&env, "successor")).quietly().json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["locked"], true, "{json}");
    assert_eq!(
        json["lock"]["latched"], false,
        "the late one has it: {json}"
    );
    late.thaw();
    let json = late.go().quietly().json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["release"], "not-found", "{json}");
    assert_rows(&env, &["seed", "late", "successor"]);
    assert_prose(&env);
    env.assert_no_litter();
    (env, json)
}

#[test]
fn a_holder_that_wakes_between_read_and_exchange_joins_its_successor() {
    let (_, json) = lose_the_lease_at("board.exchange.before");
    assert_eq!(json["lock"]["conflicts"], 1, "{json}");
}

#[test]
fn a_holder_that_wakes_between_exchange_and_compare_loses_nothing() {
    let (_, json) = lose_the_lease_at("board.exchange.after");
    assert_eq!(json["lock"]["conflicts"], 0, "{json}");
}

#[test]
fn what_a_living_writer_displaced_is_adopted_once() {
    let env = TestEnv::new();
    seed(&env);
    let points = ["board.exchange.before", "board.exchange.after"];
    let mut late = env.park_along(&points, hasty(&env, "late"));
    plant(&env);
    late.advance();
    freeze_past_its_lease(&env, &late);
    assert!(!env.read_board().contains("planted"), "it is displaced");
    run(hasty(&env, "successor")).quietly();
    assert_rows(&env, &["planted", "late", "successor"]);
    late.thaw();
    assert_eq!(late.go().quietly().json()["action"], "written");
    assert_rows(&env, &["seed", "planted", "late", "successor"]);
    assert_prose(&env);
    next(&env);
}

#[test]
fn one_refused_heartbeat_does_not_end_a_lease() {
    let env = TestEnv::new();
    seed(&env);
    let mut command = hasty(&env, "holder");
    command.env("FAILPOINTS", "lock.beat.before=1*return(5)");
    let holder = env.park_along(&["latch.open.before"], command);
    let json = run(patient_for(hasty(&env, "waiter"), "600")).json();
    assert_eq!(json["lock"]["reason"], "timeout", "it beats on: {json}");
    assert_eq!(holder.go().quietly().json()["lock"]["release"], "released");
    assert_rows(&env, &["holder", "waiter"]);
    env.assert_no_litter();
}

#[test]
fn our_own_dead_guard_is_removed_at_once() {
    let env = TestEnv::new();
    seed(&env);
    env.park_along(&["guard.unlink.before"], env.update_command("dead"))
        .kill();
    assert!(guard(&env).exists());
    next(&env);
    assert_rows(&env, &["dead"]);
}

#[test]
fn a_peers_dead_guard_is_removed_after_the_grace() {
    let env = TestEnv::new();
    plant_guard(&env, i64::from(i32::MAX), &host_name(), Duration::ZERO);
    let json = run(env.update_command("early")).quietly().json();
    assert_eq!(json["lock"]["release"], "busy", "it may be in use: {json}");
    assert!(guard(&env).exists());
    let json = run(env.update_command("later")).quietly().json();
    assert_eq!(json["lock"]["locked"], true, "within 5 s: {json}");
    assert_eq!(json["lock"]["release"], "released", "{json}");
    assert_rows(&env, &["early", "later"]);
    env.assert_no_litter();
}

#[test]
fn a_peers_living_guard_is_left_alone() {
    let env = TestEnv::new();
    let pid = i64::from(std::process::id());
    let record = plant_guard(&env, pid, &host_name(), Duration::from_secs(30));
    let json = run(env.update_command("app")).quietly().json();
    assert_eq!(json["lock"]["release"], "busy", "{json}");
    assert_eq!(std::fs::read_to_string(guard(&env)).unwrap(), record);
    assert_rows(&env, &["app"]);
}

#[test]
fn a_foreign_guard_is_never_removed_and_costs_little() {
    let env = TestEnv::new();
    let record = plant_guard(&env, 7, "laptop", Duration::from_secs(9_999));
    let json = run(env.update_command("one")).quietly().json();
    assert_eq!(json["lock"]["release"], "busy", "{json}");
    // The lock is left; the next one may not take it over without the guard.
    let said = run(env.update_command("two"));
    assert_eq!(said.err.lines().count(), 1, "one warning: {}", said.err);
    let json = said.json();
    assert_eq!(json["lock"]["locked"], false, "{json}");
    assert!(json["lock"]["waitedMs"].as_u64() < Some(1_000), "{json}");
    assert_eq!(std::fs::read_to_string(guard(&env)).unwrap(), record);
    assert_rows(&env, &["one", "two"]);
}

#[test]
fn a_fresh_incomplete_record_is_given_time_to_be_finished() {
    let env = TestEnv::new();
    env.plant_lock("", Duration::ZERO);
    let waiter = env.update_command("waiter").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let pid = std::process::id();
    let record = format!(r#"{{"pid": {pid}, "host": "{}"}}"#, host_name());
    std::fs::write(env.lock(), &record).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(
        std::fs::read_to_string(env.lock()).unwrap(),
        record,
        "it is still there"
    );
    std::fs::remove_file(env.lock()).unwrap();
    let json = Said::from(waiter.wait_with_output().unwrap())
        .quietly()
        .json();
    assert_eq!(json["lock"]["locked"], true, "{json}");
    assert!(json["lock"]["staleOverride"].is_null(), "{json}");
    assert!(json["lock"]["waitedMs"].as_u64() > Some(500), "{json}");
    env.assert_no_litter();
}

#[test]
fn a_gate_removed_by_hand_makes_no_second_holder() {
    let env = TestEnv::new();
    seed(&env);
    let holder = env.park_along(&["latch.open.before"], env.update_command("holder"));
    std::fs::remove_file(env.orchestrator().join("board.gate.lock")).unwrap();
    let said = run(patient_for(env.update_command("waiter"), "300"));
    assert_eq!(said.err.lines().count(), 1, "one warning: {}", said.err);
    assert_eq!(said.json()["lock"]["reason"], "timeout");
    let json = holder.go().quietly().json();
    assert_eq!(json["lock"]["release"], "released", "{json}");
    assert_rows(&env, &["seed", "holder", "waiter"]);
    next(&env);
}

#[test]
fn a_board_whose_time_alone_changes_is_no_other_board() {
    let env = TestEnv::new();
    seed(&env);
    // As `rclone mount` does it for whoever opens the file to read it.
    let writer = env.park_along(&["board.stage.after"], env.update_command("app"));
    make_older(&env.board(), Duration::from_secs(5));
    let json = writer.go().quietly().json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["conflicts"], 0, "{json}");
    assert_rows(&env, &["seed", "app"]);
}

#[test]
fn what_an_outsider_writes_between_read_and_exchange_is_joined() {
    let env = TestEnv::new();
    seed(&env);
    let writer = env.park_along(&["board.exchange.before"], env.update_command("app"));
    save(
        &env.board(),
        &board_of(&format!("{SEED}{PLANTED}{PROSE}And this.\n")),
    );
    let json = writer.go().quietly().json();
    assert_eq!(json["action"], "written");
    assert_eq!(json["lock"]["conflicts"], 1, "{json}");
    assert_rows(&env, &["seed", "planted", "app"]);
    assert!(env.read_board().contains("And this.\n"));
    env.assert_no_litter();
}

#[test]
fn a_note_put_there_between_read_and_exchange_is_put_back() {
    let env = TestEnv::new();
    seed(&env);
    let writer = env.park_along(&["board.exchange.before"], env.update_command("app"));
    save(&env.board(), NOTE);
    let json = writer.go().quietly().json();
    assert_eq!(json["action"], "skipped-handwritten");
    assert_eq!(env.read_board(), NOTE);
    env.assert_no_litter();
}

/// Saves a second note at `point`, after the first was displaced.
fn a_second_note_at(point: &str) -> TestEnv {
    const SECOND: &str = "# My second note\n";
    let env = TestEnv::new();
    seed(&env);
    let points = ["board.exchange.before", point];
    let mut writer = env.park_along(&points, env.update_command("app"));
    save(&env.board(), NOTE);
    writer.advance();
    save(&env.board(), SECOND);
    let json = writer.go().quietly().json();
    assert_eq!(json["action"], "skipped-handwritten");
    assert_eq!(env.read_board(), SECOND, "the last write stays");
    let kept = env.litter();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = std::fs::read_to_string(env.orchestrator().join(&kept[0])).unwrap();
    assert_eq!(kept, NOTE, "the first is kept");
    env
}

#[test]
fn a_second_note_before_the_first_is_put_back_stays() {
    a_second_note_at("board.sync-folder.after");
}

#[test]
fn a_second_note_while_the_first_is_put_back_stays() {
    a_second_note_at("board.swap-back.before");
}

/// Truncates and writes in place, as some editors do, in two steps.
struct InPlace(std::fs::File);

impl InPlace {
    fn truncate(path: &Path) -> Self {
        Self(std::fs::File::create(path).unwrap())
    }

    fn write(mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
    }
}

/// Truncates before the exchange, and writes once the update is at `point`.
fn an_editor_that_writes_at(point: &str) {
    let env = TestEnv::new();
    seed(&env);
    let points = ["board.exchange.before", point];
    let mut writer = env.park_along(&points, env.update_command("app"));
    let editor = InPlace::truncate(&env.board());
    writer.advance();
    editor.write(&board_of(&format!("{SEED}{PLANTED}{PROSE}")));
    let json = writer.go().quietly().json();
    assert_eq!(json["action"], "written", "{json}");
    assert!(json["lock"]["conflicts"].as_u64() > Some(0), "{json}");
    assert_rows(&env, &["seed", "planted", "app"]);
    assert_prose(&env);
    env.assert_no_litter();
}

#[test]
fn an_editor_that_writes_in_place_after_the_exchange_is_joined() {
    an_editor_that_writes_at("board.exchange.after");
}

#[test]
fn an_editor_that_writes_in_place_after_the_compare_is_joined() {
    an_editor_that_writes_at("board.swap-back.before");
}

#[test]
fn an_editor_that_writes_in_place_after_the_swap_back_is_joined() {
    an_editor_that_writes_at("board.swap-back.after");
}

#[test]
fn a_truncated_board_is_given_time_and_never_filled() {
    let env = TestEnv::new();
    seed(&env);
    let editor = InPlace::truncate(&env.board());
    let json = run(env.update_command("app")).quietly().json();
    assert_eq!(json["action"], "skipped-handwritten", "{json}");
    assert_eq!(env.read_board(), "", "it is the editor's");
    editor.write(&board_of(SEED));
    next(&env);
    assert_rows(&env, &["seed"]);
}

#[test]
fn what_two_crashes_displaced_is_all_found() {
    let env = TestEnv::new();
    seed(&env);
    let points = ["board.exchange.before", "board.exchange.after"];
    for (name, planted) in [("one", "planted-1"), ("two", "planted-2")] {
        let mut writer = env.park_along(&points, env.update_command(name));
        let row = PLANTED.replace("planted", planted);
        let board = env.read_board();
        let key = if name == "one" {
            "99999991"
        } else {
            "99999992"
        };
        let row = row.replace("99999999", key);
        save(&env.board(), &board.replace(SEED, &format!("{SEED}{row}")));
        writer.advance();
        assert!(!env.read_board().contains(planted), "it is displaced");
        writer.kill();
    }
    next(&env);
    assert_rows(&env, &["seed", "one", "two", "planted-1", "planted-2"]);
    assert_prose(&env);
}

#[test]
fn a_second_crash_does_not_undo_an_edit() {
    let env = TestEnv::new();
    seed(&env);
    let points = ["board.exchange.before", "board.exchange.after"];
    let mut writer = env.park_along(&points, env.update_command("one"));
    let edited = board_of(&format!("{SEED}\nA person changed this.\n"));
    save(&env.board(), &edited);
    writer.advance();
    writer.kill();
    // It has joined the edit, and dies with the board before that at hand.
    env.park_along(&["board.unlink.before"], env.update_command("two"))
        .kill();
    let joined = env.read_board();
    assert!(joined.contains("A person changed this."));
    // Nobody can know that the line was meant to replace the old one; a person
    // says so, and that is the end of it.
    save(&env.board(), &joined.replace(PROSE.trim(), ""));
    next(&env);
    let board = env.read_board();
    assert!(board.contains("A person changed this."), "{board}");
    assert_rows(&env, &["seed", "one", "two"]);
}

#[test]
fn two_edits_in_a_row_during_one_commit_are_both_kept() {
    let env = TestEnv::new();
    seed(&env);
    let points = ["board.exchange.before", "board.exchange.after"];
    let mut writer = env.park_along(&points, env.update_command("app"));
    let edited = |prose: &str| board_of(&format!("{SEED}{PROSE}{prose}"));
    save(&env.board(), &edited("The first edit.\n"));
    writer.advance();
    // The first is displaced, and has not been joined: the editor cannot see it.
    save(&env.board(), &edited("The second edit.\n"));
    let json = writer.go().quietly().json();
    assert_eq!(json["lock"]["conflicts"], 2, "{json}");
    let board = env.read_board();
    for edit in ["The first edit.", "The second edit."] {
        assert_eq!(board.matches(edit).count(), 1, "{edit} in\n{board}");
    }
    assert_rows(&env, &["seed", "app"]);
    env.assert_no_litter();
}

#[test]
fn a_folder_with_more_in_it_than_a_lock_is_kept_under_a_name_that_says_so() {
    let env = TestEnv::new();
    seed(&env);
    std::fs::create_dir_all(env.lock()).unwrap();
    std::fs::write(env.lock().join("precious"), "mine").unwrap();
    let json = run(env.update_command("next")).quietly().json();
    assert_eq!(json["lock"]["staleOverride"], "unparseable record");
    let names = env.beside_the_lock();
    let kept = names.iter().find(|name| name.ends_with(".kept")).unwrap();
    let text = std::fs::read_to_string(env.orchestrator().join(kept).join("precious"));
    assert_eq!(text.unwrap(), "mine");
}
