//! Five hosts, each with its own copy of the vault, and a sync tool between
//! them that is late, out of order, and leaves conflict copies.
//!
//! The tool is Syncthing in small: each file has a version vector; of two
//! versions of which neither knows the other, the one with the later mtime is
//! kept, and the other becomes a conflict copy. A failed run prints its seed:
//! `SEED=42 cargo test --test suite many_hosts::` replays it.

use boardsync::Timestamp;
use boardsync::board::{Board, Field, Status};
use boardsync::edit::{Action, EditOptions, RepoSources, Report, Share, run, update};
use boardsync::internals::config::vault::{AllowedLinks, BoardPlace, DEFAULT_BOARD};
use boardsync::internals::session::{Explicit, Repo, Sources};
use boardsync::lock::{Durability, Host, LockOptions};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HOSTS: usize = 5;
const UPDATES: usize = 1_000;

/// SplitMix64: few lines, and the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// How often each host has changed a file.
type Vector = [u32; HOSTS];

fn knows(one: &Vector, other: &Vector) -> bool {
    one.iter().zip(other).all(|(one, other)| one >= other)
}

/// One version of one file; without bytes it is a deletion.
#[derive(Clone)]
struct Version {
    vector: Vector,
    /// The mtime, and who wrote it: the later one wins a conflict.
    written: (u64, usize),
    bytes: Option<Vec<u8>>,
}

struct Machine {
    index: usize,
    host: Host,
    vault: PathBuf,
    place: BoardPlace,
    /// What the sync tool knows of each file.
    synced: BTreeMap<String, Version>,
}

impl Machine {
    fn options(&self, now: Timestamp) -> EditOptions<'_> {
        let mut options = EditOptions::new(&self.place);
        options.now = now;
        options.lock = lock();
        options.durability = Durability::Unsynced;
        options.host = self.host.clone();
        options
    }

    fn folder(&self) -> &Path {
        self.place.board.parent().unwrap()
    }

    fn board(&self) -> Option<String> {
        std::fs::read_to_string(&self.place.board).ok()
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.folder()).unwrap();
        entries
            .map(|entry| entry.unwrap())
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, std::fs::read(entry.path()).unwrap())
            })
            .collect()
    }

    fn copies(&self) -> usize {
        let names = self.files().into_keys();
        names.filter(|name| name.contains("sync-conflict")).count()
    }

    fn left(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let Ok(names) = std::fs::read_dir(&self.place.folder) else {
            return Vec::new();
        };
        names
            .map(|name| name.unwrap().path())
            .filter(|path| path.extension() == Some("tmp".as_ref()))
            .map(|path| {
                let bytes = std::fs::read(&path).unwrap();
                (path, bytes)
            })
            .collect()
    }

    /// Counts what crashes left in the folder of the lock.
    fn leftovers(&self) -> usize {
        let names = std::fs::read_dir(&self.place.folder).unwrap();
        names
            .filter(|name| name.as_ref().unwrap().path().extension() == Some("tmp".as_ref()))
            .count()
    }

    /// Notices what has changed in the folder since.
    fn scan(&mut self, mtime: u64) {
        let files = self.files();
        let known = self.synced.keys().chain(files.keys());
        for name in known.cloned().collect::<BTreeSet<_>>() {
            let bytes = files.get(&name).cloned();
            let old = self.synced.get(&name);
            if old.is_some_and(|old| old.bytes == bytes) {
                continue;
            }
            let mut vector = old.map_or([0; HOSTS], |old| old.vector);
            vector[self.index] += 1;
            let written = (mtime, self.index);
            self.synced.insert(
                name,
                Version {
                    vector,
                    written,
                    bytes,
                },
            );
        }
    }

    /// Takes what another host had at some time.
    fn receive(&mut self, name: &str, mut new: Version, clock: u64) {
        self.scan(clock);
        if let Some(old) = self.synced.get(name) {
            if knows(&old.vector, &new.vector) {
                return;
            }
            if !knows(&new.vector, &old.vector) {
                // A deletion never wins against a change.
                let rank = |version: &Version| (version.bytes.is_some(), version.written);
                let wins = rank(&new) > rank(old);
                for (mine, its) in new.vector.iter_mut().zip(&old.vector) {
                    *mine = (*mine).max(*its);
                }
                if !wins {
                    // The other host makes the copy once it hears of ours.
                    return;
                }
                if let (Some(bytes), true) = (&old.bytes, old.bytes != new.bytes) {
                    let stem = name.strip_suffix(".md").unwrap();
                    let copy = format!(
                        "{stem}.sync-conflict-20260101-{:06}-HOST00{}.md",
                        clock % 1_000_000,
                        self.index
                    );
                    std::fs::write(self.folder().join(copy), bytes).unwrap();
                }
            }
        }
        let path = self.folder().join(name);
        match &new.bytes {
            Some(bytes) => {
                let temporary = self.vault.join(".syncthing.tmp");
                std::fs::write(&temporary, bytes).unwrap();
                std::fs::rename(temporary, path).unwrap();
            }
            None => {
                let _ = std::fs::remove_file(path);
            }
        }
        self.synced.insert(name.to_owned(), new);
    }
}

