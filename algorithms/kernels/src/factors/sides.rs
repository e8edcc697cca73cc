//! [`Sides`]: the rows of both sides while a cell is trained, and the effect of a rating on them.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::cell::{Rows, Scale, Steps};
use super::lanes::{LANES, Lanes};
use super::rating::Rating;

/// A step of gradient descent: one rating, or two of one user.
pub(super) trait Step<const C: usize, const U: bool>: Copy {
    /// Number of ratings in a step.
    const RATINGS: usize;
    /// The addresses of the step's rows, and their products.
    type Ready: Copy;

    /// Computes the products of the step.
    ///
    /// # Safety
    /// The rows are there.
    unsafe fn ready<L: Lanes>(self, sides: &Sides<'_, C, U>) -> Self::Ready;

    /// Takes the step, which is ready, and computes the products of another one before its rows change.
    /// Without a branch: the two are independent, and the compiler interleaves them.
    ///
    /// # Safety
    /// The rows are there; where a step names two items, they differ.
    unsafe fn turn<L: Lanes>(
        self,
        sides: &Sides<'_, C, U>,
        ready: Self::Ready,
        next: Self,
        squares: &mut f32,
    ) -> Self::Ready;

    /// Prefetches the rows of the step, and its other data if that may not be in the cache.
    fn prefetch<L: Lanes>(self, sides: &Sides<'_, C, U>);
}

/// Memory of both sides and the steps, held by value: fields behind a pointer would be read again after every
/// write.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a, const CHUNKS: usize, const UNEVEN: bool> {
    pub(super) users: Side,
    pub(super) items: Side,
    non_negative: bool,
    chunks: usize,
    held: std::marker::PhantomData<&'a mut Rows>,
}

/// Memory and steps of one side.
#[derive(Clone, Copy)]
pub(super) struct Side {
    factors: *mut f32,
    biases: *mut f32,
    scales: *const Scale,
    factor: f32,
    bias: f32,
    /// e l; the next field is e' l'.
    decay: f32,
    bias_decay: f32,
}

impl Side {
    fn new(rows: &mut Rows, steps: &Steps, share: f32) -> Self {
        let (factor, bias) = (steps.factor * share, steps.bias * share);
        let (decay, bias_decay) = (factor * steps.decay, bias * steps.bias_decay);
        Self {
            factors: rows.factors.as_mut_ptr().cast(),
            biases: rows.biases.as_mut_ptr(),
            scales: if rows.scales.is_empty() { std::ptr::null() } else { rows.scales.as_ptr() },
            factor,
            bias,
            decay,
            bias_decay,
        }
    }
}

/// From this number of vectors on, products are summed in two chains, since each addition waits for the one
/// before.
pub(super) const LONG: usize = 8;

/// Addresses of the rows of a rating: p and q.
pub(super) type Pair = (*mut f32, *mut f32);

/// The rows of a rating whose product has been computed, and the product.
#[derive(Clone, Copy)]
pub(super) struct Ready(Pair, f32);

/// Change of a row: `row = keep * row + step * error * other row`, for the error and the other row of each
/// rating.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) keep: f32,
    pub(super) step: f32,
}

