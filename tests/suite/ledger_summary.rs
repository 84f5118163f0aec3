//! A ledger is counted honestly: what is absent is not zero.

use boardsync::Timestamp;
use boardsync::internals::ledger::{Summary, Waits, summarise};

fn line(time: &str, rest: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-11-30T{time}:00.000Z\",\
         \"event\":\"orchestrator.vault.board_written\",{rest},\"schema_version\":1}}\n"
    )
}

fn written(lock: &str) -> String {
    line("07:00", &format!(r#""action":"written","lock":{{{lock}}}"#))
}

fn sum(text: &str) -> Summary {
    summarise(text.as_bytes(), None)
}

#[test]
fn everything_is_counted_under_its_own_name() {
    let ledger = [
        written(r#""locked":true,"waited_ms":1"#),
        written(r#""locked":true,"waited_ms":2,"stale_override":"mtime age 61000ms > 60000ms""#),
        written(r#""locked":true,"waited_ms":3,"stale_override":"dead holder pid 7""#),
        written(r#""locked":true,"waited_ms":4,"release":"not-owner""#),
        written(r#""locked":false,"reason":"timeout","waited_ms":5000"#),
        written(r#""locked":false,"reason":"fs-error","waited_ms":0"#),
        line("06:00", r#""action":"dry-run""#),
        line("08:00", r#""action":"skipped-noop","lock":{"locked":true}"#),
        "{\"event\":\"somebody.else\",\"action\":\"written\"}\n".to_owned(),
        "{\"no\":\"event\"}\n\n".to_owned(),
        "not json\n".to_owned(),
        "{\"event\":\"orchestrator.vault.board_wr".to_owned(),
    ]
    .concat();
    let summary = sum(&ledger);
    let count = |map: &std::collections::BTreeMap<String, u64>| format!("{map:?}");
    assert_eq!(summary.updates, 8);
    assert_eq!(
        count(&summary.actions),
        r#"{"dry-run": 1, "skipped-noop": 1, "written": 6}"#
    );
    assert_eq!(summary.locked, 5);
    assert_eq!(count(&summary.unlocked), r#"{"fs-error": 1, "timeout": 1}"#);
    assert_eq!(summary.tried(), 7);
    assert_eq!((summary.stale_overrides, summary.aged_overrides), (2, 1));
    assert_eq!(count(&summary.releases), r#"{"not-owner": 1}"#);
    assert_eq!(summary.unreadable, 2);
    let waits = Waits {
        count: 6,
        p50_ms: 2,
        p95_ms: 5000,
        max_ms: 5000,
    };
    assert_eq!(
        summary.waits,
        Some(waits),
        "a wait that is not said is no wait of 0"
    );
    assert_eq!(summary.first, Timestamp::parse("2026-11-30T06:00:00.000Z"));
    assert_eq!(summary.last, Timestamp::parse("2026-11-30T08:00:00.000Z"));
}

#[test]
fn nothing_tried_is_not_a_wait_of_zero() {
    let summary = sum(&line("07:00", r#""action":"dry-run""#));
    assert_eq!((summary.updates, summary.waits), (1, None));
    assert_eq!(sum(""), Summary::default());
}

#[test]
fn only_what_ended_since_is_counted() {
    let ledger = line("06:59", r#""action":"written""#)
        + &line("07:00", r#""action":"written""#)
        + "{\"event\":\"orchestrator.vault.board_written\"}\n";
    let since = Timestamp::parse("2026-11-30T07:00:00.000Z");
    let summary = summarise(ledger.as_bytes(), since);
    assert_eq!((summary.updates, summary.unreadable), (1, 1));
}

#[test]
fn a_line_without_end_and_wrong_types_cost_only_themselves() {
    let good = written(r#""locked":true,"waited_ms":1"#);
    let ledger = [
        vec![b'x'; 10_000_000],
        b"\n".to_vec(),
        good.clone().into_bytes(),
        vec![0xff, 0xfe, b'\n'],
        written(r#""locked":"yes""#).into_bytes(),
        written(r#""locked":true,"waited_ms":-1"#).into_bytes(),
        good.into_bytes(),
        vec![b'y'; 1_000_000],
    ]
    .concat();
    let summary = summarise(ledger.as_slice(), None);
    assert_eq!((summary.updates, summary.unreadable), (2, 5));
}

#[test]
fn advice_is_given_where_the_figures_ask_for_it_and_only_there() {
    let calm = written(r#""locked":true,"waited_ms":1"#).repeat(200);
    assert_eq!(sum(&calm).advice(), Vec::<String>::new());
    for (extra, word) in [
        (
            written(r#""locked":false,"reason":"timeout","waited_ms":5000"#).repeat(3),
            "BOARDSYNC_TIMEOUT_MS",
        ),
        (
            written(r#""locked":false,"reason":"fs-error","waited_ms":0"#),
            "boardsync doctor",
        ),
        (
            written(r#""locked":true,"waited_ms":3000"#).repeat(20),
            "waited 3000 ms",
        ),
        (
            written(
                r#""locked":true,"waited_ms":1,"stale_override":"mtime age 61000ms > 60000ms""#,
            ),
            "BOARDSYNC_STALE_MS",
        ),
        (
            written(r#""locked":true,"waited_ms":1,"release":"not-owner""#),
            "BOARDSYNC_STALE_MS",
        ),
        (
            written(r#""locked":true,"waited_ms":1,"release":"not-found""#),
            "BOARDSYNC_STALE_MS",
        ),
        (
            written(r#""locked":true,"waited_ms":1,"release":"busy""#),
            "board.lock.acquire",
        ),
        ("junk\n".to_owned(), "could not be read"),
    ] {
        let advice = sum(&(calm.clone() + &extra)).advice();
        assert_eq!(advice.len(), 1, "{word}: {advice:?}");
        assert!(
            advice[0].contains(word) && !advice[0].contains('\n'),
            "{advice:?}"
        );
    }
    let rare = calm + &written(r#""locked":false,"reason":"timeout","waited_ms":5000"#);
    assert_eq!(
        sum(&rare).advice(),
        Vec::<String>::new(),
        "1 in 201 is no pattern"
    );
    let dead = written(r#""locked":true,"waited_ms":1,"stale_override":"dead holder pid 7""#);
    assert_eq!(
        sum(&dead).advice(),
        Vec::<String>::new(),
        "the kernel knows the dead"
    );
}

#[test]
fn a_summary_is_json_for_programs() {
    let summary = sum(&written(r#""locked":true,"waited_ms":1"#));
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["waits"]["p95_ms"], 1);
    assert_eq!(json["first"], "2026-11-30T07:00:00.000Z");
    assert!(serde_json::to_value(sum("")).unwrap()["waits"].is_null());
}
