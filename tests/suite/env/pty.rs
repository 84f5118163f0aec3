//! A terminal of a fixed size, for what only people see.

use super::{TestEnv, wait_until};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};

/// A command that believes it talks to a terminal.
pub struct OnTerminal {
    pub child: Child,
    terminal: File,
    shown: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl TestEnv {
    /// Starts `command` on a terminal of so many columns and lines.
    pub fn on_terminal(&self, mut command: Command, size: (u16, u16)) -> OnTerminal {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let side = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let terminal = File::from(terminal);
        resize_to(&terminal, size);
        let side = || File::from(side.try_clone().unwrap());
        command.stdin(side()).stdout(side()).stderr(side());
        if !command.get_envs().any(|(name, _)| name == "TERM") {
            command.env("TERM", "xterm-256color");
        }
        if !command.get_envs().any(|(name, _)| name == "LANG") {
            command.env("LANG", "C.UTF-8");
        }
        let child = command.spawn().unwrap();
        // The command keeps its side open until it is dropped too.
        drop(command);
        let shown: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (mut source, into) = (terminal.try_clone().unwrap(), Arc::clone(&shown));
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Once the other side is closed, Linux says EIO and macOS nothing.
            while let Ok(count @ 1..) = source.read(&mut buffer) {
                into.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        OnTerminal {
            child,
            terminal,
            shown,
            reader: Some(reader),
        }
    }
}

impl Drop for OnTerminal {
    /// Ends it, so that a test that fails leaves nothing behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn resize_to(terminal: &File, (columns, lines): (u16, u16)) {
    let size = Winsize {
        ws_col: columns,
        ws_row: lines,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).unwrap();
}

impl OnTerminal {
    /// Gives all that was written to the terminal so far.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Waits until `text` is written, and forgets what came before its end.
    pub fn expect(&self, text: &str) {
        wait_until(&format!("`{text}` is shown"), || {
            let mut shown = self.shown.lock().unwrap();
            let found = String::from_utf8_lossy(&shown)
                .find(text)
                .map(|at| at + text.len());
            if let Some(end) = found {
                let end = end.min(shown.len());
                shown.drain(..end);
            }
            found.is_some()
        });
    }

    pub fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Gives the terminal another size, and says so as the kernel would.
    pub fn resize(&self, size: (u16, u16)) {
        resize_to(&self.terminal, size);
        self.signal(rustix::process::Signal::WINCH);
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    pub fn wait_until_stopped(&self) {
        use rustix::process::{Pid, WaitOptions, waitpid};
        let pid = Pid::from_child(&self.child);
        let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "{status:?}");
    }

    /// Waits for its end, and gives what it wrote.
    pub fn end(mut self) -> (ExitStatus, String) {
        let mut ended = None;
        wait_until("it ends", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        self.reader.take().unwrap().join().unwrap();
        (ended.unwrap(), self.shown())
    }

    /// Returns whether keys are echoed and lines edited, as at a prompt.
    pub fn is_at_ease(&self) -> bool {
        use rustix::termios::{LocalModes, tcgetattr};
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }
}