struct World {
    random: Random,
    seed: u64,
    machines: Vec<Machine>,
    /// What is under way: to whom, which file.
    mail: Vec<(usize, String, Version)>,
    clock: u64,
    /// The last update of each row: by host where hosts are told apart.
    expected: BTreeMap<(Option<String>, String), (String, Timestamp)>,
    notes: Vec<String>,
    shared: bool,
    updates: usize,
    crashes: usize,
    conflicts: usize,
    _root: TempDir,
}

impl World {
    fn new(seed: u64, shared: bool) -> Self {
        println!("SEED={seed}");
        let root = TempDir::with_prefix("boardsync-hosts-").unwrap();
        let machine = |index: usize| {
            let vault = root.path().join(format!("host-{index}/vault"));
            std::fs::create_dir_all(vault.join("01-projects")).unwrap();
            Machine {
                index,
                host: Host::named(&format!("host-{index}"), Some(&format!("boot-{index}"))),
                place: BoardPlace::find(
                    &vault,
                    DEFAULT_BOARD,
                    AllowedLinks::Within(Some(root.path())),
                )
                .unwrap(),
                vault,
                synced: BTreeMap::new(),
            }
        };
        let mut world = Self {
            random: Random(seed),
            seed,
            machines: (0..HOSTS).map(machine).collect(),
            mail: Vec::new(),
            clock: 0,
            expected: BTreeMap::new(),
            notes: Vec::new(),
            shared,
            updates: 0,
            crashes: 0,
            conflicts: 0,
            _root: root,
        };
        if shared {
            world.declare();
        }
        world
    }

    /// Host 0 declares, and the others have that before they begin.
    fn declare(&mut self) {
        let now = self.now();
        run(&self.machines[0].options(now), &mut Share).unwrap();
        self.send_all(0);
        self.deliver_all();
    }

    fn now(&mut self) -> Timestamp {
        self.clock += 1;
        let start = Timestamp::parse("2026-11-30T06:00:00Z").unwrap();
        Timestamp::from_millis(start.as_millis() + i64::try_from(self.clock * 4_000).unwrap())
    }

    /// An mtime by that host's clock, which may be off by a long way.
    fn mtime(&mut self, host: usize) -> u64 {
        self.clock + [0, 700, 30, 2_000, 5][host]
    }

    fn step(&mut self) {
        let host = self.random.below(HOSTS);
        match self.random.below(10) {
            0..=4 => self.session(host),
            5 => self.note(host),
            6 | 7 => {
                let mtime = self.mtime(host);
                self.machines[host].scan(mtime);
                self.send_some(host);
            }
            _ => self.deliver_one(),
        }
    }

