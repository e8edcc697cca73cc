//! Lines of sixteen counts, and the packing of a topic and its count into 32 bits.

use std::ops::{Deref, DerefMut};

use raddle_base::State;
use raddle_base::state::{Reader, StateError, Writer};

pub use crate::f32x16::LANES;

/// Sixteen `f32`, aligned to a line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct FloatLine(pub [f32; LANES]);

impl Deref for FloatLine {
    type Target = [f32; LANES];

    fn deref(&self) -> &[f32; LANES] {
        &self.0
    }
}

impl DerefMut for FloatLine {
    fn deref_mut(&mut self) -> &mut [f32; LANES] {
        &mut self.0
    }
}

/// Sixteen packed entries of a document's sparse row, aligned to a line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct EntryLine(pub [u32; LANES]);

/// Counts of sixteen topics in a document's dense row: half a line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct CountLine(pub [u16; LANES]);

/// Sixteen counts of a dense row, in either width.
pub trait LineCounts: Copy + Default + State {
    /// Returns the counts.
    fn counts(&self) -> [u32; LANES];
}

impl LineCounts for CountLine {
    fn counts(&self) -> [u32; LANES] {
        self.0.map(u32::from)
    }
}

impl LineCounts for FloatLine {
    fn counts(&self) -> [u32; LANES] {
        self.0.map(|count| count as u32)
    }
}

/// Reads and writes sixteen numbers as bytes.
macro_rules! line_as_state {
    ($($name:ident: $number:ty),*) => {$(
        impl State for $name {
            fn save(&self, out: &mut Writer) {
                <$number>::save_slice(&self.0, out);
            }

            fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
                let mut sixteen = Self::default();
                for number in &mut sixteen.0 {
                    *number = from.read()?;
                }
                Ok(sixteen)
            }
        }
    )*};
}

line_as_state!(CountLine: u16, FloatLine: f32, EntryLine: u32);

/// Packing of a topic and its count into 32 bits: the topic in the high bits, the count below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    bits: u32,
}

impl Packing {
    /// The packing for this number of topics: as few bits as can name them, at least four, so that a table
    /// over all names has at least sixteen entries.
    pub fn of(topics: usize) -> Self {
        Self { bits: (usize::BITS - (topics.max(2) - 1).leading_zeros()).max(LANES.ilog2()) }
    }

    /// Returns the number of bits of a topic.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Returns how many topics the bits can name, a multiple of sixteen.
    pub fn names(self) -> usize {
        1 << self.bits
    }

    /// Returns the largest count.
    pub fn most(self) -> u32 {
        u32::MAX >> self.bits
    }

    #[inline(always)]
    pub fn entry(self, topic: u32, count: u32) -> u32 {
        topic << (u32::BITS - self.bits) | count
    }

    #[inline(always)]
    pub fn topic(self, entry: u32) -> u32 {
        entry >> (u32::BITS - self.bits)
    }

    #[inline(always)]
    pub fn count(self, entry: u32) -> u32 {
        entry & self.most()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_follow_the_topics() {
        for (topics, bits) in
            [(1, 4), (2, 4), (16, 4), (17, 5), (1000, 10), (1024, 10), (1025, 11), (65_536, 16)]
        {
            assert_eq!(Packing::of(topics).bits(), bits, "{topics}");
        }
        let packing = Packing::of(65_536);
        let entry = packing.entry(65_535, packing.most());
        assert_eq!((packing.topic(entry), packing.count(entry)), (65_535, 65_535));
    }
}
