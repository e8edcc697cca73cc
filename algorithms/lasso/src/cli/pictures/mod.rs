//! Pictures of results, described without drawing them.

mod curves;
mod path;

pub(super) use self::curves::curves;
pub(super) use self::path::path;