    fn session(&mut self, host: usize) {
        let now = self.now();
        // The last one has the same path on all hosts.
        let path = match self.random.below(4) {
            3 => PathBuf::from("/srv/common"),
            own => PathBuf::from(format!("/home/host-{host}/repo-{own}")),
        };
        let repo = Repo::at(&path, Path::new("/"));
        let statuses = [Status::InProgress, Status::Closed, Status::ForceClosed];
        let session = format!("h{host}-{}", self.clock);
        let explicit = Explicit {
            status: Some(statuses[self.random.below(3)]),
            session: Some(session.clone()),
            heartbeat: Some(now.to_string()),
            ..Explicit::default()
        };
        let key = repo.key.clone();
        let crash = self.random.below(12);
        self.updates += 1;
        let left = self.machines[host].left();
        let (before, report) = self.update(host, Some(repo), &explicit, now);
        assert!(
            matches!(report.action, Action::Written | Action::SkippedNoop),
            "{report:?}"
        );
        match crash {
            0 => {
                self.crash_before_exchange(host, before, &report);
                for (path, bytes) in left {
                    std::fs::write(path, bytes).unwrap();
                }
            }
            1 => self.crash_after_exchange(host, before, &report),
            2 => self.crash_before_copies_are_put_aside(host, &report),
            _ => {}
        }
        if crash != 0 {
            let owner = self.shared.then(|| self.machines[host].host.id.clone());
            self.expected.insert((owner, key), (session, now));
        }
    }

    fn update(
        &mut self,
        host: usize,
        repo: Option<Repo>,
        explicit: &Explicit,
        now: Timestamp,
    ) -> (Option<String>, Report) {
        let machine = &self.machines[host];
        let before = machine.board();
        let subjects: Vec<RepoSources> = repo
            .into_iter()
            .map(|repo| RepoSources {
                repo,
                sources: Sources::default(),
            })
            .collect();
        let options = machine.options(now);
        (before, update(&options, &subjects, explicit).unwrap())
    }

    /// A person appends a line, or writes one above the table.
    fn note(&mut self, host: usize) {
        self.clock += 1;
        let machine = &self.machines[host];
        let Some(text) = machine.board() else {
            return;
        };
        let note = format!("Note {} by host-{host}", self.clock);
        let text = match self.random.below(2) {
            0 => format!("{text}\n{note}\n"),
            _ => text.replacen(
                "# Active Sessions\n",
                &format!("# Active Sessions\n\n{note}\n"),
                1,
            ),
        };
        std::fs::write(&machine.place.board, text).unwrap();
        self.notes.push(note);
    }

    /// The new board is staged but never got there: that update is not promised.
    fn crash_before_exchange(&mut self, host: usize, before: Option<String>, report: &Report) {
        self.put_copies_back(host, report);
        let machine = &self.machines[host];
        let new = machine.board().unwrap();
        match &before {
            Some(before) => std::fs::write(&machine.place.board, before).unwrap(),
            None => std::fs::remove_file(&machine.place.board).unwrap(),
        }
        self.leave(host, &new, (&new, &before.unwrap_or_default()));
    }

    /// The old board is displaced, and was not yet looked at.
    fn crash_after_exchange(&mut self, host: usize, before: Option<String>, report: &Report) {
        self.put_copies_back(host, report);
        let new = self.machines[host].board().unwrap();
        if let Some(before) = before {
            // What an editor saved after the look: nobody has read it yet.
            self.clock += 1;
            let note = format!("Displaced {} by host-{host}", self.clock);
            let displaced = format!("{before}\n{note}\n");
            self.notes.push(note);
            self.leave(host, &displaced, (&new, &before));
        }
    }

    fn crash_before_copies_are_put_aside(&mut self, host: usize, report: &Report) {
        self.put_copies_back(host, report);
    }

    fn put_copies_back(&mut self, host: usize, report: &Report) {
        self.crashes += 1;
        for copy in &report.copies {
            let name = copy.file_name().unwrap();
            std::fs::rename(copy, self.machines[host].folder().join(name)).unwrap();
        }
    }

    /// Leaves a temporary of a process that is dead: no process has its number.
    fn leave(&mut self, host: usize, bytes: &str, (made, base): (&str, &str)) {
        let machine = &self.machines[host];
        let hash = |text: &str| {
            let digest = hmac_sha256::Hash::hash(text.as_bytes());
            u64::from_be_bytes(digest[..8].try_into().unwrap())
        };
        let [made, base] = [made, base].map(hash);
        let (tag, nonce) = (machine.host.tag(), self.random.next());
        let name = format!("board.{tag:08x}ffffffff{nonce:016x}.{made:016x}.{base:016x}.tmp");
        std::fs::write(machine.place.folder.join(name), bytes).unwrap();
    }

