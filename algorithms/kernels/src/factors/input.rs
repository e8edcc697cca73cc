//! Extremes and moments of the input.

use super::lanes::Lanes;
use super::{Kernel, run};

in_every_form! {
    /// Returns the largest of these rows; 0 if there are none.
    pub fn largest(rows: &[u32]) -> u32 = largest_in;

    /// `true` if all values are finite.
    pub fn all_finite(values: &[f32]) -> bool = all_finite_in;

    /// Returns the sum of the values and of their squares, in eight lanes that are added in order.
    pub fn moments(values: &[f32]) -> (f64, f64) = moments_in;
}

#[inline(always)]
fn largest_in<L: Lanes>(rows: &[u32]) -> u32 {
    rows.iter().fold(0, |largest, &row| largest.max(row))
}

#[inline(always)]
fn all_finite_in<L: Lanes>(values: &[f32]) -> bool {
    // A number for each value, not a boolean: booleans would be narrowed one by one.
    values.iter().fold(0, |wrong, value| wrong | u32::from(!value.is_finite())) == 0
}

/// Like [`moments`], for values that arrive one after another, with the same bits.
#[derive(Debug, Clone, Default)]
pub struct Moments {
    sums: [f64; 8],
    squares: [f64; 8],
    lane: usize,
}

impl Moments {
    /// Adds the next value.
    #[inline]
    pub fn add(&mut self, value: f32) {
        let value = f64::from(value);
        self.sums[self.lane] += value;
        self.squares[self.lane] += value * value;
        self.lane = (self.lane + 1) % 8;
    }

    /// Returns the sum of all values so far, and of their squares.
    pub fn sums(&self) -> (f64, f64) {
        (self.sums.iter().sum(), self.squares.iter().sum())
    }
}

#[inline(always)]
fn moments_in<L: Lanes>(values: &[f32]) -> (f64, f64) {
    let (mut sums, mut squares) = ([0.0_f64; 8], [0.0_f64; 8]);
    let (groups, rest) = values.as_chunks::<8>();
    for group in groups {
        for lane in 0..8 {
            let value = f64::from(group[lane]);
            sums[lane] += value;
            squares[lane] += value * value;
        }
    }
    for (lane, &value) in rest.iter().enumerate() {
        sums[lane] += f64::from(value);
        squares[lane] += f64::from(value) * f64::from(value);
    }
    (sums.iter().sum(), squares.iter().sum())
}
