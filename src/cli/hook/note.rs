//! The first half of a hook: what its event does to the leases of this host.
//!
//! It is done before the board is touched, so that a hook that is cut off
//! or cannot write leaves the truth behind: the next update of any process of
//! this host brings the board up to date.

use crate::agent::{
    AGENTS, Agent, Location, Meaning, Payload, caller, is_an_agents_own, is_notification, locate,
    meaning, notified,
};
use crate::cli::context::{Chosen, Context};
use crate::cli::outcome::{Failure, warn};
use crate::config::vault::BoardPlace;
use crate::config::{self, Env};
use crate::disk::absolute_path;
use crate::printable::printable;
use crate::session::Repo;
use crate::session::lease::{
    EventKind, Lease, Leases, Processes, SHORT_WAIT, SessionEvent, Voice, Where, after, name_of,
};
use std::path::{Path, PathBuf};

/// The outcome of an event on this host.
pub struct Noted {
    /// What the event means.
    pub meaning: Meaning,
    /// Who speaks.
    pub voice: Voice,
    /// The agent, if it is known.
    pub agent: Option<&'static Agent>,
    /// The leases that it made or changed.
    pub changed: Vec<Lease>,
    /// Those that were read for it; at a start all that it may concern.
    pub before: Vec<Lease>,
    /// The folder into which the session has just come, if it has.
    pub comes_to: Option<PathBuf>,
    /// The reason why the session has no row on a board.
    pub trouble: Option<Failure>,
}

/// Reads what an event of `agent` means.
fn meaning_of(payload: &Payload, agent: Option<&Agent>) -> Meaning {
    match is_notification(&payload.event) {
        true => Meaning::Known(notified(
            payload.notification.as_deref(),
            payload.message.as_deref(),
            agent,
        )),
        false => meaning(&payload.event, agent),
    }
}

/// Writes what `payload` says into the leases; `watch` is called before
/// anything else than the folder for state is looked at.
pub fn note(
    context: &Context,
    payload: Payload,
    named_agent: Option<&str>,
    leases: &Leases,
    processes: &Processes,
    watch: impl FnOnce(Meaning),
) -> Noted {
    let mut lock = leases.lock(SHORT_WAIT);
    let known = leases.get(&payload.session_id);
    let living = known.as_ref().filter(|lease| lease.over.is_none());
    let called_by = |known| {
        let (agent, id) = (payload.agent, &payload.session_id);
        caller(named_agent, agent, id, known, &context.env, processes)
    };
    let mut caller = called_by(living);
    let meaning = meaning_of(&payload, caller.agent);
    let kind = match meaning {
        Meaning::Known(kind) => kind,
        Meaning::Unknown => EventKind::Life,
    };
    if kind == EventKind::Start && living.is_some() {
        // It may have been resumed in another process.
        caller = called_by(None);
    }
    let goes_on = living.is_some() && kind != EventKind::Start;
    let is_there = |lease: &Lease| {
        let folder = payload.folder.as_ref();
        folder.is_none_or(|folder| *folder == lease.folder)
    };
    let stays = goes_on && living.is_some_and(is_there);
    // An unknown event of an unknown agent counts only as a sign of life.
    let makes_nothing = payload.voice == Voice::SubAgent
        || kind == EventKind::End
        || meaning == Meaning::Unknown && caller.agent.is_none();
    let looks_around = !stays && !makes_nothing;
    let (mut place, mut trouble) = (None, None);
    if looks_around {
        drop(lock);
        watch(meaning);
        match place_of(context, &payload, leases) {
            Ok(it) => place = it,
            Err(failure) => trouble = Some(failure),
        }
        lock = leases.lock(SHORT_WAIT);
    }
    let comes = living.is_none_or(|lease| place.as_ref().is_some_and(|it| it.repo != lease.repo));
    let needs_terminal = living.is_none_or(|lease| lease.terminal.is_none());
    let pid = caller.proof.as_ref().map(|proof| proof.pid);
    let event = SessionEvent {
        kind,
        voice: payload.voice,
        session_id: payload.session_id,
        agent: caller.agent.map_or("", |agent| agent.name).to_owned(),
        title: payload.title,
        place,
        terminal: needs_terminal
            .then(|| terminal(&context.env, pid))
            .flatten(),
        proof: caller.proof,
    };
    let before = match (goes_on, looks_around) {
        (true, false) => known.into_iter().collect(),
        (true, true) => leases.get(&event.session_id).into_iter().collect(),
        (false, _) => leases.concerned(&event),
    };
    let changed = after(&before, &event, context.now);
    for lease in &changed {
        if let Err(error) = leases.write(lease) {
            warn(&format!(
                "the lease of the session cannot be written: {error}"
            ));
        }
    }
    drop(lock);
    let comes_to = event.place.map(|place| place.repo);
    Noted {
        meaning,
        voice: event.voice,
        agent: caller.agent,
        changed,
        before,
        comes_to: comes_to.filter(|_| kind == EventKind::Start && comes),
        trouble,
    }
}

