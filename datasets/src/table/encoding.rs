//! [`Encoding`]: how the columns of a table became features, so that prediction can repeat it.

use serde::{Deserialize, Serialize};

use super::missing::Missing;
use crate::dialect::Marks;

/// Options for which columns of a table are features, and how they are encoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnOptions {
    /// Columns to use as features: names, starts of names (`x*`), or numbers from 1. Empty for all.
    pub columns: Vec<String>,
    /// Columns to leave out, named likewise.
    pub drop: Vec<String>,
    /// Columns to encode as levels even if they are numbers, such as codes.
    pub categorical: Vec<String>,
    /// A column with more different texts than this is left out.
    pub max_levels: usize,
    /// Rule for missing numbers.
    pub missing: Missing,
}

impl Default for ColumnOptions {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            drop: Vec::new(),
            categorical: Vec::new(),
            max_levels: 1000,
            missing: Missing::Refuse,
        }
    }
}

/// How the columns of a table became features. A model stores it, and repeats it on the data that it predicts
/// from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// Number of columns in the file.
    pub width: usize,
    /// `true` if the file has names for the columns; otherwise columns are found by their positions.
    pub named: bool,
    /// Position of the response among the columns, from 1, if it is one of them.
    pub response: Option<usize>,
    /// Rule that was applied to missing numbers.
    pub missing: Missing,
    /// Columns that are features, in the file's order.
    pub columns: Vec<EncodedColumn>,
    /// Columns that are not features, except the response.
    pub left_out: Vec<LeftOut>,
    /// Number of rows that were left out because of a missing value.
    pub rows_left_out: u64,
    /// Number of those rows that lack the response.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows_without_response: u64,
    /// Marks in which numbers were written, if they are not just a decimal point. Data to predict from are
    /// read with the same marks, unless options name others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
}

/// A column that became one feature or several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// Name of the column; `column N` if it has none.
    pub name: String,
    /// Position in the file, from 1.
    pub place: usize,
    /// Sorted texts of a column of texts; the empty text stands for a missing one. Each is a feature that is
    /// 1 in its rows; of exactly two texts only the second is a feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<String>>,
    /// Number of missing cells.
    #[serde(default)]
    pub missing: u64,
    /// Mean that replaces missing numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
}

/// A column that is not a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Name of the column; `column N` if it has none.
    pub name: String,
    /// Reason.
    pub why: String,
}

impl EncodedColumn {
    /// Returns the names of its features.
    pub fn features(&self) -> Vec<String> {
        let named = |level: &String| match level.as_str() {
            "" => format!("{}=(missing)", self.name),
            level => format!("{}={level}", self.name),
        };
        match self.levels.as_deref() {
            None => vec![self.name.clone()],
            Some([_, second]) => vec![named(second)],
            Some(levels) => levels.iter().map(named).collect(),
        }
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Limit on the names that a sentence lists.
const LISTED: usize = 8;

impl Encoding {
    /// Returns the encoding of a table of numbers with these names.
    pub fn of_numbers(names: &[String]) -> Self {
        let column = |(name, place): (&String, usize)| EncodedColumn {
            name: name.clone(),
            place,
            ..EncodedColumn::default()
        };
        Self {
            width: names.len(),
            named: true,
            columns: names.iter().zip(1..).map(column).collect(),
            ..Self::default()
        }
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// Returns the names of all features.
    pub fn features(&self) -> Vec<String> {
        self.columns.iter().flat_map(EncodedColumn::features).collect()
    }

    /// Returns `true` if no column was encoded, filled or left out.
    pub fn is_plain(&self) -> bool {
        let is_plain = |column: &EncodedColumn| column.levels.is_none() && column.missing == 0;
        self.columns.iter().all(is_plain) && self.left_out.is_empty() && self.rows_left_out == 0
    }

    /// Returns sentences on the columns that were encoded, filled and left out.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let texts = self.columns.iter().filter_map(|column| {
            let levels = column.levels.as_ref()?.len();
            Some(format!("{} ({levels} levels)", column.name))
        });
        let filled = self.columns.iter().filter_map(|column| {
            let mean = column.mean.filter(|_| column.missing > 0)?;
            Some(format!("{} ({} with {mean:.6})", column.name, column.missing))
        });
        let left_out = self.left_out.iter().map(|LeftOut { name, why }| format!("{name} ({why})"));
        for (what, list) in [
            ("one-hot encoded", texts.collect::<Vec<_>>()),
            ("missing values filled with means", filled.collect()),
            ("columns left out", left_out.collect()),
        ] {
            if !list.is_empty() {
                sentences.push(format!("{what}: {}", listed(&list)));
            }
        }
        let of_features = self.rows_left_out.saturating_sub(self.rows_without_response);
        for (why, rows) in
            [("they have no response", self.rows_without_response), ("a value is missing", of_features)]
        {
            if rows > 0 {
                sentences.push(format!("rows left out, as {why}: {rows}"));
            }
        }
        sentences
    }
}

/// Lists the first names, and how many more there are.
pub(super) fn listed(list: &[String]) -> String {
    match list.len().saturating_sub(LISTED) {
        0 => list.join(", "),
        more => format!("{} and {more} more", list[..LISTED].join(", ")),
    }
}
