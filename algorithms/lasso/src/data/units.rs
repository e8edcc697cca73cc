//! The columns in the units of a run: in another order, scaled, or with weighted rows; and their products.

use std::sync::Arc;

use super::design::{Column, Design, View};

impl Design {
    /// The columns in another order.
    pub(crate) fn ordered(&self, order: &[u32]) -> Self {
        match self {
            // Columns are ordered before they are repeated for classes.
            Design::Classes(_) => self.clone(),
            Design::Dense { rows, values } => {
                let columns = order.iter().map(|&j| &values[j as usize * rows..(j as usize + 1) * rows]);
                Design::Dense { rows: *rows, values: columns.flatten().copied().collect() }
            }
            Design::Sparse { rows, starts, indices, values, shift } => {
                let range = |j: &u32| starts[*j as usize]..starts[*j as usize + 1];
                let mut ends = vec![0];
                order.iter().for_each(|j| ends.push(ends[ends.len() - 1] + range(j).len()));
                Design::Sparse {
                    rows: *rows,
                    starts: ends,
                    indices: order.iter().flat_map(|j| &indices[range(j)]).copied().collect(),
                    values: order.iter().flat_map(|j| &values[range(j)]).copied().collect(),
                    shift: order.iter().filter_map(|&j| shift.get(j as usize)).copied().collect(),
                }
            }
        }
    }

    /// Joins columns of matrices of the same kind, one after another.
    pub(super) fn joined(rows: usize, is_sparse: bool, designs: Vec<Self>) -> Self {
        if !is_sparse {
            let values = designs.into_iter().flat_map(|design| match design {
                Design::Dense { values, .. } => values,
                Design::Sparse { .. } | Design::Classes(_) => Vec::new(),
            });
            return Design::Dense { rows, values: values.collect() };
        }
        let (mut all_starts, mut all_indices) = (vec![0], Vec::new());
        let (mut all_values, mut all_shift) = (Vec::new(), Vec::new());
        for design in designs {
            let Design::Sparse { starts, mut indices, mut values, mut shift, .. } = design else { continue };
            all_starts.extend(starts[1..].iter().map(|start| all_values.len() + start));
            all_indices.append(&mut indices);
            all_values.append(&mut values);
            all_shift.append(&mut shift);
        }
        Design::Sparse {
            rows,
            starts: all_starts,
            indices: all_indices,
            values: all_values,
            shift: all_shift,
        }
    }

    /// Multiplies every column by its unit; a sparse column whose unit is 0 stores nothing.
    pub(crate) fn scaled(&self, units: &[f64]) -> Self {
        match self {
            // Columns are scaled before they are repeated for classes.
            Design::Classes(_) => self.clone(),
            Design::Dense { rows, values } => {
                let columns = values.chunks_exact(*rows).zip(units);
                let values = columns.flat_map(|(column, unit)| column.iter().map(move |value| unit * value));
                Design::Dense { rows: *rows, values: values.collect() }
            }
            Design::Sparse { rows, starts, indices, values, shift } => {
                let (mut new_starts, mut new_indices) = (Vec::with_capacity(starts.len()), Vec::new());
                let mut new_values = Vec::with_capacity(values.len());
                new_starts.push(0);
                for (range, &unit) in starts.windows(2).zip(units) {
                    if unit != 0.0 {
                        new_indices.extend_from_slice(&indices[range[0]..range[1]]);
                        new_values.extend(values[range[0]..range[1]].iter().map(|value| unit * value));
                    }
                    new_starts.push(new_values.len());
                }
                let shift = shift.iter().zip(units).map(|(shift, unit)| unit * shift).collect();
                Design::Sparse {
                    rows: *rows,
                    starts: new_starts,
                    indices: new_indices,
                    values: new_values,
                    shift,
                }
            }
        }
    }

    /// Returns x_j'r of every column.
    pub(crate) fn products(&self, residual: &[f64]) -> Vec<f64> {
        let sum = residual.iter().sum();
        (0..self.columns()).map(|j| self.view(j).dot(residual, sum)).collect()
    }

    /// Returns the maximum of |x_j'r| over the columns, where `seen` maps each product to the value that
    /// counts.
    pub(crate) fn largest(&self, residual: &[f64], seen: impl Fn(usize, f64) -> f64) -> f64 {
        let sum = residual.iter().sum();
        let products = (0..self.columns()).map(|j| seen(j, self.view(j).dot(residual, sum)).abs());
        products.fold(0.0, f64::max)
    }
}

impl Column {
    /// Multiplies every row by its root, and leaves the shift of sparse columns as it is. Without roots the
    /// columns are unchanged.
    pub(crate) fn weighted(columns: Vec<Self>, roots: &[f64]) -> Vec<Self> {
        if roots.is_empty() {
            return columns;
        }
        let times = |column: &Self| {
            let (View { values, shift, .. }, rows) = (column.view(), roots.len());
            let Some(indices) = column.view().indices else {
                let values = values.iter().zip(roots).map(|(value, root)| root * value).collect();
                return Design::Dense { rows, values };
            };
            let of = |(value, &row): (&f64, &u32)| roots[row as usize] * value;
            let values: Vec<f64> = values.iter().zip(indices).map(of).collect();
            let (starts, indices) = (vec![0, values.len()], indices.to_vec());
            Design::Sparse { rows, starts, indices, values, shift: vec![shift] }
        };
        columns.iter().map(|column| Self { design: Arc::new(times(column)), at: 0 }).collect()
    }
}
