//! [`RecordCounts`]: how many records of some data were read, and why some of them are not used.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counts of the records of some data: rows of a table, observations of ratings, documents of a corpus.
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
    /// Records of the data.
    pub read: u64,
    /// Of these, the records that are not used, by the reason in words; no reason stands here with 0.
    pub left_out: BTreeMap<String, u64>,
}

impl RecordCounts {
    /// Counts of data of which every record is used.
    pub fn of(read: usize) -> Self {
        Self { read: read as u64, left_out: BTreeMap::new() }
    }

    /// Records that are used.
    pub fn used(&self) -> u64 {
        self.read.saturating_sub(self.left_out.values().sum())
    }

    /// Adds records that are not used for this reason, if there are any.
    pub fn leave_out(&mut self, reason: &str, count: usize) {
        if count > 0 {
            *self.left_out.entry(reason.to_owned()).or_default() += count as u64;
        }
    }
}
