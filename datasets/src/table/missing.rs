//! [`Missing`]: what becomes of cells without a value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Treatment of missing numbers. A missing text is a level like others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// They are an error, which names the first and counts all.
    #[default]
    Refuse,
    /// The mean of the column's other values takes their place; rows without a response are left out.
    Mean,
    /// Their rows are left out.
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
