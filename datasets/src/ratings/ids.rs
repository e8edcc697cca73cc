//! [`Ids`]: the ids of users and items in the data.

use std::collections::HashMap;

/// The ids of users or of items, by row.
///
/// If the ids are exactly the numbers from 0 on, the row is the id; otherwise rows are numbered in the order
/// in which ids first appear in the file. An id is a sequence of bytes: it is a number only if printing the
/// number gives the same bytes ([`whole_id`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Row `i` has the id `i`; the number of rows.
    Dense(u32),
    /// Whole numbers of 32 bits.
    Integers(Vec<u32>),
    /// Texts, and whole numbers beyond 32 bits, as text.
    Names(Vec<String>),
}

impl Default for Ids {
    fn default() -> Self {
        Self::Dense(0)
    }
}

impl Ids {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Dense(count) => *count as usize,
            Self::Integers(ids) => ids.len(),
            Self::Names(ids) => ids.len(),
        }
    }

    /// Returns `true` if there are no ids.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of a row as text; empty for a row that does not exist.
    pub fn name(&self, row: usize) -> String {
        match self {
            Self::Dense(count) if row < *count as usize => row.to_string(),
            Self::Dense(_) => String::new(),
            Self::Integers(ids) => ids.get(row).map(u32::to_string).unwrap_or_default(),
            Self::Names(ids) => ids.get(row).cloned().unwrap_or_default(),
        }
    }

    /// Returns an index to look up the rows of many ids.
    pub fn index(&self) -> Index<'_> {
        let rows = || 0..self.len() as u32;
        match self {
            Self::Dense(count) => Index::Dense(*count),
            Self::Integers(ids) => Index::Integers(ids.iter().copied().zip(rows()).collect()),
            Self::Names(ids) => Index::Names(ids.iter().map(String::as_str).zip(rows()).collect()),
        }
    }
}

/// A map from ids to rows.
#[derive(Clone, Debug)]
pub enum Index<'a> {
    /// The id is the row; the number of rows.
    Dense(u32),
    /// Whole numbers of 32 bits.
    Integers(HashMap<u32, u32>),
    /// Texts.
    Names(HashMap<&'a str, u32>),
}

impl Index<'_> {
    /// Returns the row of an id, if there is one.
    pub fn row(&self, id: &str) -> Option<u32> {
        match self {
            Self::Dense(count) => whole_id(id.as_bytes()).filter(|row| row < count),
            Self::Integers(rows) => rows.get(&whole_id(id.as_bytes())?).copied(),
            Self::Names(rows) => rows.get(id).copied(),
        }
    }

    /// Returns for each of `ids` its row in this index, if there is one.
    pub fn rows_of(&self, ids: &Ids) -> Vec<Option<u32>> {
        match (self, ids) {
            (Self::Dense(mine), Ids::Dense(theirs)) => {
                (0..*theirs).map(|row| (row < *mine).then_some(row)).collect()
            }
            _ => (0..ids.len()).map(|row| self.row(&ids.name(row))).collect(),
        }
    }
}

/// Parses an id as a whole number of 32 bits: only if printing the number gives the same bytes, so that `7`,
/// `07` and `+7` stay three ids.
///
/// ```
/// use raddle_datasets::ratings::whole_id;
/// assert_eq!((whole_id(b"7"), whole_id(b"4294967295")), (Some(7), Some(u32::MAX)));
/// assert_eq!([&b"07"[..], b"+7", b"-7", b"", b"4294967296"].map(whole_id), [None; 5]);
/// ```
#[inline(always)]
pub fn whole_id(id: &[u8]) -> Option<u32> {
    // Ten digits fit into `u64`.
    if id.is_empty() || id.len() > 10 || (id[0] == b'0' && id.len() > 1) {
        return None;
    }
    let number = id.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(number * 10 + u64::from(digit))
    });
    number.and_then(|number| u32::try_from(number).ok())
}

/// The form that the ids of a column have.
#[derive(Clone, Copy)]
pub(super) enum IdForm {
    Whole,
    Text,
}

/// A column of ids as it was read.
pub(super) enum Column {
    Integers(Vec<u32>),
    Names(Vec<String>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_finds_rows_by_id() {
        for ids in [Ids::Dense(3), Ids::Integers(vec![7, 9, 2]), Ids::Names(vec!["x".into(), "y".into()])] {
            let index = ids.index();
            for row in 0..ids.len() {
                assert_eq!(index.row(&ids.name(row)), Some(row as u32));
            }
            assert_eq!(index.row("nobody"), None);
            assert_eq!(index.row("77"), None);
        }
        let rows = Ids::Integers(vec![5, 6]).index().rows_of(&Ids::Names(vec!["6".into(), "z".into()]));
        assert_eq!(rows, [Some(1), None]);
    }
}
