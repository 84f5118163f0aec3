//! The processes of this host, as far as they prove that a session lives.

use std::fmt;

/// One process that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its parent's number.
    pub parent: u32,
    /// When it started, in a unit of the system's own; only equality counts.
    pub started: u64,
    /// How it was called: the program, and for an interpreter its script.
    pub command: Vec<String>,
}

/// What this kernel knows of its processes.
pub struct Processes {
    /// The kernel's name for this boot; `None` where there is none.
    pub boot_id: Option<String>,
    /// The name of the namespace in which a pid means what it says.
    pub namespace: Option<String>,
    look: Box<dyn Fn(u32) -> Option<Process>>,
}

impl Processes {
    /// Asks this system, each time anew.
    pub fn system() -> Self {
        Self {
            boot_id: system::boot_id(),
            namespace: system::namespace(),
            look: Box::new(system::look),
        }
    }

    /// Knows these processes and no others.
    pub fn fixed(boot_id: &str, processes: Vec<(u32, Process)>) -> Self {
        Self {
            boot_id: Some(boot_id.to_owned()),
            namespace: None,
            look: Box::new(move |pid| {
                let mut all = processes.iter();
                all.find(|(other, _)| *other == pid)
                    .map(|(_, it)| it.clone())
            }),
        }
    }

    /// Looks for the process with the number `pid`; one that has ended and
    /// is a zombie is not running.
    pub fn get(&self, pid: u32) -> Option<Process> {
        (self.look)(pid)
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
    use std::fs;
    use std::io::Read;

    /// How much of a command line is read: the program and its script.
    const COMMAND_CAP: u64 = 4096;

    pub fn boot_id() -> Option<String> {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(id.trim().to_owned()).filter(|id| !id.is_empty())
    }

    pub fn namespace() -> Option<String> {
        let link = fs::read_link("/proc/self/ns/pid").ok()?;
        Some(link.to_string_lossy().into_owned())
    }

    pub fn look(pid: u32) -> Option<Process> {
        // A program's name may hold anything, `) R 1` included: the last one counts.
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        if matches!(*fields.first()?, "Z" | "X" | "x") {
            return None;
        }
        // Fields 4 and 22 of proc(5); the state is field 3.
        Some(Process {
            parent: fields.get(1)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
            command: command(pid).unwrap_or_default(),
        })
    }

    fn command(pid: u32) -> Option<Vec<String>> {
        let mut bytes = Vec::new();
        let file = fs::File::open(format!("/proc/{pid}/cmdline")).ok()?;
        file.take(COMMAND_CAP).read_to_end(&mut bytes).ok()?;
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

    /// Start times are absolute here, and tell boots apart.
    pub fn boot_id() -> Option<String> {
        None
    }

    pub fn namespace() -> Option<String> {
        None
    }

    pub fn look(pid: u32) -> Option<Process> {
        let pid = Pid::from_u32(pid);
        let mut system = System::new();
        let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, what);
        let process = system.process(pid)?;
        if matches!(
            process.status(),
            ProcessStatus::Zombie | ProcessStatus::Dead
        ) {
            return None;
        }
        let words = process.cmd().iter().take(3);
        Some(Process {
            parent: process.parent().map_or(0, Pid::as_u32),
            started: process.start_time(),
            command: words
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
        })
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
        let seen = processes.get(child.id()).expect("it runs");
        assert_eq!(seen.parent, std::process::id());
        child.kill().expect("it is killed");
        let stat = format!("/proc/{}/stat", child.id());
        while !std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z ")) {
            std::thread::yield_now();
        }
        assert_eq!(processes.get(child.id()), None, "a zombie");
        child.wait().expect("it is buried");
        assert_eq!(processes.get(child.id()), None);
    }
}
