//! [`Theta`]: a document's mixture of topics, given the topics' words.
//!
//! Rounds of expectation-maximisation with phi fixed (theta and phi as in `perplexity.rs`):
//!
//! ```text
//! theta_k <- alpha_k + sum_w c_w theta_k phi_kw / sum_j theta_j phi_jw, normalised
//! ```
//!
//! As phi_kw = (n_kw + beta) / N_k is beta / N_k except for the topics that a word has, a round costs twice
//! the entries of the words' rows: it gathers from the topics and adds to them. An entry of a sparse row
//! costs several times as much as an element of a vector, so rows with many of the topics are stored densely,
//! and four of them are multiplied at once.
//!
//! **Bits.** Sums are kept in eight lanes, number i in lane i mod 8; whether a row is stored densely depends
//! only on its length.

#[cfg(target_arch = "x86_64")]
use crate::f64x8::{Avx2, Avx512};
use crate::f64x8::{F64x8, LANES, Portable};

raddle_base::vector_kernels!(F64x8: Portable, Avx2, Avx512);

/// A row is stored densely if it has at least one in this many topics; 12 is no faster with 100 or 1000
/// topics.
const FILL: usize = 6;
/// Largest number of elements of dense rows: one mebibyte, however long a document is.
const SPREAD: usize = 1 << 18;
/// Number of rows that are multiplied at once.
const ROWS: usize = 4;

/// Size of a table that is indexed by topic: as many as sixteen bits can name, so that no index needs a
/// check.
const NAMED: usize = 1 << 16;

/// Parameters of phi and theta, other than the rows of words.
pub struct TopicModel<'a> {
    /// 1 / N_k of each topic.
    pub inverse: &'a [f64],
    pub alpha: &'a [f64],
    pub beta: f64,
}

/// A word's count in the document, and (topic, n_kw) of the word's topics.
pub type WordRow<'a> = (f64, &'a [(u32, f32)]);

/// A document's mixture of topics, estimated with phi fixed.
pub struct Theta {
    beta: f64,
    topics: usize,
    alpha: Vec<[f64; LANES]>,
    /// 1 / N_k of each topic.
    inverse: Vec<[f64; LANES]>,
    /// theta_k, normalised.
    theta: Vec<[f64; LANES]>,
    /// theta_k / N_k; the next field is its sum.
    scaled: Vec<[f64; LANES]>,
    sum: f64,
    /// Expected counts of each topic in a round.
    expected: Vec<[f64; LANES]>,
    /// n_kw of the words with dense rows, row by row; the next field has their counts in the document.
    rows: Vec<[f32; LANES]>,
    counts: Vec<f64>,
}

impl Theta {
    pub fn new(given: &TopicModel<'_>) -> Self {
        let lines = given.alpha.len().div_ceil(LANES);
        let lined = |values: &[f64]| {
            let mut lined = vec![[0.0; LANES]; lines];
            lined.as_flattened_mut()[..values.len()].copy_from_slice(values);
            lined
        };
        // Memory that the system zeroes: only the part that the topics take is ever touched.
        let table = || vec![[0.0; LANES]; NAMED / LANES];
        Self {
            beta: given.beta,
            topics: given.alpha.len(),
            alpha: lined(given.alpha),
            inverse: lined(given.inverse),
            theta: lined(&[]),
            scaled: table(),
            sum: 0.0,
            expected: table(),
            rows: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Returns theta_k of each topic.
    pub fn shares(&self) -> &[f64] {
        &self.theta.as_flattened()[..self.topics]
    }

    /// Returns sum_k theta_k phi_kw for a word with this row.
    pub fn probability(&self, row: &[(u32, f32)]) -> f64 {
        let scaled = self.scaled.as_flattened();
        let own: f64 = row.iter().map(|&(topic, times)| f64::from(times) * scaled[topic as usize]).sum();
        self.beta * self.sum + own
    }

    /// Runs rounds of expectation-maximisation, from a uniform theta, over the words of a document.
    pub fn estimate(&mut self, words: &[WordRow<'_>], rounds: usize) {
        let mut by_length = words.to_vec();
        by_length.sort_by_key(|(_, row)| row.len());
        let first_filled = by_length.partition_point(|(_, row)| row.len() * FILL < self.topics);
        let lines = self.alpha.len();
        let most = SPREAD / (LANES * lines.max(1));
        let (sparse, filled) = by_length.split_at(first_filled.max(words.len().saturating_sub(most)));
        self.counts.clear();
        self.rows.clear();
        self.rows.resize(lines * filled.len(), [0.0; LANES]);
        for (at, (count, row)) in filled.iter().enumerate() {
            self.counts.push(*count);
            let spread = self.rows[at * lines..][..lines].as_flattened_mut();
            row.iter().for_each(|&(topic, times)| spread[topic as usize] += times);
        }
        let uniform = 1.0 / self.topics as f64;
        self.theta.as_flattened_mut()[..self.topics].fill(uniform);
        run(Rounds { theta: self, sparse, rounds });
    }
}

/// Rounds over dense and sparse rows.
struct Rounds<'a> {
    theta: &'a mut Theta,
    sparse: &'a [WordRow<'a>],
    rounds: usize,
}

impl Kernel for Rounds<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: F64x8>(self) {
        let Self { theta, sparse, rounds } = self;
        let lines = theta.theta.len();
        theta.rescale::<L>(1.0);
        for _ in 0..rounds {
            theta.expected[..lines].fill([0.0; LANES]);
            let every = theta.beta * (theta.of_spread::<L>() + theta.of_sparse(sparse));
            let sum = theta.maximise::<L>(every);
            theta.rescale::<L>(1.0 / sum);
        }
    }
}

