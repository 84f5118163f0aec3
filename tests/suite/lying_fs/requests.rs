//! The requests of the kernel, and the replies.

use super::passthrough::{Passthrough, attr, through, timespec};
use fuser::{
    BsdFileFlags, Errno, FileHandle, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, Timestamps};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::time::{Duration, SystemTime};

/// Nothing is cached, so that two mounts of one folder agree.
const NO_TIME: Duration = Duration::ZERO;

/// Replies with what was done, or the error.
macro_rules! answer {
    ($reply:expr, $done:expr, $value:pat => $sent:expr) => {
        match (|| -> io::Result<_> { Ok($done) })() {
            Ok($value) => $sent,
            Err(error) => $reply.error(Errno::from(error)),
        }
    };
}

impl Filesystem for Passthrough {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        if self.liar.gives_locks() {
            let asked = config.add_capabilities(InitFlags::FUSE_FLOCK_LOCKS);
            asked.map_err(|_| io::Error::other("the kernel has no such locks"))?;
        }
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer!(reply, self.find(parent, name)?, it => reply.entry(&NO_TIME, &it, Generation(0)));
    }

    fn forget(&self, _: &Request, ino: INodeNo, count: u64) {
        let mut nodes = self.nodes.lock().unwrap();
        if let Some((_, lookups)) = nodes.get_mut(&ino.0) {
            *lookups = lookups.saturating_sub(count);
            if *lookups == 0 {
                nodes.remove(&ino.0);
            }
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer!(reply, self.node(ino)?.metadata()?, it => reply.attr(&NO_TIME, &attr(ino.0, &it)));
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let change = || {
            let node = self.node(ino)?;
            let path = through(&node);
            if let Some(mode) = mode {
                std::fs::set_permissions(&path, PermissionsExt::from_mode(mode & 0o7777))?;
            }
            if uid.is_some() || gid.is_some() {
                std::os::unix::fs::chown(&path, uid, gid)?;
            }
            if let Some(size) = size {
                File::options().write(true).open(&path)?.set_len(size)?;
            }
            if atime.is_some() || mtime.is_some() {
                let times = Timestamps {
                    last_access: timespec(atime),
                    last_modification: timespec(mtime),
                };
                rustix::fs::utimensat(CWD, &path, &times, AtFlags::empty())?;
            }
            node.metadata()
        };
        answer!(reply, change()?, it => reply.attr(&NO_TIME, &attr(ino.0, &it)));
    }

    fn mkdir(&self, _: &Request, at: INodeNo, name: &OsStr, mode: u32, _: u32, reply: ReplyEntry) {
        let make = || {
            rustix::fs::mkdirat(self.node(at)?, name, Mode::from_raw_mode(mode))?;
            self.find(at, name)
        };
        answer!(reply, make()?, it => reply.entry(&NO_TIME, &it, Generation(0)));
    }

    fn unlink(&self, _: &Request, at: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.remove(at, name, AtFlags::empty())?, () => reply.ok());
    }

    fn rmdir(&self, _: &Request, at: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer!(reply, self.remove(at, name, AtFlags::REMOVEDIR)?, () => reply.ok());
    }

    fn rename(
        &self,
        _: &Request,
        at: INodeNo,
        name: &OsStr,
        to: INodeNo,
        new: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        answer!(reply, self.rename_node((at, name), (to, new), flags)?, () => reply.ok());
    }

    fn link(&self, _: &Request, ino: INodeNo, at: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let link = || {
            self.liar.link()?;
            let (node, folder) = (self.node(ino)?, self.node(at)?);
            rustix::fs::linkat(CWD, through(&node), folder, name, AtFlags::SYMLINK_FOLLOW)?;
            self.find(at, name)
        };
        answer!(reply, link()?, it => reply.entry(&NO_TIME, &it, Generation(0)));
    }

    fn open(&self, _: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        answer!(reply, self.open_node(ino, flags)?, it => reply.opened(it, FopenFlags::FOPEN_DIRECT_IO));
    }

    fn create(
        &self,
        _: &Request,
        at: INodeNo,
        name: &OsStr,
        mode: u32,
        _: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let create = || {
            let only_new = OFlags::from_bits_retain(flags as u32) & OFlags::EXCL;
            let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC | only_new;
            let mode = Mode::from_raw_mode(mode);
            let file = rustix::fs::openat(self.node(at)?, name, flags, mode)?;
            let it = self.find(at, name)?;
            self.liar.created(it.ino.0);
            Ok::<_, io::Error>((it, self.keep(file.into())))
        };
        let flags = FopenFlags::FOPEN_DIRECT_IO;
        answer!(reply, create()?, (it, file) => reply.created(&NO_TIME, &it, Generation(0), file, flags));
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        handle: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let read = || {
            self.liar.read(ino.0)?;
            let mut bytes = vec![0; size as usize];
            let length = self.file(handle)?.read_at(&mut bytes, offset)?;
            bytes.truncate(length);
            Ok::<_, io::Error>(bytes)
        };
        answer!(reply, read()?, bytes => reply.data(&bytes));
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        answer!(reply, self.file(handle)?.write_at(data, offset)?, it => reply.written(it as u32));
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.files.lock().unwrap().remove(&handle.0);
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, handle: FileHandle, _: bool, reply: ReplyEmpty) {
        answer!(reply, self.file(handle)?.sync_all()?, () => reply.ok());
    }

    fn readdir(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        mut reply: ReplyDirectory,
    ) {
        answer!(reply, self.list(ino, offset, &mut reply)?, () => reply.ok());
    }

    fn setlk(
        &self,
        _: &Request,
        _: INodeNo,
        handle: FileHandle,
        _: LockOwner,
        _: u64,
        _: u64,
        kind: i32,
        _: u32,
        _: bool,
        reply: ReplyEmpty,
    ) {
        // F_UNLCK; whoever would wait is refused as well.
        let act = match kind {
            2 => FlockOperation::NonBlockingUnlock,
            _ => FlockOperation::NonBlockingLockExclusive,
        };
        let lock = || self.liar.locked(rustix::fs::flock(self.file(handle)?, act));
        answer!(reply, lock()?, () => reply.ok());
    }
}
