//! The vault that was named with `--vault`, remembered in the own config file.

use super::file_edit::{Edit, Format, Rest};
use super::text_file::Links;
use super::{Change, Direction, Setup, SetupError};
use crate::config::{self, Choice, OwnConfig, VaultSource};
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, value};

/// Marks the key that is ours, which is on the next line.
const MARK: &str = "# by `boardsync init`";

/// Plans the change: nothing is remembered that would be chosen anyway.
pub fn plan<'a>(setup: &'a Setup) -> Result<Vec<Change<'a>>, SetupError> {
    let Some(path) = config::own_config_file(setup.env) else {
        return Ok(Vec::new());
    };
    let vault = &setup.vault.path;
    let key = match setup.direction {
        Direction::Undo => Some(Key::Vault),
        Direction::SetUp => key_for(setup)?,
    };
    let Some(key) = key else {
        return Ok(Vec::new());
    };
    let shown = vault.display();
    let what = match (setup.direction, key) {
        (Direction::Undo, _) => "forget the vault".to_owned(),
        (Direction::SetUp, Key::Vault) => format!("remember the vault `{shown}`"),
        (Direction::SetUp, Key::Vaults) => format!("let repositories name the vault `{shown}`"),
    };
    let edit = Edit {
        id: "config",
        what,
        path,
        links: Links::Follow,
        // boardsync's own, and the one of all configurations, if it is empty then.
        own_folders: 2,
        format: Box::new(Remembered { vault, key }),
    };
    Ok(edit.plan(setup.direction)?.into_iter().collect())
}

/// The key that a vault is remembered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// The vault of everything.
    Vault,
    /// A vault that repositories may name.
    Vaults,
}

/// Decides by which key the vault is remembered; `None` if it need not be.
fn key_for(setup: &Setup) -> Result<Option<Key>, SetupError> {
    if setup.vault.source != VaultSource::Flag {
        return Ok(None);
    }
    let vault = &setup.vault.path;
    if config::is_named_by_repository(setup.cwd, setup.env, vault) {
        let here = config::choose_vault(None, setup.env, Some(setup.cwd), setup.cwd);
        let is_chosen = matches!(here, Ok(Choice::Vault(choice)) if choice.path == *vault
            && choice.source.is_named_by_user());
        return Ok((!is_chosen).then_some(Key::Vaults));
    }
    match config::choose_vault(None, setup.env, None, setup.cwd) {
        Ok(Choice::Vault(choice)) => match choice.source {
            _ if choice.path == *vault => Ok(None),
            VaultSource::OwnConfig | VaultSource::Default => Ok(Some(Key::Vault)),
            source => Err(SetupError(format!(
                "hooks would use the vault `{}`, which {} names: change that first, or leave out --vault",
                choice.path.display(),
                name_of(&source)
            ))),
        },
        // The file itself names a vault that cannot be; ours replaces it.
        Ok(Choice::Disabled { .. }) => Ok(Some(Key::Vault)),
        Err(error) => Err(SetupError(error.to_string())),
    }
}

/// Names what named a vault, for people.
pub fn name_of(source: &VaultSource) -> String {
    match source {
        VaultSource::Flag => "--vault".to_owned(),
        VaultSource::BoardsyncVault => "`BOARDSYNC_VAULT`".to_owned(),
        VaultSource::SoVaultDir => "`SO_VAULT_DIR`".to_owned(),
        VaultSource::OwnerYaml => "`owner.yaml`".to_owned(),
        VaultSource::SessionConfig(file) => format!("`{}` alone", file.display()),
        VaultSource::AllowedSessionConfig(file) => {
            format!("`{}`, as your config allows", file.display())
        }
        VaultSource::OwnConfig => "boardsync's config file".to_owned(),
        VaultSource::Default => "default".to_owned(),
    }
}

struct Remembered<'a> {
    vault: &'a Path,
    key: Key,
}

