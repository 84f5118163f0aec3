//! The rules of the lock that need a file system which refuses, or a clock which jumps.

use crate::env::{Said, TestEnv, host_name, make_older, wait_until};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

const EIO: i32 = 5;
const EBUSY: i32 = 16;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const EOPNOTSUPP: i32 = 95;
const ESTALE: i32 = 116;

fn update(env: &TestEnv) -> Command {
    let mut command = env.command(&["update", "--json", "--status", "closed", "--repo"]);
    command.arg(env.repo("app"));
    command
}

fn run(mut command: Command) -> Said {
    command.output().unwrap().into()
}

fn guard(env: &TestEnv) -> PathBuf {
    env.orchestrator().join("board.lock.acquire")
}

fn of_this_host(pid: u32) -> String {
    format!(r#"{{"pid": {pid}, "host": "{}"}}"#, host_name())
}

/// Runs an update that meets these failures, and gives what its lock did.
fn lock_with(env: &TestEnv, failures: &str) -> Value {
    let mut command = update(env);
    command.env("FAILPOINTS", failures);
    run(command).json()["lock"].clone()
}

fn assert_released(lock: &Value, what: &str) {
    assert_eq!(lock["locked"], true, "{what}: {lock}");
    assert_eq!(lock["release"], "released", "{what}: {lock}");
}

#[test]
fn one_failed_call_is_not_a_verdict() {
    for (step, errno) in [
        ("guard.create", EMFILE),
        ("guard.create", EIO),
        ("guard.publish", ESTALE),
        ("lock.unlink", EBUSY),
        ("lock.unlink", EIO),
        ("gate.open", EMFILE),
        ("gate.open", ESTALE),
        ("record.create", EMFILE),
        ("record.create", ESTALE),
    ] {
        let env = TestEnv::new();
        let what = format!("{step} fails once with {errno}");
        let lock = lock_with(&env, &format!("{step}.before=1*return({errno})"));
        assert_released(&lock, &what);
        env.assert_no_litter();
    }
}

#[test]
fn a_rename_that_another_program_holds_up_is_tried_again() {
    let env = TestEnv::new();
    env.plant_lock(&of_this_host(1), Duration::from_secs(600));
    let lock = lock_with(&env, &format!("lock.take-over.before=2*return({EBUSY})"));
    assert_released(&lock, "EBUSY twice");
    assert!(lock["staleOverride"].is_string(), "{lock}");
}

#[test]
fn releasing_needs_no_free_block() {
    let env = TestEnv::new();
    let lock = lock_with(&env, &format!("guard.write.before=return({ENOSPC})"));
    assert_released(&lock, "an empty guard does");
    env.assert_no_litter();
}

#[test]
fn a_release_waits_for_the_guard() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    std::fs::write(guard(&env), of_this_host(std::process::id())).unwrap();
    let stop = env.path("stop");
    let mut command = update(&env);
    let parks = format!(
        "guard.create.before=1*off->1*return(park:{})",
        stop.display()
    );
    command.env("FAILPOINTS", parks);
    let holder = command.spawn().unwrap();
    wait_until("it tries again", || env.path("stop.reached").exists());
    std::fs::remove_file(guard(&env)).unwrap();
    std::fs::write(env.path("stop.go"), "").unwrap();
    let lock = Said::from(holder.wait_with_output().unwrap()).json()["lock"].clone();
    assert_released(&lock, "the guard was free in time");
}

#[test]
fn a_record_that_is_removed_before_it_is_published_is_made_anew() {
    let env = TestEnv::new();
    let (stop, mut command) = (env.path("stop"), update(&env));
    let parks = format!("lock.publish.before=1*return(park:{})", stop.display());
    command.env("FAILPOINTS", parks);
    let holder = command.spawn().unwrap();
    wait_until("it is about to publish", || {
        env.path("stop.reached").exists()
    });
    let is_pending = |name: &String| name.ends_with(".pending");
    let pending = env.beside_the_lock().into_iter().find(is_pending);
    std::fs::remove_file(env.orchestrator().join(pending.unwrap())).unwrap();
    std::fs::write(env.path("stop.go"), "").unwrap();
    let lock = Said::from(holder.wait_with_output().unwrap()).json()["lock"].clone();
    assert_released(&lock, "another one was published");
    env.assert_no_litter();
}

