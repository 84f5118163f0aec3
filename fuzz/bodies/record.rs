//! No bytes are too odd for a record, and what is a record reads back.

use boardsync::lock::Record;

pub fn run(data: &[u8]) {
    if let Some(record) = Record::parse(data) {
        assert_eq!(Record::parse(record.to_json().as_bytes()), Some(record));
    }
}
