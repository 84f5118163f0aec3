//! The lies that a file system is made to tell.

use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::sync::Mutex;

use rustix::fs::RenameFlags;

/// One kind of lie, each seen on a real file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// None: the tests themselves hold.
    Honest,
    /// A rename drops its flags and reports success (old FUSE drivers).
    RenameIgnoresFlags,
    /// The same, where no links can be made either (rclone).
    RenameIgnoresFlagsAndNoLink,
    /// An exchange reports success and does nothing.
    ExchangeDoesNothing,
    /// No link can be made, and this is the error.
    NoLink(Errno),
    /// The first two renames of each name fail (virus scanners).
    RenameFailsTwice(Errno),
    /// The board can be neither replaced nor exchanged (a file that is mounted by itself).
    BoardIsBusy,
    /// No name can be moved at all.
    NothingMoves(Errno),
    /// No rename leads from one folder to another (mergerfs).
    FoldersApart,
    /// The first opens of a file fail after it was renamed (NFS).
    StaleOpen,
    /// The first read of a file fails after it was renamed (NFS).
    StaleRead,
    /// The first opens of a file fail after it was created (rclone).
    NewIsUnreadable,
    /// A kernel lock that another process has is refused with EACCES (SMB).
    BusyLockIsRefused,
    /// Every kernel lock is refused with EACCES.
    NoKernelLock,
}

/// What becomes of a rename.
pub enum Answer {
    Do(RenameFlags),
    DoNothing,
}

/// A lie that is being told: it counts.
#[derive(Debug)]
pub struct Liar {
    pub lie: Lie,
    /// How often each name was asked for.
    asked: Mutex<HashMap<Vec<u8>, u32>>,
    /// How often each file is yet to fail.
    failing: Mutex<HashMap<u64, u32>>,
}

impl Liar {
    pub fn new(lie: Lie) -> Self {
        Self {
            lie,
            asked: Mutex::default(),
            failing: Mutex::default(),
        }
    }

    pub fn link(&self) -> io::Result<()> {
        match self.lie {
            Lie::NoLink(errno) => Err(errno.into()),
            Lie::RenameIgnoresFlagsAndNoLink => Err(Errno::IO.into()),
            _ => Ok(()),
        }
    }

    /// Answers a rename of a name in a folder to one in another.
    pub fn rename(
        &self,
        from: (u64, &OsStr),
        to: (u64, &OsStr),
        flags: RenameFlags,
    ) -> io::Result<Answer> {
        let is_board = |name: &OsStr| name == "_active-sessions.md";
        match self.lie {
            Lie::RenameIgnoresFlags | Lie::RenameIgnoresFlagsAndNoLink => {
                return Ok(Answer::Do(RenameFlags::empty()));
            }
            Lie::ExchangeDoesNothing if flags == RenameFlags::EXCHANGE => {
                return Ok(Answer::DoNothing);
            }
            Lie::RenameFailsTwice(errno) => {
                let mut asked = self.asked.lock().unwrap();
                let count = asked.entry(from.1.as_encoded_bytes().to_vec()).or_default();
                *count += 1;
                if *count <= 2 {
                    return Err(errno.into());
                }
            }
            Lie::BoardIsBusy if is_board(from.1) || is_board(to.1) => {
                return Err(Errno::BUSY.into());
            }
            Lie::NothingMoves(errno) => return Err(errno.into()),
            Lie::FoldersApart if from.0 != to.0 => return Err(Errno::XDEV.into()),
            _ => {}
        }
        Ok(Answer::Do(flags))
    }

    /// Remembers that the file was created.
    pub fn created(&self, file: u64) {
        if self.lie == Lie::NewIsUnreadable {
            self.failing.lock().unwrap().insert(file, 2);
        }
    }

    /// Remembers that the file was renamed.
    pub fn renamed(&self, file: u64) {
        if matches!(self.lie, Lie::StaleOpen | Lie::StaleRead) {
            // The kernel itself tries a stale open once more.
            self.failing.lock().unwrap().insert(file, 2);
        }
    }

    pub fn open(&self, file: u64) -> io::Result<()> {
        match self.lie {
            Lie::StaleOpen => self.fail(file, Errno::STALE),
            Lie::NewIsUnreadable => self.fail(file, Errno::IO),
            _ => Ok(()),
        }
    }

    pub fn read(&self, file: u64) -> io::Result<()> {
        match self.lie {
            Lie::StaleRead => self.fail(file, Errno::STALE),
            _ => Ok(()),
        }
    }

    fn fail(&self, file: u64, errno: Errno) -> io::Result<()> {
        match self.failing.lock().unwrap().get_mut(&file) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Err(errno.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether kernel locks are ours to give: else each mount has its own.
    pub fn gives_locks(&self) -> bool {
        matches!(self.lie, Lie::BusyLockIsRefused | Lie::NoKernelLock)
    }

    /// Turns what the backing file system said of a kernel lock into the lie.
    pub fn locked(&self, done: rustix::io::Result<()>) -> io::Result<()> {
        match (self.lie, done) {
            (Lie::NoKernelLock, _) | (_, Err(Errno::WOULDBLOCK)) => Err(Errno::ACCESS.into()),
            (_, done) => Ok(done?),
        }
    }
}
