//! The order of rows: as JavaScript's `localeCompare` sorts names.

use super::root_collation;
use super::row::Row;
use icu_collator::{Collator, CollatorBorrowed};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Compares two rows by name in the root collation, then by key and host.
pub(super) fn compare(a: &Row<'_>, b: &Row<'_>) -> Ordering {
    collator()
        .compare(&a.repo, &b.repo)
        .then_with(|| a.key.cmp(&b.key))
        .then_with(|| a.host.cmp(&b.host))
}

fn collator() -> CollatorBorrowed<'static> {
    static ROOT: OnceLock<Collator> = OnceLock::new();
    ROOT.get_or_init(root_collation::collator).as_borrowed()
}
