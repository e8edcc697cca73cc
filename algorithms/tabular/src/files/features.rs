//! [`Features`]: the columns that are fitted, as a model stores them.

use raddle_datasets::{Encoding, Occurring, Table};
use serde::{Deserialize, Serialize};

use super::coefficients::Layout;

/// Columns of features as a model stores them. By default they are numbers without names.
#[derive(Debug, Clone, Default)]
pub struct Features {
    /// Names of the p columns, if the data have names.
    pub names: Option<Vec<String>>,
    /// Columns of the data that are fitted, if not all.
    pub occurring: Option<Occurring>,
    /// The encoding of the columns; `None` if all are plain numbers.
    pub encoding: Option<Encoding>,
    /// `true` if indices of libsvm text count from 0.
    pub zero_based: bool,
    /// The names of the classes of a response, sorted: its values are their numbers from 0.
    pub classes: Option<Vec<String>>,
    /// Place of the offsets, if there are some.
    pub offset: Option<Offset>,
}

/// Place of the offsets in the data that a model was fitted to. Predictions look for them at the same place.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offset {
    /// In this column.
    Column(String),
    /// In this file.
    File(String),
}

impl Features {
    /// Returns the features of a table.
    pub fn of(table: &Table) -> Self {
        let Table { feature_names, occurring, encoding, classes, .. } = table;
        let (names, classes, encoding) = (feature_names.clone(), classes.clone(), encoding.clone());
        Self { names, occurring: occurring.clone(), encoding, classes, ..Self::default() }
    }

    /// Returns the encoding with which to read other data: that of these columns.
    pub fn repeated(&self) -> Option<Encoding> {
        repeated(self.encoding.as_ref(), self.names.as_deref())
    }

    /// Returns the order in which a fit of `count` columns and `classes` classes with scores numbers
    /// coefficients.
    pub fn layout(&self, count: usize, classes: usize) -> Layout<'_> {
        let columns = self.occurring.as_ref().map_or(count, Occurring::width);
        Layout { columns, classes, occurring: self.occurring.as_ref() }
    }
}

/// Returns the encoding with which to read other data: that of the columns, or plain numbers with these
/// names.
pub(super) fn repeated(encoding: Option<&Encoding>, names: Option<&[String]>) -> Option<Encoding> {
    encoding.cloned().or_else(|| names.map(Encoding::of_numbers))
}
