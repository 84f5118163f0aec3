//! The names of hosts, made comparable.

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