    fn send_some(&mut self, from: usize) {
        let versions = self.machines[from].synced.clone();
        for to in (0..HOSTS).filter(|to| *to != from) {
            for (name, version) in &versions {
                if !self.random.one_in(3) {
                    self.mail.push((to, name.clone(), version.clone()));
                }
            }
        }
        // Late is fine, but not all of history is under way at once.
        while self.mail.len() > 200 {
            let at = self.random.below(self.mail.len());
            self.mail.swap_remove(at);
        }
    }

    fn deliver_one(&mut self) {
        for _ in 0..=self.random.below(6) {
            if self.mail.is_empty() {
                return;
            }
            let at = self.random.below(self.mail.len());
            let (to, name, version) = self.mail.swap_remove(at);
            self.deliver(to, &name, version);
        }
    }

    fn deliver(&mut self, to: usize, name: &str, version: Version) {
        self.clock += 1;
        let mtime = self.mtime(to);
        let before = self.machines[to].copies();
        self.machines[to].receive(name, version, mtime);
        self.conflicts += self.machines[to].copies().saturating_sub(before);
    }

    fn send_all(&mut self, from: usize) {
        let mtime = self.mtime(from);
        self.machines[from].scan(mtime);
        for to in (0..HOSTS).filter(|to| *to != from) {
            for (name, version) in &self.machines[from].synced {
                self.mail.push((to, name.clone(), version.clone()));
            }
        }
    }

    fn deliver_all(&mut self) {
        for (to, name, version) in std::mem::take(&mut self.mail) {
            self.deliver(to, &name, version);
        }
    }

    /// Lets the tool catch up, every host updating now and then, until all agree.
    fn settle(&mut self) -> usize {
        self.deliver_all();
        for round in 1..=50 {
            for host in 0..HOSTS {
                let now = self.now();
                self.update(host, None, &Explicit::default(), now);
            }
            for host in 0..HOSTS {
                self.send_all(host);
            }
            self.deliver_all();
            let boards: BTreeSet<_> = self.machines.iter().map(Machine::board).collect();
            let copies: usize = self.machines.iter().map(Machine::copies).sum();
            if boards.len() == 1 && copies == 0 {
                return round;
            }
        }
        panic!("SEED={}: no agreement after 50 rounds", self.seed);
    }

    fn assert_nothing_lost(&self) {
        let seed = self.seed;
        let left: usize = self.machines.iter().map(Machine::leftovers).sum();
        assert_eq!(left, 0, "SEED={seed}: what crashes left was not adopted");
        let text = self.machines[0].board().unwrap();
        let board = Board::parse(&text);
        let mut seen = BTreeMap::new();
        for row in &board.rows {
            let slot = (
                row.get(Field::Host).map(Cow::into_owned),
                row.get(Field::Key).unwrap().into_owned(),
            );
            let cells = (
                row.get(Field::Session).unwrap().into_owned(),
                row.heartbeat().unwrap(),
            );
            let twin = seen.insert(slot, cells);
            assert!(twin.is_none(), "SEED={seed}: two rows in one slot\n{text}");
        }
        assert_eq!(seen, self.expected, "SEED={seed}\n{text}");
        for note in &self.notes {
            let times = text.matches(&format!("{note}\n")).count();
            assert_eq!(times, 1, "SEED={seed}: {note} in\n{text}");
        }
    }
}

fn lock() -> LockOptions {
    let mut options = LockOptions::default();
    options.durability = Durability::Unsynced;
    options
}

fn simulate(seed: u64, shared: bool) {
    let mut world = World::new(seed, shared);
    while world.updates < UPDATES {
        world.step();
    }
    let rounds = world.settle();
    world.assert_nothing_lost();
    println!(
        "{UPDATES} updates, {} crashes, {} conflict copies, {} notes; agreed after {rounds} rounds",
        world.crashes,
        world.conflicts,
        world.notes.len()
    );
    assert!(
        world.crashes > 10 && world.conflicts > 10,
        "the run was too easy"
    );
}

/// Gives the seed of a run: `SEED`, or the test's own.
fn seed(own: u64) -> u64 {
    let named = std::env::var("SEED");
    named.map_or(own, |seed| seed.parse().expect("SEED is a number"))
}

#[test]
fn five_hosts_end_with_one_board_and_every_last_update() {
    simulate(seed(1), false);
}

#[test]
fn five_hosts_that_share_a_board_end_with_one_and_every_hosts_last_update() {
    simulate(seed(2), true);
}
