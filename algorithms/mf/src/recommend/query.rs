//! [`Query`]: how many rows are asked for, and among which.

use super::seen::Seen;

/// Settings of one call: the number of items, and those among which they are chosen.
///
/// Rows that a model does not have are passed over. For similar users the rows are those of users.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    pub(super) count: usize,
    pub(super) only: Option<&'a [u32]>,
    pub(super) without: &'a [u32],
    seen: Option<Left<'a>>,
}

/// Rows that are left out of the list of each who asks.
#[derive(Debug, Clone, Copy)]
enum Left<'a> {
    /// By the row of who asks.
    Seen(&'a Seen),
    /// By place: the first row is for who asks first.
    Places(&'a Seen),
}

impl<'a> Query<'a> {
    /// This number of the best items.
    pub fn best(count: usize) -> Self {
        Self { count, only: None, without: &[], seen: None }
    }

    /// These items only, in any order.
    pub fn only(self, items: &'a [u32]) -> Self {
        Self { only: Some(items), ..self }
    }

    /// None of these items, in any order.
    pub fn without(self, items: &'a [u32]) -> Self {
        Self { without: items, ..self }
    }

    /// Leaves out what users have seen, by their rows in the model.
    pub fn without_seen(self, seen: &'a Seen) -> Self {
        Self { seen: Some(Left::Seen(seen)), ..self }
    }

    /// Leaves out a row of items for each who asks, in the order of asking.
    pub fn without_rows(self, rows: &'a Seen) -> Self {
        Self { seen: Some(Left::Places(rows)), ..self }
    }

    /// Items left out for a row that asks at this place, ascending.
    pub(super) fn left_out(&self, place: usize, row: u32) -> &'a [u32] {
        match self.seen {
            Some(Left::Seen(seen)) => seen.row(row),
            Some(Left::Places(rows)) => rows.row(place as u32),
            None => &[],
        }
    }
}