impl Format for Remembered<'_> {
    fn add(&self, text: Option<&str>) -> Result<Option<String>, String> {
        let text = text.unwrap_or_default();
        let before = parse(text)?;
        let wanted = self.vault.to_string_lossy().into_owned();
        let (bom, mut document) = document(text)?;
        let (key, item): (_, Item) = match self.key {
            Key::Vault if before.vault.as_ref() == Some(&wanted) => return Ok(None),
            Key::Vault if before.vault.is_some() && !is_ours(&document, "vault") => {
                return Err("names another vault".to_owned());
            }
            Key::Vault => ("vault", value(&wanted)),
            Key::Vaults => {
                let mut vaults = before.vaults.unwrap_or_default();
                if vaults.contains(&wanted) {
                    return Ok(None);
                }
                if !vaults.is_empty() && !is_ours(&document, "vaults") {
                    return Err("has `vaults` that boardsync did not write".to_owned());
                }
                vaults.push(wanted);
                ("vaults", value(vaults.into_iter().collect::<Array>()))
            }
        };
        document.insert(key, item);
        if let Some(mut key) = document.key_mut(key) {
            key.leaf_decor_mut().set_prefix(format!("{MARK}\n"));
        }
        Ok(Some(written(bom, &document, text)))
    }

    fn remove(&self, text: &str) -> Result<Option<Rest>, String> {
        let (bom, mut document) = document(text)?;
        let ours: Vec<&str> = ["vault", "vaults"]
            .into_iter()
            .filter(|key| is_ours(&document, key))
            .collect();
        for key in &ours {
            document.remove(key);
        }
        Ok((!ours.is_empty()).then(|| Rest::Text(written(bom, &document, text))))
    }

    fn same(&self) -> Option<fn(&str, &str) -> bool> {
        Some(|one, other| {
            let plain = |text: &str| text.replace("\r\n", "\n").trim_end().to_owned();
            plain(one) == plain(other)
        })
    }

    fn by_hand(&self, direction: Direction) -> String {
        let vault = value(self.vault.to_string_lossy().into_owned());
        match (direction, self.key) {
            (Direction::SetUp, Key::Vault) => format!("write `vault = {vault}`"),
            (Direction::SetUp, Key::Vaults) => format!("add {vault} to `vaults`"),
            (Direction::Undo, _) => "remove the keys `vault` and `vaults`".to_owned(),
        }
    }
}

fn parse(text: &str) -> Result<OwnConfig, String> {
    OwnConfig::parse(text).map_err(|reason| format!("is not a valid config file ({reason})"))
}

fn document(text: &str) -> Result<(&str, DocumentMut), String> {
    let (bom, body) = text.split_at(text.len() - text.trim_start_matches('\u{feff}').len());
    let document = body.parse().map_err(|_| "is not valid TOML".to_owned())?;
    Ok((bom, document))
}

fn written(bom: &str, document: &DocumentMut, like: &str) -> String {
    let mut text = document.to_string();
    if like.contains("\r\n") {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    format!("{bom}{text}")
}

fn is_ours(document: &DocumentMut, key: &str) -> bool {
    let prefix = document
        .key(key)
        .and_then(|key| key.leaf_decor().prefix()?.as_str());
    prefix.is_some_and(|prefix| prefix.trim_end().ends_with(MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VAULT: &str = "/home/me/my \"notes\" \\ ü";

    fn remembered(key: Key, vault: &str) -> Remembered<'_> {
        let vault = Path::new(vault);
        Remembered { vault, key }
    }

    #[test]
    fn a_vault_is_remembered_and_forgotten() {
        let texts = [
            "",
            "roots = [\"/a\"]\n",
            "\u{feff}# mine\n",
            "# mine\n\nroots = [\r\n]\r\n",
            "# one\nroots = [ \"a\",   'b' ] # two\n\n# three\n",
        ];
        for (text, key) in texts
            .iter()
            .flat_map(|text| [(text, Key::Vault), (text, Key::Vaults)])
        {
            let format = remembered(key, VAULT);
            let added = format.add(Some(text)).unwrap().unwrap();
            let read = parse(&added).unwrap();
            let found = match key {
                Key::Vault => read.vault,
                Key::Vaults => read.vaults.and_then(|vaults| vaults.into_iter().next()),
            };
            assert_eq!(found.as_deref(), Some(VAULT), "{added}");
            assert_eq!(read.roots, parse(text).unwrap().roots);
            assert_eq!(format.add(Some(&added)), Ok(None));
            let rest = format.remove(&added).unwrap().unwrap();
            let Rest::Text(rest) = rest else {
                panic!("{rest:?}")
            };
            assert!(
                format.same().unwrap()(&rest, text),
                "{rest:?} is not {text:?}"
            );
            assert_eq!(format.remove(text), Ok(None));
            let other = remembered(key, "/home/me/other");
            let both = other.add(Some(&added)).unwrap().unwrap();
            assert_eq!(both.matches(MARK).count(), 1, "{both}");
        }
    }

    #[test]
    fn what_a_person_wrote_down_is_theirs() {
        let theirs = "vault = \"/home/me/theirs\"\nvaults = [\"/x\"]\n";
        let add = |key| remembered(key, VAULT).add(Some(theirs)).unwrap_err();
        assert_eq!(add(Key::Vault), "names another vault");
        assert_eq!(
            add(Key::Vaults),
            "has `vaults` that boardsync did not write"
        );
        assert_eq!(remembered(Key::Vault, VAULT).remove(theirs), Ok(None));
        let fault = remembered(Key::Vault, VAULT).add(Some("valut = 1\n"));
        assert!(fault.unwrap_err().contains("valid config"));
    }
}
