//! The terminal's other screen: entered, drawn on, and always left again.

use crate::cli::terminal::Terminal;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};

/// Other screen, no cursor, no wrapping of what is wider than we think.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Holds, while the other screen is shown, how the terminal was before.
static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

/// Is the other screen, for as long as it lives.
pub struct Screen {
    shown: String,
}

impl Screen {
    /// Shows the other screen; a panic, too, brings back the first.
    pub fn enter() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let previous = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                leave();
                previous(panic);
            }));
        });
        enter()?;
        Ok(Self {
            shown: String::new(),
        })
    }

    /// Draws `lines`, as many as fit, unless the screen shows just that.
    pub fn draw(&mut self, lines: &[String], terminal: &Terminal) -> io::Result<()> {
        let mut frame = String::new();
        let room = terminal.height;
        let cut = lines.len() > room;
        let fitting = if cut { room - 1 } else { lines.len() };
        for line in &lines[..fitting] {
            let _ = write!(frame, "{line}\x1b[K\r\n");
        }
        if cut {
            let _ = write!(frame, "… {} more lines\x1b[K", lines.len() - fitting);
        } else {
            frame.truncate(frame.len() - 2);
        }
        // A resized terminal has moved what it shows.
        let key = format!("{} {} {frame}", terminal.width, terminal.height);
        if key == self.shown {
            return Ok(());
        }
        self.shown = key;
        let mut stdout = io::stdout().lock();
        // Where the terminal knows 2026, the frame appears at once.
        write!(stdout, "\x1b[?2026h\x1b[H{frame}\x1b[J\x1b[?2026l")?;
        stdout.flush()
    }

    /// Gives the first screen back while `stop` runs.
    pub fn suspend(&mut self, stop: impl FnOnce()) -> io::Result<()> {
        leave();
        stop();
        self.shown.clear();
        enter()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    *before = Some(Before::keys_at_once());
    print(ENTER)
}

/// Does nothing the second time, so that a panic and a drop may both call it.
fn leave() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        // On a terminal that has gone, nothing is to be brought back.
        let _ = print(LEAVE);
        before.restore();
    }
}

fn print(codes: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(codes.as_bytes())?;
    stdout.flush()
}

/// Breaks a message into lines at its spaces.
pub fn wrapped(message: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in crate::printable(message, 2_000).split(' ') {
        let last = lines.last_mut().expect("it begins with one");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// Is how the terminal treated keys before.
struct Before {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Before {
    /// Lets a key be read without Return, and not be shown; Ctrl-C stays a signal.
    fn keys_at_once() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let modes = tcgetattr(io::stdin()).ok();
        if let Some(mut quiet) = modes.clone() {
            quiet.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &quiet);
        }
        Self { modes }
    }

    fn restore(self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(modes) = self.modes {
            let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &modes);
        }
    }
}

#[cfg(not(unix))]
impl Before {
    fn keys_at_once() -> Self {
        Self {}
    }

    fn restore(self) {}
}
