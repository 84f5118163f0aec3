//! Whether a session lives: by its process where that says something, else by
//! its silence.

use super::processes::Processes;
use crate::board::SILENCE_LIMIT_MS;
use serde::{Deserialize, Serialize};

/// The answer to whether a session lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its process runs.
    Alive,
    /// Its process is gone, it has ended, or it was silent for too long.
    Dead,
    /// Nothing speaks against it.
    Unknown,
}

/// What the life or death of a process proves of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessScope {
    /// It lives and dies with its session.
    Session,
    /// It serves many sessions: its death is theirs, its life proves nothing.
    Daemon,
    /// It was seen in one event only, and may be a short-lived wrapper.
    Once,
}

/// A process, identified across all boots of this host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Its number.
    pub pid: u32,
    /// When it started, in the system's own unit.
    pub started: u64,
    /// The kernel's name for the boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// The namespace of the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// What its life says.
    pub scope: ProcessScope,
}

impl Proof {
    /// Takes the process with the number `pid`; `None` if none has it.
    pub fn of(pid: u32, scope: ProcessScope, processes: &Processes) -> Option<Self> {
        let process = processes.get(pid)?;
        Some(Self {
            pid,
            started: process.started,
            boot_id: processes.boot_id.clone(),
            namespace: processes.namespace.clone(),
            scope,
        })
    }

    /// Returns whether it is a session's own process, and runs.
    pub fn is_alive(&self, processes: &Processes) -> bool {
        life(Some(self), processes, 0) == Life::Alive
    }

    /// Returns whether both are the very same process.
    pub fn is_same_process(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
            && self.boot_id == other.boot_id
            && self.namespace == other.namespace
    }
}

/// Judges a session that has been silent for `silence` ms.
///
/// | proof | same boot and namespace | else |
/// |---|---|---|
/// | its own process | alive if it runs, else dead | another boot: dead; another namespace: by silence |
/// | a daemon | by silence if it runs, else dead | the same |
/// | met once, or none | by silence | another boot: dead |
pub(super) fn life(proof: Option<&Proof>, processes: &Processes, silence: i64) -> Life {
    let by_silence = match silence < SILENCE_LIMIT_MS {
        true => Life::Unknown,
        false => Life::Dead,
    };
    let Some(proof) = proof else {
        return by_silence;
    };
    if proof.boot_id != processes.boot_id {
        return Life::Dead;
    }
    if proof.scope == ProcessScope::Once || proof.namespace != processes.namespace {
        return by_silence;
    }
    let runs = processes
        .get(proof.pid)
        .is_some_and(|process| process.started == proof.started);
    match (runs, proof.scope) {
        (false, _) => Life::Dead,
        (true, ProcessScope::Daemon) => by_silence,
        (true, _) => Life::Alive,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Process;
    use super::*;

    #[test]
    fn a_process_proves_what_its_scope_says() {
        let process = Process {
            parent: 1,
            started: 77,
            has_terminal: true,
        };
        let processes = Processes::fixed("b1", vec![(10, process, Vec::new())]);
        let proof = |pid, started, boot: &str, scope| Proof {
            pid,
            started,
            boot_id: Some(boot.to_owned()),
            namespace: None,
            scope,
        };
        use Life::{Alive, Dead, Unknown};
        for (proof, soon, late) in [
            (None, Unknown, Dead),
            (
                Some(proof(10, 77, "b1", ProcessScope::Session)),
                Alive,
                Alive,
            ),
            (Some(proof(10, 78, "b1", ProcessScope::Session)), Dead, Dead),
            (Some(proof(11, 77, "b1", ProcessScope::Session)), Dead, Dead),
            (Some(proof(10, 77, "b0", ProcessScope::Session)), Dead, Dead),
            (
                Some(proof(10, 77, "b1", ProcessScope::Daemon)),
                Unknown,
                Dead,
            ),
            (Some(proof(11, 77, "b1", ProcessScope::Daemon)), Dead, Dead),
            (Some(proof(11, 77, "b1", ProcessScope::Once)), Unknown, Dead),
            (Some(proof(11, 77, "b0", ProcessScope::Once)), Dead, Dead),
        ] {
            let judged =
                [0, SILENCE_LIMIT_MS].map(|silence| life(proof.as_ref(), &processes, silence));
            assert_eq!(judged, [soon, late], "{proof:?}");
        }
        let elsewhere = Proof {
            namespace: Some("pid:[2]".to_owned()),
            ..proof(11, 77, "b1", ProcessScope::Session)
        };
        assert_eq!(
            life(Some(&elsewhere), &processes, 0),
            Unknown,
            "a container's"
        );
    }

    #[test]
    fn a_process_is_alive_and_the_same_only_where_its_number_means_it() {
        let process = Process {
            parent: 1,
            started: 77,
            has_terminal: false,
        };
        let processes = Processes::fixed("b1", vec![(10, process, Vec::new())]);
        let own = Proof::of(10, ProcessScope::Session, &processes).expect("it runs");
        assert!(own.is_alive(&processes) && own.is_same_process(&own));
        for scope in [ProcessScope::Daemon, ProcessScope::Once] {
            let proof = Proof {
                scope,
                ..own.clone()
            };
            assert!(!proof.is_alive(&processes), "nothing is known: {scope:?}");
            assert!(proof.is_same_process(&own));
        }
        for other in [
            Proof {
                pid: 11,
                ..own.clone()
            },
            Proof {
                started: 78,
                ..own.clone()
            },
            Proof {
                boot_id: Some("b0".to_owned()),
                ..own.clone()
            },
            Proof {
                namespace: Some("pid:[2]".to_owned()),
                ..own.clone()
            },
        ] {
            assert!(!other.is_alive(&processes), "{other:?}");
            assert!(!other.is_same_process(&own), "{other:?}");
        }
    }
}
