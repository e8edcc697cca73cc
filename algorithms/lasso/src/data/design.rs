//! [`Design`]: the matrix that is fitted, and [`Column`]: one of its columns, which can be sent.

use std::sync::Arc;

use raddle::state::{Reader, StateError, Writer};
use raddle::{State, fork_join};

use super::classes::Classes;
use super::coded::Coded;
use raddle_kernels::algebra as kernels;

/// The matrix that is fitted: n rows by p columns, centred and scaled as the preparation asked.
///
/// A sparse matrix is never made dense: column j is its stored values minus `shift[j]` in every row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Design {
    /// All values, one column after another.
    Dense { rows: usize, values: Vec<f64> },
    /// Compressed columns; `shift` is empty if nothing is centred.
    Sparse { rows: usize, starts: Vec<usize>, indices: Vec<u32>, values: Vec<f64>, shift: Vec<f64> },
    /// The columns of another matrix, repeated for every class.
    Classes(Classes),
}

impl Design {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Design::Dense { rows, .. } | Design::Sparse { rows, .. } => *rows,
            Design::Classes(classes) => classes.of().rows(),
        }
    }

    pub(crate) fn columns(&self) -> usize {
        match self {
            Design::Dense { rows, values } => values.len().checked_div(*rows).unwrap_or(0),
            Design::Sparse { starts, .. } => starts.len() - 1,
            Design::Classes(classes) => classes.columns(),
        }
    }

    /// Number of stored values.
    pub(crate) fn stored(&self) -> usize {
        match self {
            Design::Dense { values, .. } | Design::Sparse { values, .. } => values.len(),
            // Each stored value is read once for every class.
            Design::Classes(classes) => {
                classes.of().stored() * classes.columns() / classes.of().columns().max(1)
            }
        }
    }

    /// The counted cost of one dot product with column `j`: its stored values.
    pub(crate) fn cost(&self, j: usize) -> usize {
        match self {
            Design::Dense { rows, .. } => *rows,
            Design::Sparse { starts, .. } => starts[j + 1] - starts[j],
            Design::Classes(classes) => classes.cost(j),
        }
    }

    pub(crate) fn view(&self, j: usize) -> View<'_> {
        match self {
            Design::Dense { rows, values } => View::Dense(&values[j * rows..(j + 1) * rows]),
            Design::Sparse { starts, indices, values, shift, .. } => {
                let range = starts[j]..starts[j + 1];
                let shift = shift.get(j).copied().unwrap_or(0.0);
                View::Sparse { indices: &indices[range.clone()], values: &values[range], shift }
            }
            Design::Classes(classes) => classes.view(j),
        }
    }

    /// Writes the columns of a range as a matrix of their own, without copying them first.
    pub(crate) fn save_range(&self, range: std::ops::Range<usize>, out: &mut Writer) {
        match self {
            Design::Dense { rows, values } => {
                out.write(&0u8);
                out.write(rows);
                out.write_slice(&values[range.start * rows..range.end * rows]);
            }
            Design::Sparse { rows, starts, indices, values, shift } => {
                let (from, to) = (starts[range.start], starts[range.end]);
                let starts = starts[range.start..=range.end].iter().map(|start| (start - from) as u64);
                out.write(&1u8);
                out.write(rows);
                out.write(&starts.collect::<Vec<_>>());
                out.write_slice(&indices[from..to]);
                out.write_slice(&values[from..to]);
                out.write_slice(shift.get(range).unwrap_or_default());
            }
            Design::Classes(classes) => {
                out.write(&2u8);
                classes.save_range(range, out);
            }
        }
    }
}

