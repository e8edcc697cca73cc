//! [`Topic`] and [`PerTopic`]: values of 16 N topics in vectors of sixteen, looked up without a bounds check.

#![allow(unsafe_code)] // reads without a check, as in `names`

use super::lanes::{FloatLine, LANES, Lanes};

/// A topic below 16 N.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Topic<const N: usize>(u32);

impl<const N: usize> Topic<N> {
    /// The topic with this number. Panics if there is none.
    #[inline(always)]
    pub(super) fn new(number: usize) -> Self {
        assert!(number < N * LANES, "a topic");
        Self(number as u32)
    }

    #[inline(always)]
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }

    /// Returns the number of the topic's sixteen.
    #[inline(always)]
    pub(super) fn line(self) -> usize {
        self.number() / LANES
    }

    /// Returns the topic's lane in its sixteen.
    #[inline(always)]
    pub(super) fn lane(self) -> usize {
        self.number() % LANES
    }

    /// Returns the topic's cell of a row.
    #[inline(always)]
    pub(super) fn cell<C>(self, row: &mut [C; N]) -> &mut C {
        debug_assert!(self.line() < N);
        // SAFETY: the number is below 16 N, so the line is below N.
        unsafe { row.get_unchecked_mut(self.line()) }
    }
}

/// A number for each of 16 N topics.
#[derive(Clone, Copy, Debug)]
pub(super) struct PerTopic<const N: usize>([FloatLine; N]);

impl<const N: usize> PerTopic<N> {
    pub(super) fn zeros() -> Self {
        Self([FloatLine::default(); N])
    }

    /// Takes these values, followed by zeros.
    pub(super) fn new(values: impl Iterator<Item = f32>) -> Self {
        let mut all = Self::zeros();
        all.0.iter_mut().flat_map(|sixteen| &mut sixteen.0).zip(values).for_each(|(to, value)| *to = value);
        all
    }

    /// Takes the values of a row.
    #[inline(always)]
    pub(super) fn of(row: &[FloatLine; N]) -> Self {
        Self(*row)
    }

    /// Returns the values, sixteen by sixteen.
    #[inline(always)]
    pub(super) fn lines(&self) -> &[FloatLine; N] {
        &self.0
    }

    #[inline(always)]
    pub(super) fn lines_mut(&mut self) -> &mut [FloatLine; N] {
        &mut self.0
    }

    #[inline(always)]
    pub(super) fn get(&self, topic: Topic<N>) -> f32 {
        debug_assert!(topic.line() < N);
        // SAFETY: N times sixteen values without gaps, and the topic's number is below 16 N.
        unsafe { *self.0.as_ptr().cast::<f32>().add(topic.number()) }
    }

    /// Changes one value, which is later read alone.
    #[inline(always)]
    pub(super) fn set(&mut self, topic: Topic<N>, value: f32) {
        debug_assert!(topic.line() < N);
        // SAFETY: as in `get`.
        unsafe { *self.0.as_mut_ptr().cast::<f32>().add(topic.number()) = value }
    }

    /// Changes one value. Its sixteen is read and written as a whole, because it is read next: a value that
    /// was stored alone could not be loaded with the others.
    #[inline(always)]
    pub(super) fn put<L: Lanes>(&mut self, topic: Topic<N>, value: f32) {
        L::put(topic.cell(&mut self.0), topic.lane(), value);
    }
}

/// A count for each of 16 N topics, changed one by one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally<const N: usize>([[i32; LANES]; N]);

impl<const N: usize> Tally<N> {
    pub(super) fn zeros() -> Self {
        Self([[0; LANES]; N])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, topic: Topic<N>, change: i32) {
        debug_assert!(topic.line() < N);
        // SAFETY: N times sixteen counts without gaps, and the topic's number is below 16 N.
        unsafe { *self.0.as_mut_ptr().cast::<i32>().add(topic.number()) += change }
    }

    /// Returns the counts of the first topics, as many as asked for.
    pub(super) fn first(&self, topics: usize) -> Vec<i32> {
        self.0.as_flattened()[..topics].to_vec()
    }
}
