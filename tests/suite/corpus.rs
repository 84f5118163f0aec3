//! What fuzzing starts from, and every input it once failed on, in the
//! ordinary suite.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[path = "../../fuzz/bodies/board.rs"]
mod board;
#[path = "../../fuzz/bodies/hook.rs"]
mod hook;
#[path = "../../fuzz/bodies/merge.rs"]
mod merge;
#[path = "../../fuzz/bodies/record.rs"]
mod record;
#[path = "../../fuzz/bodies/session.rs"]
mod session;

fn run_all(target: &str, body: fn(&[u8])) {
    let folder = Path::new("fixtures/fuzz").join(target);
    let (mut count, mut failed) = (0, Vec::new());
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let data = fs::read(&path).unwrap();
        if catch_unwind(|| body(&data)).is_err() {
            failed.push(path);
        }
        count += 1;
    }
    assert!(failed.is_empty(), "`{target}` fails on {failed:?}");
    assert!(count > 1, "`{}` has its seeds", folder.display());
}

#[test]
fn every_board_reads_back() {
    run_all("board", board::run);
}

#[test]
fn every_event_is_read_or_refused() {
    run_all("hook", hook::run);
}

#[test]
fn every_merge_gives_a_board() {
    run_all("merge", merge::run);
}

#[test]
fn every_record_reads_back() {
    run_all("record", record::run);
}

#[test]
fn every_source_of_a_session_is_read_or_refused() {
    run_all("session", session::run);
}
