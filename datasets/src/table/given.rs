//! [`Table::from_columns`]: makes a table from columns in memory.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::classes::Labels;
use super::encoding::{EncodedColumn, Encoding};
use super::features::{Feature, matrix};
use super::{Matrix, Table};
use crate::error::ReadError;
use crate::records::RecordCounts;

impl From<Vec<f64>> for Labels {
    fn from(values: Vec<f64>) -> Self {
        Self::Numbers(values)
    }
}

/// Numbers texts in sorted order.
impl<T: AsRef<str>> From<&[T]> for Labels {
    fn from(values: &[T]) -> Self {
        let mut texts: Vec<String> = values.iter().map(|text| text.as_ref().to_owned()).collect();
        texts.sort_unstable();
        texts.dedup();
        let code = |text: &T| texts.partition_point(|known| known.as_str() < text.as_ref()) as u32;
        Self::Texts { codes: values.iter().map(code).collect(), texts }
    }
}

impl Table {
    /// Makes a table from named columns and a response, n values each: numbers stay as they are, and texts
    /// become one sparse feature per level, as in a file.
    ///
    /// ```
    /// use raddle_datasets::Table;
    /// let cities = ["Oslo", "Bergen", "Oslo", "Molde"];
    /// let columns = [("age", vec![31.0, 45.0, 52.0, 38.0].into()), ("city", cities[..].into())];
    /// let table = Table::from_columns("people", columns, vec![1.0, 2.0, 3.0, 4.0])?;
    /// let names = ["age", "city=Bergen", "city=Molde", "city=Oslo"].map(str::to_owned);
    /// assert_eq!(table.feature_names.as_deref(), Some(&names[..]));
    /// # Ok::<(), raddle_datasets::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no column or no row, a column and the response differ in length, a value is not finite,
    /// two columns have the same name, or a column of texts has only one level.
    pub fn from_columns<'a>(
        name: &str,
        columns: impl IntoIterator<Item = (&'a str, Labels)>,
        y: Vec<f64>,
    ) -> Result<Self, ReadError> {
        let refuse = |why: String| Err(ReadError::file(Path::new(name), why));
        let mut hash = Sha256::new();
        y.iter().for_each(|value| hash.update(value.to_le_bytes()));
        let mut encoding = Encoding { named: true, ..Encoding::default() };
        let mut features = Vec::new();
        for (place, (column, values)) in (1..).zip(columns) {
            hash.update(column.as_bytes());
            let rows = values.rows();
            if rows != y.len() {
                return refuse(format!("column `{column}` has {rows} values, the response {}", y.len()));
            }
            if encoding.columns.iter().any(|known: &EncodedColumn| known.name == column) {
                return refuse(format!("two columns are called `{column}`: give each a name of its own"));
            }
            let mut about = EncodedColumn { name: column.into(), place, ..EncodedColumn::default() };
            let feature = feature(values, &mut about, &mut hash);
            features.push(feature.map_err(|why| ReadError::file(Path::new(name), why))?);
            encoding.columns.push(about);
        }
        if y.is_empty() || features.is_empty() {
            return refuse("there is no row or no column: give at least one of each".into());
        }
        if let Some(row) = y.iter().position(|value| !value.is_finite()) {
            return refuse(format!("the response, row {}: the value is {}", row + 1, y[row]));
        }
        encoding.width = encoding.columns.len();
        let names = encoding.features();
        let x: Matrix = matrix(y.len(), features).map_err(|why| ReadError::file(Path::new(name), why))?;
        let (is_plain, records) = (encoding.is_plain(), RecordCounts::of(y.len()));
        Ok(Self {
            name: name.into(),
            x,
            y,
            feature_names: Some(names),
            digest: hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
            format: "columns".into(),
            encoding: (!is_plain).then_some(encoding),
            records,
            ..Self::default()
        })
    }
}

/// Makes the feature of a column, or returns why there is none.
fn feature(values: Labels, about: &mut EncodedColumn, hash: &mut Sha256) -> Result<Feature, String> {
    let column = &about.name;
    match values {
        Labels::Numbers(values) => {
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(format!("column `{column}`, row {}: the value is {}", row + 1, values[row]));
            }
            values.iter().for_each(|value| hash.update(value.to_le_bytes()));
            Ok(Feature::Number(values))
        }
        Labels::Texts { codes, texts } => {
            if texts.len() < 2 || codes.iter().any(|&code| code as usize >= texts.len()) {
                return Err(format!("column `{column}` has one level: leave it out"));
            }
            codes.iter().for_each(|&code| hash.update(texts[code as usize].as_bytes()));
            let levels = texts.len();
            about.levels = Some(texts);
            Ok(Feature::of_levels(levels, codes))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_features_as_those_of_a_file_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("people.csv");
        std::fs::write(&file, "age,city,y\n31,Oslo,1\n45,Bergen,2\n52,Oslo,3\n38,Molde,4\n")
            .expect("written");
        let read = crate::read(&file, &crate::Options::default()).expect("a table");
        let cities = ["Oslo", "Bergen", "Oslo", "Molde"];
        let columns = || [("age", vec![31.0, 45.0, 52.0, 38.0].into()), ("city", cities[..].into())];
        let made = Table::from_columns("people", columns(), vec![1.0, 2.0, 3.0, 4.0]).expect("a table");
        assert_eq!((&made.x, &made.y, &made.feature_names), (&read.x, &read.y, &read.feature_names));
        let again = Table::from_columns("people", columns(), vec![1.0, 2.0, 3.0, 5.0]).expect("a table");
        assert_ne!(made.digest, again.digest);
    }

    #[test]
    fn what_is_no_table_is_refused_by_its_column() {
        let refused = |columns: Vec<(&str, Labels)>, y: Vec<f64>| {
            Table::from_columns("t", columns, y).expect_err("it is refused").to_string()
        };
        let one = || Labels::from(vec![1.0, 2.0]);
        assert!(
            refused(vec![("a", one())], vec![1.0]).contains("t: column `a` has 2 values, the response 1")
        );
        assert!(
            refused(vec![("a", one()), ("a", one())], vec![1.0, 2.0]).contains("two columns are called `a`")
        );
        assert!(
            refused(vec![("a", vec![1.0, f64::NAN].into())], vec![1.0, 2.0]).contains("column `a`, row 2")
        );
        assert!(refused(vec![("a", one())], vec![1.0, f64::INFINITY]).contains("the response, row 2"));
        assert!(refused(vec![("a", ["x", "x"][..].into())], vec![1.0, 2.0]).contains("one level"));
        assert!(
            refused(vec![], vec![1.0]).contains("no column") && refused(vec![], vec![]).contains("no row")
        );
    }
}
