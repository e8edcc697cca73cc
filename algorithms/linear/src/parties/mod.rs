//! Fits over parties, each of which has rows of its own that stay with it: Newton steps on exact sums, as
//! [`BySums`](crate::BySums) makes them, so that the model is, byte for byte, that of all rows in one place.
//!
//! Bounds of the columns and the two classes are declared, the same for all parties. The number of rows of
//! each class, which a fit by sums in one place reads off its rows, is a sum of the first round.

mod program;
mod rows;
mod settings;

pub use program::{Known, PartiesProgram, Summed};
pub use rows::PartyRows;
pub use settings::{Counted, Parties};
