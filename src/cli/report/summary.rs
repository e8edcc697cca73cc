//! [`Summary`]: the results of a run, as named tables and pictures that any reader can render without knowing
//! the program.

use std::fmt;
use std::io::{self, Write};

use raddle::Metric;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::layout::Layout;
use super::picture::Picture;

/// `summary.json`: a title, named tables and pictures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the run, for a heading.
    pub title: String,
    /// The tables, in the order in which they are shown.
    pub tables: Vec<Table>,
    /// The pictures, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<Picture>,
}

impl Summary {
    /// A summary without tables yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Self {
        self.tables.push(table);
        self
    }

    /// Adds a picture.
    pub fn picture(mut self, picture: Picture) -> Self {
        self.pictures.push(picture);
        self
    }

    /// Writes it as JSON: each row of a table and each series of a picture in a line of its own.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut lines = serde_json::Serializer::with_formatter(to, Layout::default());
        Ok(self.serialize(&mut lines)?)
    }
}

/// A named table. As text its columns are aligned, numbers to the right.
///
/// ```
/// use raddle_cli::Table;
/// let mut table = Table::new("Coefficients", &["name", "value"]);
/// table.row(vec!["age".into(), 1.5.into()]);
/// table.row(vec!["bmi".into(), (-12.25).into()]);
/// assert_eq!(table.to_string(), "Coefficients\n  name   value\n  age      1.5\n  bmi   -12.25\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Caption.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of the table; each holds a value for every column.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// A table without rows yet.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&name| name.into()).collect();
        Self { title: title.into(), columns, rows: Vec::new() }
    }

    /// A metric as a table of one row.
    pub fn of_metric(metric: &Metric) -> Self {
        let Metric { name, value, target, on, certified } = metric;
        let mut table = Self::new("metric", &["name", "value", "target", "reached", "certified", "on"]);
        table.row(vec![
            name.as_str().into(),
            (*value).into(),
            (*target).into(),
            metric.is_reached().into(),
            (*certified).into(),
            on.as_str().into(),
        ]);
        table
    }

    /// Adds a row.
    pub fn row(&mut self, row: Vec<Value>) {
        self.rows.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        let is_number =
            |column: usize| self.rows.iter().all(|row| row.get(column).is_some_and(Value::is_number));
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).chain(self.columns.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let columns: Vec<_> =
            (0..self.columns.len()).map(|column| (width(column), is_number(column))).collect();
        writeln!(f, "{}", self.title)?;
        for row in std::iter::once(&self.columns).chain(&rows) {
            let mut line = String::new();
            for (cell, &(width, number)) in row.iter().zip(&columns) {
                line += &if number { format!("  {cell:>width$}") } else { format!("  {cell:<width$}") };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_survives_its_file() {
        let mut table = Table::new("Topics", &["topic", "share", "words"]);
        table.row(vec![1.into(), 0.25.into(), "sea ship".into()]);
        let summary = Summary::new("lda on sample").table(table);
        let text = serde_json::to_string(&summary).unwrap();
        assert_eq!(
            text,
            r#"{"title":"lda on sample","tables":[{"title":"Topics","columns":["topic","share","words"],"rows":[[1,0.25,"sea ship"]]}]}"#
        );
        assert_eq!(serde_json::from_str::<Summary>(&text).unwrap(), summary);
    }
}
