//! Which of two versions of a row is the newer one.

use super::columns::Field;
use super::row::Entry;
use std::cmp::Ordering;

/// Compares by heartbeat, then finality of the status, then text.
///
/// An absent or unreadable heartbeat is the oldest, an unknown status the
/// least final. The text of all known cells makes the order total, which is
/// what makes a join by it commutative and associative.
pub(super) fn compare(a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    let text = |row: &Entry<'_>, field| row.get(field).map(str::to_owned);
    a.beat()
        .cmp(&b.beat())
        .then_with(|| a.status().cmp(&b.status()))
        .then_with(|| {
            let mut fields = Field::ALL.into_iter();
            fields
                .find_map(|field| match text(a, field).cmp(&text(b, field)) {
                    Ordering::Equal => None,
                    order => Some(order),
                })
                .unwrap_or(Ordering::Equal)
        })
}
