//! What wakes a watch: files, signals, keys; one channel for all of them.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Says what there is to do; of several, the greatest first.
#[cfg_attr(not(unix), allow(dead_code, reason = "no signals there"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wake {
    /// Something may look different.
    Look,
    /// The shell wants the terminal back for a while.
    Suspend,
    /// A person wants it to end.
    Quit,
    /// This signal wants it to end.
    Die(i32),
}

/// Receives whatever wakes.
pub struct Wakes {
    sender: Sender<Wake>,
    receiver: Receiver<Wake>,
}

impl Wakes {
    /// Lets only files wake; signals do what they always do.
    pub fn of_a_stream() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }

    /// Lets signals and keys wake too.
    pub fn of_a_screen() -> io::Result<Self> {
        let wakes = Self::of_a_stream();
        listen_to_signals(wakes.sender())?;
        if io::stdin().is_terminal() {
            listen_to_keys(wakes.sender());
        }
        Ok(wakes)
    }

    /// Gives an end for another thread to wake with.
    pub fn sender(&self) -> Sender<Wake> {
        self.sender.clone()
    }

    /// Waits for at most `limit`; `None` if nothing has come.
    pub fn next(&self, limit: Duration) -> Option<Wake> {
        // It cannot be disconnected: one sender is ours.
        self.receiver.recv_timeout(limit).ok()
    }

    /// Lets a burst pass, and gives the most urgent of it.
    pub fn settle(&self, time: Duration) -> Wake {
        std::thread::sleep(time);
        self.receiver.try_iter().fold(Wake::Look, Wake::max)
    }
}

#[cfg(unix)]
fn listen_to_signals(sender: Sender<Wake>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
    let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH];
    let mut signals = signal_hook::iterator::Signals::new(all)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let wake = match signal {
                SIGWINCH => Wake::Look,
                SIGTSTP => Wake::Suspend,
                deadly => Wake::Die(deadly),
            };
            if sender.send(wake).is_err() {
                break;
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn listen_to_signals(_sender: Sender<Wake>) -> io::Result<()> {
    Ok(())
}

fn listen_to_keys(sender: Sender<Wake>) {
    std::thread::spawn(move || {
        for key in io::stdin().lock().bytes() {
            match key {
                Ok(b'q' | b'Q') => {
                    let _ = sender.send(Wake::Quit);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
    });
}

/// Says whether nobody reads stdout any more, be it a pipe or a terminal:
/// `watch | head` ends without having to wait for one more change.
pub fn reader_is_gone() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = io::stdout();
        let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
        let _ = poll(&mut polled, Some(&Timespec::default()));
        let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
        polled[0].revents().intersects(gone)
    }
    #[cfg(not(unix))]
    false
}

/// Ends the process as `signal` would have, so that a shell sees what it expects.
pub fn die(signal: i32) {
    #[cfg(unix)]
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    #[cfg(not(unix))]
    let _ = signal;
}

/// Stops the process until the shell lets it go on.
pub fn stop() {
    #[cfg(unix)]
    die(signal_hook::consts::SIGTSTP);
}
