//! Exact sums: a [`Grid`] rounds each number once to a multiple of 2^-f, and [`ExactSums`] adds such numbers
//! as integers, so that no order and no grouping of the terms changes a bit.
//!
//! A number is rounded by one addition of 1.5 x 2^52, whose result has the integer in its low bits: those
//! bits are added as they are, and what 1.5 x 2^52 has added is subtracted once, at the end.

use thiserror::Error;

/// Most bits of a term: 1.5 x 2^52 rounds numbers up to 2^51.
const MOST: u32 = 51;
/// Fewest bits of a term that a grid is made for.
const FEWEST: u32 = 24;
/// 1.5 x 2^52.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// Bits of 1.5 x 2^52, which every term adds.
const OFFSET: i64 = ROUNDER.to_bits() as i64;
/// Limits on the exponent of a bound, so that no scaled number leaves the range of normal numbers.
const EXPONENTS: std::ops::RangeInclusive<i64> = -900..=900;

/// Why numbers cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ExactError {
    /// A number beyond its bound.
    #[error("number {at} of a term is {value}, beyond its bound {bound}")]
    Beyond {
        /// Position of the number in the term.
        at: usize,
        /// The number.
        value: f64,
        /// Bound of the number.
        bound: f64,
    },
    /// More terms than the grid was made for.
    #[error("there are more than {0} terms, for which the grid was made")]
    Terms(u64),
}

/// The multiples of 2^-f to which numbers of at most a bound are rounded, so fine that the sum of so many
/// terms stays below 2^63 of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    bound: f64,
    terms: u64,
    bits: u32,
    /// 2^f.
    scale: f64,
}

impl Grid {
    /// Makes the grid of sums of at most `terms` numbers of at most `bound`; `None` if the bound is no usual
    /// number, or so many terms leave too few bits for each.
    pub fn new(bound: f64, terms: u64) -> Option<Self> {
        let bits = 63_u32.checked_sub(u64::BITS - terms.leading_zeros())?.min(MOST);
        let exponent = exponent_above(bound);
        let fits = bound > 0.0 && bound.is_finite() && EXPONENTS.contains(&exponent) && bits >= FEWEST;
        fits.then(|| Self { bound, terms, bits, scale: power(i64::from(bits) - exponent) })
    }

    /// Returns 2^-f, twice the largest error of a rounded term.
    pub fn step(&self) -> f64 {
        self.scale.recip()
    }

    /// Returns the number for a word of [`ExactSums::words`], rounded once.
    pub fn value(&self, sum: i64) -> f64 {
        sum as f64 / self.scale
    }

    /// Returns the number for the two words of [`ExactSums::wide`], rounded once.
    pub fn wide_value(&self, high: i64, low: i64) -> f64 {
        ((i128::from(high) << self.bits) + i128::from(low)) as f64 / power(i64::from(self.bits)) / self.scale
    }
}

/// Returns the smallest power of two that is not below a positive number; 1 for 0.
pub fn power_above(number: f64) -> f64 {
    if number > 0.0 { power(exponent_above(number).clamp(-1022, 1023)) } else { 1.0 }
}

/// Returns the exponent of the smallest power of two that is not below a normal number.
fn exponent_above(number: f64) -> i64 {
    let bits = number.to_bits();
    let is_between = bits & ((1 << 52) - 1) != 0;
    ((bits >> 52) & 0x7ff) as i64 - 1023 + i64::from(is_between)
}

