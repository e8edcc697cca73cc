//! Sixteen lanes of `f32`, and sixteen packed entries of a row: what every kernel is written over, and the portable
//! form.

/// Number of lanes; constant on every machine, because it is part of the definition of every sum.
pub(crate) const LANES: usize = 16;

/// Sixteen `f32` side by side, aligned to a line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Sixteen(pub(crate) [f32; LANES]);

/// Sixteen packed entries of a document's row, aligned to a line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u32; LANES]);

/// What a word's entries are combined with: 1 / (n_k + V beta) of every topic, and alpha_k times it.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'a> {
    pub(crate) inverses: &'a [f32],
    pub(crate) slopes: &'a [f32],
}

/// What a chain keeps dense while it is at a word.
pub(crate) struct AtWord<'a> {
    pub(crate) weights: &'a mut [f32],
    pub(crate) places: &'a mut [u32],
}

/// Sixteen `f32` in registers. All implementations give the same bits for every operation: products are rounded before
/// they are added.
pub(crate) trait Lanes: Copy {
    /// Sixteen zeros.
    fn zero() -> Self;
    /// The sixteen values of `from`.
    fn load(from: &Sixteen) -> Self;
    /// Writes the sixteen lanes to `to`.
    fn store(self, to: &mut Sixteen);
    /// `self + other` in every lane.
    fn add(self, other: Self) -> Self;
    /// Lane l becomes the sum of lanes 0 to l, added in four steps: each lane the one 1, 2, 4 and 8 lanes before it.
    fn running(self) -> Self;
    /// The last lane.
    fn last(self) -> f32;
    /// How many lanes are at most `bound`.
    fn at_most(self, bound: f32) -> usize;
    /// How entries are packed, in registers.
    type Split: Copy;
    /// Entries that have their topic in the low `bits` bits, 1 to 31, and their count above.
    fn split(bits: u32) -> Self::Split;
    /// For every entry, its count times `weights[topic]`; an entry of topic `without` that is not empty counts one
    /// less. With the lanes in which that was so. Panics unless there is a weight for every topic that the bits can
    /// name.
    fn weigh(line: &Line, split: Self::Split, weights: &[f32], without: u32) -> (Self, u32);
    /// The lanes whose entry is of this topic and not empty.
    fn find(line: &Line, split: Self::Split, topic: u32) -> u32;
    /// At a word: for each of at most sixteen topics with their counts, `weights` becomes `(count + beta) * inverses`
    /// and `places` the number of its entry, of which the first is `place`. Returns the counts times `slopes`.
    fn spread(
        topics: &[u16],
        counts: &[u32],
        place: u32,
        beta: f32,
        tables: Tables<'_>,
        at: AtWord<'_>,
    ) -> Self;
    /// Away from it: `weights` becomes `beta * inverses` for at most sixteen topics. Returns whether a count is 0.
    fn clear(topics: &[u16], counts: &[u32], beta: f32, tables: Tables<'_>, weights: &mut [f32]) -> bool;
    /// The counts of at most sixteen topics times `slopes`; zeros behind them.
    fn slope(topics: &[u16], counts: &[u32], slopes: &[f32]) -> Self;
    /// Asks for a line that will be needed soon.
    fn prefetch(line: &Line);
}

/// Sixteen lanes in plain Rust, for any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable([f32; LANES]);

impl Portable {
    /// The lanes in memory.
    #[inline(always)]
    pub(crate) fn sixteen(self) -> Sixteen {
        Sixteen(self.0)
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn zero() -> Self {
        Self([0.0; LANES])
    }

    #[inline(always)]
    fn load(from: &Sixteen) -> Self {
        Self(from.0)
    }

    #[inline(always)]
    fn store(self, to: &mut Sixteen) {
        to.0 = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|lane| self.0[lane] + other.0[lane]))
    }

    #[inline(always)]
    fn running(self) -> Self {
        let mut sums = self.0;
        for step in [1, 2, 4, 8] {
            let before = sums;
            for lane in step..LANES {
                sums[lane] = before[lane] + before[lane - step];
            }
        }
        Self(sums)
    }

    #[inline(always)]
    fn last(self) -> f32 {
        self.0[LANES - 1]
    }

    #[inline(always)]
    fn at_most(self, bound: f32) -> usize {
        self.0.iter().filter(|&&value| value <= bound).count()
    }

    type Split = u32;

    #[inline(always)]
    fn split(bits: u32) -> u32 {
        bits
    }

    #[inline(always)]
    fn weigh(line: &Line, bits: u32, weights: &[f32], without: u32) -> (Self, u32) {
        let (mut products, mut found) = ([0.0; LANES], 0);
        for (lane, (product, &entry)) in products.iter_mut().zip(&line.0).enumerate() {
            let (topic, mut count) = (entry & ((1 << bits) - 1), entry >> bits);
            if topic == without && count > 0 {
                count -= 1;
                found |= 1 << lane;
            }
            *product = count as f32 * weights[topic as usize];
        }
        (Self(products), found)
    }

    #[inline(always)]
    fn find(line: &Line, bits: u32, topic: u32) -> u32 {
        let is = |entry: u32| entry & ((1 << bits) - 1) == topic && entry >> bits > 0;
        line.0.iter().enumerate().fold(0, |found, (lane, &entry)| found | u32::from(is(entry)) << lane)
    }

    #[inline(always)]
    fn spread(
        topics: &[u16],
        counts: &[u32],
        place: u32,
        beta: f32,
        tables: Tables<'_>,
        at: AtWord<'_>,
    ) -> Self {
        let mut products = [0.0; LANES];
        for (lane, (&topic, &count)) in topics.iter().zip(counts).enumerate().take(LANES) {
            let (topic, count) = (usize::from(topic), count as f32);
            at.weights[topic] = (count + beta) * tables.inverses[topic];
            at.places[topic] = place + lane as u32;
            products[lane] = count * tables.slopes[topic];
        }
        Self(products)
    }

    #[inline(always)]
    fn clear(topics: &[u16], counts: &[u32], beta: f32, tables: Tables<'_>, weights: &mut [f32]) -> bool {
        for &topic in topics {
            weights[usize::from(topic)] = beta * tables.inverses[usize::from(topic)];
        }
        counts.contains(&0)
    }

    #[inline(always)]
    fn slope(topics: &[u16], counts: &[u32], slopes: &[f32]) -> Self {
        let mut products = [0.0; LANES];
        for ((product, &topic), &count) in products.iter_mut().zip(topics).zip(counts) {
            *product = count as f32 * slopes[usize::from(topic)];
        }
        Self(products)
    }

    #[inline(always)]
    fn prefetch(_: &Line) {}
}
