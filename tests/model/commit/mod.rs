//! The commit: latch, adopt what crashed updates left, read, stage, exchange, compare, join, discard.
//!
//! A board is a set of facts, one bit each: a row in its new version, or a line of prose. The join by
//! the newest version of each row is then a union, and to lose an update is to lose a bit.
//!
//! There is no lock in this model, so it contains every run that a lock would allow. There are no
//! pauses either, because there is nothing that they could add: any process may be overtaken between
//! any two of its steps, a bounded latch may be given up whenever it is not free, and a temporary file
//! may be taken for a leftover at any time, its owner crashed or not.

mod boardsync;
mod outsider;
mod runs;
mod symmetry;

use stateright::{Model, Property};

use crate::checking::{Action, Protocol, Steps};

pub type Id = usize;
pub type Board = u8;

/// The place of the update that starts once everyone else has ended.
pub const LATE: Id = 3;
const NAMES: [&str; 4] = ["first", "second", "third", "late"];
/// Whose files are when their process has crashed; it no longer matters which one.
pub const NOBODY: Id = NAMES.len();

/// The row of each process, in its new version.
pub const fn row(who: Id) -> Board {
    1 << who
}
pub const ROWS: Board = 0b0000_1111;
/// The two lines that an outsider may write.
pub const LINES: [Board; 2] = [0b0001_0000, 0b0010_0000];

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Host {
    A,
    B,
}

/// What the latch of a host is good for.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Latch {
    /// The file system has none.
    Absent,
    /// It is given up after a second, and the update goes on without it.
    Bounded,
    /// Everyone waits until it is free.
    Kept,
}

/// A rule of the protocol that a mutant does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Join, not three-way merge.
    Join,
    /// Prose is joined line by line; the mutant takes that of the displaced board.
    ProseIsJoined,
    /// A leftover displaced board is joined before it is removed.
    LeftoversAreJoined,
    /// A leftover is first renamed to a name of the adopter's, then judged.
    LeftoversAreClaimed,
    /// A displaced board stays until its join is in place; the mutant stages over it.
    DisplacedStays,
}

/// Who takes part, what the system offers them, and which rule (if any) is left out.
#[derive(Clone, Copy, Debug)]
pub struct Commit {
    /// At most three.
    pub parties: &'static [Host],
    /// How many times somebody edits the board without asking anyone.
    pub edits: usize,
    pub crashes: u8,
    /// How many times a process is so slow that its file is taken for a leftover.
    pub oversleeps: u8,
    pub latch: Latch,
    /// Whether the file system can swap two files.
    pub exchange: bool,
    /// Where it cannot: whether an edit may land between compare and rename.
    pub edits_in_the_gap: bool,
    pub without: Option<Rule>,
}

/// A temporary file.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    pub owner: Id,
    /// The board that was staged in it, whose hash is in its name: `None` once the file is a leftover,
    /// for then all that matters of its name is `swapped`.
    pub staged: Option<Board>,
    /// Its content is not what its name says: it was exchanged, and holds a displaced board.
    pub swapped: bool,
    pub content: Board,
}

impl File {
    /// The same file as a leftover, in the hands of `owner`.
    pub fn left_to(self, owner: Id) -> File {
        let swapped = self.staged.map_or(self.swapped, |staged| staged != self.content);
        File { owner, staged: None, swapped, content: if swapped { self.content } else { 0 } }
    }
}

/// Where a process stands: the step that it takes next.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    /// Not yet started; the late update only.
    Start,
    TakeLatch,
    /// Adopt one leftover more, or read.
    Adopt,
    /// The mutant that claims nothing unlinks what it saw: a file of this owner and name.
    UnlinkUnclaimed(Id, Option<Board>),
    Stage,
    Exchange,
    CompareDisplaced,
    /// Without exchange: compare the board just before the rename.
    CompareBoard,
    Rename,
    Discard,
    /// It has reported `written`.
    Ended,
    Crashed,
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Process {
    pub next: Next,
    /// What it believes the board to be.
    pub expected: Board,
    /// What it puts in its place.
    pub wrote: Board,
}

