//! Who we are, and which other names mean the same host.

pub use crate::host_name::normalise;
use hmac_sha256::Hash;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Identifies this host, now.
#[derive(Clone, Debug)]
pub struct Host {
    /// The name as the system gives it (`Studio.local`).
    pub name: String,
    /// The name made comparable (`studio`).
    pub id: String,
    /// The kernel's id of this boot; `None` if it has no name (not Linux).
    pub boot_id: Option<String>,
    /// A file of names that mean one host, read only when a name differs.
    pub aliases_file: Option<PathBuf>,
    aliases: OnceLock<Vec<String>>,
}

impl Host {
    /// Asks the system for this host's names; never fails.
    pub fn current() -> Self {
        let name = hostname::get().map(|name| name.to_string_lossy().into_owned());
        let name = name.ok().filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| "localhost".to_owned());
        Self::named(&name, crate::host_name::boot_id())
    }

    /// Makes the host that has this name and this boot.
    pub fn named(name: &str, boot_id: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            id: normalise(name),
            boot_id: boot_id.map(str::to_owned),
            aliases_file: None,
            aliases: OnceLock::new(),
        }
    }

    /// Returns whether a writer that gave these names is this host.
    ///
    /// An equal boot id decides, since macOS renames a host under way;
    /// otherwise the normalised id, or the name where the id is blank; at last
    /// the file of aliases, in which two names that both stand are one host.
    pub fn is(&self, name: &str, id: Option<&str>, boot_id: Option<&str>) -> bool {
        if boot_id.is_some() && boot_id == self.boot_id.as_deref() {
            return true;
        }
        let given = id.filter(|id| !id.trim().is_empty()).unwrap_or(name);
        let other = normalise(given);
        other == self.id || self.other_names().any(|name| *name == other)
    }

    /// Returns the normalised names that the file of aliases gives this host.
    pub fn other_names(&self) -> impl Iterator<Item = &String> {
        let all = self.aliases();
        let is_listed = all.contains(&self.id);
        all.iter()
            .filter(move |name| is_listed && **name != self.id)
    }

    /// Returns 32 bits that tell this host and boot from others in names of files.
    pub fn tag(&self) -> u32 {
        let mut hash = Hash::new();
        hash.update(self.boot_id.as_deref().unwrap_or_default());
        hash.update([0]);
        hash.update(&self.id);
        let [a, b, c, d, ..] = hash.finalize();
        u32::from_be_bytes([a, b, c, d])
    }

    fn aliases(&self) -> &[String] {
        let read = || {
            self.aliases_file
                .as_deref()
                .and_then(read_aliases)
                .unwrap_or_default()
        };
        self.aliases.get_or_init(read)
    }
}

/// Reads every string in the JSON of the aliases file, at any depth.
fn read_aliases(path: &Path) -> Option<Vec<String>> {
    let contents = crate::disk::read_small(path, 64 * 1024, crate::disk::Links::Refuse).ok()??;
    let value = serde_json::from_slice(&contents.bytes).ok()?;
    let mut names = Vec::new();
    collect(&value, &mut names);
    Some(names)
}

fn collect(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::String(name) => names.push(normalise(name)),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|field| collect(field, names));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn studio() -> Host {
        Host::named("Studio.local", Some("b1"))
    }

    #[test]
    fn one_router_suffix_and_case_do_not_matter() {
        for name in [
            "studio",
            " Studio.local ",
            "STUDIO.LAN",
            "studio.home",
            "studio.localdomain",
        ] {
            assert_eq!(normalise(name), "studio", "{name:?}");
        }
        assert_eq!(normalise("studio.local.lan"), "studio.local");
        assert_eq!(normalise(".local"), ".local", "a name is never made empty");
    }

    #[test]
    fn the_boot_decides_before_the_name_and_a_blank_id_counts_for_nothing() {
        let me = studio();
        assert!(me.is("renamed", Some("renamed"), Some("b1")));
        assert!(me.is("elsewhere", Some("studio"), Some("b2")));
        assert!(me.is("Studio.lan", Some("  "), None));
        assert!(!me.is("studio", Some("laptop"), None));
        assert!(!me.is("laptop", None, None));
        let without_boot = Host::named("studio", None);
        assert!(!without_boot.is("laptop", None, None), "none is no boot");
    }

    #[test]
    fn the_tag_tells_hosts_and_boots_apart() {
        let tags = [
            ("a", Some("1")),
            ("a", Some("2")),
            ("a", None),
            ("b", Some("1")),
        ];
        let mut tags = tags
            .map(|(name, boot)| Host::named(name, boot).tag())
            .to_vec();
        tags.sort_unstable();
        tags.dedup();
        assert_eq!(tags.len(), 4);
        assert_eq!(studio().tag(), Host::named("STUDIO.lan", Some("b1")).tag());
    }

    #[test]
    fn two_names_in_the_aliases_file_are_one_host() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("host-aliases.json");
        std::fs::write(&file, r#"{"aliases": ["studio.local", "old-imac"]}"#).expect("written");
        let me = Host {
            aliases_file: Some(file),
            ..studio()
        };
        assert!(me.is("old-imac.home", None, None));
        assert!(!me.is("laptop", None, None));
        let stranger = Host {
            aliases_file: me.aliases_file.clone(),
            ..Host::named("laptop", None)
        };
        assert!(!stranger.is("old-imac", None, None), "it is not listed");
        let many: Vec<String> = (0..400).map(|at| format!("name-{at}")).collect();
        let many = serde_json::to_string(&(many, "studio")).expect("it is JSON");
        std::fs::write(me.aliases_file.as_ref().expect("a file"), many).expect("written");
        let me = Host {
            aliases_file: me.aliases_file,
            ..studio()
        };
        assert!(me.is("name-399", None, None));
    }
}
