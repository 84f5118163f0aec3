//! Which of two versions of a row is the newer one.

use super::field::Field;
use super::row::Entry;
use std::cmp::Ordering;

/// Compares by heartbeat, then finality of the status, then text.
///
/// An absent or unreadable heartbeat is the oldest, an unknown status the
/// least final. The text of all known cells makes the order total, which is
/// what makes a join by it commutative and associative.
pub(super) fn compare(a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    a.beat()
        .cmp(&b.beat())
        .then_with(|| a.status().cmp(&b.status()))
        .then_with(|| {
            Field::ALL
                .map(|field| a.get(field))
                .cmp(&Field::ALL.map(|field| b.get(field)))
        })
}
