//! Files of other programs, and records of random cells in every dialect.

mod files;
mod records;
