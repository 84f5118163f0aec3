//! Whether sessions call us: whether hooks stand there, and whether they run.

use crate::setup::check::{Finding, Inspection};
use crate::setup::installed::{Installed, look};

const ID: &str = "hooks";

/// Looks at the settings of all agents.
pub fn check(inspection: &Inspection) -> Vec<Finding> {
    let all = look(inspection);
    let mut findings = Vec::new();
    for installed in &all {
        let broken = installed.unreadable.iter();
        findings.extend(broken.map(|text| Finding::warn(ID, text, "repair it")));
    }
    if !all.iter().any(Installed::calls_us) {
        findings.push(Finding::warn(
            ID,
            "no agent calls boardsync",
            "run `boardsync init`",
        ));
        return findings;
    }
    for installed in all {
        findings.extend(match installed.calls_us() {
            true => of(&installed),
            false if installed.is_there && installed.unreadable.is_empty() => {
                let (title, name) = (installed.agent.title, installed.agent.name);
                vec![Finding::note(
                    ID,
                    format!("{title} does not call boardsync: `boardsync init --agent {name}` sets it up"),
                )]
            }
            false => Vec::new(),
        });
    }
    findings
}

fn of(installed: &Installed) -> Vec<Finding> {
    let title = installed.agent.title;
    let mut findings: Vec<Finding> = installed
        .obstacles
        .iter()
        .map(|it| Finding::warn(ID, format!("{title}: {}", it.text), &it.advice))
        .collect();
    let missing = installed.missing();
    if !missing.is_empty() {
        findings.push(Finding::warn(
            ID,
            format!(
                "{title} does not call boardsync at {}",
                missing.join(" and ")
            ),
            format!("run `boardsync init --agent {}`", installed.agent.name),
        ));
    }
    if !findings.is_empty() {
        return findings;
    }
    let is_program = matches!(
        installed.agent.caller,
        crate::setup::agents::Caller::Programs { .. }
    );
    let ways = installed.files.len() + usize::from(installed.has_plug_in);
    vec![if ways > 1 && !is_program {
        let text = "in several ways: each event counts once all the same";
        Finding::note(ID, format!("{title} calls boardsync {text}"))
    } else {
        Finding::ok(
            ID,
            format!("{title} calls boardsync at the start and end of sessions"),
        )
    }]
}