#[test]
fn a_lock_that_could_not_be_released_is_reported() {
    let env = TestEnv::new();
    let lock = lock_with(&env, &format!("lock.unlink.before=return({EIO})"));
    assert_eq!(lock["release"], "fs-error", "{lock}");
    // Its record says who may take it over.
    assert!(run(update(&env)).quietly().json()["lock"]["staleOverride"].is_string());
}

#[test]
fn a_foreign_lock_dated_far_ahead_costs_little() {
    let env = TestEnv::new();
    env.plant_lock(r#"{"pid": 1, "host": "laptop"}"#, Duration::ZERO);
    let ahead = SystemTime::now() + Duration::from_secs(7_200);
    let file = std::fs::File::options()
        .append(true)
        .open(env.lock())
        .unwrap();
    file.set_modified(ahead).unwrap();
    let lock = run(update(&env)).json()["lock"].clone();
    assert_eq!(lock["reason"], "timeout", "{lock}");
    let waited = lock["waitedMs"].as_u64().unwrap();
    assert!((250..2_000).contains(&waited), "{lock}");
    assert!(env.lock().exists(), "and is never taken over");
}

#[test]
fn whoever_waits_for_a_foreign_lock_lets_go_of_the_gate() {
    let env = TestEnv::new();
    env.plant_lock(r#"{"pid": 1, "host": "laptop"}"#, Duration::ZERO);
    let mut command = update(&env);
    command.env("BOARDSYNC_TIMEOUT_MS", "60000");
    command.env("BOARDSYNC_POLL_MS", "50");
    let waiter = command.spawn().unwrap();
    let gate = env.orchestrator().join("board.gate.lock");
    wait_until("it waits", || gate.exists());
    // A free moment of the gate is all that another host needs; the waiter
    // that kept it never gave one.
    wait_until("the gate is free", || {
        std::fs::File::open(&gate).is_ok_and(|gate| gate.try_lock().is_ok())
    });
    std::fs::remove_file(env.lock()).unwrap();
    let lock = Said::from(waiter.wait_with_output().unwrap())
        .quietly()
        .json()["lock"]
        .clone();
    assert_released(&lock, "it has the lock once that is free");
}

#[test]
fn a_jump_of_the_clock_does_not_make_a_live_holder_look_dead() {
    let env = TestEnv::new();
    let script = format!(
        "while [ ! -e '{}' ]; do sleep 0.01; done",
        env.path("go").display()
    );
    // Its heart beats every second.
    let mut holder = env.command(&["exec", "--json", "--", "sh", "-c", &script]);
    let holder = holder.env("BOARDSYNC_STALE_MS", "4000").spawn().unwrap();
    wait_until("it holds the lock", || env.lock().exists());
    // What a clock that jumped by two hours makes of it.
    make_older(&env.lock(), Duration::from_secs(7_200));
    let mut next = update(&env);
    next.env("BOARDSYNC_STALE_MS", "4000")
        .env("BOARDSYNC_TIMEOUT_MS", "1500");
    let lock = run(next).json()["lock"].clone();
    assert_eq!(lock["reason"], "timeout", "{lock}");
    std::fs::write(env.path("go"), "").unwrap();
    let said = Said::from(holder.wait_with_output().unwrap());
    let outcome: Value = serde_json::from_str(&said.err).unwrap();
    assert_released(&outcome, "the holder kept its lock");
}

#[test]
fn a_hung_holder_is_taken_over_once_it_has_stood_still() {
    let env = TestEnv::new();
    let holder = env.park_along(&["lock.publish.after"], update(&env));
    holder.freeze();
    make_older(&env.lock(), Duration::from_secs(7_200));
    let started = Instant::now();
    let lock = run(update(&env)).json()["lock"].clone();
    assert!(
        lock["staleOverride"]
            .as_str()
            .unwrap()
            .starts_with("mtime age"),
        "{lock}"
    );
    assert!(started.elapsed() >= Duration::from_secs(2), "{lock}");
    holder.thaw();
    assert_eq!(holder.go().json()["lock"]["release"], "not-found");
}

/// Plants a lock of the legacy layout.
fn plant_folder(env: &TestEnv, owner: &str) {
    std::fs::create_dir_all(env.lock()).unwrap();
    std::fs::write(env.lock().join("owner.json"), owner).unwrap();
}

#[test]
fn a_legacy_lock_is_taken_over_where_nothing_can_be_swapped() {
    let env = TestEnv::new();
    plant_folder(&env, r#"{"pid": 999999999}"#);
    let lock = lock_with(
        &env,
        &format!("lock.swap-folder.before=return({EOPNOTSUPP})"),
    );
    assert_released(&lock, "without a swap");
    assert_eq!(lock["staleOverride"], "dead holder pid 999999999", "{lock}");
    env.assert_no_litter();
}

#[test]
fn a_legacy_lock_that_changed_while_it_was_moved_is_put_back() {
    let env = TestEnv::new();
    plant_folder(&env, r#"{"pid": 999999999}"#);
    let mut command = update(&env);
    command.env("BOARDSYNC_TIMEOUT_MS", "300");
    command.env(
        "FAILPOINTS",
        format!("lock.swap-folder.before=return({EOPNOTSUPP})"),
    );
    let taker = env.park_along(&["lock.move-folder.before"], command);
    let alive = format!(r#"{{"pid": {}}}"#, std::process::id());
    plant_folder(&env, &alive);
    let lock = taker.go().json()["lock"].clone();
    assert_eq!(lock["locked"], false, "{lock}");
    let owner = std::fs::read_to_string(env.lock().join("owner.json"));
    assert_eq!(owner.unwrap(), alive, "it lies where it lay");
}

#[test]
fn the_owner_of_a_legacy_lock_may_name_its_host_otherwise() {
    let env = TestEnv::new();
    plant_folder(&env, r#"{"pid": 999999999, "hostname": "laptop"}"#);
    let mut command = update(&env);
    command.env("BOARDSYNC_TIMEOUT_MS", "50");
    let lock = run(command).json()["lock"].clone();
    assert_eq!(
        lock["reason"], "timeout",
        "another host's is never stolen: {lock}"
    );
    assert!(env.lock().join("owner.json").exists());
}

#[test]
fn a_pending_file_that_cannot_be_removed_keeps_its_name() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.orchestrator()).unwrap();
    let name = format!(".board.lock.{}.pending", "0".repeat(32));
    let pending = env.orchestrator().join(&name);
    std::fs::write(&pending, "").unwrap();
    make_older(&pending, Duration::from_secs(600));
    lock_with(&env, &format!("pending.unlink.before=return({EIO})"));
    let kept = |name: &String| name.ends_with(".kept");
    assert!(
        !env.beside_the_lock().iter().any(kept),
        "{:?}",
        env.beside_the_lock()
    );
    run(update(&env)).quietly();
    assert!(!pending.exists(), "the next holder removes it");
}

#[test]
fn reclaim_says_that_it_removed_a_guard_and_accepts_a_live_lock() {
    let env = TestEnv::new();
    let holder = env.park_along(&["lock.publish.after"], update(&env));
    std::fs::write(guard(&env), r#"{"pid": 1, "host": "laptop"}"#).unwrap();
    make_older(&guard(&env), Duration::from_secs(600));
    let said = env.run(&["lock", "reclaim"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(guard(&env).exists(), "a foreign one goes only by force");
    let said = env.run(&["lock", "reclaim", "--force"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("removed the guard `") && said.out.contains("laptop"),
        "{said:?}"
    );
    assert!(!guard(&env).exists() && env.lock().exists());
    assert_released(&holder.go().json()["lock"], "the live lock stays");
}

#[test]
fn a_guard_that_has_gone_is_blamed_no_longer() {
    let env = TestEnv::new();
    env.plant_lock(&of_this_host(1), Duration::from_secs(600));
    std::fs::write(guard(&env), r#"{"pid": 1, "host": "laptop"}"#).unwrap();
    make_older(&guard(&env), Duration::from_secs(600));
    let mut command = update(&env);
    command.env("BOARDSYNC_TIMEOUT_MS", "400");
    // It stands behind the guard once; before it tries again, the guard goes,
    // and a live lock comes.
    let stop = env.path("stop");
    let parks = format!(
        "guard.publish.before=1*off->1*return(park:{})",
        stop.display()
    );
    command.env("FAILPOINTS", parks);
    let waiter = command.spawn().unwrap();
    wait_until("it tries again", || env.path("stop.reached").exists());
    std::fs::remove_file(guard(&env)).unwrap();
    env.plant_lock(r#"{"pid": 7, "host": "laptop"}"#, Duration::ZERO);
    std::fs::write(env.path("stop.go"), "").unwrap();
    let said = Said::from(waiter.wait_with_output().unwrap());
    assert!(said.err.contains("held by pid 7"), "{said:?}");
    assert!(!said.err.contains("behind the guard"), "{said:?}");
}

#[test]
fn what_holds_something_else_beside_a_named_lock_is_no_guard() {
    let env = TestEnv::new();
    let lock = env.path("import.lock");
    let note = env.path("import.lock.acquire");
    std::fs::write(&lock, of_this_host(1)).unwrap();
    std::fs::write(&note, "precious").unwrap();
    for path in [&lock, &note] {
        make_older(path, Duration::from_secs(600));
    }
    let named = lock.to_str().unwrap();
    let said = env.run(&["exec", "--lock-file", named, "--", "true"]);
    assert!(said.err.contains("behind the guard"), "{said:?}");
    assert_eq!(std::fs::read_to_string(note).unwrap(), "precious");
}

/// One party of a run of the model, as a real process that stops at named steps.
struct Party {
    child: std::process::Child,
    stop: PathBuf,
}

impl Party {
    /// Starts an update that stops the first time it comes to `step`.
    fn start(env: &TestEnv, name: &str, step: &str) -> Self {
        let stop = env.path(&format!("{name}-stop"));
        let mut command = update(env);
        command.env("BOARDSYNC_TIMEOUT_MS", "300");
        command.env(
            "FAILPOINTS",
            format!("{step}=1*return(park:{})", stop.display()),
        );
        let child = command.spawn().unwrap();
        let reached = PathBuf::from(format!("{}.reached", stop.display()));
        wait_until(&format!("{name} is at {step}"), || reached.exists());
        Self { child, stop }
    }

    fn goes_on(self) -> Value {
        std::fs::write(format!("{}.go", self.stop.display()), "").unwrap();
        Said::from(self.child.wait_with_output().unwrap()).json()["lock"].clone()
    }

    fn crashes(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The steps of the model by their names in the code; after each of them the
/// next update must end locked, as the model promises for the late one.
#[test]
fn a_crash_after_each_step_of_the_model_leaves_a_lock_that_is_taken_over() {
    // The model's step, the step in the code, and whether a stale lock lies there first.
    for (model, step, takes_over) in [
        ("Gate::try_take", "gate.lock.after", false),
        ("publish", "lock.publish.after", false),
        ("Guard::take", "guard.publish.after", true),
        ("take_over/rename", "lock.take-over.after", true),
        ("take_over/drop guard", "guard.unlink.after", true),
        ("Lease::release/guard", "guard.publish.after", false),
        ("Lease::release/unlink", "lock.unlink.after", false),
        ("Lease::release/drop guard", "guard.unlink.after", false),
    ] {
        let env = TestEnv::new();
        if takes_over {
            env.plant_lock(&of_this_host(1), Duration::from_secs(600));
        }
        Party::start(&env, "first", step).crashes();
        let lock = run(update(&env)).json()["lock"].clone();
        assert_released(&lock, &format!("the late update after a crash at {model}"));
        assert!(
            lock["waitedMs"].as_u64().unwrap() < 2_000,
            "{model}: {lock}"
        );
    }
}

/// Runs that the checker finds for mutants, played with the real lock: the
/// rule that the mutant lacks must end them well.
#[test]
fn the_runs_of_the_models_mutants_end_well_with_the_real_lock() {
    // TakeOverUnderGuard, TakeOverLooksAgain: the slower of two that judged the
    // same stale lock comes to the guard when the faster one has the lock.
    let env = TestEnv::new();
    env.plant_lock(&of_this_host(1), Duration::from_secs(600));
    let slow = Party::start(&env, "slow", "guard.create.before");
    let fast = Party::start(&env, "fast", "lock.take-over.after");
    let slow = slow.goes_on();
    assert_eq!(slow["locked"], false, "one holder: {slow}");
    let fast = fast.goes_on();
    assert_released(&fast, "the faster one keeps its lock");
    assert!(fast["staleOverride"].is_string(), "{fast}");

    // ReleaseUnderGuard: a holder is paused between its look at the token and
    // its unlink; nobody takes its lock over meanwhile, for it has the guard.
    let env = TestEnv::new();
    let holder = Party::start(&env, "holder", "lock.unlink.before");
    make_older(&env.lock(), Duration::from_secs(600));
    let mut next = update(&env);
    next.env("BOARDSYNC_TIMEOUT_MS", "3000");
    let second = run(next).json()["lock"].clone();
    assert_eq!(second["locked"], false, "under the guard: {second}");
    assert_released(&holder.goes_on(), "the holder removes its own lock only");
    assert!(!env.lock().exists());
}
