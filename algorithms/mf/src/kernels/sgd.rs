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
//! product misses the steps between. [`Cell::new`] brings such ratings apart; in its tiles about one in four misses a
//! step on MovieLens 1M, which costs nothing that can be told from the noise of seeds.

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
        let Some(&last) = ratings.last() else { return 0.0 };
        // SAFETY: here and below, `sgd` has checked that every row that the cell names is there.
        let mut first = unsafe { sides.ready::<L>(ratings[0]) };
        // SAFETY: see above.
        let mut second = unsafe { sides.ready::<L>(ratings.get(1).copied().unwrap_or(last)) };
        let (mut total, mut squares) = (0.0, 0.0);
        // By two, so that no product has to change its place; as far as there are ratings to be brought nearer.
        let steady = ratings.len().saturating_sub(NEARER) / 2 * 2;
        for from in (0..steady).step_by(STRETCH) {
            let to = (from + STRETCH).min(steady);
            let [now, next, near] =
                [0, AHEAD, NEARER].map(|by| ratings[from + by..to + by].as_chunks::<2>().0);
            for ((now, next), near) in now.iter().zip(next).zip(near) {
                // SAFETY: see above.
                unsafe {
                    sides.prefetch::<L>(near[0]);
                    first = sides.turn::<L>(now[0], first, next[0], &mut squares);
                    sides.prefetch::<L>(near[1]);
                    second = sides.turn::<L>(now[1], second, next[1], &mut squares);
                }
            }
            total += f64::from(std::mem::take(&mut squares));
        }
        let rest = &ratings[steady..];
        for (at, &rating) in rest.iter().enumerate() {
            let next = rest.get(at + AHEAD).copied().unwrap_or(last);
            // SAFETY: see above.
            (first, second) = (second, unsafe { sides.turn::<L>(rating, first, next, &mut squares) });
        }
        total + f64::from(squares)
    }
}
