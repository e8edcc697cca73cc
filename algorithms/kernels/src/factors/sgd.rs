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
//! systems", 2009). Two ratings of one user are one step, a batch of two: errors and updates use the old
//! rows, and p and b are changed by the sum of both updates,
//!
//! ```text
//! p += e (z_1 q_1 + z_2 q_2 - 2 l p)      b += e' (z_1 + z_2 - 2 l' b)
//! ```
//!
//! so that p is read and written once for two ratings. The products of a step are computed [`AHEAD`] steps
//! before it, so that its errors are ready, and only one chain of sums, not the whole update, waits in the
//! processor. If steps so near share a row, those products miss the changes of the steps between.
//! [`Cell::in_order`] spreads such steps; on MovieLens 1M the loss by batches of two and by missed changes is
//! below the noise between seeds.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::cell::{AHEAD, Cell, Rows, Steps};
use super::lanes::{LANES, Lanes};
use super::sides::{Sides, Step};
use super::{Kernel, run};

/// Number of ratings by which rows are prefetched ahead: if rows are not in the cache, several must be
/// loading at a time.
const NEARER: usize = 8;

/// Number of ratings whose squared errors are summed in single precision, which is exact enough for so many.
const STRETCH: usize = 4096;

/// Takes steps over all ratings of a cell, in order. Returns the sum of the squared errors, each as met
/// before its step.
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

/// A walk over steps. Rows have `CHUNKS` vectors, or a number known only at run time if that is 0; `UNEVEN`
/// if rows have scales or must stay positive.
struct Walk<'a, S, const CHUNKS: usize, const UNEVEN: bool>(&'a [S], Sides<'a, CHUNKS, UNEVEN>);

impl<S: Step<CHUNKS, UNEVEN>, const CHUNKS: usize, const UNEVEN: bool> Kernel
    for Walk<'_, S, CHUNKS, UNEVEN>
{
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Self(steps, sides) = self;
        let Some(&last) = steps.last() else { return 0.0 };
        // SAFETY: here and below, `sgd` has checked that every row that the cell names exists.
        let mut first = unsafe { steps[0].ready::<L>(&sides) };
        // SAFETY: see above.
        let mut second = unsafe { steps.get(1).copied().unwrap_or(last).ready::<L>(&sides) };
        let (mut total, mut squares) = (0.0, 0.0);
        let (nearer, stretch) = (NEARER / S::RATINGS, STRETCH / S::RATINGS);
        // Two steps per turn, so that no product changes its register; as long as there are steps to
        // prefetch.
        let steady = steps.len().saturating_sub(nearer) / 2 * 2;
        for from in (0..steady).step_by(stretch) {
            let to = (from + stretch).min(steady);
            let [now, next, near] = [0, AHEAD, nearer].map(|by| steps[from + by..to + by].as_chunks::<2>().0);
            for ((now, next), near) in now.iter().zip(next).zip(near) {
                // SAFETY: see above.
                unsafe {
                    near[0].prefetch::<L>(&sides);
                    first = now[0].turn::<L>(&sides, first, next[0], &mut squares);
                    near[1].prefetch::<L>(&sides);
                    second = now[1].turn::<L>(&sides, second, next[1], &mut squares);
                }
            }
            total += f64::from(std::mem::take(&mut squares));
        }
        let rest = &steps[steady..];
        for (at, step) in rest.iter().enumerate() {
            let next = rest.get(at + AHEAD).copied().unwrap_or(last);
            // SAFETY: see above.
            (first, second) = (second, unsafe { step.turn::<L>(&sides, first, next, &mut squares) });
        }
        total + f64::from(squares)
    }
}
