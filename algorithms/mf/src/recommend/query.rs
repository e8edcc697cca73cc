//! [`Query`]: the number of rows that are asked for, and the rows among which they are chosen.

use super::seen::Seen;

/// Settings of a query: the number of items, and those among which they are chosen.
///
/// Rows that a model does not have are ignored. For similar users the rows are those of users.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    pub(super) count: usize,
    pub(super) only: Option<&'a [u32]>,
    pub(super) without: &'a [u32],
    seen: Option<Left<'a>>,
}

/// Rows that are left out of each list.
#[derive(Debug, Clone, Copy)]
enum Left<'a> {
    /// Rows by the user of the list.
    Seen(&'a Seen),
    /// Rows by the place of the query: the first row is for the first query.
    Places(&'a Seen),
}

impl<'a> Query<'a> {
    /// A query for this number of the best items.
    pub fn best(count: usize) -> Self {
        Self { count, only: None, without: &[], seen: None }
    }

    /// Chooses only among these items, in any order.
    pub fn only(self, items: &'a [u32]) -> Self {
        Self { only: Some(items), ..self }
    }

    /// Leaves out these items, in any order.
    pub fn without(self, items: &'a [u32]) -> Self {
        Self { without: items, ..self }
    }

    /// Leaves out the items that users have seen, by their rows in the model.
    pub fn without_seen(self, seen: &'a Seen) -> Self {
        Self { seen: Some(Left::Seen(seen)), ..self }
    }

    /// Leaves out a row of items for each query, in the order of the queries.
    pub fn without_rows(self, rows: &'a Seen) -> Self {
        Self { seen: Some(Left::Places(rows)), ..self }
    }

    /// Returns `true` if nothing is left out, for any query.
    pub(super) fn is_of_all(&self) -> bool {
        self.only.is_none() && self.without.is_empty() && self.seen.is_none()
    }

    /// Returns the items left out for the query at this place, ascending.
    pub(super) fn left_out(&self, place: usize, row: u32) -> &'a [u32] {
        match self.seen {
            Some(Left::Seen(seen)) => seen.row(row),
            Some(Left::Places(rows)) => rows.row(place as u32),
            None => &[],
        }
    }
}
