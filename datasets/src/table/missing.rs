//! [`Missing`]: what to do with missing values.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

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

impl Missing {
    const ALL: [(&'static str, Self); 3] =
        [("refuse", Self::Refuse), ("mean", Self::Mean), ("drop", Self::Drop)];
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(_, rule)| rule == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for Missing {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, rule)| rule);
        found.ok_or_else(|| format!("`{name}` is no rule for missing values: choose refuse, mean or drop"))
    }
}
