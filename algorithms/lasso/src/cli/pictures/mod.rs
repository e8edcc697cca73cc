//! Pictures of results, described without drawing them.

mod curves;
mod path;
mod places;
mod scores;
mod strongest;

pub(super) use self::curves::curves;
pub(super) use self::path::path;
pub(super) use self::strongest::strongest;
