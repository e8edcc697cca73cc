//! Missing numbers, `nan`, in formats whose columns have no names: libsvm, npy, npz and Matrix Market.

use std::collections::BTreeMap;

use super::data::{Samples, Table};
use super::encoding::{EncodedColumn, Encoding};
use super::features::Filled;
use super::matrix::Matrix;
use super::missing::Missing;
use super::occurring::Occurring;
use crate::dialect::unnamed;

/// Treatment of missing numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gaps {
    #[default]
    Refused,
    Taken,
}

impl Gaps {
    /// Returns whether numbers may be missing by this rule.
    pub(super) fn of(rule: Missing) -> Self {
        if rule == Missing::Refuse { Self::Refused } else { Self::Taken }
    }

    /// Returns `true` if a value is finite, or missing where that is allowed.
    pub(super) fn take(self, value: f64) -> bool {
        value.is_finite() || self == Self::Taken && value.is_nan()
    }

    /// Parses a missing number, where that is allowed; returns it with its length.
    pub(super) fn read(self, text: &[u8]) -> Option<(f64, usize)> {
        let length = nan(text).filter(|_| self == Self::Taken)?;
        Some((f64::NAN, length))
    }

    /// Returns a hint on a missing number, for the end of the message that refuses it.
    pub(super) fn cure(text: &[u8]) -> &'static str {
        match nan(text) {
            Some(_) => {
                ", with the mean of their column by --missing mean, or with their rows by --missing drop"
            }
            None => "",
        }
    }
}

/// Returns the length of the word `nan`, in upper or lower case, at the start of a text.
fn nan(text: &[u8]) -> Option<usize> {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let end = sign + 3;
    let is_nan = text.get(sign..end)?.eq_ignore_ascii_case(b"nan");
    let is_whole = text.get(end).is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'#');
    (is_nan && is_whole).then_some(end)
}

/// Returns for each column of a matrix the rows with a missing value.
fn lacking(x: &Matrix) -> BTreeMap<usize, Vec<u32>> {
    let mut gaps: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    x.each_nonzero(|row, column, value| {
        if value.is_nan() {
            gaps.entry(column).or_default().push(row as u32);
        }
    });
    gaps
}

impl Matrix {
    /// Replaces the missing numbers of each column by a value, if there is one.
    fn fill_gaps(&mut self, value: impl Fn(usize) -> Option<f64>) {
        match self {
            Self::Dense(x) => {
                for (column, mut values) in x.columns_mut().into_iter().enumerate() {
                    let Some(value) = value(column) else { continue };
                    values.iter_mut().filter(|of| of.is_nan()).for_each(|of| *of = value);
                }
            }
            Self::Sparse(x) => {
                for (column, mut values) in x.outer_iterator_mut().enumerate() {
                    let Some(value) = value(column) else { continue };
                    values.iter_mut().filter(|(_, of)| of.is_nan()).for_each(|(_, of)| *of = value);
                }
            }
        }
    }

    /// Returns the sum of a column's values that are not missing.
    fn known_sum(&self, column: usize) -> f64 {
        let known = |sum: f64, value: &f64| if value.is_nan() { sum } else { sum + value };
        match self {
            Self::Dense(x) => x.column(column).iter().fold(0.0, known),
            Self::Sparse(x) => x.outer_view(column).map_or(0.0, |of| of.data().iter().fold(0.0, known)),
        }
    }
}

/// Returns the number in the data, from 0, of a column of a matrix.
fn number(occurring: Option<&Occurring>, column: usize) -> usize {
    occurring.map_or(column, |some| some.number(column as u32) as usize)
}

/// Returns the table with missing numbers replaced by the means of their columns, or without the rows that
/// have some; rows without a response are left out.
pub(super) fn treated(table: Table, rule: Missing) -> Result<Table, String> {
    if rule == Missing::Refuse {
        return Ok(table);
    }
    let rows = table.y.len();
    let gaps = lacking(&table.x);
    if let Some((column, _)) = gaps.iter().find(|(_, of)| of.len() == rows) {
        let name = unnamed(number(table.occurring.as_ref(), *column));
        return Err(format!("{name} has no value in any row: leave it out of the file"));
    }
    let mut kept: Vec<bool> = table.y.iter().map(|y| !y.is_nan()).collect();
    let without_response = kept.iter().filter(|kept| !**kept).count();
    if rule == Missing::Drop {
        gaps.values().flatten().for_each(|&row| kept[row as usize] = false);
    }
    let left_out = kept.iter().filter(|kept| !**kept).count();
    if left_out == rows {
        return Err(no_row(left_out, without_response).into());
    }
    let mut table = if left_out > 0 { table.only(&kept) } else { table };
    table.records.leave_out("missing response", without_response);
    table.records.leave_out("missing value", left_out - without_response);
    Ok(fill(table, rule, left_out as u64, without_response as u64))
}

/// Message about a table of which all rows are left out, some of them as they lack a response.
pub(super) fn no_row(left_out: usize, without_response: usize) -> &'static str {
    match left_out == without_response {
        true => "no row has a response: name another one by --y",
        false => "every row lacks a value, so that --missing drop leaves none: drop columns",
    }
}

/// Fills missing numbers, and adds notes.
fn fill(mut table: Table, rule: Missing, left_out: u64, without_response: u64) -> Table {
    let (gaps, rows) = (lacking(&table.x), table.y.len());
    let lacks = |column: usize| gaps.get(&column).map_or(0, Vec::len);
    let means: Vec<Option<f64>> = (0..table.x.cols())
        .map(|column| {
            let known = rows - lacks(column);
            (rule == Missing::Mean && known > 0).then(|| table.x.known_sum(column) / known as f64)
        })
        .collect();
    table.x.fill_gaps(|column| means.get(column).copied().flatten());
    let columns = means.iter().enumerate().map(|(column, &mean)| {
        let number = number(table.occurring.as_ref(), column);
        let (missing, levels) = (lacks(column) as u64, None);
        EncodedColumn { name: unnamed(number), place: number + 1, levels, missing, mean }
    });
    table.encoding = Some(Encoding {
        width: table.width(),
        missing: rule,
        columns: columns.collect(),
        rows_left_out: left_out,
        rows_without_response: without_response,
        ..Encoding::default()
    });
    table.filled = gaps.into_iter().map(|(feature, rows)| Filled { feature, rows }).collect();
    table
}

/// Fills the missing numbers of samples with the means of an encoding; numbers without a mean stay missing.
/// Rows without a response are recorded.
pub(super) fn filled(mut samples: Samples, encoding: Option<&Encoding>) -> Samples {
    let Some(encoding) = encoding.filter(|encoding| encoding.missing != Missing::Refuse) else {
        return samples;
    };
    let means: BTreeMap<usize, f64> =
        encoding.columns.iter().filter_map(|column| Some((column.place, column.mean?))).collect();
    let occurring = samples.occurring.as_ref();
    samples.x.fill_gaps(|column| means.get(&(number(occurring, column) + 1)).copied());
    let y = samples.y.iter().flatten();
    samples.without_response = (0..).zip(y).filter(|(_, y)| y.is_nan()).map(|(row, _)| row).collect();
    samples
}
