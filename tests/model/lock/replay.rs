//! Runs of the model, replayed step by step with the real lock, in real processes.
//!
//! After each step the disk and the processes must be what the model says. So
//! neither can change a rule without the other. The runs are random, the same in every
//! test run, and chosen so that each rule decides several; `REPLAYS=100` replays more.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::party::{Party, SECTION, Stand};
use super::walk::{LOCK, RULES, Step, hangs_on, id, is_patient, run};
use super::{Host, Id, LATE, NAMES, Next, Process, Record, World};

/// How many runs are replayed in which a rule decides, for each rule.
const EACH: usize = 3;

/// The real lock, and the processes that take it.
struct Real {
    folder: tempfile::TempDir,
    patient: bool,
    parties: [Option<Party>; 5],
}

impl Real {
    fn new(patient: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".orchestrator")).unwrap();
        let mut real = Self {
            folder,
            patient,
            parties: [const { None }; 5],
        };
        for (who, &(_, host)) in LOCK.parties.iter().enumerate() {
            real.start(who, host);
        }
        real
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(".orchestrator").join(name)
    }

    fn start(&mut self, who: Id, host: Host) {
        let folder = self.folder.path().join(NAMES[who]);
        let patient = self.patient && who != LATE;
        let party = Party::start(&self.file("board.lock"), folder, host, patient);
        self.parties[who] = Some(party);
    }

    /// Takes a step, and returns where its party then stands.
    fn take(&mut self, step: &Step) -> Option<Stand> {
        let (first, last) = (&step[0], step.last().unwrap());
        let Some(who) = id(first) else {
            make_older(&self.file("board.lock"));
            return None;
        };
        if first.what.starts_with("starts on") {
            if last.next.aged {
                make_older(&self.file("board.lock"));
            }
            self.start(who, last.next.processes[who].host);
            return None;
        }
        if first.what == "oversleeps" {
            return None;
        }
        let party = self.parties[who].as_mut().unwrap();
        if first.what == "crashes" {
            party.crashes();
            let guard = self.file("board.lock.acquire");
            if last.next.guard.is_some_and(|guard| guard.owner == who) {
                make_older(&guard);
            }
            return None;
        }
        let mut stand = party.goes_on();
        // A release tries for a busy guard again and again, for a while.
        while first.what == "Lease::release: busy" && stand == Stand::At("guard.publish.before") {
            stand = party.goes_on();
        }
        Some(stand)
    }

    /// Compares the files with what the model says.
    fn check(&self, world: &World) -> Result<(), String> {
        for (name, expected) in [
            ("board.lock", world.lock),
            ("board.lock.acquire", world.guard),
        ] {
            let real = self.record(&self.file(name));
            if real != expected {
                return Err(format!("{name} is {real:?}, not {expected:?}"));
            }
        }
        let gate = File::open(self.file("board.gate.lock"));
        let is_taken = gate.is_ok_and(|gate| gate.try_lock().is_err());
        match is_taken == world.gates[0].is_some() {
            true => Ok(()),
            false => Err(format!("that the gate is taken is {is_taken}")),
        }
    }

    fn record(&self, path: &Path) -> Option<Record> {
        let bytes = std::fs::read(path).ok()?;
        let json: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let is_its =
            |party: &Option<Party>| party.as_ref().is_some_and(|it| json["pid"] == it.pid());
        Some(Record {
            owner: self
                .parties
                .iter()
                .position(is_its)
                .expect("a party's record"),
            gated: json["gate"].is_string(),
        })
    }
}

/// Returns where a process in this state stands.
fn stand(process: Process) -> Stand {
    Stand::At(match process.next {
        Next::TryGate => "gate.lock.before",
        Next::Publish => "lock.publish.before",
        Next::TakeOverGuard | Next::ReleaseGuard => "guard.publish.before",
        Next::TakeOverRelook | Next::ReleaseToken => "guard.publish.after",
        Next::SweepRemoveDead | Next::TakeOverRemoveDead | Next::ReleaseRemoveDead => {
            "guard.remove-dead.before"
        }
        Next::TakeOverRename => "lock.take-over.before",
        Next::TakeOverWon | Next::TakeOverLost | Next::ReleaseDropGuard => "guard.unlink.before",
        Next::Section => SECTION,
        Next::ReleaseUnlink => "lock.unlink.before",
        Next::Ended { locked } => return Stand::Ended { locked },
        Next::Crashed => return Stand::Ended { locked: false },
        next => unreachable!("no party stands at {next:?}"),
    })
}

fn make_older(path: &Path) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(600))
        .unwrap();
}

fn replay(number: u64) {
    let run = run(number);
    let mut real = Real::new(is_patient(number));
    for at in 0..run.len() {
        let world = &run[at].last().unwrap().next;
        let stands = real.take(&run[at]);
        let expected = id(&run[at][0]).map(|who| stand(world.processes[who]));
        let differs = match stands {
            Some(real) if Some(&real) != expected.as_ref() => Err(format!("it is {real:?}")),
            _ => real.check(world),
        };
        if let Err(why) = differs {
            panic!(
                "run {number} of the model, whose last step ends otherwise ({why}): {:#?}",
                &run[..=at]
            );
        }
    }
}

#[test]
fn runs_of_the_model_are_runs_of_the_lock() {
    let each = std::env::var("REPLAYS").map_or(EACH, |each| each.parse().unwrap());
    let mut chosen = BTreeSet::new();
    for rule in RULES {
        let runs = (0..).filter(|number| hangs_on(rule, &run(*number)));
        chosen.extend(runs.take(each));
    }
    let chosen = Mutex::new(chosen);
    let next = || chosen.lock().unwrap().pop_first();
    let work = || std::iter::from_fn(next).for_each(replay);
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
}
