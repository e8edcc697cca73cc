//! [`Missing`]: what to do with missing values.

use serde::{Deserialize, Serialize};

use crate::names::named;

/// A rule for missing numbers. A missing text is a level like any other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse them: the error names the first and counts all.
    #[default]
    Refuse,
    /// Replace them by the mean of the column's other values; rows without a response are left out.
    Mean,
    /// Leave their rows out.
    Drop,
}

named! {
    Missing { Refuse = "refuse", Mean = "mean", Drop = "drop" }
    |name| format!("`{name}` is no rule for missing values: choose refuse, mean or drop")
}
