//! [`Encoding`]: how the columns of a table became features, so that prediction can repeat it.

use serde::{Deserialize, Serialize};

use super::missing::Missing;
use crate::dialect::Marks;

/// Which columns of a table are features, and how they are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnOptions {
    /// Only these are features: names, beginnings of names (`x*`), or numbers from 1. All unless some are
    /// named.
    pub columns: Vec<String>,
    /// These are left out, named likewise.
    pub drop: Vec<String>,
    /// These are levels, though they may be numbers: codes.
    pub categorical: Vec<String>,
    /// A column with more different texts is left out.
    pub max_levels: usize,
    /// Treatment of missing numbers.
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

/// How the columns of a table became features. It is kept in a model, and repeated on the data that it
/// predicts from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// Columns of the file.
    pub width: usize,
    /// Names of the columns are in the file; else they are found by their places.
    pub named: bool,
    /// The place of the response among them, from 1, if it is one of them.
    pub response: Option<usize>,
    /// Treatment that missing numbers got.
    pub missing: Missing,
    /// The columns that are features, in the file's order.
    pub columns: Vec<EncodedColumn>,
    /// The columns that are not, but for the response.
    pub left_out: Vec<LeftOut>,
    /// Rows that were left out, as a value is missing.
    pub rows_left_out: u64,
    /// Of these, the rows without a response.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rows_without_response: u64,
    /// Marks that numbers were written with, where these are more than a point: data to predict from are
    /// taken to have the same, unless options say something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
}

/// A column that is a feature, or several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// Its name; without one, `column N`.
    pub name: String,
    /// Its place in the file, from 1.
    pub place: usize,
    /// The different texts of a column of texts, sorted; the empty one stands for a missing text. Each is a
    /// feature that is 1 in its rows, but of two the second alone is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<String>>,
    /// Missing cells.
    #[serde(default)]
    pub missing: u64,
    /// Mean that takes the place of missing numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
}

/// A column that is no feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name; without one, `column N`.
    pub name: String,
    /// The reason.
    pub why: String,
}

impl EncodedColumn {
    /// The names of its features.
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

/// Names that a sentence lists.
const LISTED: usize = 8;

impl Encoding {
    /// That of a table of numbers with these names.
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

    /// The names of the columns.
    pub(super) fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The names of all features.
    pub fn features(&self) -> Vec<String> {
        self.columns.iter().flat_map(EncodedColumn::features).collect()
    }

    /// Nothing was encoded, filled or left out.
    pub fn is_plain(&self) -> bool {
        let is_plain = |column: &EncodedColumn| column.levels.is_none() && column.missing == 0;
        self.columns.iter().all(is_plain) && self.left_out.is_empty() && self.rows_left_out == 0
    }

    /// Sentences on the columns that were encoded, filled and left out.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let texts = self.columns.iter().filter_map(|column| {
            let levels = column.levels.as_ref()?.len();
            Some(format!("{} ({levels} levels)", column.name))
        });
        let filled = self.columns.iter().filter_map(|column| {
            let mean = column.mean.filter(|_| column.missing > 0)?;
            Some(format!("{} ({} by {mean:.6})", column.name, column.missing))
        });
        let left_out = self.left_out.iter().map(|LeftOut { name, why }| format!("{name} ({why})"));
        for (what, list) in [
            ("encoded, a column a level", texts.collect::<Vec<_>>()),
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

/// The first of a list, and how many more there are.
pub(super) fn listed(list: &[String]) -> String {
    match list.len().saturating_sub(LISTED) {
        0 => list.join(", "),
        more => format!("{} and {more} more", list[..LISTED].join(", ")),
    }
}
