//! [`Seen`]: the items that each user has seen.

use std::ops::Range;

use raddle_datasets::{ReadError, Triples};

use crate::input::source::RatingsSource;

/// The items that each user has seen: compressed rows, 4 bytes per observation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Seen {
    /// Collects the items of `users` users from observations; other users are ignored.
    pub fn new(triples: &Triples, users: usize) -> Self {
        let mut starts = vec![0; users + 1];
        let known = |user: u32| (user as usize) < users;
        triples.users.iter().filter(|&&user| known(user)).for_each(|&user| starts[user as usize + 1] += 1);
        (0..users).for_each(|user| starts[user + 1] += starts[user]);
        let items = if triples.users.is_sorted() {
            triples.items[..starts[users]].to_vec()
        } else {
            let (mut next, mut items) = (starts.clone(), vec![0; starts[users]]);
            for (&user, &item) in triples.users.iter().zip(&triples.items).filter(|pair| known(*pair.0)) {
                items[next[user as usize]] = item;
                next[user as usize] += 1;
            }
            items
        };
        let mut seen = Self { starts, items };
        seen.order();
        seen
    }

    /// Collects the items of some users, numbered from the first of them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of(ratings: &RatingsSource, users: Range<usize>) -> Result<Self, ReadError> {
        if let (RatingsSource::Memory(triples, _), 0) = (ratings, users.start) {
            return Ok(Self::new(triples, users.end));
        }
        let mut some = Triples::default();
        ratings.each(|user, item, value| {
            if users.contains(&(user as usize)) {
                some.push(user - users.start as u32, item, value);
            }
        })?;
        Ok(Self::new(&some, users.len()))
    }

    /// Sorts all rows, and removes repeated items.
    fn order(&mut self) {
        let (mut start, mut end) = (0, 0);
        for user in 1..self.starts.len() {
            let next = self.starts[user];
            end = self.ascending(start..next, end);
            (start, self.starts[user]) = (next, end);
        }
        self.items.truncate(end);
    }

    /// Moves these items to `to`, at or before their place, sorted and without repeats. Returns the end of
    /// the moved items.
    fn ascending(&mut self, items: Range<usize>, to: usize) -> usize {
        self.items[items.clone()].sort_unstable();
        let mut end = to;
        for at in items {
            if end == to || self.items[end - 1] != self.items[at] {
                self.items[end] = self.items[at];
                end += 1;
            }
        }
        end
    }

    /// Makes the rows of users from items in any order, one row per user.
    pub fn from_rows<R: AsRef<[u32]>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut seen = Self { starts: vec![0], items: Vec::new() };
        for row in rows {
            let start = seen.items.len();
            seen.items.extend_from_slice(row.as_ref());
            seen.end_row(start);
        }
        seen
    }

    /// Returns the number of users.
    pub fn users(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.items.len()
    }

    /// Returns the items seen in either, for the larger number of users.
    pub fn with(&self, other: &Self) -> Self {
        let mut seen =
            Self { starts: vec![0], items: Vec::with_capacity(self.items.len() + other.items.len()) };
        for user in 0..self.users().max(other.users()) as u32 {
            let start = seen.items.len();
            seen.items.extend_from_slice(self.row(user));
            seen.items.extend_from_slice(other.row(user));
            seen.end_row(start);
        }
        seen
    }

    /// Takes over compressed rows, as a file has them: each ascending, without repeats.
    #[cfg(feature = "files")]
    pub(crate) fn of_rows(starts: Vec<usize>, items: Vec<u32>) -> Self {
        Self { starts, items }
    }

    /// Ends the row that starts at `start`: sorts it and removes repeats.
    fn end_row(&mut self, start: usize) {
        let end = self.ascending(start..self.items.len(), start);
        self.items.truncate(end);
        self.starts.push(end);
    }

    /// Returns the items of a user, ascending; empty for a user beyond the rows.
    pub fn row(&self, user: u32) -> &[u32] {
        match self.starts.get(user as usize..user as usize + 2) {
            Some(&[start, end]) => &self.items[start..end],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_are_the_sets_of_their_pairs(
            pairs in proptest::collection::vec((0_u32..9, 0_u32..9), 0..60),
            others in proptest::collection::vec((0_u32..12, 0_u32..9), 0..60),
        ) {
            let of = |pairs: &[(u32, u32)], users: usize| {
                let triples: Triples = pairs.iter().map(|&(user, item)| (user, item, 1.0)).collect();
                Seen::new(&triples, users)
            };
            let row = |pairs: &[(u32, u32)], user: u32| -> Vec<u32> {
                let set: BTreeSet<u32> = pairs.iter().filter(|pair| pair.0 == user).map(|pair| pair.1).collect();
                set.into_iter().collect()
            };
            let (seen, other) = (of(&pairs, 7), of(&others, 12));
            let both = seen.with(&other);
            for user in 0..12 {
                let own = if user < 7 { row(&pairs, user) } else { Vec::new() };
                prop_assert_eq!(seen.row(user), &own[..]);
                let all: BTreeSet<u32> = own.into_iter().chain(row(&others, user)).collect();
                prop_assert_eq!(both.row(user), &all.into_iter().collect::<Vec<_>>()[..]);
            }
            let rows: Vec<Vec<u32>> = (0..7).map(|user| row(&pairs, user)).collect();
            prop_assert_eq!(&Seen::from_rows(rows), &seen);
            prop_assert_eq!((seen.users(), seen.pairs()), (7, (0..7).map(|user| seen.row(user).len()).sum()));
        }
    }
}