/// Finds the repository and the board of a session; `None` where a row would
/// be wrong: in the home folder, in an agent's own, in one that is gone.
fn place_of(
    context: &Context,
    payload: &Payload,
    leases: &Leases,
) -> Result<Option<Where>, Failure> {
    let env = &context.env;
    let mut agents = AGENTS.iter();
    let project = agents.find_map(|agent| env.path(agent.project_variable?));
    let folder = payload.folder.as_ref().or(project.as_ref());
    let folder = absolute_path(folder.unwrap_or(&context.cwd), &context.cwd);
    let Location::Repo(repo) = locate(&folder, project.as_deref()) else {
        return Ok(None);
    };
    if is_an_agents_own(&repo, env) {
        return Ok(None);
    }
    let place = match context.choose(Some(&repo))? {
        Chosen::Board(place) => place,
        Chosen::Disabled { .. } => return Ok(None),
    };
    let repo = known_path(repo, &place, leases);
    let depth = Path::new(context.global.board()).components().count();
    let vault = place.board.ancestors().nth(depth).unwrap_or(&place.board);
    Ok(Some(Where {
        name: config::vault_name(&repo, env).unwrap_or_else(|| name_of(&repo)),
        branch: crate::git::branch(&repo),
        folder: payload.folder.clone().unwrap_or(folder),
        vault: vault.to_owned(),
        board: place.board,
        repo,
    }))
}

/// Returns the path of a folder by which it is known: a folder that is reached
/// by a link is the row, or the lease, that exists, else what the link leads to:
/// the next session may come without it.
fn known_path(repo: PathBuf, place: &BoardPlace, leases: &Leases) -> PathBuf {
    let Some(real) = repo.canonicalize().ok().filter(|real| *real != repo) else {
        return repo;
    };
    let read = place.read().ok().flatten();
    let bytes = read.map_or_else(Vec::new, |read| read.bytes);
    let text = String::from_utf8_lossy(&bytes);
    let leases = leases.read();
    let is_known = |path: &&PathBuf| {
        let key = Repo::at(path, path).key;
        text.contains(&format!("| {key} |")) || leases.iter().any(|lease| lease.repo == **path)
    };
    let known = [&repo, &real].into_iter().find(is_known).cloned();
    known.unwrap_or(real)
}

/// Finds the pane or terminal of the session.
fn terminal(env: &Env, agent: Option<u32>) -> Option<String> {
    if let Some(pane) = env.text("TMUX_PANE") {
        return Some(printable(pane, 20));
    }
    let stdin = std::fs::read_link(format!("/proc/{}/fd/0", agent?)).ok()?;
    let is_terminal = stdin.starts_with("/dev/pts") || stdin.starts_with("/dev/tty");
    is_terminal.then(|| stdin.to_string_lossy().into_owned())
}
