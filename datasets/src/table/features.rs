//! Makes features of columns: numbers stay as they are, texts become one feature per level.

use ndarray::{Array2, ShapeBuilder};
use serde::{Deserialize, Serialize};

use super::{Csc, Matrix};

/// The features of a column, one value per row.
pub(super) enum Feature {
    Number(Vec<f64>),
    /// One feature per level: `at` is the feature that is 1 in each row, or [`NO_LEVEL`].
    Levels {
        features: usize,
        at: Vec<u32>,
    },
}

/// Marks a row without a level of the column.
pub(super) const NO_LEVEL: u32 = u32::MAX;

impl Feature {
    /// Makes the features of a column with this number of levels; `codes` has the level of each row.
    pub(super) fn of_levels(levels: usize, mut codes: Vec<u32>) -> Self {
        if levels == 2 {
            // Of two levels only the second is a feature, which is 0 for the first.
            codes.iter_mut().for_each(|code| *code = if *code == 1 { 0 } else { NO_LEVEL });
            return Self::Levels { features: 1, at: codes };
        }
        Self::Levels { features: levels, at: codes }
    }

    fn count(&self) -> usize {
        match self {
            Self::Number(_) => 1,
            Self::Levels { features, .. } => *features,
        }
    }
}

/// Joins the features of all columns: a dense matrix if all are numbers, a sparse one if there are levels.
pub(super) fn matrix(rows: usize, features: Vec<Feature>) -> Result<Matrix, String> {
    let cols = features.iter().map(Feature::count).sum();
    if features.iter().all(|feature| matches!(feature, Feature::Number(_))) {
        let mut x = Array2::zeros((rows, cols).f());
        for (mut to, feature) in x.columns_mut().into_iter().zip(features) {
            if let Feature::Number(values) = feature {
                to.iter_mut().zip(values).for_each(|(to, value)| *to = value);
            }
        }
        return Ok(Matrix::Dense(x));
    }
    if u32::try_from(rows).is_err() {
        return Err(format!("{rows} rows: at most {} fit, split the file", u32::MAX));
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for feature in features {
        match feature {
            Feature::Number(column) => {
                for (row, value) in (0..).zip(column).filter(|(_, value)| *value != 0.0) {
                    indices.push(row);
                    values.push(value);
                }
                starts.push(indices.len());
            }
            Feature::Levels { features, at } => {
                let first = indices.len();
                let mut next = vec![0_usize; features + 1];
                let levels = || at.iter().copied().zip(0_u32..).filter(|(level, _)| *level != NO_LEVEL);
                levels().for_each(|(level, _)| next[level as usize + 1] += 1);
                (0..features).for_each(|level| next[level + 1] += next[level]);
                starts.extend(next[1..].iter().map(|end| first + end));
                indices.resize(first + next[features], 0);
                values.resize(indices.len(), 1.0);
                for (level, row) in levels() {
                    let place = &mut next[level as usize];
                    indices[first + *place] = row;
                    *place += 1;
                }
            }
        }
    }
    Csc::try_new_csc((rows, cols), starts, indices, values)
        .map(Matrix::Sparse)
        .map_err(|(.., why)| why.to_string())
}

/// Missing numbers of one feature, which were replaced by the mean of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filled {
    /// The feature, from 0.
    pub feature: usize,
    /// The rows, ascending from 0.
    pub rows: Vec<u32>,
}

impl Matrix {
    /// Fills missing numbers again, with the means of the `training` rows only, as each fold of a
    /// cross-validation must: held-out rows must not be seen. `rows` has the row of the whole table for each
    /// row of this matrix; `training` returns `true` for the training rows among them. A feature without
    /// values in training rows is filled with 0.
    pub fn fill_again(&mut self, filled: &[Filled], rows: &[usize], training: impl Fn(usize) -> bool) {
        for Filled { feature, rows: missing } in filled {
            let is_missing = |row: usize| missing.binary_search(&(row as u32)).is_ok();
            let column = self.column(*feature);
            let known = rows.iter().zip(&column).filter(|(row, _)| training(**row) && !is_missing(**row));
            let (sum, count) = known.fold((0.0, 0_u64), |(sum, count), (_, value)| (sum + value, count + 1));
            let mean = if count == 0 { 0.0 } else { sum / count as f64 };
            self.set(*feature, rows, is_missing, mean);
        }
    }

    /// Returns the values of a column, one per row.
    fn column(&self, j: usize) -> Vec<f64> {
        match self {
            Self::Dense(x) => x.column(j).to_vec(),
            Self::Sparse(x) => sparse_column(x, j),
        }
    }

    fn set(&mut self, j: usize, rows: &[usize], is_missing: impl Fn(usize) -> bool, value: f64) {
        match self {
            Self::Dense(x) => {
                let places = x.column_mut(j).into_iter().zip(rows);
                places.filter(|(_, row)| is_missing(**row)).for_each(|(place, _)| *place = value);
            }
            Self::Sparse(x) => {
                // A mean of 0 is not stored, so the column is written again.
                let mut column = sparse_column(x, j);
                let places = column.iter_mut().zip(rows);
                places.filter(|(_, row)| is_missing(**row)).for_each(|(place, _)| *place = value);
                let old = x.indptr().outer_inds_sz(j);
                let new: Vec<u32> =
                    (0..).zip(&column).filter(|(_, value)| **value != 0.0).map(|(i, _)| i).collect();
                let starts = x.indptr().raw_storage().to_vec();
                let moved =
                    |(k, start): (usize, usize)| if k > j { start - old.len() + new.len() } else { start };
                let starts = starts.into_iter().enumerate().map(moved).collect();
                let indices = [&x.indices()[..old.start], &new, &x.indices()[old.end..]].concat();
                let values: Vec<f64> = new.iter().map(|&i| column[i as usize]).collect();
                let values = [&x.data()[..old.start], &values, &x.data()[old.end..]].concat();
                *x = Csc::new_csc(x.shape(), starts, indices, values);
            }
        }
    }
}

fn sparse_column(x: &Csc, j: usize) -> Vec<f64> {
    let mut column = vec![0.0; x.rows()];
    x.outer_view(j).iter().flat_map(|view| view.iter()).for_each(|(i, &value)| column[i] = value);
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_sparse_columns() {
        let at = vec![2, 0, NO_LEVEL, 2];
        let features = vec![Feature::Number(vec![1.0, 0.0, 3.0, 4.0]), Feature::of_levels(3, at)];
        let x = matrix(4, features).expect("small");
        let expected = ndarray::array![
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 0.0],
            [3.0, 0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0, 1.0]
        ];
        assert!(x.is_sparse() && x.to_dense() == expected);
        let two = matrix(3, vec![Feature::of_levels(2, vec![1, 0, NO_LEVEL])]).expect("small");
        assert_eq!(two.to_dense(), ndarray::array![[1.0], [0.0], [0.0]]);
    }

    #[test]
    fn folds_fill_with_the_means_of_their_own_training_rows() {
        // Rows 1, 2 and 4 of a table; 1 and 4 are training rows; values are missing in 4 and 2.
        let filled = [Filled { feature: 0, rows: vec![2, 4] }];
        for is_sparse in [false, true] {
            let mut features = vec![Feature::Number(vec![6.0, 9.0, 9.0])];
            if is_sparse {
                features.push(Feature::of_levels(3, vec![0, 1, 2]));
            }
            let mut x = matrix(3, features).expect("small");
            x.fill_again(&filled, &[1, 2, 4], |row| row != 2);
            assert_eq!(x.column(0), [6.0, 6.0, 6.0]);
        }
    }
}
