//! The intercept without a penalty: its best value for given weights, and dual values whose signed sum is 0,
//! as their bound holds only then.

use super::line::{Ray, best_step};
use crate::data::binary::Binary;

/// Searches for the best intercept: each brings its slope closer to 0 by a thousandth at least.
const SEARCHES: usize = 12;
/// Evaluations in a search.
const SEARCH: usize = 50;
/// Fraction of the sum of the dual values below which their signed sum is rounding.
const ROUNDING: f64 = 1e-14;

/// Moves a free intercept, the last of the weights, to its best value; the margins follow.
pub(crate) fn settle(binary: &Binary<'_>, w: &mut [f64], margins: &mut [f64]) {
    if !binary.bias.is_free() {
        return;
    }
    for _ in 0..SEARCHES {
        let pulls = binary.slopes(margins).0;
        let signed = pulls.iter().zip(&binary.signs);
        let sums = signed.fold((0.0, 0.0), |(all, sum), (a, s)| (all + a, sum + s * a));
        if sums.1.abs() <= ROUNDING * sums.0 {
            return;
        }
        let mut direction = vec![0.0; w.len()];
        direction[w.len() - 1] = sums.1.signum();
        let along: Vec<f64> = binary.signs.iter().map(|sign| sign * sums.1.signum()).collect();
        let ahead = Ray { w: &direction, margins: &along };
        let step = best_step(binary, Ray { w, margins }, ahead, (f64::INFINITY, SEARCH));
        if step == 0.0 {
            return;
        }
        w.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
        margins.iter_mut().zip(&along).for_each(|(m, d)| *m += step * d);
    }
}

/// Makes dual values feasible for a free intercept: those of the class with the larger sum are scaled down,
/// which keeps them within their bounds.
pub(crate) fn balance(binary: &Binary<'_>, a: &mut [f64]) {
    if !binary.bias.is_free() {
        return;
    }
    let of = |sign: f64| a.iter().zip(&binary.signs).filter(|(_, of)| **of == sign).map(|(a, _)| a).sum();
    let [larger, smaller]: [f64; 2] = [of(1.0), of(-1.0)];
    let (sign, share) = if larger > smaller { (1.0, smaller / larger) } else { (-1.0, larger / smaller) };
    if larger != smaller {
        a.iter_mut().zip(&binary.signs).filter(|(_, of)| **of == sign).for_each(|(a, _)| *a *= share);
    }
}
