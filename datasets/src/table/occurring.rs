//! [`Occurring`]: the columns with values of a sparse table that is far wider than its content.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Csc;
use crate::bytes::memory::room;

/// Columns that any table may have, with values or without.
const FEW: usize = 1 << 16;
/// Number of values that allow one more column: a solver's passes over columns without values take time, too.
const VALUES_OF_A_COLUMN: usize = 4;
/// Number of columns for each value up to which values are counted in an array.
const COUNTED: usize = 4;

/// The columns with values of a sparse table that has more than 65,536 columns and one more for every four
/// values. Its matrix has only these columns, in order, so that a large index takes no memory for the columns
/// before it. All other columns are zero.
///
/// Columns without names are identified by their numbers in the file, from 0 here; the numbers ascend. If no
/// column has a value, the last column is kept.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("wide.svm");
/// use raddle_datasets::{Options, read};
/// std::fs::write(&path, "1 3:0.5 2000000000:7\n0 3:1\n")?;
/// let table = read(&path, &Options::default())?;
/// let occurring = table.occurring.as_ref().expect("most columns are empty");
/// assert_eq!((table.x.cols(), table.width()), (2, 2_000_000_000));
/// assert_eq!(occurring.numbers(), [2, 1_999_999_999]);
/// assert_eq!((occurring.place(2), occurring.place(3)), (Some(0), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurring {
    width: usize,
    numbers: Vec<u32>,
}

impl Occurring {
    /// Determines the columns with values of a table with this width, at most 2^32 - 1, and this number of
    /// values. `columns` returns the column of each value, from 0, in any order and with repetitions. `None`
    /// if the table is not wide enough: then its matrix has all columns.
    pub fn of(width: usize, values: usize, columns: impl FnOnce() -> Vec<u32>) -> Option<Self> {
        if !is_wide(width, values) {
            return None;
        }
        let mut numbers = columns();
        numbers.sort_unstable();
        numbers.dedup();
        Some(Self::among(width, numbers))
    }

    /// Makes the set of these columns, which must ascend and be below `width`.
    pub(super) fn among(width: usize, mut numbers: Vec<u32>) -> Self {
        if numbers.is_empty() {
            numbers.extend(width.checked_sub(1).map(|last| last as u32));
        }
        Self { width, numbers }
    }

    /// Returns the number of columns of the data, p, including those without values.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number in the data of each column of the matrix, from 0, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns the number in the data of a column of the matrix, both from 0; for a column that the matrix
    /// does not have, the argument itself.
    pub fn number(&self, column: u32) -> u32 {
        self.numbers.get(column as usize).copied().unwrap_or(column)
    }

    /// Returns the column of the matrix for a column of the data, both from 0, if the latter has a value.
    pub fn place(&self, number: u32) -> Option<u32> {
        self.numbers.binary_search(&number).ok().map(|place| place as u32)
    }

    /// Removes a column of the data; those after it get the next lower number.
    pub(super) fn without(&self, number: u32) -> Self {
        let kept = self.numbers.iter().filter(|&&other| other != number);
        let numbers = kept.map(|&other| if other > number { other - 1 } else { other }).collect();
        Self::among(self.width - 1, numbers)
    }

    /// Returns a matrix of these columns, widened to all columns.
    pub(super) fn spread(&self, x: Csc) -> Result<Csc, String> {
        let rows = x.rows();
        let (some, indices, values) = x.into_raw_storage();
        room::<usize>(self.width + 1, "its columns")?;
        let mut starts = Vec::with_capacity(self.width + 1);
        for (number, &start) in self.numbers.iter().zip(&some) {
            starts.resize(*number as usize + 1, start);
        }
        starts.resize(self.width + 1, values.len());
        Csc::try_new_csc((rows, self.width), starts, indices, values).map_err(|(.., why)| why.to_string())
    }

