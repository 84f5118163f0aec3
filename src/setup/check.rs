//! What `doctor` looks at, and what it finds.

use crate::Timestamp;
use crate::config::vault::{AllowedLinks, BoardPlace};
use crate::config::{self, Choice, Env, VaultChoice, VaultSource};
use crate::disk::{self, Abilities, Token, probe};
use crate::lock::{Host, LockOptions};
use crate::printable::printable;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// All is well.
    Ok,
    /// Worth knowing; nothing has to be done.
    Note,
    /// Something has to be done.
    Warn,
    /// The board does not work until something is done.
    Fail,
}

impl Mark {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// A line of `doctor`.
#[derive(Debug)]
pub struct Finding {
    /// Names the check.
    pub id: &'static str,
    /// Its weight.
    pub mark: Mark,
    /// What was found.
    pub text: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl Finding {
    /// Returns whether nothing has to be done.
    pub fn is_well(&self) -> bool {
        matches!(self.mark, Mark::Ok | Mark::Note)
    }

    /// Writes it as a line.
    pub fn line(&self) -> String {
        let mark = match self.mark {
            Mark::Fail => "FAIL",
            mark => mark.name(),
        };
        let text = printable(&self.text, 600);
        let advice = match &self.advice {
            Some(advice) => format!("; {}", printable(advice, 300)),
            None => String::new(),
        };
        format!("{mark:<5} {:<16} {text}{advice}\n", self.id)
    }

    /// Writes it as an object.
    pub fn object(&self) -> Value {
        let mark = self.mark.name();
        json!({ "id": self.id, "mark": mark, "text": self.text, "advice": self.advice })
    }
}

/// All findings, in the order of their lines.
#[derive(Debug, Default)]
pub struct Findings(pub Vec<Finding>);

impl Findings {
    /// Adds that all is well.
    pub fn ok(&mut self, id: &'static str, text: impl Display) {
        self.add(id, Mark::Ok, text, None);
    }

    /// Adds what is worth knowing.
    pub fn note(&mut self, id: &'static str, text: impl Display) {
        self.add(id, Mark::Note, text, None);
    }

    /// Adds what asks for something to be done.
    pub fn warn(&mut self, id: &'static str, text: impl Display, advice: impl Display) {
        self.add(id, Mark::Warn, text, Some(advice.to_string()));
    }

    /// Adds why nothing works.
    pub fn fail(&mut self, id: &'static str, text: impl Display, advice: impl Display) {
        self.add(id, Mark::Fail, text, Some(advice.to_string()));
    }

    fn add(&mut self, id: &'static str, mark: Mark, text: impl Display, advice: Option<String>) {
        let text = text.to_string();
        self.0.push(Finding {
            id,
            mark,
            text,
            advice,
        });
    }
}

/// The vault and the environment that the checks look at.
pub struct Inspection<'a> {
    /// The environment.
    pub env: &'a Env,
    /// The current folder.
    pub cwd: &'a Path,
    /// The time.
    pub now: Timestamp,
    /// The board, a note's path in the vault.
    pub board: &'a str,
    /// The vault, or why none can be used.
    pub vault: Result<VaultChoice, String>,
    /// Where the board and everything beside it lie, if that could be found.
    pub place: Result<BoardPlace, String>,
    lock_options: &'a dyn Fn(&BoardPlace) -> LockOptions,
    abilities: OnceCell<(io::Result<Abilities>, SystemTime)>,
}

impl<'a> Inspection<'a> {
    /// Chooses the vault; changes nothing.
    pub fn new(
        env: &'a Env,
        cwd: &'a Path,
        now: Timestamp,
        (flag, board): (Option<&Path>, &'a str),
        lock_options: &'a dyn Fn(&BoardPlace) -> LockOptions,
    ) -> Self {
        let vault = match config::choose_vault(flag, env, Some(cwd), cwd) {
            Ok(Choice::Vault(choice)) => Ok(choice),
            Ok(Choice::Disabled { reason }) => Err(reason),
            Err(error) => Err(error.to_string()),
        };
        let home = config::home(env);
        let place = match &vault {
            Ok(choice) => find(choice, board, home.as_deref()).map(|mut place| {
                let named = env.path("BOARDSYNC_LOCK_FILE");
                place.lock_file = named.map(|path| cwd.join(path));
                place
            }),
            Err(_) => Err(String::new()),
        };
        Self {
            env,
            cwd,
            now,
            board,
            vault,
            place,
            lock_options,
            abilities: OnceCell::new(),
        }
    }

    /// Returns the options of the board's lock.
    pub fn lock_options(&self, place: &BoardPlace) -> LockOptions {
        (self.lock_options)(place)
    }

    /// Tries what the vault's file system can do, once, and takes the time.
    pub fn abilities(&self, place: &BoardPlace) -> &(io::Result<Abilities>, SystemTime) {
        self.abilities.get_or_init(|| {
            let was_there = place.orchestrator().is_ok();
            let token = Token::new(Host::current().tag());
            let tried = place
                .create_orchestrator()
                .and_then(|folder| probe(&folder, &place.stem, token));
            let here = SystemTime::now();
            if !was_there {
                let _ = disk::remove_folder("probe.unlink", &place.folder);
            }
            (tried, here)
        })
    }

    /// Returns the time of the vault's file system.
    pub fn clock(&self, place: &BoardPlace) -> SystemTime {
        match self.abilities(place) {
            (
                Ok(Abilities {
                    clock: Ok(there), ..
                }),
                _,
            ) => *there,
            (_, here) => *here,
        }
    }
}

fn find(choice: &VaultChoice, board: &str, home: Option<&Path>) -> Result<BoardPlace, String> {
    if choice.source == VaultSource::Default && !choice.path.exists() {
        let path = choice.path.display();
        return Err(format!(
            "no vault is named, and `{path}` does not exist yet"
        ));
    }
    let links = AllowedLinks::of(&choice.source, home);
    BoardPlace::find(&choice.path, board, links).map_err(|error| error.to_string())
}
