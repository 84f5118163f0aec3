//! A process that takes the real lock, and stands still before each step of the model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use boardsync::lock::{Host as RealHost, LockOptions, Patience, with_lock};

use super::Host;

/// The steps before or after which a party stops: these are all that the model
/// tells apart.
const STOPS: [&str; 8] = [
    "gate.lock.before",
    "lock.publish.before",
    "lock.take-over.before",
    "lock.unlink.before",
    "guard.publish.before",
    "guard.publish.after",
    "guard.remove-dead.before",
    "guard.unlink.before",
];
/// Where it stops while it has the lock, or goes without.
pub const SECTION: &str = "section";
/// A release that finds the guard busy tries again this often, and more.
const VISITS: usize = 60;
const LIMIT: Duration = Duration::from_secs(60);

/// Where a party stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stand {
    At(&'static str),
    Ended { locked: bool },
}

pub struct Party {
    child: Child,
    folder: PathBuf,
    visits: HashMap<&'static str, usize>,
    at: &'static str,
}

impl Party {
    /// Starts it, with its own files in `folder`, and waits until it stops.
    pub fn start(lock: &Path, folder: PathBuf, host: Host, patient: bool) -> Self {
        std::fs::create_dir(&folder).unwrap();
        let point = |stop: &&str| {
            let park = |visit| format!("1*return(park:{}/{stop}.{visit})", folder.display());
            let parks: Vec<String> = (1..=VISITS).map(park).collect();
            format!("{stop}={}", parks.join("->"))
        };
        let points: Vec<String> = STOPS.iter().map(point).collect();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lock::party::party", "--ignored"])
            .env("FAILPOINTS", points.join(";"))
            .env("PARTY_LOCK", lock)
            .env("PARTY_FOLDER", &folder)
            .env("PARTY_HOST", format!("{host:?}"))
            .env("PARTY_IS_PATIENT", patient.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut party = Self {
            child,
            folder,
            visits: HashMap::new(),
            at: "",
        };
        let stand = party.arrive();
        assert_eq!(
            stand,
            Stand::At("gate.lock.before"),
            "it tries for the gate first"
        );
        party
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets it go on, and returns where it stops next.
    pub fn goes_on(&mut self) -> Stand {
        std::fs::write(self.sign(self.at, self.visits[self.at], "go"), "").unwrap();
        self.arrive()
    }

    pub fn crashes(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn arrive(&mut self) -> Stand {
        let started = Instant::now();
        loop {
            let ended = self.child.try_wait().unwrap();
            for stop in STOPS.into_iter().chain([SECTION]) {
                let visit = self.visits.get(stop).map_or(1, |visits| visits + 1);
                if self.sign(stop, visit, "reached").exists() {
                    self.visits.insert(stop, visit);
                    self.at = stop;
                    return Stand::At(stop);
                }
            }
            if let Some(status) = ended {
                let locked = std::fs::read_to_string(self.folder.join("locked"));
                let locked = locked.unwrap_or_else(|_| panic!("it ended with {status}"));
                return Stand::Ended {
                    locked: locked == "true",
                };
            }
            assert!(started.elapsed() < LIMIT, "it neither stops nor ends");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn sign(&self, stop: &str, visit: usize, what: &str) -> PathBuf {
        self.folder.join(format!("{stop}.{visit}.{what}"))
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the process does; nothing unless [`Party::start`] runs it.
#[test]
#[ignore = "a process of another test"]
fn party() {
    let Some(lock) = std::env::var_os("PARTY_LOCK") else {
        return;
    };
    let folder = PathBuf::from(std::env::var_os("PARTY_FOLDER").unwrap());
    let host = std::env::var("PARTY_HOST").unwrap();
    let patience = match std::env::var("PARTY_IS_PATIENT").unwrap() == "true" {
        true => LIMIT,
        false => Duration::ZERO,
    };
    let mut options = LockOptions::default();
    options.patience = Patience::For(patience);
    options.host = Some(RealHost::named(&host, Some(&format!("boot of {host}"))));
    // No heart beats in so short a section.
    options.expected = Some(Duration::ZERO);
    let ((), outcome) = with_lock(Path::new(&lock), &options, |hold| {
        if hold.why_unlocked().is_some() {
            return;
        }
        std::fs::write(folder.join("section.1.reached"), "").unwrap();
        let go = folder.join("section.1.go");
        let started = Instant::now();
        while !go.exists() && started.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    std::fs::write(folder.join("locked"), outcome.is_locked().to_string()).unwrap();
}
