//! What a watch waits for: files, signals, keys; one channel for all of them.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A reason to act; of several, the greatest comes first.
#[cfg_attr(not(unix), allow(dead_code, reason = "no signals there"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WatchEvent {
    /// Something may look different.
    Look,
    /// A person wants to see other lines.
    Scroll(Scroll),
    /// The shell wants the terminal back for a while.
    Suspend,
    /// A person wants it to end.
    Quit,
    /// This signal wants it to end.
    Die(i32),
}

/// The direction of a scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scroll {
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
}

/// The receiving end of all events.
pub struct WatchEvents {
    sender: Sender<WatchEvent>,
    receiver: Receiver<WatchEvent>,
}

impl WatchEvents {
    /// Waits for files only; signals do what they always do.
    pub fn of_a_stream() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }

    /// Waits for signals and keys, too.
    pub fn of_a_screen() -> io::Result<Self> {
        let events = Self::of_a_stream();
        listen_to_signals(events.sender())?;
        if io::stdin().is_terminal() {
            listen_to_keys(events.sender());
        }
        Ok(events)
    }

    /// Returns a sending end for another thread.
    pub fn sender(&self) -> Sender<WatchEvent> {
        self.sender.clone()
    }

    /// Waits for at most `limit`; `None` if nothing has happened.
    pub fn next(&self, limit: Duration) -> Option<WatchEvent> {
        // It cannot be disconnected: one sender is ours.
        self.receiver.recv_timeout(limit).ok()
    }

    /// Lets a burst pass, and returns the most urgent of it.
    pub fn settle(&self, time: Duration) -> WatchEvent {
        std::thread::sleep(time);
        self.receiver
            .try_iter()
            .fold(WatchEvent::Look, WatchEvent::max)
    }
}

#[cfg(unix)]
fn listen_to_signals(sender: Sender<WatchEvent>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
    let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH];
    let mut signals = signal_hook::iterator::Signals::new(all)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGWINCH => WatchEvent::Look,
                SIGTSTP => WatchEvent::Suspend,
                deadly => WatchEvent::Die(deadly),
            };
            if sender.send(event).is_err() {
                break;
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn listen_to_signals(_sender: Sender<WatchEvent>) -> io::Result<()> {
    Ok(())
}

fn listen_to_keys(sender: Sender<WatchEvent>) {
    std::thread::spawn(move || {
        let mut keys = Keys::default();
        for byte in io::stdin().lock().bytes() {
            let Ok(byte) = byte else { break };
            if let Some(event) = keys.read(byte)
                && sender.send(event).is_err()
            {
                break;
            }
        }
    });
}

/// Reads keys from the bytes that a terminal sends for them.
#[derive(Default)]
struct Keys {
    /// An escape sequence that has begun.
    escape: Vec<u8>,
}

impl Keys {
    fn read(&mut self, byte: u8) -> Option<WatchEvent> {
        use Scroll::{Bottom, Down, PageDown, PageUp, Top, Up};
        if byte == 0x1b {
            self.escape = vec![byte];
            return None;
        }
        if !self.escape.is_empty() {
            self.escape.push(byte);
            // ESC, `[` or `O`, digits, and what ends it: ECMA-48, as xterm sends it.
            if self.escape.len() > 2 && !byte.is_ascii_digit() && byte != b';' {
                let sequence = std::mem::take(&mut self.escape);
                let scroll = match &sequence[2..] {
                    b"A" => Up,
                    b"B" => Down,
                    b"5~" => PageUp,
                    b"6~" => PageDown,
                    b"H" | b"1~" => Top,
                    b"F" | b"4~" => Bottom,
                    _ => return None,
                };
                return Some(WatchEvent::Scroll(scroll));
            }
            if self.escape.len() > 1 && !matches!(self.escape[1], b'[' | b'O') {
                self.escape.clear();
            }
            return None;
        }
        Some(match byte {
            b'q' | b'Q' => WatchEvent::Quit,
            b'k' => WatchEvent::Scroll(Up),
            b'j' | b'\n' | b'\r' => WatchEvent::Scroll(Down),
            b'b' => WatchEvent::Scroll(PageUp),
            b' ' => WatchEvent::Scroll(PageDown),
            b'g' => WatchEvent::Scroll(Top),
            b'G' => WatchEvent::Scroll(Bottom),
            _ => return None,
        })
    }
}

/// Returns whether nobody reads stdout any more, be it a pipe or a terminal:
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_scroll_and_end_it_and_others_do_nothing() {
        use Scroll::{Bottom, Down, PageDown, PageUp, Top, Up};
        let mut keys = Keys::default();
        let bytes = b"x\x1b[A\x1bOB\x1b[5~ \x1b[1;5C\x1b[HG\x1bxjq";
        let events: Vec<WatchEvent> = bytes.iter().filter_map(|byte| keys.read(*byte)).collect();
        let scrolls = [Up, Down, PageUp, PageDown, Top, Bottom, Down].map(WatchEvent::Scroll);
        assert_eq!(events, [&scrolls[..], &[WatchEvent::Quit]].concat());
    }
}
