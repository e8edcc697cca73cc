//! Gradient steps where rows are long: one rating after the other, the next rows read before the last are written.
//!
//! The result is that of the plain loop, bit by bit. What is done beyond it: the rows of the next rating are in registers
//! before those of the last are written, unless it is the same row. A processor takes a read for one of what is still
//! being written where both lie at the same place of a page of 4 KiB, and holds it back; long rows have few such places,
//! and a loop that writes first waits at every second rating.

#![allow(unsafe_code)] // rows are bound to be there by `Cell`, checked once, not at every rating

use super::Kernel;
use super::cell::Rating;
use super::lanes::{LANES, Lanes};
use super::sides::{Move, Sides, load, store};

/// How many ratings ahead rows are brought nearer.
const AHEAD: usize = 5;

/// Ratings whose squared errors are added up in single precision, which holds so many well.
const STRETCH: usize = 4096;

/// `CHUNKS` vectors a row; `UNEVEN` where rows have scales or stay positive.
pub(super) struct Long<'a, const CHUNKS: usize, const UNEVEN: bool>(
    pub(super) &'a [Rating],
    pub(super) Sides<'a, CHUNKS, UNEVEN>,
);

impl<const CHUNKS: usize, const UNEVEN: bool> Kernel for Long<'_, CHUNKS, UNEVEN> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let Self(ratings, sides) = self;
        let mut total = 0.0;
        for ratings in ratings.chunks(STRETCH) {
            // SAFETY: `sgd` has checked that every row that the cell names is there.
            total += f64::from(unsafe {
                if 4 * CHUNKS <= L::REGISTERS {
                    in_registers::<L, CHUNKS, UNEVEN>(ratings, &sides)
                } else {
                    in_memory::<L, CHUNKS, UNEVEN>(ratings, &sides)
                }
            });
        }
        total
    }
}

/// Whether two ratings share a row.
#[inline(always)]
fn meet(a: Rating, b: Rating) -> bool {
    (a.user == b.user) | (a.item == b.item)
}

/// Steps with both rows of a rating in registers. Returns the sum of the squared errors.
///
/// # Safety
/// Every row that the ratings name is there.
#[inline(always)]
unsafe fn in_registers<L: Lanes, const CHUNKS: usize, const UNEVEN: bool>(
    ratings: &[Rating],
    sides: &Sides<'_, CHUNKS, UNEVEN>,
) -> f32 {
    let Some(&(mut last)) = ratings.first() else { return 0.0 };
    let mut squares = 0.0;
    // SAFETY: the caller vouches for the rows.
    unsafe {
        let mut held = Held::<L, CHUNKS>::read(sides, last);
        for number in 1..ratings.len() {
            sides.prefetch::<L>(ratings[(number + AHEAD).min(ratings.len() - 1)]);
            let next = ratings[number];
            let moves = sides.take(last, held.product(), &mut squares);
            if meet(last, next) {
                held.write(sides, last, moves);
                held = Held::read(sides, next);
            } else {
                held = held.exchange(sides, last, moves, next);
            }
            last = next;
        }
        let moves = sides.take(last, held.product(), &mut squares);
        held.write(sides, last, moves);
    }
    squares
}

/// The same where registers do not hold two rows: these are read again to be moved.
///
/// # Safety
/// Every row that the ratings name is there.
#[inline(always)]
unsafe fn in_memory<L: Lanes, const CHUNKS: usize, const UNEVEN: bool>(
    ratings: &[Rating],
    sides: &Sides<'_, CHUNKS, UNEVEN>,
) -> f32 {
    let Some(&(mut last)) = ratings.first() else { return 0.0 };
    let mut squares = 0.0;
    // SAFETY: the caller vouches for the rows.
    unsafe {
        let mut product = sides.product::<L>(last);
        for &next in &ratings[1..] {
            let moves = sides.take(last, product, &mut squares);
            if meet(last, next) {
                sides.step::<L>(last, moves);
                product = sides.product::<L>(next);
            } else {
                product = sides.product::<L>(next);
                sides.step::<L>(last, moves);
            }
            last = next;
        }
        let moves = sides.take(last, product, &mut squares);
        sides.step::<L>(last, moves);
    }
    squares
}

/// The rows of a rating.
struct Held<L, const CHUNKS: usize> {
    user: [L; CHUNKS],
    item: [L; CHUNKS],
}

impl<L: Lanes, const CHUNKS: usize> Held<L, CHUNKS> {
    /// # Safety
    /// The rows are there.
    #[inline(always)]
    unsafe fn read<const UNEVEN: bool>(sides: &Sides<'_, CHUNKS, UNEVEN>, rating: Rating) -> Self {
        let (p, q) = sides.rows(rating);
        let mut held = Self { user: [L::zero(); CHUNKS], item: [L::zero(); CHUNKS] };
        for chunk in 0..CHUNKS {
            // SAFETY: the caller vouches for the rows.
            unsafe {
                held.user[chunk] = load(p.add(chunk * LANES));
                held.item[chunk] = load(q.add(chunk * LANES));
            }
        }
        held
    }

    /// p.q.
    #[inline(always)]
    fn product(&self) -> f32 {
        let mut lanes = self.user[0].mul(self.item[0]);
        for chunk in 1..CHUNKS {
            lanes = self.user[chunk].mul_add(self.item[chunk], lanes);
        }
        lanes.sum()
    }

    /// Moves the rows of a rating and writes them.
    ///
    /// # Safety
    /// They are there.
    #[inline(always)]
    unsafe fn write<const UNEVEN: bool>(
        &self,
        sides: &Sides<'_, CHUNKS, UNEVEN>,
        rating: Rating,
        (of_p, of_q): (Move, Move),
    ) {
        let (p, q) = sides.rows(rating);
        for chunk in 0..CHUNKS {
            let (new_p, new_q) = sides.moved(self.user[chunk], self.item[chunk], of_p, of_q);
            // SAFETY: the caller vouches for the rows.
            unsafe {
                store(new_p, p.add(chunk * LANES));
                store(new_q, q.add(chunk * LANES));
            }
        }
    }

    /// Reads the rows of the next rating and writes those of the last, which are others: vector by vector, as all at
    /// once would need twice the registers, and a vector is never at the place of another one of its row.
    ///
    /// # Safety
    /// All are there.
    #[inline(always)]
    unsafe fn exchange<const UNEVEN: bool>(
        mut self,
        sides: &Sides<'_, CHUNKS, UNEVEN>,
        last: Rating,
        (of_p, of_q): (Move, Move),
        next: Rating,
    ) -> Self {
        let ((to_p, to_q), (p, q)) = (sides.rows(last), sides.rows(next));
        for chunk in 0..CHUNKS {
            let at = chunk * LANES;
            let (new_p, new_q) = sides.moved(self.user[chunk], self.item[chunk], of_p, of_q);
            // SAFETY: the caller vouches for the rows.
            unsafe {
                (self.user[chunk], self.item[chunk]) = (load(p.add(at)), load(q.add(at)));
                store(new_p, to_p.add(at));
                store(new_q, to_q.add(at));
            }
        }
        self
    }
}
