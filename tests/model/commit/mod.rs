//! The commit: latch, adopt what was left behind, read, stage, exchange, compare, join, discard.
//!
//! A board is a set of facts, one bit each: a row in its new version, or a line of prose. The join by
//! the newest version of each row is then a union, and to lose an update is to lose a bit.
//!
//! Nobody pauses here, for slowness is in every interleaving: any process may be overtaken between any
//! two of its steps, and a bounded latch may be given up whenever it is not free. What others see of a
//! pause past the staleness is that a file looks left over; that is `oversleeps`.

mod boardsync;
mod explore;
mod outsider;
mod runs;
mod symmetry;

pub type Id = usize;
pub type Board = u8;

/// The place of the update that starts once everyone else has ended.
pub const LATE: Id = 3;
pub const NAMES: [&str; 4] = ["first", "second", "third", "late"];
/// Whose the files are that a process has left behind; it no longer matters which one.
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
    /// Prose is joined line by line; the mutant takes that of the board just displaced.
    ProseIsJoined,
    /// So is that of a leftover; the mutant takes the leftover's.
    ProseOfLeftoversIsJoined,
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
    /// The board that was staged in it, whose hash is in its name. `None` once the file is to be joined
    /// or discarded: all that matters of its name is then `swapped`.
    pub staged: Option<Board>,
    /// Its content is not what its name says: it was exchanged, and holds a displaced board.
    pub swapped: bool,
    pub content: Board,
}

impl File {
    /// The same file, to be joined or discarded by `owner`.
    pub fn left_to(self, owner: Id) -> File {
        let swapped = self
            .staged
            .map_or(self.swapped, |staged| staged != self.content);
        File {
            owner,
            staged: None,
            swapped,
            content: if swapped { self.content } else { 0 },
        }
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
        Process {
            next,
            expected: 0,
            wrote: 0,
        }
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

    /// Leaves the files of one process to another, or to itself for later.
    pub fn leave_files(&mut self, from: Id, to: Id) {
        for file in std::mem::take(&mut self.files) {
            self.add(if file.owner == from {
                file.left_to(to)
            } else {
                file
            });
        }
    }

    /// Whether every fact is in the board, but for those that an outsider wrote over.
    pub fn keeps(&self, facts: Board) -> bool {
        facts & !(self.board | self.excused) == 0
    }
}