impl State for Design {
    fn save(&self, out: &mut Writer) {
        self.save_range(0..self.columns(), out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let broken = StateError::new("a matrix whose columns fit its rows");
        let design = match u8::load(from)? {
            0 => Design::Dense { rows: from.read()?, values: from.read()? },
            1 => {
                let rows = from.read()?;
                let starts: Vec<u64> = from.read()?;
                let starts = starts.into_iter().map(|start| start as usize).collect();
                Design::Sparse {
                    rows,
                    starts,
                    indices: from.read()?,
                    values: from.read()?,
                    shift: from.read()?,
                }
            }
            2 => Design::Classes(from.read()?),
            _ => return Err(broken),
        };
        let sound = match &design {
            Design::Dense { rows, values } => {
                values.is_empty() || (*rows > 0 && values.len().is_multiple_of(*rows))
            }
            Design::Sparse { rows, starts, indices, values, shift } => {
                starts.first() == Some(&0)
                    && starts.is_sorted()
                    && starts.last() == Some(&values.len())
                    && indices.len() == values.len()
                    && indices.iter().all(|&row| (row as usize) < *rows)
                    && (shift.is_empty() || shift.len() + 1 == starts.len())
            }
            Design::Classes(classes) => classes.is_sound(),
        };
        if sound { Ok(design) } else { Err(broken) }
    }
}

/// The values of one column.
#[derive(Debug, Clone, Copy)]
pub enum View<'a> {
    /// The values of all rows.
    Dense(&'a [f64]),
    /// Stored values by ascending row. `shift` is subtracted from every row, stored or not.
    Sparse {
        /// Rows, from 0.
        indices: &'a [u32],
        /// Values, one for each row in `indices`.
        values: &'a [f64],
        /// The center, subtracted from every row.
        shift: f64,
    },
    /// The values of a column in the rows of one class.
    Class {
        /// The first row of the class.
        first: usize,
        /// Rows of the stored values, counted from the first row of the class; `None` if all rows are stored.
        indices: Option<&'a [u32]>,
        /// The stored values.
        values: &'a [f64],
    },
}

impl<'a> View<'a> {
    /// All values of a dense column.
    pub(crate) fn filled(self) -> Option<&'a [f64]> {
        match self {
            View::Dense(values) | View::Class { indices: None, values, .. } => Some(values),
            View::Sparse { .. } | View::Class { .. } => None,
        }
    }

    /// The stored rows and values of a sparse column.
    pub(crate) fn stored(self) -> Option<(&'a [u32], &'a [f64])> {
        match self {
            View::Sparse { indices, values, .. } | View::Class { indices: Some(indices), values, .. } => {
                Some((indices, values))
            }
            View::Dense(_) | View::Class { .. } => None,
        }
    }

    /// The center of a sparse column, subtracted from every entry.
    pub(crate) fn shift(self) -> f64 {
        match self {
            View::Dense(_) | View::Class { .. } => 0.0,
            View::Sparse { shift, .. } => shift,
        }
    }

    /// Returns the dot product with `dense`, whose entries sum to `sum`.
    pub(crate) fn dot(self, dense: &[f64], sum: f64) -> f64 {
        match self {
            View::Dense(values) => kernels::dot(values, dense),
            View::Sparse { indices, values, shift } => {
                kernels::sparse_dot(indices, values, dense) - shift * sum
            }
            View::Class { first, indices: Some(indices), values } => {
                kernels::sparse_dot(indices, values, &dense[first..])
            }
            View::Class { first, indices: None, values } => {
                kernels::dot(values, &dense[first..first + values.len()])
            }
        }
    }

    /// Returns the squared norm.
    pub(crate) fn sum_squares(self, rows: usize) -> f64 {
        match self {
            View::Dense(values) | View::Class { values, .. } => kernels::sum_squares(values),
            View::Sparse { values, shift, .. } => {
                (kernels::sum_squares(values) - rows as f64 * shift * shift).max(0.0)
            }
        }
    }

