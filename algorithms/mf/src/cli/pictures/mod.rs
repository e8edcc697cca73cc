//! Pictures of results, described without drawing them.

mod epochs;
mod grid;

pub(crate) use self::epochs::epochs;
pub(crate) use self::grid::{GridPoint, grid};
