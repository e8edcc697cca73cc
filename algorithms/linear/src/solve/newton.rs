//! Newton steps on the primal objective of a differentiable loss; semismooth for the squared hinge.
//!
//! At w with margins m, a row has a = -c phi'(m) and r = c phi''(m). The step goes to w' = Z'v, where
//! (R^-1 + Z Z') v = R^-1 a + m; v, cut to its bounds, is the dual point that is offered. If no matrix is
//! small enough, the same system is solved for w' by conjugate gradients on (I + Z'RZ). An intercept without
//! penalty has 0 in place of 1 in I; v then sums to 0, with signs, and so do the dual points.

use raddle::cancellation_point;

use super::gram::{Lower, RowProducts, Side, cheaper_side};
use super::intercept::{balance, settle};
use super::judge::Judge;
use super::line::{Ray, best_step};
use super::weighted::{KeptRows, Weighted};
use crate::data::binary::Binary;

/// Halvings of the interval of the line search.
const SEARCH: usize = 50;
/// Limit on the conjugate gradient steps in a Newton step.
const CONJUGATE: usize = 250;
/// Limit on the fraction of the dual values that the bounds may cut off if a dual point is to be evaluated:
/// for the first point; then for each further one, relative to the last.
const FIRST: f64 = 2e-3;
const WORTH: f64 = 0.5;
/// Fraction of the tolerance that the gap behind a step is expected to have if conjugate gradients end early.
const AHEAD: f64 = 0.3;

/// Makes steps from these weights until the judge ends them; returns `false` if no step makes progress any
/// more.
pub(crate) fn newton(judge: &mut Judge<'_>, w: &mut [f64], is_direct: bool) -> bool {
    let binary = judge.binary;
    let mut margins = binary.margins(w);
    let mut columns: Option<(Vec<f64>, Lower)> = None;
    let (mut rows, mut kept) = (RowProducts::default(), KeptRows::default());
    let mut outside = f64::INFINITY;
    loop {
        settle(binary, w, &mut margins);
        let (a, r) = binary.slopes(&margins);
        let mut some: Vec<usize> = (0..r.len()).filter(|&row| r[row] > 0.0).collect();
        let next = if is_direct {
            let Some((side, cost)) = cheaper_side(binary, some.len()) else { return false };
            judge.count(cost.each);
            let gram = match side {
                Side::Rows => {
                    judge.count(rows.grow(binary, &some));
                    kept.begin(&mut some, &r, &margins);
                    judge.count(-kept.saved());
                    rows.of(binary, &some)
                }
                Side::Columns => updated(binary, &r, &mut columns),
            };
            let b: Vec<f64> = (0..r.len())
                .map(|row| if r[row] > 0.0 { a[row] / r[row] + margins[row] } else { 0.0 })
                .collect();
            let Some(system) = Weighted::new(binary, (&some, &r), (side, gram), &kept) else { return false };
            let (v, next) = system.solve(&b);
            kept = system.kept();
            let (dual, part) = inside(binary, &v);
            // What the bounds cut off costs the dual objective many times as much: a point that loses as much
            // as the last one is not worth a pass over all rows.
            if part <= judge.tolerance || part <= WORTH * outside.min(FIRST) {
                outside = part;
                // Computed from the rows, as x has the rounding errors of the solution.
                judge.offer_dual(&dual, &binary.weights_of(&dual));
            }
            next
        } else {
            let sum = judge.offer_slopes(a);
            conjugate(judge, sum, (&r, &some), w)
        };
        let direction: Vec<f64> = next.iter().zip(w.iter()).map(|(next, w)| next - w).collect();
        let along = binary.margins(&direction);
        let ahead = Ray { w: &direction, margins: &along };
        let step = best_step(binary, Ray { w, margins: &margins }, ahead, (f64::INFINITY, SEARCH));
        if step == 0.0 {
            return false;
        }
        w.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
        margins.iter_mut().zip(&along).for_each(|(m, along)| *m += step * along);
        judge.count(2.0 * binary.rows.stored() as f64);
        judge.offer_primal(Ray { w, margins: &margins });
        if judge.is_over() {
            return true;
        }
    }
}