impl<const CHUNKS: usize, const UNEVEN: bool> Sides<'_, CHUNKS, UNEVEN> {
    /// Borrows both sides until it is dropped. `chunks` is `CHUNKS` unless that is 0.
    pub(super) fn new(users: &mut Rows, items: &mut Rows, steps: &Steps, chunks: usize) -> Self {
        let (users, items) =
            (Side::new(users, steps, steps.shares.0), Side::new(items, steps, steps.shares.1));
        Self { users, items, non_negative: steps.non_negative, chunks, held: std::marker::PhantomData }
    }

    /// Returns the addresses of the rows of a rating.
    #[inline(always)]
    pub(super) fn rows(&self, rating: Rating) -> Pair {
        let width = LANES * self.chunks();
        let (user, item) = (usize::from(rating.user) * width, usize::from(rating.item) * width);
        (self.users.factors.wrapping_add(user), self.items.factors.wrapping_add(item))
    }

    /// Prefetches a row of one side, and its other data if that may not be in the cache.
    #[inline(always)]
    pub(super) fn prefetch<L: Lanes>(&self, side: Side, row: u16) {
        let factors = side.factors.wrapping_add(usize::from(row) * LANES * self.chunks());
        (0..self.chunks()).for_each(|chunk| L::prefetch(factors.wrapping_add(chunk * LANES)));
        // Sides that differ much are often sparse: their biases and scales are then as far away as their
        // rows.
        if UNEVEN {
            L::prefetch(side.biases.wrapping_add(row.into()));
            L::prefetch(side.scales.wrapping_add(row.into()).cast::<f32>());
        }
    }

    /// Returns the number of vectors in a row.
    #[inline(always)]
    pub(super) fn chunks(&self) -> usize {
        if CHUNKS == 0 { self.chunks } else { CHUNKS }
    }

    /// Returns p.q: the sums of lanes over all vectors, or over even and over odd ones if there are at least
    /// [`LONG`].
    ///
    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn product<L: Lanes>(&self, (p, q): Pair) -> f32 {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let times = |chunk: usize| load::<L>(p.add(chunk * LANES)).mul(load(q.add(chunk * LANES)));
            let plus =
                |chunk: usize, sum| load::<L>(p.add(chunk * LANES)).mul_add(load(q.add(chunk * LANES)), sum);
            let mut even = times(0);
            if self.chunks() < LONG {
                for chunk in 1..self.chunks() {
                    even = plus(chunk, even);
                }
                return even.sum();
            }
            let mut odd = times(1);
            for chunk in 2..self.chunks() {
                match chunk % 2 {
                    0 => even = plus(chunk, even),
                    _ => odd = plus(chunk, odd),
                }
            }
            even.add(odd).sum()
        }
    }

    /// Returns the errors of ratings of one user, given the products of their rows.
    ///
    /// # Safety
    /// The rows are there.
    #[inline(always)]
    pub(super) unsafe fn errors<const N: usize>(&self, ratings: [Rating; N], products: [f32; N]) -> [f32; N] {
        // SAFETY: the caller vouches for the rows.
        let b = unsafe { *self.users.biases.add(ratings[0].user.into()) };
        std::array::from_fn(|n| {
            // SAFETY: likewise.
            let c = unsafe { *self.items.biases.add(ratings[n].item.into()) };
            ratings[n].value - (b + c) - products[n]
        })
    }

    /// Adds the error of a rating, given the product of its rows, to the squares, and updates the biases.
    /// Returns the changes of its rows, and the error.
    ///
    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn take(&self, rating: Rating, product: f32, squares: &mut f32) -> (Move, Move, f32) {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let [error] = self.errors([rating], [product]);
            *squares = error.mul_add(error, *squares);
            let of_p = Self::by(error, 1.0, self.users, rating.user);
            (of_p, Self::by(error, 1.0, self.items, rating.item), error)
        }
    }

    /// Changes the rows of a rating.
    ///
    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn step<L: Lanes>(&self, (p, q): Pair, of_p: Move, of_q: Move, error: f32) {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            for at in (0..self.chunks()).map(|chunk| chunk * LANES) {
                let (old_p, old_q) = (load::<L>(p.add(at)), load::<L>(q.add(at)));
                let new_p = L::splat(of_p.step * error).mul_add(old_q, old_p.mul(L::splat(of_p.keep)));
                let new_q = L::splat(of_q.step * error).mul_add(old_p, old_q.mul(L::splat(of_q.keep)));
                store(self.bounded(new_p), p.add(at));
                store(self.bounded(new_q), q.add(at));
            }
        }
    }

    /// Changes the bias of a row by the errors of `count` ratings, whose sum is `error`, and returns the
    /// change of its factors.
    ///
    /// # Safety
    /// The row is there.
    #[inline(always)]
    pub(super) unsafe fn by(error: f32, count: f32, side: Side, row: u16) -> Move {
        // SAFETY: the caller vouches for the row.
        let to = unsafe { &mut *side.biases.add(row.into()) };
        let (decay, bias_decay) = (count * side.decay, count * side.bias_decay);
        if !UNEVEN || side.scales.is_null() {
            *to = side.bias.mul_add(error, *to * (1.0 - bias_decay));
            return Move { keep: 1.0 - decay, step: side.factor };
        }
        // SAFETY: the caller vouches for the row.
        let scale = unsafe { *side.scales.add(row.into()) };
        let kept = *to * (1.0 - bias_decay * scale.step * scale.bias_decay);
        *to = (side.bias * scale.step).mul_add(error, kept);
        Move { keep: 1.0 - decay * scale.step * scale.decay, step: side.factor * scale.step }
    }

    /// Clips rows that may not be negative at 0.
    #[inline(always)]
    pub(super) fn bounded<L: Lanes>(&self, row: L) -> L {
        if UNEVEN && self.non_negative { row.positive() } else { row }
    }
}

impl<const C: usize, const U: bool> Step<C, U> for Rating {
    const RATINGS: usize = 1;
    type Ready = Ready;

    #[inline(always)]
    unsafe fn ready<L: Lanes>(self, sides: &Sides<'_, C, U>) -> Ready {
        let rows = sides.rows(self);
        // SAFETY: the caller vouches for the rows.
        Ready(rows, unsafe { sides.product::<L>(rows) })
    }

    #[inline(always)]
    unsafe fn turn<L: Lanes>(
        self,
        sides: &Sides<'_, C, U>,
        Ready(rows, product): Ready,
        next: Self,
        squares: &mut f32,
    ) -> Ready {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let (of_p, of_q, error) = sides.take(self, product, squares);
            let next = next.ready::<L>(sides);
            sides.step::<L>(rows, of_p, of_q, error);
            next
        }
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(self, sides: &Sides<'_, C, U>) {
        sides.prefetch::<L>(sides.users, self.user);
        sides.prefetch::<L>(sides.items, self.item);
    }
}

/// # Safety
/// Sixteen values are there.
#[inline(always)]
pub(super) unsafe fn load<L: Lanes>(from: *const f32) -> L {
    // SAFETY: the caller vouches for the values; an array has the alignment of its values.
    L::load(unsafe { &*from.cast() })
}

/// # Safety
/// Sixteen values are there, and nothing else refers to them.
#[inline(always)]
pub(super) unsafe fn store<L: Lanes>(value: L, to: *mut f32) {
    // SAFETY: likewise.
    value.store(unsafe { &mut *to.cast() });
}
