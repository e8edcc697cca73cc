//! [`Data`]: the data of a run, with counts of their records.

use std::collections::BTreeMap;

use serde::Serialize;

/// Counts of the records of some data: rows of a table, observations of ratings, documents of a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Records {
    /// Records of the data.
    pub read: u64,
    /// Records of the data that are used.
    pub used: u64,
    /// Records that are not used, by the reason in words.
    pub left_out: BTreeMap<String, u64>,
}

impl Records {
    /// Counts of so many records, of which these are not used.
    pub fn new(read: u64, left_out: BTreeMap<String, u64>) -> Self {
        let used = read.saturating_sub(left_out.values().sum());
        Self { read, used, left_out }
    }

    /// Counts records that are not used for this reason, if there are any.
    pub fn leave_out(&mut self, reason: &str, count: u64) {
        if count > 0 {
            *self.left_out.entry(reason.to_owned()).or_default() += count;
            self.used = self.used.saturating_sub(count);
        }
    }
}

/// The data a run was given.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Data {
    /// The file as it was named.
    pub path: String,
    /// Named sizes, such as rows and columns.
    pub sizes: BTreeMap<String, u64>,
    /// Values that are stored.
    pub nonzeros: u64,
    /// A digest of the content.
    pub digest: String,
    /// The name of its format, such as csv.
    pub format: String,
    /// Counts of the records. A report lists them next to the data, not in it.
    #[serde(skip)]
    pub records: Records,
    /// Notes on the data, as the screen shows them, a sentence each. A report lists them next to the data.
    #[serde(skip)]
    pub notes: Vec<String>,
}
