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
    /// Good to know; nothing has to be done.
    Note,
    /// Something has to be done.
    Warn,
    /// The board does not work until something is done.
    Fail,
}

/// What one check found: a line.
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
    /// Makes the finding that all is well.
    pub fn ok(id: &'static str, text: impl Display) -> Self {
        Self::new(id, Mark::Ok, text, None)
    }

    /// Makes a finding that is worth knowing.
    pub fn note(id: &'static str, text: impl Display) -> Self {
        Self::new(id, Mark::Note, text, None)
    }

    /// Makes a finding that asks for something to be done.
    pub fn warn(id: &'static str, text: impl Display, advice: impl Display) -> Self {
        Self::new(id, Mark::Warn, text, Some(advice.to_string()))
    }

    /// Makes the finding of why nothing works.
    pub fn fail(id: &'static str, text: impl Display, advice: impl Display) -> Self {
        Self::new(id, Mark::Fail, text, Some(advice.to_string()))
    }

    fn new(id: &'static str, mark: Mark, text: impl Display, advice: Option<String>) -> Self {
        Self {
            id,
            mark,
            text: text.to_string(),
            advice,
        }
    }

    /// Returns whether nothing has to be done.
    pub fn is_well(&self) -> bool {
        matches!(self.mark, Mark::Ok | Mark::Note)
    }

    /// Writes it as a line.
    pub fn line(&self) -> String {
        let mark = match self.mark {
            Mark::Ok => "ok   ",
            Mark::Note => "note ",
            Mark::Warn => "warn ",
            Mark::Fail => "FAIL ",
        };
        let text = printable(&self.text, 600);
        let advice = match &self.advice {
            Some(advice) => format!("; {}", printable(advice, 300)),
            None => String::new(),
        };
        format!("{mark} {:<16} {text}{advice}\n", self.id)
    }

    /// Writes it as an object.
    pub fn object(&self) -> Value {
        let mark = match self.mark {
            Mark::Ok => "ok",
            Mark::Note => "note",
            Mark::Warn => "warn",
            Mark::Fail => "fail",
        };
        json!({ "id": self.id, "mark": mark, "text": self.text, "advice": self.advice })
    }
}

/// What the checks look at.
pub struct Inspection<'a> {
    /// The environment.
    pub env: &'a Env,
    /// The current folder.
    pub cwd: &'a Path,
    /// The time.
    pub now: Timestamp,
    /// The board, a note's path in the vault.
    pub board: &'a str,
    /// The vault, or why there is none.
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

    /// Gives the options of the board's lock.
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

    /// Gives the time of the vault's file system.
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
    if !choice.source.is_named_by_user()
        && let Some(link) = config::link_below(&choice.path, Path::new(board))
    {
        let link = link.display();
        return Err(format!(
            "`{link}` is a link, in a vault that only the repository names"
        ));
    }
    let links = AllowedLinks::of(&choice.source, home);
    BoardPlace::find(&choice.path, board, links).map_err(|error| error.to_string())
}
