//! The step that remembers a vault that was named with `--vault`.

use super::text_file::{self, Format};
use super::{Plan, Setup, Way};
use crate::cli::outcome::Failure;
use crate::config::{self, Choice, OwnConfig, VaultSource};
use std::path::Path;

/// Marks our line, which is the next one.
const MARK: &str = "# by `boardsync init`";

/// Plans the step: nothing is remembered that would be chosen anyway.
pub fn plan<'a>(setup: &'a Setup<'a>, way: Way) -> Result<Option<Plan<'a>>, Failure> {
    let context = setup.context;
    let Some(path) = config::own_config_file(&context.env) else {
        return Ok(None);
    };
    let vault = &setup.vault.path;
    if way == Way::Do {
        if setup.vault.source != VaultSource::Flag {
            return Ok(None);
        }
        match config::choose_vault(None, &context.env, None, &context.cwd) {
            Ok(Choice::Vault(choice)) => match choice.source {
                _ if choice.path == *vault => return Ok(None),
                VaultSource::OwnConfig | VaultSource::Default => {}
                source => return Err(Failure::Error(outranked(&choice.path, &source))),
            },
            // The file itself names a vault that cannot be; ours replaces it.
            Ok(Choice::Disabled { .. }) => {}
            Err(error) => return Err(Failure::of(error)),
        }
        if let Some(home) = context.home() {
            config::check_under_home(&vault.to_string_lossy(), &home).map_err(|refusal| {
                // Its remedy is what was done here: to name it with --vault.
                let fault = refusal.split("; ").next().unwrap_or(&refusal);
                Failure::Error(format!(
                    "the vault {fault}, where no file may send a hook: set `BOARDSYNC_VAULT` to it for your sessions, and run init without --vault"
                ))
            })?;
        }
    }
    let what = match way {
        Way::Do => format!("remember the vault `{}`", vault.display()),
        Way::Undo => "forget the vault".to_owned(),
    };
    let format = Remembered { vault };
    text_file::plan("config", what, path, &format, way).map_err(Failure::Error)
}

fn outranked(other: &Path, source: &VaultSource) -> String {
    let by = match source {
        VaultSource::BoardsyncVault => "`BOARDSYNC_VAULT`",
        VaultSource::SoVaultDir => "`SO_VAULT_DIR`",
        _ => "`owner.yaml`",
    };
    let other = other.display();
    format!(
        "hooks would use the vault `{other}`, which {by} names: change that first, or leave out --vault"
    )
}

struct Remembered<'a> {
    vault: &'a Path,
}

impl Remembered<'_> {
    fn line(&self) -> String {
        let value = toml_string(&self.vault.to_string_lossy());
        format!("vault = {value}")
    }
}

impl Format for Remembered<'_> {
    fn add(&self, text: &str) -> Result<Option<String>, String> {
        let before = parse(text)?;
        let wanted = self.vault.to_string_lossy();
        if before.vault.as_deref() == Some(&*wanted) {
            return Ok(None);
        }
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let rest = self.remove(text)?.unwrap_or_else(|| text.to_owned());
        if parse(&rest)?.vault.is_some() {
            return Err("names another vault".to_owned());
        }
        let (bom, rest) = split_bom(&rest);
        let line = self.line();
        let new = format!("{bom}{MARK}{ending}{line}{ending}{rest}");
        let after = parse(&new)?;
        if after.vault.as_deref() != Some(&*wanted) || after.roots != before.roots {
            return Err("is not understood".to_owned());
        }
        Ok(Some(new))
    }

    fn remove(&self, text: &str) -> Result<Option<String>, String> {
        let (bom, body) = split_bom(text);
        let mut after_mark = false;
        let kept: String = body
            .split_inclusive('\n')
            .filter(|line| {
                let is_ours = after_mark && line.starts_with("vault = ");
                after_mark = line.trim_end() == MARK;
                !is_ours && !after_mark
            })
            .collect();
        Ok((kept != body).then(|| format!("{bom}{kept}")))
    }

    fn same(&self, one: &str, other: &str) -> bool {
        one.trim_end() == other.trim_end()
    }

    fn by_hand(&self, way: Way) -> String {
        match way {
            Way::Do => format!("write {}", self.line()),
            Way::Undo => "remove the line that begins with `vault`".to_owned(),
        }
    }
}

fn parse(text: &str) -> Result<OwnConfig, String> {
    OwnConfig::parse(text).map_err(|reason| format!("is no valid config file ({reason})"))
}

fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(text.len() - text.trim_start_matches('\u{feff}').len())
}

/// Writes a basic string of TOML 1.0.
fn toml_string(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "/home/me/my \"notes\" \\ ü";

    #[test]
    fn a_vault_is_remembered_and_forgotten() {
        let format = Remembered {
            vault: Path::new(HOME),
        };
        for text in [
            "",
            "roots = [\"/a\"]\n",
            "\u{feff}# mine\n",
            "roots = [\r\n]\r\n",
        ] {
            let added = format.add(text).unwrap().unwrap();
            assert_eq!(
                parse(&added).unwrap().vault.as_deref(),
                Some(HOME),
                "{added}"
            );
            assert_eq!(format.add(&added), Ok(None));
            assert_eq!(format.remove(&added), Ok(Some(text.to_owned())));
            assert_eq!(format.remove(text), Ok(None));
            let moved = Remembered {
                vault: Path::new("/home/me/other"),
            };
            let moved = moved.add(&added).unwrap().unwrap();
            assert_eq!(moved.matches(MARK).count(), 1, "{moved}");
        }
    }

    #[test]
    fn a_vault_that_a_person_wrote_down_is_theirs() {
        let format = Remembered {
            vault: Path::new(HOME),
        };
        let fault = format.add("vault = \"/home/me/theirs\"\n").unwrap_err();
        assert_eq!(fault, "names another vault");
        assert_eq!(format.remove("vault = \"/x\"\n"), Ok(None));
        assert!(
            format
                .add("valut = 1\n")
                .unwrap_err()
                .contains("valid config")
        );
    }
}
