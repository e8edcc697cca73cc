//! [`RecordCounts`]: how many records were read, and why some are not used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Numbers of records: rows of a table, observations of ratings, documents of a corpus.
///
/// ```
/// use raddle_datasets::RecordCounts;
/// let mut records = RecordCounts::of(10);
/// records.leave_out("missing response", 3);
/// records.leave_out("missing value", 0);
/// assert_eq!((records.read, records.used(), records.left_out.len()), (10, 7, 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordCounts {
    /// Records in the data.
    pub read: u64,
    /// Numbers of records that are not used, by the reason in words; no number is 0.
    pub left_out: BTreeMap<String, u64>,
}

impl RecordCounts {
    /// Returns the counts of data whose records are all used.
    pub fn of(read: usize) -> Self {
        Self { read: read as u64, left_out: BTreeMap::new() }
    }

    /// Returns the number of records that are used.
    pub fn used(&self) -> u64 {
        self.read.saturating_sub(self.left_out.values().sum())
    }

    /// Adds records that are not used for this reason; a count of 0 adds nothing.
    pub fn leave_out(&mut self, reason: &str, count: usize) {
        if count > 0 {
            *self.left_out.entry(reason.to_owned()).or_default() += count as u64;
        }
    }
}
