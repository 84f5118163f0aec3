//! Stdin, up to a deadline: its other end may never be closed.

use std::io::{self, BufReader, Read};
use std::time::{Duration, Instant};

/// Reads stdin until its end, or until `limit` after `started`.
///
/// Where a read cannot be waited for with a limit (Windows), a watchdog must end it.
pub fn until(started: Instant, limit: Duration) -> impl Read {
    BufReader::new(Timely { started, limit })
}

struct Timely {
    started: Instant,
    limit: Duration,
}

#[cfg(unix)]
impl Read for Timely {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = io::stdin();
        loop {
            let left = self.limit.saturating_sub(self.started.elapsed());
            if left.is_zero() {
                // Whatever there is to read: it may never end.
                return Err(self.late());
            }
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left)) {
                Ok(0) => return Err(self.late()),
                // At its end, and on an error, there is something to read too.
                Ok(_) => return Ok(rustix::io::read(&stdin, &mut *buffer)?),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(not(unix))]
impl Read for Timely {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.started.elapsed() {
            waited if waited > self.limit => Err(self.late()),
            _ => io::stdin().read(buffer),
        }
    }
}

impl Timely {
    fn late(&self) -> io::Error {
        let limit = self.limit.as_millis();
        let what = format!("no complete hook event on stdin within {limit} ms");
        io::Error::new(io::ErrorKind::TimedOut, what)
    }
}
