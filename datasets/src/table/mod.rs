//! Tables: a matrix of features and a response, as regression and classification read them.

mod assemble;
mod beside;
mod cache;
mod checks;
mod classes;
mod columns;
mod csv;
mod data;
mod encode;
mod encoding;
mod features;
mod format;
pub mod generate;
mod given;
pub mod libsvm;
mod loaded;
mod matrix;
mod matrix_market;
mod missing;
mod npy;
mod npz;
mod occurring;
mod options;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod read;
mod recognise;
mod repeat;
mod response;
mod rows;
mod samples;
mod select;
pub(crate) mod spec;
pub(crate) mod stored;
mod tabular;
mod triplets;

pub(crate) use beside::beside_no_file;
pub use classes::{Beside, Classes, Labels};
pub use data::Table;
pub use encoding::{ColumnOptions, EncodedColumn, Encoding, LeftOut};
pub use features::Filled;
pub use format::Format;
pub use matrix::{Csc, Matrix};
pub use missing::Missing;
pub use npz::sparse_npz;
pub use occurring::Occurring;
pub use options::Options;
pub use read::read;
pub(crate) use read::{open, samples as samples_in, table as table_in};
pub use samples::Samples;
pub use stored::StoredTable;

pub use crate::named::{read_any, read_samples};
