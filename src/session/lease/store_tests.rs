//! Tests of the store of leases.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::super::tests::{lease, time};
use super::super::{Activity, LeaseEnd};
use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names = Folder::open_root(folder)
        .unwrap()
        .list(usize::MAX, |_| true)
        .unwrap();
    names.sort();
    names
}

#[test]
fn what_is_written_is_read_and_a_hostile_id_stays_in_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let state = root.path().join("state");
    let leases = Leases::at(&state);
    for id in [
        "../../../evil",
        "/etc/passwd",
        "a\0b",
        "..",
        "",
        "\u{202e}x",
    ] {
        let lease = lease(id, 1);
        leases.write(&lease).unwrap();
        assert_eq!(leases.get(id), Some(lease.clone()), "{id:?}");
        assert_eq!(leases.read(), std::slice::from_ref(&lease));
        leases.remove(&lease).unwrap();
        assert_eq!(leases.read(), []);
    }
    assert_eq!(names(root.path()), ["state"]);
    assert_eq!(names(&state), ["sessions"]);
    assert!(
        names(&state.join("sessions")).is_empty(),
        "no temporary is left"
    );
}

#[test]
fn what_is_no_lease_is_passed_over() {
    let root = tempfile::tempdir().unwrap();
    let leases = Leases::at(root.path());
    assert_eq!(leases.read(), [], "no folder yet");
    let good = lease("good", 1);
    leases.write(&good).unwrap();
    let folder = root.path().join("sessions");
    std::fs::write(folder.join("junk.json"), "{").unwrap();
    std::fs::write(folder.join("large.json"), vec![b' '; 20_000]).unwrap();
    std::fs::create_dir(folder.join("folder.json")).unwrap();
    std::fs::copy(folder.join(file_name(&good)), folder.join("twin.json")).unwrap();
    assert_eq!(leases.read(), [good]);
    let large = Lease {
        title: Some("x".repeat(20_000)),
        ..lease("large", 1)
    };
    assert!(leases.write(&large).is_err(), "it could not be read again");
}

#[test]
fn a_folder_that_was_left_has_a_lease_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    let leases = Leases::at(root.path());
    let left = Lease {
        repo: "/src/old".into(),
        over: Some(LeaseEnd {
            at: time(2),
            how: EndKind::Moved,
            on_board: false,
        }),
        ..lease("a", 1)
    };
    let here = lease("a", 2);
    leases.write(&left).unwrap();
    leases.write(&here).unwrap();
    assert_eq!(leases.get("a"), Some(here.clone()));
    assert_eq!(leases.read().len(), 2);
    assert_eq!(leases.of_board(&here.board).len(), 2);
    assert_eq!(leases.of_board(Path::new("/elsewhere.md")).len(), 0);
}

#[test]
fn what_a_board_says_is_said_once_and_a_lease_that_lives_again_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let leases = Leases::at(root.path());
    let processes = Processes::fixed("b1", Vec::new());
    let silent = lease("silent", 0);
    let ended = Lease {
        over: Some(LeaseEnd {
            at: time(1),
            how: EndKind::Ended,
            on_board: false,
        }),
        ..lease("ended", 0)
    };
    let read = [silent.clone(), ended.clone(), lease("resumed", 0)];
    for lease in &read {
        leases.write(lease).unwrap();
    }
    leases.write(&lease("resumed", 300)).unwrap();
    leases.settle(&read, &processes, time(300));
    let over = |id: &str| {
        let over = leases.get(id).unwrap().over;
        over.map(|over| (over.how, over.on_board))
    };
    assert_eq!(over("silent"), Some((EndKind::Died, true)));
    assert_eq!(over("ended"), Some((EndKind::Ended, true)));
    assert_eq!(over("resumed"), None);
}

#[test]
fn a_board_is_told_at_once_who_waits_or_works_and_who_rests_when_it_has_time() {
    use super::super::LastShown;
    use Activity::{Idle, Waiting, Working};
    for (told, activity, minutes, plain, shown) in [
        (None, Working, 0, true, true),
        (Some(Working), Working, 0, false, false),
        (Some(Working), Working, 29, false, false),
        (Some(Working), Working, 30, true, true),
        (Some(Working), Working, -1, true, true),
        (Some(Idle), Working, 0, false, true),
        (Some(Working), Idle, 0, false, false),
        (Some(Working), Idle, 1, false, true),
        (Some(Working), Waiting, 0, false, true),
        (Some(Waiting), Working, 0, false, true),
    ] {
        let lease = Lease {
            last_shown: told.map(|activity| LastShown {
                at: time(0),
                activity,
            }),
            activity,
            ..lease("a", 0)
        };
        let is_news = |shows| lease.is_news(|| shows, time(minutes));
        assert_eq!(
            (is_news(false), is_news(true)),
            (plain, shown),
            "{told:?} {activity:?} {minutes}"
        );
    }
}

#[test]
fn old_leases_are_swept_and_living_ones_never() {
    let root = tempfile::tempdir().unwrap();
    let leases = Leases::at(root.path());
    let processes = Processes::fixed("b1", Vec::new());
    let over = |session: &str, on_board| Lease {
        over: Some(LeaseEnd {
            at: time(0),
            how: EndKind::Ended,
            on_board,
        }),
        ..lease(session, 0)
    };
    leases.write(&over("told", true)).unwrap();
    leases.write(&over("untold", false)).unwrap();
    leases.write(&lease("lives", 8 * 24 * 60)).unwrap();
    let left = |minute| {
        leases.sweep(&leases.read(), &processes, time(minute));
        let ids = leases.read().into_iter().map(|lease| lease.session_id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(left(60), ["told", "untold", "lives"]);
    assert_eq!(left(61), ["untold", "lives"]);
    assert_eq!(left(8 * 24 * 60), ["lives"]);
}
