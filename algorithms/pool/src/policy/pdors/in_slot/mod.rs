//! Placements of one job in one slot, each with its price.

mod apart;
mod choices;
mod drawn;
mod lp;
mod market;
mod one;
mod rounding;
mod spread;
#[cfg(test)]
mod tests;

pub use self::drawn::Roundings;

pub(crate) use self::choices::Servers;
pub(crate) use self::drawn::Drawn;
pub(crate) use self::market::Market;
