//! Fits over parties, each of which has rows of its own that stay with it: Newton steps on exact sums, as
//! [`BySums`](crate::BySums) makes them, so that the model is, byte for byte, that of all rows in one place.
//!
//! What the rows have in common is declared: the bounds of the columns, and the two classes. What else a fit
//! by sums reads off its rows, their number and that of each class, is a sum of the first round.

mod program;
mod rows;
mod settings;

pub use program::{Known, PartiesProgram, Summed};
pub use rows::PartyRows;
pub use settings::{Counted, Parties};