    /// Checks that the columns are valid and that there are `count` of them.
    pub(super) fn is_sound(&self, count: usize) -> bool {
        let ascend = self.numbers.is_sorted_by(|a, b| a < b);
        ascend
            && self.numbers.len() == count
            && self.numbers.last().is_none_or(|&last| (last as usize) < self.width)
    }
}

/// Returns `true` if a table with this width and number of values keeps only the columns with values.
pub(super) fn is_wide(width: usize, values: usize) -> bool {
    width > FEW.saturating_add(values / VALUES_OF_A_COLUMN)
}

/// Counts the values of each column as they come, in memory proportional to the values.
#[derive(Default)]
pub(super) struct Counts {
    /// Counts of the first columns.
    first: Vec<u32>,
    /// Counts of columns that were beyond `first` when their values came.
    beyond: HashMap<u32, u32>,
    values: usize,
}

impl Counts {
    /// Counts a value.
    pub(super) fn add(&mut self, column: u32) {
        let at = column as usize;
        self.values += 1;
        if let Some(count) = self.first.get_mut(at) {
            *count += 1;
        } else if at >= FEW.saturating_add(self.values.saturating_mul(COUNTED)) {
            *self.beyond.entry(column).or_default() += 1;
        } else {
            self.first.resize(at + 1, 0);
            self.first[at] = 1;
        }
    }

    /// Returns the count of each column up to `width`, or of the columns with values if the table is wide.
    pub(super) fn finish(self, width: usize) -> (Vec<u32>, Option<Occurring>) {
        let Self { mut first, beyond, values } = self;
        if !is_wide(width, values) {
            first.resize(width, 0);
            beyond.into_iter().for_each(|(column, count)| first[column as usize] += count);
            return (first, None);
        }
        let mut counts: Vec<(u32, u32)> = (0..).zip(first).filter(|&(_, count)| count > 0).collect();
        counts.extend(beyond);
        counts.sort_unstable();
        counts.dedup_by(|later, before| {
            let is_same = later.0 == before.0;
            before.1 += if is_same { later.1 } else { 0 };
            is_same
        });
        let (numbers, mut counts): (Vec<u32>, Vec<u32>) = counts.into_iter().unzip();
        let occurring = Occurring::among(width, numbers);
        counts.resize(occurring.numbers.len(), 0);
        (counts, Some(occurring))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of values in any order equal those of a map, for wide and other tables.
    #[test]
    fn columns_are_counted_wherever_they_lie() {
        for (width, modulus) in [(70_000_usize, 70_000_u64), (1 << 31, 1 << 31), (200_000, 199_999), (1, 1)] {
            for values in [0, 1, 5, 1000, 40_000] {
                let column = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % modulus;
                let columns: Vec<u32> = (0..values).map(|at| column(at / 2) as u32).collect();
                let mut counts = Counts::default();
                columns.iter().for_each(|&column| counts.add(column));
                let (counted, occurring) = counts.finish(width);
                assert_eq!(occurring, Occurring::of(width, columns.len(), || columns.clone()));
                assert_eq!(occurring.is_some(), width > 65_536 + columns.len() / 4);
                assert_eq!(counted.len(), occurring.as_ref().map_or(width, |some| some.numbers.len()));
                let mut expected = HashMap::new();
                columns.iter().for_each(|&column| *expected.entry(column).or_insert(0) += 1);
                for (at, count) in (0..).zip(counted) {
                    let number = occurring.as_ref().map_or(at, |some| some.number(at));
                    assert_eq!(expected.remove(&number).unwrap_or(0), count);
                }
                assert!(expected.is_empty());
            }
        }
    }

    #[test]
    fn a_column_that_goes_moves_up_those_behind_it() {
        let some = Occurring::among(1 << 20, vec![3, 9, 77]);
        assert_eq!(some.without(9).numbers(), [3, 76]);
        assert_eq!(some.without(4).numbers(), [3, 8, 76]);
        assert_eq!((some.without(9).width(), some.place(77), some.number(2)), ((1 << 20) - 1, Some(2), 77));
    }
}
