//! PD-ORS (arXiv 2108.02917): jobs are promised an end or refused, by prices of the resources left in each
//! slot.

mod admission;
mod calendar;
mod fill;
mod in_slot;
mod plan;
mod planner;
mod prices;
mod programme;
mod settings;
mod unfit;

pub use self::in_slot::{Market, OneNode, Placer};
pub use self::planner::PdOrs;
pub use self::settings::{Ceiling, PlanSettings};
pub use self::unfit::{Unfit, promisable};
