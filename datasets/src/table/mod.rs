//! Tables: a matrix of features and a response, as regression and classification read them.

use std::path::{Path, PathBuf};

use ndarray::{Array2, ArrayView2, ShapeBuilder};
use sprs::CsMatI;

use crate::records::RecordCounts;
use crate::source::Source;

mod assemble;
mod cache;
mod checks;
mod classes;
mod columns;
mod csv;
mod encode;
mod encoding;
mod features;
pub mod generate;
mod given;
pub mod libsvm;
mod matrix_market;
pub(crate) mod missing;
mod npy;
mod npz;
mod occurring;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod read;
mod repeat;
mod response;
mod rows;
mod samples;
mod select;
pub(crate) mod spec;
mod stored;
mod tabular;
mod triplets;

pub use classes::{Beside, Classes, Labels};
pub use encoding::{ColumnOptions, EncodedColumn, Encoding, LeftOut};
pub use features::Filled;
pub use missing::Missing;
pub use npz::sparse_npz;
pub use occurring::Occurring;

pub(crate) use read::table as table_in;
pub use read::{Format, Options, read, read_any};
pub use samples::{Samples, read_samples};
pub use stored::StoredTable;

/// A sparse matrix in compressed columns: `f64` values, `u32` row numbers, `usize` column starts.
pub type Csc = CsMatI<f64, u32, usize>;

/// A matrix of features, n rows (samples) by p columns (features).
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// Every value stored, column after column in memory (Fortran order).
    Dense(Array2<f64>),
    /// Compressed sparse columns; within a column the rows ascend. Zeros written out in a file are
    /// dropped.
    Sparse(Csc),
}

impl Matrix {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        match self {
            Self::Dense(x) => x.nrows(),
            Self::Sparse(x) => x.rows(),
        }
    }

    /// Number of columns, p.
    pub fn cols(&self) -> usize {
        match self {
            Self::Dense(x) => x.ncols(),
            Self::Sparse(x) => x.cols(),
        }
    }

    /// Number of values that are not zero; of a sparse matrix, of stored ones.
    pub fn nonzeros(&self) -> usize {
        match self {
            Self::Dense(x) => x.iter().filter(|&&value| value != 0.0).count(),
            Self::Sparse(x) => x.nnz(),
        }
    }

    /// Whether the matrix is stored in compressed columns.
    pub fn is_sparse(&self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// The matrix with every value stored, n x p, column after column in memory: 8 n p bytes.
    pub fn to_dense(&self) -> Array2<f64> {
        match self {
            Self::Dense(x) => in_columns(x.view()),
            Self::Sparse(x) => {
                let mut dense = Array2::zeros(x.shape().f());
                for (j, column) in x.outer_iterator().enumerate() {
                    for (i, &value) in column.iter() {
                        dense[(i, j)] = value;
                    }
                }
                dense
            }
        }
    }

    /// [`Matrix::to_dense`] where the matrix itself is no longer needed: its memory is given back as the dense one fills,
    /// so that not much more than the larger of the two is taken at once.
    pub fn into_dense(self) -> Array2<f64> {
        let x = match self {
            // A transposed standard layout is column after column already.
            Self::Dense(x) if x.t().is_standard_layout() => return x,
            Self::Dense(x) => return in_columns(x.view()),
            Self::Sparse(x) => x,
        };
        let shape = x.shape();
        let (starts, mut indices, mut values) = x.into_raw_storage();
        let mut dense = Array2::zeros(shape.f());
        let portion = values.len() / 16;
        // From the back, where a vector can be cut.
        for (mut to, column) in dense.columns_mut().into_iter().zip(starts.windows(2)).rev() {
            let stored = column[0]..column[1];
            for (&row, &value) in indices[stored.clone()].iter().zip(&values[stored]) {
                to[row as usize] = value;
            }
            if values.len() - column[0] > portion {
                values.truncate(column[0]);
                indices.truncate(column[0]);
                values.shrink_to_fit();
                indices.shrink_to_fit();
            }
        }
        dense
    }
}

/// A copy of `x` that lies column after column in memory.
fn in_columns(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut columns = Array2::zeros(x.dim().f());
    columns.assign(&x);
    columns
}

/// A dense matrix from values that lie row after row, or column after column.
fn dense(shape: (usize, usize), by_columns: bool, values: Vec<f64>) -> Result<Matrix, String> {
    let error = |error: ndarray::ShapeError| error.to_string();
    match by_columns {
        true => Array2::from_shape_vec(shape.f(), values).map(Matrix::Dense).map_err(error),
        false => {
            Array2::from_shape_vec(shape, values).map(|x| Matrix::Dense(in_columns(x.view()))).map_err(error)
        }
    }
}

/// What is wrong with a binary value, at a row and a column counted from 0.
fn not_finite(row: usize, col: usize, value: f64) -> String {
    format!("row {}, column {}: the value is {value}: fill or drop it", row + 1, col + 1)
}

/// A matrix of features with its response: what regression and classification are fitted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The registry's name, the file's name without its endings, or the `synth:` specification.
    pub name: String,
    /// The features, n rows by p columns, as stored: neither centred nor scaled.
    pub x: Matrix,
    /// Which columns of the data `x` has, where it is sparse and far wider than what it holds: then p counts those with values.
    /// `None` where it has all of them.
    pub occurring: Option<Occurring>,
    /// The response, n finite values, as stored.
    pub y: Vec<f64>,
    /// The names of the p columns, where the format has them.
    pub feature_names: Option<Vec<String>>,
    /// SHA-256 of the file's bytes as stored (compression not undone), 64 hexadecimal digits;
    /// of the specification's text for generated data.
    pub digest: String,
    /// The file that was read; `None` for embedded and generated data.
    pub path: Option<PathBuf>,
    /// The name of its format; `embedded` or `generated` where there is no file.
    pub format: String,
    /// How the columns became features, where some are no numbers as they stand, or were left out.
    pub encoding: Option<Encoding>,
    /// Missing numbers that the mean of others fills.
    pub filled: Vec<Filled>,
    /// Of a response of texts ([`Options::classes`]): the texts, sorted; `y` has their numbers from 0.
    pub classes: Option<Vec<String>>,
    /// The columns that [`Options::beside`] asks for, in its order.
    pub beside: Vec<Labels>,
    /// The rows of the data, and those that are left out here.
    pub records: RecordCounts,
    /// What users should know of how the table was read.
    pub notes: Vec<String>,
}

impl Table {
    /// The number of columns of the data: p, or more where [`occurring`](Self::occurring) says which of them `x` has.
    pub fn width(&self) -> usize {
        self.occurring.as_ref().map_or(self.x.cols(), Occurring::width)
    }

    /// An empty table with the name, digest and path of `source`.
    fn described_by(source: &Source) -> Self {
        Self {
            name: stem(&source.path),
            x: Matrix::Dense(Array2::zeros((0, 0))),
            occurring: None,
            y: Vec::new(),
            feature_names: None,
            digest: source.digest(),
            path: Some(source.path.clone()),
            format: String::new(),
            encoding: None,
            filled: Vec::new(),
            classes: None,
            beside: Vec::new(),
            records: RecordCounts::default(),
            notes: Vec::new(),
        }
    }
}

/// A file's name up to its first point: `mice` for `lasso/mice.svm.gz`.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let end =
        name.char_indices().find(|&(at, letter)| letter == '.' && at > 0).map_or(name.len(), |(at, _)| at);
    name[..end].to_owned()
}
