//! The terminal's alternate screen: entered, drawn on, and always left again.

use super::events::Scroll;
use crate::cli::show::{Page, cut};
use crate::cli::terminal::Terminal;
use crate::printable::printable;
use std::io::{self, Write};
use std::sync::{Mutex, Once, PoisonError};

/// Alternate screen, no cursor, no wrapping of lines wider than expected.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";

/// The terminal's former settings, while the alternate screen is shown.
static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

/// The other screen, for as long as it lives.
pub struct Screen {
    shown: String,
    /// How many lines of the body are above the screen.
    above: usize,
    /// How many lines of the body fit.
    room: usize,
}

impl Screen {
    /// Shows the alternate screen; a panic, too, brings back the main one.
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
            above: 0,
            room: 1,
        })
    }

    /// Moves what will be drawn.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.above = match scroll {
            Scroll::Up => self.above.saturating_sub(1),
            Scroll::Down => self.above + 1,
            Scroll::PageUp => self.above.saturating_sub(self.room),
            Scroll::PageDown => self.above + self.room,
            Scroll::Top => 0,
            Scroll::Bottom => usize::MAX / 2,
        };
    }

    /// Draws `page`, as much of its body as fits, unless the screen shows just that.
    pub fn draw(&mut self, page: &Page, terminal: &Terminal) -> io::Result<()> {
        let head = &page.head[..page.head.len().min(terminal.height)];
        let room = terminal.height - head.len();
        let all = page.body.len();
        let is_cut = all > room;
        // The last line says what is not shown.
        self.room = room.saturating_sub(usize::from(is_cut)).max(1);
        self.above = self.above.min(all.saturating_sub(self.room));
        let shown = page.body.iter().skip(self.above).take(self.room);
        let mut lines: Vec<&str> = head.iter().chain(shown).map(String::as_str).collect();
        let position;
        if is_cut {
            let below = all.saturating_sub(self.above + self.room);
            let text = format!("{} above · {below} below · j and k scroll", self.above);
            position = terminal.encode(&cut(&text, terminal.width));
            lines.push(&position);
        }
        lines.truncate(terminal.height);
        let frame: Vec<String> = lines.iter().map(|line| format!("{line}\x1b[K")).collect();
        let frame = frame.join("\r\n");
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

    /// Brings back the main screen while `stop` runs.
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
        // A terminal that has gone cannot be restored.
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
    for word in printable(message, 2_000).split(' ') {
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

/// The terminal's former settings for keys.
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
