//! Servers on other machines than workers, as in OASiS.

use raddle_pool::policy::{Market, Placement};

use super::spread::{Order, Part, cheaper, placed};

/// The cheaper of two placements: first workers on the cheapest machines, then servers on the cheapest of the
/// others; or the reverse.
pub(super) fn cheapest(market: &Market<'_>, workers: u32, order: &Order) -> Option<Placement> {
    let placed = |parts: &[Part]| placed(parts, (market, order), workers, false);
    cheaper(market, [placed(&[Part::Workers, Part::Servers]), placed(&[Part::Servers, Part::Workers])])
}
