//! Which process stands behind a hook, and which agent it is.

use super::{AGENTS, Agent, named};
use crate::config::Env;
use crate::session::lease::{Lease, ProcessScope, Processes, Proof};
use std::cell::LazyCell;
use std::path::Path;

/// The greatest number of ancestors that are looked at.
const MAX_ANCESTORS: usize = 12;

/// Programs that only run others, for a moment or for ever, and are no agent.
const SHELLS: &str = "sh bash dash zsh fish ksh ash busybox cmd powershell pwsh env timeout nice \
     setsid sudo su script npx npm boardsync systemd init launchd login sshd tmux screen";

/// Programs that are what their script is.
const INTERPRETERS: &[&str] = &["node", "bun", "deno", "python", "python3"];

/// The caller of a hook.
#[derive(Debug)]
pub struct Caller {
    /// The agent, where it is known.
    pub agent: Option<&'static Agent>,
    /// The process whose life is the session's, as far as it proves anything.
    pub proof: Option<Proof>,
}

/// Finds out who calls the hook of `session_id`, of which `known` is the lease
/// if it goes on.
///
/// A session that goes on, whose own process runs, is called by that process:
/// nothing else is looked at. Otherwise:
///
/// The agent is the one that the command line names, else the one whose
/// variable has this very session's id, else that of the nearest ancestor that
/// is an agent's program, else the one that alone has such a payload. (A
/// variable without the id may be inherited from an agent around this one.)
///
/// The process is the one that the agent's variable names, else that ancestor,
/// else the nearest one that is no shell, if it has a terminal: a daemon has none,
/// and outlives many sessions. That one may be a wrapper, and counts once it was met
/// twice ([`ProcessScope::Once`]).
pub fn caller(
    named_agent: Option<&str>,
    payload_agent: Option<&str>,
    session_id: &str,
    known: Option<&Lease>,
    env: &Env,
    processes: &Processes,
) -> Caller {
    let known_proof = known.and_then(|lease| lease.proof.as_ref());
    if let (Some(lease), Some(proof)) = (known, known_proof)
        && proof.is_alive(processes)
    {
        return Caller {
            agent: named_agent.and_then(named).or_else(|| named(&lease.agent)),
            proof: Some(proof.clone()),
        };
    }
    let has_id = |agent: &&Agent| {
        let id = agent.id_variable.and_then(|name| env.text(name));
        id == Some(session_id)
    };
    let ancestors = LazyCell::new(|| ancestors(std::process::id(), processes));
    let program = || {
        let nearest = ancestors.last()?;
        Some((nearest.pid, nearest.agent?))
    };
    let agent = named_agent
        .and_then(named)
        .or_else(|| AGENTS.iter().find(has_id))
        .or_else(|| program().map(|(_, agent)| agent))
        .or_else(|| payload_agent.and_then(named));
    let by_variable = agent.and_then(|agent| {
        let is_ours = agent.id_variable.is_none() || has_id(&agent);
        let pid = env.text(agent.pid_variable?)?.parse().ok()?;
        Proof::of(pid, agent.process, processes).filter(|_| is_ours)
    });
    let by_program = || {
        let (pid, found) = program()?;
        let agent = agent.filter(|agent| agent.name == found.name)?;
        Proof::of(pid, agent.process, processes)
    };
    let by_neighbour = || {
        let nearest = ancestors.iter().find(|ancestor| !ancestor.is_shell)?;
        let is_daemon = !processes.get(nearest.pid)?.has_terminal
            || agent.is_some_and(|agent| agent.process == ProcessScope::Daemon);
        if is_daemon {
            return None;
        }
        Proof::of(nearest.pid, ProcessScope::Once, processes)
    };
    Caller {
        agent,
        proof: by_variable.or_else(by_program).or_else(by_neighbour),
    }
}

/// A process above the hook.
struct Ancestor {
    pid: u32,
    is_shell: bool,
    agent: Option<&'static Agent>,
}

/// Returns the ancestors of the process `pid`, the nearest first, up to the first
/// that is an agent's program, but for the first process of all.
fn ancestors(pid: u32, processes: &Processes) -> Vec<Ancestor> {
    let mut ancestors: Vec<Ancestor> = Vec::new();
    let mut next = processes.get(pid).map_or(0, |own| own.parent);
    while next > 1 && ancestors.len() < MAX_ANCESTORS {
        let Some(process) = processes.get(next) else {
            break;
        };
        let command = processes.command(next);
        let agent = agent_of(&command);
        ancestors.push(Ancestor {
            pid: next,
            is_shell: is_shell(&command),
            agent,
        });
        if agent.is_some() {
            break;
        }
        next = process.parent;
    }
    ancestors
}

fn agent_of(command: &[String]) -> Option<&'static Agent> {
    let program = program(command)?;
    let of = |name: &str| AGENTS.iter().find(|agent| agent.programs.contains(&name));
    if !INTERPRETERS.contains(&program.as_str()) {
        return of(&program);
    }
    let script = command.get(1)?;
    // `…/bin/gemini` and `…/@google/gemini-cli/dist/index.js`
    let mut parts = Path::new(script).iter();
    parts.find_map(|part| of(stem(&part.to_string_lossy())))
}

fn is_shell(command: &[String]) -> bool {
    program(command).is_none_or(|program| SHELLS.split(' ').any(|shell| shell == program))
}

/// Returns the name of the program; a login shell is called `-zsh`.
fn program(command: &[String]) -> Option<String> {
    let called = command.first()?;
    let name = Path::new(called).file_name()?.to_string_lossy();
    let name = stem(&name).trim_start_matches('-').to_lowercase();
    (!name.is_empty()).then_some(name)
}

fn stem(name: &str) -> &str {
    [".exe", ".js", ".mjs", ".cjs"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

#[cfg(test)]
#[path = "process_table.rs"]
mod table;
