//! [`RowDigests`]: the content of each row in 128 bits.

use super::Matrix;
use super::stored::StoredTable;
use crate::error::ReadError;

/// Multipliers of the two halves: odd, with bits that look random (fractions of the golden ratio and of the
/// square root of 2).
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909];

/// Approximate number of values of a table in a file that are in memory at once.
const TOGETHER: usize = if cfg!(test) { 50 } else { 1 << 20 };

/// The content of each row in 128 bits: rows with the same nonzero values in the same columns have the same,
/// and others differ, except with a probability of about n^2 / 2^129 for n rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowDigests(Vec<[u64; 2]>);

impl RowDigests {
    /// Computes the digests of the rows of a matrix.
    ///
    /// ```
    /// use raddle_datasets::{Matrix, RowDigests};
    /// let x = Matrix::Dense(ndarray::array![[1.0, 0.0], [3.0, 4.0], [1.0, -0.0]]);
    /// let digests = RowDigests::of(&x);
    /// assert_eq!(digests.row(0), digests.row(2));
    /// assert_ne!(digests.row(0), digests.row(1));
    /// ```
    pub fn of(x: &Matrix) -> Self {
        let mut digests = Self(vec![[0; 2]; x.rows()]);
        digests.add(x, 0);
        digests
    }

    /// Computes the digests of the rows of a table in a file, range by range of its columns: those of
    /// [`of`](Self::of).
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_stored(table: &StoredTable) -> Result<Self, ReadError> {
        let mut digests = Self(vec![[0; 2]; table.rows()]);
        for range in table.column_ranges(TOGETHER) {
            digests.add(&table.columns(range.clone())?, range.start);
        }
        Ok(digests)
    }

    /// Returns the digest of a row.
    pub fn row(&self, row: usize) -> [u64; 2] {
        self.0[row]
    }

    /// Adds consecutive columns, of which the first has this number.
    fn add(&mut self, x: &Matrix, first: usize) {
        let (mut last, mut of_column) = (usize::MAX, [0; 2]);
        x.each_nonzero(|row, column, value| {
            if column != last {
                (last, of_column) =
                    (column, FACTORS.map(|factor| mixed((first + column) as u64 + 1, factor)));
            }
            if value != 0.0 {
                for ((half, factor), column) in self.0[row].iter_mut().zip(FACTORS).zip(of_column) {
                    // Each step can be undone for a given value, so that no content is lost.
                    *half = mixed(half.rotate_left(23) ^ mixed(value.to_bits() ^ column, factor), factor);
                }
            }
        });
    }
}

/// Mixes the bits of a number; different numbers stay different.
fn mixed(number: u64, factor: u64) -> u64 {
    let spread = (number ^ (number >> 32)).wrapping_mul(factor);
    spread ^ (spread >> 29)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;
    use crate::table::stored::StoredTable;
    use crate::table::{Csc, Options};

    #[test]
    fn a_table_in_a_file_has_the_digests_of_its_matrix() {
        for spec in ["diabetes", "synth:groups:n=60,p=40,g=4,s=5", "synth:strads:n=70,p=90,k=9,s=5"] {
            let folder = tempfile::tempdir().unwrap();
            let table = StoredTable::open(spec, &Options::default(), folder.path()).expect(spec);
            let whole = table.columns(0..table.cols()).unwrap();
            let is_small = |range: &Range<usize>| {
                range.len() == 1 || table.columns(range.clone()).unwrap().nonzeros() <= TOGETHER
            };
            assert!(
                table.column_ranges(TOGETHER).count() > 3
                    && table.column_ranges(TOGETHER).all(|it| is_small(&it))
            );
            let digests = RowDigests::of(&whole);
            assert_eq!(digests, RowDigests::of_stored(&table).unwrap(), "{spec}");
            assert_eq!(digests, RowDigests::of(&Matrix::Dense(whole.to_dense())), "{spec}");
        }
    }

    proptest! {
        #[test]
        fn rows_have_the_same_digest_if_and_only_if_they_are_equal(
            cells in proptest::collection::vec(proptest::sample::select(vec![0.0, -0.0, 1.0, -1.0, 2.0]), 4 * 60)
        ) {
            let rows: Vec<&[f64]> = cells.chunks(4).collect();
            let x = ndarray::Array2::from_shape_vec((60, 4), cells.clone()).unwrap();
            let digests = RowDigests::of(&Matrix::Dense(x));
            let mut equal = HashSet::new();
            for one in 0..60 {
                for other in 0..one {
                    let is_equal = rows[one] == rows[other];
                    equal.insert(is_equal);
                    prop_assert_eq!(digests.row(one) == digests.row(other), is_equal);
                }
            }
            prop_assert!(equal.contains(&false));
        }
    }

    #[test]
    fn a_value_in_another_column_and_values_that_are_exchanged_change_the_digest() {
        // One value per row, in all columns; then two values in both orders.
        let (count, mut starts) = (64_usize, vec![0]);
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for column in 0..count {
            for row in [column, count + column, 2 * count + column] {
                rows.push(row as u32);
                values.push([1.0, 2.0, 3.0][row / count]);
            }
            starts.push(rows.len());
        }
        let x = Matrix::Sparse(Csc::new_csc((3 * count, count), starts, rows, values));
        let digests = RowDigests::of(&x);
        let different: HashSet<[u64; 2]> = (0..3 * count).map(|row| digests.row(row)).collect();
        assert_eq!(different.len(), 3 * count);
    }
}
