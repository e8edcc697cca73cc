//! Stochastic gradient steps over the ratings of one (shard, block) cell.
//!
//! For a rating r of user u and item i, with z = r - b - c - p.q (r less the mean, in standard deviations):
//!
//! ```text
//! p += e (z q - l p)      b += e' (z - l' b)
//! q += e (z p - l q)      c += e' (z - l' c)
//! ```
//!
//! with the old p in the second (Koren, Bell and Volinsky, "Matrix factorization techniques for recommender
//! systems", 2009). Two ratings of one user are one step, a batch of two: all errors and both sums are of the
//! old rows, and what moves p and b is the sum of both,
//!
//! ```text
//! p += e (z_1 q_1 + z_2 q_2 - 2 l p)      b += e' (z_1 + z_2 - 2 l' b)
//! ```
//!
//! so that p is read and written once for two ratings. The products of a step are taken [`AHEAD`] steps
//! before it: it then finds its errors ready, and what waits in the processor is one chain of sums, not all
//! that is to be moved. Where steps so near share a row, those products miss the steps between.
//! [`Cell::in_order`] brings them apart; batches of two and what is missed cost nothing on MovieLens 1M that
//! can be told from the noise of seeds.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::cell::{AHEAD, Cell, Rows, Steps};
use super::lanes::{LANES, Lanes};
use super::sides::{Sides, Step};
use super::{Kernel, run};

/// How many ratings ahead rows are brought nearer: where they do not lie near, several must be on their way.
const NEARER: usize = 8;

/// Ratings whose squared errors are added up in single precision, which is exact enough for this number.
const STRETCH: usize = 4096;

/// Steps over all ratings of a cell, in their order. Returns the sum of the squared errors, each as it was
/// met.
///
/// # Panics
/// If the cell names rows that the sides do not have, or the sides differ in width.
pub fn sgd(cell: &Cell, users: &mut Rows, items: &mut Rows, steps: &Steps) -> f64 {
    cell.check(users, items);
    let chunks = users.width / LANES;
    let uneven = !users.scales.is_empty() || !items.scales.is_empty() || steps.non_negative;
    let (pairs, singles) = cell.steps();
    macro_rules! kernel {
        ($chunks:literal) => {
            match uneven {
                false => {
                    let sides = Sides::<'_, $chunks, false>::new(users, items, steps, chunks);
                    run(Walk(pairs, sides)) + run(Walk(singles, sides))
                }
                true => {
                    let sides = Sides::<'_, $chunks, true>::new(users, items, steps, chunks);
                    run(Walk(pairs, sides)) + run(Walk(singles, sides))
                }
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

/// `CHUNKS` vectors a row, 0 if that is known at run time only; `UNEVEN` where rows have scales or stay
/// positive.
struct Walk<'a, S, const CHUNKS: usize, const UNEVEN: bool>(&'a [S], Sides<'a, CHUNKS, UNEVEN>);

impl<S: Step, const CHUNKS: usize, const UNEVEN: bool> Kernel for Walk<'_, S, CHUNKS, UNEVEN> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Self(steps, sides) = self;
        let Some(&last) = steps.last() else { return 0.0 };
        // SAFETY: here and below, `sgd` has checked that every row that the cell names is there.
        let mut first = unsafe { steps[0].ready::<L, _, _>(&sides) };
        // SAFETY: see above.
        let mut second = unsafe { steps.get(1).copied().unwrap_or(last).ready::<L, _, _>(&sides) };
        let (mut total, mut squares) = (0.0, 0.0);
        let (nearer, stretch) = (NEARER / S::RATINGS, STRETCH / S::RATINGS);
        // By two, so that no product has to change its place; as far as there are steps to be brought nearer.
        let steady = steps.len().saturating_sub(nearer) / 2 * 2;
        for from in (0..steady).step_by(stretch) {
            let to = (from + stretch).min(steady);
            let [now, next, near] = [0, AHEAD, nearer].map(|by| steps[from + by..to + by].as_chunks::<2>().0);
            for ((now, next), near) in now.iter().zip(next).zip(near) {
                // SAFETY: see above.
                unsafe {
                    near[0].prefetch::<L, _, _>(&sides);
                    first = now[0].turn::<L, _, _>(&sides, first, next[0], &mut squares);
                    near[1].prefetch::<L, _, _>(&sides);
                    second = now[1].turn::<L, _, _>(&sides, second, next[1], &mut squares);
                }
            }
            total += f64::from(std::mem::take(&mut squares));
        }
        let rest = &steps[steady..];
        for (at, step) in rest.iter().enumerate() {
            let next = rest.get(at + AHEAD).copied().unwrap_or(last);
            // SAFETY: see above.
            (first, second) = (second, unsafe { step.turn::<L, _, _>(&sides, first, next, &mut squares) });
        }
        total + f64::from(squares)
    }
}
