//! Mehrotra's interior point method on the dual of the hinge loss, whose feasible set is a box; its lower and
//! upper bounds have multipliers s and t (Mehrotra, "On the implementation of a primal-dual interior point
//! method", 1992; for support vector machines Fine and Scheinberg, 2001).

use super::gram::{Lower, RowProducts, Side, cheaper_side};
use super::judge::Judge;
use super::line::Ray;
use super::weighted::{KeptRows, Weighted};
use crate::data::binary::Binary;

/// Fraction of the way to the nearest bound that a step goes.
const SHARE: f64 = 0.995;

/// Limit on the margin that a row's initial dual value gives the row by itself.
const ALONE: f64 = 10.0;

/// An iterate: dual values between their bounds, and the multipliers of the lower and upper bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Inside {
    a: Vec<f64>,
    s: Vec<f64>,
    t: Vec<f64>,
}

raddle::state!(Inside { a, s, t });

impl Inside {
    /// Returns the middle of the box, or values that give each row a margin of [`ALONE`] by itself, if these
    /// are smaller.
    pub(crate) fn middle(binary: &Binary<'_>) -> Self {
        let of = |(row, c): (usize, &f64)| (c / 2.0).min(ALONE / binary.rows.square(row));
        let a: Vec<f64> = binary.costs.iter().enumerate().map(of).collect();
        let margins = binary.margins(&binary.weights_of(&a));
        // The multipliers make all products of values and multipliers about equal.
        let sizes = a.iter().zip(&margins).map(|(a, m)| a * (1.0 + (m - 1.0).abs()));
        let mean = sizes.sum::<f64>() / a.len() as f64;
        let beyond = |m: f64, room: f64| if room > 0.0 { m.max(0.0) + mean / room } else { 1.0 };
        let rows = || a.iter().zip(&margins).zip(&binary.costs);
        let s = rows().map(|((a, m), _)| beyond(m - 1.0, *a)).collect();
        let t = rows().map(|((a, m), c)| beyond(1.0 - m, c - a)).collect();
        Self { a, s, t }
    }

    /// Returns `true` if there are values for each row.
    pub(crate) fn is_of(&self, count: usize) -> bool {
        [&self.a, &self.s, &self.t].iter().all(|values| values.len() == count)
    }
}

/// Makes steps until the judge ends them; returns `false` if rounding prevents a step.
pub(crate) fn interior(judge: &mut Judge<'_>, at: &mut Inside) -> bool {
    let binary = judge.binary;
    let costs = &binary.costs;
    let some: Vec<usize> = (0..binary.count()).filter(|&row| costs[row] > 0.0).collect();
    let Some((side, cost)) = cheaper_side(binary, some.len()) else { return false };
    let mut rows = RowProducts::default();
    let gram = (side == Side::Rows).then(|| {
        judge.count(rows.grow(binary, &some));
        rows.of(binary, &some)
    });
    loop {
        let w = binary.weights_of(&at.a);
        let margins = binary.margins(&w);
        judge.offer_with(&at.a, Ray { w: &w, margins: &margins });
        if judge.is_reached() {
            return true;
        }
        judge.count(cost.each);
        let mut r = vec![0.0; at.a.len()];
        some.iter()
            .for_each(|&row| r[row] = 1.0 / (at.s[row] / at.a[row] + at.t[row] / (costs[row] - at.a[row])));
        let matrix = match &gram {
            Some(gram) => Lower { values: gram.values.clone(), ..*gram },
            None => {
                let mut columns = Lower::zeros(binary.rows.width());
                some.iter().for_each(|&row| columns.add_row(binary.rows, row, r[row]));
                columns
            }
        };
        let Some(factor) = Weighted::new(binary, (&some, &r), (side, matrix), &KeptRows::default()) else {
            return false;
        };
        let system = System { binary, some: &some, factor, at, margins: &margins };
        let now = |row: usize| (at.a[row] * at.s[row], (costs[row] - at.a[row]) * at.t[row]);
        let greedy = system.step(&|row| (-now(row).0, -now(row).1));
        let (mean, then) =
            (system.mean_product(0.0, &greedy), system.mean_product(system.reach(&greedy), &greedy));
        let centre = mean * (then / mean).powi(3);
        let step = system.step(&|row| {
            let second = greedy.a[row];
            (centre - now(row).0 - second * greedy.s[row], centre - now(row).1 + second * greedy.t[row])
        });
        let along = system.reach(&step);
        if !(along > 1e-12 && some.iter().all(|&row| step.a[row].is_finite())) {
            return false;
        }
        for &row in &some {
            at.a[row] =
                (at.a[row] + along * step.a[row]).clamp(costs[row] * 1e-18, costs[row] * (1.0 - 1e-15));
            at.s[row] += along * step.s[row];
            at.t[row] += along * step.t[row];
        }
        if judge.is_over() {
            return true;
        }
    }
}

/// The equations of a step.
struct System<'a> {
    binary: &'a Binary<'a>,
    some: &'a [usize],
    factor: Weighted<'a>,
    at: &'a Inside,
    margins: &'a [f64],
}

impl System<'_> {
    /// Returns the step that changes the products a s and (c - a) t by `change`, to first order.
    fn step(&self, change: &dyn Fn(usize) -> (f64, f64)) -> Inside {
        let Self { binary, some, at, .. } = *self;
        let upper = |row: usize| binary.costs[row] - at.a[row];
        let mut right = vec![0.0; at.a.len()];
        for &row in some {
            let (low, high) = change(row);
            let residual = self.margins[row] - 1.0 - at.s[row] + at.t[row];
            right[row] = -residual + low / at.a[row] - high / upper(row);
        }
        let (a, _) = self.factor.solve(&right);
        let mut step = Inside { s: vec![0.0; a.len()], t: vec![0.0; a.len()], a };
        for &row in some {
            let ((low, high), da) = (change(row), step.a[row]);
            step.s[row] = (low - at.s[row] * da) / at.a[row];
            step.t[row] = (high + at.t[row] * da) / upper(row);
        }
        step
    }

    /// Returns the fraction of a step that keeps every value off its bound.
    fn reach(&self, step: &Inside) -> f64 {
        let at = self.at;
        let to = |value: f64, change: f64| if change < 0.0 { -value / change } else { f64::INFINITY };
        let of = |&row: &usize| {
            let (da, ds, dt) = (step.a[row], step.s[row], step.t[row]);
            let upper = self.binary.costs[row] - at.a[row];
            to(at.a[row], da).min(to(upper, -da)).min(to(at.s[row], ds)).min(to(at.t[row], dt))
        };
        (SHARE * self.some.iter().map(of).fold(f64::INFINITY, f64::min)).min(1.0)
    }

    /// Returns the mean of the products of values and multipliers after this fraction of a step.
    fn mean_product(&self, along: f64, step: &Inside) -> f64 {
        let at = self.at;
        let of = |&row: &usize| {
            let a = at.a[row] + along * step.a[row];
            let (s, t) = (at.s[row] + along * step.s[row], at.t[row] + along * step.t[row]);
            a * s + (self.binary.costs[row] - a) * t
        };
        self.some.iter().map(of).sum::<f64>() / (2 * self.some.len()) as f64
    }
}
