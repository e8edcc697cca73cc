//! [`Softmax`]: a problem of several classes that are fitted together, with their probabilities in each row.

use std::ops::{Deref, DerefMut};

use libm::{log, log1p};
use raddle_kernels::algebra::{ClassRows, LANES, multinomial};

use super::bias::{Bias, half_square};
use super::rows::Rows;

/// The problem of K classes, P(W) = |W|^2 / 2 + sum c (log sum_k exp(x'w_k) - x'w_y).
///
/// Weights and other values of a column, and of a row, are blocks: one number for each class, padded with
/// zeros. Scores and dual values are listed class by class.
pub(crate) struct Softmax<'a> {
    pub(crate) rows: &'a Rows,
    /// Class of each row.
    pub(crate) labels: Vec<f64>,
    /// Weight c of each row's loss.
    pub(crate) costs: Vec<f64>,
    pub(crate) classes: usize,
    pub(crate) bias: Bias,
}

/// The losses at some scores.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    pub(crate) sum: f64,
    /// Minus the derivative by each score: c ([k = y] - p_k).
    pub(crate) pulls: Vec<f64>,
    /// c p_k, for the probabilities p.
    pub(crate) shares: Vec<f64>,
}

impl Softmax<'_> {
    pub(crate) fn count(&self) -> usize {
        self.labels.len()
    }

    /// Returns the numbers in a block.
    pub(crate) fn block(&self) -> usize {
        block(self.classes)
    }

    /// Returns the penalised ones of weights.
    pub(crate) fn penalized(&self, w: &[f64]) -> usize {
        w.len() - if self.bias.is_free() { self.block() } else { 0 }
    }

    /// Returns the blocks of values that are listed class by class.
    pub(crate) fn blocks(&self, listed: &[f64]) -> Vec<f64> {
        interleaved(listed, self.count())
    }

    /// Lists the values in blocks class by class.
    pub(crate) fn listed(&self, blocks: &[f64]) -> Vec<f64> {
        let of = |class: usize| blocks.chunks(self.block()).map(move |block| block[class]);
        (0..self.classes).flat_map(of).collect()
    }

    /// Returns the products of all rows with weights, in blocks.
    pub(crate) fn products(&self, w: &[f64]) -> Lines {
        let mut out = Lines::zeros(self.count() * self.block());
        self.rows.block_products(w, self.block(), &mut out);
        out
    }

    /// Returns the losses at scores.
    pub(crate) fn losses(&self, scores: &[f64]) -> Losses {
        let (mut pulls, mut shares) = (vec![0.0; scores.len()], vec![0.0; scores.len()]);
        let rows = ClassRows { y: &self.labels, scores, own: Some(&self.costs) };
        let sum = multinomial(rows, &mut pulls, &mut shares).loss;
        Losses { sum, pulls, shares }
    }

    /// Returns the dual values whose signed sums of rows are those of these pulls: a of a row and class is
    /// c (1 - u) for the class of the row and c u for others, where u are probabilities.
    pub(crate) fn dual_values(&self, pulls: &[f64]) -> Vec<f64> {
        let signed = self.signs().zip(pulls);
        signed.map(|(sign, pull)| (sign * pull).max(0.0)).collect()
    }

    /// Returns 1 for the class of a row, -1 for others, class by class.
    pub(crate) fn signs(&self) -> impl Iterator<Item = f64> {
        (0..self.classes).flat_map(|class| {
            self.labels.iter().map(move |label| if *label == class as f64 { 1.0 } else { -1.0 })
        })
    }

    /// Returns the primal objective of weights with these losses.
    pub(crate) fn primal(&self, w: &[f64], losses: &Losses) -> f64 {
        half_square(&w[..self.penalized(w)]) + losses.sum
    }

    /// Returns the dual objective of dual values from which these weights follow.
    pub(crate) fn dual(&self, a: &[f64], w: &[f64]) -> f64 {
        self.entropy(a) - half_square(&w[..self.penalized(w)])
    }

    /// Returns the entropies of the rows' dual values times their weights.
    pub(crate) fn entropy(&self, a: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (class, a) in a.chunks(self.count()).enumerate() {
            let rows = a.iter().zip(&self.costs).zip(&self.labels).filter(|((_, c), _)| **c > 0.0);
            for ((&a, &c), label) in rows {
                sum -= match (*label == class as f64, a) {
                    (true, a) if a < c => (c - a) * log1p(-a / c),
                    (false, a) if a > 0.0 => a * log(a / c),
                    _ => 0.0,
                };
            }
        }
        sum
    }
}

/// Numbers that start at a cache line: blocks are then whole lines, and one of three lines touches no fourth.
pub(crate) struct Lines {
    numbers: Vec<f64>,
    start: usize,
}

impl Lines {
    fn zeros(count: usize) -> Self {
        let mut numbers = vec![0.0; count + LANES - 1];
        let start = numbers.as_ptr().align_offset(size_of::<[f64; LANES]>()).min(LANES - 1);
        numbers.truncate(start + count);
        Self { numbers, start }
    }
}

impl From<&[f64]> for Lines {
    fn from(numbers: &[f64]) -> Self {
        let mut lines = Self::zeros(numbers.len());
        lines.copy_from_slice(numbers);
        lines
    }
}

impl Deref for Lines {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.numbers[self.start..]
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.numbers[self.start..]
    }
}

/// Returns the numbers in a block of so many classes.
pub(crate) fn block(classes: usize) -> usize {
    classes.next_multiple_of(LANES)
}

/// Returns the blocks of values that are listed class by class, `width` of each.
pub(crate) fn interleaved(listed: &[f64], width: usize) -> Vec<f64> {
    let block = block(listed.len() / width.max(1));
    let mut blocks = vec![0.0; width * block];
    for (class, of) in listed.chunks(width.max(1)).enumerate() {
        of.iter().zip(blocks.chunks_mut(block)).for_each(|(value, to)| to[class] = *value);
    }
    blocks
}