/// Cuts dual values to their bounds; returns them with the fraction of their sum that was cut off.
fn inside(binary: &Binary<'_>, v: &[f64]) -> (Vec<f64>, f64) {
    let (mut all, mut cut) = (0.0, 0.0);
    let values = v.iter().enumerate().map(|(row, v)| {
        let within = v.clamp(0.0, binary.upper(row));
        all += v.abs();
        cut += (v - within).abs();
        within
    });
    let mut values: Vec<f64> = values.collect();
    balance(binary, &mut values);
    (values, if all > 0.0 { cut / all } else { 0.0 })
}

/// Computes Z'RZ: updates the last one by the rows whose weight has changed, if these are few.
fn updated(binary: &Binary<'_>, r: &[f64], kept: &mut Option<(Vec<f64>, Lower)>) -> Lower {
    let some = r.iter().filter(|r| **r > 0.0).count();
    let changed =
        kept.as_ref().map_or(usize::MAX, |(old, _)| (0..r.len()).filter(|&row| r[row] != old[row]).count());
    let (old, mut lower) = match kept.take() {
        Some(kept) if changed < some => kept,
        _ => (vec![0.0; r.len()], Lower::zeros(binary.rows.width())),
    };
    for row in (0..r.len()).filter(|&row| r[row] != old[row]) {
        lower.add_row(binary.rows, row, r[row] - old[row]);
    }
    let copy = lower.copied();
    *kept = Some((r.to_vec(), lower));
    copy
}

/// Computes w' by conjugate gradients on (I + Z'RZ) d = Z'a - w, to a residual that shrinks with the
/// gradient; at first it is Z'a.
fn conjugate(
    judge: &mut Judge<'_>,
    mut residual: Vec<f64>,
    (r, some): (&[f64], &[usize]),
    w: &[f64],
) -> Vec<f64> {
    let binary = judge.binary;
    let mut diagonal = vec![1.0; w.len()];
    let penalized = binary.penalized(w).len();
    diagonal[penalized..].fill(f64::MIN_POSITIVE);
    let mut stored = 0.0;
    for &row in some {
        let (columns, values) = binary.rows.row(row);
        stored += columns.len() as f64;
        columns.iter().zip(values).for_each(|(&at, value)| diagonal[at as usize] += r[row] * value * value);
    }
    residual.iter_mut().zip(binary.penalized(w)).for_each(|(sum, w)| *sum -= w);
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let eased =
        |residual: &[f64]| -> Vec<f64> { residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect() };
    let mut d = vec![0.0; w.len()];
    let mut z = eased(&residual);
    let (mut p, mut rz) = (z.clone(), product(&residual, &z));
    let first = rz;
    let factor = 0.1_f64.min(judge.found().gap().sqrt()).max(1e-3);
    // Half the squared gradient bounds the distance from the optimum.
    let enough = 2.0 * AHEAD * judge.tolerance * judge.found().primal;
    let mut count = 0;
    while count < CONJUGATE && rz > factor * factor * first && product(&residual, &residual) > enough {
        cancellation_point(2 * stored as u64);
        let mut hp = p.clone();
        hp[penalized..].fill(0.0);
        some.iter().for_each(|&row| {
            binary.rows.add(row, binary.signs[row] * r[row] * binary.margin(row, &p), &mut hp);
        });
        let step = rz / product(&p, &hp);
        d.iter_mut().zip(&p).for_each(|(d, p)| *d += step * p);
        residual.iter_mut().zip(&hp).for_each(|(r, hp)| *r -= step * hp);
        z = eased(&residual);
        let next = product(&residual, &z);
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + next / rz * *p);
        rz = next;
        count += 1;
    }
    judge.count(2.0 * stored * count as f64);
    w.iter().zip(&d).map(|(w, d)| w + d).collect()
}
