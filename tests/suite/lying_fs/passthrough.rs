//! A folder, shown as a file system that lies about some of what it does.
//!
//! Each inode that the kernel knows is an open descriptor, so that a rename need
//! not be followed. Nothing is cached: two mounts of one folder agree at once.

use super::lie::{Answer, Liar};
use fuser::{
    BackgroundSession, Config, FileAttr, FileHandle, FileType, INodeNo, OpenAccMode, OpenFlags,
    RenameFlags, ReplyDirectory, TimeOrNow,
};
use rustix::fs::{AtFlags, Mode, OFlags, Timespec};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

pub struct Passthrough {
    pub liar: Liar,
    /// The inodes, and how often the kernel has looked each of them up.
    pub nodes: Mutex<HashMap<u64, (Arc<File>, u64)>>,
    pub files: Mutex<HashMap<u64, Arc<File>>>,
    next: AtomicU64,
}

/// Shows `folder` at `point` until the session is dropped.
pub fn mount(folder: &Path, point: &Path, liar: Liar) -> io::Result<BackgroundSession> {
    let root = rustix::fs::open(folder, OFlags::PATH, Mode::empty())?;
    let nodes = HashMap::from([(INodeNo::ROOT.0, (Arc::new(File::from(root)), 1))]);
    let passthrough = Passthrough {
        liar,
        nodes: Mutex::new(nodes),
        files: Mutex::default(),
        next: AtomicU64::new(1),
    };
    fuser::spawn_mount(passthrough, point, &Config::default())
}

pub fn through(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn kind(meta: &Metadata) -> FileType {
    match meta.file_type() {
        kind if kind.is_dir() => FileType::Directory,
        kind if kind.is_symlink() => FileType::Symlink,
        _ => FileType::RegularFile,
    }
}

pub fn attr(ino: u64, meta: &Metadata) -> FileAttr {
    let ctime = u64::try_from(meta.ctime()).unwrap_or_default();
    let nanos = u32::try_from(meta.ctime_nsec()).unwrap_or_default();
    FileAttr {
        ino: INodeNo(ino),
        size: meta.len(),
        blocks: meta.blocks(),
        atime: meta.accessed().unwrap_or(UNIX_EPOCH),
        mtime: meta.modified().unwrap_or(UNIX_EPOCH),
        ctime: UNIX_EPOCH + Duration::new(ctime, nanos),
        crtime: UNIX_EPOCH,
        kind: kind(meta),
        perm: (meta.mode() & 0o7777) as u16,
        nlink: u32::try_from(meta.nlink()).unwrap_or(1),
        uid: meta.uid(),
        gid: meta.gid(),
        rdev: 0,
        flags: 0,
        blksize: 4096,
    }
}

pub fn timespec(time: Option<TimeOrNow>) -> Timespec {
    let nanos = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    match time {
        None => nanos(rustix::fs::UTIME_OMIT),
        Some(TimeOrNow::Now) => nanos(rustix::fs::UTIME_NOW),
        Some(TimeOrNow::SpecificTime(time)) => {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            Timespec {
                tv_sec: i64::try_from(since.as_secs()).unwrap_or_default(),
                tv_nsec: since.subsec_nanos().into(),
            }
        }
    }
}

impl Passthrough {
    pub fn node(&self, ino: INodeNo) -> io::Result<Arc<File>> {
        let nodes = self.nodes.lock().unwrap();
        let node = nodes.get(&ino.0).map(|(file, _)| file.clone());
        node.ok_or_else(|| rustix::io::Errno::STALE.into())
    }

    pub fn file(&self, handle: FileHandle) -> io::Result<Arc<File>> {
        let file = self.files.lock().unwrap().get(&handle.0).cloned();
        file.ok_or_else(|| rustix::io::Errno::BADF.into())
    }

    pub fn keep(&self, file: File) -> FileHandle {
        let handle = self.next.fetch_add(1, Ordering::Relaxed);
        self.files.lock().unwrap().insert(handle, Arc::new(file));
        FileHandle(handle)
    }

    pub fn find(&self, parent: INodeNo, name: &OsStr) -> io::Result<FileAttr> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = rustix::fs::openat(self.node(parent)?, name, flags, Mode::empty())?;
        let found = File::from(found);
        let meta = found.metadata()?;
        let mut nodes = self.nodes.lock().unwrap();
        let (_, lookups) = nodes.entry(meta.ino()).or_insert((Arc::new(found), 0));
        *lookups += 1;
        Ok(attr(meta.ino(), &meta))
    }

    pub fn open_node(&self, ino: INodeNo, flags: OpenFlags) -> io::Result<FileHandle> {
        let node = self.node(ino)?;
        self.liar.open(ino.0)?;
        let access = flags.acc_mode();
        let mut options = File::options();
        options
            .read(access != OpenAccMode::O_WRONLY)
            .write(access != OpenAccMode::O_RDONLY);
        Ok(self.keep(options.open(through(&node))?))
    }

    pub fn remove(&self, parent: INodeNo, name: &OsStr, flags: AtFlags) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.node(parent)?, name, flags)?)
    }

    pub fn list(&self, ino: INodeNo, offset: u64, reply: &mut ReplyDirectory) -> io::Result<()> {
        let entries = std::fs::read_dir(through(&*self.node(ino)?))?;
        for (at, entry) in entries.enumerate().skip(offset as usize) {
            let entry = entry?;
            // One that has just been renamed is not there.
            let Ok(meta) = entry.metadata() else { continue };
            let full = reply.add(
                INodeNo(meta.ino()),
                at as u64 + 1,
                kind(&meta),
                entry.file_name(),
            );
            if full {
                break;
            }
        }
        Ok(())
    }

    pub fn rename_node(
        &self,
        from: (INodeNo, &OsStr),
        to: (INodeNo, &OsStr),
        flags: RenameFlags,
    ) -> io::Result<()> {
        let flags = rustix::fs::RenameFlags::from_bits_retain(flags.bits());
        let answer = self
            .liar
            .rename((from.0.0, from.1), (to.0.0, to.1), flags)?;
        let Answer::Do(flags) = answer else {
            return Ok(());
        };
        let (one, other) = (self.node(from.0)?, self.node(to.0)?);
        let moved = rustix::fs::statat(&one, from.1, AtFlags::SYMLINK_NOFOLLOW)?.st_ino;
        rustix::fs::renameat_with(one, from.1, other, to.1, flags)?;
        self.liar.renamed(moved);
        Ok(())
    }
}
