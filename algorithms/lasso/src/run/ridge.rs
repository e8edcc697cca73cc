//! Ridge regression: without an l1 term, no working set leaves out a column, so that the coefficients are
//! solved for at once, before the first boundary, whose certificate is then that of any fit.
//!
//! They solve (X'WX + R I) b = X'Wy by conjugate gradients, preconditioned by the diagonal, which need one
//! product with X and one with X' for each step, whether there are more rows or more columns. Rounding is
//! made good by solving for what is left again.

use super::start::Start;
use crate::data::columns::Columns;
use crate::error::LassoError;
use raddle_kernels::algebra::{add_scaled, dot};

/// Fraction of the gradient at which one solve ends.
const ENOUGH: f64 = 1e-8;
/// Steps of a solve beyond which rounding has lost the directions, for each row or column, and in addition.
const STEPS: (usize, usize) = (2, 20);
/// Largest number of solves; then the largest fraction of the gradient that one leaves, or it is the last.
const SOLVES: usize = 40;
const LEFT: f64 = 0.5;

impl Start<'_> {
    /// Returns the coefficients of prepared columns with the weight `ridge` of |b|^2 / 2.
    ///
    /// # Errors
    /// If columns that are read by parts cannot be read.
    pub(crate) fn ridge(&self, ridge: f64) -> Result<Vec<(u32, f64)>, LassoError> {
        // Every step looks at all columns: those in a file are read once.
        let count = self.design.count();
        let mut here = self.clone();
        here.design = Columns::Here(self.design.range(0..count)?.0);
        let curvatures = here.squares()?.into_iter().map(|squares| squares + ridge).collect::<Vec<f64>>();
        let listed = |b: &[f64]| (0..).zip(b.iter().copied()).collect::<Vec<(u32, f64)>>();
        let none = here.rows(&[])?.residual;
        let image = |d: &[f64]| -> Result<Vec<f64>, LassoError> {
            let residual = here.rows(&listed(d))?.residual;
            let moved: Vec<f64> = none.iter().zip(&residual).map(|(none, of)| none - of).collect();
            let mut image = here.design.products(&moved)?;
            add_scaled(&mut image, ridge, d);
            Ok(image)
        };
        let (mut b, mut gradient) = (vec![0.0; count], here.design.products(&none)?);
        let most = STEPS.0 * count.min(none.len()) + STEPS.1;
        for _ in 0..SOLVES {
            let step = conjugate(&gradient, &curvatures, most, image)?;
            let moved: Vec<f64> = b.iter().zip(&step).map(|(b, step)| b + step).collect();
            let mut next = here.design.products(&here.rows(&listed(&moved))?.residual)?;
            add_scaled(&mut next, -ridge, &moved);
            let [before, after] = [&gradient, &next].map(|of| dot(of, of).sqrt());
            if after < before {
                (b, gradient) = (moved, next);
            }
            // Where a number overflowed, it goes no further either.
            if !(after > 0.0 && after <= LEFT * before) {
                break;
            }
        }
        Ok(listed(&b).into_iter().filter(|(_, value)| *value != 0.0).collect())
    }
}

/// Solves A x = `right` by conjugate gradients from 0, of an A with this diagonal.
fn conjugate(
    right: &[f64],
    diagonal: &[f64],
    most: usize,
    image: impl Fn(&[f64]) -> Result<Vec<f64>, LassoError>,
) -> Result<Vec<f64>, LassoError> {
    let eased = |r: &[f64]| r.iter().zip(diagonal).map(|(r, a)| r / a).collect::<Vec<f64>>();
    let (mut x, mut r) = (vec![0.0; right.len()], right.to_vec());
    let mut z = eased(&r);
    let (mut d, mut rz) = (z.clone(), dot(&r, &z));
    let enough = ENOUGH * ENOUGH * rz;
    for _ in 0..most {
        if rz <= enough || rz == 0.0 {
            break;
        }
        let ad = image(&d)?;
        let curvature = dot(&d, &ad);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        add_scaled(&mut x, rz / curvature, &d);
        add_scaled(&mut r, -rz / curvature, &ad);
        z = eased(&r);
        let next = dot(&r, &z);
        d.iter_mut().zip(&z).for_each(|(d, z)| *d = z + next / rz * *d);
        rz = next;
    }
    Ok(x)
}
