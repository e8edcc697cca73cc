//! Steps for two ratings of one user at once, on the rows of both sides.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::lanes::{LANES, Lanes};
use super::rating::Rating;
use super::sides::{LONG, Sides, Step, load, store};

/// Two ratings of one user whose products have been computed: the address of p, those of the two q, and the
/// products.
#[derive(Clone, Copy)]
pub(super) struct ReadyPair(*mut f32, [*mut f32; 2], [f32; 2]);

impl<const C: usize, const U: bool> Step<C, U> for [Rating; 2] {
    const RATINGS: usize = 2;
    type Ready = ReadyPair;

    #[inline(always)]
    unsafe fn ready<L: Lanes>(self, sides: &Sides<'_, C, U>) -> ReadyPair {
        let ((p, first), (_, second)) = (sides.rows(self[0]), sides.rows(self[1]));
        // SAFETY: the caller vouches for the rows.
        ReadyPair(p, [first, second], unsafe { sides.products::<L>(p, [first, second]) })
    }

    #[inline(always)]
    unsafe fn turn<L: Lanes>(
        self,
        sides: &Sides<'_, C, U>,
        ReadyPair(p, q, products): ReadyPair,
        next: Self,
        squares: &mut f32,
    ) -> ReadyPair {
        let [a, b] = self;
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let errors = sides.errors(self, products);
            *squares = errors[1].mul_add(errors[1], errors[0].mul_add(errors[0], *squares));
            let by = Sides::<'_, C, U>::by;
            let of_p = by(errors[0] + errors[1], 2.0, sides.users, a.user);
            let of_q = [by(errors[0], 1.0, sides.items, a.item), by(errors[1], 1.0, sides.items, b.item)];
            let next = next.ready::<L>(sides);
            let [first, second] = errors.map(|error| L::splat(of_p.step * error));
            for at in (0..sides.chunks()).map(|chunk| chunk * LANES) {
                let (old, others) = (load::<L>(p.add(at)), q.map(|q| load::<L>(q.add(at))));
                for n in 0..2 {
                    let kept = others[n].mul(L::splat(of_q[n].keep));
                    store(sides.bounded(L::splat(of_q[n].step * errors[n]).mul_add(old, kept)), q[n].add(at));
                }
                let new = first.mul_add(others[0], old.mul(L::splat(of_p.keep)));
                store(sides.bounded(second.mul_add(others[1], new)), p.add(at));
            }
            next
        }
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(self, sides: &Sides<'_, C, U>) {
        sides.prefetch::<L>(sides.users, self[0].user);
        self.iter().for_each(|rating| sides.prefetch::<L>(sides.items, rating.item));
    }
}

impl<const CHUNKS: usize, const UNEVEN: bool> Sides<'_, CHUNKS, UNEVEN> {
    /// Returns p.q of both ratings, each equal to that of a single one.
    ///
    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn products<L: Lanes>(&self, p: *mut f32, q: [*mut f32; 2]) -> [f32; 2] {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let chains = if self.chunks() < LONG { 1 } else { 2 };
            let mut chain = [[L::zero(); 2]; 2];
            for chunk in 0..self.chunks() {
                let of_p = load::<L>(p.add(chunk * LANES));
                for n in 0..2 {
                    let (of_q, sum) = (load::<L>(q[n].add(chunk * LANES)), &mut chain[chunk % chains][n]);
                    *sum = if chunk < chains { of_p.mul(of_q) } else { of_p.mul_add(of_q, *sum) };
                }
            }
            let [[a, b], [odd_a, odd_b]] = chain;
            L::sums_of_two(if chains == 1 { [a, b] } else { [a.add(odd_a), b.add(odd_b)] })
        }
    }
}