    /// Returns the squared norm with rows weighted, and the largest absolute value.
    pub(crate) fn weighed(self, weights: &[f64]) -> (f64, f64) {
        let add =
            |(sum, most): (f64, f64), (x, weight): (f64, f64)| (sum + weight * x * x, most.max(x.abs()));
        match self {
            View::Dense(values) | View::Class { indices: None, values, .. } => {
                values.iter().copied().zip(weights.iter().copied()).fold((0.0, 0.0), add)
            }
            View::Class { indices: Some(indices), values, .. } => {
                let stored = indices.iter().zip(values).map(|(&row, x)| (*x, weights[row as usize]));
                stored.fold((0.0, 0.0), add)
            }
            View::Sparse { indices, values, shift } => {
                let of = |row: u32| weights[row as usize];
                let stored = indices.iter().zip(values).map(|(&row, x)| (x - shift, of(row)));
                let (sum, most) = stored.fold((0.0, 0.0), add);
                if shift == 0.0 {
                    return (sum, most);
                }
                let rest = weights.iter().sum::<f64>() - indices.iter().map(|&row| of(row)).sum::<f64>();
                (sum + rest.max(0.0) * shift * shift, most.max(shift.abs()))
            }
        }
    }

    /// Adds `scale` times the stored values to `dense`, and returns the number still to be subtracted from
    /// every entry.
    pub(crate) fn add_scaled_to(self, scale: f64, dense: &mut [f64]) -> f64 {
        match self {
            View::Dense(values) => {
                kernels::add_scaled(dense, scale, values);
                0.0
            }
            View::Sparse { indices, values, shift } => {
                kernels::sparse_add_scaled(dense, scale, indices, values);
                scale * shift
            }
            View::Class { first, indices: Some(indices), values } => {
                kernels::sparse_add_scaled(&mut dense[first..], scale, indices, values);
                0.0
            }
            View::Class { first, indices: None, values } => {
                kernels::add_scaled(&mut dense[first..first + values.len()], scale, values);
                0.0
            }
        }
    }
}

/// Adds the columns times their scales to `dense`, in order, and returns the number still to be subtracted
/// from every entry. Dense columns are added together: the sum is loaded and stored once for several columns,
/// whose memory is streamed in parallel.
pub(crate) fn add_columns<'a>(columns: impl Iterator<Item = (f64, View<'a>)>, dense: &mut [f64]) -> f64 {
    let (mut filled, mut shift) = (Vec::new(), 0.0);
    for (scale, view) in columns {
        match view {
            View::Dense(values) => filled.push((scale, values)),
            _ => shift += view.add_scaled_to(scale, dense),
        }
    }
    let (cost, threads) = (filled.len() * dense.len(), fork_join::count());
    let per = if threads == 1 { dense.len() } else { dense.len().div_ceil(2 * threads).next_multiple_of(64) };
    fork_join::each(cost as u64, dense.chunks_mut(per.max(1)).enumerate(), |(part, dense)| {
        let rows = part * per..part * per + dense.len();
        let part = |&(scale, values): &(f64, &'a [f64])| (scale, values.get(rows.clone()).unwrap_or(&[]));
        kernels::add_scaled_columns(dense, &filled.iter().map(part).collect::<Vec<_>>());
    });
    shift
}

/// One column that can be sent: by pointer within a process, by its values between processes.
#[derive(Debug, Clone)]
pub struct Column {
    pub(super) design: Arc<Design>,
    pub(super) at: usize,
}

impl Column {
    pub(crate) fn new(design: &Arc<Design>, at: usize) -> Self {
        Self { design: Arc::clone(design), at }
    }

    pub(crate) fn view(&self) -> View<'_> {
        self.design.view(self.at)
    }
}

impl State for Column {
    fn save(&self, out: &mut Writer) {
        let coded = match self.view() {
            View::Dense(values) => Coded::of(values),
            _ => None,
        };
        out.write(&coded.is_some());
        match coded {
            Some(coded) => out.write(&coded),
            None => self.design.save_range(self.at..self.at + 1, out),
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        if from.read()? {
            let values = from.read::<Coded>()?.column()?;
            return Ok(Self { design: Arc::new(Design::Dense { rows: values.len(), values }), at: 0 });
        }
        let design = Design::load(from)?;
        if design.columns() == 1 || design.rows() == 0 {
            Ok(Self { design: Arc::new(design), at: 0 })
        } else {
            Err(StateError::new("one column"))
        }
    }
}
