//! Stochastic gradient steps over the ratings of one (shard, block) cell.
//!
//! For a rating r of user u and item i, with z = r - b - c - p.q (r less the mean, in standard deviations):
//!
//! ```text
//! p += e (z q - l p)      b += e' (z - l' b)
//! q += e (z p - l q)      c += e' (z - l' c)
//! ```
//!
//! with the old p in the second (Koren, Bell and Volinsky, "Matrix factorization techniques for recommender systems",
//! 2009). Rows of 4 and 8 vectors are stepped through one rating after the other ([`long`](super::long)), all others with
//! errors taken four by four and a little early ([`short`](super::short)): what keeps a processor from waiting differs.

use super::cell::{Cell, Rows, Steps};
use super::lanes::LANES;
use super::long::Long;
use super::run;
use super::short::Short;
use super::sides::Sides;

/// Steps over all ratings of a cell, in their order. Returns the sum of the squared errors, each as it was met.
///
/// # Panics
/// If the cell names rows that the sides do not have, or the sides differ in width.
pub fn sgd(cell: &Cell, users: &mut Rows, items: &mut Rows, steps: &Steps) -> f64 {
    cell.check(users, items);
    let chunks = users.width / LANES;
    let uneven = !users.scales.is_empty() || !items.scales.is_empty() || steps.non_negative;
    let ratings = cell.ratings();
    macro_rules! kernel {
        ($kind:ident $chunks:literal) => {
            match uneven {
                false => run($kind::<'_, $chunks, false>(ratings, Sides::new(users, items, steps, chunks))),
                true => run($kind::<'_, $chunks, true>(ratings, Sides::new(users, items, steps, chunks))),
            }
        };
    }
    match chunks {
        1 => kernel!(Short 1),
        2 => kernel!(Short 2),
        4 => kernel!(Long 4),
        8 => kernel!(Long 8),
        _ => kernel!(Short 0),
    }
}
