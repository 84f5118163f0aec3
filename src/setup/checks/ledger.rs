//! The outcomes of this repository's updates in the last week.

use crate::Timestamp;
use crate::ledger::{LEDGER, Summary, summarise};
use crate::session::Repo;
use crate::setup::check::{Findings, Inspection};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::Path;

/// How many bytes of a ledger are read: some 80,000 updates.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

const WEEK_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Checks the ledger of the repository in the current folder.
pub fn check(inspection: &Inspection, findings: &mut Findings) {
    let since = Timestamp::from_millis(inspection.now.as_millis() - WEEK_MS);
    let repo = Repo::at(inspection.cwd, inspection.cwd);
    let path = repo.path.join(LEDGER);
    let summary = match summary_of(&path, Some(since)) {
        Ok(summary) => summary,
        Err(error) => {
            let text = format!("cannot read the ledger `{}`: {error}", path.display());
            return findings.warn("ledger", text, "check its permissions");
        }
    };
    let advice = summary.advice();
    if advice.is_empty() {
        let count = summary.updates;
        let text = format!("{count} updates of this folder in 7 days, nothing unusual");
        findings.ok("ledger", text);
    }
    for text in advice {
        findings.warn("ledger", text, "figures: `boardsync ledger --since 7d`");
    }
}

/// Summarises a ledger; a missing one is empty.
fn summary_of(path: &Path, since: Option<Timestamp>) -> io::Result<Summary> {
    let opened = std::fs::metadata(path).and_then(|meta| match meta.is_file() {
        true => File::open(path),
        false => Err(ErrorKind::InvalidInput.into()),
    });
    match opened.and_then(last_of) {
        Ok(lines) => Ok(summarise(lines, since)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Summary::default()),
        Err(error) => Err(error),
    }
}

/// Returns the last [`MAX_BYTES`] bytes of a ledger, from the first whole line on: a
/// cloned repository may come with one of any size.
fn last_of(mut file: File) -> io::Result<BufReader<File>> {
    let start = file.metadata()?.len().saturating_sub(MAX_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut lines = BufReader::new(file);
    if start > 0 {
        lines.skip_until(b'\n')?;
    }
    Ok(lines)
}
