//! Encodes columns as features and response: texts become one feature per level, and missing numbers are
//! filled or refused.

use std::path::Path;

use super::beside::from_file;
use super::checks::{Own, check_missing, check_texts};
use super::classes::{self, Labels, labels, numbered};
use super::columns::{Column, Columns, Place, RoleSource, Values, retain};
use super::data::Table;
use super::encoding::{ColumnOptions, EncodedColumn, Encoding, LeftOut};
use super::features::{Feature, Filled, matrix};
use super::gaps::no_row;
use super::missing::Missing;
use super::options::Options;
use super::response::{Response, check_count, vector};
use super::select::Selection;
use crate::error::ReadError;
use crate::records::RecordCounts;

/// Encodes columns that were read as the selection says.
pub(super) fn encode(
    columns: Columns,
    selection: Selection,
    reading: &Options,
    path: &Path,
) -> Result<Table, ReadError> {
    let options = &reading.columns;
    let Selection { response: source, beside: sides, left_out, .. } = selection;
    let response = source.column();
    let Columns { mut columns, rows, named, marks, notes } = columns;
    if rows == 0 {
        return Err(ReadError::file(path, "there are no rows: expected one sample per line"));
    }
    let width = columns.len();
    let own = Own { response, sides: &sides, classes: &reading.classes };
    check_texts(&columns, rows, &own, options, path)?;
    check_missing(&columns, &own, options.missing, path)?;
    let beside = beside_of(&mut columns, &own, reading, rows)?;
    let (y, classes) = response_of(&mut columns, rows, &source, reading)?;
    check_count(rows, y.len(), path)?;
    let mut all = Rows { count: rows, columns, y, classes, beside, left_out: 0, without_response: 0 };
    all.leave_out(reading, path)?;
    let Rows { count, columns, y, classes, beside, left_out: rows_left_out, without_response } = all;
    let mut records = RecordCounts::of(rows);
    records.leave_out("missing response", without_response);
    records.leave_out("missing value", rows_left_out - without_response);
    let beside = labels_of(beside, reading, path)?;
    let mut encoding = Encoding {
        width,
        named,
        response: response.map(|j| j + 1),
        missing: options.missing,
        columns: Vec::new(),
        left_out,
        rows_left_out: rows_left_out as u64,
        rows_without_response: without_response as u64,
        marks,
    };
    let (features, filled) = make_features(columns, count, options, &mut encoding);
    let names = encoding.features();
    if names.is_empty() {
        return Err(ReadError::file(path, no_feature(&encoding)));
    }
    let x = matrix(count, features).map_err(|why| ReadError::file(path, why))?;
    let is_named = named || encoding.columns.iter().any(|column| column.levels.is_some());
    let (feature_names, encoding) = (is_named.then_some(names), Some(encoding));
    Ok(Table { y, feature_names, encoding, filled, classes, beside, records, notes, ..Table::of(x) })
}

/// The rows of a table that is encoded.
struct Rows {
    count: usize,
    columns: Vec<Column>,
    y: Vec<f64>,
    classes: Option<Vec<String>>,
    beside: Vec<Values>,
    /// Number of rows that were left out because of a missing value, and of those that lack the response.
    left_out: usize,
    without_response: usize,
}

impl Rows {
    /// Removes the rows that are held out, then those that the rule for missing values leaves out.
    fn leave_out(&mut self, reading: &Options, path: &Path) -> Result<(), ReadError> {
        if let Some(held_out) = reading.held_out {
            let kept = held_out.kept(self.count).map_err(|why| ReadError::file(path, why))?;
            self.columns.iter_mut().for_each(|column| column.retain(&kept));
            self.keep(&kept);
        }
        let kept = kept_rows(&self.columns, &self.y, &self.beside, reading.columns.missing);
        self.without_response = self.y.iter().filter(|y| y.is_nan()).count();
        if let Some(kept) = &kept {
            let count = self.count;
            self.columns.iter_mut().for_each(|column| column.values.retain(kept));
            self.keep(kept);
            self.left_out = count - self.count;
        }
        if self.count == 0 {
            return Err(ReadError::file(path, no_row(self.left_out, self.without_response)));
        }
        if let Some(classes) = self.classes.as_mut().filter(|_| kept.is_some() || reading.held_out.is_some())
        {
            classes::compact(&mut self.y, classes);
        }
        Ok(())
    }

    /// Keeps these rows of all but the columns.
    fn keep(&mut self, kept: &[bool]) {
        retain(&mut self.y, kept);
        self.beside.iter_mut().for_each(|values| values.retain(kept));
        self.count = self.y.len();
    }
}

/// Returns the response, and the texts that its numbers stand for, from its column or its file.
fn response_of(
    columns: &mut [Column],
    rows: usize,
    source: &RoleSource,
    reading: &Options,
) -> Result<Response, ReadError> {
    match source {
        RoleSource::Column(j) => {
            let values = std::mem::replace(&mut columns[*j].values, Values::Skipped);
            Ok(numbered(values, &reading.classes).unwrap_or_default())
        }
        RoleSource::File(file) => vector(Path::new(file), rows, reading, reading.columns.missing),
    }
}

/// Returns the labels of the additional columns, which must not lack a value.
fn labels_of(beside: Vec<Values>, reading: &Options, path: &Path) -> Result<Vec<Labels>, ReadError> {
    let labels = beside.into_iter().zip(&reading.beside).map(|(values, asked)| {
        let why = || ReadError::file(path, format!("{} {}: a value is missing", asked.option, asked.name));
        labels(values).ok_or_else(why)
    });
    labels.collect()
}

