//! Whether sessions call us: whether hooks are set up, and whether they run.

use crate::agent::Content;
use crate::setup::check::{Findings, Inspection};
use crate::setup::installed::{Installed, look};

const ID: &str = "hooks";

/// Looks at the settings of all agents.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let all = look(inspection);
    for text in all.iter().flat_map(|installed| &installed.unreadable) {
        findings.warn(ID, text, "repair it");
    }
    if !all.iter().any(Installed::calls_us) {
        return findings.warn(ID, "no agent calls boardsync", "run `boardsync init`");
    }
    for installed in &all {
        look_at(installed, findings);
    }
}

fn look_at(installed: &Installed, findings: &mut Findings) {
    let (title, name) = (installed.target.agent.title, installed.target.agent.name);
    let set_up = format!("`boardsync init --agent {name}`");
    if !installed.calls_us() {
        if installed.is_there && installed.unreadable.is_empty() {
            let text = format!("{title} does not call boardsync: {set_up} sets it up");
            findings.note(ID, text);
        }
        return;
    }
    for (text, advice) in &installed.obstacles {
        findings.warn(ID, format!("{title}: {text}"), advice);
    }
    let missing = installed.missing().join(" and ");
    if !missing.is_empty() {
        let text = format!("{title} does not call boardsync at {missing}");
        findings.warn(ID, text, format!("run {set_up}"));
    }
    if !installed.obstacles.is_empty() || !missing.is_empty() {
        return;
    }
    let is_program = matches!(installed.target.settings.content, Content::Programs);
    let ways = installed.files.len() + usize::from(installed.has_plug_in);
    if ways > 1 && !is_program {
        let text = "calls boardsync in several ways: each event counts once all the same";
        findings.note(ID, format!("{title} {text}"));
    } else {
        let text = "calls boardsync at the start and end of sessions";
        findings.ok(ID, format!("{title} {text}"));
    }
}
