//! Whether Syncthing carries locks and temporaries to other hosts.

use crate::setup::check::{Findings, Inspection};
use crate::setup::ignore::{syncthing_block, syncthing_root};
use crate::setup::text_file::TextFile;

/// Looks for Syncthing's marker, its ignore file, and its traces.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let (Ok(vault), Ok(place)) = (&inspection.vault, &inspection.place) else {
        return;
    };
    let id = "sync-ignore";
    let is_copy = |name: &str| name.contains(".sync-conflict-");
    let copies = place
        .orchestrator()
        .and_then(|folder| folder.list(1, is_copy))
        .unwrap_or_default();
    if let Some(copy) = copies.first() {
        let shown = place.folder.display();
        return findings.warn(
            id,
            format!("`{shown}` is synced between hosts: it contains `{copy}`"),
            "exclude it from syncing on every host, and remove the copies",
        );
    }
    let Some(root) = syncthing_root(&vault.path) else {
        return;
    };
    let file = TextFile::read(&root.join(".stignore"));
    let text = file.ok().flatten().map_or(String::new(), |file| file.text);
    if syncthing_block().missing(&text).is_empty() {
        findings.ok(id, "Syncthing ignores locks and temporaries");
    } else {
        let root = root.display();
        let text = format!("Syncthing shares `{root}` and `.orchestrator` in it");
        findings.warn(id, text, "run `boardsync init` on every host");
    }
}
