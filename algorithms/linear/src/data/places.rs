//! [`Places`]: where each row stands in the order of a problem; equal rows of a class share a place.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use raddle::random::Stream;
use raddle_datasets::RowDigests;

/// The place of each row in the random order that sweeps follow, as neighbours in a file are often similar.
///
/// Rows with equal values and the same class share a place, where their weights add up. The primal objective
/// stays the same function, and the dual value of a place, shared out in proportion to the weights, is as
/// good as the best values of its rows. Coordinate steps over m equal rows would instead hand a dual value to
/// and fro: each pass brings them nearer by a factor of only about (s / (s + 1 / 2C))^2 for a squared norm s.
#[derive(Debug, Default)]
pub(crate) struct Places {
    of: Vec<u32>,
    /// Number of rows at each place.
    copies: Vec<u32>,
}

impl Places {
    /// Assigns places to rows with these digests and classes.
    pub(crate) fn new(digests: &RowDigests, labels: &[u32]) -> Self {
        let mut numbers: HashMap<_, u32, BuildHasherDefault<Mixed>> = HashMap::default();
        numbers.reserve(labels.len());
        let number = |(row, label): (usize, &u32)| {
            let (next, [one, other]) = (numbers.len() as u32, digests.row(row));
            *numbers.entry((one, other, *label)).or_insert(next)
        };
        let mut of: Vec<u32> = labels.iter().enumerate().map(number).collect();
        let mut places: Vec<u32> = (0..numbers.len() as u32).collect();
        Stream::new(&[places.len() as u64]).shuffle(&mut places);
        let mut copies = vec![0; places.len()];
        for place in &mut of {
            *place = places[*place as usize];
            copies[*place as usize] += 1;
        }
        Self { of, copies }
    }

    /// Gives each row a place of its own, in this order.
    pub(crate) fn each(of: Vec<u32>) -> Self {
        let copies = vec![1; of.len()];
        Self { of, copies }
    }

    /// Returns the number of places.
    pub(crate) fn count(&self) -> usize {
        self.copies.len()
    }

    /// Returns the place of each row.
    pub(crate) fn of_rows(&self) -> &[u32] {
        &self.of
    }

    /// Returns the number of rows at each place.
    pub(crate) fn copies(&self) -> &[u32] {
        &self.copies
    }

    /// Returns for each row whether it is the first at its place.
    pub(crate) fn firsts(&self) -> Vec<bool> {
        let mut seen = vec![false; self.count()];
        self.of.iter().map(|&place| !std::mem::replace(&mut seen[place as usize], true)).collect()
    }

    /// Sorts values that equal rows share by place.
    pub(crate) fn placed<T: Copy + Default>(&self, values: &[T]) -> Vec<T> {
        let mut by_place = vec![T::default(); self.count()];
        self.of.iter().zip(values).for_each(|(&place, &value)| by_place[place as usize] = value);
        by_place
    }

    /// Adds up values by place, at each the smallest first: equal rows may come in any order.
    pub(crate) fn sums(&self, values: &[f64]) -> Vec<f64> {
        if self.count() == self.of.len() {
            return self.placed(values);
        }
        let mut ascending: Vec<usize> = (0..values.len()).collect();
        ascending.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut sums = vec![0.0; self.count()];
        ascending.into_iter().for_each(|row| sums[self.of[row] as usize] += values[row]);
        sums
    }
}

/// Hasher of numbers whose bits are mixed already.
#[derive(Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = self.0.rotate_left(7) ^ number;
    }
}
