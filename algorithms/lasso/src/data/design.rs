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
            Design::Dense { rows, values } => View::dense(&values[j * rows..(j + 1) * rows]),
            Design::Sparse { starts, indices, values, shift, .. } => {
                let range = starts[j]..starts[j + 1];
                View::sparse(&indices[range.clone()], &values[range], shift.get(j).copied().unwrap_or(0.0))
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

/// The values of one column: those of all rows, stored ones, or those of the rows of one class.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The first row: that of a class, else 0.
    pub(crate) first: usize,
    /// Rows of the stored values, ascending, counted from the first row; `None` if every row has a value.
    pub(crate) indices: Option<&'a [u32]>,
    /// The stored values.
    pub(crate) values: &'a [f64],
    /// The center of a sparse column, subtracted from every row, stored or not.
    pub(crate) shift: f64,
}

impl<'a> View<'a> {
    /// A column with a value for every row.
    pub fn dense(values: &'a [f64]) -> Self {
        Self { first: 0, indices: None, values, shift: 0.0 }
    }

    /// A column with values in these ascending rows, from 0; `shift` is subtracted from every row.
    pub fn sparse(indices: &'a [u32], values: &'a [f64], shift: f64) -> Self {
        Self { first: 0, indices: Some(indices), values, shift }
    }

    /// All values of a dense column.
    pub(crate) fn filled(self) -> Option<&'a [f64]> {
        self.indices.is_none().then_some(self.values)
    }

    /// The stored rows and values of a sparse column.
    pub(crate) fn stored(self) -> Option<(&'a [u32], &'a [f64])> {
        self.indices.map(|indices| (indices, self.values))
    }

    /// Returns the dot product with `dense`, whose entries sum to `sum`.
    pub(crate) fn dot(self, dense: &[f64], sum: f64) -> f64 {
        match self.indices {
            None => kernels::dot(self.values, &dense[self.first..]),
            Some(indices) => {
                kernels::sparse_dot(indices, self.values, &dense[self.first..]) - self.shift * sum
            }
        }
    }

    /// Returns the squared norm.
    pub(crate) fn sum_squares(self, rows: usize) -> f64 {
        let stored = kernels::sum_squares(self.values);
        match self.indices {
            None => stored,
            Some(_) => (stored - rows as f64 * self.shift * self.shift).max(0.0),
        }
    }

    /// Returns the squared norm with rows weighted, and the largest absolute value.
    pub(crate) fn weighed(self, weights: &[f64]) -> (f64, f64) {
        let Self { values, shift, .. } = self;
        let add =
            |(sum, most): (f64, f64), (x, weight): (f64, f64)| (sum + weight * x * x, most.max(x.abs()));
        let Some(indices) = self.indices else {
            return values.iter().copied().zip(weights.iter().copied()).fold((0.0, 0.0), add);
        };
        let of = |row: u32| weights[row as usize];
        let stored = indices.iter().zip(values).map(|(&row, x)| (x - shift, of(row)));
        let (sum, most) = stored.fold((0.0, 0.0), add);
        if shift == 0.0 {
            return (sum, most);
        }
        let rest = weights.iter().sum::<f64>() - indices.iter().map(|&row| of(row)).sum::<f64>();
        (sum + rest.max(0.0) * shift * shift, most.max(shift.abs()))
    }

    /// Adds `scale` times the stored values to `dense`, and returns the number still to be subtracted from
    /// every entry.
    pub(crate) fn add_scaled_to(self, scale: f64, dense: &mut [f64]) -> f64 {
        match self.indices {
            None => kernels::add_scaled(&mut dense[self.first..], scale, self.values),
            Some(indices) => {
                kernels::sparse_add_scaled(&mut dense[self.first..], scale, indices, self.values);
            }
        }
        scale * self.shift
    }
}

/// Adds the columns times their scales to `dense`, in order, and returns the number still to be subtracted
/// from every entry. Dense columns are added together: the sum is loaded and stored once for several columns,
/// whose memory is streamed in parallel.
pub(crate) fn add_columns<'a>(columns: impl Iterator<Item = (f64, View<'a>)>, dense: &mut [f64]) -> f64 {
    let (mut filled, mut shift) = (Vec::new(), 0.0);
    for (scale, view) in columns {
        match view.filled().filter(|values| values.len() == dense.len()) {
            Some(values) => filled.push((scale, values)),
            None => shift += view.add_scaled_to(scale, dense),
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
        let coded = match &*self.design {
            Design::Dense { .. } => Coded::of(self.view().values),
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
