//! The environment, as a value.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Is a snapshot of the environment's variables.
///
/// Passed along instead of asking the process, so that a test can have its own
/// and two tests never share one. A blank value counts as unset, everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Env(HashMap<OsString, OsString>);

impl Env {
    /// Takes the variables of this process.
    ///
    /// Where the home folder is in no variable, the user database is asked, as
    /// Node does: a hook may be started with next to no environment.
    pub fn system() -> Self {
        let mut env: Self = std::env::vars_os().collect();
        if env.get(HOME).is_none()
            && let Some(home) = home_of_user()
        {
            env.0.insert(HOME.into(), home);
        }
        env
    }

    /// Gives the value of a variable, unless it is unset or blank.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        (!value.to_string_lossy().trim().is_empty()).then_some(value)
    }

    /// Gives the value as text, trimmed; what is not Unicode is `None`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str().map(str::trim)
    }

    /// Gives the value as a path, trimmed as the peer trims it.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let value = self.get(name)?;
        Some(value.to_str().map_or_else(
            // Trimming needs text; bytes that are none are meant as they are.
            || PathBuf::from(value),
            |text| PathBuf::from(text.trim()),
        ))
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Env {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

/// Reads the home folder of this user where every system keeps local users.
///
/// The C library would ask all name services, and load them for it into a
/// binary that is linked statically, which crashes.
#[cfg(target_os = "linux")]
fn home_of_user() -> Option<OsString> {
    let users = std::fs::read("/etc/passwd").ok()?;
    home_of(&rustix::process::getuid().to_string(), &users)
}

/// Reads `name:password:uid:gid:comment:home:shell`, a user a line.
#[cfg(target_os = "linux")]
fn home_of(uid: &str, users: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt;
    let home = users.split(|byte| *byte == b'\n').find_map(|user| {
        let mut fields = user.split(|byte| *byte == b':').skip(2);
        let is_ours = fields.next() == Some(uid.as_bytes());
        fields.nth(2).filter(|home| is_ours && !home.is_empty())
    })?;
    Some(OsStr::from_bytes(home).to_owned())
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::disallowed_methods, reason = "no static C library here")]
fn home_of_user() -> Option<OsString> {
    std::env::home_dir().map(Into::into)
}

/// Names the variable that holds the home folder.
pub(super) const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn finds_the_home_folder_of_a_local_user() {
        let users = b"root:x:0:0:root:/root:/bin/sh\n+::::::\nno:x:7:7\nbare:x:8:8:::\n\
            me:x:1000:1000:My Name,,,:/home/me:/bin/bash\nold:x:1000:0::/elsewhere:";
        for (uid, home) in [
            ("0", Some("/root")),
            ("1000", Some("/home/me")),
            ("7", None),
            ("8", None),
            ("100", None),
            ("", None),
        ] {
            assert_eq!(
                home_of(uid, users).as_deref(),
                home.map(OsStr::new),
                "{uid}"
            );
        }
    }
}
