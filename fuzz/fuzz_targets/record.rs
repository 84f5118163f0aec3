//! No bytes are too odd for a record, and what is a record reads back.
#![no_main]

use boardsync::lock::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some(record) = Record::parse(data) {
        assert_eq!(Record::parse(record.to_json().as_bytes()), Some(record));
    }
});
