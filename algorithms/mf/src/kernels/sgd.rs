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
//! 2009). The product p.q of a rating is taken [`AHEAD`] ratings before its step: a step then finds its error ready, and
//! what waits in the processor is one chain of sums, not all that is to be moved. Where ratings so near share a row, that
//! product misses the steps between; [`Cell::new`] brings such ratings apart where it can.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::cell::{AHEAD, Cell, Rating, Rows, Steps};
use super::lanes::{LANES, Lanes};
use super::sides::Sides;
use super::{Kernel, run};

/// How many ratings ahead rows are brought nearer: where they do not lie near, several must be on their way.
const NEARER: usize = 8;

/// Ratings whose squared errors are added up in single precision, which holds so many well.
const STRETCH: usize = 4096;

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
        ($chunks:literal) => {
            match uneven {
                false => run(Descend::<'_, $chunks, false>(ratings, Sides::new(users, items, steps, chunks))),
                true => run(Descend::<'_, $chunks, true>(ratings, Sides::new(users, items, steps, chunks))),
            }
        };
    }
    match chunks {
        1 => kernel!(1),
        2 => kernel!(2),
        4 => kernel!(4),
        8 => kernel!(8),
        _ => kernel!(0),
    }
}

/// `CHUNKS` vectors a row, 0 if that is known at run time only; `UNEVEN` where rows have scales or stay positive.
struct Descend<'a, const CHUNKS: usize, const UNEVEN: bool>(&'a [Rating], Sides<'a, CHUNKS, UNEVEN>);

impl<const CHUNKS: usize, const UNEVEN: bool> Kernel for Descend<'_, CHUNKS, UNEVEN> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Self(ratings, sides) = self;
        // SAFETY: here and below, `sgd` has checked that every row that the cell names is there.
        let product = |&rating: &Rating| unsafe { sides.product::<L>(rating) };
        let mut products = [0.0; AHEAD];
        products.iter_mut().zip(ratings).for_each(|(to, rating)| *to = product(rating));
        let [mut now, mut next] = products;
        let steady = ratings.len().saturating_sub(AHEAD);
        let mut total = 0.0;
        for from in (0..steady).step_by(STRETCH) {
            let to = (from + STRETCH).min(steady);
            let mut squares = 0.0;
            // Without a branch: products and steps are independent, and the compiler mixes them.
            let pairs = ratings[from..to].iter().zip(&ratings[from + AHEAD..to + AHEAD]);
            for (number, (&rating, ahead)) in (from..).zip(pairs) {
                sides.prefetch::<L>(ratings[(number + NEARER).min(ratings.len() - 1)]);
                // SAFETY: see above.
                let moves = unsafe { sides.take(rating, now, &mut squares) };
                (now, next) = (next, product(ahead));
                // SAFETY: see above.
                unsafe { sides.step::<L>(rating, moves) };
            }
            total += f64::from(squares);
        }
        let mut squares = 0.0;
        for (&rating, product) in ratings[steady..].iter().zip([now, next]) {
            // SAFETY: see above.
            unsafe { sides.step::<L>(rating, sides.take(rating, product, &mut squares)) };
        }
        total += f64::from(squares);
        total
    }
}
