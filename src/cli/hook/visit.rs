//! What one event does to one row: look without the lock, then update.

use crate::agent::{Event, Kind, Verdict, Whereabouts, decide, locate};
use crate::board::{Board, Condition, Field, Row, Slot, clean};
use crate::cli::context::{Chosen, Context};
use crate::cli::edit::edit;
use crate::cli::ledger::record;
use crate::cli::outcome::{Failure, warn};
use crate::commit::LIMIT;
use crate::config;
use crate::disk::{Patience, read_regular};
use crate::edit::{Action, OnlyWhere, Subject, Update};
use crate::lock::Host;
use crate::session::{Explicit, Registry, RegistryEntry, Repo, SessionLock, Sources, git, resolve};
use crate::vault::Place;
use std::time::{Duration, Instant};

/// Is an event that changes a row, as far as could be seen without the lock.
pub struct Visit<'a> {
    context: &'a Context,
    /// What happened.
    pub event: Event,
    place: Place,
    subject: Subject,
    /// All names of the session.
    names: Vec<String>,
}

impl<'a> Visit<'a> {
    /// Looks at the board, without lock or latch; `None` if nothing changes.
    pub fn of(context: &'a Context, event: Event) -> Result<Option<Self>, Failure> {
        let project = context.env.path("CLAUDE_PROJECT_DIR");
        let cwd = event.cwd.as_ref().or(project.as_ref());
        let cwd = resolve(cwd.unwrap_or(&context.cwd), &context.cwd);
        let (lost, around) = match locate(&cwd, project.as_deref()) {
            Whereabouts::Repo(path) => (Vec::new(), Some(path)),
            Whereabouts::Gone { lost, around } => (lost, around),
        };
        let place = match context.choose(Some(around.as_ref().unwrap_or(&cwd)))? {
            Chosen::Place(place) => place,
            Chosen::Disabled { .. } => return Ok(None),
        };
        // Whatever is wrong with the board, the update says so.
        let read = read_regular(&place.target, LIMIT).ok().flatten();
        let bytes = read.map_or_else(Vec::new, |read| read.bytes);
        let board = Board::parse(std::str::from_utf8(&bytes).unwrap_or_default());
        if event.kind == Kind::Beat && !bytes.is_empty() && board.condition() != Condition::Ours {
            // That it does so at each start and end is often enough.
            return Ok(None);
        }

        let is_gone = !lost.is_empty();
        let mut lost = lost.iter().map(|path| Repo::at(path, &cwd));
        let known = lost.find(|repo| row_of(&board, repo).is_some());
        let may_be_anothers = is_gone && known.is_none();
        let around = around.map(|path| context.repo(&path));
        let Some(repo) = known.or(around) else {
            return Ok(None);
        };
        let row = row_of(&board, &repo);

        let is_own = |id: &str| id == event.session_id;
        let lock = SessionLock::read(&repo.path).ok().flatten();
        let lock = lock.filter(|lock| is_own(&lock.session_id));
        let mut names = vec![event.session_id.clone()];
        names.extend(lock.iter().map(|lock| lock.shown_session().to_owned()));
        let verdict = |names: &[String]| {
            decide(
                event.kind,
                row,
                |shown| is_one_of(names, shown),
                context.now,
            )
        };
        if matches!(verdict(&names), Verdict::Fresh | Verdict::Outdated) {
            return Ok(None);
        }

        let registry = config::registry_dir(&context.env).map(|folder| Registry::at(&folder));
        let mut entries = registry.map_or_else(Vec::new, |registry| {
            registry.entries_of(&repo, Some(&event.session_id))
        });
        entries.retain(|entry| is_own(&entry.session_id));
        names.extend(entries.iter().map(|entry| entry.shown_session().to_owned()));
        let shows_it = row
            .and_then(|row| row.get(Field::Session))
            .is_some_and(|shown| is_one_of(&names, &shown));
        if verdict(&names) != Verdict::Write || may_be_anothers && !shows_it {
            return Ok(None);
        }
        let sources = Sources {
            branch: git::branch(&repo.path),
            lock,
            entries,
            warnings: Vec::new(),
        };
        Ok(Some(Self {
            context,
            event,
            place,
            subject: Subject { repo, sources },
            names,
        }))
    }

    /// Writes the row, unless the board has changed meanwhile so that it must not.
    pub fn update(
        &self,
        for_the_lock: Duration,
        for_the_latch: Duration,
        started: Instant,
    ) -> Result<(), Failure> {
        let Self { context, event, .. } = self;
        let Sources { lock, entries, .. } = &self.subject.sources;
        let named = lock.as_ref().map(SessionLock::shown_session);
        let named = named.or(entries.first().map(RegistryEntry::shown_session));
        let explicit = Explicit {
            status: Some(event.kind.status()),
            session: Some(named.unwrap_or(&event.session_id).to_owned()),
            heartbeat: Some(context.now.to_string()),
            ..Explicit::default()
        };
        let only_where = |row: Option<&Row<'_>>| {
            let is_ours = |shown: &str| is_one_of(&self.names, shown);
            decide(event.kind, row, is_ours, context.now) == Verdict::Write
        };
        let subjects = std::slice::from_ref(&self.subject);
        let mut update = Update::new(subjects, &explicit).only_where(OnlyWhere(&only_where));
        let report = edit(context, &self.place, &mut update, |options| {
            options.latch = for_the_latch;
            options.lock.interrupt = None;
            options.lock.patience = match options.lock.patience {
                Patience::TryOnce => Patience::TryOnce,
                Patience::For(time) => time.min(for_the_lock).into(),
            };
        })?;
        // A folder that is no repository gets nothing but its row.
        let is_repo = |name| self.subject.repo.path.join(name).exists();
        if is_repo(".git") || is_repo(".orchestrator") {
            record(context, &self.subject, &report, started, None);
        }
        match (report.action, &report.note) {
            (Action::SkippedOutdated, _) | (_, None) => {}
            (_, Some(note)) => warn(note),
        }
        Ok(())
    }
}

fn row_of<'b>(board: &'b Board<'b>, repo: &Repo) -> Option<&'b Row<'b>> {
    let host = board.is_shared().then(Host::current);
    board.prior(&Slot::keyed(&repo.key).on(host.as_ref().map(|host| host.id.as_str())))
}

fn is_one_of(names: &[String], shown: &str) -> bool {
    names.iter().any(|name| clean(name) == shown)
}
