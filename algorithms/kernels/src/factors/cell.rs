//! Operands of gradient steps: the ratings of a cell, the rows of both sides, and the steps.

use raddle_base::State;
use raddle_base::state::{Reader, StateError, Writer};

use super::extent::Extent;
use super::lanes::{LANES, Vector};
use super::rating::{Rating, pair};
use super::ratings::Ratings;

/// Number of ratings whose errors are computed together when they are only measured.
pub(super) const GROUP: usize = 4;

/// Number of steps by which the products of a step's ratings are computed ahead.
pub(super) const AHEAD: usize = 2;

/// Ratings of a cell, and bounds on the rows that they name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// The ratings: first in pairs of one user and different items, as far as there are any.
    ratings: Ratings,
    /// Number of pairs.
    pairs: usize,
    users: usize,
    items: usize,
}

impl Cell {
    /// Takes ratings in the given order, and finds the bounds of their rows.
    pub fn as_given(ratings: Ratings) -> Self {
        let extent = Extent::of(std::slice::from_ref(&ratings));
        Self::with_pairs(ratings, 0, &extent)
    }

    /// Takes ratings in the given order, which start with at least `pairs` pairs, and bounds of their rows.
    pub(super) fn with_pairs(ratings: Ratings, pairs: usize, extent: &Extent) -> Self {
        // Neighbours may happen to be pairs, and would count as such when the cell is read back.
        let more = ratings[2 * pairs..].as_chunks().0.iter().take_while(|&&[a, b]| pair(a, b)).count();
        Self { ratings, pairs: pairs + more, users: extent.users, items: extent.items }
    }

    /// Returns the ratings step by step: pairs, then single ones.
    pub(super) fn steps(&self) -> (&[[Rating; 2]], &[Rating]) {
        let (pairs, singles) = self.ratings.split_at(2 * self.pairs);
        (pairs.as_chunks().0, singles)
    }

    /// Checks that both sides have the rows that the cell names, and are equally wide.
    ///
    /// # Panics
    /// If not.
    pub(super) fn check(&self, users: &Rows, items: &Rows) {
        let width = users.width;
        assert!(
            width == items.width && width.is_multiple_of(LANES) && width > 0,
            "rows of both sides are as wide"
        );
        for (side, rows) in [(users, self.users), (items, self.items)] {
            let there = side.factors.len() * LANES >= rows * width && side.biases.len() >= rows;
            assert!(there, "a cell names rows that are there");
            assert!(side.scales.is_empty() || side.scales.len() >= rows, "each row has its scales");
        }
    }

    /// Returns the ratings, in the order of the steps.
    pub fn ratings(&self) -> &[Rating] {
        &self.ratings
    }
}

/// Rows of one side: factors, one row of `width` values after another, and biases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Number of values in a row: the rank, rounded up to whole vectors of 16.
    pub width: usize,
    /// Factors, rows x width.
    pub factors: Vec<Vector>,
    /// Bias of each row.
    pub biases: Vec<f32>,
    /// Factors of each row's steps; empty if all are 1.
    pub scales: Vec<Scale>,
}

/// Factors of a row's steps, and additional factors of its decay and of its bias's.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Scale {
    /// Factor of the steps.
    pub step: f32,
    /// Factor of the decay of factors.
    pub decay: f32,
    /// Factor of the decay of the bias.
    pub bias_decay: f32,
}

/// The steps of an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Steps {
    /// e, the step of factors.
    pub factor: f32,
    /// l, the decay of factors.
    pub decay: f32,
    /// e', the step of biases; 0 keeps them.
    pub bias: f32,
    /// l', the decay of biases.
    pub bias_decay: f32,
    /// Factors of the steps of users, and of items.
    pub shares: (f32, f32),
    /// `true` if factors stay at 0 or above.
    pub non_negative: bool,
}

raddle_base::state!(Steps { factor, decay, bias, bias_decay, shares, non_negative });

/// The bounds are recomputed when read, not trusted.
impl State for Cell {
    fn save(&self, out: &mut Writer) {
        out.write(&self.ratings);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(Self::as_given(from.read()?))
    }
}

impl State for Rows {
    fn save(&self, out: &mut Writer) {
        out.write(&self.width);
        out.write(&self.factors.len());
        out.put(bytemuck::cast_slice(&self.factors));
        out.write(&self.biases);
        out.write(&self.scales.len());
        out.put(bytemuck::cast_slice(&self.scales));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        fn values<T: bytemuck::Pod>(from: &mut Reader<'_>) -> Result<Vec<T>, StateError> {
            let count = usize::load(from)?.checked_mul(size_of::<T>()).ok_or(StateError::new("rows"))?;
            let bytes = from.take(count, "rows")?;
            Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
        }
        Ok(Self { width: from.read()?, factors: values(from)?, biases: from.read()?, scales: values(from)? })
    }
}
