//! [`StoredRatings`]: ratings in a file of pieces, read on demand.
//!
//! The file is named after the SHA-256 of the stored data and the way in which they were read, so that it is
//! never out of date. It contains the arrays users, items and values of the observations, their times if
//! requested, the numbers of observations of each user and each item, and their ids.

mod convert;
mod drawn;
mod file;
mod layout;
mod part;
mod repeated;
#[cfg(test)]
mod tests;

pub(crate) use convert::write as converted;
pub(crate) use drawn::write as drawn;
pub use file::StoredRatings;
pub use part::PartOfRatings;