/// Returns 2^exponent, of a normal number.
fn power(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Sums of numbers on a grid. Each term has a number for every sum.
///
/// ```
/// use raddle::exact::{ExactSums, Grid};
///
/// let terms = [[1e16, 0.1], [1.0, 0.2], [-1e16, 0.3]];
/// let grid = Grid::new(1e16, 3).unwrap();
/// let sums = |order: [usize; 3]| {
///     let mut sums = ExactSums::wide(grid, 2);
///     order.map(|at| sums.add(&terms[at]).unwrap());
///     sums.words()
/// };
/// let words = sums([0, 1, 2]);
/// assert_eq!(words, sums([1, 2, 0])); // in floating-point numbers the first sum would be 0 or 1
/// assert_eq!(grid.wide_value(words[0], words[2]), 1.0);
/// ```
#[derive(Debug, Clone)]
pub struct ExactSums {
    grid: Grid,
    high: Vec<i64>,
    /// Sums of what is left of the numbers, in units that are 2^bits finer; empty unless they are wide.
    low: Vec<i64>,
    terms: u64,
}

impl ExactSums {
    /// Makes so many sums of no terms, with a word for each.
    pub fn new(grid: Grid, count: usize) -> Self {
        Self { grid, high: vec![0; count], low: Vec::new(), terms: 0 }
    }

    /// Makes so many sums of no terms, with two words for each, where bounds are loose or many bits are asked
    /// for.
    pub fn wide(grid: Grid, count: usize) -> Self {
        Self { low: vec![0; count], ..Self::new(grid, count) }
    }

    fn count(&mut self, terms: usize) -> Result<(), ExactError> {
        self.terms = self.terms.saturating_add(terms as u64);
        if self.terms > self.grid.terms { Err(ExactError::Terms(self.grid.terms)) } else { Ok(()) }
    }

    /// Adds a term, with a number for each sum.
    ///
    /// # Errors
    /// If a number is beyond the bound, or there are too many terms; the sums are then of no use.
    pub fn add(&mut self, numbers: &[f64]) -> Result<(), ExactError> {
        self.count(1)?;
        let Grid { bound, bits, scale, .. } = self.grid;
        within(numbers, bound)?;
        let finer = power(i64::from(bits));
        let mut low = self.low.iter_mut();
        for (sum, number) in self.high.iter_mut().zip(numbers) {
            let scaled = number * scale;
            let rounded = scaled + ROUNDER;
            *sum = sum.wrapping_add(rounded.to_bits() as i64);
            if let Some(low) = low.next() {
                // The difference is exact, and at most a half.
                let rest = (scaled - (rounded - ROUNDER)) * finer;
                *low = low.wrapping_add((rest + ROUNDER).to_bits() as i64);
            }
        }
        Ok(())
    }

    /// Adds the lower triangles of r x x', one line after the other, for the rows x, one after the other, and
    /// their factors r. No entry of a row may be beyond 1, and no factor beyond the bound.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_products(&mut self, factors: &[f64], rows: &[f64]) -> Result<(), ExactError> {
        self.count(factors.len())?;
        within(factors, self.grid.bound)?;
        within(rows, 1.0)?;
        kernel::run(kernel::Products { sums: &mut self.high, factors, rows, scale: self.grid.scale });
        Ok(())
    }

    /// Returns a word for each sum; of wide ones, then the lower word of each. Words of the same sums of
    /// other terms are added one by one, and do not overflow as long as all terms together are as many as the
    /// grid was made for.
    pub fn words(self) -> Vec<i64> {
        let added = OFFSET.wrapping_mul(self.terms as i64);
        self.high.into_iter().chain(self.low).map(|word| word.wrapping_sub(added)).collect()
    }
}

/// Cuts a list at these shares of its length, which rise up to 1.
pub fn recut<T>(all: Vec<T>, ends: &[f64]) -> Vec<Vec<T>> {
    let (count, mut all, mut start) = (all.len(), all.into_iter(), 0);
    let piece = |end: &f64| {
        let end = ((end * count as f64) as usize).clamp(start, count);
        let piece = all.by_ref().take(end - start).collect();
        start = end;
        piece
    };
    ends.iter().map(piece).collect()
}

/// Checks that numbers are within a bound.
fn within(numbers: &[f64], bound: f64) -> Result<(), ExactError> {
    match numbers.iter().position(|number| number.is_nan() || number.abs() > bound) {
        Some(at) => Err(ExactError::Beyond { at, value: numbers[at], bound }),
        None => Ok(()),
    }
}

#[allow(unreachable_pub, reason = "a trait and a function of a macro that are public elsewhere")]
mod kernel {
    //! The loop that takes the time, in each vector form: it has no products that are fused with sums.

    use super::ROUNDER;

    /// A vector form: the compiler makes vectors of the same loops in each.
    pub trait Form {}
    pub struct Loops;
    impl Form for Loops {}

    crate::vector_kernels!(Form: Loops, Loops, Loops);

    /// Adds rounded products to the lines of a lower triangle.
    pub struct Products<'a> {
        pub sums: &'a mut [i64],
        pub factors: &'a [f64],
        pub rows: &'a [f64],
        pub scale: f64,
    }

    impl Kernel for Products<'_> {
        type Output = ();

        #[inline(always)]
        fn run<F: Form>(self) {
            let Self { mut sums, factors, rows, scale } = self;
            let width = rows.len() / factors.len().max(1);
            // Line by line, so that a line stays near while all rows are added to it.
            for at in 0..width {
                let (line, rest) = sums.split_at_mut(at + 1);
                for (factor, row) in factors.iter().zip(rows.chunks_exact(width)) {
                    let by = factor * row[at] * scale;
                    for (sum, x) in line.iter_mut().zip(row) {
                        *sum = sum.wrapping_add((by * x + ROUNDER).to_bits() as i64);
                    }
                }
                sums = rest;
            }
        }
    }
}

#[cfg(test)]
mod tests;
