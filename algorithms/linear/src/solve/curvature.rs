//! [`Curvature`]: the second derivatives of the objective of all classes, and Newton steps by conjugate
//! gradients. What eases them is the matrix without the products of different classes, factored if there are
//! few columns, or its diagonal.

use raddle::cancellation_point;
use raddle_kernels::algebra::dot;

use super::gram::{Factor, Lower, factoring};
use crate::data::softmax::{Lines, Losses, Softmax};

/// Limit on the conjugate gradient steps in a Newton step.
const CONJUGATE: usize = 250;
/// Cost of factored matrices, in products with the rows, up to which they are worth it.
const FACTORS: f64 = 60.0;

/// Takes the mean over the classes from each column's weights, which changes no probability.
pub(super) fn centre(problem: &Softmax<'_>, w: &mut [f64]) {
    for block in w.chunks_mut(problem.block()) {
        let block = &mut block[..problem.classes];
        let mean = block.iter().sum::<f64>() / problem.classes as f64;
        block.iter_mut().for_each(|w| *w -= mean);
    }
}

/// An approximation of the inverse of the second derivatives.
enum Easing {
    /// The inverse of the diagonal.
    Diagonal(Vec<f64>),
    /// A factored matrix of the columns for each class.
    Factors(Vec<Factor>),
}

/// The second derivatives of the objective at some weights.
pub(super) struct Curvature<'a> {
    problem: &'a Softmax<'a>,
    /// c p, in blocks.
    shares: Vec<f64>,
    easing: Easing,
    /// Multiplications that it took.
    pub(super) cost: f64,
}

impl<'a> Curvature<'a> {
    pub(super) fn new(problem: &'a Softmax<'a>, losses: &Losses, pass: f64) -> Self {
        let (rows, classes) = (problem.rows, problem.classes);
        let second: Vec<f64> = losses
            .shares
            .iter()
            .zip(problem.costs.iter().cycle())
            .map(|(share, c)| if *c > 0.0 { share * (1.0 - share / c) } else { 0.0 })
            .collect();
        let cost = classes as f64 * (rows.squared_lengths() / 2.0 + factoring(rows.width()));
        let factors = (cost <= FACTORS * pass).then(|| factors(problem, &second)).flatten();
        let (easing, cost) = match factors {
            Some(factors) => (Easing::Factors(factors), cost),
            None => (Easing::Diagonal(diagonal(problem, &problem.blocks(&second))), pass),
        };
        cancellation_point(cost as u64);
        Self { problem, shares: problem.blocks(&losses.shares), easing, cost }
    }

    /// Solves for a right side that sums to 0 over the classes, until a step gains at most this share of the
    /// mean gain, or what is left has a square that is small `enough`; returns the number of products, too.
    pub(super) fn solve(&self, right: &[f64], accuracy: f64, enough: f64) -> (Vec<f64>, usize) {
        let mut residual = right.to_vec();
        let mut d = vec![0.0; right.len()];
        let mut z = self.eased(&residual);
        let (mut p, mut rz) = (Lines::from(&z[..]), dot(&residual, &z));
        let (mut gained, mut count) = (0.0, 0);
        while count < CONJUGATE && rz > 0.0 {
            let hp = self.product(&p);
            let step = rz / dot(&p, &hp);
            let gain = step * rz;
            gained += gain;
            d.iter_mut().zip(&p[..]).for_each(|(d, p)| *d += step * p);
            residual.iter_mut().zip(&hp[..]).for_each(|(r, hp)| *r -= step * hp);
            z = self.eased(&residual);
            let next = dot(&residual, &z);
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + next / rz * *p);
            rz = next;
            count += 1;
            if count as f64 * gain <= accuracy * gained || dot(&residual, &residual) <= enough {
                break;
            }
        }
        (d, count)
    }

    /// Returns the product with the second derivatives.
    fn product(&self, p: &[f64]) -> Lines {
        let problem = self.problem;
        let mut t = problem.products(p);
        let blocks = t.chunks_mut(problem.block()).zip(self.shares.chunks(problem.block()));
        for ((t, shares), &c) in blocks.zip(&problem.costs) {
            let mean = if c > 0.0 { t.iter().zip(shares).map(|(t, s)| t * s).sum::<f64>() / c } else { 0.0 };
            t.iter_mut().zip(shares).for_each(|(t, share)| *t = share * (*t - mean));
        }
        let mut out = Lines::from(p);
        out[problem.penalized(p)..].fill(0.0);
        problem.rows.add_blocks(&t, problem.block(), &mut out);
        cancellation_point(4 * (problem.rows.stored() * problem.block()) as u64);
        out
    }

    fn eased(&self, r: &[f64]) -> Vec<f64> {
        let (problem, block) = (self.problem, self.problem.block());
        let mut z = r.to_vec();
        match &self.easing {
            Easing::Diagonal(inverse) => z.iter_mut().zip(inverse).for_each(|(z, by)| *z *= by),
            Easing::Factors(factors) => {
                for (class, factor) in factors.iter().enumerate() {
                    let mut of: Vec<f64> = r.chunks(block).map(|block| block[class]).collect();
                    factor.solve(&mut of);
                    z.chunks_mut(block).zip(of).for_each(|(block, value)| block[class] = value);
                }
            }
        }
        centre(problem, &mut z);
        z
    }
}

/// Returns the inverse of the diagonal of the second derivatives; `second` has those of the rows, in blocks.
fn diagonal(problem: &Softmax<'_>, second: &[f64]) -> Vec<f64> {
    let (rows, block) = (problem.rows, problem.block());
    let mut sums = vec![1.0; rows.width() * block];
    let penalized = problem.penalized(&sums);
    sums[penalized..].fill(f64::MIN_POSITIVE);
    rows.add_squared_blocks(second, block, &mut sums);
    sums.into_iter().map(f64::recip).collect()
}

/// Factors the columns' second derivatives for each class; `None` if rounding makes one singular.
fn factors(problem: &Softmax<'_>, second: &[f64]) -> Option<Vec<Factor>> {
    let width = problem.rows.width();
    let of = |second: &[f64]| {
        let mut lower = Lower::zeros(width);
        second.iter().enumerate().for_each(|(row, second)| lower.add_row(problem.rows, row, *second));
        (0..width - usize::from(problem.bias.is_free())).for_each(|at| lower.add_diagonal(at, 1.0));
        lower.factored()
    };
    second.chunks(problem.count()).map(of).collect()
}