/// Makes the features of the columns; returns what the encoding says about them, and which numbers were
/// filled.
fn make_features(
    columns: Vec<Column>,
    rows: usize,
    options: &ColumnOptions,
    encoding: &mut Encoding,
) -> (Vec<Feature>, Vec<Filled>) {
    let (mut features, mut filled, mut count) = (Vec::new(), Vec::new(), 0);
    for (column, place) in columns.into_iter().zip(1..) {
        let name = column.name.clone();
        let about = EncodedColumn { name, place, missing: column.missing, ..EncodedColumn::default() };
        match feature(column, about, rows, options) {
            Made::Feature(feature, about, missing) => {
                if !missing.is_empty() {
                    filled.push(Filled { feature: count, rows: missing });
                }
                count += about.features().len();
                features.push(feature);
                encoding.columns.push(about);
            }
            Made::LeftOut(why) => encoding.left_out.push(why),
            Made::Nothing => {}
        }
    }
    (features, filled)
}

fn no_feature(encoding: &Encoding) -> String {
    match encoding.sentences().join("; ") {
        why if why.is_empty() => "there is no feature besides the response".into(),
        why => format!("no feature is left besides the response; {why}"),
    }
}

/// Removes the additional columns, except one that is the response, too.
fn beside_of(
    columns: &mut [Column],
    own: &Own<'_>,
    reading: &Options,
    rows: usize,
) -> Result<Vec<Values>, ReadError> {
    let values = own.sides.iter().zip(&reading.beside).map(|(side, asked)| match side {
        RoleSource::Column(j) => Ok(columns[*j].values.clone()),
        RoleSource::File(file) => Ok(match from_file(asked, Path::new(file), rows, &reading.dialect)? {
            Labels::Numbers(values) => Values::Numbers(values),
            Labels::Texts { codes, texts } => Values::Texts { codes, texts },
        }),
    });
    let values = values.collect::<Result<Vec<_>, ReadError>>()?;
    for (place, column) in columns.iter_mut().enumerate() {
        if own.is_beside(place) && own.response != Some(place) {
            column.values = Values::Skipped;
        }
    }
    Ok(values)
}

/// The result of encoding a column.
enum Made {
    /// A feature, its entry in the encoding, and the rows that were filled.
    Feature(Feature, EncodedColumn, Vec<u32>),
    LeftOut(LeftOut),
    Nothing,
}

fn feature(column: Column, mut about: EncodedColumn, rows: usize, options: &ColumnOptions) -> Made {
    let left_out = |why: String| Made::LeftOut(LeftOut { name: column.name.clone(), why });
    match column.values {
        Values::Skipped => Made::Nothing,
        Values::Many => left_out(format!("more than {} different texts: --max-levels", options.max_levels)),
        Values::Numbers(mut values) => {
            let missing: Vec<u32> =
                (0..).zip(&values).filter(|(_, value)| value.is_nan()).map(|(row, _)| row).collect();
            if missing.len() == rows {
                return left_out("it has no value".into());
            }
            if !missing.is_empty() || options.missing == Missing::Mean {
                let (mut sum, known) = (0.0, rows - missing.len());
                values.iter().filter(|value| !value.is_nan()).for_each(|value| sum += value);
                let mean = sum / known as f64;
                missing.iter().for_each(|&row| values[row as usize] = mean);
                (about.mean, about.missing) = (Some(mean), missing.len() as u64);
            }
            Made::Feature(Feature::Number(values), about, missing)
        }
        Values::Texts { codes, texts } => match texts.len() {
            0 | 1 => left_out("it has one value".into()),
            levels if levels == rows => left_out("a text of its own in every row".into()),
            levels => {
                about.levels = Some(texts);
                Made::Feature(Feature::of_levels(levels, codes), about, Vec::new())
            }
        },
    }
}

/// Returns for each row whether it stays: it must have a response and, if rows with missing numbers are left
/// out, no missing number in a column that is used. `None` if all rows stay.
fn kept_rows(columns: &[Column], y: &[f64], beside: &[Values], rule: Missing) -> Option<Vec<bool>> {
    let mut kept: Vec<bool> = y.iter().map(|y| !y.is_nan()).collect();
    if rule != Missing::Drop {
        return kept.contains(&false).then_some(kept);
    }
    for column in columns {
        if let Values::Numbers(values) = &column.values
            && values.iter().any(|value| !value.is_nan())
        {
            kept.iter_mut().zip(values).for_each(|(kept, value)| *kept &= !value.is_nan());
        }
    }
    for values in beside {
        match values {
            Values::Numbers(values) => {
                kept.iter_mut().zip(values).for_each(|(kept, value)| *kept &= !value.is_nan())
            }
            Values::Texts { codes, texts } => {
                kept.iter_mut()
                    .zip(codes)
                    .for_each(|(kept, code)| *kept &= !texts[*code as usize].is_empty());
            }
            Values::Many | Values::Skipped => {}
        }
    }
    kept.contains(&false).then_some(kept)
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts { codes, .. } => codes.len(),
            Self::Many | Self::Skipped => 0,
        }
    }
}

impl Place {
    pub(super) fn number(&self) -> usize {
        match self {
            Self::Line(number) | Self::Row(number) => *number,
        }
    }

    pub(super) fn error(&self, path: &Path, why: String) -> ReadError {
        match self {
            Self::Line(line) => ReadError::at(path, *line, why),
            Self::Row(row) => ReadError::file(path, format!("row {row}: {why}")),
        }
    }
}
