//! Files of other programs, and tables of random cells in every dialect.

mod dice;
mod drawn;
mod files;
mod records;
mod short;
