//! Gradient steps where rows are short, or of a length known at run time only: four errors at once.
//!
//! Ratings go four by four: the four errors z of a group are taken before the steps of the group before it, so that one
//! transposed reduction serves all four and nothing waits for it. Where groups share a row the later error is a few
//! steps behind; the steps themselves follow each other.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::Kernel;
use super::cell::{GROUP, Rating};
use super::lanes::Lanes;
use super::sides::Sides;

/// How many groups ahead rows are brought nearer; rows of unknown length are not, as they would push each other out.
const AHEAD: usize = 4;

/// `CHUNKS` vectors a row, 0 if that is known at run time only; `UNEVEN` where rows have scales or stay positive.
pub(super) struct Short<'a, const CHUNKS: usize, const UNEVEN: bool>(
    pub(super) &'a [Rating],
    pub(super) Sides<'a, CHUNKS, UNEVEN>,
);

impl<const CHUNKS: usize, const UNEVEN: bool> Kernel for Short<'_, CHUNKS, UNEVEN> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Self(ratings, sides) = self;
        let (groups, rest) = ratings.as_chunks::<GROUP>();
        let mut squares = [0.0_f32; GROUP];
        let mut total = 0.0_f64;
        let mut errors = [0.0; GROUP];
        if let Some(first) = groups.first() {
            // SAFETY: here and below, `sgd` has checked that every row that the cell names is there.
            errors = unsafe { of_group::<L, CHUNKS, UNEVEN>(&sides, first) };
        }
        for (number, group) in groups.iter().enumerate() {
            if let Some(ahead) = groups.get(number + AHEAD).filter(|_| CHUNKS > 0) {
                ahead.iter().for_each(|&rating| sides.prefetch::<L>(rating));
            }
            let now = errors;
            if let Some(next) = groups.get(number + 1) {
                // SAFETY: see above.
                errors = unsafe { of_group::<L, CHUNKS, UNEVEN>(&sides, next) };
            }
            for j in 0..GROUP {
                squares[j] = now[j].mul_add(now[j], squares[j]);
                // SAFETY: see above.
                unsafe { sides.step::<L>(group[j], sides.moves(group[j], now[j])) };
            }
            // Single precision holds a few thousand squares well.
            if number % 1024 == 1023 {
                total += squares.iter().map(|&square| f64::from(square)).sum::<f64>();
                squares = [0.0; GROUP];
            }
        }
        for &rating in rest {
            // SAFETY: see above.
            unsafe {
                let moves = sides.take(rating, sides.product::<L>(rating), &mut squares[0]);
                sides.step::<L>(rating, moves);
            }
        }
        total + squares.iter().map(|&square| f64::from(square)).sum::<f64>()
    }
}

/// The errors of a group.
///
/// # Safety
/// Every row that it names is there.
#[inline(always)]
unsafe fn of_group<L: Lanes, const CHUNKS: usize, const UNEVEN: bool>(
    sides: &Sides<'_, CHUNKS, UNEVEN>,
    group: &[Rating; GROUP],
) -> [f32; GROUP] {
    // SAFETY: the caller vouches for the rows.
    unsafe {
        let &[a, b, c, d] = group;
        let lanes = [sides.lanes::<L>(a), sides.lanes(b), sides.lanes(c), sides.lanes(d)];
        let products = L::sums(lanes);
        let mut errors = [0.0; GROUP];
        for j in 0..GROUP {
            errors[j] = sides.error(group[j], products[j]);
        }
        errors
    }
}
