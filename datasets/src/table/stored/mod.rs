//! [`StoredTable`]: a table in a file of pieces, of which columns are read by parts.
//!
//! The file's name is the SHA-256 of the data's bytes as stored, and how it was read: another content has
//! another name. It has the values, column after column (of a sparse table those stored, with their rows, and
//! how many each column has), the response, and as JSON what else is known of the table. Where rows are asked
//! for by parts, another file beside it has these, row after row; numbers that take a pass over all columns
//! have files beside it, too.

mod array;
mod by_rows;
mod file;
mod filling;
mod layout;
mod made_once;
#[cfg(test)]
mod tests;
mod transposed;
mod variant;
mod write;

pub use by_rows::{RowRange, StoredRows};
pub use file::StoredTable;
pub(crate) use variant::variant;
pub(crate) use write::{drawn, whole};
