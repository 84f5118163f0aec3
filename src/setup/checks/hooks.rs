//! Whether sessions call us: whether hooks are set up, and whether they run.

use crate::agent::Content;
use crate::setup::check::{Finding, Inspection};
use crate::setup::installed::{Installed, look};

const ID: &str = "hooks";

/// Looks at the settings of all agents.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let all = look(inspection);
    let broken = all.iter().flat_map(|installed| &installed.unreadable);
    let broken = broken.map(|text| Finding::warn(ID, text, "repair it"));
    let mut findings: Vec<Finding> = broken.collect();
    if !all.iter().any(Installed::calls_us) {
        let text = "no agent calls boardsync";
        findings.push(Finding::warn(ID, text, "run `boardsync init`"));
        return findings;
    }
    findings.extend(all.into_iter().flat_map(of));
    findings
}

fn of(installed: Installed) -> Vec<Finding> {
    let (title, name) = (installed.target.agent.title, installed.target.agent.name);
    if !installed.calls_us() {
        let is_left_out = installed.is_there && installed.unreadable.is_empty();
        let text =
            format!("{title} does not call boardsync: `boardsync init --agent {name}` sets it up");
        return Vec::from_iter(is_left_out.then(|| Finding::note(ID, text)));
    }
    let missing = installed.missing();
    let mut findings = installed.obstacles;
    for finding in &mut findings {
        finding.text = format!("{title}: {}", finding.text);
    }
    if !missing.is_empty() {
        findings.push(Finding::warn(
            ID,
            format!(
                "{title} does not call boardsync at {}",
                missing.join(" and ")
            ),
            format!("run `boardsync init --agent {name}`"),
        ));
    }
    if findings.is_empty() {
        let is_program = matches!(installed.target.settings.content, Content::Programs);
        let ways = installed.files.len() + usize::from(installed.has_plug_in);
        findings.push(match ways > 1 && !is_program {
            true => Finding::note(
                ID,
                format!(
                    "{title} calls boardsync in several ways: each event counts once all the same"
                ),
            ),
            false => Finding::ok(
                ID,
                format!("{title} calls boardsync at the start and end of sessions"),
            ),
        });
    }
    findings
}