impl Theta {
    /// Adds the expected counts of the words with dense rows; returns the sum of count / probability.
    #[inline(always)]
    fn of_spread<L: F64x8>(&mut self) -> f64 {
        let Self { scaled, expected, rows, counts, .. } = self;
        let (lines, common) = (self.theta.len(), self.beta * self.sum);
        let (scaled, expected) = (&scaled[..lines], &mut expected[..lines]);
        let mut all = 0.0;
        let (fours, rest) = counts.as_chunks::<ROWS>();
        for (at, four) in fours.iter().enumerate() {
            all += expect::<L, ROWS>(&rows[at * ROWS * lines..], four, common, scaled, expected);
        }
        for (at, count) in rest.iter().enumerate() {
            let row = &rows[(fours.len() * ROWS + at) * lines..];
            all += expect::<L, 1>(row, &[*count], common, scaled, expected);
        }
        all
    }

    /// Adds the expected counts of these words, and returns the sum of count / probability. As each addition
    /// to a sum waits for the one before, four rows of similar length are summed side by side.
    #[inline(always)]
    fn of_sparse(&mut self, words: &[WordRow<'_>]) -> f64 {
        let common = self.beta * self.sum;
        // Both tables have equal lengths.
        let tables = (self.scaled.as_flattened(), self.expected.as_flattened_mut());
        let (Some(scaled), Some(expected)) =
            (tables.0.first_chunk::<NAMED>(), tables.1.first_chunk_mut::<NAMED>())
        else {
            return 0.0;
        };
        let mut all = 0.0;
        let mut add = |&(count, row): &WordRow<'_>, own: f64| {
            let share = count / (common + own);
            row.iter()
                .for_each(|&(topic, times)| expected[usize::from(topic as u16)] += f64::from(times) * share);
            all += share;
        };
        let (fours, rest) = words.as_chunks::<4>();
        for four in fours {
            let rows = four.map(|(_, row)| row);
            // The first row is the shortest.
            let (mut own, common) = ([0.0; 4], rows[0].len());
            let [first, second, third, fourth] = rows.map(|row| &row[..common]);
            for (((a, b), c), d) in first.iter().zip(second).zip(third).zip(fourth) {
                for (own, &(topic, times)) in own.iter_mut().zip([a, b, c, d]) {
                    *own += f64::from(times) * scaled[usize::from(topic as u16)];
                }
            }
            for ((own, row), word) in own.iter_mut().zip(rows).zip(four) {
                for &(topic, times) in &row[common..] {
                    *own += f64::from(times) * scaled[usize::from(topic as u16)];
                }
                add(word, *own);
            }
        }
        for word in rest {
            let own = word
                .1
                .iter()
                .map(|&(topic, times)| f64::from(times) * scaled[usize::from(topic as u16)])
                .sum();
            add(word, own);
        }
        all
    }

    /// Computes theta_k before normalisation, and its sum.
    #[inline(always)]
    fn maximise<L: F64x8>(&mut self, every: f64) -> f64 {
        let (mut sum, every, one) = (L::zero(), L::splat(every), L::splat(1.0));
        for at in 0..self.theta.len() {
            let share = L::load(&self.expected[at]).mul_add(one, every);
            let theta = L::load(&self.scaled[at]).mul_add(share, L::load(&self.alpha[at]));
            theta.store(&mut self.theta[at]);
            sum = theta.mul_add(one, sum);
        }
        sum.sum()
    }

    /// Multiplies theta, and recomputes the values that depend on it.
    #[inline(always)]
    fn rescale<L: F64x8>(&mut self, by: f64) {
        let (mut sum, by, one, zero) = (L::zero(), L::splat(by), L::splat(1.0), L::zero());
        for at in 0..self.theta.len() {
            let theta = L::load(&self.theta[at]).mul_add(by, zero);
            let scaled = theta.mul_add(L::load(&self.inverse[at]), zero);
            theta.store(&mut self.theta[at]);
            scaled.store(&mut self.scaled[at]);
            sum = scaled.mul_add(one, sum);
        }
        self.sum = sum.sum();
    }
}

/// Adds the expected counts of words whose rows are adjacent; returns the sum of count / probability.
#[inline(always)]
fn expect<L: F64x8, const N: usize>(
    rows: &[[f32; LANES]],
    counts: &[f64; N],
    common: f64,
    scaled: &[[f64; LANES]],
    expected: &mut [[f64; LANES]],
) -> f64 {
    let lines = scaled.len();
    // A loop, as a closure would be compiled without the form's instructions.
    let mut each: [&[[f32; LANES]]; N] = [&[]; N];
    for (at, row) in each.iter_mut().enumerate() {
        *row = &rows[at * lines..][..lines];
    }
    let mut own = [L::zero(); N];
    for (line, scaled) in scaled.iter().enumerate() {
        let scaled = L::load(scaled);
        for (own, row) in own.iter_mut().zip(each) {
            *own = L::widen(&row[line]).mul_add(scaled, *own);
        }
    }
    let (mut shares, mut all) = ([L::zero(); N], 0.0);
    for ((share, own), count) in shares.iter_mut().zip(own).zip(counts) {
        let one = count / (common + own.sum());
        *share = L::splat(one);
        all += one;
    }
    for (line, expected) in expected[..lines].iter_mut().enumerate() {
        let mut sum = L::load(expected);
        for (share, row) in shares.iter().zip(each) {
            sum = L::widen(&row[line]).mul_add(*share, sum);
        }
        sum.store(expected);
    }
    all
}

#[cfg(test)]
mod tests;
