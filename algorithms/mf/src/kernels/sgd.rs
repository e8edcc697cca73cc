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
//! 2009). Ratings go four by four: the four errors z are taken before the first of the four steps, so that one transposed
//! reduction serves all of them. Where a group names a row twice its second error is one step behind; the steps
//! themselves follow each other.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::cell::{Cell, GROUP, Rating, Rows, Steps};
use super::lanes::{LANES, Lanes};
use super::{Kernel, run};

/// Steps over all ratings of a cell, in their order. Returns the sum of the squared errors, each as it was met.
///
/// # Panics
/// If the cell names rows that the sides do not have, or the sides differ in width.
pub fn sgd(cell: &Cell, users: &mut Rows, items: &mut Rows, steps: &Steps) -> f64 {
    cell.check(users, items);
    let width = users.width;
    let uneven = !users.scales.is_empty() || !items.scales.is_empty() || steps.non_negative;
    let chunks = width / LANES;
    let kernel = Arguments { cell, users, items, steps, chunks };
    match (uneven, chunks) {
        (false, 1) => run(Sgd::<'_, 1, false>(kernel)),
        (false, 2) => run(Sgd::<'_, 2, false>(kernel)),
        (false, 4) => run(Sgd::<'_, 4, false>(kernel)),
        (false, 8) => run(Sgd::<'_, 8, false>(kernel)),
        (false, _) => run(Sgd::<'_, 0, false>(kernel)),
        (true, 1) => run(Sgd::<'_, 1, true>(kernel)),
        (true, 2) => run(Sgd::<'_, 2, true>(kernel)),
        (true, 4) => run(Sgd::<'_, 4, true>(kernel)),
        (true, 8) => run(Sgd::<'_, 8, true>(kernel)),
        (true, _) => run(Sgd::<'_, 0, true>(kernel)),
    }
}

/// How many groups ahead rows are brought nearer; long rows are not, as they would push each other out.
const AHEAD: usize = 4;

/// Vectors of the longest rows that are.
const SHORT: usize = 2;

struct Arguments<'a> {
    cell: &'a Cell,
    users: &'a mut Rows,
    items: &'a mut Rows,
    steps: &'a Steps,
    chunks: usize,
}

/// `CHUNKS` vectors a row, 0 if that is known at run time only; `UNEVEN` where rows have scales or stay positive.
struct Sgd<'a, const CHUNKS: usize, const UNEVEN: bool>(Arguments<'a>);

/// One side's memory.
#[derive(Clone, Copy)]
struct Side {
    factors: *mut f32,
    biases: *mut f32,
    scales: *const [f32; 2],
}

impl Side {
    fn new(rows: &mut Rows) -> Self {
        let scales = if rows.scales.is_empty() { std::ptr::null() } else { rows.scales.as_ptr() };
        Self { factors: rows.factors.as_mut_ptr().cast(), biases: rows.biases.as_mut_ptr(), scales }
    }
}

impl<const CHUNKS: usize, const UNEVEN: bool> Kernel for Sgd<'_, CHUNKS, UNEVEN> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Arguments { cell, users, items, steps, chunks } = self.0;
        let chunks = if CHUNKS == 0 { chunks } else { CHUNKS };
        let body = Body::<CHUNKS, UNEVEN>::new(users, items, *steps, chunks);
        let (groups, rest) = cell.ratings().as_chunks::<GROUP>();
        let mut squares = [0.0_f32; GROUP];
        let mut total = 0.0_f64;
        let mut errors = [0.0; GROUP];
        if let Some(first) = groups.first() {
            // SAFETY: here and below, `sgd` has checked that every row that the cell names is there.
            errors = unsafe { body.errors::<L>(first) };
        }
        for (number, group) in groups.iter().enumerate() {
            if let Some(ahead) = groups.get(number + AHEAD).filter(|_| chunks <= SHORT) {
                body.prefetch::<L>(ahead);
            }
            let now = errors;
            if let Some(next) = groups.get(number + 1) {
                // SAFETY: see above.
                errors = unsafe { body.errors::<L>(next) };
            }
            for j in 0..GROUP {
                squares[j] = now[j].mul_add(now[j], squares[j]);
                // SAFETY: see above.
                unsafe { body.step::<L>(&group[j], now[j]) };
            }
            // Single precision holds a few thousand squares well.
            if number % 1024 == 1023 {
                total += squares.iter().map(|&square| f64::from(square)).sum::<f64>();
                squares = [0.0; GROUP];
            }
        }
        for rating in rest {
            // SAFETY: see above.
            unsafe {
                let error = body.error(rating, body.product::<L>(rating).sum());
                squares[0] = error.mul_add(error, squares[0]);
                body.step::<L>(rating, error);
            }
        }
        total + squares.iter().map(|&square| f64::from(square)).sum::<f64>()
    }
}

/// Everything that the loop reads, by value: what lies behind a pointer would be read again after every step.
struct Body<const CHUNKS: usize, const UNEVEN: bool> {
    users: Side,
    items: Side,
    steps: Steps,
    /// What is left of a factor, and of a bias, after its decay.
    keep: [f32; 2],
    chunks: usize,
}

impl<const CHUNKS: usize, const UNEVEN: bool> Body<CHUNKS, UNEVEN> {
    #[inline(always)]
    fn new(users: &mut Rows, items: &mut Rows, steps: Steps, chunks: usize) -> Self {
        let keep = [1.0 - steps.factor * steps.decay, 1.0 - steps.bias * steps.bias_decay];
        Self { users: Side::new(users), items: Side::new(items), steps, keep, chunks }
    }

    #[inline(always)]
    fn width(&self) -> usize {
        self.chunks * LANES
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(&self, group: &[Rating; GROUP]) {
        for rating in group {
            let (p, q) = (usize::from(rating.user) * self.width(), usize::from(rating.item) * self.width());
            for chunk in 0..self.chunks {
                L::prefetch(self.users.factors.wrapping_add(p + chunk * LANES));
                L::prefetch(self.items.factors.wrapping_add(q + chunk * LANES));
            }
        }
    }

    /// The lane sums of p.q.
    #[inline(always)]
    unsafe fn product<L: Lanes>(&self, rating: &Rating) -> L {
        let (p, q) = (usize::from(rating.user) * self.width(), usize::from(rating.item) * self.width());
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let (p, q) = (self.users.factors.add(p), self.items.factors.add(q));
            let mut sum = load::<L>(p).mul(load(q));
            for chunk in 1..self.chunks {
                sum = load::<L>(p.add(chunk * LANES)).mul_add(load(q.add(chunk * LANES)), sum);
            }
            sum
        }
    }

    /// The errors of a group.
    #[inline(always)]
    unsafe fn errors<L: Lanes>(&self, group: &[Rating; GROUP]) -> [f32; GROUP] {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let products = L::sums([
                self.product(&group[0]),
                self.product(&group[1]),
                self.product(&group[2]),
                self.product(&group[3]),
            ]);
            let mut errors = [0.0; GROUP];
            for j in 0..GROUP {
                errors[j] = self.error(&group[j], products[j]);
            }
            errors
        }
    }

    #[inline(always)]
    unsafe fn error(&self, rating: &Rating, product: f32) -> f32 {
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let b = *self.users.biases.add(usize::from(rating.user));
            let c = *self.items.biases.add(usize::from(rating.item));
            rating.value - (b + c) - product
        }
    }

    #[inline(always)]
    unsafe fn step<L: Lanes>(&self, rating: &Rating, error: f32) {
        let (user, item) = (usize::from(rating.user), usize::from(rating.item));
        // SAFETY: the caller vouches for the rows.
        unsafe {
            let of_p = self.moves(self.users, user);
            let of_q = self.moves(self.items, item);
            for (side, row, moves) in [(self.users, user, of_p), (self.items, item, of_q)] {
                let bias = side.biases.add(row);
                *bias = moves.bias.mul_add(error, *bias * moves.keep_bias);
            }
            let (keep_p, keep_q) = (L::splat(of_p.keep_factor), L::splat(of_q.keep_factor));
            let (move_p, move_q) = (L::splat(of_p.factor * error), L::splat(of_q.factor * error));
            let p = self.users.factors.add(user * self.width());
            let q = self.items.factors.add(item * self.width());
            for chunk in 0..self.chunks {
                let (p, q) = (p.add(chunk * LANES), q.add(chunk * LANES));
                let (old_p, old_q) = (load::<L>(p), load::<L>(q));
                let mut new_p = move_p.mul_add(old_q, old_p.mul(keep_p));
                let mut new_q = move_q.mul_add(old_p, old_q.mul(keep_q));
                if UNEVEN && self.steps.non_negative {
                    (new_p, new_q) = (new_p.positive(), new_q.positive());
                }
                store(new_p, p);
                store(new_q, q);
            }
        }
    }

    /// A row's steps and what its decay leaves.
    #[inline(always)]
    unsafe fn moves(&self, side: Side, row: usize) -> Moves {
        let Steps { factor, decay, bias, bias_decay, .. } = self.steps;
        let [keep_factor, keep_bias] = self.keep;
        if !UNEVEN || side.scales.is_null() {
            return Moves { factor, keep_factor, bias, keep_bias };
        }
        // SAFETY: the caller vouches for the rows.
        let [step, besides] = unsafe { *side.scales.add(row) };
        let (factor, bias) = (factor * step, bias * step);
        let (keep_factor, keep_bias) =
            (1.0 - factor * (decay * besides), 1.0 - bias * (bias_decay * besides));
        Moves { factor, keep_factor, bias, keep_bias }
    }
}

/// The steps of one row.
#[derive(Clone, Copy)]
struct Moves {
    factor: f32,
    keep_factor: f32,
    bias: f32,
    keep_bias: f32,
}

/// # Safety
/// Sixteen values are there.
#[inline(always)]
unsafe fn load<L: Lanes>(from: *const f32) -> L {
    // SAFETY: the caller vouches for the values; an array has the alignment of its values.
    L::load(unsafe { &*from.cast() })
}

/// # Safety
/// Sixteen values are there, and nothing else refers to them.
#[inline(always)]
unsafe fn store<L: Lanes>(value: L, to: *mut f32) {
    // SAFETY: likewise.
    value.store(unsafe { &mut *to.cast() });
}
