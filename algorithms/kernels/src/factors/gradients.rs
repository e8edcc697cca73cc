//! The normal equations of one row by conjugate gradients (Hestenes and Stiefel 1952), without their matrix;
//! for implicit feedback as Takacs, Pilaszy and Tikk ("Applications of the conjugate gradient method for
//! implicit feedback collaborative filtering", 2011).

#![allow(clippy::needless_range_loop, reason = "vectors of several rows go side by side")]

use super::lanes::{LANES, Lanes, Vector};
use super::{Kernel, run};

/// The equations of a row: `(S + sum w_i x_i x_i' + r I) x = sum t_i x_i`.
#[derive(Debug, Clone, Copy)]
pub struct LinearSystem<'a> {
    /// The rows of the other side, all of them.
    pub features: &'a [Vector],
    /// Number of vectors in a row.
    pub chunks: usize,
    /// Rows of the other side that are the x_i.
    pub rows: &'a [u32],
    /// The weights w_i.
    pub weights: &'a [f32],
    /// The targets t_i.
    pub targets: &'a [f32],
    /// S, a full square matrix, row by row; empty if there is none.
    pub square: &'a [Vector],
    /// The ridge r.
    pub ridge: f32,
}

/// Moves `x` by this number of steps towards the solution.
///
/// # Panics
/// If the lengths are inconsistent, or a row is beyond the features.
pub fn descend(equations: &LinearSystem<'_>, steps: usize, x: &mut [Vector]) {
    let LinearSystem { features, chunks, rows, weights, targets, square, .. } = *equations;
    assert!(
        rows.len() == weights.len() && rows.len() == targets.len() && x.len() == chunks,
        "a weight for each row"
    );
    assert!(square.is_empty() || square.len() == chunks * chunks * LANES, "a square of rows");
    assert!(rows.iter().all(|&row| (row as usize + 1) * chunks <= features.len()), "rows that are there");
    match chunks {
        1 => run(Descend::<1> { equations, steps, x }),
        2 => run(Descend::<2> { equations, steps, x }),
        3 => run(Descend::<3> { equations, steps, x }),
        4 => run(Descend::<4> { equations, steps, x }),
        5..=8 => run(Descend::<8> { equations, steps, x }),
        9..=16 => run(Descend::<16> { equations, steps, x }),
        _ => run(Descend::<257> { equations, steps, x }),
    }
}

/// Runs the steps; `MOST` bounds the number of vectors in a row.
struct Descend<'a, const MOST: usize> {
    equations: &'a LinearSystem<'a>,
    steps: usize,
    x: &'a mut [Vector],
}

/// A row in registers, as far as there are enough.
type Row<L, const MOST: usize> = [L; MOST];

impl<const MOST: usize> Kernel for Descend<'_, MOST> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let chunks = if MOST <= 4 { MOST } else { self.equations.chunks };
        let mut x: Row<L, MOST> = [L::zero(); MOST];
        for chunk in 0..chunks {
            x[chunk] = L::load(&self.x[chunk].0);
        }
        let mut residual = self.times::<L>(&x, Some(self.equations.targets));
        let mut direction = residual;
        let mut length = dot(&residual, &residual, chunks);
        for _ in 0..self.steps {
            if length.is_nan() || length <= 1e-20 {
                break;
            }
            let image = self.times::<L>(&direction, None);
            let curvature = dot(&direction, &image, chunks);
            if curvature.is_nan() || curvature <= 0.0 {
                break;
            }
            let step = length / curvature;
            for chunk in 0..chunks {
                x[chunk] = direction[chunk].mul_add(L::splat(step), x[chunk]);
                residual[chunk] = image[chunk].mul_add(L::splat(-step), residual[chunk]);
            }
            let next = dot(&residual, &residual, chunks);
            let turn = L::splat(next / length);
            for chunk in 0..chunks {
                direction[chunk] = direction[chunk].mul_add(turn, residual[chunk]);
            }
            length = next;
        }
        for chunk in 0..chunks {
            x[chunk].store(&mut self.x[chunk].0);
        }
    }
}

impl<const MOST: usize> Descend<'_, MOST> {
    /// Returns A v, or b - A v if there are targets: with `s` = 1 in the first case and -1 in the second, the
    /// sum of `(t_i [s < 0] + s w_i x_i.v) x_i` and `s (S v + r v)`.
    #[inline(always)]
    fn times<L: Lanes>(&self, v: &Row<L, MOST>, targets: Option<&[f32]>) -> Row<L, MOST> {
        let LinearSystem { features, rows, weights, square, ridge, .. } = *self.equations;
        let chunks = if MOST <= 4 { MOST } else { self.equations.chunks };
        let sign = if targets.is_some() { -1.0 } else { 1.0 };
        let mut out = [L::zero(); MOST];
        for chunk in 0..chunks {
            out[chunk] = v[chunk].mul(L::splat(sign * ridge));
        }
        if !square.is_empty() {
            for from in 0..chunks {
                let mut values = [0.0; LANES];
                v[from].store(&mut values);
                for lane in 0..LANES {
                    let scale = L::splat(sign * values[lane]);
                    let row = &square[(from * LANES + lane) * chunks..];
                    for chunk in 0..chunks {
                        out[chunk] = L::load(&row[chunk].0).mul_add(scale, out[chunk]);
                    }
                }
            }
        }
        let (fours, _) = rows.as_chunks::<4>();
        for (number, four) in fours.iter().enumerate() {
            let mut sums = [L::zero(); 4];
            for j in 0..4 {
                let x = &features[four[j] as usize * chunks..][..chunks];
                for chunk in 0..chunks {
                    sums[j] = L::load(&x[chunk].0).mul_add(v[chunk], sums[j]);
                }
            }
            let products = L::sums(sums);
            for j in 0..4 {
                let i = 4 * number + j;
                let target = if let Some(targets) = targets { targets[i] } else { 0.0 };
                let scale = L::splat((sign * weights[i]).mul_add(products[j], target));
                let x = &features[four[j] as usize * chunks..][..chunks];
                for chunk in 0..chunks {
                    out[chunk] = L::load(&x[chunk].0).mul_add(scale, out[chunk]);
                }
            }
        }
        for i in 4 * fours.len()..rows.len() {
            let x = &features[rows[i] as usize * chunks..][..chunks];
            let mut sum = L::zero();
            for chunk in 0..chunks {
                sum = L::load(&x[chunk].0).mul_add(v[chunk], sum);
            }
            let target = if let Some(targets) = targets { targets[i] } else { 0.0 };
            let scale = L::splat((sign * weights[i]).mul_add(sum.sum(), target));
            for chunk in 0..chunks {
                out[chunk] = L::load(&x[chunk].0).mul_add(scale, out[chunk]);
            }
        }
        out
    }
}

#[inline(always)]
fn dot<L: Lanes, const MOST: usize>(a: &Row<L, MOST>, b: &Row<L, MOST>, chunks: usize) -> f32 {
    let mut sum = L::zero();
    for chunk in 0..chunks {
        sum = a[chunk].mul_add(b[chunk], sum);
    }
    sum.sum()
}
