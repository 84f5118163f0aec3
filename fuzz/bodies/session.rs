//! Whatever another program wrote about sessions and vaults is read or refused
//! in one line.

use boardsync::Timestamp;
use boardsync::internals::config::{OwnConfig, owner, session_config};
use boardsync::internals::session::{RegistryEntry, SessionLock};

pub fn run(data: &[u8]) {
    let now = Timestamp::from_millis(1_796_022_000_000);
    match SessionLock::parse(data) {
        Ok(lock) => {
            lock.is_live(now);
            reads_back(lock.heartbeat());
        }
        Err(why) => is_one_line(&why),
    }
    if let Some(entry) = RegistryEntry::parse(data) {
        entry.is_fresh(now);
        reads_back(&entry.last_heartbeat);
    }
    // The Session Config is read whatever its bytes, as its reader does.
    let text = String::from_utf8_lossy(data);
    if let session_config::VaultBlock::Readable(block) = session_config::read(&text) {
        let values = [block.vault_dir, block.vault_name];
        values.iter().flatten().for_each(|value| is_one_line(value));
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match owner::vault_dir(text) {
        Ok(dir) => assert_ne!(dir.as_deref().map(str::trim), Some(""), "a blank vault"),
        Err(why) => is_one_line(&why),
    }
    if let Err(why) = OwnConfig::parse(text) {
        is_one_line(&why);
    }
    reads_back(text);
}

/// A time that was read is written in a form that is read as the same time.
fn reads_back(text: &str) {
    if let Some(time) = Timestamp::parse(text) {
        assert_eq!(Timestamp::parse(&time.to_string()), Some(time), "{text:?}");
    }
}

fn is_one_line(text: &str) {
    assert!(!text.contains('\n'), "not one line: {text:?}");
}
