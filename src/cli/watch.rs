//! `boardsync watch`: the same view, live.

mod alarm;
mod changes;
mod events;
mod screen;
mod stream;

use super::context::Context;
use super::outcome::{Exit, Failure};
use super::show::{Page, Selection, Session, Snapshot, View, page};
use super::terminal::Terminal;
use crate::Timestamp;
use crate::config::vault::BoardPlace;
use alarm::Alarm;
use changes::Changes;
use clap::Args;
use events::{WatchEvent, WatchEvents};
use screen::Screen;
use std::io;
use std::time::{Duration, Instant};
use stream::Stream;

/// How often to look for what nothing notifies of: changes from other hosts and
/// on network drives, folders that come and go, processes that die.
const POLL: Duration = Duration::from_secs(2);
/// How old an age on the screen may become.
const REFRESH: Duration = Duration::from_secs(30);
/// A burst of changes, like that of one update, is shown once.
const SETTLE: Duration = Duration::from_millis(50);

/// The arguments of `watch`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  boardsync watch
  boardsync watch --filter state=waiting | tee board.log
  boardsync watch --exec 'notify-send \"$BOARDSYNC_REPO is $BOARDSYNC_ACTIVITY\"'

Arrow keys, Page Up and Page Down, j, k and the space bar scroll; `q` or Ctrl-C quits.
To a pipe it writes the table of `show` after each change, below a line
`--- TIME, N rows`; with --json, one object per change. It waits for a board that does
not exist yet.

The shell runs the command of --exec for each such session, with its repository,
folder, title and state (waiting, silent or died) in BOARDSYNC_REPO, BOARDSYNC_PATH,
BOARDSYNC_TITLE and BOARDSYNC_ACTIVITY. Its output is discarded.")]
pub struct WatchArgs {
    #[command(flatten)]
    selection: Selection,
    /// Run this when a session begins to wait, falls silent or dies
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,
}

/// Runs `boardsync watch`.
pub fn run(context: &Context, args: &WatchArgs) -> Result<Exit, Failure> {
    let mut watch = Watch {
        context,
        place: context.place()?,
        selection: &args.selection,
        alarm: args.exec.as_deref().map(Alarm::new),
        has_sessions: false,
    };
    let terminal = Terminal::of_stdout(&context.env);
    let ended = match terminal.filter(|it| it.able && !context.global.json && !context.global.quiet)
    {
        Some(_) => watch.on_screen(),
        None => watch.as_stream(terminal),
    };
    match ended {
        Ok(()) => Ok(Exit::Success),
        // The reader, or the terminal, has gone: nothing more can be reported.
        Err(error) if is_gone(&error) => Ok(Exit::Success),
        Err(error) => Err(Failure::Error(format!("cannot write to stdout: {error}"))),
    }
}

fn is_gone(error: &io::Error) -> bool {
    // 5 is EIO, the error of a closed terminal.
    error.kind() == io::ErrorKind::BrokenPipe || (cfg!(unix) && error.raw_os_error() == Some(5))
}

struct Watch<'a> {
    context: &'a Context,
    place: BoardPlace,
    selection: &'a Selection,
    alarm: Option<Alarm<'a>>,
    /// Whether sessions of this host are shown: nothing notifies of their death.
    has_sessions: bool,
}

impl Watch<'_> {
    fn on_screen(&mut self) -> io::Result<()> {
        let events = WatchEvents::of_a_screen()?;
        let mut changes = self.changes(&events);
        let mut screen = Screen::enter()?;
        loop {
            changes.look();
            if let Some(terminal) = Terminal::of_stdout(&self.context.env) {
                screen.draw(&self.page(&terminal), &terminal)?;
            }
            match self.wait(&events, &mut changes) {
                WatchEvent::Look => {}
                WatchEvent::Scroll(scroll) => screen.scroll(scroll),
                WatchEvent::Suspend => screen.suspend(events::stop)?,
                WatchEvent::Quit => return Ok(()),
                WatchEvent::Die(signal) => {
                    drop(screen);
                    events::die(signal);
                    return Ok(());
                }
            }
        }
    }

    fn as_stream(&mut self, terminal: Option<Terminal>) -> io::Result<()> {
        let events = WatchEvents::of_a_stream();
        let mut changes = self.changes(&events);
        let mut stream = Stream::new(self.context, terminal);
        loop {
            changes.look();
            match self.snapshot() {
                Ok(snapshot) => stream.print(Ok(self.view(&snapshot)))?,
                Err(failure) => stream.print(Err(failure))?,
            }
            if self.wait(&events, &mut changes) != WatchEvent::Look {
                return Ok(());
            }
        }
    }

    fn changes(&self, events: &WatchEvents) -> Changes {
        let lock = self.place.lock();
        let files = vec![self.place.target.clone(), lock];
        Changes::watch(files, Session::folder(self.context), events.sender())
    }

    fn snapshot(&self) -> Result<Snapshot, Failure> {
        let take = || Snapshot::take(self.context, &self.place, self.now());
        take().or_else(|_| {
            // An editor may have truncated the board, and be about to fill it.
            std::thread::sleep(SETTLE);
            take()
        })
    }

    /// Selects what is shown; what has happened since the last time is announced.
    fn view<'s>(&mut self, snapshot: &'s Snapshot) -> View<'s> {
        let view = snapshot.view(self.selection);
        self.has_sessions = view.items.iter().any(|item| !item.sessions.is_empty());
        if let Some(alarm) = &mut self.alarm {
            alarm.look(&view);
        }
        view
    }

    fn now(&self) -> Timestamp {
        match self.context.env.get("BOARDSYNC_NOW") {
            Some(_) => self.context.now,
            None => Timestamp::now(),
        }
    }

    /// Returns what the screen shows: the board, or why it cannot be shown.
    fn page(&mut self, terminal: &Terminal) -> Page {
        match self.snapshot() {
            Ok(snapshot) => page(&self.view(&snapshot), terminal),
            Err(failure) => Page {
                head: screen::wrapped(&failure.to_string(), terminal.width),
                body: Vec::new(),
            },
        }
    }

    /// Waits until there is something to do.
    fn wait(&self, events: &WatchEvents, changes: &mut Changes) -> WatchEvent {
        let due = Instant::now() + REFRESH;
        loop {
            let left = due.saturating_duration_since(Instant::now());
            match events.next(POLL.min(left)) {
                Some(WatchEvent::Look) => return events.settle(SETTLE),
                Some(event) => return event,
                None if events::reader_is_gone() => return WatchEvent::Quit,
                None if self.has_sessions || changes.see() || left.is_zero() => {
                    return WatchEvent::Look;
                }
                None => {}
            }
        }
    }
}
