//! [`StoredRatings`]: ratings in a file of pieces, which are read by parts.
//!
//! The file's name is the SHA-256 of the data's bytes as stored, and how it was read: another content has
//! another name. It has the arrays users, items and values of the observations, times where they were asked
//! for, how many observations each user and each item has, and their ids.

mod about;
mod arrays;
mod convert;
mod drawn;
mod file;
mod filling;
mod ids;
mod part;
mod repeated;
#[cfg(test)]
mod tests;
mod variant;

pub(crate) use convert::write as converted;
pub(crate) use drawn::write as drawn;
pub use file::StoredRatings;
pub use part::PartOfRatings;
pub(crate) use variant::variant;