impl Process {
    pub fn at(next: Next) -> Process {
        Process { next, expected: 0, wrote: 0 }
    }

    pub fn gone(&self) -> bool {
        matches!(self.next, Next::Ended | Next::Crashed)
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct World {
    pub board: Board,
    /// The temporary files in `.orchestrator/`, sorted.
    pub files: Vec<File>,
    pub latches: [Option<Id>; 2],
    pub processes: [Process; 4],
    /// What the outsider has read and not yet written back.
    pub draft: Option<Board>,
    pub edits_done: usize,
    pub crashes: u8,
    pub oversleeps: u8,
    /// Facts that were last seen in the board when an outsider wrote an older one over it. No protocol
    /// of ours can keep these.
    pub excused: Board,
}

impl World {
    /// Puts a board in place, and returns the one that it displaces.
    pub fn put_board(&mut self, board: Board) -> Board {
        self.excused &= !board;
        std::mem::replace(&mut self.board, board)
    }

    /// Adds a file; equal leftovers are one.
    pub fn add(&mut self, file: File) {
        if let Err(place) = self.files.binary_search(&file) {
            self.files.insert(place, file);
        }
    }

    /// Whether every fact is in the board, but for those that an outsider wrote over.
    pub fn keeps(&self, facts: Board) -> bool {
        facts & !(self.board | self.excused) == 0
    }
}

impl Protocol for Commit {
    type World = World;

    fn symmetry(&self) -> Option<fn(&World) -> World> {
        let one_host = self.parties.iter().all(|host| *host == Host::A);
        one_host.then_some(symmetry::representative)
    }
}

impl Model for Commit {
    type State = World;
    type Action = Action<World>;

    fn init_states(&self) -> Vec<World> {
        let mut processes = [Process::at(Next::Crashed); 4];
        processes[..self.parties.len()].fill(Process::at(self.first_step()));
        processes[LATE].next = Next::Start;
        vec![World {
            board: 0,
            files: vec![],
            latches: [None; 2],
            processes,
            draft: None,
            edits_done: 0,
            crashes: self.crashes,
            oversleeps: self.oversleeps,
            excused: 0,
        }]
    }

    fn actions(&self, world: &World, out: &mut Vec<Action<World>>) {
        for who in 0..world.processes.len() {
            let mut steps = Steps { who: NAMES[who], state: world, out };
            if world.processes[who].gone() {
                continue;
            }
            self.boardsync(who, &mut steps);
            // Before this step, which is after the one before.
            if who != LATE && world.crashes > 0 {
                steps.step("crashes", |w| {
                    w.crashes -= 1;
                    self.crash(w, who);
                });
            }
        }
        self.outsider(&mut Steps { who: "outsider", state: world, out });
    }

    fn next_state(&self, _: &World, action: Action<World>) -> Option<World> {
        Some(action.next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        fn over(world: &World) -> bool {
            world.processes[LATE].next == Next::Ended
        }
        let mut properties = vec![
            Property::always("what was written is in the board", |_, w: &World| {
                let written = |who: &Id| w.processes[*who].next == Next::Ended;
                !over(w) || w.keeps((0..=LATE).filter(written).map(row).sum())
            }),
            Property::always("an outsider's edit is in the board", |_, w: &World| {
                !over(w) || w.keeps(LINES[..w.edits_done].iter().sum())
            }),
            Property::always("nothing is left lying about", |_, w: &World| {
                !over(w) || w.files.is_empty()
            }),
            Property::eventually("a new update ends", |_, w: &World| over(w)),
        ];
        if self.exchange {
            properties.push(Property::sometimes("a displaced board outlives its process", |_, w: &World| {
                w.files.iter().any(|f| f.owner == NOBODY && f.swapped)
            }));
        }
        properties
    }
}
