//! [`StoredTable`]: a table in a file of pieces, whose columns are read on demand.
//!
//! The file is named after the SHA-256 of the stored data and the way in which they were read, so that it is
//! never out of date. It contains the values column by column (for a sparse table the stored ones, with their
//! rows and the number of each column), the response, and the table's metadata in JSON. If rows are
//! requested, another file next to it has them, row by row; numbers that take a pass over all columns have
//! files next to it, too.

mod array;
mod by_rows;
mod dealt;
mod file;
mod layout;
#[cfg(test)]
mod tests;
mod transposed;
mod write;

pub use by_rows::{RowRange, StoredRows};
pub use file::StoredTable;
pub(super) use file::{read_cached, write_cached};
pub(crate) use write::{drawn, whole};
