//! The order of rows: as JavaScript's `localeCompare` sorts names.

use super::field::Field;
use super::row::Row;
use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed};
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Compares two rows by name in the root collation, then by key and host.
pub(super) fn compare(a: &Row<'_>, b: &Row<'_>) -> Ordering {
    let by = |field| a.written(field).cmp(&b.written(field));
    collator()
        .compare(&a.repo(), &b.repo())
        .then_with(|| by(Field::Key))
        .then_with(|| by(Field::Host))
}

fn collator() -> &'static CollatorBorrowed<'static> {
    static ROOT: OnceLock<CollatorBorrowed<'static>> = OnceLock::new();
    ROOT.get_or_init(|| {
        Collator::try_new(Default::default(), CollatorOptions::default())
            .expect("the root collation is compiled in")
    })
}
