//! Host names, normalised for comparison, and the kernel's id of this boot.

use std::sync::OnceLock;

/// Trims, lower-cases, and removes one of the suffixes that a router lends.
///
/// macOS changes its own name between `x` and `x.local` with the network.
pub fn normalise(name: &str) -> String {
    let name = name.trim().to_lowercase();
    let bare = [".local", ".home", ".lan", ".localdomain"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix).filter(|bare| !bare.is_empty()));
    bare.unwrap_or(&name).to_owned()
}

/// Returns the kernel's id of this boot, asked once; `None` where there is
/// none (not Linux).
pub fn boot_id() -> Option<&'static str> {
    static BOOT_ID: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let id = crate::disk::read_proc("/proc/sys/kernel/random/boot_id")?;
        let id = String::from_utf8(id).ok()?.trim().to_owned();
        (!id.is_empty()).then_some(id)
    };
    BOOT_ID.get_or_init(read).as_deref()
}
