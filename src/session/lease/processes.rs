//! The processes of this host, as far as they prove that a session lives.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// One process that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its parent's number.
    pub parent: u32,
    /// When it started, in a unit of the system's own; only equality counts.
    pub started: u64,
    /// Whether it has a controlling terminal, which no daemon has; false where the
    /// system does not say.
    pub has_terminal: bool,
}

/// The kernel's answers about its processes, each asked for once: what a
/// command decides of a session it decides everywhere.
pub struct Processes {
    /// The kernel's id of this boot; `None` on systems without one.
    pub boot_id: Option<String>,
    /// The name of the namespace in which a pid means what it says.
    pub namespace: Option<String>,
    seen: RefCell<HashMap<u32, Option<Process>>>,
    look: fn(u32) -> Option<Process>,
    command: Box<dyn Fn(u32) -> Vec<String>>,
}

impl Processes {
    /// Asks this system.
    pub fn system() -> Self {
        Self {
            boot_id: crate::host_name::boot_id().map(str::to_owned),
            namespace: system::namespace(),
            seen: RefCell::default(),
            look: system::look,
            command: Box::new(|pid| system::command(pid).unwrap_or_default()),
        }
    }

    /// Knows these processes and their command lines, and no others.
    pub fn fixed(boot_id: &str, processes: Vec<(u32, Process, Vec<String>)>) -> Self {
        let seen = processes
            .iter()
            .map(|(pid, it, _)| (*pid, Some(it.clone())));
        Self {
            boot_id: Some(boot_id.to_owned()),
            namespace: None,
            seen: RefCell::new(seen.collect()),
            look: |_| None,
            command: Box::new(move |pid| {
                let mut all = processes.iter();
                all.find(|(other, ..)| *other == pid)
                    .map_or_else(Vec::new, |(.., command)| command.clone())
            }),
        }
    }

    /// Looks for the process with the number `pid`; one that has ended and
    /// is a zombie is not running.
    pub fn get(&self, pid: u32) -> Option<Process> {
        let mut seen = self.seen.borrow_mut();
        seen.entry(pid).or_insert_with(|| (self.look)(pid)).clone()
    }

    /// Reads the command of a process: the program, and for an interpreter its
    /// script.
    pub fn command(&self, pid: u32) -> Vec<String> {
        (self.command)(pid)
    }
}

impl fmt::Debug for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processes")
            .field("boot_id", &self.boot_id)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::Process;
    use crate::disk::read_proc;

    pub fn namespace() -> Option<String> {
        let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
        Some(link.to_string_lossy().into_owned())
    }

    pub fn look(pid: u32) -> Option<Process> {
        // A program's name may hold anything, `) R 1` included: the last one counts.
        let stat = read_proc(format!("/proc/{pid}/stat"))?;
        let stat = String::from_utf8_lossy(&stat);
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        if matches!(*fields.first()?, "Z" | "X" | "x") {
            return None;
        }
        // Fields 4, 7 and 22 of proc(5); the state is field 3.
        Some(Process {
            parent: fields.get(1)?.parse().ok()?,
            has_terminal: *fields.get(4)? != "0",
            started: fields.get(19)?.parse().ok()?,
        })
    }

    pub fn command(pid: u32) -> Option<Vec<String>> {
        let bytes = read_proc(format!("/proc/{pid}/cmdline"))?;
        let words = bytes.split(|byte| *byte == 0).take(3);
        Some(
            words
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect(),
        )
    }
}

/// By way of a crate: there is no `/proc`, and what there is needs `unsafe`.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::Process;
    use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

    pub fn namespace() -> Option<String> {
        None
    }

    /// Start times are absolute here, and tell boots apart.
    pub fn look(pid: u32) -> Option<Process> {
        let (pid, what) = (Pid::from_u32(pid), ProcessRefreshKind::nothing());
        let mut system = System::new();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        let process = system.process(pid)?;
        if matches!(
            process.status(),
            ProcessStatus::Zombie | ProcessStatus::Dead
        ) {
            return None;
        }
        Some(Process {
            parent: process.parent().map_or(0, Pid::as_u32),
            started: process.start_time(),
            has_terminal: false,
        })
    }

    pub fn command(pid: u32) -> Option<Vec<String>> {
        let pid = Pid::from_u32(pid);
        let mut system = System::new();
        let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        let words = system.process(pid)?.cmd().iter().take(3);
        Some(
            words
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        )
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_a_dead_child_does_not_even_before_it_is_buried() {
        let processes = Processes::system();
        assert!(processes.boot_id.is_some() && processes.namespace.is_some());
        let own = processes.get(std::process::id()).expect("it runs");
        assert!(processes.get(own.parent).is_some());
        let mut child = std::process::Command::new("sleep")
            .arg("100")
            .spawn()
            .expect("sleep runs");
        let anew = |pid| Processes::system().get(pid);
        let seen = anew(child.id()).expect("it runs");
        assert_eq!(seen.parent, std::process::id());
        child.kill().expect("it is killed");
        let stat = format!("/proc/{}/stat", child.id());
        while !std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z ")) {
            std::thread::yield_now();
        }
        assert_eq!(anew(child.id()), None, "a zombie");
        assert_eq!(
            processes.get(own.parent),
            Processes::system().get(own.parent)
        );
        child.wait().expect("it is buried");
        assert_eq!(anew(child.id()), None);
    }
}
